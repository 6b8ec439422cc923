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

test_that("each ordered class has the threshold of Python, or that of the user", {
  skip_without_python()
  # "low" comes before "middle" in the order, and after "high" in the alphabet.
  known <- subset(air, !is.na(ozone))
  ask <- function(...) ordinal_hybrid(ozone ~ Temp + Wind, known, scale = FALSE, ...)
  machine <- reticulate::import("sklearn.svm", convert = FALSE)$SVC(
    kernel = "linear", gamma = 0.5, max_iter = 10000000L
  )
  x <- reticulate::r_to_py(known[c("Temp", "Wind")])
  y <- reticulate::r_to_py(as.character(known$ozone))
  peer <- function(...) {
    pwcstats <- reticulate::import("pwcstats", convert = FALSE)
    model <- pwcstats$OrdinalHybridClassifier(
      machine, categories = c("low", "middle", "high"), random_state = 1L, ...
    )
    model$fit(x, y)
  }
  numbers <- c(low = 0.6, middle = 0.2, high = 0.3)
  for (case in list(
    list("cv", "f1", 4L), list("cv", "balanced_accuracy", 5L), list("prevalence", "f1", 5L),
    list(numbers, "f1", 5L)
  )) {
    rule <- case[[1]]
    fit <- ask(class_threshold = rule, scoring = case[[2]], threshold_cv = case[[3]])
    python <- peer(
      class_threshold = if (is.numeric(rule)) as.list(rule) else rule, scoring = case[[2]],
      threshold_cv = case[[3]]
    )
    theirs <- reticulate::py_to_r(python$thresholds_$to_dict())
    expect_named(fit$class_threshold, c("low", "middle", "high"))
    expect_equal(
      fit$class_threshold, unlist(theirs)[names(fit$class_threshold)],
      tolerance = SAME
    )
    member <- predict(fit, type = "membership")
    theirs <- reticulate::py_to_r(python$membership(x))
    expect_type(member, "logical")
    expect_equal(unname(member), unname(as.matrix(theirs[colnames(member)])))
  }
  expect_equal(fit$class_threshold, numbers)
  expect_identical(ask(class_threshold = unname(numbers))$class_threshold, numbers)
  expect_identical(ask(class_threshold = rev(numbers))$class_threshold, numbers)
  expect_identical(predict(fit), predict(ask()))
  expect_output(print(fit), "Thresholds: +0.6 for low, 0.2 for middle, 0.3 for high\n")
  new <- data.frame(Temp = c(60, NA), Wind = 8)
  expect_identical(unname(is.na(predict(fit, new, type = "membership")[, "low"])), c(FALSE, TRUE))
  given <- from_python(peer(class_threshold = as.list(numbers)))
  expect_equal(given$class_threshold[names(numbers)], numbers)
  plain <- ask()
  expect_null(plain$class_threshold)
  expect_refused(predict(plain, type = "membership"), "^type = 'membership' needs a threshold for")
  expect_refused(ask(class_threshold = "best"), "^class_threshold must be one of 'none', 'cv', 'p")
  expect_refused(ask(class_threshold = c(0.1, 0.2)), "a number for each class: 'low', 'middle', 'h")
  expect_refused(ask(class_threshold = c(a = 0.1, b = 0.2, c = 0.3)), "^class_threshold must be")
  expect_refused(ask(class_threshold = c(0.1, 0.2, 3)), "^class_threshold must be .*0 and 1")
  expect_refused(ask(class_threshold = "cv", scoring = "f2"), "^there is no score 'f2'")
  expect_refused(ask(scoring = 1), "^scoring must be the name of a score")
  expect_refused(ask(threshold_cv = 1), "^threshold_cv must be a whole number of at least 2")
  expect_warning(ask(threshold_cv = 3), "^threshold_cv is not used, because nothing is chosen")
})

test_that("coefficients, covariances, intervals and likelihoods are those of Python's integrator", {
  skip_without_python()
  two <- function(integrator, ...) {
    hybrid(kind ~ Sepal.Length + Sepal.Width, flowers, clusters = 2, integrator = integrator, ...)
  }
  order <- function(...) ordinal_hybrid(ozone ~ Temp + Wind, air, ...)
  fits <- list(
    hybrid(Species ~ Sepal.Width, iris, penalty = "none"), two("multinomial"), two("logit"),
    two("individualized"), order(), order(integrator = "ordered"), order(penalty = "firth")
  )
  numbers <- function(x) unname(as.matrix(reticulate::py_to_r(x)))
  for (fit in fits) {
    results <- thaw(fit, NULL)$integrator_
    bounds <- as.numeric(numbers(results$conf_int()))
    expect_equal(as.numeric(t(coef(fit))), as.numeric(numbers(results$params)), tolerance = SAME)
    expect_equal(as.numeric(confint(fit)), bounds, tolerance = SAME)
    if (fit$integrator == "individualized") {
      expect_refused(vcov(fit), "^the integrator consists of separate fits")
      next
    }
    expect_equal(unname(vcov(fit)), numbers(results$cov_params()), tolerance = SAME)
    if (fit$penalty == "none") {
      loglik <- reticulate::py_to_r(results$llf)
      expect_equal(as.vector(logLik(fit)), as.vector(loglik), tolerance = SAME)
      expect_identical(attr(logLik(fit), "df"), as.numeric(length(coef(fit))))
    }
  }
})
