# firth() and its methods, without other packages.

test_that("estimates are where the penalised score is 0", {
  skip_without_python()
  fit <- firth(ill ~ age, separated)
  x <- model.matrix(fit)
  p <- plogis(drop(x %*% coef(fit)))
  w <- p * (1 - p)
  cov <- solve(crossprod(x * sqrt(w)))
  leverage <- w * rowSums((x %*% cov) * x)
  score <- drop(crossprod(x, separated$ill - p + leverage * (0.5 - p)))
  expect_lt(max(abs(score * sqrt(diag(cov)))), 1e-7)
  expect_equal(vcov(fit), cov, tolerance = 1e-7)
  expect_equal(as.numeric(logLik(fit)), sum(dbinom(separated$ill, 1, p, log = TRUE)))
  expect_equal(
    as.numeric(logLik(fit, penalized = TRUE)) - as.numeric(logLik(fit)),
    -as.numeric(determinant(cov)$modulus) / 2
  )
  expect_identical(fit$penalized_loglik, as.numeric(logLik(fit, penalized = TRUE)))
})

test_that("all forms of response are the same model", {
  skip_without_python()
  numbers <- firth(ill ~ x + site, visits)
  same <- function(other) {
    expect_equal(coef(other), coef(numbers), tolerance = 1e-8)
    expect_equal(vcov(other), vcov(numbers), tolerance = 1e-8)
    expect_equal(as.numeric(logLik(other)), as.numeric(logLik(numbers)))
  }
  same(firth(ill == 1 ~ x + site, visits))
  same(firth(factor(ill, labels = c("well", "ill")) ~ x + site, visits))
  same(firth(cbind(ill, 1 - ill) ~ x + site, visits))
  words <- firth(ifelse(ill == 1, "sick", "fine") ~ x + site, visits)
  same(words)
  expect_identical(levels(words$classes), c("fine", "sick"))
  expect_output(print(words), "= sick)", fixed = TRUE)
  expect_identical(levels(predict(words, type = "class")), c("fine", "sick"))
  ones <- firth(ill + 1 ~ x + site, visits)
  same(ones)
  expect_identical(ones$classes, c(1, 2))
  expect_true(all(predict(ones, type = "class") %in% 1:2))
  for (kind in c("deviance", "pearson", "response")) {
    expect_equal(residuals(words, kind), residuals(numbers, kind), tolerance = 1e-7)
    expect_equal(residuals(ones, kind), residuals(numbers, kind), tolerance = 1e-7)
  }
  # With the first label as success, all signs change.
  expect_equal(
    coef(firth(ifelse(ill == 1, "fine", "sick") ~ x + site, visits)), -coef(numbers),
    tolerance = 1e-7
  )
})

test_that("rows of counts equal repeated rows, but count once", {
  skip_without_python()
  groups <- data.frame(dose = c(1, 2, 3, 4), yes = c(0, 2, 3, 5), no = c(5, 3, 0, 0))
  grouped <- firth(cbind(yes, no) ~ dose, groups)
  single <- data.frame(
    dose = rep(groups$dose, groups$yes + groups$no),
    y = unlist(Map(function(a, b) rep(1:0, c(a, b)), groups$yes, groups$no))
  )
  each <- firth(y ~ dose, single)
  expect_equal(coef(grouped), coef(each), tolerance = 1e-8)
  expect_equal(vcov(grouped), vcov(each), tolerance = 1e-8)
  expect_equal(c(nobs(grouped), df.residual(grouped)), c(4, 2))
  expect_equal(c(nobs(each), df.residual(each)), c(18, 16))
  # With the binomial coefficients, as in logLik() of glm().
  expect_equal(
    as.numeric(logLik(grouped)),
    sum(dbinom(groups$yes, groups$yes + groups$no, fitted(grouped), log = TRUE))
  )
  weighted <- firth(y ~ dose, unique(single), weights = c(5, 2, 3, 3, 5))
  expect_equal(coef(weighted), coef(each), tolerance = 1e-8)
  expect_equal(nobs(weighted), 5)
  empty <- firth(cbind(yes, no) ~ dose, rbind(groups, c(9, 0, 0)))
  expect_equal(coef(empty), coef(grouped))
  expect_equal(nobs(empty), 4)
})

