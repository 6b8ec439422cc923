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
  method <- utils::getS3method("coefci", "default", envir = asNamespace("lmtest"))
  method(x, parm = parm, ..., df = df)
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
