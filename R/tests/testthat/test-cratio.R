# cratio() and its methods, against logistic regressions of each stage.

stage_fit <- function(stage, direction, data = visits, formula = y ~ x + site) {
  code <- as.integer(data$grade)
  reach <- if (direction == "backward") code <= stage else code >= stage
  data$y <- as.numeric(code == stage)
  glm(formula, binomial, data[reach, ], epsilon = 1e-14)
}

test_that("separate slopes are those of logistic regressions", {
  skip_without_python()
  for (direction in c("backward", "forward")) {
    fit <- cratio(grade ~ x + site, visits, direction = direction)
    stages <- if (direction == "backward") 2:3 else 1:2
    names <- levels(visits$grade)[stages]
    expect_identical(fit$stages, names)
    expect_identical(names(coef(fit)), paste0(
      rep(c("(Intercept)", "x", "sitesouth", "sitewest"), each = 2), ":", names
    ))
    peers <- lapply(stages, stage_fit, direction)
    own <- function(name) grep(sprintf(":%s$", name), names(coef(fit)))
    for (i in 1:2) {
      expect_equal(unname(coef(fit)[own(names[[i]])]), unname(coef(peers[[i]])), tolerance = 1e-7)
      block <- vcov(fit)[own(names[[i]]), own(names[[i]])]
      expect_equal(unname(block), unname(vcov(peers[[i]])), tolerance = 1e-6)
      expect_equal(
        unname(predict(fit, visits, type = "stage")[, names[[i]]]),
        unname(predict(peers[[i]], visits, type = "response")),
        tolerance = 1e-7
      )
    }
    expect_true(all(vcov(fit)[own(names[[1]]), own(names[[2]])] == 0))
    expect_equal(
      as.numeric(logLik(fit)), sum(vapply(peers, function(peer) as.numeric(logLik(peer)), 0))
    )
    expect_equal(attr(logLik(fit), "df"), 8)
  }
})

test_that("parallel slopes are those of one regression of all stages", {
  skip_without_python()
  fit <- cratio(grade ~ x + site, visits, parallel = TRUE)
  stacked <- rbind(
    transform(subset(visits, grade <= "mild"), stage = "1", y = grade == "mild"),
    transform(visits, stage = "2", y = grade == "bad")
  )
  peer <- glm(y ~ 0 + stage + x + site, binomial, stacked, epsilon = 1e-14)
  expect_identical(
    names(coef(fit)), c("(Intercept):mild", "(Intercept):bad", "x", "sitesouth", "sitewest")
  )
  # glm() gives the stages, then x, then the sites.
  expect_equal(unname(coef(fit)), unname(coef(peer)), tolerance = 1e-7)
  expect_equal(unname(vcov(fit)), unname(vcov(peer)), tolerance = 1e-6)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(peer)))
})

test_that("predictions equal the formulas of the model", {
  skip_without_python()
  for (parallel in c(FALSE, TRUE)) {
    for (direction in c("backward", "forward")) {
      fit <- cratio(grade ~ x, visits, direction = direction, parallel = parallel)
      slopes <- if (parallel) rep(coef(fit)[["x"]], 2) else coef(fit)[3:4]
      link <- sweep(outer(visits$x, unname(slopes)), 2, coef(fit)[1:2], "+")
      expect_equal(unname(predict(fit, type = "link")), link, ignore_attr = TRUE)
      stage <- predict(fit, type = "stage")
      expect_equal(unname(stage), plogis(link), ignore_attr = TRUE)
      expect_identical(colnames(stage), fit$stages)
      proba <- if (direction == "backward") {
        top <- stage[, "bad"]
        middle <- (1 - top) * stage[, "mild"]
        cbind(none = 1 - top - middle, mild = middle, bad = top)
      } else {
        bottom <- stage[, "none"]
        middle <- (1 - bottom) * stage[, "mild"]
        cbind(none = bottom, mild = middle, bad = 1 - bottom - middle)
      }
      expect_equal(predict(fit, type = "prob"), proba)
      expect_identical(fitted(fit), predict(fit, type = "probs"))
    }
  }
  classes <- levels(visits$grade)
  best <- factor(classes[max.col(proba)], levels = classes, ordered = TRUE)
  expect_identical(predict(fit), best)
  new <- data.frame(x = c(visits$x[1:2], NA))
  expect_equal(predict(fit, new, type = "prob")[1:2, ], proba[1:2, ])
  expect_true(all(is.na(predict(fit, new, type = "link")[3, ])))
  expect_identical(predict(fit, new), best[c(1, 2, NA)])
  expect_identical(dim(predict(fit, new[3, , drop = FALSE], type = "stage")), c(1L, 2L))
  expect_identical(dim(predict(fit, new, type = "prob", na.action = na.omit)), 2:3)
  expect_length(predict(fit, new[0, , drop = FALSE]), 0)
})

