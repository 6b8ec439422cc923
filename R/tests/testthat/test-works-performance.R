# The references are glm() with the same coefficients and formulas written out.
tolerance <- 1e-10

test_works(
  "performance", c("model_performance()", "r2()", "test_likelihoodratio()"), "firth()",
  {
    for (fit in list(firth(hot ~ Wind + month, days), firth(hot ~ Wind, days, offset = shift))) {
      other <- like_glm(fit)
      other$linear.predictors <- predict(fit)
      other$fitted.values <- fitted(fit)
      other$deviance <- fit$deviance
      found <- performance::model_performance(fit)
      p <- fitted(fit)
      expect_equal(found$AIC, AIC(fit))
      expect_equal(found$BIC, BIC(fit))
      k <- fit$df
      expect_equal(found$AICc, AIC(fit) + 2 * k * (k + 1) / (fit$nobs - k - 1))
      expect_equal(
        found$R2_Tjur, mean(p[days$hot == 1]) - mean(p[days$hot == 0]),
        tolerance = tolerance, ignore_attr = TRUE
      )
      expect_equal(
        found$R2_Tjur, performance::r2_tjur(other),
        tolerance = tolerance, ignore_attr = TRUE
      )
      expect_equal(found$RMSE, sqrt(mean((days$hot - p)^2)), tolerance = tolerance)
      expect_equal(found$Sigma, sqrt(fit$deviance / fit$df.residual), tolerance = tolerance)
      observed <- ifelse(days$hot == 1, p, 1 - p)
      expect_equal(found$Log_loss, -mean(log(observed)), tolerance = tolerance)
      expect_equal(found$PCP, mean(observed), tolerance = tolerance)
      expect_identical(names(found), names(performance::model_performance(other)))
      expect_equal(unname(performance::r2(fit)$R2_Tjur), unname(found$R2_Tjur), ignore_attr = TRUE)
    }
    weighted <- firth(hot ~ Wind, days, weights = count)
    repeated <- firth(hot ~ Wind, days[rep(seq_len(nrow(days)), days$count), ])
    expect_equal(
      performance::r2(weighted)$R2_Tjur, performance::r2(repeated)$R2_Tjur, tolerance = 1e-8
    )
    expect_error(
      performance::r2(firth(cbind(ncases, ncontrols) ~ agegp, esoph)), "not numbers of successes"
    )
    expect_error(performance::r2_mcfadden(weighted), "without their penalties")

    small <- firth(hot ~ Wind, days)
    large <- firth(hot ~ Wind + month, days)
    tests <- performance::test_likelihoodratio(small, large)
    expected <- anova(small, large)
    expect_equal(tests$Chi2, expected$Deviance)
    expect_equal(tests$p, expected[["Pr(>Chi)"]])
    expect_equal(tests$df, expected$npar)
    expect_identical(tests$Name, c("small", "large"))
    # It is not the difference of likelihoods without penalties.
    expect_gt(abs(tests$Chi2[2L] - 2 * as.numeric(logLik(large) - logLik(small))), 0.1)
    expect_output(print(tests), "Likelihood-Ratio-Test")
    expect_error(performance::test_likelihoodratio(large), "anova\\(fit\\) tests each term")
    for (compare in list(
      performance::compare_performance, performance::test_performance, performance::test_wald,
      performance::test_vuong, performance::test_bf
    )) {
      expect_error(compare(small, large), "use anova\\(small, large\\) for a test")
    }
  }
)

test_works(
  "performance", c("model_performance()", "test_likelihoodratio()"),
  c("firth_multinom()", "cratio()", "ordered_logit()"),
  {
    fits <- list(
      list(firth_multinom(ozone ~ Temp, days), firth_multinom(ozone ~ Temp + Wind, days)),
      list(cratio(ozone ~ Temp, days), cratio(ozone ~ Temp + Wind, days)),
      list(ordered_logit(ozone ~ Temp, days), ordered_logit(ozone ~ Temp + Wind, days))
    )
    for (pair in fits) {
      fit <- pair[[2L]]
      found <- performance::model_performance(fit)
      p <- predict(fit, type = "prob")
      observed <- outer(as.character(days$ozone), colnames(p), "==")
      expect_equal(found$AIC, AIC(fit))
      expect_equal(found$BIC, BIC(fit))
      expect_equal(found$RMSE, sqrt(mean((observed - p)^2)), tolerance = tolerance)
      expect_equal(found$Sigma, sqrt(fit$deviance / fit$df.residual), tolerance = tolerance)
      tests <- performance::test_likelihoodratio(pair[[1L]], pair[[2L]])
      expect_equal(tests$p, anova(pair[[1L]], pair[[2L]])[["Pr(>Chi)"]])
      expect_error(performance::performance_pcp(fit), "binary outcome")
    }
    # The null model has the offset.
    shifted <- ordered_logit(ozone ~ Temp, days, weights = count, offset = shift)
    expect_equal(
      performance::r2(shifted)$R2[[1L]], 1 - shifted$loglik / update(shifted, . ~ 1)$loglik,
      tolerance = tolerance
    )
    # Without penalty, also after multinom(), whose null model is the same.
    weighted <- cratio(ozone ~ Temp, days, weights = count)
    null <- nnet::multinom(ozone ~ 1, days, weights = count, trace = FALSE)
    expect_equal(
      performance::r2(weighted)$R2[[1L]], 1 - weighted$loglik / as.numeric(logLik(null)),
      # nnet stops early.
      tolerance = 1e-6
    )
    odds <- ordered_logit(ozone ~ Temp, days, weights = count)
    expect_equal(
      performance::r2(odds)$R2[[1L]], 1 - odds$loglik / as.numeric(logLik(null)), tolerance = 1e-6
    )
    penalised <- list(update(weighted, penalty = "firth"), update(odds, penalty = "firth"))
    for (fit in c(list(fits[[1L]][[2L]]), penalised)) {
      expect_error(performance::r2(fit), "not comparable without their penalties")
      expect_null(performance::model_performance(fit)$R2)
      for (f in list(performance::r2_efron, performance::r2_mckelvey)) {
        expect_refused(f(fit), "only for fits by firth\\(\\)")
      }
      for (f in list(performance::r2_coxsnell, performance::r2_nagelkerke)) {
        expect_refused(f(fit), "not comparable without their penalties")
      }
    }
  }
)

