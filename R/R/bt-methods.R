#' What a Bradley-Terry fit says
#'
#' Methods for the fits of [bt()]. Besides those shown here, [coef()], [deviance()],
#' [df.residual()], [AIC()], [BIC()] and [update()] work as with other models, [model.frame()] has
#' the comparisons, and there are methods for the functions `tidy()`, `glance()` and
#' [augment()][pwcstats_augment] of \pkg{generics} (which \pkg{broom} has too) and for
#' [autoplot()][pwcstats_autoplot] of \pkg{ggplot2}.
#'
#' `anova()` makes likelihood-ratio tests of each fit against the one before it. They must be
#' maximum likelihood fits to the same comparisons, one nested in the other: without and with order
#' effect, or with covariates in place of abilities.
#'
#' After `method = "firth"` the log-likelihood is given without the penalty, and profiles are those
#' of the penalised likelihood.
#'
#' @param x,object A fit by [bt()].
#' @param parm Names or numbers of the coefficients, by default all.
#' @param level,conf.level Level of the intervals, by either name.
#' @param method,conf.method `"wald"` for intervals by the normal approximation (by the t
#'   distribution after `cov_type = "cluster"`), `"profile"` for those of the profile likelihood.
#' @param conf.int Add intervals?
#' @param digits Number of significant digits.
#' @param test `"Chisq"` or `"LRT"`, two names of the likelihood-ratio test.
#' @param complete Has no effect: no coefficient is `NA`.
#' @param type The only kind there is.
#' @param ... For `anova()` further fits, for `print()` of a summary arguments of
#'   [stats::printCoefmat()]; else it must be empty, and a misspelt argument is an error.
#' @return `summary()` a list of class `summary.pwcstats_bt`, whose element `coefficients` is a
#'   matrix with estimates, standard errors, z (or t) and p-values; `anova()` a data frame of class
#'   `anova`; `tidy()` a data frame with one row a coefficient; `glance()` one with a single row;
#'   `weights()` the number of comparisons of each row, or the sum of their weights; `family()`
#'   [binomial()], an error with a tie parameter; the others what they do for other models.
#'   `logLik()` is that of the comparisons one by one, without binomial coefficients.
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' fit <- bt(wins)
#' summary(fit)
#' confint(fit, method = "profile")
#' AIC(fit)
#'
#' size <- matrix(c(1.2, 3.4, 2.9), dimnames = list(c("a", "b", "c"), "size"))
#' anova(bt(wins, covariates = size), fit)
#' @name pwcstats_bt
NULL

#' @rdname pwcstats_bt
#' @export
print.pwcstats_bt <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat(describe_bt(x), "\n\nCoefficients:\n", sep = "")
  print(format(x$coefficients, digits = digits), quote = FALSE)
  cat(describe_missing(x), "\n", describe_deviance(x, digits), "\n", sep = "")
  if (!x$converged) {
    cat(describe_iterations(x), "\n", sep = "")
  }
  invisible(x)
}

# One sentence: how many items and comparisons, and what the abilities are relative to.
describe_bt <- function(x) {
  zero <- if (!is.null(x$covariates)) {
    "abilities from covariates"
  } else if (is.null(x$ref)) {
    "abilities sum to 0"
  } else {
    sprintf("the ability of %s is 0", x$ref)
  }
  fit <- c(mle = "maximum likelihood", firth = "Firth's bias-reduced likelihood")[[x$method]]
  sprintf(
    "Bradley-Terry model by %s: %d items, %s comparisons; %s",
    fit, length(x$items), format(x$nobs, digits = 7L), zero
  )
}

# As of other models: how many rows were left out.
describe_missing <- function(x) {
  note <- stats::naprint(x$na.action)
  if (nzchar(note)) sprintf("  (%s)\n", note) else ""
}

describe_deviance <- function(x, digits) {
  sprintf(
    "Residual deviance: %s on %s degrees of freedom; log-likelihood: %s",
    format(x$deviance, digits = max(5L, digits + 1L)), format(x$df.residual, digits = 7L),
    format(x$loglik, digits = max(5L, digits + 1L))
  )
}

describe_iterations <- function(x) {
  sprintf("%s, iterations: %d", if (x$converged) "Converged" else "Not converged", x$iter)
}

#' @rdname pwcstats_bt
#' @export
summary.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  kept <- c(
    "call", "items", "nobs", "covariates", "ref", "method", "ties", "cov_type", "deviance",
    "df.residual", "df.inference", "loglik", "df", "converged", "iter", "na.action"
  )
  structure(
    class = "summary.pwcstats_bt",
    c(object[kept], list(
      coefficients = coefficient_table(object$coefficients, object$se, object$df.inference),
      aic = stats::AIC(object)
    ))
  )
}

