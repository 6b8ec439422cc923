# Columns that are combinations of others have coefficients that are NA, as after glm().

doubled <- transform(
  visits,
  twice = 2 * x,
  region = factor(site, labels = c("n", "s", "w")),
  z = rep(c(0.5, -1, 2, 0.1), 4),
  kind = factor(rep(c("a", "b", "c"), c(6, 5, 5))[c(16:9, 1:8)])
)
full <- ~ x + twice + site + region + z
aliased <- c("twice", "regions", "regionw")
ordinary <- glm(update(full, ill ~ .), binomial, doubled)
without <- function(values) values[!names(values) %in% aliased]

# drop1() fits the call again.
refitted <- function(fit) {
  fit$call[[1L]] <- as.name(sub("pwcstats_", "", class(fit)[[1L]], fixed = TRUE))
  fit$call$data <- quote(doubled)
  fit
}

both_fits <- function(fitter, response) {
  list(
    full = fitter(update(full, as.formula(paste(response, "~ ."))), doubled),
    rest = fitter(as.formula(paste(response, "~ x + site + z")), doubled)
  )
}

test_that("the same coefficients are NA as after glm()", {
  skip_without_python()
  expect_silent(fits <- both_fits(firth, "ill"))
  fit <- fits$full
  expect_identical(names(which(is.na(coef(fit)))), aliased)
  expect_identical(is.na(coef(fit)), is.na(coef(ordinary)))
  expect_identical(names(coef(fit, complete = FALSE)), names(coef(ordinary, complete = FALSE)))
  expect_equal(without(coef(fit)), coef(fits$rest), tolerance = 1e-10)
  expect_identical(dimnames(vcov(fit)), dimnames(vcov(ordinary)))
  expect_identical(is.na(vcov(fit)), is.na(vcov(ordinary)))
  expect_equal(vcov(fit, complete = FALSE), vcov(fits$rest), tolerance = 1e-10)
  expect_equal(nobs(fit), nobs(ordinary))
  expect_identical(df.residual(fit) + 0, df.residual(ordinary) + 0)
  expect_identical(attr(logLik(fit), "df") + 0, attr(logLik(ordinary), "df") + 0)
  expect_equal(deviance(fit), deviance(fits$rest), tolerance = 1e-10)
  expect_identical(dimnames(model.matrix(fit)), dimnames(model.matrix(ordinary)))
  expect_identical(variable.names(fit), variable.names(ordinary))
  # NA, and not NaN.
  expect_false(any(is.nan(c(coef(fit), vcov(fit), fit$se))))
})

test_that("summaries, intervals and tables show them as those of glm() do", {
  skip_without_python()
  fits <- both_fits(firth, "ill")
  fit <- fits$full
  ours <- summary(fit)
  expect_identical(ours$aliased, summary(ordinary)$aliased)
  expect_identical(dimnames(coef(ours)), dimnames(coef(summary(ordinary))))
  expect_equal(coef(ours), coef(summary(fits$rest)), tolerance = 1e-10)
  expect_output(print(ours), "Coefficients: (3 not defined because of singularities)", fixed = TRUE)
  expect_output(print(ours), "twice +NA +NA +NA +NA")
  expect_output(print(fit), "NA")
  profiled <- coef(summary(fit, method = "profile"))
  expect_equal(profiled, coef(summary(fits$rest, method = "profile")), tolerance = 1e-6)
  for (method in c("wald", "profile")) {
    bounds <- confint(fit, method = method)
    expect_identical(is.na(bounds), is.na(confint.default(ordinary)))
    expect_false(any(is.nan(bounds)))
    known <- bounds[!rownames(bounds) %in% aliased, ]
    expect_equal(known, confint(fits$rest, method = method), tolerance = 1e-6)
    table <- generics::tidy(fit, conf.int = TRUE, conf.method = method)
    expect_identical(table$term, names(coef(ordinary)))
    expect_identical(is.na(table$p.value), unname(is.na(coef(ordinary))))
    rest <- generics::tidy(fits$rest, conf.int = TRUE, conf.method = method)
    expect_equal(table[!is.na(table$p.value), ], rest, tolerance = 1e-6, ignore_attr = "row.names")
  }
  expect_identical(generics::glance(fit)$df.residual, generics::glance(fits$rest)$df.residual)
  shown <- plot(fit, xlim = c(-5, 5))
  expect_identical(rownames(shown), rownames(plot(fits$rest, xlim = c(-5, 5))))
})

