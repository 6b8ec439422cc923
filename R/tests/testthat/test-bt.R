# bt(): forms of call, items and options.

test_that("a matrix and single comparisons give the same model", {
  skip_without_python()
  games <- small_games()
  fit <- bt(small_wins)
  rows <- bt(1, winner, loser, games)
  expect_equal(coef(rows), coef(fit))
  expect_equal(vcov(rows), vcov(fit))
  expect_identical(nobs(rows), 33)
  # The diagonal is ignored, and tables and data frames are accepted.
  with_diagonal <- small_wins
  diag(with_diagonal) <- c(9, NA, 3)
  expect_equal(coef(bt(with_diagonal)), coef(fit))
  expect_equal(coef(bt(as.data.frame(small_wins))), coef(fit))
  expect_equal(coef(bt(table(games$winner, games$loser))), coef(fit))
  unsorted <- small_wins[c(3, 1, 2), ]
  expect_equal(coef(bt(unsorted)), coef(fit))
  expect_equal(predict(bt(unsorted)), predict(fit))
  expect_identical(names(coef(bt(unname(small_wins)))), c("2", "3"))
})

test_that("proportions and numbers of comparisons give the model of the wins", {
  skip_without_python()
  fit <- bt(small_wins)
  n <- small_wins + t(small_wins)
  r <- small_wins / n
  diag(r) <- NA
  shares <- bt(r, n = n)
  expect_equal(coef(shares), coef(fit), tolerance = 1e-10)
  expect_equal(vcov(shares), vcov(fit), tolerance = 1e-10)
  expect_equal(nobs(shares), nobs(fit))
  expect_equal(shares$model, fit$model)
  expect_equal(coef(update(shares, method = "firth")), coef(bt(small_wins, method = "firth")))
  # Each matrix may have an order of its own, or no names.
  expect_equal(coef(bt(r[c(2, 3, 1), ], n = n[3:1, c(2, 1, 3)])), coef(fit))
  expect_equal(unname(coef(bt(unname(r), n = unname(n)))), unname(coef(fit)))
  expect_equal(coef(bt(as.data.frame(r), n = as.data.frame(n))), coef(fit))
  # It may be the second argument.
  second <- bt(r, n)
  expect_identical(coef(second), coef(shares))
  expect_identical(second$call, shares$call)
  # It is the coupling of Hastie and Tibshirani.
  p <- exp(abilities(shares)[, "ability"])
  expect_equal(p / sum(p), couple(r, "ht", n = n), tolerance = 1e-8)
  # A pair that was not compared.
  r[1, 2] <- r[2, 1] <- NA
  n[1, 2] <- n[2, 1] <- 0
  chain <- bt(r, n = n)
  expect_equal(coef(chain)[["c"]], -qlogis(r[1, 3]), tolerance = 1e-8)
  expect_identical(nrow(chain$model), 2L)
})

test_that("proportions and numbers that do not fit are refused", {
  skip_without_python()
  n <- small_wins + t(small_wins)
  r <- small_wins / n
  expect_refused(bt(small_wins, n = n), "^outcome must be within \\[0, 1\\]")
  expect_refused(bt(r, n = small_wins), "^n must be symmetric")
  expect_refused(bt(r, n = n[1:2, 1:2]), "^n must have the 3 items of outcome, got 2")
  missing <- replace(n, 4L, NA)
  expect_refused(bt(r, n = missing), "^n is missing for the pair a/b; fill it in, or set it to 0")
  expect_refused(bt(small_wins, n), "^outcome must be within .* and numbers of wins by n\\.$")
  expect_refused(bt(r, n, order_effect = TRUE), "^order_effect needs")
  expect_refused(bt(r, n = -n), "^n must hold finite numbers >= 0")
  expect_refused(bt(r / 2, n = n), "^r_ij \\+ r_ji must be 1 .* an empty triangle with 1 - r\\.$")
  expect_refused(bt(r, n = n, tied = n), "^tied needs a matrix of wins, but n says")
  other <- with_dimnames(n, c("a", "b", "z"), c("a", "b", "z"))
  expect_refused(bt(r, n = other), "n must be labelled by the classes \\(a, b, c\\)")
  games <- small_games()
  expect_refused(bt(1, winner, loser, games, n = n), "^n needs a matrix of proportions")
})

