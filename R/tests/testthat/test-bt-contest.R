# Covariates of the contests, priors and the ties of Rao and Kupper.

# Both sides solve their equations up to rounding errors.
same <- 1e-8
# glm() computes standard errors in the step before the last.
same_errors <- 1e-6

# Each pair of four items meets twice at one of two places.
styled_games <- function() {
  pairs <- t(utils::combn(letters[1:4], 2))
  games <- data.frame(one = c(pairs[, 1], pairs[, 2]), two = c(pairs[, 2], pairs[, 1]))
  games <- games[rep(1:12, 3), ]
  games$length <- rep(c(2, -1, 0, 3, -2, 1, 1), length.out = 36)
  games$place <- rep(c("home", "away", "away", "home", "home"), length.out = 36)
  games$won <- rep(c(1, 0, 1, 1, 0, 0, 1, 0), length.out = 36)
  rownames(games) <- paste0("g", 1:36)
  games
}

test_that("home advantage by data frames is that of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  baseball <- peer_data("baseball")
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, data = baseball, id = "team")
  theirs <- BradleyTerry2::BTm(
    cbind(home.wins, away.wins), home.team, away.team,
    data = baseball, id = "team", epsilon = 1e-14
  )
  baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
  baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
  home <- update(ours, formula = ~ team + at.home)
  expected <- update(theirs, formula = ~ team + at.home)
  expect_equal(unname(coef(home)), unname(coef(expected)), tolerance = same)
  expect_equal(unname(vcov(home)), unname(vcov(expected)), tolerance = same_errors)
  expect_identical(tail(names(coef(home)), 1), "at.home")
  expect_equal(deviance(home), deviance(expected), tolerance = same)
  expect_equal(
    anova(ours, home)$Deviance[[2]], anova(theirs, expected)$Deviance[[2]],
    tolerance = 1e-7
  )
  found <- predict(home, baseball, type = "response", se.fit = TRUE)
  by_them <- predict(expected, type = "response", se.fit = TRUE)
  expect_equal(unname(found$fit), unname(by_them$fit), tolerance = same)
  expect_equal(unname(found$se.fit), unname(by_them$se.fit), tolerance = same_errors)
  # It is the order effect.
  order <- update(ours, order_effect = TRUE, data = peer_data("baseball"))
  expect_equal(unname(coef(order)), unname(coef(home)), tolerance = same)
})

test_that("the model of the chameleons is that of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  chameleons <- peer_data("chameleons")
  fit_with <- function(fit, ...) {
    fit(
      player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID],
      id = "ID", data = chameleons, ...
    )
  }
  ours <- fit_with(bt)
  theirs <- suppressWarnings(fit_with(BradleyTerry2::BTm, epsilon = 1e-14, maxit = 100))
  terms <- names(coef(ours))
  expect_setequal(terms, names(coef(theirs)))
  expect_equal(coef(ours), coef(theirs)[terms], tolerance = same)
  errors <- summary(theirs)$coefficients[terms, 2]
  expect_equal(coef(summary(ours))[, 2], errors, tolerance = same_errors)
  expect_equal(unname(predict(ours)), unname(fitted(theirs)), tolerance = same)
  expect_equal(predict(ours, chameleons), predict(ours))
  first <- chameleons[c("winner", "loser")]
  first[] <- lapply(first, head, 3)
  expect_equal(predict(ours, first), predict(ours)[1:3])
  found <- drop1(ours, test = "Chisq")
  expected <- drop1(theirs, test = "Chisq")
  expect_setequal(rownames(found), rownames(expected))
  expect_equal(
    found[rownames(expected), "Pr(>Chi)"], expected[["Pr(>Chi)"]],
    tolerance = 1e-6
  )
})

test_that("interactions of items and contests are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  sound.fields <- peer_data("sound.fields") # nolint
  fit_with <- function(fit, ...) {
    fit(
      cbind(win1.adj, win2.adj), field1, field2, ~ (a[field] + b[field] + c[field]) * instrument,
      id = "field", data = sound.fields, ...
    )
  }
  ours <- fit_with(bt)
  theirs <- suppressWarnings(fit_with(BradleyTerry2::BTm, epsilon = 1e-14))
  # What is the same for both sides cancels; BTm() has NA.
  expected <- coef(theirs)[!is.na(coef(theirs))]
  expect_setequal(names(coef(ours)), names(expected))
  expect_equal(coef(ours), expected[names(coef(ours))], tolerance = same)
  expect_equal(unname(predict(ours)), unname(fitted(theirs)), tolerance = same)
  # With free abilities.
  formula <- ~ field + a[field] * instrument
  ours <- bt(
    cbind(win1.adj, win2.adj), field1, field2, formula,
    id = "field", data = sound.fields
  )
  theirs <- suppressWarnings(BradleyTerry2::BTm(
    cbind(win1.adj, win2.adj), field1, field2, formula,
    id = "field", data = sound.fields, maxit = 1
  ))
  # BTm() does not converge, because a[field] follows from the items.
  x <- model.matrix(theirs)[, c(1:7, 11:12)]
  wins <- as.matrix(sound.fields$comparisons[c("win1.adj", "win2.adj")])
  expected <- suppressWarnings(glm(wins ~ x - 1, binomial, epsilon = 1e-14))
  expect_equal(unname(coef(ours)), unname(coef(expected)), tolerance = same)
  expect_equal(unname(predict(ours)), unname(fitted(expected)), tolerance = same)
})

