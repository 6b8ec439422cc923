# adjacent_categories() and its methods, against acat() of VGAM and bracl() of brglm2.

# vglm() iterates to relative changes of 1e-12 of the deviance; bracl() to steps of 1e-12.
from_vglm <- 1e-6
from_bracl <- 1e-7

vglm_of <- function(formula, data, parallel, ...) {
  family <- VGAM::acat(parallel = parallel)
  # It warns that it has no half-steps left, which is at the maximum.
  suppressWarnings(
    do.call(VGAM::vglm, list(formula, family, data, epsilon = 1e-12, maxit = 100, ...))
  )
}

test_that("estimates, standard errors and likelihood are those of acat()", {
  skip_without_python()
  skip_without_package("VGAM")
  skip_without_package("MASS")
  housing <- data_of("housing", "MASS")
  for (parallel in c(FALSE, TRUE)) {
    fit <- adjacent_categories(Sat ~ Infl + Cont, housing, weights = Freq, parallel = parallel)
    theirs <- vglm_of(Sat ~ Infl + Cont, housing, parallel, weights = housing$Freq)
    expect_equal(unname(coef(fit)), unname(VGAM::coef(theirs)), tolerance = from_vglm)
    expect_equal(unname(vcov(fit)), unname(VGAM::vcov(theirs)), tolerance = 1e-5)
    expect_equal(as.numeric(logLik(fit)), VGAM::logLik(theirs), tolerance = 1e-9)
    expect_equal(predict(fit, type = "prob"), VGAM::fitted(theirs),
      tolerance = from_vglm, ignore_attr = TRUE
    )
    expect_equal(
      predict(fit, type = "link"), VGAM::predict(theirs),
      tolerance = from_vglm, ignore_attr = TRUE
    )
    expect_identical(colnames(predict(fit, type = "link")), c("Medium", "High"))
    expect_identical(levels(predict(fit)), levels(housing$Sat))
  }
  expect_identical(
    names(coef(fit)),
    c("(Intercept):Medium", "(Intercept):High", "InflMedium", "InflHigh", "ContHigh")
  )
})

test_that("the penalised fit is that of bracl()", {
  skip_without_python()
  skip_without_package("brglm2")
  skip_without_package("MASS")
  housing <- data_of("housing", "MASS")
  for (parallel in c(FALSE, TRUE)) {
    fit <- adjacent_categories(
      Sat ~ Infl + Cont, housing,
      weights = Freq, penalty = "firth", parallel = parallel
    )
    theirs <- brglm2::bracl(
      Sat ~ Infl + Cont,
      weights = Freq, data = housing, parallel = parallel,
      type = "AS_mean", epsilon = 1e-12, maxit = 500
    )
    # Its odds are those of a class against the class above it.
    expect_equal(unname(coef(fit)), -unname(coef(theirs)), tolerance = from_bracl)
    # With separate slopes, bracl() gives covariances between steps to the wrong pairs of terms.
    part <- if (parallel) identity else diag
    expect_equal(part(unname(vcov(fit))), part(unname(vcov(theirs))), tolerance = from_bracl)
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(theirs)), tolerance = 1e-10)
  }
})

test_that("separate slopes are the multinomial logit, two classes are logistic regression", {
  skip_without_python()
  fit <- adjacent_categories(grade ~ x + site, visits, penalty = "firth")
  nominal <- firth_multinom(grade ~ x + site, visits)
  steps <- matrix(coef(fit), 2)
  expect_equal(apply(steps, 2, cumsum), unname(coef(nominal)), tolerance = 1e-6)
  expect_equal(predict(fit, type = "prob"), predict(nominal, type = "prob"), tolerance = 1e-6)
  ours <- predict(fit, type = "prob", se.fit = TRUE)$se.fit
  expect_equal(ours, predict(nominal, type = "prob", se.fit = TRUE)$se.fit, tolerance = 1e-6)
  two <- transform(visits, ill = factor(ill), o = sin(1:16))
  ordered <- adjacent_categories(ill ~ x + offset(o), two, penalty = "firth")
  binary <- firth(ill ~ x + offset(o), two)
  expect_equal(unname(coef(ordered)), unname(coef(binary)), tolerance = 1e-7)
  expect_equal(unname(vcov(ordered)), unname(vcov(binary)), tolerance = 1e-6)
})

