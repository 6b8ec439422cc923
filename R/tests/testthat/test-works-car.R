# The functions of car with our fits, compared with anova(), with Wald tests worked out here, and
# with car's own code for glm() fits at the same coefficients.

# Both sides are arithmetic with the same numbers.
same <- 1e-9
# Fits to the same columns with other names differ by up to 1e-9 in their linear predictors.
refits <- 1e-7
# glm() computes its covariance one step before the end.
against_glm <- 1e-6

# A glm() fit at the coefficients of ours, for car's own methods.
as_if_glm <- function(fit, formula, data) {
  theirs <- glm(
    formula, binomial, data,
    start = coef(fit), method = brglm2::brglmFit, type = "AS_mean", epsilon = 1e-10, maxit = 1000
  )
  expect_equal(coef(theirs), coef(fit), tolerance = 1e-7)
  theirs
}

crossed <- transform(
  rbind(visits, transform(visits, x = x / 2, ill = 1 - ill)), site = factor(rep(letters[1:2], 16))
)

# Wald statistic of some coefficients.
wald <- function(fit, tested) {
  estimate <- if (is.matrix(coef(fit))) as.vector(t(coef(fit))) else coef(fit)
  estimate <- stats::setNames(estimate, rownames(vcov(fit)))[tested]
  sum(estimate * solve(vcov(fit)[tested, tested], estimate))
}

test_works(
  "car", "Anova()", c("firth()", "firth_multinom()", "cratio()"),
  {
    fits <- list(
      firth(ill ~ x * site, crossed, weights = rep(1:2, 16), offset = x / 3),
      firth_multinom(grade ~ x * site, crossed),
      cratio(grade ~ x * site, crossed, penalty = "firth"),
      cratio(grade ~ x * site, crossed, parallel = TRUE, direction = "forward")
    )
    for (fit in fits) {
      title <- class(fit)[[1]]
      # Type II: main effects in the model without the interaction, which is tested in the full one.
      main <- update(fit, . ~ x + site)
      expected <- rbind(anova(main)[c("x", "site"), ], anova(fit)["x:site", ])
      found <- car::Anova(fit)
      expect_identical(names(found), c("LR Chisq", "Df", "Pr(>Chisq)"), info = title)
      expect_identical(rownames(found), c("x", "site", "x:site"), info = title)
      expect_equal(found[["LR Chisq"]], expected$Deviance, tolerance = refits, info = title)
      expect_equal(found$Df, expected$Df, info = title)
      expect_equal(found[["Pr(>Chisq)"]], expected[["Pr(>Chi)"]], tolerance = refits, info = title)
      third <- car::Anova(fit, type = 3)
      expect_equal(third[["LR Chisq"]], anova(fit)$Deviance, tolerance = same, info = title)
      expect_match(attr(third, "heading")[[1]], "Type III")
      # Wald tests of type III and their intercepts; of type II, the part of a main effect that is
      # uncorrelated with the interaction.
      names <- rownames(vcov(fit))
      pick <- function(pattern) grep(pattern, names, value = TRUE)
      terms <- list(
        pick("Intercept"), pick("(^|:)x(:(none|mild|bad))?$"), pick("siteb"), pick("x:siteb")
      )
      terms[[3]] <- setdiff(terms[[3]], terms[[4]])
      third <- car::Anova(fit, type = "III", test.statistic = "Wald")
      expect_identical(rownames(third), c("(Intercept)", "x", "site", "x:site"), info = title)
      expect_equal(
        third$Chisq, vapply(terms, function(k) wald(fit, k), 0), tolerance = same, info = title
      )
      expect_equal(third$Df, lengths(terms), info = title)
      second <- car::Anova(fit, test.statistic = "Wald")
      both <- lapply(2:3, function(k) c(terms[[k]], terms[[4]]))
      expect_equal(
        second$Chisq,
        c(vapply(both, function(k) wald(fit, k), 0) - wald(fit, terms[[4]]), third$Chisq[[4]]),
        tolerance = same, info = title
      )
      robust <- car::Anova(fit, test.statistic = "Wald", type = 3, vcov. = 4 * vcov(fit))
      expect_equal(robust$Chisq, third$Chisq / 4, tolerance = same, info = title)
    }
    # Without a penalty, the likelihood-ratio tests are those of glm() for two classes.
    two <- cratio(factor(ill) ~ x * site, crossed)
    glm <- glm(ill ~ x * site, binomial, crossed)
    for (type in c("II", "III")) {
      expect_equal(
        lapply(car::Anova(two, type = type), as.vector),
        lapply(car::Anova(glm, type = type), as.vector),
        tolerance = against_glm
      )
    }
    expect_refused(car::Anova(fit, test.statistic = "F"), "test.statistic must be one of 'LR'")
    expect_refused(car::Anova(fit, vcov. = vcov(fit)), "test.statistic = 'Wald'")
    expect_refused(car::Anova(firth(ill ~ 1, visits)), "nothing to test")
    expect_equal(
      car::Anova(firth(ill ~ x + site, visits, correction = "flic")),
      car::Anova(firth(ill ~ x + site, visits))
    )
  }
)