test_that("a row with weight 0 is used only in predictions", {
  skip_without_python()
  without <- firth(ill ~ x, visits, subset = -3)
  zero <- firth(ill ~ x, visits, weights = replace(rep(1, 16), 3, 0))
  expect_equal(coef(zero), coef(without))
  expect_equal(vcov(zero), vcov(without))
  expect_equal(nobs(zero), 15)
  expect_equal(deviance(zero), deviance(without))
  expect_length(fitted(zero), 16)
  expect_equal(fitted(zero)[-3], fitted(without))
  expect_refused(firth(ill ~ x, visits, weights = 0 * x), "no row to fit")
  expect_refused(firth(ill ~ x, transform(visits, x = NA)), "each row has a missing value")
  expect_refused(firth(ill ~ x, visits, weights = -x), "^weights has .*>= 0")
})

test_that("unused levels are dropped, as in glm()", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits, subset = site != "north")
  expect_identical(names(coef(fit)), c("(Intercept)", "x", "sitewest"))
  kept <- droplevels(visits[visits$site != "north", ])
  expect_equal(coef(fit), coef(firth(ill ~ x + site, kept)))
  # The first used level is failure.
  graded <- firth(grade ~ x, visits, subset = grade != "none")
  expect_identical(as.character(graded$classes), c("mild", "bad"))
  expect_equal(coef(graded), coef(firth(grade == "bad" ~ x, visits, subset = grade != "none")))
})

test_that("offsets are added from the argument and the formula", {
  skip_without_python()
  formula <- firth(ill ~ x + offset(0.5 * x), visits)
  argument <- firth(ill ~ x, visits, offset = 0.5 * x)
  none <- firth(ill ~ x, visits)
  expect_equal(coef(argument), coef(formula))
  expect_equal(coef(formula) + c(0, 0.5), coef(none), tolerance = 1e-7)
  new <- data.frame(x = c(-1, 2))
  for (fit in list(formula, argument)) {
    expect_equal(predict(fit, new), predict(none, new), tolerance = 1e-7)
    expect_equal(fitted(fit), fitted(none), tolerance = 1e-7)
  }
})

test_that("predictions equal those from the model matrix", {
  skip_without_python()
  visits$site[[2]] <- NA
  fit <- firth(ill ~ poly(x, 2) + site, visits, contrasts = list(site = "contr.sum"))
  expect_identical(names(coef(fit))[4:5], c("site1", "site2"))
  link <- drop(model.matrix(fit) %*% coef(fit))
  expect_equal(predict(fit), link)
  expect_equal(predict(fit, type = "response"), plogis(link))
  expect_identical(predict(fit, type = "prob"), predict(fit, type = "response"))
  expect_equal(fitted(fit), plogis(link))
  # poly() and contrasts of the fit, a single row, and missing values.
  expect_equal(predict(fit, visits)[-2], link)
  expect_identical(is.na(predict(fit, visits)), stats::setNames(1:16 == 2, 1:16))
  expect_equal(predict(fit, visits[5, ]), link["5"])
  expect_length(predict(fit, visits, na.action = na.omit), 15)
  expect_length(predict(fit, visits[0, ]), 0)
  one <- predict(fit, visits, se.fit = TRUE)
  expect_equal(one$se.fit[["5"]], {
    row <- model.matrix(fit)["5", ]
    sqrt(drop(row %*% vcov(fit) %*% row))
  })
  both <- predict(fit, visits, type = "response", se.fit = TRUE)
  expect_equal(both$se.fit, one$se.fit * both$fit * (1 - both$fit))
})

