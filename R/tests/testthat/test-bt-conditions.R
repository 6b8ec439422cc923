# Errors and warnings of bt() and its methods.

test_that("items without a finite ability are named", {
  skip_without_python()
  wins <- small_wins
  wins[, "b"] <- 0
  error <- expect_refused(bt(wins), "no maximum likelihood .*: b never lost .*method = 'firth'")
  expect_identical(conditionCall(error), quote(bt(wins)))
  expect_true(all(is.finite(coef(bt(wins, method = "firth")))))
  apart <- data.frame(a = c("p", "q", "r", "s"), b = c("q", "p", "s", "r"))
  expect_refused(bt(1, a, b, apart), "not connected")
})

test_that("ties need a model, and a model of them needs ties", {
  skip_without_python()
  expect_refused(bt(result, first, second, tied_games), "2 of 10 .* are ties.*ties = 'davidson'")
  expect_refused(bt(small_wins, ties = "davidson"), "no comparison is a tie")
  expect_refused(bt(small_wins, tied = small_wins, ties = "half"), "tied must be symmetric")
  expect_refused(bt(small_wins, tied = diag(2), ties = "half"), "tied must have the 3 items")
  expect_refused(
    bt(result, first, second, tied_games, tied = small_wins), "a third column of outcome"
  )
})

test_that("names of columns in quotes are refused", {
  games <- data.frame(w = c("x", "y", "x"), l = c("y", "x", "y"))
  expect_refused(
    bt(1, "w", "l", games, method = "firth"),
    "^player1 must be the column of data, not its name; write player1 = w, without quotes\\.$"
  )
  expect_refused(bt(1, w, "l", games), "write player2 = l, without quotes")
  # A label of a single comparison.
  skip_without_python()
  one <- bt(cbind(2, 1), "x", "y", games)
  expect_equal(unname(coef(one)), log(1 / 2), tolerance = 1e-8)
})

test_that("wrong options give Python's messages", {
  skip_without_python()
  expect_refused(bt(small_wins, ties = "zz"), "^ties must be one of .*'zz'")
  expect_refused(bt(small_wins, method = "zz"), "^method must be one of .*'zz'")
  expect_refused(bt(small_wins, cov_type = "zz"), "^cov_type must be one of .*'zz'")
  expect_refused(bt(small_wins, ref = "zz"), "^ref must be one of the items .*'zz'")
  expect_refused(bt(small_wins, maxit = 0), "^maxit must be a whole number of at least 1, got 0")
  # As in all models of the package.
  expect_error(bt(small_wins, max_iter = 9), "unused argument")
  expect_refused(bt(small_wins, order_effect = 1), "^order_effect must be TRUE or FALSE")
  items <- data.frame(size = 1:3, row.names = c("a", "b", "c"))
  expect_refused(bt(small_wins, covariates = items, ref = "a"), "no item is the reference")
})

test_that("a fit that stops early gives a warning", {
  skip_without_python()
  expect_warning(
    fit <- bt(small_wins, maxit = 1), "did not converge",
    class = "pwcstats_warning"
  )
  expect_output(print(fit), "Not converged, iterations: 1")
})

test_that("a matrix of wins is square with matching labels", {
  skip_without_python()
  expect_refused(bt(small_wins[, 1:2]), "^outcome must be a K x K .* got 3 x 2; .*player1")
  expect_refused(bt(1:3), "^outcome must be a K x K .* got 3; .*player1")
  expect_refused(bt("a"), "^outcome must be a numeric")
  other <- small_wins
  rownames(other)[[1]] <- "z"
  expect_refused(bt(other), "rows and columns of outcome must be the same items.*'z'")
  expect_refused(bt(-small_wins), "finite numbers >= 0, got -3 for a over b")
  expect_refused(bt(small_wins, weights = 1:3), "^weights needs player1 and player2")
  expect_refused(bt(small_wins, order_effect = TRUE), "^order_effect needs .* player1 and player2")
  expect_refused(bt(small_wins, cov_type = "cluster"), "needs cluster")
})

test_that("rows need players and an outcome", {
  skip_without_python()
  games <- small_games()
  expect_refused(bt(1, winner, data = games), "must be given together")
  expect_refused(bt(1, small_wins), "must be given together")
  nothing <- NULL
  expect_refused(bt(1, winner, nothing, games), "player2 must have a label .* NULL")
  expect_refused(bt(1, winner, loser, "games"), "^data must be a data frame .*, not character\\.$")
  expect_refused(bt(1, winner, nobody, games), "object 'nobody' not found\\.$")
  expect_refused(bt(1:2, winner, loser, games), "variable lengths differ")
  expect_refused(bt(winner, winner, loser, games), "not character; .*winner == player1")
  expect_refused(
    bt(winner, winner, loser, games),
    "a tie is 0.5, ifelse\\(winner == \"draw\", 0.5, winner == player1\\)\\.$"
  )
  expect_refused(
    bt(factor(winner), winner, loser, games), "two levels.* got 3; .*winner == player1"
  )
  expect_refused(
    bt(rep("first", 33), winner, loser, games), "not character; recode words to 1 if player1 won"
  )
  fit <- bt(1, winner, loser, games)
  expect_refused(
    update(fit, games), "^formula. must be a formula, .* data = rbind\\(old, new\\)\\.$"
  )
  expect_refused(predict(fit, data.frame(winner = "A", loser = "b")), "got 'A'\\.")
  expect_refused(bt(rep(0.7, 33), winner, loser, games), "got 0.7; .*cbind\\(wins1, wins2\\)")
  expect_refused(bt(matrix(1, 33, 4), winner, loser, games), "two columns .* got 4")
  expect_refused(bt(matrix(-1, 33, 2), winner, loser, games), "outcome has -1")
  expect_refused(bt(1, winner, loser, games, weights = rep(-2, 33)), "weights has -2")
  expect_refused(bt(1, winner, loser, games, weights = winner), "weights must be numbers")
  expect_refused(bt(1, winner, loser, games, subset = winner == "z"), "no comparison in the data")
  expect_refused(bt(1, winner, loser, games, cov_type = "HC0", cluster = loser), "cluster needs")
  games$loser[[7]] <- games$winner[[7]]
  expect_refused(bt(1, winner, loser, games[-1, ]), "^row 7 compares . with itself")
})

