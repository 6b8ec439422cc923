#' Methods for logistic fits
#'
#' Methods for fits by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] and
#' [adjacent_categories()]. Besides those shown here, [coef()], [deviance()], [df.residual()],
#' [AIC()], [BIC()], [formula()], [terms()], [model.frame()] and [update()] work as with other
#' models. There are also methods for `tidy()`, `glance()` and [augment()][pwcstats_augment] from
#' \pkg{generics} (re-exported by \pkg{broom}).
#'
#' The log-likelihood, AIC and BIC do not include the penalty, because penalties of models with
#' different columns cannot be compared. Profile intervals and likelihood-ratio tests use the
#' penalised likelihood. For separated data, where the log-likelihood is far from quadratic, they
#' are better than Wald intervals and tests, which are the default.
#'
#' Odds ratios are `exp(coef(fit))`, with intervals `exp(confint(fit))` or, with the profile
#' likelihood, `exp(confint(fit, method = "profile"))`; `tidy(fit, exponentiate = TRUE)` has both.
#' Exponentials of intercepts and thresholds are odds, not ratios.
#'
#' `drop1()`, `add1()` and [step()] compare AIC. The tests of `drop1()` and `add1()` are those of
#' [anova()][anova.pwcstats_logit]: for each term, both models have the penalty of the larger one.
#' `add1()` fits the larger models where the formula of the fit was written, as for other models.
#' `dropterm()` and `addterm()` of \pkg{MASS} would test likelihoods without their penalties, so
#' their tests are refused.
#'
#' Tests and intervals of all functions use the normal distribution, or the chi-squared
#' distribution, and not t and F: as after `glm()`, no variance is estimated. This holds for
#' `coeftest()`, `coefci()`, `lrtest()` and `waldtest()` of [lmtest][pwcstats_lmtest],
#' [Anova()][pwcstats_car] and others of \pkg{car}, `glht()` of \pkg{multcomp}, and
#' [robust covariances][pwcstats_sandwich] by \pkg{sandwich}. The page on
#' [marginal means][pwcstats_emmeans] describes \pkg{emmeans}, \pkg{effects}, \pkg{ggeffects},
#' \pkg{parameters} and \pkg{performance}.
#'
#' @param x,object A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param parm Names or numbers of the coefficients, by default all.
#' @param level,conf.level Confidence level, by either name.
#' @param method,conf.method `"wald"` for the normal approximation, `"profile"` for profile
#'   likelihood intervals, with which `tidy()` gives likelihood-ratio tests of each coefficient.
#'   After [firth()] with `correction = "flac"`, the likelihood is that of the augmented data. With
#'   `"flic"`, slopes have intervals and tests of the fit without correction, and the intercept has
#'   Wald's, as in \pkg{logistf}. In
#'   `summary()`, `"profile"` gives these tests; it is only available for fits by [firth()].
#' @param complete Include the coefficients that are `NA`?
#' @param type Type of weights; `"working"` needs a fit by [firth()].
#' @param penalized Include the penalty in the log-likelihood?
#' @param conf.int Add confidence intervals?
#' @param exponentiate Return odds ratios and their intervals? Standard errors remain those of the
#'   coefficients, as in \pkg{broom}.
#' @param scope As in [stats::drop1()].
#' @param test `"Chisq"` or `"LRT"`, two names of the likelihood-ratio test, or `"none"`.
#' @param digits Number of significant digits.
#' @param fit,scale,k As in [stats::extractAIC()], which [step()] and [drop1()] use.
#' @param ... Must be empty, except for `print()` of a summary, which passes it to
#'   [stats::printCoefmat()]. A misspelt argument is an error.
#' @return `summary()` returns a list of class `summary.pwcstats_logit`; its element `coefficients`
#'   is a matrix with estimates, standard errors, test statistics and p-values. `confint()` returns
#'   a matrix with one row for each coefficient (`"class:term"` for [firth_multinom()]), `tidy()` a
#'   data frame with one row for each coefficient, `glance()` a data frame with one row, `weights()`
#'   the weights as in `glm()`, `family()` [binomial()] after [firth()] and an error after the
#'   others. The other methods return what they return for other models.
#' @seealso [anova()][anova.pwcstats_logit] for tests of terms and between models,
#'   [profile()][profile.pwcstats_logit] and [plot()][plot.pwcstats_logit] for the coefficients,
#'   [simulate()][simulate.pwcstats_logit] and [hatvalues()][hatvalues.pwcstats_logit].
#' @examplesIf pwcstats_available()
#' cars <- transform(mtcars, gear = factor(gear))
#' fit <- firth(am ~ wt + gear, cars)
#' summary(fit, method = "profile")
#' confint(fit, "wt", method = "profile")
#' exp(confint(fit))
#' AIC(fit, update(fit, . ~ . - gear))
#' drop1(fit, test = "Chisq")
#' @name pwcstats_logit
NULL

