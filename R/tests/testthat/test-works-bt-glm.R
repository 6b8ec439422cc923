# Methods of glm() for fits of abilities: profiles, leverages, predictions and updates.

# Estimates and covariances of glm() with a strict tolerance.
same_as_glm <- 1e-8
# Profiles are interpolated between 13 points.
interpolated <- 1e-4
# Both sides iterate until changes are below 1e-8 or less.
same_mixed <- 1e-5

# The same regressors as glm() has them.
as_glm_of <- function(fit) {
  rows <- model.frame(fit)
  points <- cbind(rows$wins1 + rows$ties / 2, rows$wins2 + rows$ties / 2)
  x <- model.matrix(fit)
  suppressWarnings(glm(points ~ x - 1, binomial, control = glm.control(1e-14, 100)))
}

test_that("leverages and standardised residuals are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  ours <- fit_baseball()
  theirs <- peer_baseball()
  expect_equal(unname(model.matrix(ours)), unname(model.matrix(theirs)), ignore_attr = TRUE)
  expect_identical(dimnames(model.matrix(ours)), list(as.character(1:42), names(coef(ours))))
  pairs <- list(
    list(ours, theirs), list(update(ours, ref = NA), theirs),
    list(update(ours, cov_type = "HC0"), theirs),
    list(
      fit_baseball(weights = rep(c(0.5, 2, 1), 14)), peer_baseball(weights = rep(c(0.5, 2, 1), 14))
    )
  )
  games <- peer_data("icehockey")
  half <- bt(result, visitor, opponent, games, ties = "half", order_effect = TRUE)
  pairs <- c(pairs, list(list(half, as_glm_of(half))))
  for (pair in pairs) {
    for (method in list(hatvalues, cooks.distance, rstandard, rstudent)) {
      expect_equal(
        unname(method(pair[[1]])), unname(method(pair[[2]])),
        tolerance = same_as_glm, ignore_attr = TRUE
      )
    }
    expect_equal(
      unname(rstandard(pair[[1]], type = "pearson")),
      unname(rstandard(pair[[2]], type = "pearson")),
      tolerance = same_as_glm
    )
    expect_equal(
      unname(weights(pair[[1]], "working")), unname(weights(pair[[2]], "working")),
      tolerance = same_as_glm
    )
    for (type in c("deviance", "pearson", "working", "response")) {
      expect_equal(
        unname(residuals(pair[[1]], type)), unname(residuals(pair[[2]], type)),
        tolerance = same_as_glm, info = type
      )
    }
  }
  # After a penalised fit leverages add up to the effective number of parameters.
  ridge <- update(ours, method = "ridge", prior_sd = 1)
  expect_equal(sum(hatvalues(ridge)), ridge$df, tolerance = same_as_glm)
  tied <- bt(result, first, second, tied_games, ties = "davidson")
  for (method in list(model.matrix, hatvalues, cooks.distance, rstandard, rstudent)) {
    expect_refused(method(tied), "three outcomes, so it has no (model matrix|leverages)")
  }
  expect_refused(hatvalues(bt(small_wins, formula = ~ (1 | ..))), "use residuals\\(\\)")
})

test_works("broom", c("tidy()", "glance()", "augment()"), "bt()", {
  ours <- fit_baseball()
  theirs <- peer_baseball()
  for (type in c("deviance", "pearson")) {
    added <- broom::augment(ours, type.residuals = type)
    expected <- broom::augment(as_glm_of(ours), type.residuals = type)
    for (column in c(".resid", ".hat", ".std.resid", ".cooksd")) {
      expect_equal(
        added[[column]], unname(expected[[column]]),
        tolerance = same_as_glm, info = column
      )
    }
  }
  errors <- broom::augment(ours, se_fit = TRUE)$.se.fit
  expect_equal(errors, unname(predict(ours, se.fit = TRUE)$se.fit))
  new <- broom::augment(ours, newdata = model.frame(ours)[1:2, ])
  expect_identical(names(new)[-(1:6)], ".fitted")
  expect_equal(
    as.matrix(broom::tidy(ours)[-1]), as.matrix(broom::tidy(as_glm_of(ours))[-1]),
    tolerance = same_as_glm, ignore_attr = TRUE
  )
  shared <- c("deviance", "df.residual")
  expect_equal(
    unlist(broom::glance(ours)[shared]), unlist(broom::glance(as_glm_of(ours))[shared]),
    tolerance = same_as_glm
  )
})

