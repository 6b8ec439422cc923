# glht() of multcomp with our fits, compared with glht() of brglm2's fits and with tests worked out
# here.

# Both sides are arithmetic with the same numbers.
same <- 1e-9
# brglm2 stops at a score of 1e-10.
against_brglm2 <- 1e-6
# Adjusted p-values are computed by randomised integration, with an error of about 1e-4.
integration <- 1e-3

test_works(
  "multcomp", c("glht()", "mcp()", "confint()"), "firth()",
  {
    skip_without_package("brglm2")
    fit <- firth(ill ~ x + site, visits)
    theirs <- glm(
      ill ~ x + site, binomial, visits,
      method = brglm2::brglmFit, type = "AS_mean", epsilon = 1e-10, maxit = 1000
    )
    for (test in c("Tukey", "Dunnett")) {
      found <- multcomp::glht(fit, multcomp::mcp(site = test))
      expected <- multcomp::glht(theirs, multcomp::mcp(site = test))
      expect_identical(found$df, 0)
      expect_identical(found$linfct, expected$linfct)
      expect_equal(coef(found), coef(expected), tolerance = against_brglm2)
      expect_equal(vcov(found), vcov(expected), tolerance = against_brglm2)
      expect_equal(
        summary(found)$test$pvalues, summary(expected)$test$pvalues,
        tolerance = integration, ignore_attr = TRUE
      )
      expect_equal(confint(found)$confint, confint(expected)$confint, tolerance = integration)
    }
  }
)

test_works(
  "multcomp", "glht()", c("firth_multinom()", "cratio()", "ordered_logit()"),
  {
    check <- function(fit, first, second) {
      names <- rownames(vcov(fit))
      k <- rbind(as.numeric(names == first), (names == first) - (names == second))
      estimate <- if (is.matrix(coef(fit))) as.vector(t(coef(fit))) else coef(fit)
      found <- summary(multcomp::glht(fit, k), test = multcomp::univariate())$test
      se <- sqrt(diag(k %*% vcov(fit) %*% t(k)))
      expect_equal(found$coefficients, drop(k %*% estimate), tolerance = same, ignore_attr = TRUE)
      expect_equal(found$sigma, se, tolerance = same, ignore_attr = TRUE)
      expect_equal(
        found$pvalues, 2 * pnorm(-abs(drop(k %*% estimate) / se)),
        tolerance = same, ignore_attr = TRUE
      )
      as_text <- multcomp::glht(fit, sprintf("`%s` = 0", first))
      expect_equal(coef(as_text), coef(multcomp::glht(fit, k))[1], ignore_attr = TRUE)
      robust <- multcomp::glht(fit, k, vcov. = 4 * vcov(fit))
      expect_equal(sqrt(diag(vcov(robust))), 2 * se, tolerance = same, ignore_attr = TRUE)
    }
    check(firth_multinom(grade ~ x + site, visits), "mild:x", "bad:x")
    check(cratio(grade ~ x + site, visits), "x:mild", "x:bad")
    check(cratio(grade ~ x + site, visits, parallel = TRUE), "x", "sitewest")
    check(ordered_logit(grade ~ x + site, visits), "sitesouth", "sitewest")
    check(ordered_logit(grade ~ x + site, visits, penalty = "firth"), "x", "mild|bad")
  }
)

test_works(
  "multcomp", c("glht()", "mcp()"), c("cratio()", "ordered_logit()"),
  {
    skip_without_package("MASS")
    theirs <- MASS::polr(
      grade ~ x + site, visits, Hess = TRUE, control = list(reltol = 1e-15, maxit = 1000)
    )
    ours <- ordered_logit(grade ~ x + site, visits)
    found <- multcomp::glht(ours, multcomp::mcp(site = "Tukey"))
    expected <- multcomp::glht(theirs, multcomp::mcp(site = "Tukey"))
    expect_identical(names(coef(found)), names(coef(expected)))
    # polr() differentiates its gradient numerically.
    expect_equal(coef(found), coef(expected), tolerance = 1e-5)
    expect_equal(vcov(found), vcov(expected), tolerance = 1e-4)
    # Contrasts of the slopes, with any covariance.
    fits <- list(
      ours, cratio(grade ~ x + site, visits, parallel = TRUE),
      cratio(grade ~ x + site, visits, parallel = TRUE, penalty = "firth", direction = "forward")
    )
    slopes <- c("sitesouth", "sitewest")
    k <- rbind(c(1, 0), c(0, 1), c(-1, 1))
    for (fit in fits) {
      found <- multcomp::glht(fit, multcomp::mcp(site = "Tukey"))
      expect_equal(unname(coef(found)), drop(k %*% coef(fit)[slopes]), tolerance = same)
      expect_equal(
        unname(vcov(found)), k %*% vcov(fit)[slopes, slopes] %*% t(k),
        tolerance = same, ignore_attr = TRUE
      )
      robust <- multcomp::glht(fit, multcomp::mcp(site = "Tukey"), vcov. = sandwich::sandwich)
      expect_equal(
        unname(vcov(robust)), k %*% sandwich::sandwich(fit)[slopes, slopes] %*% t(k),
        tolerance = same, ignore_attr = TRUE
      )
    }
    for (fit in list(cratio(grade ~ x + site, visits), firth_multinom(grade ~ x + site, visits))) {
      expect_refused(
        multcomp::glht(fit, multcomp::mcp(site = "Tukey")), "mcp\\(\\) needs one slope for each"
      )
    }
  }
)
