#' Classifiers for caret
#'
#' Describes [pwc()], [hybrid()] or [ordinal_hybrid()] to `train()` of \pkg{caret}, which tunes them
#' and estimates their accuracy: `train(y ~ ., data, method = caretModel("pwc"))`.
#'
#' The tuning parameters are arguments of the learner:
#' \tabular{ll}{
#'   `"svm"` \tab `cost`; with `kernel = "radial"`, `"polynomial"` or `"sigmoid"` also
#'     `gamma`, with `"polynomial"` also `degree` \cr
#'   `"qda"` \tab `reg_param` \cr
#'   `"knn"` \tab `k` \cr
#'   `"logistic"` \tab `cost` \cr
#'   `"tree"` \tab `minbucket`
#' }
#' An argument that is given in `...` is fixed and not tuned. Other learners, and several candidates
#' for each pair, have no tuning parameter. Hybrids tune only `"svm"`, which is linear by default,
#' and `"logistic"`.
#'
#' With `tuneLength = 1`, \pkg{caret} fits the defaults of the learner. Larger values add values
#' around them: powers of 4 for `cost` and `gamma`. `trainControl(search = "random")` draws values
#' from a wide range.
#'
#' Class probabilities have one column for each class, in the order of the levels. For two classes,
#' [hybrid()] predicts the class with a threshold, which need not be 1/2. The argument `weights` of
#' `train()` works with learners that take weights.
#' `ordinal_hybrid` needs an ordered factor.
#'
#' `train()` can run in parallel. Prefer a cluster of new R sessions (`makePSOCKcluster()`), each of
#' which starts its own Python, to forked sessions (`doMC`, `makeForkCluster()`), which share a
#' running Python and may hang. Folds are seeded by `seed`, so results do not depend on the number
#' of sessions; R learners with random numbers need `seeds` of `trainControl()`.
#'
#' @param name Name of the function that is fitted.
#' @param ... Arguments of that function, such as `learners` and `coupling` of [pwc()]. They can
#'   also be given to `train()`.
#' @return A list for the argument `method` of `train()`.
#' @seealso [mlr learners][pwcstats_mlr] and [parsnip engines][pwcstats_parsnip] for other
#'   frameworks.
#' @examplesIf pwcstats_available() && requireNamespace("caret", quietly = TRUE)
#' set.seed(1)
#' tuned <- caret::train(
#'   Species ~ ., iris,
#'   method = caretModel("pwc", coupling = "ht"), tuneLength = 2, metric = "logLoss",
#'   trControl = caret::trainControl("cv", 3, classProbs = TRUE, summaryFunction = caret::mnLogLoss)
#' )
#' tuned
#' predict(tuned, iris[c(1, 71, 120), ], type = "prob")
#'
#' # Another learner.
#' caret::train(
#'   Species ~ ., iris,
#'   method = caretModel("pwc", learners = "knn"), trControl = caret::trainControl("cv", 3)
#' )
#' @export
caretModel <- function(name = c("pwc", "hybrid", "ordinal_hybrid"), ...) { # nolint
  call <- full_call()
  name <- check_choice(name, call)
  fixed <- list(...)
  check_options(name, fixed, call)
  if (!is.null(fixed$learners)) {
    read_learners(fixed$learners, list(), call)
  }
  tuned <- tuning[setdiff(tuned_by(name, fixed), names(fixed))]
  # caret needs at least one parameter.
  parameters <- if (length(tuned)) names(tuned) else "parameter"
  list(
    label = sprintf("%s() of pwcstats", name),
    library = "pwcstats",
    type = "Classification",
    parameters = data.frame(
      parameter = parameters,
      class = if (length(tuned)) "numeric" else "character",
      label = if (length(tuned)) vapply(tuned, function(one) one$label, "") else "none",
      row.names = NULL
    ),
    grid = function(x, y, len = NULL, search = "grid") tuning_grid(tuned, x, len, search),
    loop = NULL,
    fit = function(x, y, wts, param, lev, last, classProbs, ...) { # nolint
      call <- sys.call()
      check_options(name, list(...), call)
      options <- c(fixed, list(...), as.list(param)[names(tuned)])
      twice <- names(options)[duplicated(names(options))]
      if (length(twice)) {
        abort(
          sprintf("'%s' is given twice; give tuning parameters to caretModel().", twice[[1L]]), call
        )
      }
      data <- as.data.frame(x)
      data$.outcome <- y
      fit_frame(name, data, ".outcome", wts, options)
    },
    predict = function(modelFit, newdata, submodels = NULL) { # nolint
      predict(modelFit, as.data.frame(newdata))
    },
    prob = function(modelFit, newdata, submodels = NULL) { # nolint
      as.data.frame(proba_of(modelFit, as.data.frame(newdata), modelFit$obsLevels))
    },
    predictors = function(x, ...) all.vars(stats::delete.response(stats::terms(x))),
    levels = function(x) as.character(x$classes),
    # The simplest first.
    sort = function(x) x[do.call(order, unname(x[parameters])), , drop = FALSE],
    tags = c(
      if (name == "pwc") "Pairwise Coupling",
      "Accepts Case Weights",
      "Support Vector Machines", "Kernel Method"
    )
  )
}