test_works("MASS", "confint()", c("bt()", "plackett_luce()"), {
  ours <- fit_baseball()
  theirs <- as_glm_of(ours)
  profiles <- profile(ours)
  expect_s3_class(profiles, "profile.glm")
  expect_equal(confint(profiles), confint(ours, method = "profile"))
  interpolate <- utils::getS3method("confint", "profile.glm", envir = asNamespace("MASS"))
  expect_equal(
    interpolate(profiles), confint(profiles),
    tolerance = interpolated, ignore_attr = "dimnames"
  )
  expected <- suppressMessages(confint(profile(theirs)))
  # MASS has ten points or fewer, at equal steps of the coefficient.
  expect_equal(unname(confint(profiles)), unname(expected), tolerance = 1e-3)
  # Every point of glm()'s profile is on ours.
  peers <- profile(theirs)[[2]]
  path <- profiles[[2]]
  z <- spline(path$par.vals[, 2], path$z, xout = peers$par.vals[, 2])$y
  inside <- abs(peers$z) < 2.6
  expect_equal(z[inside], peers$z[inside], tolerance = interpolated)
  expect_identical(names(profile(ours, "Boston")), "Boston")
  expect_identical(names(profile(ours, 2:3)), names(coef(ours))[2:3])
  won_all <- small_wins
  won_all["a", ] <- c(0, 7, 5)
  won_all[, "a"] <- 0
  firth <- bt(won_all, method = "firth", ref = "c")
  expect_equal(
    unname(confint(profile(firth), level = 0.9)),
    unname(confint(firth, level = 0.9, method = "profile")),
    tolerance = 1e-3
  )
  ranks <- plackett_luce(rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2)))
  expect_equal(
    unname(confint(profile(ranks))), unname(confint(ranks, method = "profile")),
    tolerance = 1e-3
  )
  # Profiles can be plotted.
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(profiles))
  expect_silent(graphics::pairs(profiles))
  expect_refused(profile(ours, "Bosten"), "^which must be among the coefficients")
  expect_refused(profile(update(ours, cov_type = "HC0")), "assumes independent comparisons")
  expect_refused(
    profile(bt(small_wins, formula = ~ (1 | ..))), "use confint\\(fit, method = 'profile'\\)"
  )
})

test_works("MASS", "dropterm()", "bt()", {
  games <- peer_data("baseball")
  teams <- data.frame(
    size = c(7, 6, 5, 1, 2, 4, 3), old = c(1, 3, 2, 5, 6, 1, 1), row.names = levels(games$home.team)
  )
  fit <- bt(
    cbind(home.wins, away.wins), home.team, away.team, ~ size + old, games,
    item_data = teams
  )
  theirs <- as_glm_of(fit)
  x <- model.matrix(fit)
  theirs <- update(theirs, . ~ size + old - 1, data = as.data.frame(x))
  found <- MASS::dropterm(fit, test = "Chisq")
  expected <- MASS::dropterm(theirs, test = "Chisq")
  for (column in c("Df", "LRT", "Pr(Chi)")) {
    expect_equal(found[[column]], expected[[column]], tolerance = 1e-7, info = column)
  }
  # Likelihoods without their penalties are not compared.
  penalised <- update(fit, method = "firth")
  expect_refused(MASS::dropterm(penalised, test = "Chisq"), "needs a maximum likelihood fit")
  expect_refused(
    MASS::addterm(update(penalised, . ~ size), . ~ . + old, test = "Chisq"),
    "needs a maximum likelihood fit"
  )
  expect_equal(MASS::dropterm(penalised)$AIC, drop1(penalised)$AIC, tolerance = same_as_glm)
  mixed <- update(fit, . ~ . + (1 | ..))
  expect_refused(MASS::dropterm(mixed), "use drop1\\(fit, test = 'Chisq'\\)")
  expect_equal(
    MASS::addterm(update(mixed, . ~ . - old), . ~ . + old, test = "Chisq")$LRT[[2L]],
    drop1(mixed, "old", test = "Chisq")$LRT[[2L]],
    tolerance = same_mixed
  )
})

test_that("variables, cases and coefficients have names, and sigma() is refused", {
  skip_without_python()
  fit <- fit_baseball()
  expect_identical(variable.names(fit), names(coef(fit)))
  expect_identical(case.names(fit), rownames(model.frame(fit)))
  rankings <- plackett_luce(rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1)))
  expect_identical(variable.names(rankings), c("b", "c"))
  expect_refused(case.names(rankings), "not defined for rankings")
  expect_refused(sigma(fit), "no residual variance")
  expect_refused(lmtest::coefci(fit, "nobody"), "got 'nobody'")
  expect_equal(
    lmtest::coefci(fit, 2), confint(fit)[2, , drop = FALSE],
    tolerance = same_as_glm, ignore_attr = TRUE
  )
})

