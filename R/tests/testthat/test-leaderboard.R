# Leaderboards, differences of all pairs, sorted abilities, and the largest part.

votes <- transform(
  arena,
  result = c(first = 1, tie = 0.5, second = 0)[as.character(winner)]
)

test_that("a leaderboard lists the best item first", {
  skip_without_python()
  fit <- bt(small_wins)
  board <- leaderboard(fit)
  table <- as.data.frame(board)
  expect_identical(names(table), c(
    "rank", "rank_low", "rank_high", "item", "games", "ability", "std.error", "conf.low",
    "conf.high"
  ))
  sets <- rank_intervals(fit)
  expect_identical(table$item, rownames(sets))
  expect_identical(table$rank_high, sets$rank_high)
  expect_equal(table$ability, unname(abilities(fit, sort = TRUE)[, 1]))
  expect_equal(table$games, unname((rowSums(small_wins) + colSums(small_wins))[table$item]))
  bounds <- confint(fit, level = 0.9)
  low <- as.data.frame(leaderboard(fit, level = 0.9))
  expect_equal(low$conf.low[match("b", low$item)], bounds["b", 1])
  expect_identical(leaderboard(fit, conf.level = 0.9), leaderboard(fit, level = 0.9))
})

test_that("ratings have Elo's scale, and an anchor", {
  skip_without_python()
  fit <- bt(small_wins, ref = NA)
  elo <- as.data.frame(leaderboard(fit, "elo"))
  ability <- abilities(fit)[elo$item, 1]
  expect_equal(elo$rating, unname(1000 + 400 / log(10) * ability))
  anchored <- as.data.frame(leaderboard(fit, "elo", anchor = c(a = 1200)))
  expect_equal(anchored$rating[anchored$item == "a"], 1200)
  expect_equal(anchored$std.error[anchored$item == "a"], 0)
  expect_equal(mean(as.data.frame(leaderboard(fit, "elo", anchor = 500))$rating), 500)
  win <- as.data.frame(leaderboard(fit, "win"))
  expect_equal(win$win_probability, unname(plogis(ability)))
  expect_refused(leaderboard(fit, "glicko"), "^scale must be one of")
  expect_refused(leaderboard(fit, anchor = 3), "needs scale = 'elo'")
  expect_refused(leaderboard(fit, "elo", anchor = c(z = 3)), "^anchor must be one of the items")
})

test_that("categories are listed side by side", {
  skip_without_python()
  fit <- bt(result, first, second, votes, ties = "davidson", order_effect = TRUE, ref = NA)
  board <- leaderboard(fit, "elo", by = ~language)
  table <- as.data.frame(board)
  expect_setequal(table$category, c("overall", levels(factor(votes$language))))
  one <- levels(factor(votes$language))[[1]]
  part <- bt(result, first, second, votes,
    subset = language == one, ties = "davidson", order_effect = TRUE, ref = NA
  )
  alone <- table[table$category == one, ]
  rating <- 400 / log(10) * abilities(part)[alone$item, 1]
  expect_equal(alone$rating - mean(alone$rating), unname(rating - mean(rating)), tolerance = 1e-6)
  expect_identical(leaderboard(fit, "elo", by = votes$language)$table, table)
  shuffled <- votes[order(votes$user), ]
  weighted <- bt(result, first, second, shuffled,
    ties = "davidson", order_effect = TRUE, ref = NA, weights = rep(1, nrow(votes)),
    subset = !is.na(user)
  )
  expect_equal(leaderboard(weighted, "elo", by = ~language)$table, table, tolerance = 1e-6)
  expect_refused(leaderboard(fit, by = 1:3), "each of the 3000 rows, got 3")
  expect_refused(leaderboard(fit, by = "language"), "got 1; for a column .*, write by = ~language")
  expect_refused(leaderboard(fit, by = ~nothing), "'nothing' not found")
  expect_refused(leaderboard(bt(small_wins), by = 1:3), "matrix of wins")
})

test_that("leaderboards are printed and written in several formats", {
  skip_without_python()
  skip_without_package("knitr")
  board <- leaderboard(bt(result, first, second, votes, ties = "half", ref = NA), "elo", top = 4)
  shown <- capture.output(print(board))
  expect_match(shown[[1]], "Leaderboard of 12 items, 3000 comparisons: rating \\(Elo's scale")
  expect_match(shown, "note: the best 4 of 12 items", all = FALSE, fixed = TRUE)
  expect_identical(paste(shown, collapse = "\n"), format(board))
  expect_match(capture.output(print(board, n = 2)), "2 more rows", all = FALSE)
  expect_match(format(board, "markdown"), "| rank |", fixed = TRUE)
  expect_match(format(board, "html"), "<table", fixed = TRUE)
  expect_match(format(board, "latex"), "\\begin{tabular}", fixed = TRUE)
  expect_match(as.character(knitr::knit_print(board)), "| rank |", fixed = TRUE)
  expect_refused(format(board, "pdf"), "^format must be one of")
  firth <- leaderboard(bt(small_wins, method = "firth"))
  expect_true(any(grepl("method = 'firth'", firth$notes, fixed = TRUE)))
  tidy <- generics::tidy(board)
  expect_equal(tidy$estimate, as.data.frame(board)$rating)
})

