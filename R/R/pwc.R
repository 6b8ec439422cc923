#' Classification by pairs of classes
#'
#' Fits one learner for each pair of classes and couples their probabilities into class
#' probabilities. If there are several learners, cross-validation chooses the best one for each pair
#' (Szepannek, Bischl and Weihs, 2007). With the learner `"svm"` and numeric columns, the machines
#' and their coupling are those of `svm()` in \pkg{e1071}. The probabilities are better calibrated;
#' `calibration = "sigmoid"` gives those of \pkg{e1071}.
#'
#' These learners can be given by name. Their arguments, with defaults, are
#' \describe{
#'   \item{`"svm"`}{Support vector machine, with the arguments of `svm()` in \pkg{e1071}:
#'     `kernel = "radial"`, `cost = 1`, `gamma` = 1 / number of columns, `degree = 3`, `coef0 = 0`,
#'     `tolerance = 0.001`, and `class.weights`, numbers named by class or `"inverse"`.}
#'   \item{`"lda"`, `"qda"`}{Linear and quadratic discriminant analysis, as in \pkg{MASS} with
#'     `method = "mle"`: covariances have the divisor n. If columns are collinear, `lda()` warns,
#'     and `"lda"` ignores the redundant directions. `prior`: probabilities of all classes in the
#'     order of the levels, by default their shares of the rows. `reg_param = 0`, for `"qda"`:
#'     shrinkage of the covariances towards the identity, for classes whose columns are (almost)
#'     linearly dependent.}
#'   \item{`"nb"`}{Naive Bayes with normal densities. Variances have the divisor n; `naiveBayes()`
#'     in \pkg{e1071} uses n - 1. `prior` as for `"lda"`.}
#'   \item{`"knn"`}{Nearest neighbours: `k = 5` of them.}
#'   \item{`"biased_knn"`}{Nearest neighbours with biased distances: those to one class of a pair,
#'     the first in the alphabet, are multiplied by `exp(bias)`. By default `k` and `bias` are
#'     chosen for each pair by the leave-one-out error, after Hastie and Tibshirani (1998).}
#'   \item{`"logistic"`}{Logistic regression with a ridge penalty, which is finite for separated
#'     classes too. `cost = 1` is the inverse of the penalty; the larger, the closer to `glm()`.}
#'   \item{`"tree"`}{Classification tree with Gini's index, with arguments of `rpart.control()`:
#'     `minsplit = 20`, `minbucket` = a third of it, `maxdepth = 30`. It is not pruned.}
#' }
#' `learners = c("lda", "nb")` gives two candidates. Arguments are given in a list with the name of
#' the learner, `list(svm = list(cost = 10), "lda")`, or with the learner as first element and a
#' name of your choice, `list(soft = list("svm", cost = 0.1), hard = list("svm", cost = 100))`. For
#' a single learner they can also be given in the call: `pwc(y ~ ., data, "svm", cost = 10)`.
#'
#' An R learner is a list of two functions. `fit(x, y)` gets a matrix with the columns of the model
#' matrix and a factor with the two levels of a pair, and returns a model. If it has an argument
#' `weights`, it gets the weights of the rows. `prob(model, x)` returns the probabilities of the
#' rows of `x`: a matrix with a column for each of the two classes, by name or in the order of the
#' levels, or a vector with the probabilities of the second class, as from `glm()`. The functions
#' are called in this R session, one pair after the other, so [set.seed()] and debuggers work. They
#' are saved with the fit, including the variables that they refer to in the function that defined
#' them.
#'
#' A Python learner is a scikit-learn estimator, created with \pkg{reticulate}:
#' `reticulate::import("sklearn.ensemble")$RandomForestClassifier()`.
#'
#' For learners without probabilities (among those above only `"svm"`), a sigmoid turns the scores
#' of each pair into probabilities. It is a logistic regression of the class on cross-validated
#' scores, with Jeffreys' penalty, as in [firth()]. Then one temperature T is fitted to the
#' cross-validated coupled probabilities: these become p^(1/T), divided by their sum. T < 1 makes
#' them sharper, T > 1 flatter; the order of the classes does not change.
#'
#' LIBSVM, and so \pkg{e1071}, fits Platt's sigmoids instead. Their smoothed targets limit the odds
#' within a pair to the number of rows of a class plus 1, so the largest probability is too small if
#' there are many well separated classes. `calibration = "sigmoid"` fits these sigmoids, without a
#' temperature. LIBSVM draws new folds in each call. Here the folds depend on `seed`, so that the
#' result is reproducible. It differs from that of \pkg{e1071} about as much as two calls of
#' `svm()` differ from each other.
#'
#' All learners use the same columns: those of `x`, or of [model.matrix()] for the formula, with
#' contrasts for factors and without the intercept. With `scale = TRUE` they are centred and divided
#' by their standard deviations over all classes. (`svm()` has a column for each level of its first
#' factor and does not scale the columns of factors, so its machines differ if there are factors.)
#'
#' The predicted class is the most probable one, as in `svm()` with `probability = TRUE`. Without
#' probabilities `svm()` predicts by votes of decision values, which is `coupling = "vote"` with
#' `calibration = "none"`.
#'
#' @param formula Model formula. The response is a factor, or is converted to one; unused levels are
#'   dropped. Alternatively a matrix instead of `x`, with `data` instead of `y`.
#' @param data Data frame with the variables. Variables that are not in it are looked up in the
#'   environment of the formula.
#' @param learners One learner, or several candidates for each pair; see Details.
#' @param ... Arguments of the learner, if there is only one.
#' @param x,y Instead of a formula: a numeric matrix or data frame, and the class of each row.
#' @param coupling Method of [couple()]. `"bayes"` fits additional learners, one for each pair
#'   against all other classes.
#' @param pair_weights For `coupling = "ht"` and `"logit"`: weight pairs by their numbers of rows,
#'   or equally, or by your own weights: a symmetric matrix with a row and a column for each class,
#'   in the order of the levels or with their names. Pairs of weight 0 are not used in the coupling.
#' @param selection_cv Number of folds for the choice between candidates. If a class has fewer rows,
#'   some folds do not contain it.
#' @param scoring Score for the choice, with scikit-learn's name: `"accuracy"`,
#'   `"balanced_accuracy"`, `"neg_log_loss"`, `"roc_auc"`, ... If scores are equal, the first
#'   candidate is chosen.
#' @param threshold Move the threshold of each pair to the value with the fewest errors (Hastie and
#'   Tibshirani, 1998), on the rows of the fit (`"train"`) or cross-validated (`"cv"`)?
#' @param calibration How scores become probabilities: by logistic regression with Jeffreys' penalty
#'   (`"firth"`), by Platt's sigmoids as in \pkg{e1071} (`"sigmoid"`), or by isotonic regression;
#'   these calibrate all learners. `"auto"` uses `"firth"` for learners without probabilities and
#'   does not change the others; `"none"` calibrates none.
#' @param temperature Fit a temperature to the coupled probabilities? `TRUE`, `FALSE` or `"auto"`,
#'   which fits one if there are three or more classes and all candidates are calibrated or have a
#'   threshold by `"cv"`; but not with `calibration = "sigmoid"`. `TRUE` cross-validates learners
#'   that have probabilities, too. A temperature repairs learners whose probabilities are too close
#'   to 0 and 1 once they are coupled, such as boosted trees. Shares of votes (`coupling = "vote"`)
#'   have none.
#' @param calibration_cv Number of folds for calibration, temperature and `threshold = "cv"`.
#' @param error_score What to do if a learner fails on a pair: `"raise"` stops with an error that
#'   names both. A number, or `NA` for the worst, becomes its score, so that another candidate is
#'   used. If all candidates fail, probabilities are the shares of the two classes. A warning lists
#'   the pairs.
#' @param scale Centre the columns and divide them by their standard deviations, as `svm()` does?
#'   Constant columns are not scaled.
#' @param weights Frequency weights; rows with weight 0 are left out. `"lda"`, `"qda"`, `"knn"`
#'   and `"biased_knn"` allow only the weights 0 and 1. Scores of candidates, and `minsplit` and
#'   `minbucket` of `"tree"`, do not use weights.
#' @param subset,na.action,contrasts As in [firth()]. For `x` and `y`, `subset` is an index of the
#'   rows, and there are no `contrasts`.
#' @param seed Whole number that seeds folds, and Python learners without a seed of their own. With
#'   `NULL`, folds follow the order of the rows, which is wrong if the rows are sorted. [set.seed()]
#'   affects only R learners.
#' @param n_jobs Number of parallel fits (-1 for all cores); not for R learners. The result does not
#'   depend on it, but warnings of other processes are printed there and are not R warnings.
#' @param verbose Show progress?
#' @return A list of class `pwcstats_pwc`, which inherits from `pwcstats_classifier`, with
#'   [methods][pwcstats_pwc],
#'   [predict()][predict.pwcstats_pwc] and [plot()][plot.pwcstats_pwc]. Its elements are
#'   \item{classes}{The classes in the order of the levels.}
#'   \item{pairs}{Data frame with a row for each pair: `class_i`, `class_j`, `n` (number of rows,
#'     or sum of their weights), `learner`; with several candidates the score `cv_score_<name>` of
#'     each; with sigmoids `sigmoid_a` and `sigmoid_b`, where 1 / (1 + exp(a f + b)) is the
#'     probability of `class_i` at score f; if requested `threshold`; and `error`, if a learner
#'     failed.}
#'   \item{temperature}{The temperature T; 1 if none was fitted.}
#'   \item{uses_pair_weights}{Does the coupling use weights of the pairs?}
#'   \item{learners, coupling, pair_weights, threshold, calibration, seed}{Names of the learners,
#'     and options of the call.}
#'   \item{center, scale}{Centre and scale of each column.}
#'   \item{nobs, call, python}{Number of rows, the call, and the Python object as bytes. As with any
#'     saved object, read only files that you trust.}
#'   \item{terms, model, xlevels, contrasts, na.action}{As in [firth()]; for `x` and `y`, `model`
#'     has the columns `y` and `x`, and there are no terms.}
#' @seealso [couple()] for the coupling alone, [hybrid()] for another way to combine machines,
#'   [compare_methods()] to compare classifiers; [caretModel()], [mlr learners][pwcstats_mlr] and
#'   [parsnip engines][pwcstats_parsnip] to tune them.
#' @references
#' Firth, D. (1993) Bias reduction of maximum likelihood estimates. *Biometrika* **80**, 27--38.
#' \doi{10.1093/biomet/80.1.27}
#'
#' Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017) On calibration of modern neural
#' networks. *ICML, PMLR* **70**, 1321--1330.
#'
#' Hastie, T. and Tibshirani, R. (1998) Classification by pairwise coupling. *The Annals of
#' Statistics* **26**, 451--471. \doi{10.1214/aos/1028144844}
#'
#' Szepannek, G., Bischl, B. and Weihs, C. (2007) On the combination of locally optimal pairwise
#' classifiers. *MLDM 2007*, 104--116. \doi{10.1007/978-3-540-73499-4_9}
#'
#' Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004) Probability estimates for multi-class classification
#' by pairwise coupling. *Journal of Machine Learning Research* **5**, 975--1005.
#' @examplesIf pwcstats_available()
#' # The better of two learners for each pair.
#' fit <- pwc(Species ~ ., iris, learners = c("lda", "nb"))
#' fit
#' table(iris$Species, predict(fit))
#' predict(fit, iris[c(1, 71, 120), ], type = "prob")
#'
#' # Probabilities of a support vector machine, from columns and classes.
#' svm <- pwc(x = iris[1:4], y = iris$Species, learners = "svm", cost = 10)
#' predict(svm, iris[c(1, 71, 120), 1:4], type = "prob")
#'
#' # The same machines with the calibration of svm() in e1071.
#' predict(update(svm, calibration = "sigmoid"), iris[c(1, 71, 120), 1:4], type = "prob")
#'
#' @examplesIf pwcstats_available() && requireNamespace("rpart", quietly = TRUE)
#' # An R learner as one of the candidates.
#' tree <- list(
#'   fit = function(x, y) rpart::rpart(y ~ ., data.frame(y = y, x), cp = 0.05),
#'   prob = function(model, x) predict(model, data.frame(x))
#' )
#' pwc(Species ~ ., iris, learners = list("lda", tree = tree))
#' @export
pwc <- function(formula,
                data,
                learners = "svm",
                ...,
                x = NULL,
                y = NULL,
                coupling = c(
                  "wlw2", "ht", "wlw1", "logit", "pkpd", "rv", "vote", "sum", "bayes"
                ),
                pair_weights = c("counts", "equal"),
                selection_cv = 3,
                scoring = "accuracy",
                threshold = c("none", "train", "cv"),
                calibration = c("auto", "none", "firth", "sigmoid", "isotonic"),
                temperature = "auto",
                calibration_cv = 5,
                error_score = "raise",
                scale = TRUE,
                weights,
                subset,
                na.action, # nolint
                contrasts = NULL,
                seed = 1,
                n_jobs = NULL,
                verbose = FALSE) {
  call <- full_call()
  asked <- match.call()
  options <- list(
    coupling = first_choice(coupling),
    pair_weights = if (is.character(pair_weights) || is.null(pair_weights)) {
      check_choice(pair_weights, call)
    } else {
      as_numbers(pair_weights, "pair_weights", call)
    },
    threshold = check_choice(threshold, call),
    calibration = check_choice(calibration, call),
    temperature = temperature,
    scoring = scoring,
    selection_cv = selection_cv,
    calibration_cv = calibration_cv,
    error_score = error_score,
    seed = seed
  )
  check_pwc(options, verbose, call)
  learners <- read_learners(learners, list(...), call)
  refuse_parallel(learners, n_jobs, call)
  input <- classifier_input(formula, asked, parent.frame(), contrasts, scale, call)
  classes <- read_classes(input$y, input$used, call)
  options$pair_weights <- name_pair_weights(options$pair_weights, levels(classes), call)
  rows <- input$rows[input$used, , drop = FALSE]
  weights <- input$weights[input$used]

  load_python(call)
  refuse_weights(learners, weights, call)
  check_score(options$scoring, call)
  model <- call_python(
    "PairwiseClassifier",
    list(learners_to_py(learners, rows, classes, call)),
    c(pwc_to_py(options), list(n_jobs = count_to_py(n_jobs), verbose = as.integer(verbose))),
    call
  )
  call_bridge(
    model$fit,
    list(design_to_py(rows), codes_to_py(as.integer(classes), levels(classes))),
    list(sample_weight = row_weights_to_py(weights)),
    call
  )
  classes <- factor(levels(classes), levels = levels(classes), ordered = is.ordered(classes))
  parts <- pwc_from_py(model, classes, names(learners), input, options)
  parts$nobs <- nrow(rows)
  pwc_fit(parts, input, asked)
}

