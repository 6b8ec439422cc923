# tidy() and glance() of hybrids compared with their summary, and of tests with broom.

# Rows of the tables of coefficients in a summary: estimate, error, z, p, lower and upper bound.
printed_rows <- function(fit) {
  text <- strsplit(from_py(thaw(fit, NULL)$summary()$as_text()), "\n", fixed = TRUE)[[1]]
  number <- "-?[0-9]+\\.[0-9]+"
  rows <- grep(sprintf("^\\S+( +%s){6} *$", number), text, value = TRUE)
  values <- regmatches(rows, gregexpr(sprintf("(?<= )%s", number), rows, perl = TRUE))
  list(term = sub(" .*", "", rows), value = t(vapply(values, as.numeric, numeric(6))))
}

hybrids <- function() {
  list(
    multinomial = hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept),
    individualized = hybrid(
      kind ~ Petal.Length + Petal.Width, flowers,
      clusters = kept, integrator = "individualized"
    ),
    logit = hybrid(
      kind ~ Petal.Length + Petal.Width, flowers,
      clusters = kept, integrator = "logit"
    ),
    cratio = ordinal_hybrid(ozone ~ Temp + Wind, air),
    ordered = ordinal_hybrid(ozone ~ Temp + Wind, air, integrator = "ordered")
  )
}

test_that("tidy and summary have the numbers of Python's summary", {
  skip_without_python()
  skip_without_package("generics")
  for (fit in hybrids()) {
    tidied <- generics::tidy(fit, conf.int = TRUE)
    printed <- printed_rows(fit)
    expect_identical(sub("^\\(Intercept\\)$", "const", tidied$term), printed$term)
    numbers <- c("estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high")
    # Rounded to three decimals, with an error of half a unit.
    expect_lt(max(abs(as.matrix(tidied[numbers]) - printed$value)), 0.000501)
    expect_equal(unname(coef(summary(fit))), unname(as.matrix(tidied[numbers[1:4]])))
    estimate <- coef(fit)
    expect_equal(tidied$estimate, as.vector(if (is.matrix(estimate)) t(estimate) else estimate))
  }
})

test_that("several equations have y.level", {
  skip_without_python()
  skip_without_package("generics")
  tidied <- lapply(hybrids(), generics::tidy)
  common <- c("term", "estimate", "std.error", "statistic", "p.value")
  for (name in c("multinomial", "individualized")) {
    expect_named(tidied[[name]], c("y.level", common))
    expect_identical(tidied[[name]]$y.level, rep(c("setosa", "virginica"), each = 3))
  }
  expect_identical(tidied$cratio$y.level, rep(c("middle", "high"), each = 3))
  expect_identical(tidied$cratio$term, rep(c("(Intercept)", "d_middle", "d_high"), 2))
  expect_named(tidied$logit, common)
  expect_identical(tidied$ordered$term, c("d_middle", "d_high", "low/middle", "middle/high"))
})

test_that("aliased coefficients have no standard error, and options are checked", {
  skip_without_python()
  skip_without_package("generics")
  fit <- hybrid(kind ~ Petal.Length, flowers, clusters = kept)
  expect_identical(unique(generics::tidy(fit)$term), c("(Intercept)", fit$selected))
  narrow <- generics::tidy(fit, conf.int = TRUE, conf.level = 0.5)
  expect_equal(narrow$conf.high, narrow$estimate + qnorm(0.75) * narrow$std.error)
  expect_refused(generics::tidy(fit, conf.level = 2), "^conf.level must be")
  expect_refused(generics::tidy(fit, conf.int = NA), "^conf.int must be TRUE or FALSE")
})

test_that("glance has one row", {
  skip_without_python()
  skip_without_package("generics")
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept, kernel = "radial")
  expect_identical(
    generics::glance(fit),
    data.frame(
      nobs = 150L, n.classes = 2L, n.machines = 2L, learner = "svm", kernel = "radial",
      integrator = "multinomial", penalty = fit$penalty, threshold = fit$threshold
    )
  )
  glance <- generics::glance(ordinal_hybrid(ozone ~ Temp + Wind, air))
  expect_identical(glance$threshold, NA_real_)
  expect_identical(c(glance$nobs, glance$n.classes, glance$n.machines), c(116L, 3L, 2L))
})

test_that("saved hybrids are tidied in a new session", {
  skip_without_python()
  skip_without_package("generics")
  fit <- ordinal_hybrid(ozone ~ Temp + Wind, air)
  expect_equal(ask_elsewhere(fit, "generics::tidy(fit)"), generics::tidy(fit))
})

test_that("broom tidies the tests", {
  skip_without_python()
  skip_without_package("broom")
  answers <- outer(untied$a, 1:3, function(a, k) as.numeric(a > 0.5 + 0.1 * k))
  fit <- bt(small_wins)
  tests <- list(
    friedman_ranks(many), corrected_resampled_t(untied$a, untied$b, test_fraction = 0.1),
    wilcoxon_pair(untied$a, untied$b), sign_pair(untied$a, untied$b),
    mcnemar_pair(answers[, 1], answers[, 3]), cochran_q(answers), compare_items(fit, "a", "b"),
    goodness_of_fit(fit)
  )
  for (test in tests) {
    tidied <- broom::tidy(test)
    expect_identical(nrow(tidied), 1L)
    expect_equal(tidied$p.value, unname(test$p.value))
    expect_equal(unname(tidied$statistic), unname(test$statistic))
    if (!is.null(test$conf.int)) {
      expect_equal(c(tidied$conf.low, tidied$conf.high), as.vector(test$conf.int))
    }
  }
  two <- suppressMessages(broom::tidy(friedman_ranks(many, "F")))
  expect_identical(c(two$num.df, two$den.df), c(4, 44))
})