test_that("the response is an ordered factor or numeric", {
  skip_without_python()
  fit <- cratio(grade ~ x, visits)
  numbers <- cratio(as.integer(grade) * 10 ~ x, visits)
  expect_identical(names(coef(numbers)), c("(Intercept):20", "(Intercept):30", "x:20", "x:30"))
  expect_equal(unname(coef(numbers)), unname(coef(fit)))
  expect_identical(predict(numbers), as.integer(predict(fit)) * 10)
  expect_refused(
    cratio(factor(grade, ordered = FALSE) ~ x, visits), "not factor; .*factor\\(y, levels = c\\("
  )
  expect_refused(cratio(as.character(grade) ~ x, visits), "not character; .*ordered = TRUE")
  two <- cratio(factor(ill, labels = c("well", "ill")) ~ x, visits)
  peer <- glm(ill ~ x, binomial, visits, epsilon = 1e-14)
  expect_equal(unname(coef(two)), unname(coef(peer)), tolerance = 1e-7)
  expect_identical(names(coef(two)), c("(Intercept):ill", "x:ill"))
  expect_identical(levels(predict(two)), c("well", "ill"))
  expect_identical(predict(cratio(ill == 1 ~ x, visits)), predict(two) == "ill")
  # Unused levels are not classes.
  fewer <- cratio(grade ~ x, visits, subset = grade != "mild")
  expect_identical(fewer$stages, "bad")
})

test_that("the model always has an intercept", {
  skip_without_python()
  fit <- cratio(grade ~ x + site, visits)
  expect_equal(coef(cratio(grade ~ 0 + x + site, visits)), coef(fit))
  only <- cratio(grade ~ 1, visits)
  expect_identical(names(coef(only)), c("(Intercept):mild", "(Intercept):bad"))
  expect_equal(
    unname(fitted(only)[1, ]), unname(as.vector(prop.table(table(visits$grade)))),
    tolerance = 1e-7
  )
  expect_refused(
    cratio(grade ~ same + x, transform(visits, same = 1)), "same.* is constant or a combination"
  )
})

