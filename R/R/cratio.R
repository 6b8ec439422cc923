#' Continuation-ratio logits for ordered classes
#'
#' A chain of binary decisions, each with its own intercept and slopes: backward, from the top,
#' \eqn{\mathrm{logit}\, P(Y = j \mid Y \le j) = \alpha_j + x^\top \beta_j}{logit P(Y = j | Y <= j)
#' = alpha[j] + x'beta[j]} for all classes j but the lowest; forward, from the bottom,
#' \eqn{\mathrm{logit}\, P(Y = j \mid Y \ge j) = \alpha_j + x^\top \beta_j}{logit P(Y = j | Y >= j)
#' = alpha[j] + x'beta[j]} for all but the highest.
#'
#' The likelihood is the product of the stages' binary likelihoods, so that separate slopes are
#' those of separate logistic regressions, standard errors included. In \pkg{VGAM}, forward is
#' `sratio(reverse = FALSE)` and backward `sratio(reverse = TRUE)`, with numbers of the stages in
#' place of names; its standard errors are slightly different ones, since it expects how many reach
#' a stage where `glm()` and this function count. Its `cratio()` has the complements, so that all
#' signs turn.
#'
#' Where a stage is separated, maximum likelihood estimates are infinite. A warning names the
#' columns, the estimates are `Inf` or `-Inf` (`NaN` where the sign is open), their standard errors
#' `Inf`, and predictions are those of the limit. `penalty = "firth"` has finite estimates.
#'
#' @section Function of the same name:
#' \pkg{VGAM} has a `cratio()`, too. If \pkg{pwcstats} is attached after \pkg{VGAM}, calls without a
#' formula, as in `vglm(y ~ x, family = cratio(parallel = TRUE))`, are passed on to it. If
#' \pkg{VGAM} is attached last, write `pwcstats::cratio()` for this one.
#'
#' @inheritParams firth
#' @param formula Model formula. The response is an ordered factor, or numbers; with two classes
#'   also another factor. There is always an intercept.
#' @param direction See above. They are different models.
#' @param penalty Maximum likelihood, or Jeffreys' penalty, as of [firth()].
#' @param parallel One vector of slopes for all stages instead of one for each?
#' @param ... Must be empty, except in calls of \pkg{VGAM}'s function.
#' @return A list of class `pwcstats_cratio`, for which there are the [methods][pwcstats_logit] that
#'   R users expect of a model, and [predict()][predict.pwcstats_cratio]. It has the elements
#'   \item{coefficients, vcov, se}{Estimates with names such as `"(Intercept):class"` and
#'     `"term:class"` (`"term"` for parallel slopes), in the order that \pkg{VGAM} has; their
#'     covariance and standard errors.}
#'   \item{loglik, penalized_loglik}{Log-likelihood, which AIC and BIC use, and that with the
#'     penalty where there is one.}
#'   \item{deviance, df.residual, df, nobs}{Twice the log-likelihood, negated; degrees of freedom;
#'     number of coefficients; and of rows, or the sum of their weights.}
#'   \item{classes, stages}{The classes in their order, and those that the stages are about.}
#'   \item{direction, penalty, parallel}{What was asked.}
#'   \item{converged, iter, reason, call, terms, model, xlevels, contrasts, na.action, python}{As in
#'     [firth()].}
#' @seealso [firth_multinom()] for classes without an order.
#' @references
#' Cole, S. R. and Ananth, C. V. (2001) Regression models for unconstrained, partially or fully
#' constrained continuation odds ratios. *International Journal of Epidemiology* **30**,
#' 1379--1382. \doi{10.1093/ije/30.6.1379}
#' @examplesIf pwcstats_available() && requireNamespace("MASS", quietly = TRUE)
#' fit <- cratio(Sat ~ Infl + Cont, MASS::housing, weights = Freq)
#' fit
#' common <- update(fit, parallel = TRUE)
#' anova(common, fit)
#' predict(common, data.frame(Infl = "High", Cont = c("Low", "High")), type = "prob")
#' @export
cratio <- function(formula,
                   data,
                   weights,
                   subset,
                   na.action, # nolint
                   contrasts = NULL,
                   direction = c("backward", "forward"),
                   penalty = c("none", "firth"),
                   parallel = FALSE,
                   maxit = 200,
                   ...) {
  call <- sys.call()
  other <- other_function("cratio", missing(formula), call)
  if (!is.null(other)) {
    return(call_other(other, call, parent.frame()))
  }
  refuse_unknown(...)
  asked <- match.call()
  direction <- check_choice(direction, c("backward", "forward"), "direction", call)
  penalty <- check_choice(penalty, c("none", "firth"), "penalty", call)
  check_flag(parallel, "parallel", call)
  check_count(maxit, "maxit", call)
  input <- formula_input(asked, parent.frame(), contrasts, call, intercept = TRUE)
  refuse_offset(input, call)
  used <- input$used
  y <- read_ordered(input$y, used, call)

  load_python(call)
  # With the intercept, which Python takes for its own: else it would take another constant column.
  model <- call_python(
    "ContinuationRatio",
    list(codes_to_py(y$code, y$labels, ordered = TRUE), design_to_py(input$x, used)),
    list(
      direction = direction,
      penalty = if (penalty != "none") penalty,
      parallel = parallel,
      freq_weights = row_weights_to_py(input$weights[used])
    ),
    call
  )
  results <- call_bridge(model$fit, list(), list(maxiter = count_to_py(maxit)), call)
  stages <- if (direction == "backward") y$labels[-1L] else y$labels[-length(y$labels)]
  options <- list(
    direction = direction, penalty = penalty, parallel = parallel,
    classes = y$classes, stages = stages
  )
  names <- stage_names(stages, colnames(input$x), parallel)
  order <- stage_order(length(stages), ncol(input$x), parallel)
  found <- logit_from_py(
    results,
    coefficients = stats::setNames(as.vector(array_from_py(results$params))[order], names),
    vcov = with_dimnames(
      matrix_from_py(results$cov_params())[order, order, drop = FALSE], names, names
    ),
    nobs = sum(input$weights)
  )
  logit_fit("pwcstats_cratio", found, input, asked, options)
}

stage_names <- function(stages, columns, parallel) {
  join <- function(stage, column) paste0(column, ":", stage)
  own <- if (parallel) columns[[1L]] else columns
  c(as.vector(outer(stages, own, join)), if (parallel) columns[-1L])
}

# Python goes stage by stage, R term by term.
stage_order <- function(n_stages, n_columns, parallel) {
  if (parallel) {
    return(seq_len(n_stages + n_columns - 1L))
  }
  as.vector(matrix(seq_len(n_stages * n_columns), n_stages, byrow = TRUE))
}
