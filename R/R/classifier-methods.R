#' Methods for all classifiers
#'
#' Methods for fits by [pwc()], [hybrid()] and [ordinal_hybrid()]. [update()] works as with other
#' models. There are further methods for [pwc()] fits [here][pwcstats_pwc], and for hybrids
#' [here][pwcstats_machines].
#'
#' A classifier has no likelihood, no residuals and no linear predictor. [residuals()], [logLik()],
#' [deviance()], [anova()], [step()], [simulate()] and other functions that need one stop with an
#' error that says what to use instead. The integrator of a hybrid has a
#' [log-likelihood][pwcstats_machines].
#'
#' @param object,x,formula A fit by [pwc()], [hybrid()] or [ordinal_hybrid()].
#' @param type Type of weights; there are only prior weights.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `nobs()` returns the number of rows, `fitted()` the probabilities of the rows of the fit,
#'   `weights()` the weights of the rows, `formula()` and `terms()` the formula, `model.frame()` the
#'   variables of the rows, `case.names()` their names, and `variable.names()` the names of the
#'   columns that the learners use. `model.matrix()` returns the columns before they are scaled:
#'   those of the formula with the intercept, which the learners do not use, or after `x` and `y`
#'   those of `x`.
#' @seealso [predict()][predict.pwcstats_pwc] after [pwc()], [predict()][predict.pwcstats_machines]
#'   after hybrids.
#' @examplesIf pwcstats_available()
#' fit <- pwc(Species ~ Petal.Length + Petal.Width, iris, "lda")
#' nobs(fit)
#' head(fitted(fit))
#' head(model.matrix(fit))
#' variable.names(fit)
#' @name pwcstats_classifier
NULL

#' @rdname pwcstats_classifier
#' @export
nobs.pwcstats_classifier <- function(object, ...) {
  # drop1() and step() pass use.fallback.
  refuse_unknown(..., .also = "use.fallback")
  object$nobs
}

#' @rdname pwcstats_classifier
#' @importFrom stats fitted
#' @export
fitted.pwcstats_classifier <- function(object, ...) {
  refuse_unknown(...)
  predict(object, type = "prob")
}

#' @rdname pwcstats_classifier
#' @importFrom stats formula
#' @export
formula.pwcstats_classifier <- function(x, ...) {
  # as.formula() passes env.
  refuse_unknown(..., .also = "env")
  stats::formula(terms_of(x, sys.call()))
}

#' @rdname pwcstats_classifier
#' @importFrom stats terms
#' @export
terms.pwcstats_classifier <- function(x, ...) {
  refuse_unknown(...)
  terms_of(x, sys.call())
}

terms_of <- function(x, call) {
  refuse_without_rows(x, call)
  if (is.null(x$terms)) {
    abort("the fit was made from x and y, so it has no formula.", call)
  }
  x$terms
}

#' @rdname pwcstats_classifier
#' @importFrom stats model.frame
#' @export
model.frame.pwcstats_classifier <- function(formula, ...) { # nolint
  refuse_unknown(...)
  refuse_without_rows(formula, sys.call())
  formula$model
}

#' @rdname pwcstats_classifier
#' @export
model.matrix.pwcstats_classifier <- function(object, ...) { # nolint
  refuse_unknown(...)
  refuse_without_rows(object, sys.call())
  if (is.null(object$terms)) {
    columns_of_fit(object)
  } else {
    design_of(object$terms, object$model, object$contrasts, sys.call())
  }
}

#' @rdname pwcstats_classifier
#' @importFrom stats weights
#' @export
weights.pwcstats_classifier <- function(object, type = "prior", ...) { # nolint
  refuse_unknown(...)
  check_choice(type, sys.call())
  refuse_without_rows(object, sys.call())
  row_weights(object)
}

#' @rdname pwcstats_classifier
#' @importFrom stats case.names
#' @export
case.names.pwcstats_classifier <- function(object, ...) { # nolint
  refuse_unknown(...)
  refuse_without_rows(object, sys.call())
  rownames(object$model)
}

#' @export
update.pwcstats_classifier <- function(object, ...) { # nolint
  refuse_without_rows(object, sys.call())
  NextMethod()
}

# A classifier from Python has no rows of its own.
refuse_without_rows <- function(object, call) {
  if (is.null(object$model)) {
    abort(
      paste(
        "a classifier from Python does not keep the rows of the fit;",
        "give newdata to predict(), or fit it in R."
      ),
      call
    )
  }
}

#' @rdname pwcstats_classifier
#' @importFrom stats variable.names
#' @export
variable.names.pwcstats_classifier <- function(object, ...) { # nolint
  refuse_unknown(...)
  names(object$center)
}

# The default method would refit the classifier without columns.
#' @exportS3Method lmtest::lrtest
lrtest.pwcstats_classifier <- function(object, ...) { # nolint
  abort(
    "classifiers are not nested; compare_methods() compares them by their scores on test data.",
    sys.call()
  )
}