#' @rdname pwcstats_logit
#' @export
print.pwcstats_logit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  print_model(x, describe_logit(x), describe_end(x), digits)
}

# The model, the number of observations, and what is modelled.
describe_logit <- function(x) {
  response <- deparse1(stats::formula(x)[[2L]])
  classes <- as.character(x$classes)
  n <- format(x$nobs, digits = 7L)
  if (inherits(x, "pwcstats_firth")) {
    corrected <- if (x$correction != "none") sprintf(", %s", toupper(x$correction)) else ""
    return(sprintf(
      "Logistic regression by %s%s: %s rows; P(%s = %s)",
      describe_penalty(x), corrected, n, response, classes[[2L]]
    ))
  }
  if (inherits(x, "pwcstats_firth_multinom")) {
    return(sprintf(
      "Multinomial logistic regression by %s: %s observations; %s",
      describe_penalty(x), n, sprintf("%s is the baseline", classes[[1L]])
    ))
  }
  method <- c(none = "maximum likelihood", firth = "Firth's penalised likelihood")[[x$penalty]]
  if (inherits(x, "pwcstats_ordered_logit")) {
    return(sprintf(
      "Proportional odds by %s: %s observations; logit P(%s <= j) = threshold - slopes",
      method, n, response
    ))
  }
  if (inherits(x, "pwcstats_adjacent")) {
    return(sprintf(
      "Adjacent categories by %s: %s observations; %s slopes; %s = j against the class below",
      sub("penalised", "bias-reduced", method, fixed = TRUE), n,
      if (x$parallel) "parallel" else "separate", response
    ))
  }
  sprintf(
    "Continuation ratios by %s: %s observations; %s slopes; stage j is P(%s = j | %s %s j)",
    sub("penalised", "bias-reduced", method, fixed = TRUE), n,
    if (x$parallel) "parallel" else "separate", response, response,
    if (x$direction == "backward") "<=" else ">="
  )
}

describe_penalty <- function(x) {
  if (x$tau == 0) {
    return("maximum likelihood")
  }
  weight <- if (x$tau != 0.5) sprintf(" (tau = %s)", format(x$tau)) else ""
  paste0("Firth's bias-reduced likelihood", weight)
}

# How the fit ended. If estimates are infinite, more iterations would not help; only those of
# ordered classes can be.
describe_end <- function(x) {
  if (isTRUE(x$separated)) {
    sprintf("Not all estimates are finite: %s; penalty = 'firth' gives finite ones", x$reason)
  } else {
    describe_iterations(x)
  }
}

#' @rdname pwcstats_logit
#' @export
summary.pwcstats_logit <- function(object, method = "wald", ...) {
  refuse_unknown(...)
  check_choice(method, sys.call())
  table <- coefficient_table(flat_coefficients(object), object$se)
  summarise_logit(object, table, "z and p-values are from Wald tests")
}

#' @rdname pwcstats_logit
#' @export
summary.pwcstats_firth <- function(object, method = c("wald", "profile"), ...) {
  call <- sys.call()
  refuse_unknown(...)
  method <- check_choice(method, call)
  if (method == "wald") {
    note <- "z and p-values are from Wald tests; for separated data use method = 'profile'"
    table <- coefficient_table(object$coefficients, object$se)
    return(summarise_logit(object, table, note))
  }
  note <- sprintf("Chisq and p-values are from %s", tolower(describe_tests(object)))
  if (object$correction == "flic") {
    note <- paste0(note, ", those of the intercept from its Wald test")
  }
  summarise_logit(object, profile_table(object, call), note)
}

summarise_logit <- function(object, table, note) {
  # Infinite estimates of other models are not missing.
  aliased <- is.na(table[, 1L]) & length(object$aliased) > 0L
  kept <- c(
    "call", "nobs", "deviance", "df.residual", "loglik", "penalized_loglik", "df", "converged",
    "separated", "iter", "reason", "na.action"
  )
  structure(
    class = "summary.pwcstats_logit",
    c(object[intersect(kept, names(object))], list(
      title = describe_logit(object),
      # As in summary.glm().
      aliased = aliased,
      coefficients = table[!aliased, , drop = FALSE],
      note = note,
      aic = stats::AIC(object)
    ))
  )
}

