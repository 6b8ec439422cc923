#' Classification by pairs of classes
#'
#' Fits one learner for each pair of classes and couples their probabilities into one for each
#' class. Of several learners each pair keeps the one that is best on it, by cross-validation
#' (Szepannek, Bischl and Weihs, 2007). With the learner `"svm"` it is what `svm()` of \pkg{e1071}
#' does with `probability = TRUE`: of numeric columns the same machines, a sigmoid for each pair,
#' and the coupling of Wu, Lin and Weng.
#'
#' Learners are known by name. Their arguments, with defaults, are
#' \describe{
#'   \item{`"svm"`}{Support vector machine, with the arguments of `svm()` in \pkg{e1071}:
#'     `kernel = "radial"`, `cost = 1`, `gamma` = 1 / number of columns, `degree = 3`, `coef0 = 0`,
#'     `tolerance = 0.001`, and `class.weights`, numbers by name of the class or `"inverse"`.}
#'   \item{`"lda"`, `"qda"`}{Linear and quadratic discriminant analysis, as of \pkg{MASS} with
#'     `method = "mle"`: covariances have the divisor n. Where `lda()` warns of collinear columns,
#'     `"lda"` goes on without what they repeat. `prior`: probabilities of all classes in the order
#'     of the levels, by default their shares of the rows. `reg_param = 0`, of `"qda"`: how far
#'     covariances are drawn towards the identity, for classes whose columns are combinations of
#'     each other, or nearly so.}
#'   \item{`"nb"`}{Naive Bayes with normal densities, whose variances have the divisor n, where
#'     `naiveBayes()` of \pkg{e1071} has n - 1. `prior` as of `"lda"`.}
#'   \item{`"knn"`}{Nearest neighbours: `k = 5` of them.}
#'   \item{`"logistic"`}{Logistic regression with a ridge penalty, which has an answer for separated
#'     classes too. `cost = 1` is the inverse of the penalty: the larger, the nearer to `glm()`.}
#'   \item{`"tree"`}{Classification tree by Gini's index, with arguments of `rpart.control()`:
#'     `minsplit = 20`, `minbucket` = a third of it, `maxdepth = 30`. It is not pruned.}
#' }
#' `learners = c("lda", "nb")` are candidates. Arguments come in a list, under the name of the
#' learner, `list(svm = list(cost = 10), "lda")`, or with the learner first where the name is to be
#' another, `list(soft = list("svm", cost = 0.1), hard = list("svm", cost = 100))`. Of a single
#' learner they can also stand in the call: `pwc(y ~ ., data, "svm", cost = 10)`.
#'
#' A learner of R's is a list of two functions. `fit(x, y)` is given a matrix with the columns of
#' the design and a factor with the two levels of a pair, and returns a model; if it has an argument
#' `weights`, it gets those of the rows. `prob(model, x)` returns the probabilities of the rows of
#' `x`: a matrix with a column for each of the two classes, by name or in the order of the levels,
#' or a vector, then of the second class, as `glm()` has it. They are called in this R, one pair
#' after the other, so that [set.seed()] and debuggers work. The functions are saved with the fit,
#' with what they refer to in the function that made them.
#'
#' A learner of Python's is an estimator of scikit-learn, by \pkg{reticulate}:
#' `reticulate::import("sklearn.ensemble")$RandomForestClassifier()`.
#'
#' Learners without probabilities, which is `"svm"` alone of those above, have their scores turned
#' into probabilities by Platt's sigmoids, fitted to scores of held-out rows. LIBSVM, and so
#' \pkg{e1071}, draws these folds anew in each call; here they are drawn by `seed`, so that the
#' probabilities are as near those of \pkg{e1071} as its own in another call, and always the same.
#'
#' All learners see the same columns: those of `x`, or of the formula as [model.matrix()] makes
#' them, with contrasts for factors and without the intercept; with `scale = TRUE` centred and
#' divided by their standard deviations over all classes. (`svm()` has a column for each level of
#' its first factor and does not scale those of factors, so that its machines are others where there
#' are factors.)
#'
#' The predicted class is the most probable one, as `svm()` has it when it is asked for
#' probabilities. Without, it goes by votes of decision values: `coupling = "vote"` with
#' `calibration = "none"`.
#'
#' @param formula Model formula, of which the response is a factor or becomes one; levels that no
#'   row has are dropped. Or a matrix in place of `x`, and then `data` in place of `y`.
#' @param data Data frame in which to look for the variables; what it lacks is looked for where the
#'   formula was made.
#' @param learners One learner, or several to choose from for each pair; see Details.
#' @param ... Arguments of the learner, if there is one only.
#' @param x,y In place of a formula: a numeric matrix or data frame, and the class of each row.
#' @param coupling Method of [couple()]. `"bayes"` fits further learners, one for each pair against
#'   all other classes.
#' @param pair_weights For `coupling = "ht"`: weigh pairs by their numbers of rows, or all alike.
#' @param selection_cv Number of folds by which candidates are compared. Of a class with fewer rows
#'   some folds have none.
#' @param scoring Score by which they are compared, as scikit-learn names it: `"accuracy"`,
#'   `"balanced_accuracy"`, `"neg_log_loss"`, `"roc_auc"`, ... Of equals the first is kept.
#' @param threshold Move the border of each pair to where it makes the fewest errors (Hastie and
#'   Tibshirani, 1998), on the rows of the fit (`"train"`) or on held-out rows (`"cv"`)?
#' @param calibration How scores become probabilities: `"auto"` has sigmoids for learners without
#'   probabilities, `"sigmoid"` and `"isotonic"` are for all, `"none"` for none.
#' @param calibration_cv Number of folds for calibration and `threshold = "cv"`.
#' @param error_score What to do where a learner fails on a pair: `"raise"` an error that names
#'   both; or a number, or `NA` for the worst, is its score there, so that another candidate is
#'   used, and where all fail the shares of the two classes. A warning lists the pairs.
#' @param scale Centre the columns and divide them by their standard deviations, as `svm()` does?
#'   Constant columns stay as they are.
#' @param weights How many times each row counts; 0 leaves it out. `"lda"`, `"qda"` and `"knn"` have
#'   no weights, and refuse others than 0 and 1. Scores of candidates, and `minsplit` and
#'   `minbucket` of `"tree"`, count rows whatever their weights.
#' @param subset,na.action,contrasts As in [firth()]. For `x` and `y`, `subset` is an index of the
#'   rows and `contrasts` has no meaning.
#' @param seed Whole number that seeds folds, and learners of Python's that have no seed of their
#'   own. With `NULL` folds go by the order of the rows, which is no good where that has a meaning.
#'   [set.seed()] has a say in learners of R's only.
#' @param n_jobs Number of parallel fits, where -1 is all cores; not for learners of R's. The answer
#'   is the same, but warnings of fits in other processes are printed there and are none of R's.
#' @param verbose Show progress?
#' @return A list of class `pwcstats_pwc`, with [methods][pwcstats_pwc],
#'   [predict()][predict.pwcstats_pwc] and [plot()][plot.pwcstats_pwc]. It has the elements
#'   \item{classes}{The classes in the order of the levels.}
#'   \item{pairs}{Data frame with a row for each pair: `class_i`, `class_j`, `n` (rows in either,
#'     weights included), `learner`; with candidates the score `cv_score_<name>` of each;
#'     `sigmoid_a` and `sigmoid_b` where there are sigmoids, 1 / (1 + exp(a f + b)) being the
#'     probability of `class_i` at score f; `threshold`, if asked for; and `error`, where a learner
#'     failed.}
#'   \item{learners, coupling, pair_weights, threshold, calibration, seed}{What was asked; of the
#'     learners, the names.}
#'   \item{center, scale}{What each column was centred by and divided by.}
#'   \item{nobs, call, python}{Number of rows, the call, and the fit as Python keeps it. As with any
#'     saved object, read only files that you trust.}
#'   \item{terms, model, xlevels, contrasts, na.action}{As in [firth()]; of `x` and `y`, `model` has
#'     the columns `y` and `x`, and there are no terms.}
#' @seealso [couple()] for the coupling alone, [hybrid()] for another way to join machines,
#'   [compare_methods()] to compare classifiers.
#' @references
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
#' # A learner of R's as one of the candidates.
#' if (requireNamespace("rpart", quietly = TRUE)) {
#'   tree <- list(
#'     fit = function(x, y) rpart::rpart(y ~ ., data.frame(y = y, x), cp = 0.05),
#'     prob = function(model, x) predict(model, data.frame(x))
#'   )
#'   print(pwc(Species ~ ., iris, learners = list("lda", tree = tree)))
#' }
#' @export
pwc <- function(formula,
                data,
                learners = "svm",
                ...,
                x = NULL,
                y = NULL,
                coupling = c("wlw2", "ht", "wlw1", "pkpd", "rv", "vote", "sum", "bayes"),
                pair_weights = c("counts", "equal"),
                selection_cv = 3,
                scoring = "accuracy",
                threshold = c("none", "train", "cv"),
                calibration = c("auto", "none", "sigmoid", "isotonic"),
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
  call <- sys.call()
  asked <- match.call()
  options <- check_pwc(
    list(
      coupling = coupling, pair_weights = pair_weights, threshold = threshold,
      calibration = calibration, scoring = scoring
    ),
    list(selection_cv = selection_cv, calibration_cv = calibration_cv, seed = seed),
    error_score, verbose, call
  )
  learners <- read_learners(learners, list(...), call)
  refuse_parallel(learners, n_jobs, call)
  given <- tryCatch(formula, error = identity)
  if (is.character(given)) {
    abort("formula must be a formula, as in y ~ x, not words; as.formula() makes one.", call)
  }
  input <- if (inherits(given, "formula")) {
    refuse_columns(x, y, call)
    machine_input(asked, parent.frame(), contrasts, scale, call)
  } else {
    columns_input(columns_asked(asked), parent.frame(), scale, call)
  }
  classes <- read_classes(input$y, input$used, call)
  rows <- input$rows[input$used, , drop = FALSE]
  weights <- input$weights[input$used]
  refuse_weights(learners, weights, call)

  load_python(call)
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
  parts <- c(
    list(
      classes = factor(levels(classes), levels = levels(classes), ordered = is.ordered(classes)),
      pairs = pairs_from_py(model$pairs_, levels(classes)),
      learners = names(learners),
      center = input$center,
      scale = input$scale,
      nobs = nrow(rows),
      python = from_py(python$bridge$freeze(model))
    ),
    options[c("coupling", "pair_weights", "threshold", "calibration", "seed")]
  )
  formula_fit("pwcstats_pwc", parts, input, asked)
}