test_that("classes have the type of the response", {
  skip_without_python()
  likely <- unname(predict(firth(ill ~ x, visits)) > 0)
  class_of <- function(response) {
    visits$y <- response
    unname(predict(firth(y ~ x, visits), type = "class"))
  }
  expect_true(any(likely) && !all(likely))
  expect_identical(class_of(visits$ill), as.numeric(likely))
  expect_identical(class_of(visits$ill == 1), likely)
  words <- factor(ifelse(visits$ill == 1, "a", "b"), levels = c("b", "a"))
  expect_identical(class_of(words), factor(ifelse(likely, "a", "b"), levels = c("b", "a")))
  counts <- cbind(yes = visits$ill, no = 1 - visits$ill)
  expect_identical(class_of(counts), factor(ifelse(likely, "yes", "no"), levels = c("no", "yes")))
})

test_that("rows with missing values are omitted, refused or padded", {
  skip_without_python()
  gone <- visits
  gone$x[[4]] <- NA
  fit <- firth(ill ~ x, gone)
  expect_equal(coef(fit), coef(firth(ill ~ x, visits[-4, ])))
  expect_output(print(fit), "1 observation deleted due to missingness")
  expect_length(fitted(fit), 15)
  expect_refused(firth(ill ~ x, gone, na.action = na.fail), "missing values in object\\.$")
  expect_refused(firth(ill ~ x, gone, na.action = na.pass), "^'x' is missing .* row 4; .*na.omit")
  kept <- firth(ill ~ x, gone, na.action = na.exclude)
  expect_identical(unname(which(is.na(residuals(kept)))), 4L)
  expect_identical(unname(which(is.na(predict(kept, type = "class")))), 4L)
  expect_equal(fitted(kept)[-4], fitted(fit))
  gone$ill[[5]] <- NA
  expect_refused(firth(ill ~ 1, gone, na.action = na.pass), "^the response is missing .* row 5;")
})

test_that("intervals are Wald or profile intervals", {
  skip_without_python()
  fit <- firth(ill ~ age, separated)
  wald <- confint(fit, level = 0.9)
  expect_identical(dimnames(wald), list(c("(Intercept)", "age"), c("5 %", "95 %")))
  expect_equal(unname(wald[, 2]), unname(coef(fit) + qnorm(0.95) * standard_errors(fit)))
  profile <- confint(fit, "age", method = "profile")
  expect_identical(dimnames(profile), list("age", c("2.5 %", "97.5 %")))
  expect_identical(confint(fit, 2, method = "profile"), profile)
  # At a bound, the profile penalised likelihood has decreased by half of the quantile.
  x <- model.matrix(fit)
  penalised <- function(beta) {
    p <- plogis(drop(x %*% beta))
    sum(dbinom(separated$ill, 1, p, log = TRUE)) +
      determinant(crossprod(x * sqrt(p * (1 - p))))$modulus / 2
  }
  best <- optimize(function(a) penalised(c(a, profile[[1]])), c(-10, 5), maximum = TRUE, tol = 1e-9)
  drop <- fit$penalized_loglik - best$objective
  expect_equal(as.numeric(drop), qchisq(0.95, 1) / 2, tolerance = 1e-7)
  expect_refused(confint(fit, "z"), "^parm must be among .*'z'")
  expect_refused(confint(fit, method = "zz"), "^method must be one of")
  expect_refused(confint(fit, level = 95), "^level must be")
})

test_that("anova tests each term, and models against each other", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits)
  terms <- anova(fit)
  expect_s3_class(terms, "anova")
  expect_identical(rownames(terms), c("x", "site"))
  expect_equal(terms$Df, c(1, 2))
  expect_equal(terms[["Pr(>Chi)"]], pchisq(terms$Deviance, c(1, 2), lower.tail = FALSE))
  pair <- anova(update(fit, . ~ . - site), fit, test = "Chisq")
  expect_equal(unlist(pair[2, 2:4]), unlist(terms["site", ]))
  backwards <- unlist(anova(fit, update(fit, . ~ . - site))[2, 2:4])
  expect_equal(backwards * c(-1, -1, 1), unlist(pair[2, 2:4]))
  # The test of a single coefficient is that of summary().
  table <- coef(summary(fit, method = "profile"))
  expect_equal(table["x", 3:4], unlist(terms["x", 2:3]), ignore_attr = TRUE)
  expect_output(print(pair), "Penalised.*Model 1: ill ~ x\nModel 2: ill ~ x \\+ site")
})

