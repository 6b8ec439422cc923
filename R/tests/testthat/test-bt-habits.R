wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))

test_that("calls in the style of glm() and BTm() work", {
  skip_without_python()
  games <- data.frame(
    a = c("x", "y", "z", "x", "y", "z"), b = c("y", "z", "x", "z", "x", "y"),
    w1 = c(3, 2, 4, 1, 2, 2), w2 = c(2, 3, 1, 2, 3, 1)
  )
  both <- bt(cbind(w1, w2), a, b, games)
  home <- bt(cbind(w1, w2), a, b, games, order_effect = TRUE)
  expect_equal(anova(both, home, test = "Chisq"), anova(both, home))
  expect_equal(fitted(home), predict(home))
  expect_equal(predict(home, type = "response"), predict(home, type = "prob"))
})

test_that("rows that were left out are counted", {
  skip_without_python()
  games <- data.frame(a = c("x", "y", "x", NA), b = c("y", "x", "y", "x"))
  expect_output(print(bt(1, a, b, games)), "1 observation deleted due to missingness")
  expect_output(print(summary(bt(1, a, b, games))), "1 observation deleted due to missingness")
  expect_false(any(grepl("deleted", capture.output(print(bt(wins))))))
})

test_that("errors name missing variables once, with one full stop", {
  skip_without_python()
  z <- data.frame(u = 1, row.names = "a")
  expect_refused(bt(wins, covariates = ~u, item_data = z), "lack 'b', 'c'\\.$")
  expect_error(bt(wins, covariates = "u"), "a formula such as", class = "pwcstats_error")
})

test_that("a player's column may be called home, and a formula is refused", {
  skip_without_python()
  games <- data.frame(
    home = c("x", "y", "z", "x", "y", "z"), away = c("y", "z", "x", "z", "x", "y"),
    w1 = c(3, 2, 4, 1, 2, 2), w2 = c(2, 3, 1, 2, 3, 1)
  )
  fit <- bt(cbind(w1, w2), home, away, games, order_effect = TRUE)
  expect_equal(unname(predict(fit, games)), unname(predict(fit)))
  expect_identical(predict(fit, games, type = "probs"), predict(fit, games, type = "prob"))
  expect_refused(bt(w1 ~ home + away, games), "cannot be a formula; write bt\\(outcome, player1")
})

test_that("columns with common names are found", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  found <- bt(battles, ties = "davidson", ref = NA)
  result <- c(model_a = 1, model_b = 0)[as.character(battles$winner)]
  result[is.na(result)] <- 0.5
  named <- bt(result, model_a, model_b, battles, ties = "davidson", ref = NA)
  expect_identical(coef(found), coef(named))
  expect_identical(coef(bt(data = battles, ties = "davidson", ref = NA)), coef(named))
  expect_output(print(found), "player1 = model_a")
  ordered <- update(found, order_effect = TRUE)
  expect_identical(coef(ordered), coef(update(named, order_effect = TRUE)))
  expect_equal(predict(found, battles[1:3, ]), predict(found)[1:3, ])
  votes <- bt(arena, ties = "half", cluster = user)
  expect_identical(votes$call$player1, quote(first))
  # Winners may be items.
  by_item <- transform(arena, winner = ifelse(winner == "tie", "tie", as.character(
    ifelse(winner == "first", as.character(first), as.character(second))
  )))
  expect_equal(coef(bt(by_item, ties = "half")), coef(bt(arena, ties = "half")))
  expect_equal(coef(bt(small_games())), coef(bt(small_wins)))
  tied <- transform(small_games(), tie = rep(c(TRUE, FALSE, FALSE), 11))
  expect_equal(nobs(bt(tied, ties = "davidson")), 33)
  expect_equal(
    coef(bt(BradleyTerry2::countsToBinomial(citations))), coef(bt(citations)),
    tolerance = 1e-8
  )
  expect_identical(tail(names(coef(bt(peer_data("baseball"), order_effect = TRUE))), 1), "(order)")
  expect_refused(bt(data.frame(x = "a", y = "b")), "'x', 'y' do not tell which items met")
  by_item$winner[[3]] <- "nobody"
  expect_refused(bt(by_item), "winner has 'nobody', which is no item")
})
