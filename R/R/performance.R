# Model performance and tests of package performance.

# The default method asks insight for its list of classes first.
performance_of <- function(model, ...) {
  method <- utils::getS3method("model_performance", "lm", envir = asNamespace("performance"))
  method(model, ...)
}

#' @exportS3Method performance::model_performance
model_performance.pwcstats_logit <- function(model, ...) { # nolint
  performance_of(model, ...)
}

#' @exportS3Method performance::model_performance
model_performance.pwcstats_abilities <- function(model, # nolint
                                                 metrics = c("AIC", "AICc", "BIC"),
                                                 ...) {
  # Residuals of comparisons and rankings are not those that the other measures need.
  if (metrics[[1L]] %in% c("all", "common")) {
    metrics <- c("AIC", "AICc", "BIC")
  }
  unknown <- setdiff(metrics, c("AIC", "AICc", "BIC"))
  if (length(unknown)) {
    abort(sprintf("metrics must be among 'AIC', 'AICc', 'BIC', got %s.", quoted(unknown)), NULL)
  }
  performance_of(model, metrics = metrics, ...)
}

#' @exportS3Method performance::r2
r2.pwcstats_firth <- function(model, ...) { # nolint
  as_r2("Logistic", R2_Tjur = r2_tjur.pwcstats_firth(model))
}

#' @exportS3Method performance::r2
r2.pwcstats_logit <- function(model, ...) { # nolint
  r2_mcfadden.pwcstats_logit(model)
}

# The mean probability of successes minus that of failures.
#' @exportS3Method performance::r2_tjur
r2_tjur.pwcstats_firth <- function(model, ...) { # nolint
  response <- stats::model.response(model$model)
  if (NCOL(response) > 1L) {
    abort("Tjur's R2 needs a response of 0 and 1, not numbers of successes and failures.", NULL)
  }
  model$na.action <- NULL
  success <- read_binary(one_column(response), NULL)$counts[, 1L] == 1
  mean_of <- function(rows) stats::weighted.mean(fitted(model)[rows], weights(model)[rows])
  c("Tjur's R2" = mean_of(success) - mean_of(!success))
}

#' @exportS3Method performance::r2_mcfadden
r2_mcfadden.pwcstats_logit <- function(model, ...) { # nolint
  null <- null_loglik(model, "McFadden's R2")
  as_r2("Generalized Linear", R2 = c("McFadden's R2" = 1 - model$loglik / null))
}

#' @exportS3Method performance::r2_coxsnell
r2_coxsnell.pwcstats_logit <- function(model, ...) { # nolint
  null <- null_loglik(model, "Cox and Snell's R2")
  c("Cox & Snell's R2" = -expm1(2 / model$nobs * (null - model$loglik)))
}

#' @exportS3Method performance::r2_nagelkerke
r2_nagelkerke.pwcstats_logit <- function(model, ...) { # nolint
  null <- null_loglik(model, "Nagelkerke's R2")
  highest <- -expm1(2 / model$nobs * null)
  c("Nagelkerke's R2" = unname(r2_coxsnell.pwcstats_logit(model)) / highest)
}

# The log-likelihood without predictors.
null_loglik <- function(model, what) {
  if (!identical(model$penalty, "none")) {
    abort(
      sprintf(
        paste(
          "%s compares likelihoods, which are not comparable without their penalties;",
          "anova(fit) has penalised tests."
        ),
        what
      ),
      NULL
    )
  }
  model$na.action <- NULL
  if (!is.null(stats::model.offset(model$model))) {
    # As after glm(), the null model has the offset.
    return(refit(model, "(Intercept)")$loglik)
  }
  classes <- as.character(one_column(stats::model.response(model$model)))
  totals <- vapply(split(weights(model), classes), sum, numeric(1L))
  totals <- totals[totals > 0]
  sum(totals * log(totals / sum(totals)))
}

#' @exportS3Method performance::r2_efron
r2_efron.pwcstats_logit <- function(model) { # nolint
  refuse_several_classes(model, "Efron's R2")
  NextMethod()
}

#' @exportS3Method performance::r2_mckelvey
r2_mckelvey.pwcstats_logit <- function(model) { # nolint
  refuse_several_classes(model, "McKelvey's R2")
  NextMethod()
}

# The covariance of all coefficients is not that of the columns of one linear predictor.
#' @exportS3Method performance::check_collinearity
check_collinearity.pwcstats_logit <- function(x, ...) { # nolint
  refuse_aliased(x, "check_collinearity()", NULL)
  refuse_separate_slopes(x, "check_collinearity()", "fit one of them by firth()", NULL)
  if (inherits(x, "pwcstats_firth")) {
    return(NextMethod())
  }
  performance::check_collinearity(one_equation(x), ...)
}

#' @exportS3Method performance::check_collinearity
check_collinearity.pwcstats_abilities <- function(x, ...) { # nolint
  abort(
    "variance inflation needs a model with an intercept; use cov2cor(vcov(fit)) instead.", NULL
  )
}

refuse_several_classes <- function(model, what) {
  if (!inherits(model, "pwcstats_firth")) {
    abort(sprintf("%s is defined only for fits by firth().", what), NULL)
  }
}

as_r2 <- function(type, ...) {
  structure(list(...), model_type = type, class = c("r2_pseudo", "list"))
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