test_that("separated stages give a warning, infinite estimates and limits", {
  skip_without_python()
  top <- transform(visits, x = x + 10 * (grade == "bad"))
  warning <- expect_warning(
    fit <- cratio(grade ~ x, top), "separation at P\\(y = bad .*x.*penalty = 'firth'",
    class = "pwcstats_warning"
  )
  expect_identical(conditionCall(warning), quote(cratio(grade ~ x, top)))
  expect_identical(unname(coef(fit)[c("(Intercept):bad", "x:bad")]), c(-Inf, Inf))
  expect_identical(unname(fit$se[c("(Intercept):bad", "x:bad")]), c(Inf, Inf))
  middle <- stage_fit(2, "backward", top, y ~ x)
  expect_equal(
    unname(coef(fit)[c("(Intercept):mild", "x:mild")]), unname(coef(middle)),
    tolerance = 1e-7
  )
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(middle)))
  expect_equal(unname(fitted(fit)[, "bad"]), as.numeric(top$grade == "bad"))
  expect_identical(unname(confint(fit)["x:bad", ]), c(-Inf, Inf))
  expect_true(all(is.finite(confint(fit)["x:mild", ])))
  expect_refused(confint(fit, method = "profile"), "profile needs finite estimates")
  expect_output(print(fit), "Not all estimates are finite: .*separation; penalty = 'firth'")
  expect_output(print(summary(fit)), "x:bad +Inf +Inf")
  # What is printed does not depend on the words of Python's reason.
  expect_true(fit$separated)
  fit$reason <- "two classes do not overlap"
  expect_output(print(fit), "Not all estimates are finite: two classes do not overlap; penalty")
  expect_output(print(summary(fit)), "Not all estimates are finite: two classes do not overlap")
  expect_silent(firth <- update(fit, penalty = "firth"))
  expect_true(all(is.finite(coef(firth))) && firth$converged)
  expect_false(firth$separated)
  expect_true(all(is.finite(confint(firth, method = "profile"))))
  all_apart <- suppressWarnings(cratio(grade ~ I(as.integer(grade) + x / 100), visits))
  expect_output(print(summary(all_apart)), "I.*:bad +Inf +Inf")
})

test_that("Firth's stages are those of firth()", {
  skip_without_python()
  fit <- cratio(grade ~ x, visits, penalty = "firth")
  top <- firth(grade == "bad" ~ x, visits)
  expect_equal(unname(coef(fit)[c(2, 4)]), unname(coef(top)), tolerance = 1e-7)
  expect_equal(unname(vcov(fit)[c(2, 4), c(2, 4)]), unname(vcov(top)), tolerance = 1e-7)
  middle <- firth(grade == "mild" ~ x, visits, subset = grade != "bad")
  expect_equal(
    as.numeric(logLik(fit, penalized = TRUE)), top$penalized_loglik + middle$penalized_loglik
  )
  expect_equal(
    anova(fit)$Deviance, anova(top)$Deviance + anova(middle)$Deviance,
    tolerance = 1e-6
  )
  both <- rbind(confint(middle, method = "profile"), confint(top, method = "profile"))
  expect_equal(
    unname(confint(fit, method = "profile")), unname(both[c(1, 3, 2, 4), ]),
    tolerance = 1e-6
  )
})

test_that("anova tests terms, models and parallel slopes", {
  skip_without_python()
  fit <- cratio(grade ~ x + site, visits)
  deviance_of <- function(formula, ...) deviance(cratio(formula, visits, ...))
  terms <- anova(fit)
  expect_equal(terms$Df, c(2, 4))
  expect_equal(
    terms$Deviance, c(deviance_of(grade ~ site), deviance_of(grade ~ x)) - deviance(fit),
    tolerance = 1e-7
  )
  common <- update(fit, parallel = TRUE)
  pair <- anova(common, fit)
  expect_equal(pair$npar, c(5, 8))
  expect_equal(pair$Deviance[[2]], deviance(common) - deviance(fit), tolerance = 1e-7)
  expect_equal(pair[["Pr(>Chi)"]][[2]], pchisq(pair$Deviance[[2]], 3, lower.tail = FALSE))
  expect_output(print(pair), "^Likelihood-ratio.*Model 1: grade ~ x \\+ site, parallel slopes")
  expect_equal(anova(common)$Df, c(1, 2))
  nested <- anova(update(common, . ~ x), common)
  expect_equal(nested$Deviance[[2]], anova(common)["site", "Deviance"])
  chain <- anova(update(common, . ~ x), common, fit)
  expect_equal(chain$Deviance[2:3], c(nested$Deviance[[2]], pair$Deviance[[2]]))
  expect_refused(anova(update(common, . ~ x), fit), "change one at a time")
  expect_refused(anova(update(fit, . ~ x), common), "change one at a time|not nested|both fits")
  expect_refused(anova(update(common, direction = "forward"), fit), "the same direction")
  expect_refused(anova(update(common, penalty = "firth"), fit), "the same penalty")
  expect_output(print(anova(update(fit, penalty = "firth"))), "^Penalised")
})

