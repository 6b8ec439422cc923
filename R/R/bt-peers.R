#' Bradley-Terry fits in qvcalc and BradleyTerry2
#'
#' `qvcalc()` of package \pkg{qvcalc} computes quasi-variances of the abilities of a fit by [bt()],
#' as it does for `BTabilities()` of \pkg{BradleyTerry2}. [quasi_variances()] has the same numbers
#' without this package.
#'
#' In version 1.1-2 of \pkg{BradleyTerry2}, `BTabilities()` is not generic, and accepts only fits by
#' `BTm()`. [abilities()] returns the same matrix. If `BTabilities()` is generic in a later version,
#' it accepts fits by [bt()], too.
#'
#' @param object,model A fit by [bt()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `qvcalc()` returns an object of class `qv`, with `print()`, `summary()` and `plot()` in
#'   \pkg{qvcalc}. `BTabilities()` returns a matrix of class `BTabilities`, whose attribute `vcov`
#'   is the covariance matrix of the abilities.
#' @examplesIf pwcstats_available() && requireNamespace("qvcalc", quietly = TRUE)
#' library(qvcalc)
#' fit <- bt(citations)
#' qvcalc(fit)
#' plot(qvcalc(fit))
#' @name qvcalc.pwcstats_bt
NULL

#' @rdname qvcalc.pwcstats_bt
#' @exportS3Method qvcalc::qvcalc
qvcalc.pwcstats_abilities <- function(object, ...) { # nolint
  refuse_unknown(...)
  # The default method has no further arguments for this class.
  qvcalc::qvcalc(
    ability_vcov(object, sys.call()),
    factorname = "player", estimates = object$abilities[, "ability"], modelcall = object$call
  )
}

#' @rdname qvcalc.pwcstats_bt
#' @exportS3Method BradleyTerry2::BTabilities
BTabilities.pwcstats_abilities <- function(model, ...) { # nolint
  refuse_unknown(...)
  structure(
    model$abilities,
    vcov = ability_vcov(model, sys.call()), modelcall = model$call, factorname = "player",
    class = c("BTabilities", "matrix")
  )
}

# Covariance of the abilities of all items.
ability_vcov <- function(object, call) {
  if (is.null(object$vcov)) {
    abort("the fit has no covariance matrix; fit with cov = 'full'.", call)
  }
  if (inherits(object, "pwcstats_bt_mixed")) {
    covariance <- matrix_from_py(python$bridge$ability_covariance(thaw(object, call)))
    return(with_dimnames(covariance, object$items, object$items))
  }
  map <- ability_map(object)
  map %*% object$vcov %*% t(map)
}

# The matrix that multiplies the coefficients to give the abilities.
ability_map <- function(object) {
  terms <- names(object$coefficients)
  if (is.null(object$item_matrix)) {
    return(outer(object$items, terms, "==") + with_dimnames(
      matrix(0, length(object$items), length(terms)), object$items, terms
    ))
  }
  # Abilities sum to 0.
  z <- scale(object$item_matrix, scale = FALSE)
  map <- matrix(0, nrow(z), length(terms), dimnames = list(object$items, terms))
  # Infinite abilities are not among the coefficients.
  known <- intersect(colnames(z), terms)
  map[, known] <- z[, known]
  map
}
