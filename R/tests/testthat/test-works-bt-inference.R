# lmtest, car and sandwich with fits of abilities.

# The same formulas on both sides.
same <- 1e-10
# Estimates and covariances of glm() with a strict tolerance.
same_as_glm <- 1e-8

arena_votes <- function() {
  transform(arena, result = c(first = 1, tie = 0.5, second = 0)[as.character(winner)])
}

test_works("lmtest", c("coeftest()", "coefci()"), c("bt()", "plackett_luce()"), {
  ours <- fit_baseball()
  theirs <- peer_baseball()
  expect_equal(
    unname(unclass(lmtest::coeftest(ours))[, ]), unname(unclass(lmtest::coeftest(theirs))[, ]),
    tolerance = same_as_glm
  )
  votes <- arena_votes()
  clustered <- bt(result, first, second, data = votes, ties = "davidson", cluster = user)
  ranks <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2), c(1, 1, 2))
  for (fit in list(ours, clustered, plackett_luce(ranks))) {
    found <- lmtest::coeftest(fit)
    expect_equal(found[, ], coef(summary(fit)), tolerance = same)
    expect_equal(lmtest::coefci(fit), confint(fit), tolerance = same)
    expect_equal(lmtest::coefci(fit, level = 0.9), confint(fit, level = 0.9), tolerance = same)
  }
  normal <- lmtest::coeftest(clustered, df = Inf)
  expect_identical(colnames(normal)[[3]], "z value")
})

test_works("lmtest", "lrtest()", "bt()", {
  ours <- fit_baseball()
  baseball <- peer_data("baseball")
  with_home <- update(ours, order_effect = TRUE)
  theirs <- peer_baseball()
  home <- data.frame(team = baseball$home.team, at.home = 1)
  away <- data.frame(team = baseball$away.team, at.home = 0)
  wins <- cbind(baseball$home.wins, baseball$away.wins)
  theirs_with_home <- peer(wins, home, away, ~ team + at.home, id = "team")
  found <- lmtest::lrtest(ours, with_home)
  expected <- lmtest::lrtest(theirs, theirs_with_home)
  expect_identical(names(found), names(expected))
  for (column in c("#Df", "Df", "Chisq", "Pr(>Chisq)")) {
    expect_equal(found[[column]], expected[[column]], tolerance = same_as_glm, info = column)
  }
  expect_equal(found[["Pr(>Chisq)"]], anova(ours, with_home)[["Pr(>Chi)"]])
  teams <- data.frame(
    size = c(7, 6, 5, 1, 2, 4, 3), old = 1:7, row.names = levels(baseball$home.team)
  )
  fit <- bt(
    cbind(home.wins, away.wins), home.team, away.team, ~ size + old, baseball,
    item_data = teams
  )
  by_formula <- lmtest::lrtest(fit, . ~ . - old)
  expect_equal(
    by_formula[["Pr(>Chisq)"]][[2]], drop1(fit, test = "Chisq")["old", "Pr(>Chi)"],
    tolerance = same
  )
  # Likelihoods without their penalties are no likelihoods.
  for (method in c("firth", "ghost")) {
    expect_refused(
      lmtest::lrtest(update(ours, method = method), update(with_home, method = method)),
      "fit all with method = 'mle'"
    )
  }
  expect_refused(lmtest::lrtest(ours), "needs two fits")
  expect_refused(lmtest::lrtest(ours, theirs), "needs fits by bt\\(\\) or formulas")
  votes <- arena_votes()
  clustered <- bt(result, first, second, data = votes, ties = "half", cluster = user)
  expect_refused(
    lmtest::lrtest(clustered, update(clustered, order_effect = TRUE)), "assumes independent"
  )
  ranks <- plackett_luce(rbind(c(a = 1, b = 2), c(1, 2), c(2, 1)))
  expect_refused(lmtest::lrtest(ranks), "use anova\\(fit\\)")
  expect_refused(lmtest::waldtest(ours), "use car::linearHypothesis")
})

