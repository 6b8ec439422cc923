#' Chang's hybrid of support vector machines and logistic regression
#'
#' Fits a classifier for two classes of which one, the negative class, is large and heterogeneous.
#' The negatives are split into clusters, a support vector machine separates the positives from each
#' cluster, and a logistic model of the distances from the decision boundaries, the integrator,
#' gives probabilities (Procedure I of Chang, 2003). With more than two classes, a machine separates
#' a baseline class from each other class.
#'
#' A row x has the signed distance \eqn{d_i = f_i(x) / \|w_i\|}{d[i] = f[i](x) / ||w[i]||} from the
#' boundary of machine i: the decision value divided by the length of the normal vector. It is
#' positive on the side of the positives (or of the baseline). The integrator is
#' \deqn{\log \frac{P(Y = i \mid x)}{P(Y = 0 \mid x)} = \beta_{0i} + \beta_i^\top d}{
#' log(P(Y = i | x) / P(Y = 0 | x)) = beta[0i] + beta[i]'d}
#' with the positives as class 0 and the clusters as the other classes. If there are more linear
#' machines than columns, some distances are linear combinations of others; these are left out.
#'
#' [`predict(type = "class")`][predict.pwcstats_machines] compares the probability of the positive
#' class with the threshold of the fit, which need not be 1/2. With more than two classes there is
#' no threshold, and the most probable class is predicted.
#'
#' The machines are by default those of `svm()` in \pkg{e1071} with `type = "C-classification"`.
#' Their arguments have the same names and defaults, except for `kernel`. Factors are treated
#' differently: as in `glm()`, one level of a factor has no column if there is an intercept, and the
#' columns of factors are scaled like other columns. The machines do not use the intercept column.
#'
#' Other `learners` have distances too: their decision values, divided by the length of their
#' coefficients if they are linear, or for learners with probabilities the log odds. Each machine is
#' a fit to the two levels `"FALSE"` and `"TRUE"` for its two sides; `"TRUE"` is the side of the
#' positives. A distance of a probability of 0 or 1, as in a pure leaf of a tree, is limited.
#'
#' @param formula Model formula. The response is a factor, or is converted to one; unused levels are
#'   dropped. Alternatively a matrix instead of `x`, with `data` instead of `y`.
#' @param data Data frame with the variables. Variables that are not in it are looked up in the
#'   environment of the formula.
#' @param clusters Number of k-means clusters of the negatives, or the cluster of each row of
#'   `data`; rows that `subset` and `na.action` leave out are also left out of it. It is looked up
#'   in `data` first, then where the function is called. The clusters of positive rows are not used,
#'   and may be missing. `"ratio"` is the rule of the report: the rounded number of negatives per
#'   positive, from 1 to 10. `"auto"` also tries 1 to 6 clusters, and takes the smallest number
#'   whose log loss of cross-validated probabilities exceeds the least one by at most the standard
#'   error of the difference. Hundreds of clusters take minutes. k-means always standardises the
#'   columns, even with `scale = FALSE`. With `split = "folds"` it is the number of parts, by
#'   default 9, or fewer if the rarer class has fewer rows.
#' @param split Use clusters of the negatives, or random parts of all rows. With `"folds"`, each
#'   part has a machine for both classes, and a binary logistic model integrates the distances.
#' @param kernel,cost,gamma,degree,coef0,tolerance Arguments of the support vector machines, as in
#'   `svm()` of \pkg{e1071}; `gamma` is by default 1 / number of columns. `cost` is also an argument
#'   of the learner `"logistic"`; other learners refuse these arguments.
#' @param scale Centre the columns and divide them by their standard deviations, as `svm()` does?
#'   Constant columns are not scaled. With `TRUE` distances are in standard deviations, with `FALSE`
#'   in the units of the columns. As in `svm()`, a machine stops with a warning after ten million
#'   steps; unscaled columns with very different ranges may need more.
#' @param integrator `"multinomial"` has the positives as baseline and one category for each
#'   cluster; `"individualized"` fits one binary model for each cluster instead; `"logit"` compares
#'   positives with all negatives. `"logit"` is for comparison: with linear machines its boundary is
#'   linear. With `split = "folds"` it is always `"logit"`.
#' @param penalty Use Firth's penalty if the distances separate the groups, never, or always.
#' @param select Whether to select distances stepwise, and with which criterion.
#' @param threshold For two classes, the probability above which a row is predicted to be positive:
#'   `"cv"` takes the best threshold for `scoring`; `"prevalence"` predicts as many positives as
#'   there are; or a number.
#' @param scoring Score with scikit-learn's name. For `"balanced_accuracy"` the best threshold is
#'   the share of positives, and for `"accuracy"` 1/2, if the probabilities are right. For others,
#'   such as `"f1"`, it is the best one on cross-validated probabilities, or 1/2 if the folds do not
#'   clearly show that it is better.
#' @param threshold_cv Number of folds for the cross-validated probabilities that choose the
#'   threshold and the number of clusters. If they choose nothing, a number other than 5 gives a
#'   warning.
#' @param positive Label of the positive class. By default the rarer class, or the second level if
#'   both are equally frequent; with more than two classes the first level, the baseline.
#' @param distance_cv Number of folds for cross-validated distances, from which the integrator is
#'   fitted. With `NULL` or `NA` it is fitted to distances of the training rows, as in the report,
#'   which gives overconfident probabilities.
#' @param seed Whole number that seeds clusters, parts, folds, and draws between equally probable
#'   classes. With `NULL`, folds follow the order of the rows, and k-means starts at random
#'   (independently of [set.seed()]).
#' @param weights Frequency weights; rows with weight 0 are left out. Folds do not use weights.
#' @param subset Rows to use; for `x` and `y` an index of the rows.
#' @param na.action How to treat rows with missing values, as in [stats::glm()].
#' @param contrasts List of contrasts of factors, as `contrasts.arg` of [stats::model.matrix()]; not
#'   for `x` and `y`.
#' @param learners The learner of the machines: one of those that [pwc()] takes, by name, as an R
#'   learner or as a Python learner. Its arguments go into a list, as in
#'   `list(tree = list(maxdepth = 2))`. `prior` and `class.weights` refer to classes and are
#'   refused, because machines separate groups of rows. Weights need a learner that takes them.
#' @param x,y Instead of a formula: a numeric matrix or data frame, and the class of each row.
#' @return A list of class `pwcstats_hybrid`, which inherits from `pwcstats_machines` and
#'   `pwcstats_classifier`, with [methods][pwcstats_machines] and
#'   [predict()][predict.pwcstats_machines]. Its elements are
#'   \item{classes, positive}{The classes in the order of the levels, and the positive class or the
#'     baseline.}
#'   \item{clusters}{Factor with the cluster of each row, `NA` for positives; with
#'     `split = "folds"` the part of each row.}
#'   \item{norms}{Lengths \eqn{\|w\|}{||w||} by which decision values are divided, one for each
#'     machine.}
#'   \item{distances, aliased, selected}{Names of all distances, of those left out as linear
#'     combinations of others, and of those that the integrator uses.}
#'   \item{coefficients}{Coefficients of the integrator: a matrix with one row for each cluster, or
#'     for each class but the baseline; for `"logit"` a vector, in which positive coefficients
#'     favour the positive class.}
#'   \item{integrator, penalty, threshold}{The integrator, the penalty and the threshold that were
#'     used; `threshold` is `NULL` with more than two classes.}
#'   \item{chain}{Whether the coefficients are a vector with an equation for each class but the
#'     lowest, as in [ordinal_hybrid()] with `integrator = "cratio"`.}
#'   \item{learner, svm}{Name of the learner of the machines, and the arguments of support vector
#'     machines; `NULL` for another learner.}
#'   \item{split, center, scale, distance_cv}{Options of the call, and the centre and scale of
#'     each column.}
#'   \item{nobs, call, terms, model, xlevels, contrasts, na.action, python}{As in [firth()]; for `x`
#'     and `y`, `model` has the columns `y` and `x`, and there are no terms.}
#' @seealso [ordinal_hybrid()] for ordered classes; [caretModel()], [mlr learners][pwcstats_mlr] and
#'   [parsnip engines][pwcstats_parsnip] to tune them.
#' @references
#' Chang, Y.-C. I. (2003) Boosting SVM classifiers with logistic regression. Technical report,
#' Institute of Statistical Science, Academia Sinica, Taipei.
#'
#' Begg, C. B. and Gray, R. (1984) Calculation of polychotomous logistic regression parameters using
#' individualized regressions. *Biometrika* **71**, 11--18. \doi{10.1093/biomet/71.1.11}
#' @examplesIf pwcstats_available()
#' # The petals of versicolor are between those of the other two, so no line separates it from both.
#' flowers <- transform(
#'   iris,
#'   kind = factor(ifelse(Species == "versicolor", "versicolor", "other"))
#' )
#' fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = 2, seed = 1)
#' fit
#' table(flowers$kind, predict(fit))
#' predict(fit, flowers[c(1, 60, 120), ], type = "prob")
#'
#' # Known clusters.
#' known <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = Species, seed = 1)
#' summary(known)
#'
#' # Machines that are linear discriminants.
#' hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = Species, learners = "lda")
#'
#' # The same as the first from columns and classes, as svm() in e1071 takes them.
#' hybrid(iris[3:4], flowers$kind, clusters = iris$Species, seed = 1)
#' @export
hybrid <- function(formula,
                   data,
                   clusters = "auto",
                   split = c("negatives", "folds"),
                   kernel = c("linear", "radial", "polynomial", "sigmoid"),
                   cost = 1,
                   gamma = NULL,
                   degree = 3,
                   coef0 = 0,
                   tolerance = 0.001,
                   scale = TRUE,
                   integrator = c("multinomial", "individualized", "logit"),
                   penalty = c("auto", "none", "firth"),
                   select = c("none", "aic", "bic", "lr"),
                   threshold = "cv",
                   positive = NULL,
                   distance_cv = 5,
                   seed = 1,
                   weights,
                   subset,
                   na.action, # nolint
                   contrasts = NULL,
                   x = NULL,
                   y = NULL,
                   scoring = "balanced_accuracy",
                   threshold_cv = 5,
                   learners = "svm") {
  call <- full_call()
  asked <- match.call()
  split <- check_choice(split, call)
  options <- check_integration(penalty, select, distance_cv, seed, call)
  check_count(threshold_cv, "threshold_cv", call, least = 2)
  check_scoring(scoring, call)
  svm <- list(
    kernel = kernel, cost = cost, gamma = gamma, degree = degree, coef0 = coef0,
    tolerance = tolerance
  )
  machine <- read_machine(learners, svm, asked, call)
  given <- read_clusters(asked, parent.frame(), call)
  clustered <- with_clusters(asked, given)
  input <- used_rows(classifier_input(formula, clustered, parent.frame(), contrasts, scale, call))
  y <- read_classes(input$y, input$used, call)
  positive <- read_positive(positive, y, call)
  refuse_clusters(given, y, split, call)
  labels <- cluster_labels(input$frame[input$used, , drop = FALSE], y, positive, call)

  load_python(call)
  refuse_weights(machine, input$weights[input$used], call)
  check_score(scoring, call)
  model <- call_python(
    "HybridClassifier",
    list(machine_to_py(machine, input$rows, y, call)),
    c(integration_to_py(options), list(
      split = split,
      n_clusters = clusters_to_py(given),
      integrator = first_choice(integrator),
      threshold = number_to_py(threshold),
      threshold_cv = count_to_py(threshold_cv),
      scoring = scoring,
      pos_label = positive
    )),
    call
  )
  call_bridge(
    model$fit,
    list(design_to_py(input$rows), codes_to_py(as.integer(y), levels(y))),
    list(
      clusters = if (!is.null(labels)) labels_to_py(labels),
      sample_weight = row_weights_to_py(input$weights[input$used])
    ),
    call
  )
  found <- machines_from_py(model, input)
  machines_fit("pwcstats_hybrid", found, input, asked, c(
    options[c("distance_cv", "seed")],
    machine_parts(machine),
    list(
      classes = factor(levels(y), levels = levels(y), ordered = is.ordered(y)),
      positive = positive,
      clusters = clusters_from_py(model, names(found$norms), rownames(input$rows)),
      threshold = from_py(model$threshold_),
      split = split
    )
  ))
}