test_that("anova compares a linear effect with a factor", {
  skip_without_python()
  doses <- transform(
    visits,
    dose = rep(1:4, 4), late = rep(c(0, 0, 1, 1), 4), last = rep(c(0, 0, 0, 1), 4)
  )
  linear <- firth(ill ~ dose, doses)
  expect_equal(
    unlist(anova(linear, firth(ill ~ factor(dose), doses))[2, 2:4]),
    # The same models in other coordinates.
    unlist(anova(linear, firth(ill ~ dose + late + last, doses))[2, 2:4]),
    tolerance = 1e-8
  )
  ordered <- ordered_logit(grade ~ dose, doses)
  larger <- ordered_logit(grade ~ factor(dose), doses)
  expect_equal(
    anova(ordered, larger)$Deviance[[2L]], 2 * as.numeric(logLik(larger) - logLik(ordered)),
    tolerance = 1e-8
  )
})

test_that("anova refuses fits that are not nested", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits)
  expect_refused(anova(fit, firth(ill ~ x, visits[-1, ])), "use (16 and 15|15 and 16) rows")
  expect_refused(anova(fit, firth(ill ~ x, visits, weights = x^2)), "but weights differs")
  expect_refused(anova(fit, firth(ill ~ x, visits, offset = x)), "but the offset differs")
  expect_refused(
    anova(fit, firth(ill ~ I(x^2), visits)),
    "not nested, because \\(I\\(x\\^2\\)\\) of the smaller fit cannot be written as a combination"
  )
  expect_refused(anova(fit, firth(ill ~ I(x), transform(visits, x = x^2))), "not nested")
  expect_refused(anova(fit, firth(ill ~ x, transform(visits, x = x^2))), "not nested")
  expect_refused(anova(fit, fit), "both fits have 4 coefficients")
  expect_refused(anova(fit, lm(ill ~ x, visits)), "one function only")
  expect_refused(anova(firth(ill ~ 1, visits)), "no terms except the intercept")
})

test_that("corrections make mean predictions unbiased", {
  skip_without_python()
  rare <- transform(visits, ill = as.numeric(x > 1.2))
  plain <- firth(ill ~ x + site, rare)
  expect_gt(abs(mean(fitted(plain)) - mean(rare$ill)), 1e-3)
  for (correction in c("flic", "flac")) {
    fit <- update(plain, correction = correction)
    expect_equal(mean(fitted(fit)), mean(rare$ill), tolerance = 1e-6)
    expect_output(print(fit), toupper(correction))
    corrected <- update(plain, . ~ x, correction = correction)
    expect_refused(anova(corrected, plain), "the same correction")
    expect_equal(anova(corrected, fit)$Deviance[[2]], anova(fit)["site", "Deviance"])
  }
  expect_equal(coef(update(plain, correction = "flic"))[-1], coef(plain)[-1])
})

