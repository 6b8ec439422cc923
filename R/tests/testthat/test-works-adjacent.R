# Other packages with fits by adjacent_categories(). With separate slopes and the penalty it is the
# model of firth_multinom(), whose coefficients of a class are sums over the steps up to it.

# Both fits stop at steps of 1e-9 of the linear predictors.
same_model <- 1e-6
# The same numbers in another order.
same <- 1e-10

pair_of_fits <- function() {
  list(
    steps = adjacent_categories(ozone ~ Temp + month, days, penalty = "firth"),
    classes = firth_multinom(ozone ~ Temp + month, days)
  )
}

test_works(
  "emmeans", c("ref_grid()", "emmeans()", "pairs()", "emtrends()"), "adjacent_categories()",
  {
    fits <- pair_of_fits()
    means <- lapply(fits, emmeans::emmeans, ~ ozone | month)
    expect_equal(as.data.frame(means$steps), as.data.frame(means$classes), tolerance = same_model)
    contrasts <- lapply(means, function(x) as.data.frame(pairs(x)))
    expect_equal(contrasts$steps, contrasts$classes, tolerance = same_model)
    trends <- lapply(fits, function(x) {
      as.data.frame(emmeans::emtrends(x, ~ozone, "Temp", mode = "prob"))
    })
    expect_equal(trends$steps, trends$classes, tolerance = same_model)
    shifted <- adjacent_categories(ozone ~ Temp, days, offset = shift, parallel = TRUE)
    new <- data.frame(Temp = c(70, 85), shift = 0.3)
    at <- function(mode, ...) {
      as.data.frame(emmeans::ref_grid(
        shifted,
        at = list(Temp = new$Temp), offset = 0.3, mode = mode, ...
      ))
    }
    ours <- predict(shifted, new, type = "prob", se.fit = TRUE)
    expect_equal(at("prob")$prob, as.vector(ours$fit), tolerance = same)
    expect_equal(at("prob")$SE, as.vector(ours$se.fit), tolerance = 1e-7)
    expect_equal(at("mean.class")$mean.class, drop(ours$fit %*% 1:3), ignore_attr = TRUE)
    link <- emmeans::ref_grid(
      shifted,
      at = list(Temp = new$Temp), offset = 0.3, mode = "linear.predictor"
    )
    expect_equal(
      predict(link), as.vector(predict(shifted, new, type = "link")), tolerance = same
    )
    expect_identical(link@levels$step, c("middle", "high"))
    expect_refused(emmeans::ref_grid(shifted, mode = "latent"), "mode must be one of")
  }
)

test_works("ggeffects", "ggemmeans()", "adjacent_categories()", {
  skip_without_package("emmeans")
  fits <- pair_of_fits()
  means <- lapply(fits, function(x) as.data.frame(ggeffects::ggemmeans(x, "Temp [70, 85]")))
  expect_equal(means$steps$predicted, means$classes$predicted, tolerance = same_model)
  expect_equal(means$steps$conf.low, means$classes$conf.low, tolerance = same_model)
})

test_works(
  "effects", c("Effect()", "allEffects()", "predictorEffects()"), "adjacent_categories()",
  {
    for (f in c(
      function(x) list(effects::Effect("month", x)), effects::allEffects, effects::predictorEffects
    )) {
      found <- lapply(pair_of_fits(), function(x) as.data.frame(f(x)[[1L]]))
      expect_equal(found$steps, found$classes, tolerance = same_model, ignore_attr = TRUE)
    }
  }
)