test_works(
  "performance", c("model_performance()", "test_likelihoodratio()"), "bt()",
  {
    fit <- bt(citations)
    found <- performance::model_performance(fit)
    expect_equal(unlist(found[c("AIC", "BIC")]), c(AIC = AIC(fit), BIC = BIC(fit)))
    expect_error(performance::model_performance(fit, metrics = "RMSE"), "metrics must be among")
    journals <- data.frame(british = c(TRUE, FALSE, FALSE, TRUE), row.names = rownames(citations))
    small <- bt(citations, covariates = ~british, item_data = journals)
    tests <- performance::test_likelihoodratio(small, fit)
    expect_equal(tests$p, anova(small, fit)[["Pr(>Chi)"]])
    firth <- bt(citations, method = "firth")
    expect_error(performance::test_likelihoodratio(small, firth), "maximum likelihood fits")
    expect_error(performance::compare_performance(small, fit), "use anova\\(small, large\\)")
    expect_refused(performance::check_collinearity(fit), "use cov2cor\\(vcov\\(fit\\)\\)")
  }
)

test_works("performance", c("check_predictions()", "r2_tjur()"), "firth()", {
  fit <- firth(hot ~ Wind + Ozone, days)
  expected <- mean(fitted(fit)[days$hot == 1]) - mean(fitted(fit)[days$hot == 0])
  expect_equal(unname(performance::r2_tjur(fit)), expected, tolerance = tolerance)
  set.seed(1)
  found <- performance::check_predictions(fit, iterations = 3)
  set.seed(1)
  drawn <- simulate(fit, 3)
  expect_equal(as.data.frame(found)[1:3], drawn[1:3], ignore_attr = TRUE)
  expect_equal(found$y, days$hot)
})

test_works("performance", c("check_collinearity()", "r2_efron()"), "firth()", {
  fit <- firth(hot ~ Wind + Ozone, days)
  expect_equal(
    performance::check_collinearity(fit)$VIF, unname(car::vif(fit)),
    tolerance = tolerance
  )
  ratio <- sum((days$hot - fitted(fit))^2) / sum((days$hot - mean(days$hot))^2)
  expect_equal(as.numeric(performance::r2_efron(fit)), 1 - ratio, tolerance = tolerance)
})

test_works("performance", c("check_collinearity()", "r2()"), c("cratio()", "ordered_logit()"), {
  skip_without_package("car")
  skip_without_package("MASS")
  # Its own check_collinearity() of polr() also counts the thresholds, which are not columns.
  odds <- ordered_logit(ozone ~ Temp + Wind, days)
  # performance fits the null model where `days` is unknown.
  theirs <- eval(bquote(MASS::polr(ozone ~ Temp + Wind, .(days), Hess = TRUE)))
  stages <- cratio(ozone ~ Temp + Wind, days, parallel = TRUE)
  for (fit in list(odds, stages)) {
    found <- performance::check_collinearity(fit)
    expect_identical(found$Term, c("Temp", "Wind"))
    expect_equal(found$VIF, unname(car::vif(fit)), tolerance = tolerance)
  }
  for (fit in list(cratio(ozone ~ Temp + Wind, days), firth_multinom(ozone ~ Temp + Wind, days))) {
    expect_refused(performance::check_collinearity(fit), "needs one slope for each column")
  }
  # polr() estimates its likelihood to about seven digits.
  for (name in c("r2_coxsnell", "r2_nagelkerke")) {
    f <- getExportedValue("performance", name)
    expect_equal(f(odds), f(theirs), tolerance = 1e-6)
  }
  # Likelihoods of the stages are those of their binary models.
  null <- cratio(ozone ~ 1, days)
  ratio <- -expm1(2 / nrow(days) * as.numeric(logLik(null) - logLik(stages)))
  expect_equal(unname(performance::r2_coxsnell(stages)), ratio, tolerance = tolerance)
})
