# Model performance and tests of package performance.

#' @exportS3Method performance::model_performance
model_performance.pwcstats_logit <- function(model, ...) { # nolint
  performance_of(model, ...)
}

#' @exportS3Method performance::model_performance
model_performance.pwcstats_abilities <- function(model, ...) { # nolint
  performance_of(model, ...)
}

# The default method first asks insight for its list of classes.
performance_of <- function(model, ...) {
  method <- utils::getS3method("model_performance", "lm", envir = asNamespace("performance"))
  method(model, ...)
}

#' @exportS3Method performance::r2
r2.pwcstats_firth <- function(model, ...) { # nolint
  structure(list(R2_Tjur = performance::r2_tjur(model)), class = c("r2_pseudo", "list"))
}

#' @exportS3Method performance::r2
r2.pwcstats_logit <- function(model, ...) { # nolint
  structure(list(R2 = performance::r2_mcfadden(model)), class = c("r2_pseudo", "list"))
}

#' @exportS3Method performance::test_likelihoodratio
test_likelihoodratio.pwcstats_logit <- function(..., estimator = "ML") { # nolint
  likelihood_ratio_table(list(...), match.call(expand.dots = FALSE)$...)
}

#' @exportS3Method performance::test_likelihoodratio
test_likelihoodratio.pwcstats_abilities <- function(..., estimator = "ML") { # nolint
  likelihood_ratio_table(list(...), match.call(expand.dots = FALSE)$...)
}

# The tests of anova(), penalised if the fits are.
likelihood_ratio_table <- function(fits, arguments) {
  if (length(fits) < 2L) {
    abort("test_likelihoodratio() compares two or more fits; anova(fit) tests each term.", NULL)
  }
  tests <- do.call(stats::anova, unname(fits))
  increasing <- all(diff(tests$npar) > 0)
  structure(
    data.frame(
      Name = first_of(names(fits), vapply(arguments, deparse1, "")),
      Model = vapply(fits, function(fit) class(fit)[[1L]], ""),
      df = tests$npar, df_diff = tests$Df, Chi2 = abs(tests$Deviance), p = tests[["Pr(>Chi)"]],
      row.names = NULL
    ),
    is_nested_increasing = increasing, is_nested_decreasing = !increasing, estimator = "ml",
    class = c("test_likelihoodratio", "see_test_likelihoodratio", "data.frame")
  )
}
