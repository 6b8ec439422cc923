# The functions of lmtest with our fits, compared with anova(), with lmtest itself for fits without
# penalty, and with glm() at the same coefficients.

# Both sides are arithmetic with the same numbers.
same <- 1e-10
# glm() stops at a relative change of the deviance of 1e-14, and computes its covariance one step
# earlier.
against_glm <- 1e-7

test_works(
  "lmtest", "lrtest()", c("firth()", "firth_multinom()", "cratio()", "ordered_logit()"),
  {
    fits <- list(
      firth(ill ~ x + site, visits, weights = rep(1:2, 8), offset = x / 3),
      firth_multinom(grade ~ x + site, visits),
      cratio(grade ~ x + site, visits, penalty = "firth", parallel = TRUE),
      ordered_logit(grade ~ x + site, visits, penalty = "firth", offset = x / 3)
    )
    for (fit in fits) {
      small <- update(fit, . ~ . - x)
      null <- update(fit, . ~ 1)
      expected <- anova(null, small, fit)
      found <- lmtest::lrtest(null, small, fit)
      expect_equal(found[["#Df"]], expected$npar)
      expect_equal(found$Df, expected$Df)
      expect_equal(found$Chisq, expected$Deviance, tolerance = same)
      expect_equal(found[["Pr(>Chisq)"]], expected[["Pr(>Chi)"]], tolerance = same)
      expect_equal(found$LogLik[[3]], as.numeric(logLik(fit, penalized = TRUE)))
      # It is not the test of the likelihoods without penalty.
      unpenalised <- 2 * as.numeric(logLik(fit) - logLik(null))
      alone <- lmtest::lrtest(fit)
      expect_gt(abs(alone$Chisq[[2]] - unpenalised), 1e-3)
      expect_equal(alone$Chisq[[2]], abs(anova(fit, null)$Deviance[[2]]), tolerance = same)
      for (change in list(small, "x", . ~ . - x, 1)) {
        dropped <- lmtest::lrtest(fit, change)
        expect_equal(dropped$Chisq[[2]], expected$Deviance[[3]], tolerance = same)
        expect_equal(dropped$Df[[2]], -expected$Df[[3]])
      }
    }
    expect_match(paste(attr(alone, "heading"), collapse = " "), "Model 2: grade ~ 1")
    expect_output(print(alone), "Penalised likelihood ratio test")
    expect_refused(lmtest::lrtest(fits[[1]], "zz"), "one of the terms 'x', 'site', got 'zz'")
    expect_refused(lmtest::lrtest(fits[[1]], fits[[2]]), "fits by the same function")
    other <- update(fits[[1]], weights = NULL)
    expect_refused(lmtest::lrtest(fits[[1]], other), "neither is nested")
    expect_refused(
      lmtest::lrtest(fits[[1]], update(other, . ~ x)), "weights differs"
    )
  }
)

test_works(
  "lmtest", c("lrtest()", "waldtest()", "coeftest()", "coefci()"), "cratio()",
  {
    # Without penalty the generic code is right.
    fit <- cratio(grade ~ x + site, visits)
    strip <- function(table) lapply(table, as.vector)
    small <- cratio(grade ~ site, visits)
    expect_equal(
      strip(lmtest::lrtest(fit, small)), strip(lmtest::lrtest.default(fit, small)),
      tolerance = same
    )
    found <- lmtest::waldtest(fit, small)
    expect_equal(strip(found), strip(lmtest::waldtest.default(fit, small)), tolerance = same)
    # Its estimates and tests are those of separate glm() fits.
    for (stage in c("mild", "bad")) {
      reached <- visits[as.integer(visits$grade) <= match(stage, levels(visits$grade)), ]
      apart <- glm(
        I(grade == stage) ~ x + site, binomial, reached,
        control = glm.control(epsilon = 1e-14)
      )
      rows <- paste0(names(coef(apart)), ":", stage)
      expect_equal(
        unclass(lmtest::coeftest(fit))[rows, ], unclass(lmtest::coeftest(apart))[, ],
        tolerance = against_glm, ignore_attr = TRUE
      )
      expect_equal(
        lmtest::coefci(fit, parm = rows), lmtest::coefci(apart),
        tolerance = against_glm, ignore_attr = TRUE
      )
    }
  }
)

