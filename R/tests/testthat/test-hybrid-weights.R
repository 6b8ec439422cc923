# Weights, scores and likelihoods of hybrid() and ordinal_hybrid().

# LIBSVM stops at a tolerance of 1e-10, and the integrators converge to about 1e-9.
SAME <- 1e-6 # nolint

test_that("a weight of 2 counts as two rows, and rows of weight 0 are left out", {
  skip_without_python()
  flowers$w <- rep(c(2, 1, 0), 50)
  twice <- transform(flowers[rep(seq_len(nrow(flowers)), flowers$w), ], w = 1)
  fits <- function(data) {
    list(
      hybrid(
        kind ~ Petal.Length + Petal.Width, data,
        clusters = Species, tolerance = 1e-10, distance_cv = NULL, weights = w
      ),
      ordinal_hybrid(
        ordered(Species) ~ Petal.Length + Sepal.Width, data,
        tolerance = 1e-10, distance_cv = NULL, penalty = "firth", weights = w
      )
    )
  }
  weighted <- fits(flowers)
  repeated <- fits(twice)
  for (k in 1:2) {
    a <- weighted[[k]]
    b <- repeated[[k]]
    expect_equal(a$scale, b$scale)
    expect_equal(coef(a), coef(b), tolerance = SAME)
    expect_equal(vcov(a), vcov(b), tolerance = SAME)
    new <- flowers[c(3, 60, 120), ]
    expect_equal(predict(a, new, type = "prob"), predict(b, new, type = "prob"), tolerance = SAME)
    expect_identical(unname(weights(a)), flowers$w)
    expect_identical(nobs(a), 100L)
    # That of the integrator counts weights.
    expect_equal(as.vector(logLik(a)), as.vector(logLik(b)), tolerance = SAME)
    expect_identical(attr(logLik(a), "nobs"), 150)
  }
  expect_identical(weighted[[1]]$threshold, repeated[[1]]$threshold)
  columns <- flowers[c("Petal.Length", "Petal.Width")]
  direct <- hybrid(
    columns, flowers$kind,
    clusters = flowers$Species, tolerance = 1e-10, distance_cv = NULL, weights = flowers$w
  )
  expect_equal(coef(direct), coef(weighted[[1]]))
  expect_refused(
    hybrid(kind ~ Petal.Length, flowers, weights = -w), "^weights has -2: they must be finite"
  )
})

test_that("the threshold is the best one for the score", {
  skip_without_python()
  ask <- function(...) {
    hybrid(kind ~ Sepal.Length + Sepal.Width, flowers, clusters = 2, ...)
  }
  expect_equal(ask()$threshold, 1 / 3)
  expect_identical(ask(scoring = "accuracy")$threshold, 0.5)
  fit <- ask(scoring = "f1", threshold_cv = 4)
  expect_lt(fit$threshold, 0.5)
  expect_warning(ask(threshold_cv = 4), "^threshold_cv is not used, because nothing is chosen")
  expect_refused(ask(scoring = "f2"), "^there is no score 'f2'")
  expect_refused(ask(scoring = c("f1", "accuracy")), "^scoring must be the name of a score")
  expect_refused(ask(scoring = "roc_auc"), "^scoring must be a score of predicted classes")
  expect_refused(ask(threshold_cv = 1), "^threshold_cv must be a whole number of at least 2")
})

test_that("separate fits have no joint likelihood", {
  skip_without_python()
  fit <- hybrid(Species ~ Sepal.Length + Sepal.Width, iris, integrator = "individualized")
  expect_refused(logLik(fit), "^the integrator consists of separate fits, which have no joint")
})
