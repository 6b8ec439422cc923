#' Chang's hybrid of support vector machines and logistic regression
#'
#' For two classes of which one, the negative, is large and of several kinds: it is split into
#' clusters, a support vector machine tells the positives from each, and a logistic model of the
#' distances from their borders, the integrator, gives probabilities (Procedure I of Chang, 2003).
#' With more than two classes, a machine tells a baseline class from each other.
#'
#' A row x has the signed distance \eqn{d_i = f_i(x) / \|w_i\|}{d[i] = f[i](x) / ||w[i]||} from the
#' border of machine i: the decision value divided by the length of the normal vector, positive on
#' the side of the positives (or of the baseline). The integrator is
#' \deqn{\log \frac{P(Y = i \mid x)}{P(Y = 0 \mid x)} = \beta_{0i} + \beta_i^\top d}{
#' log(P(Y = i | x) / P(Y = 0 | x)) = beta[0i] + beta[i]'d}
#' with the positives as class 0 and the clusters as the others. Distances from more linear machines
#' than there are columns are combinations of each other; those that add nothing are left out.
#'
#' [`predict(type = "class")`][predict.pwcstats_machines] compares the probability of the positive
#' class with the threshold of the fit, which need not be one half. With more than two classes there
#' is no threshold, and the most probable class is predicted.
#'
#' The machines are those of `svm()` in \pkg{e1071} with `type = "C-classification"`, and its
#' arguments have their names and defaults, but for the kernel. Scaling differs where there are
#' factors: here, as in `glm()`, one level of a factor has no column where there is an intercept,
#' and columns of factors are scaled like others. The intercept is no column of the machines.
#'
#' @param formula Model formula. The response is a factor, or becomes one; levels that no row has
#'   are dropped.
#' @param data Data frame in which to look for the variables; what it lacks is looked for where the
#'   formula was made.
#' @param clusters Number of k-means clusters of the negatives, or the cluster of each row of
#'   `data`; rows that `subset` and `na.action` leave out are left out of it too. It is looked for
#'   in `data` first, then where the function is called. Clusters of positive rows do not matter,
#'   and may be missing. `"auto"` is the number of negatives for each positive, rounded, from 1 to
#'   10; hundreds take minutes. k-means always standardises the columns, also with `scale = FALSE`.
#'   With `split = "folds"` it is the number of parts, by default 9, or fewer if the rarer class has
#'   fewer rows.
#' @param split Clusters of the negatives, or random parts of all rows with a machine each for both
#'   classes, whose distances a binary logit integrates.
#' @param kernel,cost,gamma,degree,coef0,tolerance The support vector machines, as in `svm()` of
#'   \pkg{e1071}; `gamma` is by default 1 / number of columns.
#' @param scale Centre the columns and divide them by their standard deviations, as `svm()` does?
#'   Constant columns stay as they are. With `TRUE` distances are in standard deviations, with
#'   `FALSE` in the units of the columns. As in `svm()`, a machine stops after ten million steps,
#'   with a warning; unscaled columns of very different sizes may need more.
#' @param integrator Positives as the baseline and one category for each cluster, fitted jointly or
#'   by one binary fit each; or positives against all negatives. The last is for comparison: with
#'   linear machines its border is a line. With `split = "folds"` it is always `"logit"`.
#' @param penalty Firth's penalty where the distances separate the groups, never, or always.
#' @param select Whether to select distances stepwise, and by which criterion.
#' @param threshold For two classes, the probability above which a row is called positive: `"cv"`
#'   for that of the best balanced accuracy on held-out probabilities, unless the folds leave it in
#'   doubt whether it is better than 1/2; `"prevalence"` for that which calls as many rows positive
#'   as there are; or a number.
#' @param positive Label of the positive class. By default the rarer one, of equals the second
#'   level; of more than two classes the first level, the baseline.
#' @param distance_cv Number of folds by which the distances are held out that the integrator learns
#'   from; `NULL` or `NA` for those of rows that the machines were trained on, as in the report,
#'   which make probabilities too sure of themselves.
#' @param seed Whole number that seeds clusters, parts, folds, and draws between equally probable
#'   classes. With `NULL` folds go by the order of the rows, and k-means starts at random, which
#'   [set.seed()] has no say in.
#' @param subset Rows to use.
#' @param na.action What to do with rows in which something is missing, as in [stats::glm()].
#' @param contrasts List of contrasts of factors, as `contrasts.arg` of [stats::model.matrix()].
#' @return A list of class `pwcstats_hybrid`, which inherits from `pwcstats_machines`, with
#'   [methods][pwcstats_machines] and [predict()][predict.pwcstats_machines]. It has the elements
#'   \item{classes, positive}{The classes in the order of the levels, and the positive one or the
#'     baseline.}
#'   \item{clusters}{Factor with the machine that each row is a negative of, `NA` for positives;
#'     with `split = "folds"` the part of each row.}
#'   \item{norms}{Lengths \eqn{\|w\|}{||w||} by which decision values are divided, one for each
#'     machine.}
#'   \item{distances, aliased, selected}{Names of all distances, of those left out as combinations
#'     of others, and of those that the integrator uses.}
#'   \item{coefficients}{Of the integrator: a matrix with one row for each cluster, or class but the
#'     baseline; for `"logit"` a vector, of which positive numbers speak for the positives.}
#'   \item{integrator, penalty, threshold}{The integrator, the penalty and the threshold that were
#'     used; the last `NULL` with more than two classes.}
#'   \item{split, svm, center, scale, distance_cv}{What was asked: the options of the machines, and
#'     what each column was centred by and divided by.}
#'   \item{nobs, call, terms, model, xlevels, contrasts, na.action, python}{As in [firth()].}
#' @seealso [ordinal_hybrid()] for ordered classes.
#' @references
#' Chang, Y.-C. I. (2003) Boosting SVM classifiers with logistic regression. Technical report,
#' Institute of Statistical Science, Academia Sinica, Taipei.
#'
#' Begg, C. B. and Gray, R. (1984) Calculation of polychotomous logistic regression parameters using
#' individualized regressions. *Biometrika* **71**, 11--18. \doi{10.1093/biomet/71.1.11}
#' @examplesIf pwcstats_available()
#' # The petals of versicolor are between those of the other two, so no line tells it from both.
#' flowers <- transform(
#'   iris,
#'   kind = factor(ifelse(Species == "versicolor", "versicolor", "other"))
#' )
#' fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = 2, seed = 1)
#' fit
#' table(flowers$kind, predict(fit))
#' predict(fit, flowers[c(1, 60, 120), ], type = "prob")
#'
#' # Clusters that are known.
#' known <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = Species, seed = 1)
#' summary(known)
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
                   subset,
                   na.action, # nolint
                   contrasts = NULL) {
  call <- sys.call()
  asked <- match.call()
  split <- check_choice(split, c("negatives", "folds"), "split", call)
  integrators <- c("multinomial", "individualized", "logit")
  integrator <- check_choice(integrator, integrators, "integrator", call)
  if (split == "folds") {
    integrator <- "logit"
  }
  options <- check_integration(penalty, select, distance_cv, seed, call)
  refuse_select(integrator, options$select, call)
  check_threshold(threshold, call)
  svm <- check_svm(kernel, cost, gamma, degree, coef0, tolerance, call)
  given <- read_clusters(asked, parent.frame(), call)
  input <- machine_input(with_clusters(asked, given), parent.frame(), contrasts, scale, call)
  y <- read_classes(input$y, input$used, call)
  positive <- read_positive(positive, y, call)
  refuse_clusters(given, y, positive, split, call)
  labels <- cluster_labels(input$frame, y, positive, call)

  load_python(call)
  model <- call_python(
    "HybridClassifier",
    list(svm_to_py(svm, ncol(input$rows), call)),
    c(integration_to_py(options), list(
      split = split,
      n_clusters = if (is.numeric(given)) count_to_py(given) else "auto",
      integrator = integrator,
      threshold = threshold,
      pos_label = positive
    )),
    call
  )
  call_bridge(
    model$fit,
    list(design_to_py(input$rows), codes_to_py(as.integer(y), levels(y))),
    list(clusters = if (!is.null(labels)) labels_to_py(labels)),
    call
  )
  found <- machines_from_py(model, input, integrator)
  machines_fit("pwcstats_hybrid", found, input, asked, c(
    options[c("distance_cv", "seed")],
    list(
      classes = factor(levels(y), levels = levels(y), ordered = is.ordered(y)),
      positive = positive,
      clusters = clusters_from_py(model, names(found$norms), rownames(input$rows)),
      integrator = integrator,
      threshold = from_py(model$threshold_),
      split = split,
      svm = svm
    )
  ))
}