test_that("terms of predictions are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  ours <- fit_baseball()
  theirs <- peer_baseball()
  expect_equal(
    unname(predict(ours, type = "response")), unname(predict(theirs, type = "response")),
    tolerance = same_as_glm
  )
  wanted <- predict(theirs, type = "terms", se.fit = TRUE)
  found <- predict(ours, type = "terms", se.fit = TRUE)
  for (part in c("fit", "se.fit")) {
    expect_equal(
      unname(found[[part]]), unname(wanted[[part]]),
      tolerance = same_as_glm, ignore_attr = TRUE
    )
  }
  # Terms of all kinds: items of their own, covariates, and contests.
  games <- peer_data("baseball")
  sides <- list(
    home.team = data.frame(team = games$home.team, at.home = 1, run = rep(1:6, 7)),
    away.team = data.frame(team = games$away.team, at.home = 0, run = rep(1:7, 6)^2)
  )
  teams <- data.frame(
    size = c(7, 6, NA, 1, 2, 4, 3), kind = factor(c("a", "b", "c", "c", "b", "a", "a"))
  )
  data <- c(list(games[c("home.wins", "away.wins")]), sides, list(teams))
  formula <- ~ kind[team] + size[team] + run + at.home
  fit_with <- function(fit, ...) {
    suppressWarnings(fit(
      cbind(home.wins, away.wins), home.team, away.team, formula,
      data = data, id = "team", ...
    ))
  }
  ours <- fit_with(bt)
  theirs <- fit_with(BradleyTerry2::BTm, epsilon = 1e-14, maxit = 100)
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same_as_glm)
  wanted <- predict(theirs, type = "terms", se.fit = TRUE)
  found <- predict(ours, type = "terms", se.fit = TRUE)
  expect_identical(colnames(found$fit), colnames(wanted$fit))
  for (part in c("fit", "se.fit")) {
    expect_equal(
      unname(found[[part]]), unname(wanted[[part]]),
      tolerance = same_as_glm, ignore_attr = TRUE
    )
  }
  expect_equal(rowSums(found$fit), predict(ours, type = "link"), tolerance = same_as_glm)
  new <- predict(ours, lapply(sides, utils::head, 3), type = "terms")
  expect_equal(new, found$fit[1:3, ], tolerance = same_as_glm, ignore_attr = TRUE)
})

test_that("a tie parameter is no term", {
  skip_without_python()
  for (ties in c("davidson", "rao-kupper")) {
    fit <- bt(
      c(1, 0, 0.5, 1, 1, 0), c("a", "b", "a", "c", "b", "a"), c("b", "c", "c", "a", "a", "c"),
      ties = ties, order_effect = TRUE, method = "ridge", prior_sd = 1
    )
    found <- predict(fit, type = "terms", se.fit = TRUE)
    expect_identical(colnames(found$fit), c("..", "(order)"))
    expect_identical(dim(found$se.fit), dim(found$fit))
    expect_equal(rowSums(found$fit), predict(fit, type = "link"), tolerance = 1e-12)
  }
})

test_that("levels of predictions are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  springall <- peer_data("springall")
  fit_with <- function(fit, ...) {
    suppressWarnings(fit(
      cbind(win.adj, loss.adj), col, row, ~ flav[..] + gel[..] + (1 | ..),
      data = springall, ...
    ))
  }
  theirs <- fit_with(BradleyTerry2::BTm)
  ours <- fit_with(bt, random_effects = "pql")
  for (level in c(0, 1)) {
    for (type in c("link", "response")) {
      expect_equal(
        unname(predict(ours, type = type, level = level)),
        as.vector(predict(theirs, type = type, level = level)),
        tolerance = same_mixed, info = paste(level, type)
      )
    }
  }
  expect_equal(
    unname(predict(ours, type = "link", level = 0, se.fit = TRUE)$se.fit),
    as.vector(predict(theirs, type = "link", level = 0, se.fit = TRUE)$se.fit),
    tolerance = same_mixed
  )
  expect_refused(predict(ours, level = 0.9), "level is 0 or 1")
})

