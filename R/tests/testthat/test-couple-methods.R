# Closed forms and defining equations, written out in R.

exact <- 1e-9 # the methods are solved directly, or to a residual of 1e-10

share <- function(x) x / sum(x)

without_diagonal <- function(r) {
  diag(r) <- 0
  r
}

test_that("compatible estimates give the exact probabilities", {
  skip_without_python()
  set.seed(1)
  for (k in c(2, 3, 5, 12, 40)) {
    p <- random_p(k)
    for (method in c("ht", "wlw1", "wlw2", "logit", "pkpd", "rv")) {
      expect_equal(couple(pairs_of(p), method), p, tolerance = exact, info = paste(method, k))
    }
  }
})

test_that("the example of Hastie and Tibshirani is reproduced", {
  skip_without_python()
  expect_equal(couple(example_r, "ht"), c(.48107, .24164, .27729), tolerance = 1e-5)
})

test_that("ht solves its score equations, with and without weights", {
  skip_without_python()
  set.seed(2)
  r <- random_r(6)
  n <- matrix(0, 6, 6)
  n[upper.tri(n)] <- rexp(15, 1 / 20)
  n <- n + t(n)
  n[1, 2] <- n[2, 1] <- 0
  for (weights in list(NULL, n)) {
    p <- couple(r, "ht", n = weights)
    w <- if (is.null(weights)) 1 - diag(6) else weights
    expect_equal(rowSums(w * pairs_of(p)), rowSums(w * r), tolerance = exact)
  }
})

test_that("a pair that was not compared may be missing", {
  skip_without_python()
  p <- c(.5, .3, .2)
  r <- pairs_of(p)
  n <- matrix(10, 3, 3)
  r[1, 3] <- r[3, 1] <- NA
  n[1, 3] <- n[3, 1] <- 0
  expect_equal(couple(r, "ht", n = n), p, tolerance = exact)
})

test_that("wlw1 is the stationary distribution of its chain", {
  skip_without_python()
  set.seed(3)
  r <- without_diagonal(random_r(5))
  p <- couple(r, "wlw1")
  expect_equal(colSums(r) * p, drop(r %*% p), tolerance = exact)
})

test_that("wlw2 solves its linear system", {
  skip_without_python()
  set.seed(4)
  r <- without_diagonal(random_r(5))
  q <- -r * t(r)
  diag(q) <- colSums(r^2)
  expect_equal(couple(r, "wlw2"), share(solve(q, rep(1, 5))), tolerance = exact)
})

test_that("wlw2 is the default", {
  skip_without_python()
  expect_identical(couple(example_r), couple(example_r, "wlw2"))
})

test_that("logit equals the least squares fit of lm()", {
  skip_without_python()
  set.seed(7)
  r <- random_r(5)
  n <- matrix(0, 5, 5)
  n[upper.tri(n)] <- c(3, 1, 4, 1.5, 9, 2, 6, 5, 3.5, 8)
  n <- n + t(n)
  pairs <- t(utils::combn(5, 2))
  design <- matrix(0, nrow(pairs), 5)
  design[cbind(seq_len(10), pairs[, 1])] <- 1
  design[cbind(seq_len(10), pairs[, 2])] <- -1
  fit <- stats::lm(stats::qlogis(r[pairs]) ~ 0 + design[, -1], weights = n[pairs])
  expect_equal(couple(r, "logit", n = n), share(exp(c(0, unname(coef(fit))))), tolerance = exact)
})

test_that("pkpd, sum and vote equal their formulas", {
  skip_without_python()
  set.seed(5)
  r <- without_diagonal(random_r(5))
  r[1, 2] <- r[2, 1] <- .5
  inverse <- 1 / r
  diag(inverse) <- 0
  expect_equal(couple(r, "pkpd"), share(1 / (rowSums(inverse) - 3)), tolerance = exact)
  expect_equal(couple(r, "sum"), rowSums(r) / 10, tolerance = exact)
  votes <- without_diagonal((r > .5) + (r == .5) / 2)
  expect_equal(couple(r, "vote"), rowSums(votes) / 10, tolerance = exact)
})

test_that("bayes is exact if its weights are", {
  skip_without_python()
  set.seed(6)
  p <- random_p(5)
  mass <- outer(p, p, `+`)
  expect_equal(couple(pairs_of(p), "bayes", pair_mass = mass), p, tolerance = exact)
  expect_equal(couple(pairs_of(p), "bayes", pair_mass = condense(mass)), p, tolerance = exact)
})

test_that("several samples are coupled as if each were alone", {
  skip_without_python()
  set.seed(7)
  r <- aperm(replicate(20, random_r(4)), c(3, 1, 2))
  n <- matrix(rexp(20 * 6), 20)
  methods <- eval(formals(couple)$method)
  for (method in setdiff(methods, "bayes")) {
    single <- t(apply(r, 1, couple, method = method, simplify = TRUE))
    condensed <- t(apply(r, 1, condense))
    expect_equal(couple(r, method), single, tolerance = exact, info = method)
    expect_equal(couple(condensed, method, condensed = TRUE), single, tolerance = exact)
    expect_equal(couple(condensed, method, condensed = TRUE, n_jobs = 2), single, tolerance = exact)
  }
  weighted <- couple(t(apply(r, 1, condense)), "ht", n = n, condensed = TRUE)
  expect_equal(weighted[3, ], couple(r[3, , ], "ht", n = n[3, ]), tolerance = exact)
})