test_that("the usual methods of a model exist", {
  skip_without_python()
  skip_without_package("generics")
  fit <- firth(ill ~ x + site, visits)
  expect_equal(AIC(fit), -2 * as.numeric(logLik(fit)) + 8)
  expect_equal(BIC(fit), -2 * as.numeric(logLik(fit)) + 4 * log(16))
  expect_identical(formula(fit), ill ~ x + site, ignore_attr = TRUE)
  expect_identical(attr(terms(fit), "term.labels"), c("x", "site"))
  expect_identical(names(model.frame(fit)), c("ill", "x", "site"))
  expect_equal(coef(update(fit, . ~ . - site)), coef(firth(ill ~ x, visits)))
  expect_equal(sum(residuals(fit)^2), deviance(fit))
  expect_equal(residuals(fit, "response"), visits$ill - fitted(fit))
  tidy <- generics::tidy(fit, conf.int = TRUE, conf.level = 0.9, conf.method = "profile")
  expect_identical(names(tidy), c(
    "term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"
  ))
  expect_equal(
    unname(as.matrix(tidy[6:7])), unname(confint(fit, level = 0.9, method = "profile"))
  )
  expect_equal(generics::tidy(fit)$estimate, unname(coef(fit)))
  glance <- generics::glance(fit)
  expect_identical(
    names(glance), c("logLik", "AIC", "BIC", "deviance", "df.residual", "nobs", "converged")
  )
  expect_equal(
    unlist(glance[c("AIC", "df.residual", "nobs")], use.names = FALSE), c(AIC(fit), 12, 16)
  )
})

test_that("print and summary describe the model and the tests", {
  skip_without_python()
  fit <- firth(ill ~ age, separated)
  expect_output(print(fit), "firth\\(formula = ill ~ age.*Firth's.*9 rows; P\\(ill = 1\\)")
  shown <- capture.output(print(summary(fit)))
  expect_match(shown, "Estimate Std. Error z value Pr(>|z|)", fixed = TRUE, all = FALSE)
  expect_match(shown, "from Wald tests; for separated data use", all = FALSE)
  shown <- capture.output(print(summary(fit, method = "profile")))
  expect_match(shown, "Estimate Std. Error +Chisq Pr\\(>Chi\\)", all = FALSE)
  expect_match(shown, "penalised likelihood-ratio tests", all = FALSE)
  table <- coef(summary(fit))
  expect_equal(table[, 4], 2 * pnorm(-abs(coef(fit) / standard_errors(fit))))
})

test_that("a saved fit gives the same results in a new session", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits)
  found <- ask_elsewhere(
    fit, "list(predict(fit), confint(fit, method = 'profile'), anova(fit)[['Deviance']])"
  )
  expect_equal(
    found, list(predict(fit), confint(fit, method = "profile"), anova(fit)[["Deviance"]])
  )
})

test_that("data that cannot be fitted are refused with R's or our messages", {
  skip_without_python()
  expect_refused(firth(ill ~ x, transform(visits, ill = 0)), "only one class .* '0'; two")
  expect_refused(firth(ill ~ x, transform(visits, ill = factor("a"))), "only one class .* 'a'; two")
  expect_refused(firth(cbind(ill, 0) ~ x, visits), "only one class .* 'success'")
  expect_refused(firth(ill ~ x, visits, subset = ill == 1), "only one class .* '1'")
  expect_refused(
    firth(Species ~ ., iris),
    paste(
      "^the response has 3 classes \\(setosa, versicolor, virginica\\); use firth_multinom\\(\\),",
      "or y != \"setosa\" as response for two\\.$"
    )
  )
  expect_identical(
    coef(firth(Species != "setosa" ~ Petal.Width, iris)),
    coef(firth(factor(Species != "setosa") ~ Petal.Width, iris))
  )
  expect_refused(firth(as.character(Species) ~ Petal.Width, iris), "has 3 classes \\(setosa")
  expect_refused(firth(I(1:16) ~ x, visits), "two classes, got 1, 2, .*firth_multinom.*, or cbind")
  expect_refused(firth(I(ill * 0 + 2) ~ x, visits), "only one class .* '2'; two")
  expect_refused(firth(as.Date(ill, "2020-01-01") ~ x, visits), "a factor or .*, not Date")
  expect_refused(firth(I(ill / 2) ~ x, visits), "0 or 1, got 0.5; .*cbind\\(successes, failures\\)")
  expect_refused(firth(cbind(ill, x, x) ~ 1, visits), "two of numbers, .* got 3")
  expect_refused(firth(cbind(ill, x) ~ 1, visits), "the response has -1.2")
  expect_refused(firth(~x, visits), "must have a response")
  expect_refused(firth(data = visits), "^formula must be given")
  expect_refused(firth(ill ~ 0, visits), "gives no columns")
  expect_refused(firth(ill ~ nothing, visits), "object 'nothing' not found\\.$")
  expect_refused(firth(ill ~ x, visits, correction = "zz"), "^correction must be one of")
  expect_refused(firth(ill ~ 0 + x, visits, correction = "flic"), "needs one; add a constant")
  expect_refused(firth(ill ~ x, visits, maxit = 0), "^maxit must be a whole number")
  error <- expect_refused(firth(ill ~ x, visits, weights = "a"), "variable lengths differ")
  expect_identical(conditionCall(error)[[1]], quote(firth))
  expect_warning(
    fit <- firth(ill ~ age, separated, maxit = 1), "did not converge",
    class = "pwcstats_warning"
  )
  expect_output(print(fit), "Not converged, iterations: 1")
})