check_pwc <- function(words, numbers, error_score, verbose, call) {
  choices <- list(
    coupling = eval(formals(pwc)$coupling),
    pair_weights = eval(formals(pwc)$pair_weights),
    threshold = eval(formals(pwc)$threshold),
    calibration = eval(formals(pwc)$calibration)
  )
  for (name in names(choices)) {
    words[[name]] <- check_choice(words[[name]], choices[[name]], name, call)
  }
  if (!is.character(words$scoring) || length(words$scoring) != 1L) {
    abort("scoring must be the name of a score, as \"accuracy\" or \"neg_log_loss\".", call)
  }
  check_count(numbers$selection_cv, "selection_cv", call, least = 2)
  check_count(numbers$calibration_cv, "calibration_cv", call, least = 2)
  check_seed(numbers$seed, call)
  check_flag(verbose, "verbose", call)
  score <- length(error_score) == 1L && (is.numeric(error_score) || identical(error_score, NA))
  if (!identical(error_score, "raise") && !score) {
    abort("error_score must be \"raise\", or the score of a learner that fails, such as NA.", call)
  }
  c(words, numbers, list(error_score = error_score))
}

# Python's own words for it list all scores there are.
check_score <- function(scoring, call) {
  if (!from_py(python$bridge$is_score(scoring))) {
    abort(
      sprintf(
        "there is no score '%s'; scores are named as in scikit-learn, such as %s.", scoring,
        "'accuracy', 'balanced_accuracy', 'neg_log_loss', 'roc_auc'"
      ),
      call
    )
  }
}

