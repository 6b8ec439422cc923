#' Adjacent-category logits for ordered classes
#'
#' Fits the log odds of each class against the class below it, \eqn{\log\{P(Y = j) / P(Y = j - 1)\}
#' = \alpha_j + x^\top \beta_j}{log P(Y = j) / P(Y = j - 1) = alpha[j] + x'beta[j]} for all classes
#' j but the lowest, by maximum likelihood or with Jeffreys' penalty. These are the steps of the
#' model, named by their upper class. With `parallel = TRUE`, all steps have the same slopes. A
#' positive slope makes high classes more likely.
#'
#' With separate slopes this is the multinomial logit of [firth_multinom()] with other parameters.
#' In \pkg{VGAM}, the model is `acat()`, with numbers instead of names for the steps. `bracl()` of
#' \pkg{brglm2} has the opposite signs; its default is the penalised fit.
#'
#' If the data are separated, maximum likelihood estimates are infinite. A warning names the
#' coefficients, the estimates are `Inf` or `-Inf` (`NaN` if the sign is not determined), their
#' standard errors are `Inf`, and predictions are the limits. `penalty = "firth"` gives finite
#' estimates: it maximises the log-likelihood plus half the log determinant of the information of
#' the coefficients. This removes the first-order bias, as in `bracl()`.
#'
#' @inheritParams firth
#' @param formula Model formula. The response is an ordered factor or numeric; with two classes it
#'   may be any factor. The model always has an intercept for each step. An offset is added to the
#'   log odds of each step.
#' @param penalty Maximum likelihood, or Jeffreys' penalty.
#' @param parallel Use the same slopes for all steps?
#' @return A list of class `pwcstats_adjacent`. It has the usual [methods][pwcstats_logit] of a
#'   model, and [predict()][predict.pwcstats_adjacent]. Its elements are
#'   \item{coefficients, vcov, se}{Estimates with names such as `"(Intercept):class"` and
#'     `"term:class"` (`"term"` for parallel slopes), in the order of \pkg{VGAM}; their covariance
#'     and standard errors.}
#'   \item{loglik, penalized_loglik}{Log-likelihood, which AIC and BIC use, and the penalised
#'     log-likelihood.}
#'   \item{deviance, df.residual, df, nobs}{Minus twice the log-likelihood; residual degrees of
#'     freedom; number of coefficients; number of rows, or the sum of their weights.}
#'   \item{classes, stages}{The classes in their order, and the upper class of each step.}
#'   \item{penalty, parallel}{The options of the call.}
#'   \item{separated}{Whether some estimates are infinite because the data are separated.}
#'   \item{converged, iter, reason, call, terms, model, xlevels, contrasts, na.action, python}{As in
#'     [firth()].}
#' @seealso [ordered_logit()] for proportional odds, [cratio()] for continuation ratios,
#'   [firth_multinom()] for unordered classes.
#' @references
#' Agresti, A. (2010) *Analysis of Ordinal Categorical Data*, 2nd edition. Wiley.
#' \doi{10.1002/9780470594001}
#'
#' Firth, D. (1993) Bias reduction of maximum likelihood estimates. *Biometrika* **80**, 27--38.
#' \doi{10.1093/biomet/80.1.27}
#' @examplesIf pwcstats_available()
#' air <- transform(
#'   airquality,
#'   ozone = cut(Ozone, c(0, 20, 50, 200), c("low", "middle", "high"), ordered_result = TRUE)
#' )
#' fit <- adjacent_categories(ozone ~ Temp + Wind, air)
#' fit
#' common <- update(fit, parallel = TRUE)
#' anova(common, fit)
#' predict(common, data.frame(Temp = c(60, 95), Wind = 8), type = "prob")
#' @examplesIf pwcstats_available() && requireNamespace("MASS", quietly = TRUE)
#'
#' # Counts as weights.
#' adjacent_categories(Sat ~ Infl + Cont, MASS::housing, weights = Freq, penalty = "firth")
#' @export
adjacent_categories <- function(formula,
                                data,
                                weights,
                                subset,
                                na.action, # nolint
                                offset,
                                contrasts = NULL,
                                penalty = c("none", "firth"),
                                parallel = FALSE,
                                maxit = 200) {
  call <- full_call()
  asked <- match.call()
  penalty <- check_choice(penalty, call)
  check_flag(parallel, "parallel", call)
  input <- formula_input(asked, parent.frame(), contrasts, call, intercept = TRUE)
  used <- input$used
  y <- read_ordered(input$y, used, call)

  load_python(call)
  # The intercept is included: otherwise Python would take another constant column for it.
  model <- call_python(
    "AdjacentCategories",
    list(codes_to_py(y$code, y$labels, ordered = TRUE), design_to_py(input$x, used)),
    list(
      penalty = option_to_py(penalty),
      parallel = parallel,
      freq_weights = row_weights_to_py(input$weights[used]),
      offset = if (!is.null(input$offset)) numbers_to_py(input$offset[used]),
      aliased = "raise"
    ),
    call
  )
  results <- call_bridge(model$fit, list(), list(maxiter = count_to_py(maxit)), call)
  options <- list(
    penalty = penalty, parallel = parallel, classes = y$classes, stages = y$labels[-1L]
  )
  staged_fit("pwcstats_adjacent", results, input, asked, options)
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_adjacent <- function(object,
                                      newdata = NULL,
                                      type = c(
                                        "class", "prob", "link", "probs", "response", "terms"
                                      ),
                                      se.fit = FALSE, # nolint
                                      na.action = stats::na.pass, # nolint
                                      terms = NULL,
                                      interval = c("none", "confidence"),
                                      level = 0.95,
                                      ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  interval <- check_choice(interval, call)
  columns <- list(prob = as.character(object$classes), linear = object$stages)
  predict_ordinal(
    object, newdata, type, se.fit, na.action, terms, interval, level, columns, call
  )
}