test_that("predictions refuse new levels and wrong types", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits)
  new <- data.frame(x = 1, site = "east")
  expect_refused(predict(fit, new), "factor site has new level east\\.$")
  expect_refused(predict(fit, data.frame(x = 1)), "object 'site' not found")
  expect_refused(predict(fit, data.frame(x = "a", site = "west")), "'x' was fitted with type")
  expect_refused(predict(fit, list(x = 1)), "^newdata must be a data frame")
  expect_refused(predict(fit, type = "zz"), "^type must be one of 'link', 'response', 'class'")
  expect_refused(predict(fit, type = "class", se.fit = TRUE), "no standard error")
  # As in glm(), probabilities never round to 1.
  visits$shift <- rep(c(0, 100), c(15, 1))
  expect_false(anyNA(residuals(firth(ill ~ x, visits, offset = shift), "pearson")))
  expect_refused(residuals(fit, type = "zz"), "^type must be one of")
})

test_that("step() and drop1() work", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits)
  expect_equal(extractAIC(fit), c(length(coef(fit)), AIC(fit)))
  dropped <- drop1(fit)
  without <- vapply(
    c("x", "site"),
    function(term) AIC(update(fit, as.formula(paste(". ~ . -", term)))),
    numeric(1)
  )
  expect_equal(dropped[c("x", "site"), "AIC"], unname(without))
  expect_equal(AIC(step(fit, trace = 0)), min(AIC(fit), without, AIC(firth(ill ~ 1, visits))))
})

test_that("tidy() has odds ratios, and tests that match its intervals", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits)
  plain <- generics::tidy(fit, conf.int = TRUE)
  odds <- generics::tidy(fit, conf.int = TRUE, exponentiate = TRUE)
  expect_equal(odds$estimate, exp(plain$estimate))
  expect_equal(odds$conf.low, exp(plain$conf.low))
  expect_equal(odds$std.error, plain$std.error)
  profile <- generics::tidy(fit, conf.int = TRUE, conf.method = "profile")
  expect_equal(profile$p.value, unname(summary(fit, "profile")$coefficients[, 4]))
  expect_refused(generics::tidy(fit, exponentiate = "yes"), "^exponentiate must be")
})

test_that("tau is the weight of the penalty", {
  skip_without_python()
  fit <- firth(ill ~ age, separated, tau = 0.2)
  x <- model.matrix(fit)
  p <- plogis(drop(x %*% coef(fit)))
  w <- p * (1 - p)
  leverage <- w * rowSums((x %*% vcov(fit)) * x)
  score <- drop(crossprod(x, separated$ill - p + 2 * 0.2 * leverage * (0.5 - p)))
  expect_lt(max(abs(score * fit$se)), 1e-7)
  expect_equal(
    fit$penalized_loglik - fit$loglik, -0.2 * as.numeric(determinant(vcov(fit))$modulus)
  )
  expect_output(print(fit), "bias-reduced likelihood (tau = 0.2)", fixed = TRUE)
  expect_equal(coef(firth(ill ~ age, separated, tau = 0.5)), coef(firth(ill ~ age, separated)))
  expect_equal(update(fit, . ~ .)$tau, 0.2)
  expect_refused(anova(fit, firth(ill ~ 1, separated)), "the same tau")
  expect_refused(firth(ill ~ age, separated, tau = -1), "^tau must be a finite number")
  expect_refused(firth(ill ~ age, separated, tau = NA), "^tau must be a finite number")
})