test_that("variables of the data are differences of the sides", {
  skip_without_python()
  games <- styled_games()
  fit <- bt(won, one, two, ~ .. + length, games)
  expect_identical(names(coef(fit)), c("b", "c", "d", "length"))
  is <- function(item) (games$one == item) - (games$two == item)
  same_model <- glm(
    won ~ is("b") + is("c") + is("d") + length - 1, binomial, games,
    epsilon = 1e-14
  )
  expect_equal(unname(coef(fit)), unname(coef(same_model)), tolerance = same)
  expect_equal(unname(vcov(fit)), unname(vcov(same_model)), tolerance = same_errors)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(same_model)), tolerance = same)
  # Sides, weights and clusters do not matter.
  turned <- transform(games, one = two, two = one, won = 1 - won, length = -length)
  half <- rbind(games[1:18, ], turned[19:36, ])
  expect_equal(coef(bt(won, one, two, ~ .. + length, half)), coef(fit))
  expect_equal(coef(bt(won, one, two, ~ .. + length, half, weights = rep(2, 36))), coef(fit))
  side <- rep(c(1, -1), each = 18)
  ordered <- bt(won, one, two, ~ .. + length, games, order_effect = TRUE)
  turned_order <- bt(won, one, two, ~ .. + length, half, order_effect = TRUE, home = side)
  expect_equal(coef(turned_order), coef(ordered))
  expect_equal(
    coef(bt(won, one, two, ~ .. + length, half,
      order_effect = TRUE, home = side, weights = rep(1, 36)
    )),
    coef(ordered)
  )
  expect_equal(
    unname(predict(turned_order, type = "link")), unname(predict(ordered, type = "link")) * side
  )
  robust <- bt(won, one, two, ~ .. + length, half, cov_type = "HC0")
  expect_equal(vcov(robust), vcov(bt(won, one, two, ~ .. + length, games, cov_type = "HC0")))
  # Predictions need the covariate.
  new <- data.frame(one = "a", two = "b", length = c(0, 2, NA))
  link <- unname(predict(fit, new, type = "link"))
  expect_equal(link, unname(-coef(fit)[["b"]] + coef(fit)[["length"]] * c(0, 2, NA)))
  expect_refused(predict(fit, new[1:2]), "the covariates cannot be computed")
  expect_equal(predict(fit, games), predict(fit))
})

test_that("subsets, missing values, weights and clusters keep covariates in their rows", {
  skip_without_python()
  games <- transform(styled_games(), w = rep(c(0.5, 2, 1), 12), user = rep(1:12, each = 3))
  games$length[[5]] <- NA
  games$one[[7]] <- NA
  fit <- suppressWarnings(bt(won, one, two, ~ .. + length, games,
    subset = user > 1, weights = w, cluster = user
  ))
  part <- games[games$user > 1, ]
  alone <- suppressWarnings(
    bt(won, one, two, ~ .. + length, part, weights = w, cluster = user)
  )
  expect_equal(coef(fit), coef(alone))
  expect_equal(vcov(fit), vcov(alone))
  expect_equal(predict(fit), predict(fit, games)[names(predict(fit))])
  is <- function(item) (part$one == item) - (part$two == item)
  same_model <- suppressWarnings(glm(
    won ~ is("b") + is("c") + is("d") + length - 1, binomial, part,
    weights = w, epsilon = 1e-14
  ))
  expect_equal(unname(coef(fit)), unname(coef(same_model)), tolerance = same)
})

test_that("factors have a coefficient for each level, or contrasts beside an order effect", {
  skip_without_python()
  games <- styled_games()
  levels <- bt(won, one, two, ~ .. + place, games)
  expect_identical(tail(names(coef(levels)), 2), c("placeaway", "placehome"))
  contrasts <- update(levels, order_effect = TRUE)
  expect_identical(tail(names(coef(contrasts)), 2), c("(order)", "placehome"))
  expect_equal(predict(contrasts), predict(levels))
  expect_equal(predict(levels, games[5:1, ]), predict(levels)[5:1])
  new <- data.frame(player1 = "a", player2 = "b", place = "moon")
  expect_refused(predict(levels, new), "place has the level 'moon', which is not in the fit")
})

