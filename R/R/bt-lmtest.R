#' Bradley-Terry and Plackett-Luce fits in lmtest and car
#'
#' Methods for `coeftest()`, `coefci()` and `lrtest()` of package \pkg{lmtest}, and for
#' `linearHypothesis()` and `deltaMethod()` of \pkg{car}.
#'
#' `coeftest()`, `coefci()` and `deltaMethod()` use the normal distribution, and after a fit with
#' clusters the t distribution, as `summary()` and `confint()` do. `linearHypothesis()` compares
#' Wald's statistic with the chi-squared distribution. After a fit with clusters, it uses
#' Hotelling's statistic: F with q and G - q degrees of freedom, for q hypotheses and G clusters.
#'
#' `lrtest()` performs the tests of [anova()][pwcstats_bt], with the same conditions: maximum
#' likelihood fits to the same comparisons, one nested in the other. Likelihoods without penalty of
#' other fits cannot be compared, so it stops with an error that names what to use instead.
#'
#' The other functions of these packages that compare models, `waldtest()`, `Anova()` and `vif()`,
#' need models with a response or an intercept. They stop with an error that names another call.
#'
#' @param x,object,model,mod A fit by [bt()] or [plackett_luce()].
#' @param df Degrees of freedom, by default those of the fit.
#' @param g. An expression of coefficients, see `deltaMethod()` in \pkg{car}. Names that are not
#'   syntactic need backquotes.
#' @param parm Names or numbers of coefficients, by default all.
#' @param level Confidence level.
#' @param hypothesis.matrix,rhs,test,vcov. As in `linearHypothesis()` in \pkg{car}. With `vcov.`,
#'   the chi-squared distribution is used.
#' @param ... Further arguments of these functions in \pkg{lmtest} and \pkg{car}; for `lrtest()`
#'   further fits, or formulas for [update()][bt_selection].
#' @return What these functions return for other models.
#' @examplesIf pwcstats_available() && requireNamespace("lmtest", quietly = TRUE)
#' journals <- data.frame(british = c(TRUE, FALSE, FALSE, TRUE), row.names = rownames(citations))
#' small <- bt(citations, formula = ~british, item_data = journals)
#' lmtest::lrtest(small, bt(citations))
#' lmtest::coeftest(small)
#' @name bt_inference
NULL

#' @rdname bt_inference
#' @exportS3Method lmtest::coeftest
coeftest.pwcstats_abilities <- function(x, ..., df = x$df.inference) { # nolint
  NextMethod(df = df)
}

#' @rdname bt_inference
#' @exportS3Method lmtest::coefci
coefci.pwcstats_abilities <- function(x, # nolint
                                      parm = NULL,
                                      ...,
                                      df = x$df.inference) {
  names <- names(x$coefficients)
  parm <- chosen_terms(first_of(parm, names), names, sys.call())
  NextMethod(parm = parm, df = df)
}

#' @rdname bt_inference
#' @exportS3Method lmtest::lrtest
lrtest.pwcstats_abilities <- function(object, ...) { # nolint
  call <- sys.call()
  if (object$is_ranking) {
    abort("fits to rankings are not nested; use anova(fit) to test equal abilities.", call)
  }
  if (!...length()) {
    abort("lrtest() needs two fits by bt(), one nested in the other.", call)
  }
  environment <- parent.frame()
  further <- function(fit, change) {
    if (!inherits(change, "formula")) {
      return(change)
    }
    eval(update(fit, change, evaluate = FALSE), environment)
  }
  fits <- Reduce(further, list(...), object, accumulate = TRUE)
  other <- !vapply(fits, inherits, logical(1L), "pwcstats_bt")
  if (any(other)) {
    what <- kind(fits[other][[1L]])
    abort(sprintf("lrtest() needs fits by bt() or formulas, not %s.", what), call)
  }
  tests <- tryCatch(
    do.call(anova.pwcstats_abilities, unname(fits)),
    pwcstats_error = function(e) abort(conditionMessage(e), call)
  )
  table <- data.frame(tests$npar, tests$logLik, tests$Df, abs(tests$Deviance), tests[["Pr(>Chi)"]])
  names(table) <- c("#Df", "LogLik", "Df", "Chisq", "Pr(>Chisq)")
  structure(
    table,
    heading = c("Likelihood ratio test\n", attr(tests, "heading")[[2L]]),
    class = c("anova", "data.frame")
  )
}

#' @rdname bt_inference
#' @exportS3Method lmtest::waldtest
waldtest.pwcstats_abilities <- function(object, ...) { # nolint
  abort(
    "waldtest() needs models with a response; use car::linearHypothesis(), or lmtest::lrtest().",
    sys.call()
  )
}