#' @export
print.summary.pwcstats_logit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(..., .also = coefmat_names())
  print_call(x)
  missing <- if (any(x$aliased)) {
    sprintf(" (%d not defined because of singularities)", sum(x$aliased))
  }
  cat(x$title, "\n\nCoefficients:", missing, "\n", sep = "")
  if (any(is.finite(x$coefficients[, 1:2]))) {
    table <- matrix(
      NA_real_, length(x$aliased), ncol(x$coefficients),
      dimnames = list(names(x$aliased), colnames(x$coefficients))
    )
    table[!x$aliased, ] <- x$coefficients
    stats::printCoefmat(table, digits = digits, na.print = "NA", ...)
  } else {
    # If all estimates are infinite, printCoefmat() prints blanks.
    print(x$coefficients, digits = digits)
  }
  cat("\n", x$note, "\n", sep = "")
  print_end(x, describe_end(x), digits)
}

# Coefficients as a vector with the names of the covariance; a matrix is read by class.
flat_coefficients <- function(object) {
  estimate <- object$coefficients
  stats::setNames(as.vector(if (is.matrix(estimate)) t(estimate) else estimate), names(object$se))
}

#' @rdname pwcstats_logit
#' @importFrom stats vcov
#' @export
vcov.pwcstats_logit <- function(object, complete = TRUE, ...) {
  refuse_unknown(...)
  check_flag(complete, "complete", sys.call())
  if (complete) object$vcov else without_aliased(object)$vcov
}

#' @rdname pwcstats_logit
#' @importFrom stats logLik
#' @export
logLik.pwcstats_logit <- function(object, penalized = FALSE, ...) {
  refuse_unknown(...)
  check_flag(penalized, "penalized", sys.call())
  value <- if (penalized) object$penalized_loglik else object$loglik
  structure(value, df = object$df, nobs = object$nobs, class = "logLik")
}

#' @rdname pwcstats_logit
#' @importFrom stats nobs
#' @export
nobs.pwcstats_logit <- function(object, ...) {
  # drop1() and step() pass use.fallback.
  refuse_unknown(..., .also = "use.fallback")
  object$nobs
}

#' @rdname pwcstats_logit
#' @importFrom stats formula
#' @export
formula.pwcstats_logit <- function(x, ...) {
  # as.formula() passes env.
  refuse_unknown(..., .also = "env")
  stats::formula(x$terms)
}

#' @rdname pwcstats_logit
#' @importFrom stats family
#' @export
family.pwcstats_firth <- function(object, ...) {
  refuse_unknown(...)
  stats::binomial()
}

#' @rdname pwcstats_logit
#' @importFrom stats weights
#' @export
weights.pwcstats_logit <- function(object, type = c("prior", "working"), ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  if (type == "prior") {
    return(row_weights(object))
  }
  if (!inherits(object, "pwcstats_firth")) {
    abort("only fits by firth() have working weights.", call)
  }
  mean <- fitted.pwcstats_logit(object)
  row_weights(object) * mean * (1 - mean)
}

# Prior weights as in glm(): 1 by default, multiplied by the number of trials.
row_weights <- function(object) {
  frame <- object$model
  weights <- first_of(stats::model.weights(frame), rep(1, nrow(frame)))
  response <- stats::model.response(frame)
  if (inherits(object, "pwcstats_firth") && is.matrix(response) && ncol(response) == 2L) {
    weights <- weights * rowSums(response)
  }
  stats::naresid(object$na.action, stats::setNames(as.double(weights), rownames(frame)))
}

#' @rdname pwcstats_logit
#' @importFrom stats model.matrix
#' @export
model.matrix.pwcstats_logit <- function(object, ...) { # nolint
  refuse_unknown(...)
  kept_columns(design_of(object$terms, object$model, object$contrasts, sys.call()), object)
}

#' @rdname pwcstats_logit
#' @importFrom stats variable.names
#' @export
variable.names.pwcstats_logit <- function(object, ...) { # nolint
  refuse_unknown(...)
  colnames(model.matrix.pwcstats_logit(without_aliased(object)))
}