test_works("car", c("linearHypothesis()", "deltaMethod()"), "bt()", {
  ours <- fit_baseball()
  theirs <- peer_baseball()
  names(theirs$coefficients) <- names(coef(ours))
  hypotheses <- c("Boston = Cleveland", "Toronto = 0")
  expected <- car::linearHypothesis(
    theirs, hypotheses,
    vcov. = unname(vcov(theirs)), test = "Chisq"
  )
  found <- car::linearHypothesis(ours, hypotheses)
  expect_equal(found$Chisq, expected$Chisq, tolerance = same_as_glm)
  expect_equal(found[["Pr(>Chisq)"]], expected[["Pr(>Chisq)"]], tolerance = same_as_glm)
  expect_refused(car::linearHypothesis(ours, hypotheses, test = "F"), "must be 'Chisq'")
  votes <- arena_votes()
  clustered <- bt(result, first, second, data = votes, ties = "davidson", cluster = user)
  one <- car::linearHypothesis(clustered, "Cedar = Elm")
  expect_equal(
    one[["Pr(>F)"]][[2]], compare_items(clustered, "Cedar", "Elm")$p.value,
    tolerance = same
  )
  rows <- rbind(c(1, -1, rep(0, length(coef(clustered)) - 2)), c(0, 0, 1, rep(
    0, length(coef(clustered)) - 3
  )))
  python <- thaw(clustered, NULL)$wald_test(to_py(rows))
  two <- car::linearHypothesis(clustered, rows)
  expect_equal(two$F[[2]], from_py(python$statistic), tolerance = same)
  expect_equal(two[["Pr(>F)"]][[2]], from_py(python$p_value), tolerance = same)
  # The ratio of the chances of two teams.
  ratio <- car::deltaMethod(ours, "exp(Boston - `New York`)")
  names(theirs$coefficients) <- make.names(names(coef(ours)))
  expected <- car::deltaMethod(
    coef(theirs), "exp(Boston - New.York)",
    vcov. = vcov(theirs)
  )
  expect_equal(unlist(ratio), unlist(expected), tolerance = same_as_glm)
  linear <- car::deltaMethod(clustered, "Cedar - Elm", rhs = 0)
  test <- compare_items(clustered, "Cedar", "Elm")
  expect_equal(unname(unlist(linear[3:4])), as.vector(test$conf.int), tolerance = same)
  expect_equal(linear[["Pr(>|t|)"]], test$p.value, tolerance = same)
  expect_refused(car::Anova(ours), "use drop1\\(fit, test = 'Chisq'\\)")
  expect_refused(car::vif(ours), "needs a model with an intercept")
  ranks <- plackett_luce(rbind(c(a = 1, b = 2), c(1, 2), c(2, 1)))
  expect_refused(car::Anova(ranks), "use anova\\(fit\\)")
})

test_works("sandwich", c("sandwich()", "vcovHC()", "vcovCL()", "bread()", "estfun()"), "bt()", {
  # Rows that count several games, as in glm().
  ours <- fit_baseball()
  theirs <- peer_baseball()
  expect_equal(
    unname(sandwich::estfun(ours)), unname(sandwich::estfun(theirs)),
    tolerance = same_as_glm, ignore_attr = TRUE
  )
  expect_equal(
    unname(sandwich::bread(ours)), unname(sandwich::bread(theirs)),
    tolerance = same_as_glm
  )
  for (type in c("HC0", "HC1", "HC3")) {
    expect_equal(
      unname(sandwich::vcovHC(ours, type = type)), unname(sandwich::vcovHC(theirs, type = type)),
      tolerance = same_as_glm, info = type
    )
  }
  group <- rep(1:6, 7)
  expect_equal(
    unname(sandwich::vcovCL(ours, group)), unname(sandwich::vcovCL(theirs, group)),
    tolerance = same_as_glm
  )
  # One game in each row.
  votes <- arena_votes()
  fits <- list(
    bt(result, first, second, data = votes, ties = "half", order_effect = TRUE),
    bt(result, first, second, data = votes, ties = "davidson"),
    bt(result, first, second, data = votes, ties = "rao-kupper", ref = NA),
    bt(result, first, second, data = votes, ties = "half", method = "firth"),
    bt(result, first, second, data = votes, ties = "half", method = "ridge", prior_sd = 1),
    bt(result, first, second, data = transform(votes, length = rep_len(c(-1, 0.5, 2), 1500)),
      formula = ~ .. + length, ties = "half", weights = rep_len(1:3, nrow(votes))
    )
  )
  for (fit in fits) {
    robust <- update(fit, cov_type = "HC0")
    expect_equal(sandwich::sandwich(fit), vcov(robust), tolerance = same_as_glm)
    # The bread does not depend on the covariance of the fit.
    expect_equal(sandwich::sandwich(robust), vcov(robust), tolerance = same_as_glm)
    if (is.null(fit$ref)) {
      next
    }
    clustered <- update(fit, cluster = user)
    expect_equal(
      sandwich::vcovCL(fit, votes$user, type = "HC1"), vcov(clustered),
      tolerance = same_as_glm
    )
  }
  sums <- colSums(sandwich::estfun(fits[[2]]))
  expect_lt(max(abs(sums)), 1e-8 * nrow(votes))
  expect_refused(sandwich::vcovHC(fits[[2]]), "three outcomes, so it has no model matrix")
  expect_refused(
    sandwich::sandwich(bt(small_wins, formula = ~ (1 | ..))), "with random effects; use vcov"
  )
  expect_refused(sandwich::vcovBS(ours), "cannot draw samples of this fit")
  ranks <- plackett_luce(rbind(c(a = 1, b = 2), c(1, 2), c(2, 1)))
  expect_refused(sandwich::vcovBS(ranks), "cannot draw samples of this fit")
  expect_refused(sandwich::sandwich(ranks), "fit with cov_type = 'HC0' or cluster")
})

test_that("effects and insight say what to use for abilities", {
  skip_without_python()
  skip_without_package("effects")
  skip_without_package("insight")
  items <- data.frame(x = c(1, 2, 4, 3), row.names = rownames(citations))
  for (fit in list(bt(citations), bt(citations, covariates = ~x, item_data = items))) {
    expect_refused(effects::allEffects(fit), "use emmeans::emmeans")
    expect_refused(effects::predictorEffects(fit), "use emmeans::emmeans")
    expect_refused(effects::Effect("x", fit), "use emmeans::emmeans")
    expect_refused(insight::get_predicted(fit), "use predict\\(fit, interval = 'confidence'\\)")
  }
})
