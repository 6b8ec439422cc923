# Choices that R shows in its signatures are those of Python.

# The choices of a formal argument.
choices <- function(f, argument) {
  eval(formals(f)[[argument]])
}

# The choices that an error message lists, as in "x must be one of 'a', 'b', got 'zz'.".
listed <- function(call) {
  error <- expect_refused(call, "must be one of .*, got 'zz'")
  known <- sub(", got 'zz'.*$", "", conditionMessage(error))
  gsub("'", "", regmatches(known, gregexpr("'[^']*'", known))[[1]], fixed = TRUE)
}

# The choices of a Python parameter that may be None, which is "none" in R.
listed_in_python <- function(name, parameter, x, y) {
  load_python(NULL)
  options <- stats::setNames(list("zz"), parameter)
  model <- call_python(name, list(), options, NULL)
  c("none", listed(call_bridge(model$fit, list(x, y), list(), NULL)))
}

test_that("couplings are those of Python", {
  skip_without_python()
  load_python(NULL)
  methods <- unlist(from_py(python$pwcstats$coupling$METHODS))
  expect_setequal(choices(couple, "method"), methods)
  expect_setequal(choices(pwc, "coupling"), methods)
})

test_that("tests and adjustments are those of Python", {
  skip_without_python()
  scores <- cbind(a = c(.8, .7, .9), b = c(.7, .6, .9))
  for (f in list(compare_methods, winners)) {
    tests <- listed(compare_methods(scores, test = "zz", rows = "datasets"))
    expect_setequal(choices(f, "test"), tests)
  }
  adjustments <- listed(compare_methods(scores, adjust = "zz", rows = "datasets"))
  for (f in list(compare_methods, winners, rank_tests)) {
    expect_setequal(choices(f, "adjust"), adjustments)
  }
  expect_setequal(choices(adjust_p, "method"), listed(adjust_p(0.1, "zz")))
  expect_setequal(choices(friedman_ranks, "statistic"), listed(friedman_ranks(scores, "zz")))
  a <- scores[, "a"]
  b <- scores[, "b"]
  expect_setequal(choices(wilcoxon_pair, "zeros"), listed(wilcoxon_pair(a, b, "zz")))
  expect_setequal(choices(wilcoxon_pair, "method"), listed(wilcoxon_pair(a, b, method = "zz")))
  right <- c(TRUE, FALSE, TRUE)
  found <- listed(mcnemar_pair(right, !right, method = "zz"))
  expect_setequal(choices(mcnemar_pair, "method"), found)
})

test_that("options of Bradley-Terry fits are those of Python", {
  skip_without_python()
  fit <- bt(small_wins)
  expect_setequal(choices(bt, "method"), listed(bt(small_wins, method = "zz")))
  expect_setequal(choices(bt, "ties"), listed(bt(small_wins, ties = "zz")))
  expect_setequal(choices(bt, "cov"), listed(bt(small_wins, cov = "zz")))
  expect_setequal(choices(bt, "cov_type"), listed(bt(small_wins, cov_type = "zz")))
  goodness <- pwcstats:::goodness_of_fit.pwcstats_bt
  expect_setequal(choices(goodness, "statistic"), listed(goodness_of_fit(fit, "zz")))
  expect_setequal(choices(goodness, "p_value"), listed(goodness_of_fit(fit, p_value = "zz")))
})

test_that("options of logistic fits are those of Python", {
  skip_without_python()
  fit <- firth(am ~ wt, mtcars)
  expect_setequal(choices(cratio, "direction"), listed(cratio(gear ~ wt, mtcars, direction = "zz")))
  expect_setequal(choices(stepwise, "direction"), listed(stepwise(fit, direction = "zz")))
})

test_that("options of classifiers are those of Python", {
  skip_without_python()
  load_python(NULL)
  x <- to_py(as.matrix(iris[1:4]))
  y <- to_py(as.array(as.integer(iris$Species)))
  for (name in c("threshold", "calibration")) {
    expect_setequal(choices(pwc, name), listed_in_python("PairwiseClassifier", name, x, y))
  }
  for (name in c("penalty", "select")) {
    expect_setequal(choices(hybrid, name), listed_in_python("HybridClassifier", name, x, y))
    expect_setequal(choices(ordinal_hybrid, name), choices(hybrid, name))
  }
  expect_setequal(
    choices(hybrid, "integrator"), listed(hybrid(Species ~ Petal.Length, iris, integrator = "zz"))
  )
  flowers <- transform(iris, Species = ordered(Species))
  expect_setequal(
    choices(ordinal_hybrid, "integrator"),
    listed(ordinal_hybrid(Species ~ Petal.Length, flowers, integrator = "zz"))
  )
})