test_that("without penalty, fits are those of glm(), and separated data have none", {
  skip_without_python()
  fit <- firth(ill ~ x + site, visits, tau = 0)
  theirs <- glm(ill ~ x + site, binomial, visits, epsilon = 1e-14)
  expect_equal(coef(fit), coef(theirs), tolerance = 1e-7)
  expect_equal(vcov(fit), vcov(theirs), tolerance = 1e-6)
  expect_equal(fit$penalized_loglik, fit$loglik)
  expect_output(print(fit), "by maximum likelihood")
  expect_output(print(anova(fit)), "^Likelihood-ratio tests")
  expect_equal(anova(fit)$Deviance, drop1(theirs, test = "LRT")$LRT[-1], tolerance = 1e-6)
  expect_refused(firth(ill ~ age, separated, tau = 0), "complete separation.*use tau = 0.5 for")
})

# logistf 1.26.1, from tests/r/logistf.R of the source repository. Its interval of FLIC's intercept
# has 1.96 for the quantile, and its p-value belongs to a model without slopes.
logistf_said <- list(
  flic = list(
    low = c(NA, 0.6097244363, -0.1244587209, -4.365183247),
    high = c(NA, 7.854631714, 0.04045547318, -1.232721057),
    p = c(NA, 0.009123667547, 0.3874822036, 2.506867215e-05)
  ),
  flac = list(
    low = c(1.211350268, 0.6763445442, -0.1150570131, -4.280830412),
    high = c(6.964645754, 7.45263429, 0.03520909155, -1.285897475),
    p = c(0.002800569465, 0.007181294055, 0.3454182279, 1.441310449e-05)
  )
)

test_that("profile intervals and tests after corrections are those of logistf", {
  skip_without_python()
  skip_without_package("generics")
  plain <- firth(HG ~ NV + PI + EH, endometrial)
  for (correction in names(logistf_said)) {
    theirs <- logistf_said[[correction]]
    fit <- update(plain, correction = correction)
    known <- !is.na(theirs$p)
    bounds <- confint(fit, method = "profile")
    expect_equal(bounds[known, 1], theirs$low[known], tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(bounds[known, 2], theirs$high[known], tolerance = 1e-8, ignore_attr = TRUE)
    table <- summary(fit, method = "profile")$coefficients
    expect_equal(table[known, 4], theirs$p[known], tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(generics::tidy(fit, conf.method = "profile")$p.value, unname(table[, 4]))
    tests <- anova(fit)
    expect_equal(tests[["Pr(>Chi)"]], unname(table[-1, 4]))
    curves <- profile(fit, alpha = 0.05, n_points = 2)
    expect_identical(names(curves), names(coef(fit))[known])
    expect_equal(range(curves$NV$par.vals[, "NV"]), bounds["NV", ], ignore_attr = TRUE)
    expect_equal(confint(curves)["EH", ], bounds["EH", ])
  }
  flic <- update(plain, correction = "flic")
  wald <- confint(flic)
  expect_equal(confint(flic, method = "profile")[1, ], wald[1, ])
  expect_equal(profile(flic)$PI, profile(plain)$PI)
  expect_equal(anova(flic), anova(plain), ignore_attr = TRUE)
  expect_output(print(summary(flic, method = "profile")), "the intercept from its Wald test")
  expect_equal(
    summary(flic, method = "profile")$coefficients[1, 4], summary(flic)$coefficients[1, 4]
  )
})
