# Models of several classes as equations: how coefficients give linear predictors, and these give
# probabilities. emmeans and effects need both for the delta method.

# n            number of equations
# design       function from a design matrix to the one of all equations, one below the other, whose
#              columns are in the order of the coefficients
# from_logits  function from a vector of linear predictors to the probabilities of the classes
#              (`value`) and their derivatives (`slope`)
# offset       factor of the offset in the linear predictors; NULL if the model has none
equations <- function(object) {
  UseMethod("equations")
}

equations.pwcstats_firth_multinom <- function(object) {
  n <- nrow(object$coefficients)
  list(
    n = n,
    design = function(x) kronecker(diag(n), x),
    from_logits = softmax_from_logits
  )
}

equations.pwcstats_cratio <- function(object) {
  if (!all(is.finite(object$se))) {
    abort(
      paste(
        "standard errors of probabilities need finite estimates, but a stage is separated;",
        "fit with penalty = 'firth'."
      ),
      NULL
    )
  }
  n <- length(object$stages)
  list(
    n = n,
    design = function(x) stage_design(x, n, object$parallel),
    from_logits = classes_from_stages(n, object$direction)
  )
}

equations.pwcstats_ordered_logit <- function(object) {
  refuse_infinite_estimates(object, "a standard error of probabilities", NULL)
  n <- length(object$zeta)
  list(
    n = n,
    design = function(x) do.call(rbind, link_designs(object, x)),
    from_logits = classes_from_cumulative,
    offset = -1
  )
}

stage_design <- function(x, n, parallel) {
  one <- function(stage) {
    unit <- as.double(seq_len(n) == stage)
    if (parallel) {
      cbind(kronecker(x[, 1L], t(unit)), x[, -1L, drop = FALSE])
    } else {
      # Coefficients are ordered by term.
      kronecker(x, t(unit))
    }
  }
  do.call(rbind, lapply(seq_len(n), one))
}

softmax_from_logits <- function(logits) {
  logits <- c(0, logits)
  odds <- exp(logits - max(logits))
  p <- odds / sum(odds)
  list(value = p, slope = (diag(p) - outer(p, p))[, -1L, drop = FALSE])
}

# A class ends the chain at its own stage, after it has passed the stages before.
classes_from_stages <- function(n, direction) {
  class <- seq_len(n + 1L)
  stage <- if (direction == "backward") seq_len(n) + 1L else seq_len(n)
  ends <- outer(class, stage, "==")
  passes <- outer(class, stage, if (direction == "backward") "<" else ">")
  function(logits) {
    log_yes <- stats::plogis(logits, log.p = TRUE)
    log_no <- stats::plogis(-logits, log.p = TRUE)
    p <- drop(exp(ends %*% log_yes + passes %*% log_no))
    reaches <- ends + passes
    list(value = p, slope = p * (ends - reaches * rep(exp(log_yes), each = n + 1L)))
  }
}

classes_from_cumulative <- function(logits) {
  upper <- c(logits, Inf)
  lower <- c(-Inf, logits)
  n <- length(logits)
  list(
    # F(upper) - F(lower), precise in the tails.
    value = stats::plogis(upper) * stats::plogis(-lower) * -expm1(lower - upper),
    slope = (diag(n + 1L)[, seq_len(n)] - diag(n + 1L)[, -1L]) *
      rep(stats::dlogis(logits), each = n + 1L)
  )
}

stages_from_logits <- function(logits) {
  list(value = stats::plogis(logits), slope = diag(stats::dlogis(logits), length(logits)))
}

# Values and derivatives with respect to the coefficients of one row; `x` has a row for each
# equation.
from_coefficients <- function(x, coefficients, from_logits, offset = 0) {
  part <- from_logits(drop(x %*% coefficients) + offset)
  list(value = part$value, slope = part$slope %*% x)
}