# "auto", "ratio", a number, or a factor with a label for each row of the data. Missing labels are
# a level, so that na.action does not drop positives without a cluster.
read_clusters <- function(asked, environment, call) {
  if (is.null(asked$clusters)) {
    return("auto")
  }
  given <- tryCatch(
    evaluate_clusters(asked, environment),
    error = function(e) abort_as(e, call)
  )
  if (identical(given, "auto") || identical(given, "ratio")) {
    return(given)
  }
  if (is_one_number(given)) {
    check_count(given, "clusters", call)
    return(given)
  }
  if (!is.atomic(given) || length(given) < 2L || is.matrix(given)) {
    abort(
      "clusters must be \"auto\", \"ratio\", a whole number, or a label for each row of the data.",
      call
    )
  }
  addNA(as.factor(given))
}

# In the data, then where the function was called: a number is often the variable of a loop.
evaluate_clusters <- function(asked, environment) {
  data <- eval(asked$data, environment)
  eval(asked$clusters, if (is.list(data) || is.environment(data)) data, environment)
}

# The call with labels of the rows, if there are any, for model.frame().
with_clusters <- function(asked, given) {
  asked$clusters <- if (is.factor(given)) given
  asked
}

# Labels are passed to fit() instead.
clusters_to_py <- function(given) {
  if (is.factor(given)) "auto" else if (is.numeric(given)) count_to_py(given) else given
}