# Of the t distribution with `df` degrees of freedom; with Inf it is the normal one.
coefficient_table <- function(estimate, se, df = Inf) {
  se <- if (is.null(se)) rep(NA_real_, length(estimate)) else se
  z <- estimate / se
  table <- cbind(estimate, se, z, 2 * stats::pt(-abs(z), df))
  letter <- if (is.finite(df)) "t" else "z"
  columns <- c("Estimate", "Std. Error", paste(letter, "value"), sprintf("Pr(>|%s|)", letter))
  with_dimnames(table, names(estimate), columns)
}

# What printCoefmat() takes, and hands to print().
coefmat_names <- function() {
  names(c(formals(stats::printCoefmat), formals(print.default)))
}

#' @export
print.summary.pwcstats_bt <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(..., .also = coefmat_names())
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat(describe_bt(x), "\n\nCoefficients:\n", sep = "")
  stats::printCoefmat(x$coefficients, digits = digits, ...)
  if (x$cov_type != "nonrobust") {
    cat(sprintf("\nStandard errors: sandwich (%s)\n", x$cov_type))
  }
  if (is.finite(x$df.inference)) {
    cat(sprintf(
      "t distribution with %d degrees of freedom, for %d clusters\n",
      x$df.inference, x$df.inference + 1L
    ))
  }
  if (x$ties == "davidson") {
    cat("\n(tie) is the logarithm of Davidson's nu\n")
  }
  cat(describe_missing(x), "\n", describe_deviance(x, digits), "\n", sep = "")
  cat("AIC: ", format(x$aic, digits = max(4L, digits + 1L)), "\n", sep = "")
  cat(describe_iterations(x), "\n\n", sep = "")
  invisible(x)
}

#' @rdname pwcstats_bt
#' @importFrom stats vcov
#' @export
vcov.pwcstats_bt <- function(object, complete = TRUE, ...) {
  refuse_unknown(...)
  if (is.null(object$vcov)) {
    abort("the fit has no covariance of all coefficients; fit with cov='full'.", sys.call())
  }
  object$vcov
}

#' @rdname pwcstats_bt
#' @importFrom stats logLik
#' @export
logLik.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  structure(object$loglik, df = object$df, nobs = object$nobs, class = "logLik")
}

#' @rdname pwcstats_bt
#' @importFrom stats nobs
#' @export
nobs.pwcstats_bt <- function(object, ...) {
  # drop1() and step() pass use.fallback.
  refuse_unknown(..., .also = "use.fallback")
  object$nobs
}

#' @rdname pwcstats_bt
#' @importFrom stats family
#' @export
family.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  if (object$ties == "davidson") {
    abort("a fit with a tie parameter has three outcomes, so it has no family.", sys.call())
  }
  stats::binomial()
}

#' @rdname pwcstats_bt
#' @importFrom stats weights
#' @export
weights.pwcstats_bt <- function(object, type = "prior", ...) {
  refuse_unknown(...)
  check_choice(type, "prior", "type", sys.call())
  rows <- object$model
  stats::setNames(rows$wins1 + rows$wins2 + rows$ties, rownames(rows))
}

# update() asks for it where it is given one.
#' @importFrom stats formula
#' @export
formula.pwcstats_bt <- function(x, ...) {
  abort(
    "a fit by bt() has no formula; update() changes its arguments, as in update(fit, ref = NA).",
    sys.call()
  )
}

#' @rdname pwcstats_bt
#' @importFrom stats fitted
#' @export
fitted.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  predict.pwcstats_bt(object, type = "prob")
}

#' @rdname pwcstats_bt
#' @importFrom stats residuals
#' @export
residuals.pwcstats_bt <- function(object, ...) {
  abort(
    "residuals are not defined here; goodness_of_fit() tests the fit, fitted() has probabilities.",
    sys.call()
  )
}

#' @rdname pwcstats_bt
#' @importFrom stats confint
#' @export
confint.pwcstats_bt <- function(object,
                                parm,
                                level = 0.95,
                                method = c("wald", "profile"),
                                ...,
                                conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  method <- check_choice(method, c("wald", "profile"), "method", call)
  level <- read_level(call)
  terms <- names(object$coefficients)
  if (!missing(parm)) {
    terms <- chosen_terms(parm, terms, call)
  }
  bounds <- if (method == "wald") {
    if (is.null(object$se)) {
      abort("the fit has no standard errors; fit with cov='full' or cov='diag'.", call)
    }
    wald_bounds(object$coefficients[terms], object$se[terms], level, object$df.inference)
  } else {
    fit <- thaw(object, call)
    options <- list(alpha = 1 - level, method = method, terms = labels_to_py(terms))
    matrix_from_py(call_bridge(fit$conf_int, list(), options, call))
  }
  as_intervals(bounds, terms, level)
}

