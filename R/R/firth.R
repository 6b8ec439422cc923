#' Firth's logistic regression
#'
#' Logistic regression with Jeffreys' penalty, by which all estimates are finite, for separated data
#' too, and less biased than those of maximum likelihood.
#'
#' The formula, `weights`, `subset`, `na.action`, `offset` and `contrasts` are those of
#' [stats::glm()]. Estimates and standard errors are those of `brglmFit()` in \pkg{brglm2} with
#' `type = "AS_mean"`; `logistf()` has the same estimates and slightly smaller standard errors.
#' A column that is a combination of others is an error that names it, where `glm()` has `NA`.
#'
#' With `cbind(successes, failures)`, and with weights, [nobs()], `df.residual` and the deviance
#' are those of `glm()`: a row that counts is one observation, however many trials it has. A row of
#' weight 0 does not count.
#'
#' Firth's penalty pulls probabilities towards one half. `correction = "flic"` estimates the
#' intercept again by maximum likelihood, `"flac"` adds the penalty's pseudo-observations with an
#' indicator of their own. Either makes the mean of the predictions that of the response: use them
#' to predict, and the plain fit for tests and profiles.
#'
#' Coming from `logistf()` of \pkg{logistf}: its profile intervals are
#' `confint(fit, method = "profile")`, its tests `summary(fit, method = "profile")` and [anova()];
#' Wald's, which it has with `pl = FALSE`, are the default here. `flic()` and `flac()` are
#' `correction = "flic"` and `"flac"`.
#'
#' @param formula Model formula. The response is 0 and 1, or logical, or a factor, whose first level
#'   is failure and all others success, or `cbind(successes, failures)`.
#' @param data Data frame in which to look for the variables; what it lacks is looked for where the
#'   formula was made.
#' @param weights How many times each row counts; 0 leaves it out.
#' @param subset Rows to use.
#' @param na.action What to do with rows in which something is missing, as in [stats::glm()].
#' @param offset Added to the linear predictor, besides `offset()` in the formula.
#' @param contrasts List of contrasts of factors, as `contrasts.arg` of [stats::model.matrix()].
#' @param correction Correction of the intercept, see Details.
#' @param maxit Newton steps before giving up.
#' @return A list of class `pwcstats_firth`, for which there are the [methods][pwcstats_logit] that
#'   R users expect of a model, and [predict()][predict.pwcstats_firth]. It has the elements
#'   \item{coefficients, vcov, se}{Estimates, their covariance and standard errors.}
#'   \item{loglik, penalized_loglik}{Log-likelihood, which AIC and BIC use, and that with the
#'     penalty. Like `logLik()` of `glm()` they have the binomial coefficients of
#'     `cbind(successes, failures)`.}
#'   \item{deviance, df.residual, df, nobs}{As of `glm()`.}
#'   \item{converged, iter, reason}{How the iteration ended.}
#'   \item{classes}{Failure and success.}
#'   \item{correction, call, terms, model, xlevels, contrasts, na.action}{What was asked.}
#'   \item{python}{The fit as the Python module keeps it, so that all methods also work after
#'     [saveRDS()] and [readRDS()]. As with any saved object, read only files that you trust.}
#' @seealso [firth_multinom()] for more than two classes, [cratio()] for ordered ones;
#'   [detect_separation()] tells whether estimates without the penalty would be infinite, and
#'   [stepwise()] selects terms.
#' @references
#' Firth, D. (1993) Bias reduction of maximum likelihood estimates. *Biometrika* **80**, 27--38.
#' \doi{10.1093/biomet/80.1.27}
#'
#' Heinze, G. and Schemper, M. (2002) A solution to the problem of separation in logistic
#' regression. *Statistics in Medicine* **21**, 2409--2419. \doi{10.1002/sim.1047}
#'
#' Puhr, R., Heinze, G., Nold, M., Lusa, L. and Geroldinger, A. (2017) Firth's logistic regression
#' with rare events: accurate effect estimates and predictions? *Statistics in Medicine* **36**,
#' 2302--2317. \doi{10.1002/sim.7273}
#' @examplesIf pwcstats_available()
#' # Nobody under 40 is ill, so that maximum likelihood would give age an infinite slope.
#' patients <- data.frame(
#'   age = c(22, 28, 31, 35, 39, 41, 46, 52, 60),
#'   ill = c(0, 0, 0, 0, 0, 1, 1, 1, 1)
#' )
#' fit <- firth(ill ~ age, patients)
#' summary(fit)
#' confint(fit, method = "profile")
#' anova(fit)
#' predict(fit, data.frame(age = c(30, 40, 50)), type = "response")
#'
#' # Numbers of successes and failures.
#' if (requireNamespace("brglm2", quietly = TRUE)) {
#'   data(lizards, package = "brglm2")
#'   firth(cbind(grahami, opalinus) ~ height + diameter + light + time, lizards)
#' }
#' @export
firth <- function(formula,
                  data,
                  weights,
                  subset,
                  na.action, # nolint
                  offset,
                  contrasts = NULL,
                  correction = c("none", "flic", "flac"),
                  maxit = 200) {
  call <- sys.call()
  asked <- match.call()
  correction <- check_choice(correction, c("none", "flic", "flac"), "correction", call)
  check_count(maxit, "maxit", call)
  input <- formula_input(asked, parent.frame(), contrasts, call)
  response <- read_binary(input$y, call)
  trials <- response$counts * input$weights
  refuse_one_class(rev(as.character(response$classes))[colSums(trials) > 0], call)

  load_python(call)
  results <- call_bridge(
    trials_to_py(trials, input, call)$fit,
    list(),
    list(correction = if (correction != "none") correction, maxiter = count_to_py(maxit)),
    call
  )
  terms <- colnames(input$x)
  found <- logit_from_py(
    results,
    coefficients = stats::setNames(as.vector(array_from_py(results$params)), terms),
    vcov = with_dimnames(matrix_from_py(results$cov_params()), terms, terms),
    nobs = sum(rowSums(trials) > 0),
    constant = sum(input$weights * response$constant)
  )
  fit <- logit_fit(
    "pwcstats_firth", found, input, asked,
    list(correction = correction, classes = response$classes)
  )
  fit$deviance <- sum(residuals.pwcstats_firth(fit, "deviance")^2, na.rm = TRUE)
  fit
}

# One line for each row and outcome that it has, successes weighted by their number.
trials_to_py <- function(trials, input, call) {
  line <- which(t(trials) > 0, arr.ind = TRUE)
  row <- line[, 2L]
  options <- list(
    offset = if (!is.null(input$offset)) to_py(as.array(as.double(input$offset[row]))),
    freq_weights = row_weights_to_py(trials[cbind(row, line[, 1L])])
  )
  endog <- to_py(as.array(as.double(line[, 1L] == 1L)))
  call_python("FirthLogit", list(endog, design_to_py(input$x, row)), options, call)
}