# Labels of the rows that are used. Python reads those of negatives.
cluster_labels <- function(frame, y, positive, call) {
  given <- frame[["(clusters)"]]
  if (is.null(given)) {
    return(NULL)
  }
  labels <- as.character(given)
  lacking <- is.na(labels) & y != positive
  if (any(lacking)) {
    abort(
      sprintf(
        "clusters is missing in row %s, which is negative; give it a label, or leave the row out.",
        rownames(frame)[lacking][[1L]]
      ),
      call
    )
  }
  ifelse(is.na(labels), "", labels)
}

# Clusters that would have no effect.
refuse_clusters <- function(given, y, split, call) {
  if (identical(given, "auto")) {
    return(invisible())
  }
  if (nlevels(y) > 2L) {
    abort(
      sprintf(
        "clusters are groups of the negatives of two classes, but the response has %d; %s.",
        nlevels(y), "leave clusters out, or make them classes of the response"
      ),
      call
    )
  }
  if (is.factor(given) && split == "folds") {
    abort("split = 'folds' makes random parts; give their number as clusters, not labels.", call)
  }
}

# Python's default is the same, but it sorts classes alphabetically.
read_positive <- function(positive, y, call) {
  labels <- levels(y)
  if (is.null(positive)) {
    count <- tabulate(y)
    second <- length(labels) == 2L && count[[1L]] >= count[[2L]]
    return(labels[[if (second) 2L else 1L]])
  }
  if (length(positive) != 1L || !as.character(positive) %in% labels) {
    abort(sprintf("positive must be one of the classes, %s.", quoted(labels)), call)
  }
  as.character(positive)
}

clusters_from_py <- function(model, machines, rows) {
  code <- vector_from_py(model$clusters_)
  stats::setNames(factor(code, seq_along(machines), machines), rows)
}
