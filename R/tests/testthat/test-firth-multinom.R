# firth_multinom() and its methods.

test_that("two classes are those of firth()", {
  skip_without_python()
  two <- firth_multinom(factor(ill) ~ x + site, visits)
  binary <- firth(ill ~ x + site, visits)
  expect_identical(dimnames(coef(two)), list("1", names(coef(binary))))
  expect_equal(coef(two)["1", ], coef(binary), tolerance = 1e-7)
  expect_equal(unname(vcov(two)), unname(vcov(binary)), tolerance = 1e-7)
  expect_equal(predict(two, type = "prob")[, "1"], fitted(binary), tolerance = 1e-7)
  expect_equal(anova(two)$Deviance, anova(binary)$Deviance, tolerance = 1e-6)
  expect_equal(
    unname(confint(two, method = "profile")), unname(confint(binary, method = "profile")),
    tolerance = 1e-6
  )
})

test_that("classes and terms have names in the order of levels and columns", {
  skip_without_python()
  kinds <- factor(visits$grade, levels = c("bad", "unused", "none", "mild"), ordered = FALSE)
  fit <- firth_multinom(kinds ~ x, visits)
  expect_identical(dimnames(coef(fit)), list(c("none", "mild"), c("(Intercept)", "x")))
  names <- c("none:(Intercept)", "none:x", "mild:(Intercept)", "mild:x")
  expect_identical(dimnames(vcov(fit)), list(names, names))
  expect_identical(rownames(confint(fit)), names)
  expect_equal(
    unname(rowMeans(confint(fit))), unname(as.vector(t(coef(fit)))),
    tolerance = 1e-8
  )
  table <- coef(summary(fit))
  expect_equal(table["mild:x", "Estimate"], coef(fit)["mild", "x"])
  expect_equal(unname(table[, 2]), standard_errors(fit))
  # Probabilities do not depend on the baseline.
  other <- firth_multinom(grade ~ x, visits)
  expect_identical(rownames(coef(other)), c("mild", "bad"))
  classes <- c("none", "mild", "bad")
  expect_equal(fitted(fit)[, classes], fitted(other)[, classes], tolerance = 1e-7)
})

test_that("predictions equal the formulas of the model", {
  skip_without_python()
  fit <- firth_multinom(as.character(grade) ~ x + site, visits)
  link <- predict(fit, type = "link")
  expect_equal(link, model.matrix(fit) %*% t(coef(fit)), ignore_attr = TRUE)
  expect_identical(colnames(link), c("mild", "none"))
  proba <- predict(fit, type = "prob")
  odds <- cbind(bad = 1, exp(link))
  expect_equal(proba, odds / rowSums(odds))
  expect_identical(predict(fit, type = "probs"), proba)
  expect_identical(fitted(fit), proba)
  classes <- c("bad", "mild", "none")
  expect_identical(predict(fit), factor(classes[max.col(proba)], levels = classes))
  new <- rbind(visits[3:4, c("x", "site")], data.frame(x = NA, site = "west"))
  expect_equal(predict(fit, new, type = "prob")[1:2, ], proba[3:4, ])
  expect_true(all(is.na(predict(fit, new, type = "prob")[3, ])))
  expect_identical(is.na(predict(fit, new)), c(FALSE, FALSE, TRUE))
  expect_identical(nrow(predict(fit, new, type = "prob", na.action = na.omit)), 2L)
  expect_length(predict(fit, new[0, ]), 0)
  far <- predict(fit, data.frame(x = c(-1e4, 1e4), site = "west"), type = "prob")
  expect_equal(unname(rowSums(far)), c(1, 1))
  expect_refused(predict(fit, data.frame(x = 1, site = "east")), "new level east")
})

test_that("weights repeat rows, and 0 leaves out rows and their classes", {
  skip_without_python()
  times <- rep(c(1, 2, 3), length.out = 16)
  weighted <- firth_multinom(grade ~ x, visits, weights = times)
  repeated <- firth_multinom(grade ~ x, visits[rep(1:16, times), ])
  expect_equal(coef(weighted), coef(repeated), tolerance = 1e-7)
  expect_equal(vcov(weighted), vcov(repeated), tolerance = 1e-7)
  expect_equal(nobs(weighted), sum(times))
  expect_equal(BIC(weighted), BIC(repeated))
  without <- firth_multinom(grade ~ x, visits, weights = as.numeric(grade != "none"))
  expect_identical(dimnames(coef(without))[[1]], "bad")
  expect_equal(coef(without), coef(firth_multinom(grade ~ x, visits, subset = grade != "none")))
  expect_identical(nrow(fitted(without)), 16L)
})