pwc_to_py <- function(options) {
  word <- function(x) if (x != "none") x
  list(
    coupling = options$coupling,
    weights = if (options$pair_weights == "counts") "counts",
    selection_cv = count_to_py(options$selection_cv),
    scoring = options$scoring,
    threshold = word(options$threshold),
    calibration = word(options$calibration),
    calibration_cv = count_to_py(options$calibration_cv),
    error_score = number_to_py(options$error_score),
    random_state = if (!is.null(options$seed)) count_to_py(options$seed)
  )
}

# A formula and columns would be two answers to one question.
refuse_columns <- function(x, y, call) {
  if (!is.null(x) || !is.null(y)) {
    abort("give a formula and data, or x and y, not both.", call)
  }
}

# pwc(x, y), as svm() takes it, is pwc(x = x, y = y).
columns_asked <- function(asked) {
  if (is.null(asked$x)) {
    asked$x <- asked$formula
    if (is.null(asked$y)) {
      asked$y <- asked$data
    }
  }
  asked
}

# As machine_input(), of a matrix and classes. A frame with the matrix as one of its columns leaves
# weights, subset and missing values to R.
columns_input <- function(asked, environment, scale, call) {
  check_flag(scale, "scale", call)
  if (is.null(asked$x) || is.null(asked$y)) {
    abort("formula must be given, as in y ~ x, or the columns x and the classes y.", call)
  }
  value <- function(x) tryCatch(eval(x, environment), error = function(e) abort_as(e, call))
  x <- as_columns(value(asked$x), call)
  y <- value(asked$y)
  if (!is.atomic(y) || is.matrix(y) || length(y) != nrow(x)) {
    abort(
      sprintf(
        "y must be the class of each of the %d rows of x, got %s.", nrow(x),
        if (is.atomic(y) || is.data.frame(y)) extent(y) else kind(y)
      ),
      call
    )
  }
  frame <- frame_of_columns(asked, x, y, environment, call)
  x <- with_dimnames(unclass(frame$x), rownames(frame), colnames(x))
  check_complete(x, frame, call)
  refuse_no_classes(frame$y, call)
  weights <- read_row_weights(stats::model.weights(frame), nrow(frame), call)
  refuse_no_row(weights, call)
  used <- which(weights > 0)
  scaling <- scaling_of(x, weights, scale)
  attr(frame, "terms") <- NULL
  c(
    list(frame = frame, x = x, y = frame$y, weights = weights, used = used),
    scaling,
    list(rows = rescale(x, scaling))
  )
}