# "auto", a number, or the label of each row of the data as a factor, in which a missing one is a
# level: na.action is not to leave out positives, which have no cluster.
read_clusters <- function(asked, environment, call) {
  if (is.null(asked$clusters)) {
    return("auto")
  }
  given <- tryCatch(
    evaluate_clusters(asked, environment),
    error = function(e) abort_as(e, call)
  )
  if (identical(given, "auto")) {
    return(given)
  }
  if (is_one_number(given)) {
    check_count(given, "clusters", call)
    return(given)
  }
  if (!is.atomic(given) || length(given) < 2L || is.matrix(given)) {
    abort("clusters must be \"auto\", a whole number, or a label for each row of the data.", call)
  }
  addNA(as.factor(given))
}

# In the data, then where the user is: a number is often a variable of a loop.
evaluate_clusters <- function(asked, environment) {
  data <- eval(asked$data, environment)
  eval(asked$clusters, if (is.list(data) || is.environment(data)) data, environment)
}

# What is asked of model.frame(): labels of the rows, if there are any.
with_clusters <- function(asked, given) {
  asked$clusters <- if (is.factor(given)) given
  asked
}

# Labels of the rows that are left, of which Python reads those of negatives.
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
        "clusters is missing in row %s, a negative one; give it a label, or leave the row out.",
        rownames(frame)[lacking][[1L]]
      ),
      call
    )
  }
  ifelse(is.na(labels), "", labels)
}