# Tuning parameters: values around the default, the first of them if there is one value, and random
# values. `p` is the number of columns.
tuning <- list(
  cost = list(
    label = "Cost",
    values = function(len, p) 4^around(len),
    draw = function(n, p) 2^stats::runif(n, -5, 10)
  ),
  gamma = list(
    label = "Gamma",
    values = function(len, p) 4^around(len) / p,
    draw = function(n, p) 2^stats::runif(n, -5, 5) / p
  ),
  degree = list(
    label = "Degree",
    values = function(len, p) utils::head(3:1, len),
    draw = function(n, p) sample(3L, n, replace = TRUE)
  ),
  reg_param = list(
    label = "Shrinkage",
    values = function(len, p) (seq_len(len) - 1) / len,
    draw = function(n, p) stats::runif(n)
  ),
  k = list(
    label = "Neighbours",
    values = function(len, p) 3L + 2L * seq_len(len),
    draw = function(n, p) sample(30L, n, replace = TRUE)
  ),
  minbucket = list(
    label = "Smallest leaf",
    values = function(len, p) unique(pmax(1, round(7 * 2^around(len)))),
    draw = function(n, p) sample(30L, n, replace = TRUE)
  )
)

around <- function(len) {
  seq_len(len) - (len + 1L) %/% 2L
}

tuned_by_kernel <- list(
  linear = "cost",
  radial = c("cost", "gamma"),
  polynomial = c("cost", "gamma", "degree"),
  sigmoid = c("cost", "gamma")
)

tuned_by_learner <- list(
  svm = tuned_by_kernel, qda = "reg_param", knn = "k", logistic = "cost", tree = "minbucket"
)

# Names of the tuning parameters: hybrids have only those that are their own arguments.
tuned_by <- function(name, fixed) {
  learner <- first_of(fixed$learners, eval(formals(name)$learners))
  if (!is.character(learner) || length(learner) != 1L) {
    return(character())
  }
  tuned <- tuned_by_learner[[learner]]
  if (is.list(tuned)) {
    kernel <- first_of(fixed$kernel, if (name == "pwc") "radial" else "linear")
    tuned <- tuned[[kernel]]
  }
  as.character(intersect(tuned, options_of(name)))
}

tuning_grid <- function(tuned, x, len, search) {
  if (!length(tuned)) {
    return(data.frame(parameter = "none"))
  }
  p <- ncol(stats::model.matrix(~., as.data.frame(x))) - 1L
  if (search == "random") {
    as.data.frame(lapply(tuned, function(one) one$draw(len, p)))
  } else {
    expand.grid(lapply(tuned, function(one) one$values(len, p)))
  }
}
