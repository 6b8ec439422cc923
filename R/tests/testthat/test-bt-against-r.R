# bt() compared with other R packages.

# Both sides solve their equations up to rounding errors.
same <- 1e-8
# glm() computes standard errors in the step before the last.
same_errors <- 1e-6

expect_same_fit <- function(ours, theirs) {
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same)
  expect_equal(standard_errors(ours), standard_errors(theirs), tolerance = same_errors)
}

standard_errors <- function(fit) {
  unname(sqrt(diag(vcov(fit))))
}

unclass_abilities <- function(fit) {
  x <- BradleyTerry2::BTabilities(fit)
  matrix(x, ncol = 2, dimnames = dimnames(x))
}

test_that("a matrix of wins has the estimates of BTm", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  citations <- peer_data("citations")
  counts <- BradleyTerry2::countsToBinomial(citations)
  theirs <- peer(cbind(counts$win1, counts$win2), counts$player1, counts$player2)
  ours <- bt(citations)
  expect_same_fit(ours, theirs)
  expect_identical(paste0("..", names(coef(ours))), names(coef(theirs)))
  expect_equal(deviance(ours), deviance(theirs), tolerance = same)
  expect_equal(df.residual(ours), df.residual(theirs))
  expect_equal(abilities(ours), unclass_abilities(theirs), tolerance = same_errors)
  expect_equal(unname(predict(ours)), unname(predict(theirs, type = "response")), tolerance = same)
  expect_equal(unname(predict(ours, type = "link")), unname(predict(theirs)), tolerance = same)
  last <- peer(cbind(counts$win1, counts$win2), counts$player1, counts$player2, refcat = "JRSS-B")
  expect_same_fit(bt(citations, ref = "JRSS-B"), last)
})

test_that("home advantage and its test are those of BTm", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  baseball <- peer_data("baseball")
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, data = baseball)
  with_home <- update(ours, order_effect = TRUE)
  wins <- cbind(baseball$home.wins, baseball$away.wins)
  home <- data.frame(team = baseball$home.team, at.home = 1)
  away <- data.frame(team = baseball$away.team, at.home = 0)
  theirs <- peer(wins, home, away, ~team, id = "team")
  theirs_with_home <- peer(wins, home, away, ~ team + at.home, id = "team")
  expect_same_fit(ours, theirs)
  expect_same_fit(with_home, theirs_with_home)
  expect_identical(tail(names(coef(with_home)), 1), "(order)")
  # All 42 rows are different pairings, so the deviance is the same too.
  expect_equal(deviance(with_home), deviance(theirs_with_home), tolerance = same)
  expect_equal(df.residual(with_home), df.residual(theirs_with_home))
  expected <- anova(theirs, theirs_with_home, test = "Chisq")
  found <- anova(ours, with_home)
  expect_s3_class(found, "anova")
  for (column in c("Df", "Deviance", "Pr(>Chi)")) {
    expect_equal(found[[column]], expected[[column]], tolerance = 1e-7, info = column)
  }
  backwards <- unlist(anova(with_home, ours)[2, 3:5])
  expect_equal(backwards * c(-1, -1, 1), unlist(found[2, 3:5]))
})

test_that("ties as half a win, and home ice of the second player, are those of BTm", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  hockey <- peer_data("icehockey")
  ours <- bt(result, visitor, opponent, data = hockey, ties = "half")
  expect_same_fit(ours, peer(hockey$result, hockey$visitor, hockey$opponent))
  ours <- update(ours, order_effect = TRUE, home = -home.ice)
  theirs <- peer(
    hockey$result,
    data.frame(team = hockey$visitor, home.ice = 0),
    data.frame(team = hockey$opponent, home.ice = hockey$home.ice),
    ~ team + home.ice,
    id = "team"
  )
  expect_same_fit(ours, theirs)
  expect_equal(unname(predict(ours, hockey)), unname(fitted(theirs)), tolerance = same)
  expect_identical(predict(ours), predict(ours, hockey))
})

test_that("covariates of the items are predictors of BTm", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  chameleons <- peer_data("chameleons")
  contests <- data.frame(winner = chameleons$winner$ID, loser = chameleons$loser$ID)
  items <- chameleons$predictors
  rownames(items) <- levels(contests$winner)
  ours <- bt(1, winner, loser, contests, covariates = ~ ch.res + prop.main, item_data = items)
  fit_theirs <- function(formula) {
    suppressWarnings(BradleyTerry2::BTm(
      player1 = winner, player2 = loser, formula = formula, id = "ID", data = chameleons,
      epsilon = 1e-14, maxit = 100
    ))
  }
  theirs <- fit_theirs(~ ch.res[ID] + prop.main[ID])
  expect_same_fit(ours, theirs)
  expect_identical(names(coef(ours)), c("ch.res", "prop.main"))
  expect_equal(-2 * ours$loglik, deviance(theirs), tolerance = same)
  smaller <- bt(1, winner, loser, contests, covariates = ~ch.res, item_data = items)
  expected <- anova(fit_theirs(~ ch.res[ID]), theirs, test = "Chisq")
  expect_equal(anova(smaller, ours)[["Pr(>Chi)"]], expected[["Pr(>Chi)"]], tolerance = 1e-7)
})

