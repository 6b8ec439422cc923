#' Firth's logistic regression
#'
#' Fits a logistic regression with Jeffreys' penalty. All estimates are finite, even for separated
#' data, and less biased than maximum likelihood estimates.
#'
#' `formula`, `weights`, `subset`, `na.action`, `offset` and `contrasts` are as in [stats::glm()].
#' Estimates and standard errors equal those of `brglmFit()` in \pkg{brglm2} with
#' `type = "AS_mean"`; `logistf()` gives the same estimates and slightly smaller standard errors.
#'
#' As after `glm()`, columns that are linear combinations of the columns before them have
#' coefficients that are `NA`. Predictions and tests are those of the other columns. A warning says
#' so if predictions for new rows need these coefficients. A term whose place other columns take has
#' no degrees of freedom in `anova()` and `drop1()`. Methods that need all coefficients, such as
#' `vif()`, refuse the fit.
#'
#' With `cbind(successes, failures)`, and with weights, [nobs()], `df.residual` and the deviance
#' equal those of `glm()`: each row is one observation, regardless of its number of trials. Rows
#' with weight 0 are not counted.
#'
#' Firth's penalty shrinks probabilities towards one half. `correction = "flic"` re-estimates the
#' intercept by maximum likelihood; `"flac"` adds the pseudo-observations of the penalty with an
#' indicator variable. With either, the mean prediction equals the mean of the response.
#' Profile intervals and tests are those of \pkg{logistf}: of the augmented data after `"flac"`;
#' those of the fit without correction after `"flic"`, except that the intercept has Wald's.
#'
#' For users of `logistf()` in \pkg{logistf}: its profile intervals are
#' `confint(fit, method = "profile")`, and its tests are `summary(fit, method = "profile")` and
#' [anova()]. Wald intervals and tests (`pl = FALSE`) are the default here. `flic()` and `flac()`
#' are `correction = "flic"` and `"flac"`, and `tau` is that of its `logistf.mod.control()`.
#'
#' @param formula Model formula. The response has two classes: 0 and 1, two other whole numbers,
#'   logical, character or a factor. The second of them in sorted order, or the second level, is
#'   success, whose probability is modelled; [print()] shows it. Or it is
#'   `cbind(successes, failures)`.
#' @param data Data frame with the variables. Variables that are not in it are looked up in the
#'   environment of the formula.
#' @param weights Frequency weights; rows with weight 0 are left out.
#' @param subset Rows to use.
#' @param na.action How to treat rows with missing values, as in [stats::glm()].
#' @param offset Added to the linear predictor, in addition to `offset()` in the formula.
#' @param contrasts List of contrasts of factors, as `contrasts.arg` of [stats::model.matrix()].
#' @param correction Correction of the intercept, see Details.
#' @param maxit Maximum number of Newton steps.
#' @param tau Weight of the penalty, at least 0. The fit maximises the log-likelihood plus `tau`
#'   times the log determinant of the information. The default 0.5 is Firth's penalty. Less removes
#'   less bias; 0 is maximum likelihood, which separated data do not have.
#' @return A list of class `pwcstats_firth`. It has the usual [methods][pwcstats_logit] of a model,
#'   and [predict()][predict.pwcstats_firth]. Its elements are
#'   \item{coefficients, vcov, se}{Estimates, their covariance and standard errors.}
#'   \item{loglik, penalized_loglik}{Log-likelihood, which AIC and BIC use, and the penalised
#'     log-likelihood. As in `logLik()` of a `glm()` fit, both include the binomial coefficients of
#'     `cbind(successes, failures)`.}
#'   \item{deviance, df.residual, df, nobs}{As in `glm()`.}
#'   \item{aliased}{Names of the columns whose coefficients are `NA`.}
#'   \item{converged, iter, reason}{Whether the fit converged, the number of iterations, and why it
#'     stopped.}
#'   \item{classes}{Failure and success.}
#'   \item{correction, tau, call, terms, model, xlevels, contrasts, na.action}{The options of the
#'     call, and the usual elements of a model.}
#'   \item{python}{The Python object as bytes, so that a fit saved with [saveRDS()] can be used in a
#'     new session. As with any saved object, read only files that you trust.}
#' @seealso [firth_multinom()] for more than two classes, [cratio()], [ordered_logit()] and
#'   [adjacent_categories()] for ordered classes; [detect_separation()] checks whether maximum
#'   likelihood estimates would be infinite, and [stepwise()] selects terms.
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
#' # Nobody under 40 is ill, so the maximum likelihood estimate of the slope is infinite.
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
#' # All cases with NV = 1 have a high grade.
#' firth(HG ~ NV + PI + EH, endometrial)
#'
#' # Numbers of successes and failures.
#' firth(cbind(ncases, ncontrols) ~ alcgp + tobgp, esoph)
#' @export
firth <- function(formula,
                  data,
                  weights,
                  subset,
                  na.action, # nolint
                  offset,
                  contrasts = NULL,
                  correction = c("none", "flic", "flac"),
                  maxit = 200,
                  tau = 0.5) {
  call <- full_call()
  asked <- match.call()
  correction <- check_choice(correction, call)
  input <- formula_input(asked, parent.frame(), contrasts, call)
  response <- read_binary(input$y, call)
  trials <- response$counts * input$weights
  refuse_one_class(rev(as.character(response$classes))[colSums(trials) > 0], call)

  load_python(call)
  results <- call_bridge(
    trials_to_py(trials, input, tau, call)$fit,
    list(),
    list(correction = option_to_py(correction), maxiter = count_to_py(maxit)),
    call
  )
  terms <- colnames(input$x)
  found <- with_missing(logit_from_py(
    results,
    coefficients = stats::setNames(vector_from_py(results$params), terms),
    vcov = with_dimnames(matrix_from_py(results$cov_params()), terms, terms),
    nobs = sum(rowSums(trials) > 0),
    constant = sum(input$weights * response$constant)
  ))
  fit <- logit_fit(
    "pwcstats_firth", found, input, asked,
    list(correction = correction, classes = response$classes, tau = tau)
  )
  fit$deviance <- sum(residuals.pwcstats_firth(fit, "deviance")^2, na.rm = TRUE)
  fit
}

# One line for each row and outcome, weighted by the number of successes or failures.
trials_to_py <- function(trials, input, tau, call) {
  line <- which(t(trials) > 0, arr.ind = TRUE)
  row <- line[, 2L]
  options <- list(
    offset = if (!is.null(input$offset)) to_py(as.array(as.double(input$offset[row]))),
    freq_weights = row_weights_to_py(trials[cbind(row, line[, 1L])]),
    tau = number_to_py(tau)
  )
  endog <- to_py(as.array(as.double(line[, 1L] == 1L)))
  call_python("FirthLogit", list(endog, design_to_py(input$x, row)), options, call)
}
