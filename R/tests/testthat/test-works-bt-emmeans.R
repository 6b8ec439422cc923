# emmeans, multcomp and multcompView with fits of abilities.

# The same formulas on both sides.
same <- 1e-10
# Estimates and covariances of glm() with a strict tolerance.
same_as_glm <- 1e-8

columns_of <- function(x, columns) {
  unname(as.matrix(as.data.frame(x)[columns]))
}

expect_same_pairs <- function(fit, mode = "items") {
  means <- emmeans::emmeans(fit, ~player, mode = mode)
  expect_identical(as.character(as.data.frame(means)$player), fit$items)
  expect_equal(
    columns_of(means, c("emmean", "SE")), unname(abilities(fit)),
    tolerance = same
  )
  bounds <- abilities(fit, conf.int = TRUE)[, c("conf.low", "conf.high")]
  expect_equal(
    columns_of(confint(means), 5:6), unname(bounds),
    tolerance = same
  )
  theirs <- summary(graphics::pairs(means, adjust = "none"), infer = TRUE)
  ours <- pairs(fit, adjust = "none")
  # The columns 5 and 6 are the bounds, 7 the statistic.
  expect_equal(
    columns_of(theirs, c(2, 3, 7, 8, 5, 6)),
    columns_of(ours, c(
      "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"
    )),
    tolerance = same
  )
  expect_equal(unique(theirs$df), fit$df.inference)
  one <- compare_items(fit, fit$items[[1]], fit$items[[3]])
  expect_equal(theirs$p.value[[2]], one$p.value, tolerance = same)
}

test_works(
  "emmeans", c("emmeans()", "pairs()", "confint()"), c("bt()", "plackett_luce()"),
  {
    expect_same_pairs(bt(small_wins))
    expect_same_pairs(bt(small_wins, ref = "c"))
    expect_same_pairs(bt(small_wins, ref = NA))
    expect_same_pairs(bt(small_wins, method = "firth"))
    expect_same_pairs(bt(small_wins, method = "ghost"))
    items <- data.frame(x = c(1, 3, 4), row.names = c("a", "b", "c"))
    expect_same_pairs(bt(small_wins, covariates = ~x, item_data = items))
    expect_same_pairs(bt(small_wins, covariates = cbind(x = c(1, 3, 4))))
    tied <- bt(result, first, second, tied_games, ties = "davidson", order_effect = TRUE)
    expect_same_pairs(tied)
    votes <- transform(arena, result = c(first = 1, tie = 0.5, second = 0)[as.character(winner)])
    clustered <- bt(result, first, second,
      data = votes, ties = "davidson", order_effect = TRUE, cluster = user
    )
    expect_true(is.finite(clustered$df.inference))
    expect_same_pairs(clustered)
    ranks <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2), c(1, 1, 2))
    expect_same_pairs(plackett_luce(ranks))
    expect_same_pairs(plackett_luce(ranks, ref = NA, cov_type = "HC0"))
    wins <- peer_data("citations")
    journals <- data.frame(theory = c(2, 0, 1, 3), row.names = rownames(wins))
    expect_same_pairs(bt(wins, formula = ~ (1 | ..), item_data = NULL))
    expect_same_pairs(bt(wins, formula = ~ theory + (1 | ..), item_data = journals))
    expect_refused(
      emmeans::emmeans(bt(small_wins, cov = "none"), ~player), "fit with cov = 'full'"
    )
    # emmeans() passes our messages on, but not the class.
    expect_error(
      emmeans::emmeans(bt(small_wins), ~player, mode = "latent"), "^mode must be one of"
    )
    expect_error(
      emmeans::emmeans(bt(small_wins), ~player, mode = "covariates"), "needs a formula"
    )
  }
)

test_works("emmeans", c("emmeans()", "contrast()"), "bt()", {
  baseball <- peer_data("baseball")
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball)
  theirs <- peer(
    cbind(baseball$home.wins, baseball$away.wins), baseball$home.team, baseball$away.team
  )
  # Treatment contrasts of abilities are the coefficients of BTm().
  contrasts <- emmeans::contrast(emmeans::emmeans(ours, ~player), "trt.vs.ctrl", adjust = "none")
  expect_equal(
    columns_of(contrasts, c("estimate", "SE", "p.value")),
    unname(coef(summary(theirs))[, c(1, 2, 4)]),
    tolerance = same_as_glm
  )
})

