#' Methods for Bradley-Terry fits
#'
#' Besides the methods shown here, [coef()], [deviance()], [df.residual()], [AIC()], [BIC()] and
#' [update()] work as with other models, and [model.frame()] returns the comparisons. There are also
#' methods for `tidy()`, `glance()` and [augment()][pwcstats_augment] from \pkg{generics}
#' (re-exported by \pkg{broom}) and for [autoplot()][pwcstats_autoplot] from \pkg{ggplot2}.
#'
#' `anova()` performs likelihood-ratio tests of each fit against the one before it. They must be
#' maximum likelihood fits to the same comparisons, one nested in the other: without and with order
#' effect, or with covariates instead of free abilities.
#'
#' `AIC()` is that of the single comparisons. For rows that count several comparisons, `AIC()` of a
#' fit by `BTm()` in \pkg{BradleyTerry2} is smaller by a constant, because its log-likelihood
#' includes binomial coefficients; differences between models agree. See [drop1()][bt_selection] for
#' the selection of terms, and [residuals()][bt_residuals] for residuals and simulations.
#'
#' After `method = "firth"` the log-likelihood does not include the penalty. Profile intervals use
#' the penalised likelihood.
#'
#' After random effects, `deviance()` and `df.residual()` stop with an error.
#'
#' Other pages describe [leverages and Cook's distances][bt_glm], [profile()][bt_profile], and what
#' other packages do with the fits: [emmeans and multcomp][bt_emmeans], [lmtest and
#' car][bt_inference], [sandwich][bt_sandwich], and [qvcalc][qvcalc.pwcstats_bt].
#'
#' @param x,object A fit by [bt()].
#' @param parm Names or numbers of the coefficients, by default all.
#' @param level,conf.level Confidence level, by either name.
#' @param method,conf.method `"wald"` for intervals from the normal approximation (the t
#'   distribution after `cov_type = "cluster"`), `"profile"` for profile likelihood intervals.
#' @param conf.int Add intervals?
#' @param digits Number of significant digits.
#' @param test `"Chisq"` or `"LRT"`, two names of the likelihood-ratio test.
#' @param complete Has no effect: no coefficient is `NA`.
#' @param type `"prior"` for the number of comparisons of each row or the sum of their weights,
#'   `"working"` for those of the last step of `glm()`.
#' @param ... For `anova()` further fits, for `print()` of a summary arguments of
#'   [stats::printCoefmat()]. Otherwise it must be empty, and a misspelt argument is an error.
#' @return `summary()` returns a list of class `summary.pwcstats_abilities`; its element
#'   `coefficients` is a matrix with estimates, standard errors, z (or t) and p-values. `anova()`
#'   returns a data frame of class `anova`, `tidy()` a data frame with one row for each coefficient,
#'   `glance()` a data frame with one row, `family()` [binomial()] (an error with a tie parameter).
#'   The other methods return what they return for other models. `logLik()` is the log-likelihood of
#'   the single comparisons, without binomial coefficients.
#' @examplesIf pwcstats_available()
#' fit <- bt(citations)
#' summary(fit)
#' confint(fit, method = "profile")
#' AIC(fit)
#'
#' # Do all British journals have the same ability, and all American journals?
#' journals <- data.frame(british = c(TRUE, FALSE, FALSE, TRUE), row.names = rownames(citations))
#' anova(bt(citations, covariates = ~british, item_data = journals), fit)
#' @name pwcstats_bt
NULL

#' @rdname pwcstats_bt
#' @export
print.pwcstats_abilities <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  print_model(x, describe_model(x), describe_iterations(x), digits)
}