test_that("offsets are added at each step, and new rows are predicted", {
  skip_without_python()
  skip_without_package("VGAM")
  data <- transform(visits, o = sin(1:16))
  fit <- adjacent_categories(grade ~ x + offset(o), data, parallel = TRUE)
  theirs <- vglm_of(grade ~ x, data, TRUE, offset = cbind(data$o, data$o))
  expect_equal(unname(coef(fit)), unname(VGAM::coef(theirs)), tolerance = from_vglm)
  expect_equal(coef(adjacent_categories(grade ~ x, data, offset = o, parallel = TRUE)), coef(fit))
  new <- data.frame(x = c(-1, NA, 2), o = c(0, 0.5, -1))
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  design <- cbind(1, 0, new$x)
  expect_equal(unname(link$fit[, "mild"]), drop(design %*% coef(fit)) + new$o)
  expect_equal(
    unname(link$se.fit[, "mild"]), sqrt(rowSums((design %*% vcov(fit)) * design))
  )
  expect_identical(is.na(predict(fit, new)), c(FALSE, TRUE, FALSE))
  expect_equal(rowSums(predict(fit, new, type = "prob"))[-2L], c(1, 1), ignore_attr = TRUE)
  expect_refused(predict(fit, new, se.fit = TRUE), "a class has no standard error")
})

test_that("separated data have infinite estimates, finite ones with the penalty", {
  skip_without_python()
  top <- transform(visits, g = as.numeric(grade == "bad" & x > 0))
  expect_warning(
    apart <- adjacent_categories(grade ~ x + g, top, parallel = TRUE),
    "separation: \\(g\\) predicts.* penalty = 'firth'"
  )
  expect_identical(coef(apart)[["g"]], Inf)
  expect_identical(apart$se[["g"]], Inf)
  rest <- adjacent_categories(grade ~ x + offset(40 * g), top, parallel = TRUE)
  expect_equal(coef(apart)[names(coef(rest))], coef(rest), tolerance = 1e-7)
  expect_output(print(apart), "Not all estimates are finite.*penalty = 'firth'")
  expect_refused(predict(apart, type = "prob", se.fit = TRUE), "penalty = 'firth'")
  cured <- adjacent_categories(grade ~ x + g, top, penalty = "firth", parallel = TRUE)
  expect_true(all(is.finite(confint(cured, method = "profile"))))
})

test_that("tests of terms and of parallel slopes are likelihood-ratio tests", {
  skip_without_python()
  skip_without_package("VGAM")
  fits <- lapply(c(TRUE, FALSE), function(parallel) {
    adjacent_categories(grade ~ x, visits, parallel = parallel)
  })
  theirs <- lapply(c(TRUE, FALSE), function(parallel) vglm_of(grade ~ x, visits, parallel))
  table <- anova(fits[[1L]], fits[[2L]])
  expect_equal(
    table$Deviance[[2L]], 2 * (VGAM::logLik(theirs[[2L]]) - VGAM::logLik(theirs[[1L]])),
    tolerance = 1e-6
  )
  empty <- adjacent_categories(grade ~ 1, visits)
  expect_equal(
    anova(fits[[2L]])$Deviance[[1L]], deviance(empty) - deviance(fits[[2L]]),
    tolerance = 1e-8
  )
  expect_equal(generics::tidy(fits[[1L]])$term, names(coef(fits[[1L]])))
  expect_equal(nrow(generics::tidy(fits[[2L]], conf.int = TRUE, conf.method = "profile")), 4L)
  expect_output(print(fits[[1L]]), "Adjacent categories by maximum likelihood.*parallel slopes")
})
