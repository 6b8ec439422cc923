# Random effects of the items.

# Both sides iterate until changes are below 1e-8 or less.
same <- 1e-5

fit_springall <- function(fit, ...) {
  springall <- peer_data("springall")
  fit(
    cbind(win.adj, loss.adj), col, row, ~ flav[..] + gel[..] + (1 | ..),
    data = springall, ...
  )
}

test_that("flatlizards is fitted as published", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  flatlizards <- peer_data("flatlizards")
  result <- rep(1, nrow(flatlizards$contests))
  formula <- ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..] + (1 | ..)
  theirs <- BradleyTerry2::BTm(result, winner, loser, formula, data = flatlizards)
  expect_warning(
    ours <- bt(result, winner, loser, formula, data = flatlizards, random_effects = "pql"),
    "infinite .*lizard096",
    class = "pwcstats_warning"
  )
  # The coefficient of lizard096 is infinite; BTm() says 36.7 with a standard error of 4e7.
  expect_equal(unname(coef(ours)), unname(coef(theirs)[-1]), tolerance = same)
  expect_equal(
    unname(coef(summary(ours))[, 2]), unname(summary(theirs)$fixef[-1, 2]),
    tolerance = same
  )
  expect_equal(ours$sigma, theirs$sigma, tolerance = same)
  expect_identical(abilities(ours)["lizard096", "ability"], Inf)
})

test_that("chameleons is fitted as published, without random variation", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  chameleons <- peer_data("chameleons")
  fit_with <- function(fit, ...) {
    fit(
      player1 = winner, player2 = loser,
      formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID),
      id = "ID", data = chameleons, ...
    )
  }
  theirs <- fit_with(BradleyTerry2::BTm)
  for (kind in c("laplace", "pql")) {
    ours <- fit_with(bt, random_effects = kind)
    expect_equal(ours$sigma, 0)
    expect_equal(coef(ours), coef(theirs)[names(coef(ours))], tolerance = same)
  }
})

test_that("penalised quasi-likelihood is that of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  theirs <- suppressWarnings(fit_springall(BradleyTerry2::BTm))
  ours <- fit_springall(bt, random_effects = "pql")
  expect_equal(coef(ours), coef(theirs), tolerance = same, ignore_attr = "random")
  expect_equal(ours$sigma, theirs$sigma, tolerance = same)
  expect_equal(
    unname(coef(summary(ours))[, 2]), unname(summary(theirs)$fixef[, 2]),
    tolerance = same
  )
  effects <- random_effects(ours)
  random <- as.vector(attr(coef(theirs), "random"))
  expect_equal(unname(effects[, "effect"]), random, tolerance = 1e-4)
  expect_refused(drop1(ours, test = "Chisq"), "random_effects = 'laplace'")
  expect_output(print(ours), "by penalised quasi-likelihood")
})

test_that("fits with random effects have the methods of models", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  skip_without_package("nlme")
  springall <- peer_data("springall")
  fit <- bt(
    cbind(win.adj, loss.adj), col, row, ~ flav[..] + gel[..] + (1 | ..),
    data = springall
  )
  expect_s3_class(fit, "pwcstats_bt_mixed")
  expect_output(print(fit), "Laplace approximation: 9 items.*Standard deviation .*: 0\\.")
  expect_output(print(summary(fit)), "95 % confidence interval .* Likelihood-ratio|interval")
  test <- variance_component(fit, level = 0.9)
  expect_s3_class(test, "htest")
  expect_equal(unname(test$estimate), fit$sigma)
  expect_lt(test$p.value, 0.001)
  expect_lt(test$conf.int[[1]], fit$sigma)
  effects <- random_effects(fit)
  expect_identical(rownames(effects), fit$items)
  expect_identical(nlme::ranef(fit), effects[, "effect"])
  expect_identical(nlme::fixef(fit), coef(fit))
  # Abilities are what covariates say plus the random effect.
  x <- as.matrix(springall$predictors[c("flav", "gel")])
  ability <- as.vector(x %*% coef(fit)) + effects[, "effect"]
  expect_equal(abilities(fit)[, "ability"], ability - mean(ability), tolerance = 1e-8)
  expect_equal(attr(logLik(fit), "df"), 3)
  dropped <- drop1(fit, test = "Chisq")
  expect_identical(rownames(dropped), c("<none>", "flav[..]", "gel[..]"))
  alone <- update(fit, ~ . - flav[..])
  expect_equal(anova(alone, fit)[["Pr(>Chi)"]][[2]], dropped["flav[..]", "Pr(>Chi)"])
  fixed <- update(fit, ~ . - (1 | ..))
  expect_false(inherits(fixed, "pwcstats_bt_mixed"))
  expect_identical(names(coef(fixed)), names(coef(fit)))
  expect_refused(deviance(fit), "has no deviance; use logLik")
  expect_refused(df.residual(fit), "no residual degrees of freedom; use logLik")
  expect_refused(goodness_of_fit(fit), "variance_component\\(\\)")
})

test_that("predictions of random abilities have standard errors", {
  skip_without_python()
  fit <- bt(small_wins, formula = ~ (1 | ..))
  expect_length(coef(fit), 0)
  expect_output(print(fit), "comparisons; random effects")
  found <- predict(fit, type = "link", se.fit = TRUE)
  expect_equal(unname(found$fit), unname(predict(fit, type = "link")))
  covariance <- ability_vcov(fit, NULL)
  expected <- sqrt(covariance[1, 1] + covariance[2, 2] - 2 * covariance[1, 2])
  expect_equal(found$se.fit[[1]], expected)
  expect_equal(pairs(fit)$std.error[[1]], expected)
  expect_lt(max(abs(abilities(fit)[, 1])), max(abs(abilities(bt(small_wins, ref = NA))[, 1])))
  expect_identical(rownames(rank_intervals(fit)), as.data.frame(leaderboard(fit))$item)
  drawn <- simulate(fit, 2, seed = 1)
  expect_equal(rowSums(drawn$sim_1), unname(weights(fit)))
  expect_length(residuals(fit), 3)
  games <- transform(tied_games, side = rep(c(1, -1, 0, 1, -1), 2), x = c(1, 0, -1, 2, 0))
  home <- bt(result, first, second, ~ x + (1 | ..), games,
    ties = "half", order_effect = TRUE, home = side
  )
  found <- predict(home, type = "link", se.fit = TRUE)
  turned <- transform(games, first = second, second = first, side = -side, x = -x)
  again <- predict(home, turned, type = "link", se.fit = TRUE)
  expect_equal(again$fit, -found$fit)
  expect_equal(again$se.fit, found$se.fit)
  answer <- ask_elsewhere(home, "predict(fit, type = 'link', se.fit = TRUE)")
  expect_equal(answer, found)
})

test_that("random effects that make no sense are refused", {
  skip_without_python()
  expect_refused(bt(small_wins, formula = ~ .. + (1 | ..)), "free abilities leave nothing")
  expect_refused(bt(small_wins, random_effects = "pql"), "random_effects needs the term")
  expect_refused(bt(small_wins, formula = ~ (1 | ..), method = "firth"), "method = 'mle'")
  expect_refused(
    bt(small_wins, formula = ~ (1 | ..), random_effects = "mcmc"), "^random_effects must be one of"
  )
  expect_refused(bt(small_wins, formula = ~ (1 | ..), ref = "a"), "no item is the reference")
  expect_refused(bt(small_wins, formula = ~ (1 | ..), cov = "none"), "cov = 'none'")
})