test_that("weights, subset and missing values are treated as in BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  baseball <- peer_data("baseball")
  baseball$w <- rep(c(0.5, 2, 1), 14)
  baseball$home.wins[[5]] <- NA
  used <- baseball$home.team != "Boston" & baseball$away.team != "Boston"
  wins <- with(baseball, cbind(home.wins, away.wins))
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball, weights = w)
  theirs <- peer(wins, baseball$home.team, baseball$away.team, weights = baseball$w)
  expect_same_fit(ours, theirs)
  ours <- bt(
    cbind(home.wins, away.wins), home.team, away.team, baseball,
    subset = home.team != "Boston" & away.team != "Boston"
  )
  kept <- droplevels(baseball[used, ])
  theirs <- peer(cbind(kept$home.wins, kept$away.wins), kept$home.team, kept$away.team)
  expect_same_fit(ours, theirs)
  expect_identical(ours$items, levels(kept$home.team))
  expect_error(update(ours, na.action = na.fail), "missing values", class = "pwcstats_error")
})

test_that("the second level of a factor means that player1 won, as in BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  hockey <- subset(peer_data("icehockey"), result != 0.5)
  hockey$answer <- factor(hockey$result, labels = c("no", "yes"))
  ours <- bt(answer, visitor, opponent, data = hockey)
  expect_same_fit(ours, peer(hockey$answer, hockey$visitor, hockey$opponent))
  expect_identical(coef(bt(answer == "yes", visitor, opponent, data = hockey)), coef(ours))
  expect_identical(coef(bt(result, visitor, opponent, data = hockey)), coef(ours))
})

test_that("firth is BTm with br = TRUE", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  skip_without_package("brglm")
  baseball <- peer_data("baseball")
  # Milwaukee wins everything.
  top <- baseball$home.team == "Milwaukee"
  baseball$away.wins[top] <- 0
  top <- baseball$away.team == "Milwaukee"
  baseball$home.wins[top] <- 0
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball, method = "firth")
  theirs <- suppressWarnings(BradleyTerry2::BTm(
    cbind(home.wins, away.wins), home.team, away.team,
    data = baseball, br = TRUE, control.brglm = brglm::brglm.control(br.epsilon = 1e-12)
  ))
  expect_same_fit(ours, theirs)
})

test_that("davidson is the model of psychotools with undecided comparisons", {
  skip_without_python()
  skip_without_package("psychotools")
  set.seed(3)
  items <- letters[1:5]
  pairs <- which(upper.tri(diag(5)), arr.ind = TRUE)
  answers <- matrix(sample(c(-1, 0, 1), 40 * nrow(pairs), TRUE, c(.3, .25, .45)), 40)
  theirs <- psychotools::btmodel(
    psychotools::paircomp(answers, labels = items),
    undecided = TRUE, ref = "a", epsilon = 1e-14
  )
  games <- data.frame(
    first = items[pairs[, 1]], second = items[pairs[, 2]],
    wins1 = colSums(answers == 1), wins2 = colSums(answers == -1), ties = colSums(answers == 0)
  )
  ours <- bt(cbind(wins1, wins2, ties), first, second, games, ties = "davidson")
  expect_same_fit(ours, theirs)
  expect_equal(as.numeric(logLik(ours)), as.numeric(logLik(theirs)), tolerance = same)
  expect_identical(tail(names(coef(ours)), 1), "(tie)")
  wins <- tied <- matrix(0, 5, 5)
  wins[pairs] <- games$wins1
  wins[pairs[, 2:1]] <- games$wins2
  tied[pairs] <- tied[pairs[, 2:1]] <- games$ties
  expect_equal(unname(coef(bt(wins, tied = tied, ties = "davidson"))), unname(coef(ours)))
})

test_that("quasi-variances are those of qvcalc", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  skip_without_package("qvcalc")
  baseball <- peer_data("baseball")
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, data = baseball)
  theirs <- peer(
    cbind(baseball$home.wins, baseball$away.wins), baseball$home.team, baseball$away.team
  )
  expected <- qvcalc::qvcalc(BradleyTerry2::BTabilities(theirs))
  found <- quasi_variances(ours)
  expect_identical(names(found), names(expected$qvframe))
  # qvcalc stops its iteration at a relative change of 1e-8 of the deviance.
  expect_equal(as.matrix(found), as.matrix(expected$qvframe), tolerance = 1e-5)
  expect_equal(attr(found, "relative_error"), range(expected$relerrs), tolerance = 1e-3)
})
