# bt() with objects and calls of BradleyTerry2, psychotools and qvcalc.

# Both sides solve their equations up to rounding errors.
same <- 1e-8
# glm() computes standard errors in the step before the last.
same_errors <- 1e-6

data_of <- function(package, name) {
  space <- new.env()
  utils::data(list = name, package = package, envir = space)
  space[[name]]
}

test_that("calls of BTm() for counts work with bt()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  counts <- BradleyTerry2::countsToBinomial(peer_data("citations"))
  theirs <- BradleyTerry2::BTm(cbind(win1, win2), player1, player2, data = counts, epsilon = 1e-14)
  ours <- bt(cbind(win1, win2), player1, player2, data = counts)
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same)
  expect_equal(coef(bt(cbind(win1, win2), player1, player2, counts)), coef(ours))
  ours <- update(ours, refcat = "JASA")
  theirs <- update(theirs, refcat = "JASA")
  expect_equal(abilities(ours), BradleyTerry2::BTabilities(theirs),
    tolerance = same_errors, ignore_attr = TRUE
  )
  team <- bt(cbind(home.wins, away.wins), home.team, away.team,
    data = peer_data("baseball"), id = "team"
  )
  expect_identical(deparse(formula(team)), "~team")
  # AIC differs by a constant.
  games <- peer_data("baseball")
  x <- data.frame(rank = c(7, 6, 5, 1, 2, 4, 3), luck = c(1, 5, 2, 2, 4, 1, 3))
  both <- list(games, x)
  wins <- cbind(games$home.wins, games$away.wins)
  fits <- function(fit, ...) {
    list(
      fit(wins, home.team, away.team, ~ rank[..] + luck[..], data = both, ...),
      fit(wins, home.team, away.team, ~ rank[..], data = both, ...)
    )
  }
  ours <- fits(bt)
  theirs <- suppressWarnings(fits(BradleyTerry2::BTm, epsilon = 1e-14))
  differences <- mapply(function(a, b) AIC(a) - AIC(b), ours, theirs)
  expect_equal(differences[[1]], differences[[2]], tolerance = same)
  found <- drop1(ours[[1]], test = "Chisq")
  expected <- drop1(theirs[[1]], test = "Chisq")
  expect_identical(rownames(found), rownames(expected))
  expect_equal(found[["Pr(>Chi)"]], expected[["Pr(>Chi)"]], tolerance = 1e-6)
  # add1() of BTm() does not know the numbers of games of the rows.
  expect_equal(add1(ours[[2]], ~ . + luck[..])$AIC[[2]], AIC(ours[[1]]))
})

test_that("flatlizards with missing covariates is fitted as by BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  skip_without_package("brglm")
  flatlizards <- peer_data("flatlizards")
  result <- rep(1, nrow(flatlizards$contests))
  theirs <- suppressWarnings(BradleyTerry2::BTm(
    result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..],
    data = flatlizards, br = TRUE, control.brglm = brglm::brglm.control(br.epsilon = 1e-12)
  ))
  ours <- bt(
    result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..],
    data = flatlizards, br = TRUE
  )
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same)
  expect_equal(unname(vcov(ours)), unname(vcov(theirs)), tolerance = same_errors)
  expect_identical(
    names(coef(ours)), sub("..lizard", "lizard", names(coef(theirs)), fixed = TRUE)
  )
  # Abilities of items differ by a constant.
  shift <- abilities(ours)[, 1] - BradleyTerry2::BTabilities(theirs)[, 1]
  expect_equal(unname(shift), rep(shift[[1]], 77), tolerance = 1e-7)
  # lizard096 never lost. BTm() reports a large coefficient with a standard error of 1000 or more.
  expect_warning(
    ours <- update(ours, br = FALSE), "infinite .*lizard096",
    class = "pwcstats_warning"
  )
  theirs <- suppressWarnings(BradleyTerry2::BTm(
    result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..],
    data = flatlizards, epsilon = 1e-14, maxit = 100
  ))
  expect_equal(unname(coef(ours)), unname(coef(theirs)[-1]), tolerance = 1e-6)
  expect_identical(abilities(ours)["lizard096", "ability"], Inf)
  expect_equal(unname(predict(ours)), unname(fitted(theirs)), tolerance = 1e-6)
})

test_that("standard errors of predictions are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  baseball <- peer_data("baseball")
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, baseball, order_effect = TRUE)
  theirs <- peer(
    cbind(baseball$home.wins, baseball$away.wins),
    data.frame(team = baseball$home.team, at.home = 1),
    data.frame(team = baseball$away.team, at.home = 0),
    ~ team + at.home,
    id = "team"
  )
  for (type in c("link", "response")) {
    found <- predict(ours, type = type, se.fit = TRUE)
    expected <- predict(theirs, type = type, se.fit = TRUE)
    expect_equal(unname(found$fit), unname(expected$fit), tolerance = same)
    expect_equal(unname(found$se.fit), unname(expected$se.fit), tolerance = same_errors)
  }
})

