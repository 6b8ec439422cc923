# Residuals and simulations.

# Both sides solve their equations up to rounding errors.
same <- 1e-7

test_that("residuals are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  baseball <- peer_data("baseball")
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, data = baseball)
  theirs <- peer(
    cbind(baseball$home.wins, baseball$away.wins), baseball$home.team, baseball$away.team
  )
  for (type in c("deviance", "pearson", "working", "response")) {
    expect_equal(
      unname(residuals(ours, type)), unname(residuals(theirs, type)),
      tolerance = same, info = type
    )
  }
  expect_equal(residuals(ours), residuals(ours, "deviance"))
  expect_lt(max(abs(residuals(ours, "grouped"))), 1e-8)
  data <- list(baseball, data.frame(rank = c(7, 6, 5, 1, 2, 4, 3)))
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, ~ rank[..], data)
  theirs <- suppressWarnings(BradleyTerry2::BTm(
    cbind(home.wins, away.wins), home.team, away.team, ~ rank[..],
    data = data, epsilon = 1e-14
  ))
  grouped <- residuals(theirs, "grouped")
  expect_equal(unname(residuals(ours, "grouped")), as.vector(grouped), tolerance = same)
  expect_identical(names(residuals(ours, "grouped")), ours$items)
})

test_that("residuals of weighted rows are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  baseball <- transform(peer_data("baseball"), w = rep(c(0.5, 2, 1), 14))
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball, weights = w)
  theirs <- peer(
    cbind(baseball$home.wins, baseball$away.wins), baseball$home.team, baseball$away.team,
    weights = baseball$w
  )
  for (type in c("deviance", "pearson", "response")) {
    expect_equal(
      unname(residuals(ours, type)), unname(residuals(theirs, type)),
      tolerance = same, info = type
    )
  }
})

test_that("residuals of ties are those of the Python package", {
  skip_without_python()
  for (ties in c("davidson", "rao-kupper", "half")) {
    fit <- bt(result, first, second, tied_games, ties = ties, order_effect = TRUE)
    python <- thaw(fit, NULL)
    for (type in c("deviance", "pearson", "working", "response")) {
      found <- residuals(fit, type)
      expect_equal(unname(found), vector_from_py(python$resid(type)), info = paste(ties, type))
      expect_identical(names(found), rownames(tied_games))
    }
  }
  pairs <- residuals(bt(small_wins), by = "pair")
  expect_equal(unname(pairs), unname(residuals(bt(small_wins))))
  expect_identical(names(pairs), c("a/b", "a/c", "b/c"))
  expect_equal(sum(pairs^2), deviance(bt(small_wins)))
  expect_refused(residuals(bt(small_wins), "partial"), "^type must be one of 'deviance'")
  expect_refused(residuals(bt(small_wins), by = "row"), "^by must be one of 'comparison'")
})

test_that("simulations have R's habits", {
  skip_without_python()
  fit <- bt(small_wins)
  set.seed(7)
  before <- .Random.seed
  drawn <- simulate(fit, 3, seed = 1)
  expect_identical(.Random.seed, before)
  expect_identical(names(drawn), c("sim_1", "sim_2", "sim_3"))
  expect_equal(as.integer(attr(drawn, "seed")), 1L)
  expect_identical(simulate(fit, 3, seed = 1), drawn)
  expect_equal(rowSums(drawn$sim_1), unname(weights(fit)))
  again <- bt(drawn$sim_2, player1, player2, data = model.frame(fit))
  expect_identical(nobs(again), nobs(fit))
  set.seed(2)
  first <- simulate(fit)
  set.seed(2)
  expect_identical(attr(first, "seed"), .Random.seed)
  tied <- bt(result, first, second, tied_games, ties = "rao-kupper")
  many <- simulate(tied, 2000, seed = 1)
  expect_identical(colnames(many$sim_1), c("wins1", "wins2", "ties"))
  mean <- Reduce(`+`, unclass(many)) / 2000
  # Four standard errors of a mean of 2000.
  expect_lt(max(abs(mean - predict(tied)[, c("win", "loss", "tie")])), 4 * sqrt(0.25 / 2000))
  expect_refused(simulate(fit, 0), "^nsim must be a whole number of at least 1")
  half <- bt(result, first, second, tied_games, ties = "half")
  expect_refused(simulate(half), "ties = 'half' has no probability of a tie")
  expect_refused(simulate(bt(small_wins / 2)), "not whole numbers")
})
