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

test_that("rv solves the equations of the pairs that are chosen", {
  skip_without_python()
  set.seed(12)
  r <- random_r(4)
  for (tree in list(rbind(c(1, 2), c(2, 3), c(3, 4)), rbind(c(4, 1), c(4, 2), c(2, 3)))) {
    p <- couple(r, "rv", equations = tree)
    ratios <- p[tree[, 1]] / p[tree[, 2]]
    expect_equal(ratios, r[tree] / r[tree[, 2:1]], tolerance = exact)
    expect_identical(couple(r, "rv", equations = paste(tree[, 1], tree[, 2], sep = "/")), p)
    names <- c("x", "y", "z", "10")
    named <- with_dimnames(r, names, names)
    pairs <- matrix(names[tree], ncol = 2)
    expect_identical(couple(named, "rv", equations = pairs), setNames(p, names))
    condensed <- t(r)[lower.tri(r)]
    expect_identical(couple(condensed, "rv", condensed = TRUE, equations = as.data.frame(tree)), p)
    names(condensed) <- c("x/y", "x/z", "x/10", "y/z", "y/10", "z/10")
    joined <- apply(pairs, 1, paste, collapse = "/")
    found <- couple(condensed, "rv", condensed = TRUE, equations = joined)
    expect_identical(found, setNames(p, names))
    expect_identical(couple(named, "rv", equations = 10), couple(named, "rv", equations = "10"))
    several <- couple(array(rep(r, each = 2), c(2, 4, 4)), "rv", equations = tree)
    expect_equal(several[2, ], p, tolerance = exact)
  }
  star <- couple(r, "rv", equations = 2)
  expect_equal(star / star[2], ifelse(1:4 == 2, 1, r[, 2] / r[2, ]), tolerance = exact)
  expect_identical(couple(r, "rv", equations = cbind(2, c(1, 3, 4))), star)
  two <- pairs_of(c(.8, .2))
  expect_equal(couple(two, "rv", equations = "1/2"), c(.8, .2), tolerance = exact)
})

test_that("pairs without an equation may be missing", {
  skip_without_python()
  r <- pairs_of(c(.5, .3, .2))
  expected <- couple(r, "rv", equations = 1)
  r[2, 3] <- r[3, 2] <- NA
  expect_identical(couple(r, "rv", equations = 1), expected)
  expect_refused(couple(r, "rv", equations = 2), "^r is missing .* or choose equations of other")
})

test_that("equations that do not determine p are refused", {
  skip_without_python()
  r <- pairs_of(c(.5, .3, .2))
  ask <- function(x) couple(r, "rv", classes = c("a", "b", "c"), equations = x)
  expect_refused(ask("d"), "^equations must be one of the classes \\(a, b, c\\), or a list of 2")
  expect_refused(ask("a/b"), "^equations must connect all classes by 2 pairs, got 1\\.$")
  expect_refused(ask(c("a/b", "b/a")), "by 2 pairs, but b/a closes a circle")
  expect_refused(ask(c("a/b", "b/d")), "^equations must be pairs of the classes .* got b/d")
  expect_refused(ask(c("a", "b")), "^equations must be pairs of the classes .* got a\\.$")
  expect_refused(ask(list("a")), "^equations must be a class, pairs such as \"a/b\", or a matrix")
  expect_refused(couple(r, "rv", equations = 4), "one of the classes \\(1, 2, 3\\)")
  expect_refused(couple(r, "ht", equations = 1), "^only method = 'rv' uses equations")
})

test_that("both estimates of a pair are averaged on request", {
  skip_without_python()
  set.seed(13)
  r <- matrix(runif(16, .1, .9), 4)
  mean <- (r + 1 - t(r)) / 2
  for (method in c("wlw2", "ht", "sum")) {
    found <- couple(r, method, symmetrize = TRUE)
    expect_equal(found, couple(mean, method), tolerance = exact)
    stack <- couple(array(rep(r, each = 2), c(2, 4, 4)), method, symmetrize = TRUE)
    expect_equal(stack[2, ], found, tolerance = exact)
  }
  words <- "r_ji must be 1 .*mean of both sides with symmetrize = TRUE"
  expect_refused(couple(r), words)
  condensed <- function() couple(c(.9, .4, .7), condensed = TRUE, symmetrize = TRUE)
  expect_refused(condensed(), "^symmetrize = TRUE needs both sides of each pair")
  expect_refused(couple(r, symmetrize = NA), "^symmetrize must be TRUE or FALSE")
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
