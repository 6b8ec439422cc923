# Methods of fits.

test_that("print and summary describe the fit", {
  skip_without_python()
  fit <- bt(small_wins, cov_type = "HC0")
  expect_output(print(fit), "bt\\(outcome = small_wins.*3 items, 33 comparisons.* of a is 0")
  expect_output(print(fit), "Residual deviance: .* on 1 degrees of freedom")
  shown <- capture.output(print(summary(fit)))
  expect_match(shown, "Estimate Std. Error z value Pr(>|z|)", fixed = TRUE, all = FALSE)
  expect_match(shown, "sandwich (HC0)", fixed = TRUE, all = FALSE)
  expect_match(shown, "^Converged, iterations: [0-9]+$", all = FALSE)
  tied <- bt(result, first, second, tied_games, ties = "davidson", method = "firth", ref = NA)
  shown <- capture.output(print(summary(tied)))
  expect_match(shown, "Firth's.*abilities sum to 0", all = FALSE)
  expect_match(shown, "logarithm of Davidson's nu", all = FALSE)
  hint <- "from Wald tests; .*confint\\(fit, method = \"profile\"\\)"
  expect_match(shown, hint, all = FALSE)
  robust <- bt(small_wins, method = "firth", cov_type = "HC0")
  for (other in list(bt(small_wins), robust)) {
    expect_false(any(grepl("Wald", capture.output(print(summary(other))))))
  }
})

test_that("summary has the table of glm", {
  skip_without_python()
  fit <- bt(small_wins)
  table <- coef(summary(fit))
  expect_equal(table[, 1], coef(fit))
  expect_equal(table[, 2], sqrt(diag(vcov(fit))))
  expect_equal(table[, 4], 2 * pnorm(-abs(table[, 1] / table[, 2])))
})

test_that("the log-likelihood is of single comparisons, and criteria follow from it", {
  skip_without_python()
  fit <- bt(1, winner, loser, small_games())
  l <- logLik(fit)
  expect_equal(as.numeric(l), sum(log(predict(fit))))
  expect_identical(c(attr(l, "df"), attr(l, "nobs")), c(2, 33))
  expect_equal(AIC(fit), -2 * as.numeric(l) + 4)
  expect_equal(BIC(fit), -2 * as.numeric(l) + 2 * log(33))
  firth <- bt(small_wins, method = "firth")
  expect_lt(as.numeric(logLik(firth)), as.numeric(l))
  expect_equal(
    firth$penalized_loglik - firth$loglik, -as.numeric(determinant(vcov(firth))$modulus) / 2
  )
})

test_that("intervals are Wald or profile intervals", {
  skip_without_python()
  fit <- bt(small_wins)
  wald <- confint(fit)
  expect_identical(dimnames(wald), list(c("b", "c"), c("2.5 %", "97.5 %")))
  expect_equal(unname(wald[, 2]), unname(coef(fit) + qnorm(.975) * sqrt(diag(vcov(fit)))))
  profile <- confint(fit, "c", level = 0.9, method = "profile")
  expect_identical(dimnames(profile), list("c", c("5 %", "95 %")))
  expect_identical(confint(fit, 2, level = 0.9, method = "profile"), profile)
  # At the bounds the deviance has increased by the quantile.
  games <- small_games()
  is <- function(item) (games$winner == item) - (games$loser == item)
  fixed <- glm(rep(1, 33) ~ is("b") - 1, binomial, offset = is("c") * profile[[1]], epsilon = 1e-14)
  expect_equal(deviance(fixed) + 2 * fit$loglik, qchisq(0.9, 1), tolerance = 1e-7)
})

test_that("predictions equal the formulas of the model", {
  skip_without_python()
  fit <- bt(small_wins)
  ability <- abilities(fit)[, "ability"]
  new <- data.frame(player1 = c("a", "c", NA), player2 = factor(c("b", "a", "a")))
  link <- c(ability[["a"]] - ability[["b"]], ability[["c"]] - ability[["a"]], NA)
  expect_equal(unname(predict(fit, new, type = "link")), link)
  expect_equal(unname(predict(fit, new)), plogis(link))
  expect_identical(
    unname(predict(fit, new, type = "class")),
    factor(ifelse(link >= 0, "win", "loss"), levels = c("win", "loss"))
  )
  expect_identical(predict(fit, new[2, ]), predict(fit, new)["2"])
  expect_length(predict(fit, new[0, ]), 0)
  expect_length(predict(fit, new[0, ], type = "class"), 0)
  tied <- bt(result, first, second, tied_games, ties = "davidson", order_effect = TRUE)
  proba <- predict(tied)
  expect_identical(colnames(proba), c("win", "tie", "loss"))
  expect_equal(unname(rowSums(proba)), rep(1, 10))
  nu <- exp(coef(tied)[["(tie)"]])
  expect_equal(proba[, "tie"], nu * sqrt(proba[, "win"] * proba[, "loss"]))
  expect_equal(log(proba[, "win"] / proba[, "loss"]), predict(tied, type = "link"))
  expect_identical(levels(predict(tied, type = "class")), c("win", "tie", "loss"))
  expect_equal(predict(tied, tied_games), proba)
  pair <- data.frame(player1 = c("x", "y"), player2 = c("y", "x"), home = c(1, -1))
  proba <- unname(predict(tied, pair))
  expect_equal(proba[1, ], proba[2, 3:1])
  expect_equal(unname(predict(tied, pair[1, 1:2])[1, ]), proba[1, ])
})