test_that("intervals of predictions are those of links", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  ours <- fit_baseball(order_effect = TRUE)
  links <- predict(ours, type = "link", se.fit = TRUE, interval = "confidence", level = 0.9)
  theirs <- predict(as_glm_of(ours), se.fit = TRUE)
  expect_identical(colnames(links$fit), c("fit", "lwr", "upr"))
  expect_equal(
    unname(links$fit),
    unname(theirs$fit + theirs$se.fit %o% (qnorm(0.95) * c(0, -1, 1))),
    tolerance = same_as_glm
  )
  shares <- predict(ours, interval = "confidence", conf.level = 0.9)
  expect_equal(shares, plogis(links$fit), tolerance = same_as_glm)
  votes <- transform(arena, result = c(first = 1, tie = 0.5, second = 0)[as.character(winner)])
  tied <- bt(result, first, second, data = votes, ties = "davidson", cluster = user)
  new <- model.frame(tied)[1:3, ]
  found <- predict(tied, new, interval = "confidence")
  expect_identical(dimnames(found)[[3]], c("fit", "lwr", "upr"))
  expect_equal(found[, , "fit"], predict(tied, new))
  python <- thaw(tied, NULL)
  sides <- lapply(new[1:2], function(x) labels_to_py(as.character(x)))
  answer <- python$predict(sides[[1]], sides[[2]], outcome = "tie", se = TRUE)
  bounds <- matrix_from_py(answer)[, 3:4]
  expect_equal(unname(found[, "tie", 2:3]), bounds, tolerance = same_as_glm)
  expect_refused(predict(ours, type = "terms", interval = "confidence"), "^intervals need type")
  expect_refused(predict(ours, interval = "confidence", level = 1), "^level must be a number")
  expect_refused(predict(ours, level = 0.5), "interval = 'confidence' has other levels")
})

# Each of R's generic functions returns a value or stops with our error, never NULL.
test_that("no generic function of R returns NULL", {
  skip_without_python()
  generics <- c(
    "coef", "vcov", "confint", "residuals", "fitted", "deviance", "df.residual", "weights",
    "model.matrix", "model.frame", "formula", "terms", "family", "logLik", "nobs", "AIC", "BIC",
    "extractAIC", "predict", "simulate", "update", "summary", "hatvalues", "cooks.distance",
    "rstandard", "rstudent", "profile", "drop1"
  )
  items <- data.frame(x = c(1, 3, 5, 4), row.names = rownames(citations))
  ranks <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2))
  fits <- list(
    bt = bt(citations), covariates = bt(citations, formula = ~x, item_data = items),
    matrix = bt(citations, covariates = as.matrix(items)),
    mixed = bt(citations, formula = ~ x + (1 | ..), item_data = items),
    ties = bt(result, first, second, tied_games, ties = "davidson", order_effect = TRUE),
    firth = bt(citations, method = "firth"), ranking = plackett_luce(ranks)
  )
  refused <- list()
  for (name in names(fits)) {
    for (generic in generics) {
      found <- tryCatch(
        match.fun(generic)(fits[[name]]),
        error = function(e) {
          if (!inherits(e, "pwcstats_error")) {
            expect_match(conditionMessage(e), "^no applicable method", info = paste(name, generic))
          }
          refused <<- c(refused, list(paste(name, generic)))
          "refused"
        }
      )
      expect_false(is.null(found), info = paste(name, generic))
      expect_false(is.atomic(found) && anyNA(found), info = paste(name, generic))
    }
  }
  leverages <- c("model.matrix", "hatvalues", "cooks.distance", "rstandard", "rstudent")
  expected <- c(
    paste("matrix", c("formula", "terms", "drop1")),
    paste("mixed", c("deviance", "df.residual", leverages[-1], "profile")),
    paste("ties", c("family", leverages)),
    paste("ranking", c(
      "residuals", "fitted", "model.matrix", "formula", "terms", "family", leverages[-1], "drop1"
    ))
  )
  expect_setequal(unlist(refused), expected)
})