test_works("emmeans", "emmeans()", "bt()", {
  baseball <- peer_data("baseball")
  teams <- data.frame(
    size = c(7, 6, 5, 1, 2, 4, 3), east = rep(c(TRUE, FALSE), c(4, 3)),
    kind = c("b", "a", "a", "c", "b", "c", "a"), row.names = levels(baseball$home.team)
  )
  formula <- ~ log(size) * east + kind
  ours <- bt(
    cbind(home.wins, away.wins), home.team, away.team, formula, baseball,
    item_data = teams
  )
  # The same regressors: differences of the covariates, without intercept.
  x <- model.matrix(formula, teams)[, -1]
  slopes <- x[as.character(baseball$home.team), ] - x[as.character(baseball$away.team), ]
  theirs <- glm(
    cbind(home.wins, away.wins) ~ slopes - 1, binomial, baseball,
    control = glm.control(1e-14, 100)
  )
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same_as_glm)
  at <- list(size = c(2, 6), kind = c("a", "c"))
  found <- emmeans::emmeans(ours, ~ size + east + kind, at = at)
  grid <- as.data.frame(found)
  wanted <- data.frame(
    size = grid$size, east = as.logical(grid$east), kind = as.character(grid$kind)
  )
  rows <- model.matrix(formula, rbind(wanted, teams))[seq_len(nrow(grid)), -1]
  rows <- sweep(rows, 2, colMeans(x))
  expect_equal(grid$emmean, as.vector(rows %*% coef(theirs)), tolerance = same_as_glm)
  expect_equal(
    grid$SE, unname(sqrt(diag(rows %*% vcov(theirs) %*% t(rows)))),
    tolerance = same_as_glm
  )
  # Marginal means are those of an ordinary model with these coefficients.
  stand_in <- lm(rnorm(7) ~ log(size) + kind, teams)
  simple <- update(ours, . ~ log(size) + kind)
  stand_in$coefficients[-1] <- coef(simple)
  theirs <- as.data.frame(emmeans::emmeans(stand_in, ~kind))
  ours_at_mean <- as.data.frame(emmeans::emmeans(simple, ~kind))
  expect_equal(diff(ours_at_mean$emmean), diff(theirs$emmean), tolerance = same)
  # Covariates in the formula as in BTm(), with a basis that depends on the data.
  size <- teams$size
  indexed <- bt(
    cbind(home.wins, away.wins), home.team, away.team, ~ poly(size[..], 2), baseball
  )
  means <- as.data.frame(emmeans::emmeans(indexed, ~size, at = list(size = size)))
  expect_equal(
    unname(as.matrix(means[c("emmean", "SE")])), unname(abilities(indexed)),
    tolerance = same
  )
  strange <- bt(
    cbind(home.wins, away.wins), home.team, away.team, ~ teams$size[..], baseball
  )
  expect_error(emmeans::emmeans(strange, ~size), "needs covariates of the items that are var")
})

test_works("emmeans", "emmeans()", "bt()", {
  # After random effects, covariates have their fixed effects.
  wins <- peer_data("citations")
  journals <- data.frame(theory = c(2, 0, 1, 3), row.names = rownames(wins))
  fit <- bt(wins, formula = ~ theory + (1 | ..), item_data = journals)
  found <- as.data.frame(emmeans::emmeans(fit, ~theory, at = list(theory = c(1.5, 2.5))))
  expect_equal(found$emmean, c(0, unname(coef(fit))), tolerance = same)
  expect_equal(found$SE, c(0, unname(sqrt(diag(vcov(fit))))), tolerance = same)
})

test_works(
  "multcomp", c("glht()", "summary()"), c("bt()", "plackett_luce()"),
  {
    baseball <- peer_data("baseball")
    ours <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball)
    theirs <- peer(
      cbind(baseball$home.wins, baseball$away.wins), baseball$home.team, baseball$away.team
    )
    combinations <- diag(6)[1:3, ] - diag(6)[4:6, ]
    tests <- lapply(list(ours, theirs), function(fit) {
      summary(multcomp::glht(fit, combinations), test = multcomp::adjusted("none"))$test
    })
    for (name in c("coefficients", "sigma", "tstat", "pvalues")) {
      expect_equal(
        unname(tests[[1]][[name]]), unname(tests[[2]][[name]]),
        tolerance = same_as_glm, info = name
      )
    }
    # Comparisons of all items.
    all_pairs <- function(fit) multcomp::glht(fit, emmeans::emm(pairwise ~ player))
    ranks <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2), c(1, 1, 2))
    votes <- transform(arena, result = c(first = 1, tie = 0.5, second = 0)[as.character(winner)])
    clustered <- bt(result, first, second, data = votes, ties = "half", cluster = user)
    for (fit in list(ours, plackett_luce(ranks), clustered)) {
      tests <- all_pairs(fit)
      expect_equal(tests$df, if (is.finite(fit$df.inference)) fit$df.inference else 0)
      expect_equal(
        unname(summary(tests, test = multcomp::adjusted("none"))$test$pvalues),
        pairs(fit, adjust = "none")$p.value,
        tolerance = same, ignore_attr = TRUE
      )
      adjusted <- multcomp::adjusted("single-step", abseps = 1e-3, maxpts = 1e6)
      single_step <- summary(tests, test = adjusted)$test$pvalues
      # Our critical values are simulated with 10000 draws: three standard errors are 0.015.
      expect_equal(
        as.vector(single_step), pairs(fit, adjust = "max-t")$adj.p.value,
        tolerance = 0.015
      )
    }
  }
)

# Whether two items share a letter.
share_letters <- function(letters, table) {
  letters <- lapply(strsplit(letters, ""), setdiff, " ")
  shared <- function(a, b) any(letters[[a]] %in% letters[[b]])
  unname(mapply(shared, table$item1, table$item2))
}

test_works("multcomp", "cld()", "bt()", {
  baseball <- peer_data("baseball")
  fit <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball)
  groups <- multcomp::cld(emmeans::emmeans(fit, ~player), adjust = "none")
  table <- pairs(fit, adjust = "none")
  letters <- stats::setNames(groups$.group, groups$player)
  expect_identical(share_letters(letters, table), table$p.value >= 0.05)
})

test_works("multcompView", "multcompLetters()", "bt()", {
  baseball <- peer_data("baseball")
  fit <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball)
  table <- pairs(fit, adjust = "none")
  p <- stats::setNames(table$p.value, paste(table$item1, table$item2, sep = "-"))
  letters <- multcompView::multcompLetters(p)$Letters
  expect_identical(share_letters(letters, table), table$p.value >= 0.05)
})
