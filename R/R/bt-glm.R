#' Bradley-Terry fits as generalised linear models
#'
#' A Bradley-Terry model without a tie parameter is a logistic regression whose regressors are
#' differences of the two sides. These methods return for fits by [bt()] what they return for
#' `glm()` and for `BTm()` of \pkg{BradleyTerry2}, for the rows of [model.frame()]. Rows may count
#' several comparisons, as in `glm()`; `cbind(wins1, wins2)` is then the response.
#'
#' With a tie parameter there are three outcomes, so these methods stop with an error. So do
#' leverages and what follows from them after random effects.
#'
#' After `cov_type = "HC0"` or `"cluster"` leverages still are those of the model. With
#' `method = "ridge"` and `"ghost"` they are those of the penalised fit, and their sum is the
#' effective number of parameters.
#'
#' @param object,model A fit by [bt()].
#' @param type Type of residuals that are standardised.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `model.matrix()` returns a matrix with a row for each comparison and a column for each
#'   coefficient. It multiplies the coefficients to give the links. `hatvalues()` returns leverages,
#'   `rstandard()` and `rstudent()` standardised residuals, `cooks.distance()` Cook's distances, as
#'   named vectors.
#' @seealso [residuals()][bt_residuals] for other residuals.
#' @examplesIf pwcstats_available()
#' fit <- bt(citations)
#' model.matrix(fit)
#' hatvalues(fit)
#' cooks.distance(fit)
#' @name bt_glm
NULL

#' @rdname bt_glm
#' @importFrom stats model.matrix
#' @export
model.matrix.pwcstats_bt <- function(object, ...) {
  call <- sys.call()
  refuse_unknown(...)
  refuse_three_outcomes(object, "model matrix", call)
  row_slopes(object, call)
}

#' @rdname bt_glm
#' @importFrom stats variable.names
#' @export
variable.names.pwcstats_abilities <- function(object, ...) { # nolint
  refuse_unknown(...)
  names(object$coefficients)
}

#' @rdname bt_glm
#' @importFrom stats case.names
#' @export
case.names.pwcstats_bt <- function(object, ...) { # nolint
  refuse_unknown(...)
  rownames(object$model)
}

# The derivatives of the links of the fit.
row_slopes <- function(object, call) {
  rows <- object$model
  players <- lapply(stats::setNames(nm = c("player1", "player2")), item_index, rows, object, call)
  comparison_slopes(object, players, rows, object$contest)
}

#' @rdname bt_glm
#' @importFrom stats hatvalues
#' @export
hatvalues.pwcstats_bt <- function(model, ...) {
  call <- sys.call()
  refuse_unknown(...)
  leverages(model, call)
}

leverages <- function(object, call) {
  refuse_three_outcomes(object, "leverages", call)
  refuse_random_effects(object, "leverages", "use residuals()", call)
  # The design matrix of many items and rows is large.
  object$vcov <- information_vcov(object, call)
  rows <- split(seq_len(nrow(object$model)), (seq_len(nrow(object$model)) - 1L) %/% 10000L)
  variance <- lapply(rows, function(i) {
    part <- object
    part$model <- object$model[i, , drop = FALSE]
    part$contest <- if (!is.null(object$contest)) object$contest[i, , drop = FALSE]
    slope <- row_slopes(part, call)
    quadratic_forms(slope, object$vcov, slope)
  })
  weights.pwcstats_bt(object, "working") * unlist(unname(variance))
}

#' @rdname bt_glm
#' @importFrom stats cooks.distance
#' @export
cooks.distance.pwcstats_bt <- function(model, ...) {
  call <- sys.call()
  refuse_unknown(...)
  cooks_distances(model, leverages(model, call))
}

cooks_distances <- function(object, hat) {
  (row_residuals(object, "pearson") / (1 - hat))^2 * hat / object$df
}

#' @rdname bt_glm
#' @importFrom stats rstandard
#' @export
rstandard.pwcstats_bt <- function(model, type = c("deviance", "pearson"), ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  row_residuals(model, type) / sqrt(1 - leverages(model, call))
}

#' @rdname bt_glm
#' @importFrom stats rstudent
#' @export
rstudent.pwcstats_bt <- function(model, ...) {
  call <- sys.call()
  refuse_unknown(...)
  hat <- leverages(model, call)
  deviance <- row_residuals(model, "deviance")
  sign(deviance) * sqrt(deviance^2 + hat * row_residuals(model, "pearson")^2 / (1 - hat))
}

# The covariance of the coefficients from the information, also after a robust one.
information_vcov <- function(object, call) {
  covariance <- vcov.pwcstats_abilities(object)
  if (object$cov_type == "nonrobust") {
    return(covariance)
  }
  fit <- thaw(object, call)
  found <- call_bridge(python$bridge$information_covariance, list(fit), list(), call)
  with_dimnames(matrix_from_py(found), rownames(covariance), colnames(covariance))
}

refuse_three_outcomes <- function(object, what, call) {
  if (has_tie_parameter(object)) {
    abort(sprintf("a fit with a tie parameter has three outcomes, so it has no %s.", what), call)
  }
}

refuse_random_effects <- function(object, what, instead, call) {
  if (inherits(object, "pwcstats_bt_mixed")) {
    abort(sprintf("%s cannot be computed for a fit with random effects; %s.", what, instead), call)
  }
}