pwc_fit <- function(parts, input, asked) {
  formula_fit(c("pwcstats_pwc", "pwcstats_classifier"), parts, input, asked)
}

# The classifier as plain R data, and the Python object.
pwc_from_py <- function(model, classes, learners, input, options) {
  pairs <- pairs_from_py(model$pairs_, as.character(classes))
  c(
    list(
      classes = classes,
      pairs = pairs,
      temperature = from_py(model$temperature_),
      learners = first_of(learners, unique(pairs$learner)),
      center = input$center,
      scale = input$scale,
      # Each row is in a pair with every other class.
      nobs = sum(pairs$n) / (length(classes) - 1),
      uses_pair_weights = from_py(python$bridge$weights_pairs(options$coupling)),
      python = freeze(model)
    ),
    options[c("coupling", "pair_weights", "threshold", "calibration", "seed")]
  )
}

# Numbers of folds, scores and seeds may be other objects in Python, which also ignores numbers of
# folds that it does not need.
check_pwc <- function(options, verbose, call) {
  check_scoring(options$scoring, call)
  check_count(options$selection_cv, "selection_cv", call, least = 2)
  check_count(options$calibration_cv, "calibration_cv", call, least = 2)
  check_temperature(options$temperature, call)
  check_seed(options$seed, call)
  check_flag(verbose, "verbose", call)
}

