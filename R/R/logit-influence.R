#' Influence of single rows on a Firth fit
#'
#' Hat values, standardised residuals, Cook's distances and one-step changes of the coefficients
#' when a row is left out. They equal those of a `glm()` fit with the same coefficients, as those of
#' `brglmFit()` in \pkg{brglm2} do: changes of the coefficients do not include the change of the
#' penalty.
#'
#' `dffits()`, `covratio()` and `influence.measures()` accept only fits by `lm()` and `glm()`.
#'
#' @param model A fit by [firth()].
#' @param ... As in [stats::influence.measures()]. `influence()` has the argument `do.coef`,
#'   `rstandard()` has `type`.
#' @return As for a `glm()` fit: a vector with one number for each row, a matrix with one column for
#'   each coefficient, or a list of these.
#' @examplesIf pwcstats_available()
#' fit <- firth(am ~ wt + hp, mtcars)
#' head(cbind(hat = hatvalues(fit), cook = cooks.distance(fit), rstandard = rstandard(fit)))
#' head(dfbeta(fit))
#' @name pwcstats_influence
NULL

#' @rdname pwcstats_influence
#' @importFrom stats hatvalues
#' @export
hatvalues.pwcstats_logit <- function(model, ...) {
  stats::hatvalues(as_glm(model, sys.call()), ...)
}

#' @rdname pwcstats_influence
#' @importFrom stats cooks.distance
#' @export
cooks.distance.pwcstats_logit <- function(model, ...) {
  stats::cooks.distance(as_glm(model, sys.call()), ...)
}

#' @rdname pwcstats_influence
#' @importFrom stats rstandard
#' @export
rstandard.pwcstats_logit <- function(model, ...) {
  stats::rstandard(as_glm(model, sys.call()), ...)
}

#' @rdname pwcstats_influence
#' @importFrom stats rstudent
#' @export
rstudent.pwcstats_logit <- function(model, ...) {
  stats::rstudent(as_glm(model, sys.call()), ...)
}

#' @rdname pwcstats_influence
#' @importFrom stats influence
#' @export
influence.pwcstats_logit <- function(model, ...) {
  stats::influence(as_glm(model, sys.call()), ...)
}

#' @rdname pwcstats_influence
#' @importFrom stats dfbeta
#' @export
dfbeta.pwcstats_logit <- function(model, ...) {
  stats::dfbeta(as_glm(model, sys.call()), ...)
}

#' @rdname pwcstats_influence
#' @importFrom stats dfbetas
#' @export
dfbetas.pwcstats_logit <- function(model, ...) {
  stats::dfbetas(as_glm(model, sys.call()), ...)
}

# What glm() would return if its iterations ended at our coefficients.
as_glm <- function(object, call) {
  if (!inherits(object, "pwcstats_firth")) {
    abort("the influence of rows is defined only for fits by firth().", call)
  }
  object <- without_aliased(object)
  plain <- object
  plain$na.action <- NULL
  x <- model.matrix.pwcstats_logit(object)
  working <- weights.pwcstats_logit(plain, "working")
  prior <- row_weights(plain)
  fit <- list(
    coefficients = object$coefficients,
    residuals = residuals.pwcstats_firth(plain, "working"),
    fitted.values = fitted.pwcstats_logit(plain),
    linear.predictors = predict.pwcstats_firth(plain),
    weights = working,
    prior.weights = prior,
    y = stats::setNames(trials_of(object)$share, rownames(x)),
    # As glm(), without rows of weight 0.
    qr = qr(x[prior > 0, , drop = FALSE] * sqrt(working[prior > 0])),
    rank = ncol(x),
    family = stats::binomial(),
    df.residual = object$df.residual
  )
  kept <- c("deviance", "na.action", "terms", "model", "xlevels", "contrasts", "call")
  structure(c(fit, object[kept]), class = c("glm", "lm"))
}