test_that("qvcalc() of a fit is that of BTabilities()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  skip_without_package("qvcalc")
  counts <- BradleyTerry2::countsToBinomial(peer_data("citations"))
  theirs <- peer(cbind(counts$win1, counts$win2), counts$player1, counts$player2)
  for (ref in c("Biometrika", "JASA")) {
    expected <- qvcalc::qvcalc(BradleyTerry2::BTabilities(
      peer(cbind(counts$win1, counts$win2), counts$player1, counts$player2, refcat = ref)
    ))
    found <- qvcalc::qvcalc(bt(cbind(win1, win2), player1, player2, counts, ref = ref))
    expect_s3_class(found, "qv")
    for (part in c("covmat", "qvframe", "relerrs")) {
      expect_equal(found[[part]], expected[[part]], tolerance = 1e-5, info = part)
    }
  }
  # Quasi-variances do not depend on the reference.
  none <- qvcalc::qvcalc(bt(peer_data("citations"), ref = NA))
  expect_equal(none$qvframe$quasiVar, found$qvframe$quasiVar, tolerance = 1e-6)
  expect_equal(
    as.matrix(none$qvframe), as.matrix(quasi_variances(bt(peer_data("citations"), ref = NA))),
    tolerance = 1e-5
  )
  expect_refused(qvcalc::qvcalc(bt(peer_data("citations"), cov = "diag")), "cov = 'full'")
  # With covariates, the covariance is that of the abilities.
  items <- data.frame(x = c(1, 4, 2, 7), y = c(2, 2, 5, 1), row.names = levels(counts$player1))
  fit <- bt(peer_data("citations"), formula = ~ x + y, item_data = items)
  expect_equal(sqrt(diag(ability_vcov(fit, NULL))), abilities(fit)[, "s.e."])
})

test_that("BTabilities() has a method for versions in which it is generic", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  fit <- bt(peer_data("citations"))
  counts <- BradleyTerry2::countsToBinomial(peer_data("citations"))
  theirs <- BradleyTerry2::BTabilities(
    peer(cbind(counts$win1, counts$win2), counts$player1, counts$player2)
  )
  ours <- BTabilities.pwcstats_abilities(fit)
  expect_identical(class(ours), class(theirs))
  expect_equal(vcov(ours), vcov(theirs), tolerance = same_errors)
  expect_equal(coef(ours), coef(theirs), tolerance = same)
  printed <- function(x) capture.output(print(x, digits = 4))
  expect_identical(printed(ours), printed(theirs))
  registered <- asNamespace("BradleyTerry2")[[".__S3MethodsTable__."]]
  expect_true(exists("BTabilities.pwcstats_abilities", registered))
})

test_that("paircomp objects of psychotools are read", {
  skip_without_python()
  skip_without_package("psychotools")
  preference <- data_of("psychotools", "GermanParties2009")$preference
  theirs <- psychotools::btmodel(preference, ref = 1, epsilon = 1e-14)
  ours <- bt(preference)
  expect_equal(coef(ours), coef(theirs), tolerance = same)
  expect_equal(vcov(ours), vcov(theirs), tolerance = same_errors)
  expect_equal(as.numeric(logLik(ours)), as.numeric(logLik(theirs)), tolerance = same)
  expect_identical(nrow(stats::model.frame(ours)), 15L)
  weights <- rep(c(1, 0, 2), length.out = length(preference))
  theirs <- psychotools::btmodel(preference, weights = weights, ref = 1, epsilon = 1e-14)
  expect_equal(coef(bt(preference, weights = weights)), coef(theirs), tolerance = same)
  clustered <- bt(preference, cov_type = "cluster")
  expect_equal(coef(clustered), coef(ours), tolerance = same)
  expect_equal(clustered$df.inference, length(preference) - 1)
  expect_refused(bt(preference, subset = 1:3), "subset needs player1")
  expect_refused(bt(preference, tied = diag(6)), "tied needs a matrix of wins")
  expect_refused(bt(preference, weights = 1:3), "each of the 192 subjects, got 3")
})

test_that("ties, missing answers and covariates of paircomp objects are read", {
  skip_without_python()
  skip_without_package("psychotools")
  set.seed(3)
  answers <- matrix(sample(c(-1, 0, 1), 400, TRUE, c(.3, .25, .45)), 40)
  answers[sample(400, 30)] <- NA
  objects <- data.frame(size = c(1, 3, 2, 5, 4))
  x <- psychotools::paircomp(answers, labels = letters[1:5], covariates = objects)
  theirs <- psychotools::btmodel(x, ref = "a", epsilon = 1e-14)
  ours <- bt(x)
  expect_identical(ours$ties, "davidson")
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same)
  expect_equal(unname(vcov(ours)), unname(vcov(theirs)), tolerance = same_errors)
  by_size <- bt(x, formula = ~size)
  expect_identical(names(coef(by_size)), c("size", "(tie)"))
  ordered <- psychotools::paircomp(cbind(answers, -answers), labels = letters[1:5], ordered = TRUE)
  expect_lt(abs(coef(bt(ordered, order_effect = TRUE))[["(order)"]]), 1e-8)
  wide <- psychotools::paircomp(matrix(c(-2, 1, 2, 1, 2, -1), 2), labels = letters[1:3])
  expect_refused(bt(wide), "on the scale -1, 0, 1")
})