test_that("variables are looked up in the data, then where bt() is called", {
  skip_without_python()
  games <- small_games()
  names(games) <- c("first", "second")
  second <- "not this one"
  won <- rep(TRUE, nrow(games))
  expect_equal(coef(bt(won, first, second, games)), coef(bt(small_wins)))
  call_from_function <- function(d) {
    swapped <- rep(0, nrow(d))
    bt(swapped, second, first, d)
  }
  expect_equal(coef(call_from_function(games)), coef(bt(small_wins)))
  first <- games$first
  second <- games$second
  expect_equal(coef(bt(1, first, second)), coef(bt(small_wins)))
})

test_that("levels keep their order, other labels are sorted, unused ones are dropped", {
  skip_without_python()
  games <- small_games()
  levels <- c("unused", "c", "a", "b")
  games$winner <- factor(games$winner, levels)
  expect_identical(bt(1, winner, loser, games)$items, c("c", "a", "b"))
  games$loser <- factor(games$loser, c("b", "a", "c"))
  expect_identical(bt(1, winner, loser, games)$items, c("c", "a", "b"))
  fit <- bt(1, loser, winner, games)
  expect_identical(fit$items, c("b", "a", "c"))
  expect_identical(fit$ref, "b")
  numbers <- data.frame(a = c(10, 9, 100, 10), b = c(9, 100, 10, 100), y = c(1, 1, 1, 0))
  expect_identical(bt(y, a, b, numbers)$items, c("9", "10", "100"))
})

test_that("the reference is the first item, another, or none", {
  skip_without_python()
  first <- abilities(bt(small_wins))[, "ability"]
  expect_identical(first[["a"]], 0)
  expect_equal(abilities(bt(small_wins, ref = "c"))[, "ability"], first - first[["c"]])
  none <- bt(small_wins, ref = NA)
  expect_equal(abilities(none)[, "ability"], first - mean(first))
  expect_identical(names(coef(none)), c("a", "b", "c"))
  expect_null(none$ref)
})

test_that("weights repeat rows, and 0 leaves out a row and its items", {
  skip_without_python()
  games <- small_games()
  games$n <- rep(1:3, 11)
  fit <- bt(1, winner, loser, games, weights = n)
  again <- bt(1, winner, loser, games[rep(1:33, games$n), ])
  expect_equal(coef(fit), coef(again))
  expect_equal(vcov(fit), vcov(again))
  expect_identical(nobs(fit), nobs(again))
  more <- rbind(games, data.frame(winner = "d", loser = "a", n = 0))
  expect_equal(coef(bt(1, winner, loser, more, weights = n)), coef(fit))
})

test_that("home says who has the order effect", {
  skip_without_python()
  games <- transform(tied_games, side = 1)
  fit <- bt(result, first, second, games, ties = "half", order_effect = TRUE)
  turned <- transform(games, first = second, second = first, result = 1 - result, side = -1)
  half <- rbind(games[1:5, ], turned[6:10, ])
  mixed <- bt(result, first, second, half, ties = "half", order_effect = TRUE, home = side)
  expect_equal(coef(mixed), coef(fit))
  expect_equal(predict(mixed, type = "link"), predict(fit, type = "link") * half$side)
  # The side does not change the comparisons, so the fits are nested.
  without <- bt(result, first, second, half, ties = "half")
  expect_gt(anova(without, mixed)$Deviance[[2]], 0)
  neutral <- bt(
    result, first, second, half,
    ties = "half", order_effect = TRUE, home = seq_along(first) > 2
  )
  expect_equal(
    unname(predict(neutral, type = "link")[1:2]),
    unname(-diff(t(matrix(abilities(neutral)[c("x", "y", "y", "z"), 1], 2, byrow = TRUE)))[1, ])
  )
})

