#' Firth's multinomial logistic regression
#'
#' Fits a multinomial logistic regression with Jeffreys' penalty. All estimates are finite, even for
#' separated data.
#'
#' The first level of the response is the baseline; unused levels are dropped. Estimates equal those
#' of `brmultinom()` in \pkg{brglm2} with `type = "AS_mean"`. Probabilities do not depend on the
#' baseline.
#'
#' For users of `multinom()` in \pkg{nnet}: also with two classes, [coef()] is a matrix with one
#' row, predicted probabilities are a matrix with two columns, and the names of [vcov()] include the
#' class.
#'
#' @inheritParams firth
#' @param formula Model formula. The response is a factor, or is converted to one.
#' @return A list of class `pwcstats_firth_multinom`. It has the usual [methods][pwcstats_logit] of
#'   a model, and [predict()][predict.pwcstats_firth_multinom]. Its elements are
#'   \item{coefficients}{Matrix with one row for each class but the first and one column for each
#'     term.}
#'   \item{vcov, se}{Covariance and standard errors, ordered by class, with names such as
#'     `"class:term"`.}
#'   \item{loglik, penalized_loglik}{Log-likelihood, which AIC and BIC use, and the penalised
#'     log-likelihood.}
#'   \item{deviance, df.residual, df, nobs}{Minus twice the log-likelihood; residual degrees of
#'     freedom; number of coefficients; number of rows, or the sum of their weights.}
#'   \item{classes}{The classes, the baseline first.}
#'   \item{aliased}{Names of the columns whose coefficients are `NA`, as in [firth()].}
#'   \item{converged, iter, reason, tau, call, terms, model, xlevels, contrasts, na.action,
#'     python}{As in [firth()].}
#' @seealso [firth()] for two classes, [cratio()] for ordered classes.
#' @references
#' Kosmidis, I. and Firth, D. (2011) Multinomial logit bias reduction via the Poisson log-linear
#' model. *Biometrika* **98**, 755--759. \doi{10.1093/biomet/asr026}
#' @examplesIf pwcstats_available()
#' flowers <- subset(iris, Sepal.Length > 5)
#' fit <- firth_multinom(Species ~ Petal.Length + Petal.Width, flowers)
#' coef(fit)
#' anova(fit)
#' table(flowers$Species, predict(fit))
#' @export
firth_multinom <- function(formula,
                           data,
                           weights,
                           subset,
                           na.action, # nolint
                           contrasts = NULL,
                           maxit = 200,
                           tau = 0.5) {
  call <- full_call()
  asked <- match.call()
  input <- formula_input(asked, parent.frame(), contrasts, call)
  refuse_offset(input, call)
  used <- input$used
  y <- read_classes(input$y, used, call)

  load_python(call)
  # As codes, which keep the order of the levels.
  endog <- to_py(as.array(as.integer(y) - 1L))
  model <- call_python(
    "FirthMNLogit",
    list(endog, design_to_py(input$x, used)),
    list(freq_weights = row_weights_to_py(input$weights[used]), tau = number_to_py(tau)),
    call
  )
  results <- call_bridge(model$fit, list(), list(maxiter = count_to_py(maxit)), call)
  classes <- levels(y)
  terms <- colnames(input$x)
  names <- as.vector(outer(terms, classes[-1L], function(term, class) paste0(class, ":", term)))
  found <- with_missing(logit_from_py(
    results,
    coefficients = with_dimnames(t(matrix_from_py(results$params)), classes[-1L], terms),
    vcov = with_dimnames(matrix_from_py(results$cov_params()), names, names),
    nobs = sum(input$weights)
  ))
  logit_fit(
    "pwcstats_firth_multinom", found, input, asked,
    list(classes = factor(classes, levels = classes, ordered = is.ordered(y)), tau = tau)
  )
}