# The numbers of items and comparisons, and the item with ability 0.
describe_model <- function(x) {
  zero <- if (!is.null(x$approximation)) {
    paste0(if (!is.null(x$covariates)) "abilities from covariates and ", "random effects")
  } else if (!is.null(x$covariates)) {
    "abilities from covariates"
  } else if (is.null(x$ref)) {
    "abilities sum to 0"
  } else {
    sprintf("the ability of %s is 0", x$ref)
  }
  fit <- c(
    mle = "by maximum likelihood", firth = "by Firth's bias-reduced likelihood",
    ridge = sprintf("with a normal prior (standard deviation %s)", format(x$prior_sd)),
    ghost = sprintf("with a ghost item (%s wins and losses)", format(x$pseudo))
  )[[x$method]]
  if (!is.null(x$approximation)) {
    fit <- c(
      laplace = "by the Laplace approximation", pql = "by penalised quasi-likelihood"
    )[[x$approximation]]
  }
  sprintf(
    "%s model %s: %d items, %s %s; %s",
    if (x$is_ranking) "Plackett-Luce" else "Bradley-Terry", fit, length(x$items),
    format(x$nobs, digits = 7L), if (x$is_ranking) "rankings" else "comparisons", zero
  )
}

# The tie parameter of each model that has one.
tie_symbols <- c(davidson = "Davidson's nu", "rao-kupper" = "Rao and Kupper's theta")

has_tie_parameter <- function(x) {
  x$ties %in% names(tie_symbols)
}

#' @rdname pwcstats_bt
#' @export
summary.pwcstats_abilities <- function(object, ...) {
  refuse_unknown(...)
  kept <- c(
    "call", "items", "nobs", "covariates", "ref", "method", "prior_sd", "pseudo", "ties",
    "cov_type", "deviance", "df.residual", "df.inference", "loglik", "df", "converged", "iter",
    "na.action", "is_ranking"
  )
  structure(
    class = "summary.pwcstats_abilities",
    c(object[kept], list(
      coefficients = coefficient_table(object$coefficients, object$se, object$df.inference),
      aic = stats::AIC(object)
    ))
  )
}

#' @export
print.summary.pwcstats_abilities <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(..., .also = coefmat_names())
  print_call(x)
  cat(describe_model(x), "\n\nCoefficients:\n", sep = "")
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
  # Robust standard errors have no profile intervals.
  if (x$method != "mle" && x$cov_type == "nonrobust") {
    cat(
      "\nz and p-values are from Wald tests; if an item won or lost all its comparisons, use",
      "confint(fit, method = \"profile\")\n"
    )
  }
  if (has_tie_parameter(x)) {
    cat(sprintf("\n(tie) is the logarithm of %s\n", tie_symbols[[x$ties]]))
  }
  if (x$is_ranking && any(grepl("^[(]tie", rownames(x$coefficients)))) {
    cat("\n(tie2), (tie3), ... are the logarithms of the tie parameters\n")
  }
  print_end(x, describe_iterations(x), digits)
}

#' @rdname pwcstats_bt
#' @importFrom stats vcov
#' @export
vcov.pwcstats_abilities <- function(object, complete = TRUE, ...) {
  refuse_unknown(...)
  if (is.null(object$vcov)) {
    abort("the fit has no covariance matrix; fit with cov = 'full'.", sys.call())
  }
  object$vcov
}

#' @rdname pwcstats_bt
#' @importFrom stats logLik
#' @export
logLik.pwcstats_abilities <- function(object, ...) {
  refuse_unknown(...)
  structure(object$loglik, df = object$df, nobs = object$nobs, class = "logLik")
}

#' @rdname pwcstats_bt
#' @importFrom stats nobs
#' @export
nobs.pwcstats_abilities <- function(object, ...) {
  # drop1() and step() pass use.fallback.
  refuse_unknown(..., .also = "use.fallback")
  object$nobs
}

#' @rdname pwcstats_bt
#' @importFrom stats family
#' @export
family.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  if (has_tie_parameter(object)) {
    abort("a fit with a tie parameter has three outcomes, so it has no family.", sys.call())
  }
  stats::binomial()
}

