#' @rdname bt_inference
#' @exportS3Method car::linearHypothesis
linearHypothesis.pwcstats_abilities <- function(model, # nolint
                                                hypothesis.matrix, # nolint
                                                rhs = NULL,
                                                test = c("Chisq", "F"),
                                                vcov. = NULL, # nolint
                                                ...) {
  df <- if (is.null(vcov.)) model$df.inference else Inf
  asked <- if (!missing(test)) check_choice(test, sys.call())
  expected <- if (is.finite(df)) "F" else "Chisq"
  if (!is.null(asked) && asked != expected) {
    abort(
      sprintf(
        "the test must be '%s': the covariance is %s clusters.",
        expected, if (is.finite(df)) "from" else "not from"
      ),
      sys.call()
    )
  }
  found <- NextMethod(test = "Chisq", error.df = Inf)
  if (!is.finite(df)) {
    return(found)
  }
  q <- found[2L, "Df"]
  if (q > df) {
    message <- "%d clusters allow a test of at most %d hypotheses, got %d; test fewer."
    abort(sprintf(message, df + 1L, df, q), sys.call())
  }
  f <- found[2L, "Chisq"] * (df - q + 1) / (q * df)
  found[2L, "Chisq"] <- f
  found[2L, "Pr(>Chisq)"] <- stats::pf(f, q, df - q + 1, lower.tail = FALSE)
  structure(found, names = c("Df", "F", "Pr(>F)"))
}

#' @rdname bt_inference
#' @exportS3Method car::deltaMethod
deltaMethod.pwcstats_abilities <- function(object, g., ..., level = 0.95) { # nolint
  check_level(level, "level", sys.call())
  found <- NextMethod(level = level)
  df <- object$df.inference
  if (is.finite(df)) {
    found[3:4] <- wald_bounds(found$Estimate, found$SE, level, df)
    if ("z value" %in% names(found)) {
      found[["Pr(>|z|)"]] <- 2 * stats::pt(-abs(found[["z value"]]), df)
      names(found)[6:7] <- c("t value", "Pr(>|t|)")
    }
  }
  found
}

#' @rdname bt_inference
#' @exportS3Method car::Anova
Anova.pwcstats_abilities <- function(mod, ...) { # nolint
  abort(
    if (mod$is_ranking) {
      "fits to rankings have no terms; use anova(fit) to test equal abilities."
    } else {
      "Anova() has no method for fits by bt(); use drop1(fit, test = 'Chisq')."
    },
    sys.call()
  )
}

#' @rdname bt_inference
#' @exportS3Method car::vif
vif.pwcstats_abilities <- function(mod, ...) { # nolint
  abort(
    "variance inflation needs a model with an intercept; use cov2cor(vcov(fit)) instead.",
    sys.call()
  )
}