frame_of_columns <- function(asked, x, y, environment, call) {
  ask <- asked[c(1L, match(c("weights", "subset", "na.action"), names(asked), 0L))]
  ask[[1L]] <- quote(stats::model.frame)
  # Weights and subset are the user's, and so looked for there.
  ask$formula <- stats::as.formula("y ~ x", environment)
  ask$data <- data.frame(y = y, row.names = rownames(x))
  ask$data$x <- x
  ask$drop.unused.levels <- TRUE
  tryCatch(eval(ask, environment), error = function(e) abort_as(e, call))
}

# A matrix with names for its columns and rows; rows of a matrix may share a name, those of a frame
# may not.
as_columns <- function(x, call) {
  x <- as_numbers(x, "x", call)
  if (length(dim(x)) != 2L || !ncol(x)) {
    abort("x must be a matrix or data frame with a row for each case and a column at least.", call)
  }
  columns <- column_names(x)
  rows <- if (anyDuplicated(rownames(x))) NULL else rownames(x)
  with_dimnames(x, first_of(rows, as.character(seq_len(nrow(x)))), columns)
}

# Columns without a name are numbered.
column_names <- function(x) {
  names <- first_of(colnames(x), character(ncol(x)))
  ifelse(is.na(names) | !nzchar(names), sprintf("x%d", seq_len(ncol(x))), names)
}

extent <- function(x) {
  if (is.null(dim(x))) sprintf("%d", length(x)) else paste(dim(x), collapse = " x ")
}

# Pairs in the order of the levels, where Python has that of the alphabet. Turning a pair around
# changes the signs of its scores, so that of a and b in the sigmoid b alone changes, and so does
# the threshold.
pairs_from_py <- function(x, labels) {
  columns <- as.character(from_py(x$columns$tolist()))
  words <- intersect(c("class_i", "class_j", "learner", "error"), columns)
  pairs <- columns_from_py(x, words, setdiff(columns, words))[columns]
  place <- pair_places(pairs$class_i, pairs$class_j, labels)
  turned <- place$turned
  pairs[turned, c("class_i", "class_j")] <- pairs[turned, c("class_j", "class_i")]
  for (column in intersect(c("sigmoid_b", "threshold"), columns)) {
    pairs[turned, column] <- -pairs[turned, column]
  }
  data.frame(pairs[place$order, ], row.names = NULL, check.names = FALSE)
}

# Where pairs are found, and which of them are to be turned around.
pair_places <- function(first, second, labels) {
  i <- match(first, labels)
  j <- match(second, labels)
  list(order = order(pmin(i, j), pmax(i, j)), turned = i > j)
}