test_works(
  "sandwich", c("estfun()", "bread()", "sandwich()", "vcovCL()", "vcovHC()", "vcovBS()"),
  "adjacent_categories()",
  {
    fits <- pair_of_fits()
    p <- ncol(model.matrix(fits$steps))
    # Coefficients of classes in terms of those of steps, which are ordered by term.
    sums <- rbind(kronecker(diag(p), t(c(1, 0))), kronecker(diag(p), t(c(1, 1))))
    expect_equal(
      sandwich::estfun(fits$steps), sandwich::estfun(fits$classes) %*% sums,
      tolerance = same_model, ignore_attr = TRUE
    )
    expect_equal(
      sums %*% sandwich::vcovCL(fits$steps, cluster = days$month) %*% t(sums),
      sandwich::vcovCL(fits$classes, cluster = days$month),
      tolerance = same_model, ignore_attr = TRUE
    )
    for (parallel in c(FALSE, TRUE)) {
      fit <- adjacent_categories(ozone ~ Temp, days,
        weights = count, offset = shift, parallel = parallel
      )
      # The derivative by the logit of a step is 1(y above it) - P(y above it).
      above <- outer(as.integer(days$ozone), 2:3, ">=") -
        cbind(1 - fitted(fit)[, 1L], fitted(fit)[, 3L])
      slopes <- above * days$Temp
      scores <- days$count * cbind(above, if (parallel) rowSums(slopes) else slopes)
      expect_equal(sandwich::estfun(fit), scores, tolerance = same, ignore_attr = TRUE)
      meat <- fit$vcov %*% crossprod(scores) %*% fit$vcov
      expect_equal(sandwich::vcovHC(fit, type = "HC0"), meat, tolerance = same, ignore_attr = TRUE)
      penalised <- update(fit, penalty = "firth")
      scores <- sandwich::estfun(penalised)
      expect_lt(max(abs(colSums(scores)) / colSums(abs(scores))), 1e-7)
    }
    set.seed(1)
    expect_identical(dim(sandwich::vcovBS(fit, R = 5)), c(3L, 3L))
    # With parallel slopes a column may be finite that is not in the multinomial model.
    top <- transform(visits, g = as.numeric(grade == "bad" & x > 0))
    apart <- adjacent_categories(grade ~ x + g, top, penalty = "firth", parallel = TRUE)
    expect_warning(sandwich::sandwich(apart), "infinite \\(g\\)")
    some <- transform(visits, g = as.numeric(grade != "bad" & x > 0))
    separate <- adjacent_categories(grade ~ x + g, some, penalty = "firth")
    expect_warning(sandwich::sandwich(separate), "infinite \\(g:bad\\)")
  }
)

test_works(
  "lmtest", c("lrtest()", "waldtest()", "coeftest()", "coefci()"), "adjacent_categories()",
  {
    fit <- adjacent_categories(grade ~ x + site, visits, parallel = TRUE)
    small <- adjacent_categories(grade ~ site, visits, parallel = TRUE)
    expect_equal(
      lmtest::lrtest(fit, small)[["Pr(>Chisq)"]][[2L]], anova(small, fit)[["Pr(>Chi)"]][[2L]],
      tolerance = same
    )
    expect_equal(
      lmtest::waldtest(fit, small)$Chisq[[2L]], (coef(fit)[["x"]] / fit$se[["x"]])^2,
      tolerance = same
    )
    expect_equal(lmtest::coefci(fit), confint(fit), tolerance = same, ignore_attr = TRUE)
    expect_equal(
      lmtest::coeftest(fit)[, 3L], coef(fit) / fit$se,
      tolerance = same, ignore_attr = TRUE
    )
  }
)

test_works("car", c("Anova()", "linearHypothesis()", "deltaMethod()"), "adjacent_categories()", {
  tests <- lapply(pair_of_fits(), car::Anova)
  expect_equal(tests$steps, tests$classes, tolerance = same_model, ignore_attr = TRUE)
  wald <- lapply(pair_of_fits(), car::Anova, test.statistic = "Wald")
  expect_equal(wald$steps, wald$classes, tolerance = same_model, ignore_attr = TRUE)
  fit <- adjacent_categories(grade ~ x + site, visits, parallel = TRUE)
  expect_equal(
    car::linearHypothesis(fit, "x = 0")$Chisq[[2L]], (coef(fit)[["x"]] / fit$se[["x"]])^2,
    tolerance = same
  )
  expect_equal(car::deltaMethod(fit, "2 * x")$SE, 2 * fit$se[["x"]], tolerance = same)
})

