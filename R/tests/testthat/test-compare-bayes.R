# Posterior probabilities, against their definitions.

test_that("the correlated t-test is Student's t with another scale", {
  skip_without_python()
  found <- bayes_correlated_t(untied$a, untied$b, 0.005, test_fraction = 0.2, conf.level = 0.9)
  d <- untied$a - untied$b
  scale <- sqrt((1 / 10 + 0.2 / 0.8) * var(d))
  less <- pt((-0.005 - mean(d)) / scale, 9)
  greater <- pt((0.005 - mean(d)) / scale, 9, lower.tail = FALSE)
  expect_equal(
    found$probabilities, c(less = less, rope = 1 - less - greater, greater = greater),
    tolerance = 1e-10
  )
  expect_equal(found$estimate, mean(d))
  interval <- mean(d) + c(-1, 1) * qt(0.95, 9) * scale
  expect_equal(found$conf.int, structure(interval, conf.level = 0.9), tolerance = 1e-10)
  folds <- bayes_correlated_t(split_matrix("lda"), split_matrix("qda"))
  flat <- bayes_correlated_t(
    c(split_matrix("lda")), c(split_matrix("qda")),
    test_fraction = 1 / 4
  )
  expect_equal(folds$probabilities, flat$probabilities)
})

test_that("the signed-rank test samples weights of the differences", {
  skip_without_python()
  found <- bayes_signed_rank(untied$a, untied$b, 0.005, prior = 0.5, seed = 1)
  d <- c(0, untied$a - untied$b)
  set.seed(23)
  n <- 20000
  weights <- matrix(rgamma(n * 11, rep(c(0.5, rep(1, 10)), each = n)), n)
  weights <- weights / rowSums(weights)
  sums <- outer(d, d, "+")
  less <- rowSums(weights %*% (sums < -0.01) * weights)
  greater <- rowSums(weights %*% (sums > 0.01) * weights)
  most <- max.col(cbind(less, 1 - less - greater, greater))
  # Both are samples: 50000 and 20000 have standard errors of at most 0.0022 and 0.0035.
  expect_lt(max(abs(found$probabilities - tabulate(most, 3) / n)), 0.02)
  expect_equal(sum(found$probabilities), 1)
  expect_null(found$conf.int)
})

test_that("the result depends on seed, or without it on set.seed()", {
  skip_without_python()
  ask <- function(seed = NULL) {
    bayes_signed_rank(untied$a, untied$b, 0.002, n_samples = 1000, seed = seed)$probabilities
  }
  expect_identical(ask(3), ask(3L))
  set.seed(1)
  first <- ask()
  second <- ask()
  set.seed(1)
  expect_identical(ask(), first)
  expect_false(identical(first, second))
  set.seed(2)
  before <- .Random.seed
  ask(3)
  expect_identical(.Random.seed, before)
})

test_that("results print and tidy", {
  skip_without_python()
  found <- bayes_correlated_t(untied$a, untied$b, 0.005, 0.2)
  expect_output(print(found), paste0(
    "Bayesian correlated t-test.*\ndata:  untied\\$a and untied\\$b\n.*a is worse +equivalent",
    ".*\nestimate of the difference: -0.0.*\n95 percent credible interval: -"
  ))
  same <- bayes_signed_rank(untied$a, untied$a, n_samples = 100, seed = 1)
  expect_output(print(same), "signed-rank test.*note: all differences are 0")
  skip_without_package("generics")
  expect_named(generics::tidy(found), c(
    "estimate", "p.less", "p.rope", "p.greater", "rope", "conf.low", "conf.high", "method"
  ))
  expect_identical(generics::tidy(found)$p.less, found$probabilities[["less"]])
  expect_identical(generics::tidy(found)$conf.low, found$conf.int[[1]])
  expect_identical(generics::tidy(same)$conf.high, NA_real_)
})

test_that("wrong input is refused", {
  skip_without_python()
  a <- untied$a
  b <- untied$b
  expect_refused(bayes_correlated_t(a, b), "^test_fraction must say")
  expect_refused(bayes_correlated_t(a, b, rope = -1, test_fraction = 0.1), "^rope must be")
  expect_refused(bayes_correlated_t(a, b, 0, 0.1, conf.level = 2), "^conf.level must be")
  expect_refused(bayes_signed_rank(a, b[-1]), "must pair up")
  expect_refused(bayes_signed_rank(a, replace(b, 2, NA)), "^b must hold finite.*position 2")
  expect_refused(bayes_signed_rank(a, b, prior = 0), "^prior must be a number above 0")
  expect_refused(bayes_signed_rank(a, b, n_samples = 1.5), "^n_samples must be a whole number")
  expect_refused(bayes_signed_rank(a, b, seed = -1), "^seed must be a whole number of at least 0")
  expect_refused(bayes_signed_rank(a, b, seed = 3e9), "^seed must be at most")
})