test_works(
  "lmtest", c("lrtest()", "waldtest()", "coeftest()", "coefci()"), "ordered_logit()",
  {
    skip_without_package("ordinal")
    fit <- ordered_logit(grade ~ x + site, visits)
    small <- ordered_logit(grade ~ site, visits)
    precise <- ordinal::clm.control(gradTol = 1e-12, maxIter = 200L)
    clm <- ordinal::clm(grade ~ x + site, data = visits, control = precise)
    smaller <- ordinal::clm(grade ~ site, data = visits, control = precise)
    strip <- function(table) lapply(table, as.vector)
    expect_equal(
      strip(lmtest::lrtest(fit, small)), strip(lmtest::lrtest(clm, smaller)),
      tolerance = against_glm
    )
    expect_equal(
      strip(lmtest::waldtest(fit, small)), strip(lmtest::waldtest.default(fit, small)),
      tolerance = same
    )
    # lmtest takes t tests for clm(), unless df is infinite.
    expect_equal(
      unclass(lmtest::coeftest(fit)), unclass(lmtest::coeftest(clm, df = Inf)),
      tolerance = against_glm, ignore_attr = TRUE
    )
    expect_equal(
      lmtest::coefci(fit), lmtest::coefci(clm, df = Inf),
      tolerance = against_glm, ignore_attr = TRUE
    )
    expect_identical(rownames(lmtest::coeftest(fit)), names(coef(clm)))
  }
)

test_works(
  "lmtest", c("coeftest()", "coefci()", "waldtest()"), c("firth()", "firth_multinom()"),
  {
    fit <- firth(ill ~ x + site, visits)
    several <- firth_multinom(grade ~ x + site, visits)
    for (one in list(fit, several)) {
      found <- lmtest::coeftest(one)
      expect_identical(rownames(found), rownames(vcov(one)))
      expect_identical(colnames(found), c("Estimate", "Std. Error", "z value", "Pr(>|z|)"))
      expect_equal(found[, ], summary(one)$coefficients, tolerance = same, ignore_attr = TRUE)
      expect_equal(lmtest::coefci(one), confint(one), tolerance = same, ignore_attr = TRUE)
      expect_identical(attr(found, "nobs"), nobs(one))
      # A matrix or a function; with df they are t tests.
      v <- 4 * vcov(one)
      by_matrix <- lmtest::coeftest(one, vcov. = v, df = 7)
      expect_equal(by_matrix[, 2], 2 * found[, 2], tolerance = same)
      expect_equal(by_matrix[, 4], 2 * pt(-abs(found[, 3]) / 2, 7), tolerance = same)
      expect_equal(
        lmtest::coeftest(one, vcov. = function(x, by) by * vcov(x), by = 4),
        lmtest::coeftest(one, vcov. = v),
        tolerance = same
      )
      expect_refused(lmtest::coeftest(one, vcov. = v[1:2, 1:2]), "vcov must be a")
      # A Wald test of all coefficients of a term.
      tested <- grep("x$", rownames(vcov(one)), value = TRUE)
      estimate <- if (is.matrix(coef(one))) as.vector(t(coef(one))) else coef(one)
      names(estimate) <- rownames(vcov(one))
      expected <- sum(estimate[tested] * solve(v[tested, tested], estimate[tested]))
      wald <- lmtest::waldtest(one, . ~ . - x, vcov = v)
      expect_equal(wald$Chisq[[2]], expected, tolerance = same)
      expect_equal(wald$Df[[2]], -length(tested))
      expect_equal(wald$Res.Df[[1]], df.residual(one))
      expect_refused(lmtest::coefci(one, "nobody"), "got 'nobody'")
      expect_equal(
        lmtest::coefci(one, 2), confint(one, 2),
        tolerance = same, ignore_attr = TRUE
      )
      expect_refused(
        lmtest::lrtest(one, glm(ill ~ 1, binomial, visits)), "by firth.*\\(\\), a formula"
      )
      expect_refused(lmtest::waldtest(one, test = "F"), "test must be one of 'Chisq'")
    }
    # As lmtest's own code for a fit with a vector of coefficients.
    null <- firth(ill ~ 1, visits)
    expect_equal(
      lapply(lmtest::waldtest(fit), as.vector),
      lapply(lmtest::waldtest.default(fit, null), as.vector),
      tolerance = same
    )
  }
)

test_that("lrtest() evaluates updates where it is called", {
  skip_without_python()
  skip_without_package("lmtest")
  inside <- function() {
    local_data <- visits
    fit <- firth(ill ~ x + site, local_data)
    lmtest::lrtest(fit, "x")$Chisq[[2]]
  }
  expect_equal(inside(), anova(firth(ill ~ x + site, visits))["x", "Deviance"], tolerance = same)
})
