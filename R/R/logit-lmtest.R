#' Tests of logistic fits with lmtest
#'
#' Methods for `lrtest()`, `waldtest()`, `coeftest()` and `coefci()` of \pkg{lmtest}.
#'
#' `lrtest()` computes the tests of [anova()][anova.pwcstats_logit]: penalised likelihood-ratio
#' tests where both models have the penalty of the larger model. Its column `LogLik` has the
#' penalised log-likelihood of each fit, with the fit's own penalty, so `Chisq` is not twice the
#' difference. For [cratio()], [ordered_logit()] and [adjacent_categories()] without penalty, the
#' table is the usual one.
#'
#' Like those of `glm()`, the coefficients have no variance to be estimated. Tests and intervals are
#' therefore based on the normal and the chi-squared distribution, not on t and F; `df` in
#' `coeftest()` and `coefci()` changes that.
#'
#' Further models in `lrtest()` and `waldtest()` may be fits, formulas for [update()] such as
#' `. ~ . - x`, and names or numbers of terms to drop; each updates the model before it. By default
#' the fit is compared with `. ~ 1`. Updated models are fitted where the function is called. All
#' models must use the same rows.
#'
#' @param object,x A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param ... Further models, see Details. For `coeftest()` and `coefci()`, passed to `vcov.` if it
#'   is a function.
#' @param name A function that returns a description of a model; by default its formula.
#' @param vcov,vcov. Covariance matrix of the coefficients, in the order of [vcov()], or a function
#'   that computes it, such as `sandwich` or `vcovCL` of \pkg{sandwich}. `waldtest()` calls it with
#'   the larger model.
#' @param test `"Chisq"`.
#' @param df Degrees of freedom of the t distribution, by default infinite.
#' @param parm Names or numbers of the coefficients, by default all.
#' @param level Confidence level.
#' @param save Keep `x` in the result?
#' @return As for other models: a data frame of class `anova`, a matrix of class `coeftest`, or a
#'   matrix of bounds. Coefficients of [firth_multinom()] have names such as `"class:term"`.
#' @examplesIf pwcstats_available() && requireNamespace("lmtest", quietly = TRUE)
#' fit <- firth(am ~ wt + hp, mtcars)
#' lmtest::lrtest(fit)
#' lmtest::lrtest(fit, "hp")
#' lmtest::waldtest(fit, . ~ . - hp)
#' lmtest::coefci(fit)
#' @name pwcstats_lmtest
NULL

#' @rdname pwcstats_lmtest
#' @exportS3Method lmtest::lrtest
lrtest.pwcstats_logit <- function(object, ..., name = NULL) { # nolint
  call <- sys.call()
  fits <- nested_fits(object, list(...), parent.frame(), call)
  tests <- test_in_turn(fits, function(first, second) compare_two(first, second, call))
  table <- data.frame(
    "#Df" = vapply(fits, function(fit) as.double(fit$df), 0),
    LogLik = vapply(fits, function(fit) fit$penalized_loglik, 0),
    Df = tests$Df,
    Chisq = tests$Chisq,
    "Pr(>Chisq)" = tests$p,
    check.names = FALSE
  )
  note <- if (!identical(object$penalty, "none")) {
    "LogLik has the penalty of each model, Chisq that of the larger model in both.\n"
  }
  title <- if (is.null(note)) "Likelihood ratio test\n" else "Penalised likelihood ratio test\n"
  with_models(table, title, fits, name, note)
}

#' @rdname pwcstats_lmtest
#' @exportS3Method lmtest::waldtest
waldtest.pwcstats_logit <- function(object, # nolint
                                    ...,
                                    vcov = NULL,
                                    test = "Chisq",
                                    name = NULL) {
  call <- sys.call()
  check_choice(test, call)
  fits <- nested_fits(object, list(...), parent.frame(), call)
  fits <- lapply(fits, without_aliased)
  if (length(fits) > 2L && !is.null(vcov) && !is.function(vcov)) {
    abort("to compare more than two models, vcov must be a function.", call)
  }
  tests <- test_in_turn(fits, function(first, second) {
    sizes <- refuse_not_nested(first, second, call)
    columns_between(sizes$smaller, sizes$larger, call)
    tested <- setdiff(names(sizes$larger$se), names(sizes$smaller$se))
    if (length(tested) != sizes$larger$df - sizes$smaller$df) {
      abort("the coefficients of one model are not among those of the other.", call)
    }
    statistic <- wald_statistic(sizes$larger, tested, covariance(sizes$larger, vcov, call))
    df <- length(tested)
    c(df, statistic, stats::pchisq(statistic, df, lower.tail = FALSE))
  })
  table <- data.frame(
    Res.Df = vapply(fits, function(fit) as.double(fit$df.residual), 0),
    Df = tests$Df,
    Chisq = tests$Chisq,
    "Pr(>Chisq)" = tests$p,
    check.names = FALSE
  )
  with_models(table, "Wald test\n", fits, name)
}

