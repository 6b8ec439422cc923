#' Learners for mlr
#'
#' Learners of \pkg{mlr} that fit [pwc()], [hybrid()] and [ordinal_hybrid()]:
#' `makeLearner("classif.pwc")`, `makeLearner("classif.hybrid")` and
#' `makeLearner("classif.ordinal_hybrid")`. They are available as soon as pwcstats is loaded. (They
#' are not for \pkg{mlr3}.)
#'
#' The hyperparameters are the arguments of the function, and for `"classif.pwc"` those of its
#' learners, such as `cost` and `gamma`. They have the defaults of the function. `learners` and
#' other arguments that may be lists are untyped; to tune them, give the values in the parameter
#' set: `makeDiscreteParam("learners", c("lda", "nb"))`.
#'
#' Learners take the weights of a task if their argument `learners` takes them, and otherwise stop
#' with an error. `makeWeightedClassesWrapper()` sets `class.weights` of the
#' learner `"svm"` of `"classif.pwc"`. The classes of a task for `"classif.ordinal_hybrid"` must be
#' an ordered factor.
#'
#' A class without rows in a training set has the probability 0. For two classes,
#' `"classif.hybrid"` predicts with the threshold of [hybrid()] if `predict.type = "response"`, and
#' with that of \pkg{mlr}, 1/2 by default, if `predict.type = "prob"`.
#'
#' @seealso [caretModel()] and [parsnip engines][pwcstats_parsnip] for other frameworks.
#' @examplesIf pwcstats_available() && requireNamespace("mlr", quietly = TRUE)
#' learner <- mlr::makeLearner("classif.pwc", predict.type = "prob", learners = "lda")
#' task <- mlr::makeClassifTask(data = iris, target = "Species")
#' model <- mlr::train(learner, task)
#' predict(model, newdata = iris[c(1, 71, 120), ])
#' @name pwcstats_mlr
NULL

# A constructor asks for makeRLearnerClassif() by this name, because listLearners() puts another
# function of this name into its environment. mlr need not be attached.
makeRLearnerClassif <- function(...) { # nolint
  mlr::makeRLearnerClassif(...)
}

#' @exportS3Method mlr::makeRLearner
makeRLearner.classif.pwc <- function() { # nolint
  do.call(makeRLearnerClassif, mlr_learner("pwc", "Pairwise classifier"))
}

#' @exportS3Method mlr::makeRLearner
makeRLearner.classif.hybrid <- function() { # nolint
  do.call(makeRLearnerClassif, mlr_learner("hybrid", "Hybrid of SVM and logistic regression"))
}

#' @exportS3Method mlr::makeRLearner
makeRLearner.classif.ordinal_hybrid <- function() { # nolint
  do.call(
    makeRLearnerClassif,
    mlr_learner("ordinal_hybrid", "Hybrid of SVM and ordinal regression")
  )
}

mlr_learner <- function(name, title) {
  by_class <- name == "pwc"
  list(
    cl = paste0("classif.", name),
    package = "pwcstats",
    par.set = mlr_parameters(name),
    properties = c(
      "twoclass", "multiclass", "numerics", "factors", "ordered", "prob", "weights",
      if (by_class) "class.weights"
    ),
    name = title,
    short.name = name,
    note = sprintf("See ?pwcstats::%s.", name),
    class.weights.param = if (by_class) "class.weights"
  )
}

# Bounds of numbers; arguments that are not here may be lists, matrices or names.
mlr_numbers <- list(
  cost = c(0, Inf), gamma = c(0, Inf), tolerance = c(0, Inf), coef0 = c(-Inf, Inf),
  reg_param = c(0, 1), threshold = c(0, 1)
)

# Least values of whole numbers.
mlr_counts <- list(
  clusters = 1L, degree = 1L, selection_cv = 2L, calibration_cv = 2L, distance_cv = 2L,
  threshold_cv = 2L, seed = 0L, n_jobs = -1L, k = 1L, minsplit = 2L, minbucket = 1L, maxdepth = 1L
)

# Values besides numbers. mlr would ignore NULL.
mlr_special <- list(
  clusters = list("auto", "ratio"), distance_cv = list(NA), k = list("auto"),
  threshold = list("cv", "prevalence")
)

# Choices that are not the defaults of a classifier.
mlr_choices <- list(
  kernel = c("linear", "radial", "polynomial", "sigmoid"),
  temperature = list(auto = "auto", `TRUE` = TRUE, `FALSE` = FALSE)
)

mlr_parameters <- function(name) {
  defaults <- formals(name)
  make <- function(id) mlr_parameter(id, if (id %in% names(defaults)) eval(defaults[[id]]))
  ParamHelpers::makeParamSet(params = lapply(options_of(name), make))
}

mlr_parameter <- function(id, default) {
  # Weights of pairs may also be a matrix.
  several <- is.character(default) && length(default) > 1L && id != "pair_weights"
  choices <- if (several) default else mlr_choices[[id]]
  make <- if (!is.null(choices)) {
    list(ParamHelpers::makeDiscreteLearnerParam, values = choices)
  } else if (id %in% names(mlr_numbers)) {
    bounds <- mlr_numbers[[id]]
    list(ParamHelpers::makeNumericLearnerParam, lower = bounds[[1L]], upper = bounds[[2L]])
  } else if (id %in% names(mlr_counts)) {
    list(ParamHelpers::makeIntegerLearnerParam, lower = mlr_counts[[id]])
  } else if (is.logical(default)) {
    list(ParamHelpers::makeLogicalLearnerParam)
  } else {
    list(ParamHelpers::makeUntypedLearnerParam)
  }
  make$id <- id
  make$default <- default[1L]
  make$tunable <- !id %in% c("seed", "n_jobs")
  if (is.null(choices)) {
    make$special.vals <- mlr_special[[id]]
  }
  do.call(make[[1L]], make[-1L])
}

#' @exportS3Method mlr::trainLearner
trainLearner.classif.pwc <- function(.learner, .task, .subset, .weights = NULL, ...) { # nolint
  name <- sub("classif.", "", class(.learner)[[1L]], fixed = TRUE)
  data <- mlr::getTaskData(.task, .subset)
  fit_frame(name, data, mlr::getTaskTargetNames(.task), .weights, list(...))
}

#' @exportS3Method mlr::trainLearner
trainLearner.classif.hybrid <- trainLearner.classif.pwc # nolint

#' @exportS3Method mlr::trainLearner
trainLearner.classif.ordinal_hybrid <- trainLearner.classif.pwc # nolint

#' @exportS3Method mlr::predictLearner
predictLearner.classif.pwc <- function(.learner, .model, .newdata, ...) { # nolint
  fit <- .model$learner.model
  if (.learner$predict.type == "prob") {
    proba_of(fit, .newdata, .model$task.desc$class.levels)
  } else {
    predict(fit, .newdata, ...)
  }
}

#' @exportS3Method mlr::predictLearner
predictLearner.classif.hybrid <- predictLearner.classif.pwc # nolint

#' @exportS3Method mlr::predictLearner
predictLearner.classif.ordinal_hybrid <- predictLearner.classif.pwc # nolint