test_that("predictions are for the rows that were used", {
  skip_without_python()
  games <- small_games()
  rownames(games) <- paste0("g", seq_len(33))
  games$winner[[2]] <- NA
  fit <- bt(1, winner, loser, games, subset = -1)
  expect_identical(names(predict(fit)), paste0("g", 3:33))
})

test_that("rank_intervals() has intervals, the best first", {
  skip_without_python()
  fit <- bt(100 * small_wins)
  set.seed(1)
  before <- .Random.seed
  ranks <- rank_intervals(fit)
  expect_identical(.Random.seed, before)
  expect_identical(names(ranks), c("ability", "rank", "rank_low", "rank_high"))
  expect_identical(ranks$rank, 1:3)
  expect_identical(ranks$rank_low, 1:3)
  expect_identical(rownames(ranks), names(sort(abilities(fit)[, 1], decreasing = TRUE)))
  fit <- bt(small_wins)
  wide <- rank_intervals(fit, level = 0.99, simultaneous = FALSE, n_draws = 1000, seed = 2)
  expect_identical(wide$rank_high, rep(3L, 3))
})

test_that("plots show the items, the best first", {
  skip_without_python()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  fit <- bt(small_wins)
  margins <- graphics::par("mai")
  # Comparison intervals are the default.
  expect_equal(plot(fit), plot(fit, intervals = "comparison"))
  shown <- plot(fit, intervals = "wald")
  expect_identical(graphics::par("mai"), margins)
  expect_false(is.unsorted(-shown$ability))
  expect_equal(shown["b", "conf.high"], confint(fit)["b", 2])
  shown <- plot(fit, intervals = "comparison", level = 0.9, xlab = "x", main = "title")
  compared <- comparison_intervals(fit, 0.9)
  expect_equal(
    as.matrix(shown), as.matrix(compared[rownames(shown), c(1, 3, 4)]),
    ignore_attr = TRUE
  )
  shown <- plot(fit, intervals = "quasi", level = 0.9)
  quasi <- quasi_variances(fit)
  expect_equal(shown["a", "conf.high"], qnorm(0.95) * quasi["a", "quasiSE"])
})

test_that("fits without comparison intervals are drawn with others", {
  skip_without_python()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  two <- bt(small_wins[1:2, 1:2])
  expect_equal(plot(two), plot(two, intervals = "wald"))
  expect_error(plot(two, intervals = "comparison"), "at least 3 items", class = "pwcstats_error")
  expect_true(all(is.na(plot(bt(small_wins, cov = "none"))$conf.low)))
})

test_that("rank sets are in the margin, and the best items can be chosen", {
  skip_without_python()
  fit <- bt(small_wins)
  drawn <- record_drawing(function() plot(fit, ranks = TRUE, level = 0.9))
  sets <- rank_intervals(fit, 0.9)
  expect_identical(drawn$result$rank_low, sets$rank_low)
  expect_identical(drawn$result$rank_high, sets$rank_high)
  words <- ifelse(
    sets$rank_low == sets$rank_high, sets$rank_low, paste0(sets$rank_low, "-", sets$rank_high)
  )
  expect_identical(drawn$text$label, c(words, "rank"))
  expect_equal(drawn$text$y[1:3], 3:1)
  page <- draw(function() plot(fit, ranks = TRUE, level = 0.9))$page
  expect_written("ranks: simultaneous 90 % confidence sets", page)
  drawn <- record_drawing(function() plot(fit, top = 2))
  expect_identical(rownames(drawn$result), rownames(sets)[1:2])
  expect_identical(unique(drawn$points$col), palette_colors[[1]])
  expect_identical(unique(drawn$segments$col), palette_colors[[1]])
  expect_written("the best 2 of 3 items", draw(function() plot(fit, top = 2))$page)
  expect_refused(plot(fit, top = 0), "^top must be a whole number of at least 1")
  expect_refused(plot(fit, ranks = 1), "^ranks must be TRUE or FALSE")
})