#' @rdname pwcstats_lmtest
#' @exportS3Method lmtest::coeftest
coeftest.pwcstats_logit <- function(x, vcov. = NULL, df = Inf, ..., save = FALSE) { # nolint
  # As after glm(), the default covariance has rows for coefficients that are NA, others have not.
  if (!is.null(vcov.)) {
    x <- without_aliased(x)
  }
  v <- covariance(x, vcov., sys.call(), ...)
  result <- lmtest::coeftest(equation_of(x), vcov. = v, df = df)
  attr(result, "nobs") <- x$nobs
  attr(result, "logLik") <- stats::logLik(x) # nolint
  if (save) {
    attr(result, "object") <- x
  }
  result
}

#' @rdname pwcstats_lmtest
#' @exportS3Method lmtest::coefci
coefci.pwcstats_logit <- function(x, parm = NULL, level = 0.95, vcov. = NULL, df = Inf, ...) { # nolint
  call <- sys.call()
  if (!is.null(vcov.)) {
    x <- without_aliased(x)
  }
  v <- covariance(x, vcov., call, ...)
  parm <- chosen_terms(first_of(parm, names(x$se)), names(x$se), call)
  lmtest::coefci(equation_of(x), parm = parm, level = level, vcov. = v, df = df)
}

# The covariance that a user gives, with the names of the coefficients.
covariance <- function(object, given, call, ...) {
  if (is.null(given)) {
    refuse_unknown(...)
    return(object$vcov)
  }
  v <- if (is.function(given)) given(object, ...) else given
  known <- names(object$se)
  if (!is.null(object$columns) && all(known %in% rownames(v)) && all(known %in% colnames(v))) {
    # Without the rows of coefficients that are NA.
    v <- v[known, known, drop = FALSE]
  }
  size <- length(known)
  if (!is.matrix(v) || !is.numeric(v) || any(dim(v) != size)) {
    abort(
      sprintf(
        "vcov must be a %d x %d matrix or a function that returns one, got %s.",
        size, size, if (is.matrix(v)) paste(dim(v), collapse = " x ") else kind(v)
      ),
      call
    )
  }
  with_dimnames(v, names(object$se), names(object$se))
}

# Methods of other packages take coef() for a vector, which is wrong for a matrix.
equation_of <- function(object) {
  structure(list(coefficients = flat_coefficients(object), vcov = object$vcov), class = "equation")
}

# Wald statistic that some coefficients are 0.
wald_statistic <- function(object, tested, v = object$vcov) {
  refuse_infinite_estimates(object, "a Wald test", NULL)
  estimate <- flat_coefficients(object)[tested]
  sum(estimate * solve(v[tested, tested, drop = FALSE], estimate))
}

# The fit and those that follow from formulas or terms, each from the one before it.
nested_fits <- function(object, further, environment, call) {
  fits <- list(object)
  for (model in if (length(further)) further else list(. ~ 1)) {
    last <- fits[[length(fits)]]
    if (!inherits(model, "pwcstats_logit")) {
      changes <- read_changes(model, last, call)
      model <- eval(stats::update(last, changes, evaluate = FALSE), environment)
    }
    if (class(model)[[1L]] != class(object)[[1L]]) {
      abort("all models must be fits by the same function.", call)
    }
    fits <- c(fits, list(model))
  }
  fits
}

read_changes <- function(model, fit, call) {
  labels <- attr(fit$terms, "term.labels")
  if (is.numeric(model)) {
    model <- labels[model]
  }
  if (inherits(model, "formula")) {
    return(model)
  }
  if (!is.character(model) || !length(model) || !all(model %in% labels)) {
    abort(
      sprintf(
        "a model must be a fit by %s, a formula such as . ~ . - x, or one of the terms %s, got %s.",
        fitter_of(fit), quoted(labels), show_value(model)
      ),
      call
    )
  }
  stats::as.formula(paste(". ~ .", paste("-", model, collapse = " ")))
}

fitter_of <- function(fit) {
  paste0(sub("pwcstats_", "", class(fit)[[1L]], fixed = TRUE), "()")
}

# Differences, statistics and p-values of each model and the one before it.
test_in_turn <- function(fits, test) {
  tests <- vapply(seq_along(fits)[-1L], function(i) test(fits[[i - 1L]], fits[[i]]), numeric(3L))
  list(
    Df = c(NA, diff(vapply(fits, function(fit) as.double(fit$df), 0))),
    Chisq = c(NA, tests[2L, ]),
    p = c(NA, tests[3L, ])
  )
}

with_models <- function(table, title, fits, name, note = NULL) {
  describe <- first_of(name, describe_formula)
  models <- number_models(vapply(fits, describe, ""))
  structure(table, heading = c(title, models, note), class = c("anova", "data.frame"))
}