test_that("predictions are those of the other columns", {
  skip_without_python()
  new <- doubled[3:6, ]
  new$x[[2]] <- NA
  for (fitter in list(firth, firth_multinom)) {
    response <- if (identical(fitter, firth)) "ill" else "kind"
    fits <- both_fits(fitter, response)
    for (type in c("link", "response", "class")) {
      for (rows in list(NULL, new)) {
        expect_silent(ours <- predict(fits$full, rows, type = type))
        expect_equal(ours, predict(fits$rest, rows, type = type), tolerance = 1e-8)
      }
    }
    ours <- predict(fits$full, new, type = "response", se.fit = TRUE, interval = "confidence")
    rest <- predict(fits$rest, new, type = "response", se.fit = TRUE, interval = "confidence")
    expect_equal(ours, rest, tolerance = 1e-8)
    expect_equal(fitted(fits$full), fitted(fits$rest), tolerance = 1e-10)
    expect_equal(
      simulate(fits$full, 2, seed = 4), simulate(fits$rest, 2, seed = 4)
    )
  }
  fit <- both_fits(firth, "ill")$full
  terms <- predict(fit, type = "terms")
  expect_identical(dimnames(terms), dimnames(predict(ordinary, type = "terms")))
  expect_true(all(terms[, c("twice", "region")] == 0))
})

test_that("predictions that need missing coefficients warn", {
  skip_without_python()
  fits <- both_fits(firth, "ill")
  other <- doubled[c(1, 4, 5), ]
  other$twice[[3]] <- 9
  expect_warning(
    ours <- predict(fits$full, other),
    "rows 5 need the coefficients of 'twice', 'regions', 'regionw', which are NA and count as 0"
  )
  # As after glm().
  expect_equal(ours, predict(fits$rest, other), tolerance = 1e-8)
})

test_that("residuals and influence are those of the other columns", {
  skip_without_python()
  fits <- both_fits(firth, "ill")
  for (type in c("deviance", "pearson", "response", "working")) {
    expect_equal(residuals(fits$full, type), residuals(fits$rest, type), tolerance = 1e-8)
  }
  for (f in list(hatvalues, cooks.distance, rstandard, rstudent, dfbeta, dfbetas)) {
    expect_equal(f(fits$full), f(fits$rest), tolerance = 1e-8)
  }
  expect_identical(colnames(dfbeta(fits$full)), colnames(dfbeta(ordinary)))
})

test_that("tests of terms have the degrees of freedom of glm()", {
  skip_without_python()
  for (fitter in list(firth, firth_multinom)) {
    response <- if (identical(fitter, firth)) "ill" else "kind"
    fits <- both_fits(fitter, response)
    links <- NROW(rbind(coef(fits$full)))
    theirs <- drop1(ordinary, test = "Chisq")
    ours <- anova(fits$full)
    expect_identical(rownames(ours), rownames(theirs)[-1])
    expect_identical(ours$Df, links * theirs$Df[-1])
    expect_identical(is.na(ours[["Pr(>Chi)"]]), is.na(theirs[["Pr(>Chi)"]][-1]))
    expect_equal(ours["z", ], anova(fits$rest)["z", ], tolerance = 1e-6, ignore_attr = TRUE)
    dropped <- drop1(refitted(fits$full), test = "Chisq")
    expect_identical(dropped$Df + 0, links * theirs$Df + 0)
    expect_equal(dropped["z", "LRT"], ours["z", "Deviance"], tolerance = 1e-6)
    expect_identical(AIC(fits$full), dropped["<none>", "AIC"])
    smaller <- fitter(as.formula(paste(response, "~ twice + z")), doubled)
    nested <- anova(smaller, fits$full)
    expect_identical(nested$Df[[2]], 2 * links)
    same <- fitter(as.formula(paste(response, "~ x + z")), doubled)
    expect_equal(nested$Deviance, anova(same, fits$rest)$Deviance, tolerance = 1e-6)
  }
  added <- add1(firth(ill ~ x + site + z, doubled), . ~ . + region + twice, test = "Chisq")
  expect_identical(added$Df[-1] + 0, c(0, 0))
  expect_true(all(is.na(added[["Pr(>Chi)"]])))
})