test_works(
  "car", c("Anova()", "linearHypothesis()", "deltaMethod()", "vif()"), "firth()",
  {
    skip_without_package("brglm2")
    fit <- firth(ill ~ x + site, visits)
    theirs <- as_if_glm(fit, ill ~ x + site, visits)
    for (type in c("II", "III")) {
      expect_equal(
        lapply(car::Anova(fit, type = type, test.statistic = "Wald"), as.vector),
        lapply(car::Anova(theirs, type = type, test.statistic = "Wald"), as.vector),
        tolerance = against_glm
      )
    }
    hypothesis <- c("sitesouth = sitewest", "x = 1")
    expect_equal(
      car::linearHypothesis(fit, hypothesis), car::linearHypothesis(theirs, hypothesis),
      tolerance = against_glm, ignore_attr = TRUE
    )
    # Variables of the data frame are not those of the coefficients.
    expect_equal(
      unclass(car::deltaMethod(fit, "exp(x) / (1 + sitewest)")),
      unclass(car::deltaMethod(theirs, "exp(x) / (1 + sitewest)")),
      tolerance = against_glm
    )
    expect_equal(
      car::deltaMethod(fit, "-(Intercept) / x")$Estimate, -coef(fit)[[1]] / coef(fit)[["x"]],
      tolerance = same
    )
    expect_equal(car::vif(fit), car::vif(theirs), tolerance = against_glm)
  }
)

test_works(
  "car", "Anova()", "ordered_logit()",
  {
    fits <- list(
      ordered_logit(grade ~ x * site, crossed, penalty = "firth"),
      ordered_logit(grade ~ x * site, crossed, weights = rep(1:2, 16), offset = x / 3)
    )
    for (fit in fits) {
      main <- update(fit, . ~ x + site)
      expected <- rbind(anova(main)[c("x", "site"), ], anova(fit)["x:site", ])
      found <- car::Anova(fit)
      expect_identical(rownames(found), c("x", "site", "x:site"))
      expect_equal(found[["LR Chisq"]], expected$Deviance, tolerance = refits)
      expect_equal(found$Df, expected$Df)
      third <- car::Anova(fit, type = 3)
      expect_equal(third[["LR Chisq"]], anova(fit)$Deviance, tolerance = same)
      # The thresholds are not tested.
      third <- car::Anova(fit, type = "III", test.statistic = "Wald")
      expect_identical(rownames(third), c("x", "site", "x:site"))
      chisq <- c(wald(fit, "x"), wald(fit, "siteb"), wald(fit, "x:siteb"))
      expect_equal(third$Chisq, chisq, tolerance = same)
      second <- car::Anova(fit, test.statistic = "Wald")
      expect_equal(
        second$Chisq[1:2],
        c(wald(fit, c("x", "x:siteb")), wald(fit, c("siteb", "x:siteb"))) - chisq[[3]],
        tolerance = same
      )
    }
    # Without a penalty, as for polr(), which stops at relative changes of 1e-15 of the deviance.
    skip_without_package("MASS")
    fit <- ordered_logit(grade ~ x * site, crossed)
    polr <- MASS::polr(
      grade ~ x * site, crossed, Hess = TRUE, control = list(reltol = 1e-15, maxit = 1000)
    )
    for (type in c("II", "III")) {
      expect_equal(
        lapply(car::Anova(fit, type = type), as.vector),
        lapply(car::Anova(polr, type = type), as.vector),
        tolerance = against_glm
      )
    }
  }
)

