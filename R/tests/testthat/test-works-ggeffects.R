# The references are predictions and marginal means, to rounding.
tolerance <- 1e-10

test_works(
  "ggeffects", c("ggpredict()", "ggemmeans()", "ggeffect()"), "firth()",
  {
    skip_without_package("emmeans")
    skip_without_package("effects")
    fit <- firth(case ~ age + education, infert)
    other <- like_glm(fit)
    at <- c(25, 35)
    shown <- as.data.frame(ggeffects::ggpredict(fit, "age [25, 35]"))
    first <- data.frame(age = at, education = levels(infert$education)[[1L]])
    # Other factors are at their first level.
    expect_equal(
      shown$predicted, unname(predict(fit, first, "response")), tolerance = tolerance
    )
    means <- as.data.frame(ggeffects::ggemmeans(fit, "age [25, 35]"))
    direct <- as.data.frame(
      emmeans::emmeans(fit, ~age, at = list(age = at), type = "response")
    )
    expect_equal(means$predicted, direct$prob, tolerance = tolerance)
    expect_equal(means$conf.low, direct$asymp.LCL, tolerance = tolerance)
    effect <- as.data.frame(ggeffects::ggeffect(fit, "age [25, 35]"))
    direct <- as.data.frame(effects::Effect("age", fit, xlevels = list(age = at)))
    expect_equal(effect$predicted, direct$fit, tolerance = tolerance)
    expect_equal(effect$conf.high, direct$upper, tolerance = tolerance)
  }
)

test_works(
  "ggeffects", "ggemmeans()", c("firth_multinom()", "cratio()", "ordered_logit()"),
  {
    skip_without_package("emmeans")
    fits <- list(
      firth_multinom(ozone ~ Temp + Wind, days), cratio(ozone ~ Temp + Wind, days),
      ordered_logit(ozone ~ Temp + Wind, days)
    )
    for (fit in fits) {
      means <- as.data.frame(ggeffects::ggemmeans(fit, "Temp [70, 85]"))
      direct <- as.data.frame(emmeans::emmeans(fit, ~ ozone * Temp, at = list(Temp = c(70, 85))))
      expect_identical(as.character(means$response.level), as.character(direct$ozone))
      expect_equal(means$predicted, direct$prob, tolerance = tolerance)
      expect_equal(means$conf.low, direct$asymp.LCL, tolerance = tolerance)
      expect_error(ggeffects::ggpredict(fit, "Temp [70, 85]"), "use ggemmeans\\(\\)")
    }
  }
)