test_that("several classes have a missing coefficient for each class", {
  skip_without_python()
  expect_silent(fits <- both_fits(firth_multinom, "kind"))
  fit <- fits$full
  expect_identical(colnames(coef(fit))[is.na(coef(fit)[1, ])], aliased)
  expect_equal(coef(fit)[, colnames(coef(fits$rest))], coef(fits$rest), tolerance = 1e-10)
  expect_equal(vcov(fit, complete = FALSE), vcov(fits$rest), tolerance = 1e-10)
  expect_identical(dim(vcov(fit)), c(16L, 16L))
  expect_identical(fit$df, fits$rest$df)
  for (method in c("wald", "profile")) {
    bounds <- confint(fit, method = method)
    known <- rownames(confint(fits$rest))
    expect_equal(bounds[known, ], confint(fits$rest, method = method), tolerance = 1e-6)
    expect_true(all(is.na(bounds[!rownames(bounds) %in% known, ])))
    table <- generics::tidy(fit, conf.method = method)
    rest <- generics::tidy(fits$rest, conf.method = method)
    expect_equal(table[!is.na(table$estimate), ], rest, tolerance = 1e-6, ignore_attr = "row.names")
  }
  expect_output(print(summary(fit)), "6 not defined because of singularities")
  expect_identical(rownames(coef(summary(fit))), rownames(coef(summary(fits$rest))))
})

test_that("profiles, saved fits and corrections work", {
  skip_without_python()
  fits <- both_fits(firth, "ill")
  curves <- profile(fits$full, n_points = 3)
  expect_equal(
    unclass(curves)[1:5], unclass(profile(fits$rest, n_points = 3))[1:5],
    tolerance = 1e-6, ignore_attr = TRUE
  )
  expect_identical(names(curves), names(coef(fits$rest)))
  expect_identical(
    ask_elsewhere(fits$full, "list(coef(fit), confint(fit, method = 'profile'))"),
    list(coef(fits$full), confint(fits$full, method = "profile"))
  )
  for (correction in c("flic", "flac")) {
    corrected <- firth(update(full, ill ~ .), doubled, correction = correction)
    rest <- firth(ill ~ x + site + z, doubled, correction = correction)
    expect_equal(without(coef(corrected)), coef(rest), tolerance = 1e-10)
    expect_equal(predict(corrected), predict(rest), tolerance = 1e-8)
  }
})

test_that("counts, weights and empty trials determine the aliased columns", {
  skip_without_python()
  counts <- data.frame(
    won = c(3, 1, 2, 4, 0), lost = c(1, 2, 2, 1, 0), g = factor(c("a", "b", "a", "b", "c")), x = 1:5
  )
  fit <- firth(cbind(won, lost) ~ x + g, counts)
  expect_identical(names(which(is.na(coef(fit)))), "gc")
  expect_identical(anova(fit)$Df, c(1, 1))
  expect_warning(predict(fit, counts), "rows 5 need the coefficients of 'gc'")
  expect_refused(firth(ill ~ 0 + I(0 * x), visits), "all columns .* are 0")
})

test_that("robust covariances and tests of lmtest have the rows that those of glm() have", {
  skip_without_python()
  skip_if_not_installed("sandwich")
  skip_if_not_installed("lmtest")
  for (fitter in list(firth, firth_multinom)) {
    response <- if (identical(fitter, firth)) "ill" else "kind"
    fits <- both_fits(fitter, response)
    for (f in list(sandwich::estfun, sandwich::bread, sandwich::sandwich)) {
      ours <- suppressWarnings(f(fits$full))
      rest <- suppressWarnings(f(fits$rest))
      expect_equal(ours, rest, tolerance = 1e-6, ignore_attr = c("assign", "contrasts"))
    }
    types <- if (identical(fitter, firth)) c("HC0", "HC3") else "HC0"
    for (type in types) {
      ours <- suppressWarnings(sandwich::vcovHC(fits$full, type = type))
      rest <- suppressWarnings(sandwich::vcovHC(fits$rest, type = type))
      expect_equal(ours, rest, tolerance = 1e-6)
    }
    clusters <- rep(1:4, 4)
    ours <- suppressWarnings(sandwich::vcovCL(fits$full, cluster = clusters))
    expect_equal(
      ours, suppressWarnings(sandwich::vcovCL(fits$rest, cluster = clusters)), tolerance = 1e-6
    )
  }
  fits <- both_fits(firth, "ill")
  expect_identical(dimnames(sandwich::sandwich(fits$full)), dimnames(sandwich::sandwich(ordinary)))
  expect_identical(dim(lmtest::coeftest(fits$full)), dim(lmtest::coeftest(ordinary)))
  expect_identical(
    rownames(lmtest::coeftest(fits$full, vcov. = sandwich::sandwich)),
    rownames(lmtest::coeftest(ordinary, vcov. = sandwich::sandwich))
  )
  expect_equal(
    lmtest::coeftest(fits$full, vcov. = vcov)[, 1:4], lmtest::coeftest(fits$rest)[, 1:4],
    tolerance = 1e-8
  )
  expect_identical(is.na(lmtest::coefci(fits$full)), is.na(lmtest::coefci(ordinary)))
  smaller <- firth(ill ~ x + site, doubled)
  expect_equal(
    lmtest::waldtest(smaller, fits$full)$Chisq, lmtest::waldtest(smaller, fits$rest)$Chisq,
    tolerance = 1e-8
  )
  expect_equal(
    lmtest::lrtest(smaller, fits$full)$Chisq, lmtest::lrtest(smaller, fits$rest)$Chisq,
    tolerance = 1e-6
  )
  set.seed(3)
  ours <- suppressWarnings(sandwich::vcovBS(fits$full, R = 4))
  set.seed(3)
  expect_equal(ours, suppressWarnings(sandwich::vcovBS(fits$rest, R = 4)), tolerance = 1e-6)
})