test_that("a leaderboard is drawn with ranks and games", {
  skip_without_python()
  fit <- bt(result, first, second, votes, ties = "half", ref = NA)
  board <- leaderboard(fit, "elo", by = ~language)
  drawn <- record_drawing(function() plot(board, top = 3))
  expect_identical(nrow(drawn$result), 3L)
  expect_true(all(c("rank", "games") %in% drawn$text$label))
  expect_true(all(as.character(drawn$result$games) %in% drawn$text$label))
  one <- levels(factor(votes$language))[[1]]
  drawn <- record_drawing(function() plot(board, category = one))
  expect_identical(unique(drawn$result$category), one)
  expect_refused(plot(board, category = "zz"), "^category must be one of 'overall'")
})

test_that("pairs() compares all items with adjusted p-values", {
  skip_without_python()
  fit <- bt(small_wins)
  table <- pairs(fit)
  expect_identical(table$item1, c("a", "a", "b"))
  expect_identical(table$item2, c("b", "c", "c"))
  test <- compare_items(fit, "b", "c")
  expect_equal(table$estimate[[3]], unname(test$estimate))
  expect_equal(table$p.value[[3]], test$p.value)
  expect_equal(table$adj.p.value, p.adjust(table$p.value, "holm"))
  bonferroni <- pairs(fit, "bonferroni", level = 0.9)
  half <- qnorm(1 - 0.1 / 6) * bonferroni$std.error
  expect_equal(bonferroni$conf.high, bonferroni$estimate + half)
  largest <- pairs(fit, "max-t", seed = 1)
  expect_true(all(largest$adj.p.value >= largest$p.value))
  expect_identical(pairs(fit, "max-t", seed = 1), largest)
  control <- pairs(fit, ref = "a", items = c("c", "b"))
  expect_identical(control$item1, c("c", "b"))
  expect_identical(control$item2, c("a", "a"))
  shown <- capture.output(print(table))
  expect_match(shown, "adjusted \\(holm\\)", all = FALSE)
  expect_match(shown, "95 % confidence level for all pairs together", all = FALSE)
  expect_output(print(table[1:2, 1:3]), "estimate")
  expect_refused(pairs(fit, "zz"), "^adjust must be one of")
  expect_refused(pairs(fit, items = "a"), "at least 2 items")
  expect_refused(pairs(fit, "shaffer", ref = "a"), "adjust = 'shaffer' needs all pairs")
  expect_identical(class(generics::tidy(table)), "data.frame")
})

test_that("abilities can be sorted and have intervals", {
  skip_without_python()
  fit <- bt(small_wins)
  sorted <- abilities(fit, sort = TRUE, conf.int = TRUE)
  expect_false(is.unsorted(-sorted[, "ability"]))
  expect_equal(unname(sorted["b", 3:4]), unname(confint(fit)["b", ]))
  profile <- abilities(fit, conf.int = TRUE, method = "profile", level = 0.9)
  expect_equal(
    unname(profile["c", 3:4]), unname(confint(fit, "c", 0.9, "profile")[1, ]),
    tolerance = 1e-6
  )
})

test_that("the largest part leaves out items without finite abilities", {
  skip_without_python()
  games <- rbind(small_games(), data.frame(winner = c("z", "z"), loser = c("a", "b")))
  games$x <- rep(c(1, -1, 0, 2, 1), 7)
  expect_refused(bt(1, winner, loser, games), "z never lost")
  expect_warning(
    fit <- bt(1, winner, loser, games, largest = TRUE), "1 item of 4 .*z",
    class = "pwcstats_warning"
  )
  expect_identical(fit$left_out, "z")
  expect_equal(coef(fit), coef(bt(small_wins)))
  expect_length(predict(fit), 33)
  expect_length(residuals(fit), 33)
  expect_warning(with_x <- bt(1, winner, loser, ~ .. + x, games, largest = TRUE), "z")
  expect_equal(coef(with_x), coef(bt(1, winner, loser, ~ .. + x, games[1:33, ])))
  expect_equal(predict(with_x), predict(with_x, games[1:33, ]))
  expect_identical(bt(small_wins, largest = TRUE)$left_out, character())
  expect_refused(bt(small_wins, largest = NA), "^largest must be TRUE or FALSE")
})