test_that("home is 1, 0 or -1, and not 0 everywhere", {
  skip_without_python()
  fit <- function(home) bt(result, first, second, tied_games, "half", TRUE, home = home)
  expect_refused(fit(rep(2, 10)), "^home must be 1 if player1")
  expect_refused(fit(rep(FALSE, 10)), "home is 0 in all")
})

test_that("covariates have a row for each item and are identified", {
  skip_without_python()
  items <- data.frame(size = c(1, 2, 4), same = 1, row.names = c("a", "b", "d"))
  expect_refused(bt(small_wins, covariates = ~size), "item_data is needed")
  expect_refused(bt(small_wins, item_data = items), "^item_data needs a formula, such as")
  expect_refused(bt(small_wins, covariates = items, item_data = items), "leave it out")
  expect_refused(bt(small_wins, covariates = items), "row names lack 'c'")
  expect_refused(bt(small_wins, covariates = ~size, item_data = 1:3), "must be a data frame")
  rownames(items)[[3]] <- "c"
  expect_refused(bt(small_wins, covariates = ~nothing, item_data = items), "'nothing' not found")
  expect_refused(bt(small_wins, covariates = same ~ size, item_data = items), "no response")
  expect_refused(bt(small_wins, covariates = items), "'same' is not identified")
  expect_refused(bt(small_wins, covariates = 1:2), "one row for each of the 3 items, got 2")
  items$size[[2]] <- NA
  # An item without covariates has its own ability.
  expect_identical(names(coef(bt(small_wins, covariates = items["size"]))), c("b", "size"))
  expect_identical(names(coef(bt(small_wins, covariates = items$size))), c("b", "x1"))
})

test_that("methods refuse requests without an answer", {
  skip_without_python()
  fit <- bt(small_wins)
  expect_refused(confint(fit, "z"), "^parm must be among .*'z'")
  expect_refused(confint(fit, 3), "^parm must be among")
  expect_refused(confint(fit, level = 95), "^level must be a number between")
  expect_refused(confint(fit, method = "zz"), "^method must be one of 'wald', 'profile'")
  robust <- bt(small_wins, cov_type = "HC0")
  expect_refused(confint(robust, method = "profile"), "cov_type = 'HC0'")
  expect_refused(predict(fit, "a"), "newdata must be a data frame")
  expect_refused(predict(fit, data.frame(player1 = "a")), "needs a column player2")
  named <- bt(1, w, l, data.frame(w = c("x", "y", "x"), l = c("y", "x", "y")))
  expect_refused(predict(named, data.frame(z = 1)), "needs a column player1 or w\\.$")
  expect_refused(predict(fit, data.frame(player1 = "z", player2 = "a")), "player1 .* got 'z'")
  games <- transform(tied_games, at_home = c(1, 0))
  home <- bt(result, first, second, games, "half", TRUE, home = at_home)
  expect_refused(predict(home, data.frame(player1 = "x", player2 = "y")), "needs a column home")
  spoilt <- replace(fit, "python", list(as.raw(1:9)))
  expect_refused(confint(spoilt, method = "profile"), "saved fit cannot be read .*; fit it again")
  two <- bt(matrix(c(0, 2, 3, 0), 2))
  expect_refused(quasi_variances(two), "at least 3 items")
})

test_that("anova refuses fits that are not nested", {
  skip_without_python()
  fit <- bt(small_wins)
  expect_refused(anova(fit), "two or more fits")
  expect_refused(anova(fit, lm(1 ~ 1)), "two or more fits")
  expect_refused(anova(fit, bt(small_wins, method = "firth")), "method = 'mle'")
  expect_refused(anova(fit, bt(small_wins + 1)), "the same comparisons")
  expect_refused(anova(fit, bt(small_wins, ref = "b")), "neither is nested")
})

test_that("tables without two items are refused", {
  skip_without_python()
  expect_refused(bt(data.frame()), "comparisons need at least 2 items, got 0")
  expect_refused(bt(matrix(0, 1, 1)), "comparisons need at least 2 items, got 1")
})