test_works(
  "car", c("linearHypothesis()", "deltaMethod()"),
  c("firth_multinom()", "cratio()", "ordered_logit()"),
  {
    check <- function(fit, first, second) {
      found <- car::linearHypothesis(fit, c(paste(first, "= 0"), paste(second, "= 0")))
      expect_equal(found$Chisq[[2]], wald(fit, c(first, second)), tolerance = same)
      expect_equal(found$Df[[2]], 2)
      robust <- car::linearHypothesis(fit, paste(first, "= 0"), vcov. = 4 * vcov(fit))
      expect_equal(robust$Chisq[[2]], wald(fit, first) / 4, tolerance = same)
      estimate <- stats::setNames(
        if (is.matrix(coef(fit))) as.vector(t(coef(fit))) else coef(fit), rownames(vcov(fit))
      )
      ratio <- car::deltaMethod(fit, sprintf("`%s` / `%s`", first, second))
      gradient <- c(1 / estimate[[second]], -estimate[[first]] / estimate[[second]]^2)
      v <- vcov(fit)[c(first, second), c(first, second)]
      expect_equal(ratio$Estimate, estimate[[first]] / estimate[[second]], tolerance = same)
      expect_equal(ratio$SE, sqrt(drop(gradient %*% v %*% gradient)), tolerance = same)
    }
    check(firth_multinom(grade ~ x + site, visits), "mild:x", "bad:sitewest")
    check(cratio(grade ~ x + site, visits), "x:mild", "sitewest:bad")
    check(cratio(grade ~ x + site, visits, penalty = "firth", parallel = TRUE), "x", "sitewest")
    check(ordered_logit(grade ~ x + site, visits), "x", "none|mild")
    check(ordered_logit(grade ~ x + site, visits, penalty = "firth"), "x", "sitewest")
    # The intercept by car's name.
    several <- firth_multinom(grade ~ x, visits)
    expect_equal(
      car::deltaMethod(several, "`mild:(Intercept)`")$Estimate, coef(several)[["mild", 1]],
      tolerance = same
    )
    visits$up <- as.integer(visits$grade) + visits$x / 10
    infinite <- suppressWarnings(cratio(grade ~ up, visits))
    expect_refused(car::linearHypothesis(infinite, "up:mild = 0"), "penalty = 'firth'")
    expect_refused(car::deltaMethod(infinite, "`up:mild`"), "penalty = 'firth'")
    expect_refused(car::Anova(infinite, test.statistic = "Wald"), "penalty = 'firth'")
  }
)

test_works("car", "vif()", c("cratio()", "ordered_logit()"), {
  skip_without_package("MASS")
  formula <- grade ~ x * site
  theirs <- MASS::polr(
    formula, crossed, Hess = TRUE, control = list(reltol = 1e-15, maxit = 1000)
  )
  # polr() differentiates its gradient numerically.
  expect_equal(car::vif(ordered_logit(formula, crossed)), car::vif(theirs), tolerance = 1e-4)
  # The first principles: determinants of the correlations of the slopes.
  fit <- cratio(grade ~ x + site, visits, parallel = TRUE, penalty = "firth")
  slopes <- cov2cor(vcov(fit)[c("x", "sitesouth", "sitewest"), c("x", "sitesouth", "sitewest")])
  expected <- det(slopes[-1, -1]) / det(slopes)
  found <- car::vif(fit)
  expect_equal(unname(found[, "GVIF"]), rep(expected, 2), tolerance = same)
  expect_equal(unname(found[, "Df"]), c(1, 2))
  expect_refused(car::vif(cratio(grade ~ x + site, visits)), "several, for its stages; fit one of")
  expect_refused(car::vif(firth_multinom(grade ~ x + site, visits)), "several, for its classes")
})