test_that("missing values are left out, and covariates without effect refused", {
  skip_without_python()
  games <- styled_games()
  gap <- transform(games, length = replace(length, 3, NA))
  expect_equal(
    coef(bt(won, one, two, ~ .. + length, gap)), coef(bt(won, one, two, ~ .. + length, games[-3, ]))
  )
  expect_refused(
    bt(won, one, two, ~ .. + length, gap, na.action = na.fail), "missing values"
  )
  expect_refused(
    bt(won, one, two, ~ .. + zero, transform(games, zero = 0)), "'zero' is not identified"
  )
  expect_refused(
    bt(won, one, two, ~ .. + sure, transform(games, sure = 2 * won - 1)), "'?sure'?.* infinite"
  )
  expect_refused(bt(won, one, two, ~ .. + short, games[1:5, ]), "'short' not found")
  short <- 1:3
  expect_refused(
    bt(won, one, two, ~ .. + short, games), "short must have .* 36 rows, got 3; write short\\["
  )
  other <- data.frame(.. = games$two, x = 1)
  names(other)[[1]] <- ".."
  expect_refused(bt(won, one, other, ~.., games), "only one of them has 'x'")
})

test_that("a fit with covariates of the contests can be saved", {
  skip_without_python()
  games <- styled_games()
  fit <- bt(won, one, two, ~ .. + length + place, games)
  answer <- ask_elsewhere(
    fit, "predict(fit, data.frame(one = 'a', two = 'b', length = 1, place = 'home'), se.fit = TRUE)"
  )
  new <- data.frame(one = "a", two = "b", length = 1, place = "home")
  expect_equal(answer, predict(fit, new, se.fit = TRUE))
})

test_that("ties of Rao and Kupper have their probabilities", {
  skip_without_python()
  fit <- bt(result, first, second, tied_games, ties = "rao-kupper")
  found <- predict(fit, se.fit = TRUE)
  proba <- found$fit
  theta <- exp(coef(fit)[["(tie)"]])
  ratio <- exp(predict(fit, type = "link"))
  expect_equal(proba[, "win"], ratio / (ratio + theta))
  expect_equal(proba[, "loss"], 1 / (1 + theta * ratio))
  expect_equal(unname(rowSums(proba)), rep(1, 10))
  observed <- cbind(tied_games$result == 1, tied_games$result == 0.5, tied_games$result == 0)
  expect_equal(as.numeric(logLik(fit)), sum(log(proba[observed])))
  # The probabilities sum to 1, so their errors cancel.
  python <- thaw(fit, NULL)
  for (outcome in c("win", "tie", "loss")) {
    theirs <- python$predict(
      labels_to_py(tied_games$first), labels_to_py(tied_games$second),
      outcome = outcome, se = TRUE
    )
    expect_equal(unname(found$se.fit[, outcome]), matrix_from_py(theirs)[, 2], tolerance = 1e-8)
  }
  expect_output(print(summary(fit)), "logarithm of Rao and Kupper's theta")
  expect_refused(family(fit), "three outcomes")
})

test_that("priors give finite abilities to all items", {
  skip_without_python()
  wins <- small_wins
  wins[, "b"] <- 0
  ridge <- bt(wins, method = "ridge", prior_sd = 2)
  expect_true(all(is.finite(coef(ridge))))
  expect_output(print(ridge), "with a normal prior \\(standard deviation 2\\)")
  expect_lt(attr(logLik(ridge), "df"), 2)
  ghost <- bt(wins, method = "ghost")
  expect_output(print(summary(ghost)), "with a ghost item \\(0.5 wins and losses\\)")
  # A ghost item is one with whom every item shares its wins.
  with_ghost <- rbind(cbind(wins, ghost = 0.5), ghost = 0.5)
  expect_equal(coef(ghost), coef(bt(with_ghost))[c("b", "c")], tolerance = 1e-8)
  expect_refused(bt(wins, method = "ridge"), "needs prior_sd")
  expect_refused(bt(wins, prior_sd = 1), "prior_sd is for method = 'ridge'")
  expect_refused(bt(wins, method = "ghost", pseudo = NA), "pseudo must be a number above 0, got NA")
  apart <- data.frame(a = c("p", "q", "r", "s"), b = c("q", "p", "s", "r"))
  expect_true(bt(1, a, b, apart, method = "ridge", prior_sd = 1)$converged)
})
