#' Continuation-ratio logits for ordered classes
#'
#' Fits a chain of binary decisions, each with its own intercept and slopes: backward, from the top,
#' \eqn{\mathrm{logit}\, P(Y = j \mid Y \le j) = \alpha_j + x^\top \beta_j}{logit P(Y = j | Y <= j)
#' = alpha[j] + x'beta[j]} for all classes j but the lowest; forward, from the bottom,
#' \eqn{\mathrm{logit}\, P(Y = j \mid Y \ge j) = \alpha_j + x^\top \beta_j}{logit P(Y = j | Y >= j)
#' = alpha[j] + x'beta[j]} for all but the highest.
#'
#' The likelihood is the product of the binary likelihoods of the stages. Separate slopes therefore
#' have the estimates and standard errors of separate logistic regressions. In \pkg{VGAM}, forward
#' is `sratio(reverse = FALSE)` and backward is `sratio(reverse = TRUE)`, with numbers instead of
#' names for the stages. Its standard errors differ slightly, because it uses the expected number of
#' rows that reach a stage, while `glm()` and this function use the observed number. Its `cratio()`
#' models the complements, so all signs are reversed.
#'
#' If a stage is separated, maximum likelihood estimates are infinite. A warning names the columns,
#' the estimates are `Inf` or `-Inf` (`NaN` if the sign is not determined), their standard errors
#' are `Inf`, and predictions are the limits. `penalty = "firth"` gives finite estimates.
#'
#' @section Function of the same name:
#' \pkg{VGAM} also has a function `cratio()`. If \pkg{pwcstats} is attached after \pkg{VGAM}, calls
#' without a formula, as in `vglm(y ~ x, family = cratio(parallel = TRUE))`, are passed on to it. If
#' \pkg{VGAM} is attached last, write `pwcstats::cratio()`.
#'
#' @inheritParams firth
#' @param formula Model formula. The response is an ordered factor or numeric; with two classes it
#'   may be any factor. The model always has an intercept.
#' @param direction Backward or forward, see above. They are different models.
#' @param penalty Maximum likelihood, or Jeffreys' penalty as in [firth()].
#' @param parallel Use the same slopes for all stages?
#' @param ... Must be empty, except in calls that are meant for \pkg{VGAM}.
#' @return A list of class `pwcstats_cratio`. It has the usual [methods][pwcstats_logit] of a model,
#'   and [predict()][predict.pwcstats_cratio]. Its elements are
#'   \item{coefficients, vcov, se}{Estimates with names such as `"(Intercept):class"` and
#'     `"term:class"` (`"term"` for parallel slopes), in the order of \pkg{VGAM}; their covariance
#'     and standard errors.}
#'   \item{loglik, penalized_loglik}{Log-likelihood, which AIC and BIC use, and the penalised
#'     log-likelihood.}
#'   \item{deviance, df.residual, df, nobs}{Minus twice the log-likelihood; residual degrees of
#'     freedom; number of coefficients; number of rows, or the sum of their weights.}
#'   \item{classes, stages}{The classes in their order, and the class of each stage.}
#'   \item{direction, penalty, parallel}{The options of the call.}
#'   \item{separated}{Whether some estimates are infinite because a stage is separated.}
#'   \item{converged, iter, reason, call, terms, model, xlevels, contrasts, na.action, python}{As in
#'     [firth()].}
#' @seealso [ordered_logit()] for proportional odds, [adjacent_categories()] for each class against
#'   the class below it, [firth_multinom()] for unordered classes.
#' @references
#' Cole, S. R. and Ananth, C. V. (2001) Regression models for unconstrained, partially or fully
#' constrained continuation odds ratios. *International Journal of Epidemiology* **30**,
#' 1379--1382. \doi{10.1093/ije/30.6.1379}
#' @examplesIf pwcstats_available()
#' air <- transform(
#'   airquality,
#'   ozone = cut(Ozone, c(0, 20, 50, 200), c("low", "middle", "high"), ordered_result = TRUE)
#' )
#' fit <- cratio(ozone ~ Temp + Wind, air)
#' fit
#' common <- update(fit, parallel = TRUE)
#' anova(common, fit)
#' predict(common, data.frame(Temp = c(60, 95), Wind = 8), type = "prob")
#' @examplesIf pwcstats_available() && requireNamespace("MASS", quietly = TRUE)
#'
#' # Counts as weights.
#' cratio(Sat ~ Infl + Cont, MASS::housing, weights = Freq)
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
  call <- full_call()
  other <- other_function("cratio", missing(formula), call)
  if (!is.null(other)) {
    return(call_other(other, call, parent.frame()))
  }
  refuse_unknown(...)
  asked <- match.call()
  direction <- first_choice(direction)
  penalty <- check_choice(penalty, call)
  check_flag(parallel, "parallel", call)
  input <- formula_input(asked, parent.frame(), contrasts, call, intercept = TRUE)
  refuse_offset(input, call)
  used <- input$used
  y <- read_ordered(input$y, used, call)

  load_python(call)
  # The intercept is included: otherwise Python would use another constant column as intercept.
  model <- call_python(
    "ContinuationRatio",
    list(codes_to_py(y$code, y$labels, ordered = TRUE), design_to_py(input$x, used)),
    list(
      direction = direction,
      penalty = option_to_py(penalty),
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
  staged_fit("pwcstats_cratio", results, input, asked, options)
}

# A fit from Python's results whose model has coefficients for each of some stages.
staged_fit <- function(class, results, input, asked, options) {
  stages <- options$stages
  names <- stage_names(stages, colnames(input$x), options$parallel)
  order <- stage_order(length(stages), ncol(input$x), options$parallel)
  found <- logit_from_py(
    results,
    coefficients = stats::setNames(vector_from_py(results$params)[order], names),
    vcov = with_dimnames(
      matrix_from_py(results$cov_params())[order, order, drop = FALSE], names, names
    ),
    nobs = sum(input$weights)
  )
  found$separated <- from_py(results$separated)
  logit_fit(class, found, input, asked, options)
}

stage_names <- function(stages, columns, parallel) {
  join <- function(stage, column) paste0(column, ":", stage)
  own <- if (parallel) columns[[1L]] else columns
  c(as.vector(outer(stages, own, join)), if (parallel) columns[-1L])
}

# Coefficients are ordered by stage in Python and by term in R.
stage_order <- function(n_stages, n_columns, parallel) {
  if (parallel) {
    return(seq_len(n_stages + n_columns - 1L))
  }
  as.vector(matrix(seq_len(n_stages * n_columns), n_stages, byrow = TRUE))
}