test_that("weights repeat rows, and 0 leaves rows out", {
  skip_without_python()
  times <- rep(c(0, 2, 3, 1), length.out = 16)
  weighted <- cratio(grade ~ x, visits, weights = times)
  repeated <- cratio(grade ~ x, visits[rep(1:16, times), ])
  expect_equal(coef(weighted), coef(repeated), tolerance = 1e-7)
  expect_equal(vcov(weighted), vcov(repeated), tolerance = 1e-7)
  expect_equal(c(nobs(weighted), df.residual(weighted)), c(sum(times), sum(times) - 4))
  expect_equal(BIC(weighted), BIC(repeated))
})

test_that("tables and prints are complete", {
  skip_without_python()
  skip_without_package("generics")
  fit <- cratio(grade ~ x, visits, direction = "forward")
  tidy <- generics::tidy(fit, conf.int = TRUE)
  expect_identical(tidy$term, names(coef(fit)))
  expect_equal(tidy$conf.high, unname(confint(fit)[, 2]))
  expect_equal(generics::glance(fit)$deviance, deviance(fit))
  expect_output(
    print(fit), "maximum likelihood: 16 observations; separate .*P\\(grade = j \\| grade >= j\\)"
  )
  expect_output(print(summary(fit)), "x:mild .*from Wald tests")
})

test_that("profile intervals come with likelihood-ratio tests", {
  skip_without_python()
  skip_without_package("generics")
  for (penalty in c("none", "firth")) {
    fit <- cratio(grade ~ x, visits, penalty = penalty)
    tidy <- generics::tidy(fit, conf.int = TRUE, conf.method = "profile")
    expect_identical(tidy$term, names(coef(fit)))
    expect_equal(tidy$p.value, pchisq(tidy$statistic, 1, lower.tail = FALSE))
    expect_equal(tidy$conf.low, unname(confint(fit, method = "profile")[, 1]))
    # Stages are separate fits, whose statistics add up to that of a term.
    expect_equal(sum(tidy$statistic[grepl("^x:", tidy$term)]), anova(fit)["x", "Deviance"])
    shared <- cratio(grade ~ x, visits, penalty = penalty, parallel = TRUE)
    alone <- generics::tidy(shared, conf.method = "profile")
    expect_equal(alone$p.value[alone$term == "x"], anova(shared)["x", 3])
  }
  # The first stage has the lower two grades.
  lower <- subset(visits, grade != "bad")
  first <- firth(I(grade == "mild") ~ x, lower)
  stage <- tidy[grepl(":mild$", tidy$term), ]
  expect_equal(stage$p.value, unname(summary(first, "profile")$coefficients[, 4]), tolerance = 1e-6)
})

test_that("a saved fit gives the same results in a new session", {
  skip_without_python()
  fit <- cratio(grade ~ x, visits, penalty = "firth")
  expect_equal(
    ask_elsewhere(fit, "list(predict(fit, type = 'prob'), confint(fit, method = 'profile'))"),
    list(predict(fit, type = "prob"), confint(fit, method = "profile"))
  )
})

test_that("data that cannot be fitted are refused", {
  skip_without_python()
  expect_refused(cratio(grade ~ x, visits, subset = grade == "bad"), "only one class .* 'bad'")
  expect_refused(cratio(grade ~ x + offset(x), visits), "has no offset")
  expect_refused(cratio(grade ~ x, visits, direction = "zz"), "^direction must be one of")
  expect_refused(cratio(grade ~ x, visits, penalty = "zz"), "^penalty must be one of")
  expect_refused(cratio(grade ~ x, visits, parallel = 1), "^parallel must be TRUE or FALSE")
  expect_refused(cratio(grade ~ x, visits, na.action = na.fail, weights = x / 0 * 0), "missing")
})