check_scoring <- function(scoring, call) {
  if (!is.character(scoring) || length(scoring) != 1L) {
    abort("scoring must be the name of a score, such as 'accuracy' or 'neg_log_loss'.", call)
  }
}

# Here, because Python would take NA for True.
check_temperature <- function(x, call) {
  if (!identical(x, "auto") && !isTRUE(x) && !isFALSE(x)) {
    abort(
      sprintf("temperature must be 'auto', TRUE or FALSE, got %s.", show_value(x)), call
    )
  }
}

# scikit-learn's message would list all scores.
check_score <- function(scoring, call) {
  if (!from_py(python$bridge$is_score(scoring))) {
    abort(
      sprintf(
        "there is no score '%s'; scores have scikit-learn's names, such as %s.", scoring,
        "'accuracy', 'balanced_accuracy', 'neg_log_loss', 'roc_auc'"
      ),
      call
    )
  }
}

# Weights of the pairs in the order of the levels, or the user's choice. Python refuses other names.
name_pair_weights <- function(weights, labels, call) {
  if (is.character(weights)) {
    return(weights)
  }
  k <- length(labels)
  if (!identical(dim(weights), c(k, k))) {
    abort(
      sprintf(
        "pair_weights must be 'counts', 'equal' or a %d x %d matrix, got %s.", k, k, extent(weights)
      ),
      call
    )
  }
  rows <- first_of(rownames(weights), colnames(weights), labels)
  columns <- first_of(colnames(weights), rownames(weights), labels)
  weights <- with_dimnames(weights, rows, columns)
  if (setequal(rows, labels) && setequal(columns, labels)) weights[labels, labels] else weights
}