test_that("intervals that do not overlap are a test at the level", {
  skip_without_python()
  fit <- bt(small_wins)
  for (alpha in c(0.05, 0.2)) {
    shown <- comparison_intervals(fit, 1 - alpha)
    expect_identical(rownames(shown), c("a", "b", "c"))
    expect_named(shown, c("ability", "quasiSE", "conf.low", "conf.high"))
    expect_identical(shown$quasiSE, quasi_variances(fit)$quasiSE)
    expect_equal(shown$conf.high, shown$ability + attr(shown, "multiplier") * shown$quasiSE)
    pairs <- utils::combn(rownames(shown), 2)
    level_of <- function(i, j) {
      apart <- attr(shown, "multiplier") * (shown[i, "quasiSE"] + shown[j, "quasiSE"])
      2 * pnorm(-apart / compare_items(fit, i, j)$stderr)
    }
    levels <- mapply(level_of, pairs[1, ], pairs[2, ])
    expect_equal(mean(levels), alpha)
    expect_equal(attr(shown, "pair_alpha"), range(levels))
    expect_equal(attr(shown, "level"), 1 - 2 * pnorm(-attr(shown, "multiplier")))
  }
  expect_refused(comparison_intervals(fit, 5), "level must be a number between 0 and 1")
})

test_that("with clusters the t distribution replaces the normal one", {
  skip_without_python()
  skip_without_package("generics")
  games <- transform(small_games(), match = rep(1:11, each = 3))
  expect_warning(
    fit <- bt(1, winner, loser, games, cluster = match),
    "only 11 clusters.*10 degrees of freedom",
    class = "pwcstats_warning"
  )
  expect_equal(fit$df.inference, 10)
  table <- coef(summary(fit))
  expect_identical(colnames(table), c("Estimate", "Std. Error", "t value", "Pr(>|t|)"))
  expect_equal(table[, 4], 2 * pt(-abs(coef(fit) / sqrt(diag(vcov(fit)))), 10))
  half <- qt(0.95, 10) * sqrt(diag(vcov(fit)))
  expect_equal(confint(fit, level = 0.9), cbind(coef(fit) - half, coef(fit) + half),
    ignore_attr = TRUE
  )
  tidy <- generics::tidy(fit, conf.int = TRUE, conf.level = 0.9)
  expect_equal(tidy$p.value, unname(table[, 4]))
  expect_equal(tidy$conf.high, unname(coef(fit) + half))
  test <- compare_items(fit, "b", "a", level = 0.9)
  expect_equal(test$parameter, c(df = 10))
  expect_identical(names(test$statistic), "t")
  expect_equal(test$p.value, table["b", 4])
  expect_equal(as.vector(test$conf.int), unname(confint(fit, "b", 0.9)[1, ]))
  expect_output(print(summary(fit)), "t distribution with 10 degrees of freedom, for 11 clusters")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_equal(plot(fit, "wald", level = 0.9)["b", "conf.high"], unname(coef(fit) + half)[[1]])
  plain <- bt(1, winner, loser, games)
  expect_identical(plain$df.inference, Inf)
  expect_identical(colnames(coef(summary(plain)))[3:4], c("z value", "Pr(>|z|)"))
  expect_null(compare_items(plain, "b", "a")$parameter)
})

test_that("tidy and glance of generics have the columns of broom", {
  skip_without_python()
  skip_without_package("generics")
  fit <- bt(small_wins)
  tidy <- generics::tidy(fit, conf.int = TRUE, conf.level = 0.9)
  expect_identical(names(tidy), c(
    "term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"
  ))
  expect_identical(tidy$term, names(coef(fit)))
  expect_equal(unname(as.matrix(tidy[6:7])), unname(confint(fit, level = 0.9)))
  expect_length(generics::tidy(fit), 5)
  glance <- generics::glance(fit)
  expect_identical(
    names(glance), c("logLik", "AIC", "BIC", "deviance", "df.residual", "nobs", "converged")
  )
  expect_equal(glance$AIC, AIC(fit))
})

test_that("a saved fit gives the same results in a new session", {
  skip_without_python()
  fit <- bt(result, first, second, tied_games, ties = "davidson", order_effect = TRUE)
  answer <- ask_elsewhere(fit, paste(
    "list(predict(fit), confint(fit, method = 'profile'),",
    "quasi_variances(fit), rank_intervals(fit))"
  ))
  expect_equal(
    answer,
    list(
      predict(fit), confint(fit, method = "profile"), quasi_variances(fit), rank_intervals(fit)
    )
  )
})
