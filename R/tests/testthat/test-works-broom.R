# Names and classes of broom's own methods; numbers of our methods.

test_works(
  "broom", c("tidy()", "glance()", "augment()"), "firth()",
  {
    fit <- firth(hot ~ Wind + month, days)
    other <- like_glm(fit)
    wald <- broom::tidy(fit, conf.int = TRUE, conf.level = 0.9)
    expect_identical(names(wald), names(suppressMessages(broom::tidy(other, conf.int = TRUE))))
    expect_equal(
      unname(as.matrix(wald[c("conf.low", "conf.high")])), unname(confint(fit, level = 0.9))
    )
    odds <- broom::tidy(fit, conf.int = TRUE, exponentiate = TRUE)
    expect_equal(odds$estimate, unname(exp(coef(fit))))
    expect_equal(odds$conf.high, unname(exp(confint(fit)[, 2L])))
    expect_equal(odds$std.error, wald$std.error)
    glance <- broom::glance(fit)
    shared <- c("logLik", "AIC", "BIC", "deviance", "df.residual", "nobs")
    expect_true(all(shared %in% names(broom::glance(other))))
    expect_equal(
      unlist(glance[shared], use.names = FALSE),
      c(fit$loglik, AIC(fit), BIC(fit), fit$deviance, df.residual(other), nobs(other))
    )
    rows <- broom::augment(fit, type.predict = "response")
    expect_equal(rows$.fitted, unname(fitted(fit)))
    expect_equal(rows$.resid, unname(residuals(fit)))
    expect_true(all(c(".fitted", ".resid") %in% names(broom::augment(other))))
  }
)

test_works(
  "broom", c("tidy()", "glance()", "augment()"),
  c("firth_multinom()", "cratio()", "ordered_logit()"),
  {
    fit <- firth_multinom(ozone ~ Temp + month, days)
    other <- like_multinom(fit)
    table <- broom::tidy(fit, conf.int = TRUE)
    expect_identical(names(table), names(broom::tidy(other, conf.int = TRUE)))
    expect_equal(table$estimate, broom::tidy(other)$estimate, tolerance = 1e-12)
    expect_identical(table[1:2], as.data.frame(broom::tidy(other)[1:2]))
    ordered <- cratio(ozone ~ Temp + month, days)
    expect_equal(broom::tidy(ordered, exponentiate = TRUE)$estimate, unname(exp(coef(ordered))))
    odds <- ordered_logit(ozone ~ Temp + month, days)
    skip_without_package("ordinal")
    clm <- like_clm(odds)
    expect_equal(
      broom::tidy(odds, conf.int = TRUE), as.data.frame(
        broom::tidy(clm, conf.int = TRUE, conf.type = "Wald")
      )[names(broom::tidy(odds, conf.int = TRUE))],
      tolerance = 1e-9
    )
    for (x in list(fit, ordered, odds)) {
      expect_equal(broom::glance(x)$AIC, AIC(x))
      rows <- broom::augment(x, newdata = days[1:5, ])
      expect_equal(rows$.prob.high, unname(predict(x, days[1:5, ], "prob")[, "high"]))
      expect_identical(rows$.fitted, predict(x, days[1:5, ], "class"))
    }
  }
)

test_works(
  "broom", c("tidy()", "glance()"), c("bt()", "plackett_luce()"),
  {
    rankings <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2))
    for (fit in list(bt(citations), plackett_luce(rankings))) {
      table <- broom::tidy(fit, conf.int = TRUE)
      expect_equal(table$estimate, unname(coef(fit)))
      expect_equal(unname(as.matrix(table[c("conf.low", "conf.high")])), unname(confint(fit)))
      expect_equal(broom::glance(fit)$AIC, AIC(fit))
    }
  }
)