test_that("covariates may be a formula, matrix or data frame, matched by row name", {
  skip_without_python()
  items <- data.frame(
    size = c(2.9, 1.2, 3.4), kind = factor(c("p", "q", "q"), levels = c("none", "q", "p")),
    row.names = c("c", "a", "b")
  )
  fit <- bt(small_wins, covariates = ~size, item_data = items)
  expect_identical(names(coef(fit)), "size")
  expect_equal(coef(bt(small_wins, covariates = items["size"])), coef(fit))
  expect_equal(coef(bt(small_wins, covariates = as.matrix(items["size"]))), coef(fit))
  plain <- bt(small_wins, covariates = matrix(c(1.2, 3.4, 2.9)))
  expect_equal(coef(plain), stats::setNames(coef(fit), "x1"))
  expect_equal(coef(bt(small_wins, covariates = ~ size - 1, item_data = items)), coef(fit))
  expect_identical(dim(vcov(fit)), c(1L, 1L))
  # As many covariates as differences of abilities give the same fit.
  both <- bt(small_wins, covariates = ~ scale(size) + kind, item_data = items)
  expect_identical(names(coef(both)), c("scale(size)", "kindp"))
  expect_equal(abilities(both), abilities(bt(small_wins, ref = NA)))
  expect_equal(sum(abilities(fit)[, "ability"]), 0)
})

test_that("robust standard errors are sandwich estimates", {
  skip_without_python()
  games <- transform(small_games(), match = rep(1:11, each = 3))
  fit <- bt(1, winner, loser, games)
  design <- outer(games$winner, c("b", "c"), "==") - outer(games$loser, c("b", "c"), "==")
  scores <- design * (1 - predict(fit))
  sandwich <- function(scores) vcov(fit) %*% crossprod(scores) %*% vcov(fit)
  expect_equal(
    vcov(bt(1, winner, loser, games, cov_type = "HC0")), sandwich(scores),
    ignore_attr = TRUE
  )
  expect_warning(clustered <- bt(1, winner, loser, games, cluster = match), "only 11 clusters")
  expect_identical(clustered$cov_type, "cluster")
  expect_equal(
    vcov(clustered), sandwich(rowsum(scores, games$match)) * (11 / 10) * (32 / 31),
    ignore_attr = TRUE
  )
})

test_that("the covariance is optional", {
  skip_without_python()
  wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
  full <- bt(wins)
  diag <- bt(wins, cov = "diag")
  none <- bt(wins, cov = "none")
  expect_equal(coef(diag), coef(full))
  expect_equal(summary(diag)$coefficients, summary(full)$coefficients)
  expect_equal(confint(diag), confint(full))
  expect_equal(abilities(diag), abilities(full))
  expect_error(vcov(diag), "cov = 'full'", class = "pwcstats_error")
  expect_equal(coef(none), coef(full))
  expect_error(confint(none), "no standard errors", class = "pwcstats_error")
  expect_true(all(is.na(abilities(none)[, 2])))
  expect_output(print(summary(none)), "Estimate")
})

test_that("the sandwich treats counts of wins as comparisons, but not weights", {
  skip_without_python()
  games <- data.frame(a = c("x", "y", "x"), b = c("y", "z", "z"), w1 = c(3, 2, 4), w2 = c(2, 3, 1))
  one <- rbind(
    games[rep(1:3, games$w1), c("a", "b")],
    setNames(games[rep(1:3, games$w2), c("b", "a")], c("a", "b"))
  )
  expect_equal(
    vcov(bt(cbind(w1, w2), a, b, games, cov_type = "HC0")), vcov(bt(1, a, b, one, cov_type = "HC0"))
  )
  rows <- unique(one)
  rows$n <- c(games$w1, games$w2)
  single <- bt(1, a, b, rows, weights = n, cov_type = "HC0")
  score <- rows$n * (1 - plogis(predict(single, type = "link")))
  x <- cbind(y = (rows$a == "y") - (rows$b == "y"), z = (rows$a == "z") - (rows$b == "z"))
  bread <- vcov(bt(1, a, b, rows, weights = n))
  expect_equal(vcov(single), bread %*% crossprod(score * x) %*% bread, tolerance = 1e-8)
})