# base::labels.default() would give the names of the parts of the object.
#' @rdname pwcstats_logit
#' @export
labels.pwcstats_logit <- function(object, ...) {
  refuse_unknown(...)
  attr(object$terms, "term.labels")
}

#' @rdname pwcstats_logit
#' @importFrom stats case.names
#' @export
case.names.pwcstats_logit <- function(object, ...) { # nolint
  refuse_unknown(...)
  rownames(object$model)[row_weights_used(object) > 0]
}

#' @rdname pwcstats_logit
#' @importFrom stats confint
#' @export
confint.pwcstats_logit <- function(object,
                                   parm,
                                   level = 0.95,
                                   method = c("wald", "profile"),
                                   ...,
                                   conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  method <- check_choice(method, call)
  level <- read_level(call)
  every <- names(object$se)
  terms <- if (missing(parm)) every else chosen_terms(parm, every, call)
  if (method == "wald") {
    bounds <- wald_bounds(flat_coefficients(object), object$se, level)
  } else {
    fit <- thaw(object, call)
    options <- list(alpha = 1 - level, method = method)
    bounds <- bounds_from_py(call_bridge(fit$conf_int, list(), options, call))
    bounds <- bounds[python_order(object), , drop = FALSE]
    bounds[is.nan(bounds)] <- NA
  }
  as_intervals(bounds[match(terms, every), ], terms, level)
}

# Positions of the coefficients in Python.
python_order <- function(object) {
  if (!is.null(object$stages)) {
    n_stages <- length(object$stages)
    n_columns <- ncol(model.matrix.pwcstats_logit(object))
    stage_order(n_stages, n_columns, object$parallel)
  } else if (inherits(object, "pwcstats_ordered_logit")) {
    thresholds_first(length(object$zeta), length(object$coefficients))
  } else {
    seq_along(object$se)
  }
}

#' @rdname pwcstats_logit
#' @exportS3Method generics::tidy
tidy.pwcstats_logit <- function(x, # nolint
                                conf.int = FALSE, # nolint
                                conf.level = 0.95, # nolint
                                conf.method = c("wald", "profile"), # nolint
                                exponentiate = FALSE,
                                ...,
                                level = conf.level) {
  call <- sys.call()
  refuse_unknown(...)
  check_flag(conf.int, "conf.int", call)
  level <- read_level(call)
  method <- check_choice(conf.method, call)
  check_flag(exponentiate, "exponentiate", call)
  # Tests and intervals use the same likelihood.
  table <- if (method == "wald") {
    coefficient_table(flat_coefficients(x), x$se)
  } else {
    profile_table(x, call)
  }
  table <- tidy_table(
    table,
    if (conf.int) confint.pwcstats_logit(x, level = level, method = method)
  )
  if (exponentiate) {
    odds <- intersect(c("estimate", "conf.low", "conf.high"), names(table))
    table[odds] <- lapply(table[odds], exp)
  }
  table
}

# Likelihood-ratio tests of each coefficient of each class or stage.
profile_table <- function(object, call) {
  fit <- thaw(object, call)
  tests <- call_bridge(fit$tidy, list(), list(method = "profile"), call)
  order <- python_order(object)
  table <- cbind(
    "Estimate" = flat_coefficients(object),
    "Std. Error" = object$se,
    "Chisq" = vector_from_py(tests$statistic)[order],
    "Pr(>Chi)" = vector_from_py(tests$p_value)[order]
  )
  replace(table, is.nan(table), NA)
}

#' @rdname pwcstats_logit
#' @exportS3Method generics::tidy
tidy.pwcstats_firth_multinom <- function(x, ...) { # nolint
  table <- NextMethod()
  # The class has a column of its own, as for multinom().
  grid <- expand.grid(term = colnames(x$coefficients), class = rownames(x$coefficients))
  table$term <- as.character(grid$term)
  data.frame(y.level = as.character(grid$class), table)
}

#' @rdname pwcstats_logit
#' @exportS3Method generics::glance
glance.pwcstats_logit <- function(x, ...) { # nolint
  refuse_unknown(...)
  glance_row(x)
}

#' @rdname pwcstats_logit
#' @importFrom stats extractAIC
#' @export
extractAIC.pwcstats_logit <- function(fit, scale = 0, k = 2, ...) {
  refuse_unknown(...)
  loglik <- stats::logLik(fit)
  df <- attr(loglik, "df")
  c(df, -2 * as.numeric(loglik) + k * df)
}