#' @rdname pwcstats_bt
#' @importFrom stats weights
#' @export
weights.pwcstats_bt <- function(object, type = c("prior", "working"), ...) {
  refuse_unknown(...)
  call <- sys.call()
  rows <- object$model
  n <- stats::setNames(rows$wins1 + rows$wins2 + rows$ties, rownames(rows))
  if (check_choice(type, call) == "prior") {
    return(n)
  }
  refuse_three_outcomes(object, "working weights", call)
  p <- predict.pwcstats_bt(object)
  n * p * (1 - p)
}

#' @rdname pwcstats_bt
#' @importFrom stats fitted
#' @export
fitted.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  predict.pwcstats_bt(object, type = "prob")
}

#' @rdname pwcstats_bt
#' @importFrom stats confint
#' @export
confint.pwcstats_abilities <- function(object,
                                parm,
                                level = 0.95,
                                method = c("wald", "profile"),
                                ...,
                                conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  method <- check_choice(method, call)
  level <- read_level(call)
  terms <- names(object$coefficients)
  if (!missing(parm)) {
    terms <- chosen_terms(parm, terms, call)
  }
  bounds <- if (method == "wald") {
    if (is.null(object$se)) {
      abort("the fit has no standard errors; fit with cov = 'full' or cov = 'diag'.", call)
    }
    wald_bounds(object$coefficients[terms], object$se[terms], level, object$df.inference)
  } else {
    fit <- thaw(object, call)
    options <- list(alpha = 1 - level, method = method, terms = labels_to_py(terms))
    matrix_from_py(call_bridge(fit$conf_int, list(), options, call))
  }
  as_intervals(bounds, terms, level)
}

#' @rdname pwcstats_bt
#' @importFrom stats anova
#' @export
anova.pwcstats_abilities <- function(object, ..., test = c("Chisq", "LRT")) {
  call <- sys.call()
  # There is only one test, with two names.
  check_choice(test, call)
  refuse_unknown(..., .also = names_of_fits(list(...), "pwcstats_abilities"))
  fits <- c(list(object), unname(list(...)))
  if (length(fits) < 2L || !all(vapply(fits, inherits, logical(1L), class(object)[[1L]]))) {
    abort("anova needs two or more fits by bt(), one nested in the other.", call)
  }
  if (any(vapply(fits, function(fit) fit$method, "") != "mle")) {
    abort(
      "a likelihood-ratio test needs maximum likelihood fits; fit all with method = 'mle'.", call
    )
  }
  thawed <- lapply(fits, thaw, call)
  test_of <- function(i) {
    test_from_py(call_bridge(thawed[[i]]$lr_test, list(thawed[[i - 1L]]), list(), call))[-1L]
  }
  tests <- vapply(seq_along(fits)[-1L], test_of, numeric(2L))
  loglik <- vapply(fits, function(fit) fit$loglik, numeric(1L))
  calls <- vapply(fits, function(fit) paste(deparse(fit$call), collapse = " "), "")
  as_anova(
    sequential_table(fits, tests, list(logLik = loglik)),
    "Likelihood-ratio tests of Bradley-Terry models",
    number_models(gsub(" +", " ", calls))
  )
}

#' @rdname pwcstats_bt
#' @exportS3Method generics::tidy
tidy.pwcstats_abilities <- function(x, # nolint
                             conf.int = FALSE, # nolint
                             conf.level = 0.95, # nolint
                             conf.method = c("wald", "profile"), # nolint
                             ...,
                             level = conf.level) {
  call <- sys.call()
  refuse_unknown(...)
  check_flag(conf.int, "conf.int", call)
  level <- read_level(call)
  method <- check_choice(conf.method, call)
  tidy_table(
    coefficient_table(x$coefficients, x$se, x$df.inference),
    if (conf.int) confint.pwcstats_abilities(x, level = level, method = method)
  )
}

#' @rdname pwcstats_bt
#' @exportS3Method generics::glance
glance.pwcstats_abilities <- function(x, ...) { # nolint
  refuse_unknown(...)
  glance_row(x)
}