test_works("multcomp", "glht()", "adjacent_categories()", {
  fit <- adjacent_categories(grade ~ x + site, visits, parallel = TRUE)
  found <- multcomp::glht(fit, diag(5)[3, , drop = FALSE])
  expect_equal(unname(coef(found)), coef(fit)[["x"]], tolerance = same)
  expect_equal(sqrt(drop(vcov(found))), fit$se[["x"]], tolerance = same)
})

test_works(
  "insight",
  c(
    "get_parameters()", "get_statistic()", "get_varcov()", "get_df()", "get_loglikelihood()",
    "model_info()", "get_predicted()", "get_residuals()"
  ), "adjacent_categories()",
  {
    fit <- pair_of_fits()$steps
    expect_identical(insight::get_parameters(fit)$Parameter, names(coef(fit)))
    expect_equal(insight::get_statistic(fit)$Statistic, unname(coef(fit) / fit$se))
    expect_equal(insight::get_varcov(fit), vcov(fit))
    expect_identical(insight::get_df(fit), Inf)
    expect_equal(as.numeric(insight::get_loglikelihood(fit)), fit$loglik)
    expect_true(insight::model_info(fit)$is_ordinal)
    p <- predict(fit, type = "prob")
    expect_equal(insight::get_predicted(fit)$Predicted, as.vector(p))
    expect_equal(
      unname(insight::get_residuals(fit)),
      unname(outer(as.character(days$ozone), colnames(p), "==") - p)
    )
  }
)

test_works(
  "parameters", c("model_parameters()", "ci()", "p_value()", "standard_error()"),
  "adjacent_categories()",
  {
    for (parallel in c(FALSE, TRUE)) {
      fit <- adjacent_categories(ozone ~ Temp, days, penalty = "firth", parallel = parallel)
      for (method in c("wald", "profile")) {
        expected <- generics::tidy(fit, conf.int = TRUE, conf.method = method)
        table <- parameters::model_parameters(fit, ci_method = method)
        expect_equal(table$Coefficient, expected$estimate, tolerance = same)
        expect_equal(table$CI_low, expected$conf.low, tolerance = same)
        expect_equal(
          parameters::ci(fit, method = method)$CI_high, expected$conf.high, tolerance = same
        )
        found <- parameters::p_value(fit, method = method)
        expect_equal(found$p, expected$p.value, tolerance = same)
      }
      expect_equal(parameters::standard_error(fit)$SE, unname(fit$se), tolerance = same)
    }
  }
)

test_works(
  "performance", c("model_performance()", "test_likelihoodratio()"), "adjacent_categories()",
  {
    small <- adjacent_categories(ozone ~ Temp, days)
    large <- adjacent_categories(ozone ~ Temp + Wind, days)
    found <- performance::model_performance(large)
    expect_equal(found$AIC, AIC(large))
    null <- update(large, . ~ 1)
    expect_equal(found$R2, 1 - large$loglik / null$loglik, tolerance = same)
    expect_equal(
      performance::test_likelihoodratio(small, large)$p, anova(small, large)[["Pr(>Chi)"]]
    )
  }
)

test_works("broom", c("tidy()", "glance()", "augment()"), "adjacent_categories()", {
  fits <- pair_of_fits()
  expect_equal(broom::glance(fits$steps)$AIC, AIC(fits$classes), tolerance = same_model)
  expect_equal(
    broom::tidy(fits$steps, exponentiate = TRUE)$estimate, unname(exp(coef(fits$steps)))
  )
  rows <- lapply(fits, broom::augment, newdata = days[1:5, ])
  expect_equal(rows$steps, rows$classes, tolerance = same_model)
})