tails <- function(level) {
  c((1 - level) / 2, 1 - (1 - level) / 2)
}

# What has an infinite error may be anything, even if it is infinite itself.
wald_bounds <- function(estimate, se, level, df = Inf) {
  estimate[is.infinite(se)] <- 0
  estimate + se %o% stats::qt(tails(level), df)
}

# With the names that confint() has for other models.
as_intervals <- function(bounds, terms, level) {
  percent <- format(100 * tails(level), trim = TRUE, scientific = FALSE, digits = 3L)
  matrix(bounds, ncol = 2L, dimnames = list(terms, paste(percent, "%")))
}

chosen_terms <- function(parm, terms, call) {
  chosen <- if (is.numeric(parm)) terms[parm] else as.character(parm)
  odd <- is.na(chosen) | !chosen %in% terms
  if (any(odd)) {
    abort(sprintf("parm must be among the coefficients, got '%s'.", format(parm[odd][[1L]])), call)
  }
  chosen
}

#' @rdname pwcstats_bt
#' @importFrom stats anova
#' @export
anova.pwcstats_bt <- function(object, ..., test = c("Chisq", "LRT")) {
  call <- sys.call()
  # The only test there is, by either name.
  check_choice(test, c("Chisq", "LRT"), "test", call)
  refuse_unknown(..., .also = names_of_fits(list(...), "pwcstats_bt"))
  fits <- c(list(object), unname(list(...)))
  if (length(fits) < 2L || !all(vapply(fits, inherits, logical(1L), "pwcstats_bt"))) {
    abort("anova needs two or more fits by bt(), one nested in the other.", call)
  }
  if (any(vapply(fits, function(fit) fit$method, "") != "mle")) {
    abort("a likelihood-ratio test needs maximum likelihood fits; fit all with method='mle'.", call)
  }
  frozen <- lapply(fits, thaw, call)
  test <- function(i) {
    result <- call_bridge(frozen[[i]]$lr_test, list(frozen[[i - 1L]]), list(), call)
    c(from_py(result$statistic), from_py(result$p_value))
  }
  tests <- vapply(seq_along(fits)[-1L], test, numeric(2L))
  df <- vapply(fits, function(fit) as.double(fit$df), numeric(1L))
  more <- diff(df)
  # A smaller model after a larger one has negative differences, as in anova.glm().
  table <- data.frame(
    npar = df,
    logLik = vapply(fits, function(fit) fit$loglik, numeric(1L)),
    Df = c(NA, more),
    Deviance = c(NA, sign(more) * tests[1L, ]),
    p = c(NA, tests[2L, ])
  )
  names(table)[[5L]] <- "Pr(>Chi)"
  calls <- vapply(fits, function(fit) paste(deparse(fit$call), collapse = " "), "")
  structure(
    table,
    heading = c(
      "Likelihood-ratio tests of Bradley-Terry models\n",
      paste(sprintf("Model %d: %s", seq_along(fits), gsub(" +", " ", calls)), collapse = "\n")
    ),
    class = c("anova", "data.frame")
  )
}

#' @rdname pwcstats_bt
#' @exportS3Method generics::tidy
tidy.pwcstats_bt <- function(x, # nolint
                             conf.int = FALSE, # nolint
                             conf.level = 0.95, # nolint
                             conf.method = c("wald", "profile"), # nolint
                             ...,
                             level = conf.level) {
  call <- sys.call()
  refuse_unknown(...)
  check_flag(conf.int, "conf.int", call)
  level <- read_level(call)
  method <- check_choice(conf.method, c("wald", "profile"), "conf.method", call)
  tidy_table(
    coefficient_table(x$coefficients, x$se, x$df.inference),
    if (conf.int) confint.pwcstats_bt(x, level = level, method = method)
  )
}

# With the names of broom; bounds may be NULL.
tidy_table <- function(table, bounds) {
  colnames(table) <- c("estimate", "std.error", "statistic", "p.value")
  result <- data.frame(term = rownames(table), table, row.names = NULL)
  if (!is.null(bounds)) {
    result$conf.low <- unname(bounds[, 1L])
    result$conf.high <- unname(bounds[, 2L])
  }
  result
}

#' @rdname pwcstats_bt
#' @exportS3Method generics::glance
glance.pwcstats_bt <- function(x, ...) { # nolint
  refuse_unknown(...)
  glance_row(x)
}

glance_row <- function(x) {
  data.frame(
    logLik = x$loglik,
    AIC = stats::AIC(x),
    BIC = stats::BIC(x),
    deviance = x$deviance,
    df.residual = x$df.residual,
    nobs = x$nobs,
    converged = x$converged
  )
}