test_that("update(), step() and the like work with contests, lists, subsets and weights", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  games <- transform(
    peer_data("baseball"),
    warm = rep_len(c(-1, 0.5, 2, 1), 42), w = rep_len(1:3, 42),
    keep = rep_len(c(TRUE, TRUE, FALSE), 42)
  )
  data <- list(games, data.frame(size = c(7, 6, 5, 1, 2, 4, 3), old = c(1, 3, 2, 5, 6, 1, 1)))
  fit <- bt(
    cbind(home.wins, away.wins), home.team, away.team, ~ size[..] + old[..] + warm, data,
    weights = w, subset = keep
  )
  teams <- data[[2]]
  rows <- games[games$keep, ]
  x <- as.matrix(teams[as.integer(rows$home.team), ] - teams[as.integer(rows$away.team), ])
  rows <- cbind(rows[c("home.wins", "away.wins", "warm", "w")], x)
  theirs <- suppressWarnings(glm(
    cbind(home.wins, away.wins) ~ size + old + warm - 1, binomial, rows,
    weights = w, control = glm.control(1e-14, 100)
  ))
  expect_equal(unname(coef(fit)), unname(coef(theirs)), tolerance = same_as_glm)
  ours <- drop1(fit, test = "Chisq")
  expected <- suppressWarnings(drop1(theirs, test = "Chisq"))
  expect_equal(ours[["Pr(>Chi)"]], expected[["Pr(>Chi)"]], tolerance = 1e-7)
  smaller <- update(fit, . ~ . - warm)
  expect_identical(nrow(model.frame(smaller)), nrow(rows))
  back <- add1(smaller, ~ . + warm, test = "Chisq")
  expect_equal(back["warm", "Pr(>Chi)"], ours["warm", "Pr(>Chi)"], tolerance = 1e-7)
  chosen <- step(fit, trace = 0)
  expected <- suppressWarnings(step(theirs, trace = 0))
  labels <- function(fit) gsub("[..]", "", attr(terms(fit), "term.labels"), fixed = TRUE)
  expect_setequal(labels(chosen), labels(expected))
  again <- update(fit, weights = NULL, subset = NULL)
  expect_identical(nrow(model.frame(again)), 42L)
  unweighted <- update(fit, weights = NULL)
  drawn <- simulate(unweighted, 2, seed = 1)
  expect_equal(rowSums(drawn$sim_1), unname(weights(unweighted)))
})

test_that("rankings are updated and simulated", {
  skip_without_python()
  ranks <- rbind(
    one = c(a = 1, b = 2, c = 3, d = NA), two = c(2, 1, 3, 4), three = c(3, 2, 1, 4),
    four = c(NA, 3, 2, 1), five = c(4, 1, 3, 2)
  )
  fit <- plackett_luce(ranks)
  expect_equal(coef(update(fit, method = "firth")), coef(plackett_luce(ranks, method = "firth")))
  expect_equal(AIC(fit), 2 * 3 - 2 * as.numeric(logLik(fit)))
  expect_equal(nobs(fit), 5)
  expect_identical(weights(fit), stats::setNames(rep(1, 5), rownames(ranks)))
  expect_identical(dim(model.frame(fit)), c(18L, 3L))
  drawn <- simulate(fit, 2, seed = 1)
  expect_identical(simulate(fit, 2, seed = 1), drawn)
  expect_identical(dimnames(drawn$sim_1), dimnames(ranks))
  expect_identical(is.na(drawn$sim_1), is.na(ranks))
  expect_equal(nobs(plackett_luce(drawn$sim_1, method = "firth")), 5)
  # First places of each ranking, and whole orders of three items.
  many <- simulate(fit, 4000, seed = 2)
  first <- Reduce(`+`, lapply(many, function(x) x == 1)) / 4000
  for (row in rownames(ranks)) {
    met <- names(which(!is.na(ranks[row, ])))
    # Four standard errors.
    expect_lt(max(abs(first[row, met] - predict(fit, met))), 4 * sqrt(0.25 / 4000))
  }
  strength <- exp(abilities(fit)[, "ability"])
  orders <- vapply(many, function(x) paste(names(sort(x["one", ])), collapse = ""), "")
  for (order in c("abc", "cab", "bca")) {
    items <- strsplit(order, "")[[1]]
    p <- strength[items] / rev(cumsum(rev(strength[items])))
    expect_lt(abs(mean(orders == order) - prod(p)), 4 * sqrt(0.25 / 4000))
  }
  # Lists of the best two of four.
  best <- list(c("a", "b"), c("b", "c"), c("c", "a"), c("d", "a"), c("b", "d"))
  top <- plackett_luce(best, unranked = "last")
  many <- simulate(top, 4000, seed = 3)
  expect_identical(unname(rowSums(!is.na(many$sim_7))), rep(2, 5))
  first <- Reduce(`+`, lapply(many, function(x) x %in% 1)) / 4000
  expect_lt(
    max(abs(matrix(first, 5)[1, ] - predict(top))), 4 * sqrt(0.25 / 4000)
  )
  expect_refused(simulate(plackett_luce(rbind(ranks, c(1, 1, 2, 3)))), "without ties")
  expect_refused(simulate(plackett_luce(ranks, weights = 1:5)), "rankings have weights")
  for (f in list(residuals, hatvalues, cooks.distance, influence, rstandard, rstudent)) {
    expect_refused(f(fit), "not defined for rankings.* use predict")
  }
})