test_that("likelihoods, tests and tables are complete", {
  skip_without_python()
  skip_without_package("generics")
  fit <- firth_multinom(grade ~ x + site, visits)
  place <- cbind(seq_len(16), as.integer(visits$grade))
  expect_equal(as.numeric(logLik(fit)), sum(log(fitted(fit)[place])))
  expect_equal(c(attr(logLik(fit), "df"), df.residual(fit)), c(8, 8))
  expect_equal(deviance(fit), -2 * as.numeric(logLik(fit)))
  expect_equal(
    fit$penalized_loglik - fit$loglik, -as.numeric(determinant(vcov(fit))$modulus) / 2
  )
  terms <- anova(fit)
  expect_equal(terms$Df, c(2, 4))
  expect_equal(anova(update(fit, . ~ x), fit)$Deviance[[2]], terms["site", "Deviance"])
  tidy <- generics::tidy(fit, conf.int = TRUE, conf.method = "profile")
  expect_identical(names(tidy)[1:3], c("y.level", "term", "estimate"))
  expect_identical(tidy$y.level, rep(c("mild", "bad"), each = 4))
  expect_identical(tidy$term, rep(colnames(coef(fit)), 2))
  expect_equal(tidy$conf.low, unname(confint(fit, method = "profile")[, 1]))
  expect_equal(tidy$p.value, pchisq(tidy$statistic, 1, lower.tail = FALSE))
  # With two classes they equal those of the binary fit.
  two <- firth_multinom(factor(ill) ~ x, visits)
  expect_equal(
    generics::tidy(two, conf.method = "profile")[-1L],
    generics::tidy(firth(ill ~ x, visits), conf.method = "profile"),
    tolerance = 1e-6
  )
  expect_equal(generics::glance(fit)$nobs, 16)
  expect_output(print(fit), "Multinomial.*16 observations; none is the baseline")
  expect_output(print(summary(fit)), "bad:sitewest .*from Wald tests")
})

test_that("a saved fit gives the same results in a new session", {
  skip_without_python()
  fit <- firth_multinom(grade ~ x, visits)
  expect_equal(
    ask_elsewhere(fit, "list(predict(fit, type = 'prob'), confint(fit, method = 'profile'))"),
    list(predict(fit, type = "prob"), confint(fit, method = "profile"))
  )
})

test_that("data that cannot be fitted are refused", {
  skip_without_python()
  expect_refused(firth_multinom(factor(rep(1, 16)) ~ x, visits), "only one class .* '1'")
  expect_refused(firth_multinom(cbind(ill, 1) ~ x, visits), "must be a factor, not columns")
  expect_refused(firth_multinom(grade ~ x + offset(x), visits), "has no offset")
  expect_refused(firth_multinom(grade ~ x, visits, maxit = 1.5), "^maxit must be")
  fit <- firth_multinom(grade ~ x, visits)
  expect_refused(residuals(fit), "only for fits by firth\\(\\)")
  expect_identical(predict(fit, type = "response"), predict(fit, type = "prob"))
  expect_refused(predict(fit, type = "raw"), "^type must be one of")
})

test_that("predictions of large, infinite and missing entries", {
  skip_without_python()
  many <- firth_multinom(grade ~ x, visits)
  new <- data.frame(x = c(1e5, NA, -1e5))
  proba <- predict(many, new, type = "prob")
  expect_equal(unname(rowSums(proba)), c(1, NA, 1))
  expect_true(all(is.na(proba[2, ])))
  fits <- list(many, firth(ill ~ x, visits), cratio(grade ~ x, visits, penalty = "firth"))
  for (fit in fits) {
    expect_refused(predict(fit, data.frame(x = c(0, Inf))), "'x' is infinite in row 2 of newdata")
  }
  shifted <- firth(ill ~ x + offset(log(y)), transform(visits, y = 2))
  expect_refused(predict(shifted, data.frame(x = 1, y = 0)), "'offset' is infinite in row 1")
})