test_that("car tests terms, and refuses what glm() fits are refused", {
  skip_without_python()
  skip_if_not_installed("car")
  fit <- both_fits(firth, "ill")$full
  theirs <- car::Anova(ordinary)
  for (type in c("II", "III")) {
    ours <- car::Anova(fit, type = type)
    expect_identical(ours$Df, theirs$Df)
    expect_identical(is.na(ours[["Pr(>Chisq)"]]), is.na(theirs[["Pr(>Chisq)"]]))
  }
  expect_refused(car::Anova(fit, test.statistic = "Wald"), "Anova.* needs the coefficients")
  expect_refused(car::vif(fit), "^vif\\(\\) needs .* those of 'twice', 'regions', 'regionw' are NA")
  expect_refused(car::linearHypothesis(fit, "z = 0"), "^a linear hypothesis needs the")
  expect_refused(car::deltaMethod(fit, "z"), "^the delta method needs the coefficients of all")
  expect_refused(stepwise(fit), "^stepwise\\(\\) needs the coefficients of all columns")
  skip_if_not_installed("multcomp")
  expect_refused(multcomp::glht(fit, "z = 0"), "^glht\\(\\) needs the coefficients of all columns")
})

test_that("marginal means are estimable where those of glm() are", {
  skip_without_python()
  skip_if_not_installed("emmeans")
  crossed <- transform(doubled, arm = factor(rep(c("p", "q"), each = 8)))
  crossed <- crossed[!(crossed$site == "west" & crossed$arm == "q"), ]
  fit <- firth(ill ~ x + site * arm, crossed)
  theirs <- glm(ill ~ x + site * arm, binomial, crossed)
  expect_identical(is.na(coef(fit)), is.na(coef(theirs)))
  for (specs in list(~ site, ~ arm, ~ site | arm, ~ x)) {
    ours <- as.data.frame(suppressMessages(emmeans::emmeans(fit, specs)))
    other <- as.data.frame(suppressMessages(emmeans::emmeans(theirs, specs)))
    expect_identical(names(ours), names(other))
    expect_identical(is.na(ours$emmean), is.na(other$emmean))
    expect_identical(is.na(ours$SE), is.na(other$SE))
  }
  # With the coefficients of glm() the means are its means.
  same <- fit
  same[c("coefficients", "vcov")] <- list(coef(theirs), vcov(theirs))
  expect_equal(
    as.data.frame(emmeans::emmeans(same, ~ site | arm)),
    as.data.frame(emmeans::emmeans(theirs, ~ site | arm)), tolerance = 1e-8, ignore_attr = TRUE
  )
  several <- firth_multinom(kind ~ x + site * arm, crossed)
  expect_refused(emmeans::emmeans(several, ~site), "emmeans\\(\\) after firth_multinom\\(\\) needs")
})

test_that("effects refuses them", {
  skip_without_python()
  skip_if_not_installed("effects")
  fit <- both_fits(firth, "ill")$full
  expect_refused(effects::Effect("z", fit), "^Effect\\(\\) needs the coefficients of all columns")
})

test_that("parameters and performance leave them out or refuse", {
  skip_without_python()
  skip_if_not_installed("parameters")
  fits <- both_fits(firth, "ill")
  table <- suppressWarnings(parameters::model_parameters(fits$full))
  rest <- parameters::model_parameters(fits$rest)
  known <- table[!is.na(table$Coefficient), ]
  expect_identical(known$Parameter, rest$Parameter)
  expect_equal(known$p, rest$p, tolerance = 1e-8)
  skip_if_not_installed("performance")
  expect_refused(performance::check_collinearity(fits$full), "^check_collinearity\\(\\) needs")
})
