# firth(), firth_multinom() and cratio() compared with other R packages.

# Both sides solve their equations; differences come from the other packages' stopping rules.
same <- 1e-8
# glm() and vglm() compute standard errors in the step before the last.
same_errors <- 1e-6

expect_same_fit <- function(ours, theirs) {
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same)
  expect_equal(standard_errors(ours), standard_errors(theirs), tolerance = same_errors)
}

tight <- list(type = "AS_mean", epsilon = 1e-10, maxit = 1000)

# glm() looks up weights where it was called: with do.call() they are in the call.
bias_reduced <- function(...) {
  do.call(glm, c(list(..., family = quote(binomial), method = brglm2::brglmFit), tight))
}

expect_same_criteria <- function(ours, theirs) {
  for (f in list(deviance, df.residual, nobs, AIC, logLik)) {
    expect_equal(as.numeric(f(ours)), as.numeric(f(theirs)), tolerance = same)
  }
}

test_that("endometrial data have the estimates of brglm2", {
  skip_without_python()
  skip_without_package("brglm2")
  endometrial <- data_of("endometrial", "brglm2")
  ours <- firth(NV ~ PI + EH + HG, endometrial)
  theirs <- bias_reduced(NV ~ PI + EH + HG, data = endometrial)
  expect_same_fit(ours, theirs)
  expect_identical(names(coef(ours)), names(coef(theirs)))
  expect_same_criteria(ours, theirs)
  # BIC() of glm() counts rows of weight 0, which its nobs() does not: only here they are the same.
  expect_equal(BIC(ours), BIC(theirs), tolerance = same)
  expect_equal(confint(ours), confint.default(theirs), tolerance = same_errors, ignore_attr = TRUE)
  expect_equal(
    predict(ours, endometrial, se.fit = TRUE), predict(theirs, endometrial, se.fit = TRUE),
    tolerance = same_errors
  )
})

test_that("lizards, as counts, have the estimates of brglm2", {
  skip_without_python()
  skip_without_package("brglm2")
  lizards <- data_of("lizards", "brglm2")
  formula <- cbind(grahami, opalinus) ~ height + diameter + light + time
  ours <- firth(formula, lizards)
  theirs <- bias_reduced(formula, data = lizards)
  expect_same_fit(ours, theirs)
  expect_identical(names(coef(ours)), names(coef(theirs)))
  expect_same_criteria(ours, theirs)
  for (type in c("deviance", "pearson", "response")) {
    expect_equal(residuals(ours, type), residuals(theirs, type), tolerance = 1e-7, info = type)
  }
  # Weights multiply the trials, and contrasts, subset and offset work as in glm().
  weights <- rep(c(0, 1, 2), length.out = 23)
  ours <- update(
    ours,
    weights = weights, subset = -5, offset = weights / 3, contrasts = list(time = "contr.helmert")
  )
  theirs <- bias_reduced(
    formula,
    data = lizards, weights = weights, subset = -5, offset = weights / 3,
    contrasts = list(time = "contr.helmert")
  )
  expect_same_fit(ours, theirs)
  expect_same_criteria(ours, theirs)
  expect_equal(predict(ours), predict(theirs), tolerance = same)
  expect_equal(fitted(ours), fitted(theirs), tolerance = same)
})

test_that("alligators and opinions have the estimates of brmultinom", {
  skip_without_python()
  skip_without_package("brglm2")
  skip_without_package("nnet")
  compare <- function(formula, data, weights) {
    n <- data[[weights]]
    ours <- do.call(firth_multinom, list(formula, data, n))
    theirs <- do.call(brglm2::brmultinom, c(list(formula, data, n, ref = 1), tight))
    expect_equal(coef(ours), coef(theirs), tolerance = same)
    places <- rownames(vcov(theirs))
    expect_setequal(places, rownames(vcov(ours)))
    expect_equal(
      vcov(ours)[places, places], vcov(theirs),
      tolerance = same_errors, ignore_attr = TRUE
    )
    expect_equal(as.numeric(logLik(ours)), as.numeric(logLik(theirs)), tolerance = same)
    expect_equal(attr(logLik(ours), "df"), attr(logLik(theirs), "df"))
    # In the form of multinom().
    peer <- do.call(nnet::multinom, list(formula, data, n, Hess = TRUE, trace = FALSE))
    expect_identical(dimnames(coef(ours)), dimnames(coef(peer)))
    expect_identical(dimnames(vcov(ours)), dimnames(vcov(peer)))
    expect_identical(dimnames(fitted(ours)), dimnames(fitted(peer)))
    expect_identical(levels(predict(ours)), levels(predict(peer)))
    expect_equal(attr(logLik(ours), "nobs"), attr(logLik(peer), "nobs"))
  }
  compare(foodchoice ~ size + lake, data_of("alligators", "brglm2"), "freq")
  compare(research ~ gender + religion, data_of("stemcell", "brglm2"), "frequency")
})

test_that("continuation ratios are the stopping ratios of VGAM", {
  skip_without_python()
  skip_without_package("VGAM")
  skip_without_package("MASS")
  housing <- MASS::housing
  ask <- expand.grid(reverse = c(TRUE, FALSE), parallel = c(TRUE, FALSE))
  for (i in seq_len(nrow(ask))) {
    ours <- cratio(
      Sat ~ Infl + Type + Cont, housing,
      weights = Freq, parallel = ask$parallel[[i]],
      direction = if (ask$reverse[[i]]) "backward" else "forward"
    )
    family <- VGAM::sratio(
      reverse = ask$reverse[[i]],
      parallel = if (ask$parallel[[i]]) TRUE ~ Infl + Type + Cont - 1 else FALSE
    )
    theirs <- VGAM::vglm(
      Sat ~ Infl + Type + Cont, family, housing,
      weights = Freq, criterion = "coefficients", epsilon = 1e-12, maxit = 100
    )
    expect_equal(unname(coef(ours)), unname(VGAM::coef(theirs)), tolerance = same)
    # VGAM has the expected number of rows that reach a stage in its information, where we have the
    # number itself, as glm() has: they are the same for the stage that all rows reach.
    if (!ask$parallel[[i]]) {
      first <- grep(if (ask$reverse[[i]]) ":High$" else ":Low$", names(coef(ours)))
      theirs_first <- VGAM::vcov(theirs)[first, first]
      expect_equal(unname(vcov(ours)[first, first]), unname(theirs_first), tolerance = same_errors)
    }
    # VGAM numbers the stages.
    numbered <- names(coef(ours))
    for (stage in 1:2) {
      numbered <- sub(sprintf(":%s$", ours$stages[[stage]]), paste0(":", stage), numbered)
    }
    expect_identical(numbered, names(VGAM::coef(theirs)))
    expect_equal(
      unname(fitted(ours)), unname(VGAM::fitted(theirs)),
      tolerance = same, ignore_attr = TRUE
    )
    expect_identical(colnames(fitted(ours)), colnames(VGAM::fitted(theirs)))
  }
})