# Clusters that would have no say, or that are too many.
refuse_clusters <- function(given, y, positive, split, call) {
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
  if (is.factor(given)) {
    if (split == "folds") {
      abort("split='folds' makes parts at random; give their number as clusters, not labels.", call)
    }
    return(invisible())
  }
  most <- if (split == "folds") min(table(y)) else sum(y != positive)
  if (given > most) {
    abort(
      sprintf(
        "clusters is %d, but there are %d rows of %s; ask for fewer.", as.integer(given), most,
        if (split == "folds") "the rarer class" else "the negative class"
      ),
      call
    )
  }
}

refuse_select <- function(integrator, select, call) {
  if (integrator == "individualized" && select != "none") {
    abort("integrator='individualized' is several fits, of which none can be selected.", call)
  }
}

check_threshold <- function(x, call) {
  word <- is.character(x) && length(x) == 1L && x %in% c("cv", "prevalence")
  if (!word && !(is_one_number(x) && x >= 0 && x <= 1)) {
    abort("threshold must be 'cv', 'prevalence', or a probability between 0 and 1.", call)
  }
}

# As Python chooses, whose classes are in the order of the alphabet.
read_positive <- function(positive, y, call) {
  labels <- levels(y)
  if (is.null(positive)) {
    count <- tabulate(y)
    second <- length(labels) == 2L && count[[1L]] >= count[[2L]]
    return(labels[[if (second) 2L else 1L]])
  }
  if (length(positive) != 1L || !as.character(positive) %in% labels) {
    abort(
      sprintf(
        "positive must be one of the classes, %s.", paste0("'", labels, "'", collapse = ", ")
      ),
      call
    )
  }
  as.character(positive)
}

clusters_from_py <- function(model, machines, rows) {
  code <- as.vector(array_from_py(model$clusters_))
  stats::setNames(factor(code, seq_along(machines), machines), rows)
}
