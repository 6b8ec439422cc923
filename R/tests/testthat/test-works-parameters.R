# The numbers are those of our own methods.
tolerance <- 1e-12

test_works(
  "parameters",
  c(
    "model_parameters()", "ci()", "p_value()", "standard_error()", "degrees_of_freedom()"
  ),
  c("firth()", "firth_multinom()", "cratio()", "ordered_logit()"),
  {
    fits <- list(
      firth(hot ~ Wind + month, days), firth_multinom(ozone ~ Temp + Wind, days),
      firth_multinom(factor(hot) ~ Wind, days), cratio(ozone ~ Temp + Wind, days),
      cratio(ozone ~ Temp + Wind, days, parallel = TRUE, penalty = "firth"),
      ordered_logit(ozone ~ Temp + Wind, days),
      ordered_logit(ozone ~ Temp + Wind, days, penalty = "firth")
    )
    for (fit in fits) {
      for (method in c("wald", "profile")) {
        expected <- generics::tidy(fit, conf.int = TRUE, conf.level = 0.9, conf.method = method)
        table <- parameters::model_parameters(fit, ci = 0.9, ci_method = method)
        expect_equal(table$Coefficient, expected$estimate, tolerance = tolerance)
        expect_equal(table$SE, expected$std.error, tolerance = tolerance)
        expect_equal(table$CI_low, expected$conf.low, tolerance = tolerance)
        expect_equal(table$CI_high, expected$conf.high, tolerance = tolerance)
        expect_equal(table$p, expected$p.value, tolerance = tolerance)
        statistic <- if (method == "wald") "z" else "Chi2"
        expect_equal(table[[statistic]], expected$statistic, tolerance = tolerance)
        odds <- parameters::model_parameters(
          fit, ci = 0.9, ci_method = method, exponentiate = TRUE
        )
        expect_equal(odds$Coefficient, exp(expected$estimate), tolerance = tolerance)
        expect_equal(odds$CI_high, exp(expected$conf.high), tolerance = tolerance)
        expect_equal(
          parameters::ci(fit, ci = 0.9, method = method)$CI_low, expected$conf.low,
          tolerance = tolerance
        )
        expect_equal(
          parameters::p_value(fit, method = method)$p, expected$p.value, tolerance = tolerance
        )
        # The footnote is a message; it would be wrong for the profile.
        notes <- testthat::capture_messages(shown <- utils::capture.output(print(table)))
        expect_identical(any(grepl("Wald z-distribution", notes)), method == "wald")
        expect_match(shown, statistic, all = FALSE)
      }
      default <- parameters::model_parameters(fit)
      expect_equal(
        cbind(default$CI_low, default$CI_high), unname(confint(fit)), tolerance = tolerance
      )
      expect_equal(parameters::standard_error(fit)$SE, unname(fit$se), tolerance = tolerance)
      expect_identical(parameters::degrees_of_freedom(fit), Inf)
      expect_identical(parameters::degrees_of_freedom(fit, method = "residual"), fit$df.residual)
      expect_error(parameters::ci(fit, method = "profile", vcov = vcov(fit)), "leave out vcov")
      expect_error(parameters::ci(fit, method = "boot"), "method must be one of")
      if (inherits(fit, "pwcstats_firth_multinom")) {
        expect_error(
          parameters::model_parameters(fit, vcov = vcov(fit)), "give it to ci() and p_value()",
          fixed = TRUE
        )
        wide <- parameters::p_value(fit, vcov = 4 * vcov(fit))
        expect_equal(wide$p, 2 * stats::pnorm(-abs(default$z / 2)), tolerance = tolerance)
        next
      }
      wide <- parameters::model_parameters(fit, vcov = 4 * vcov(fit))
      expect_equal(wide$SE, 2 * unname(fit$se), tolerance = tolerance)
      expect_equal(wide$z, default$z / 2, tolerance = tolerance)
      expect_equal(wide$p, 2 * stats::pnorm(-abs(default$z / 2)), tolerance = tolerance)
      width <- 2 * (default$CI_high - default$Coefficient)
      expect_equal(wide$CI_high - wide$Coefficient, width, tolerance = tolerance)
    }
    expect_error(parameters::model_parameters(fits[[2L]], ci = c(0.8, 0.9)), "only one ci")
    two <- parameters::model_parameters(fits[[1L]], ci = c(0.8, 0.9))
    expect_equal(two$CI_low_0.8, unname(confint(fits[[1L]], level = 0.8)[, 1L]))
    some <- parameters::model_parameters(fits[[1L]], keep = "Wind", ci_method = "profile")
    expect_equal(some$Chi2, generics::tidy(fits[[1L]], conf.method = "profile")$statistic[2L])
    # The names of the columns that glm() has.
    expect_identical(
      names(parameters::model_parameters(fits[[1L]])),
      names(parameters::model_parameters(like_glm(fits[[1L]])))
    )
  }
)

test_that("infinite estimates have intervals without bounds in parameters", {
  skip_without_python()
  skip_without_package("parameters")
  fit <- suppressWarnings(cratio(factor(ill) ~ age, separated))
  table <- parameters::model_parameters(fit)
  expect_equal(table$Coefficient, unname(coef(fit)))
  expect_equal(table$CI_low, c(-Inf, -Inf))
  expect_equal(table$CI_high, c(Inf, Inf))
})

test_works(
  "parameters", c("model_parameters()", "ci()", "p_value()", "standard_error()"),
  c("bt()", "plackett_luce()"),
  {
    rankings <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2))
    fits <- list(
      bt(citations), bt(citations, method = "firth"), plackett_luce(rankings),
      # A warning says that 3 clusters are few.
      suppressWarnings(plackett_luce(rankings, cluster = c(1, 1, 2, 3)))
    )
    for (fit in fits) {
      expected <- generics::tidy(fit, conf.int = TRUE)
      table <- parameters::model_parameters(fit)
      expect_identical(table$Parameter, names(coef(fit)))
      expect_equal(table$Coefficient, expected$estimate, tolerance = tolerance)
      expect_equal(
        cbind(table$CI_low, table$CI_high), unname(confint(fit)), tolerance = tolerance
      )
      expect_equal(table$p, expected$p.value, tolerance = tolerance)
      expect_equal(table$SE, expected$std.error, tolerance = tolerance)
      statistic <- if (is.finite(fit$df.inference)) "t" else "z"
      expect_equal(table[[statistic]], expected$statistic, tolerance = tolerance)
      expect_equal(unique(table$df_error), fit$df.inference)
      expect_error(parameters::p_value(fit, vcov = vcov(fit)), "cov_type and cluster")
    }
    profile <- parameters::model_parameters(fits[[1L]], ci_method = "profile")
    expect_equal(
      cbind(profile$CI_low, profile$CI_high), unname(confint(fits[[1L]], method = "profile"))
    )
    none <- bt(citations, cov = "none")
    expect_error(parameters::standard_error(none), "fit with cov = 'full'")
  }
)

test_that("parameters refuses what it would not compute", {
  skip_without_python()
  skip_without_package("parameters")
  for (fit in list(firth(hot ~ Wind, days), cratio(ozone ~ Wind, days), bt(citations))) {
    expect_refused(parameters::standardize_parameters(fit), "cannot be standardised")
    expect_refused(
      parameters::model_parameters(fit, standardize = "refit"), "cannot be standardised"
    )
    expect_refused(parameters::equivalence_test(fit), "use confint\\(fit, level = 0.9\\)")
  }
})