pair_weights_to_py <- function(weights) {
  if (is.matrix(weights)) {
    frame_to_py(weights, rownames(weights), colnames(weights))
  } else if (weights == "counts") {
    weights
  }
}

pwc_to_py <- function(options) {
  list(
    coupling = options$coupling,
    weights = pair_weights_to_py(options$pair_weights),
    selection_cv = count_to_py(options$selection_cv),
    scoring = options$scoring,
    threshold = option_to_py(options$threshold),
    calibration = option_to_py(options$calibration),
    temperature = options$temperature,
    calibration_cv = count_to_py(options$calibration_cv),
    error_score = number_to_py(options$error_score),
    random_state = count_to_py(options$seed)
  )
}

# Pairs in the order of the levels; Python sorts classes alphabetically. Swapping the classes of a
# pair changes the signs of its scores, of sigmoid_b and of the threshold.
pairs_from_py <- function(x, labels) {
  columns <- as.character(from_py(x$columns$tolist()))
  texts <- intersect(c("class_i", "class_j", "learner", "error"), columns)
  pairs <- columns_from_py(x, texts, setdiff(columns, texts))[columns]
  if ("error" %in% columns) {
    pairs$error <- notes_from_py(column_from_py(x, "error"))
  }
  sorted <- sort_pairs(pairs$class_i, pairs$class_j, labels)
  swapped <- sorted$swapped
  pairs[swapped, c("class_i", "class_j")] <- pairs[swapped, c("class_j", "class_i")]
  for (column in intersect(c("sigmoid_b", "threshold"), columns)) {
    pairs[swapped, column] <- -pairs[swapped, column]
  }
  data.frame(pairs[sorted$order, ], row.names = NULL, check.names = FALSE)
}

# The order of the pairs, and which of them have to be swapped.
sort_pairs <- function(first, second, labels) {
  i <- match(first, labels)
  j <- match(second, labels)
  list(order = order(pmin(i, j), pmax(i, j)), swapped = i > j)
}
