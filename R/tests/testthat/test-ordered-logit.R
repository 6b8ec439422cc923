# ordered_logit() and its methods, against polr() of MASS and clm() of ordinal.

# polr() stops at relative changes of 1e-15 of the deviance.
from_polr <- 1e-5
# clm() iterates to gradients of 1e-12.
from_clm <- 1e-7
# clm() interpolates profiles by splines.
from_profile <- 1e-4
precise <- function(...) ordinal::clm.control(gradTol = 1e-12, maxIter = 200L, ...)

test_that("estimates, standard errors and likelihood are those of clm() and polr()", {
  skip_without_python()
  skip_without_package("ordinal")
  skip_without_package("MASS")
  housing <- data_of("housing", "MASS")
  fit <- ordered_logit(Sat ~ Infl + Type + Cont, housing, weights = Freq)
  clm <- ordinal::clm(Sat ~ Infl + Type + Cont, data = housing, weights = Freq, control = precise())
  expect_identical(names(coef(fit)), names(coef(clm)))
  expect_equal(coef(fit), coef(clm), tolerance = from_clm)
  expect_equal(vcov(fit), vcov(clm), tolerance = from_clm)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(clm)), tolerance = 1e-10)
  expect_equal(attr(logLik(fit), "df"), attr(logLik(clm), "df"))
  expect_equal(AIC(fit), AIC(clm))
  expect_equal(BIC(fit), BIC(clm))
  expect_equal(nobs(fit), nobs(clm))
  expect_equal(confint(fit), confint(clm, type = "Wald"), tolerance = from_clm)
  slopes <- names(clm$beta)
  expect_equal(
    confint(fit, slopes, method = "profile"), confint(clm),
    tolerance = from_profile, ignore_attr = TRUE
  )
  polr <- MASS::polr(
    Sat ~ Infl + Type + Cont, housing,
    weights = Freq, Hess = TRUE, control = list(reltol = 1e-15, maxit = 1000)
  )
  expect_equal(coef(fit)[slopes], coef(polr), tolerance = from_polr)
  expect_equal(fit$zeta, polr$zeta, tolerance = from_polr)
  expect_equal(deviance(fit), deviance(polr), tolerance = 1e-10)
  expect_equal(predict(fit, type = "prob"), predict(polr, type = "probs"),
    tolerance = from_polr, ignore_attr = TRUE
  )
  expect_identical(as.character(predict(fit)), as.character(predict(polr)))
  expect_identical(levels(predict(fit)), levels(housing$Sat))
})

test_that("offsets, new rows and standard errors of predictions are those of clm()", {
  skip_without_python()
  skip_without_package("ordinal")
  data <- transform(visits, o = sin(1:16))
  fit <- ordered_logit(grade ~ x + site + offset(o), data)
  clm <- ordinal::clm(grade ~ x + site + offset(o), data = data, control = precise())
  expect_equal(coef(fit), coef(clm), tolerance = from_clm)
  expect_equal(coef(ordered_logit(grade ~ x + site, data, offset = o)), coef(fit))
  new <- data.frame(x = c(-1, 0, 2), site = c("north", "south", "west"), o = c(0, 0.5, -1))
  theirs <- predict(clm, new, type = "prob", se.fit = TRUE)
  ours <- predict(fit, new, type = "prob", se.fit = TRUE)
  expect_equal(ours$fit, theirs$fit, tolerance = from_clm, ignore_attr = TRUE)
  expect_equal(ours$se.fit, theirs$se.fit, tolerance = from_clm, ignore_attr = TRUE)
  cumulative <- predict(fit, new, type = "cumulative")
  expect_identical(colnames(cumulative), c("none|mild", "mild|bad"))
  expect_equal(
    cumulative, predict(clm, new, type = "cum.prob")$cprob1[, 1:2],
    tolerance = from_clm, ignore_attr = TRUE
  )
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  x <- model.matrix(~ x + site, transform(new, site = factor(site)))[, -1]
  expect_equal(unname(link$fit), unname(drop(x %*% coef(fit)[3:5])) + new$o)
  expect_equal(unname(link$se.fit), unname(sqrt(diag(x %*% vcov(fit)[3:5, 3:5] %*% t(x)))))
  new$x[2] <- NA
  expect_identical(is.na(unname(predict(fit, new, type = "link"))), c(FALSE, TRUE, FALSE))
  expect_identical(is.na(predict(fit, new)), c(FALSE, TRUE, FALSE))
  expect_equal(fitted(fit), predict(fit, type = "prob"))
  expect_refused(predict(fit, new, se.fit = TRUE), "a class has no standard error")
})

test_that("Firth's penalty is that of two classes, and gives finite estimates", {
  skip_without_python()
  two <- transform(visits, ill = factor(ill))
  ordered <- ordered_logit(ill ~ x + site, two, penalty = "firth")
  binary <- firth(ill ~ x + site, two)
  expect_equal(coef(ordered)[-1L], coef(binary)[-1L], tolerance = 1e-7)
  expect_equal(unname(ordered$zeta), -coef(binary)[["(Intercept)"]], tolerance = 1e-7)
  expect_equal(standard_errors(ordered), standard_errors(binary), tolerance = 1e-6)
  expect_equal(
    as.numeric(logLik(ordered, penalized = TRUE)), as.numeric(logLik(binary, penalized = TRUE))
  )
  top <- transform(visits, g = as.numeric(grade == "bad" & x > 0))
  expect_warning(
    apart <- ordered_logit(grade ~ x + g, top), "separation: \\(g\\) predicts.* penalty = 'firth'"
  )
  expect_identical(coef(apart)[["g"]], Inf)
  expect_identical(apart$se[["g"]], Inf)
  # With a large slope of g, its rows are certain.
  rest <- ordered_logit(grade ~ x + offset(30 * g), top)
  expect_equal(coef(apart)[names(coef(rest))], coef(rest), tolerance = 1e-7)
  expect_equal(as.numeric(logLik(apart)), as.numeric(logLik(rest)))
  expect_output(print(apart), "Not all estimates are finite.*penalty = 'firth'")
  cured <- ordered_logit(grade ~ x + g, top, penalty = "firth")
  expect_true(all(is.finite(confint(cured, method = "profile"))))
})

test_that("tests of terms and of models are likelihood-ratio tests", {
  skip_without_python()
  skip_without_package("ordinal")
  fit <- ordered_logit(grade ~ x + site, visits)
  clm <- ordinal::clm(grade ~ x + site, data = visits, control = precise())
  theirs <- drop1(clm, test = "Chisq")
  ours <- anova(fit)
  expect_equal(ours$Deviance, theirs$LRT[-1L], tolerance = 1e-6)
  expect_equal(ours[["Pr(>Chi)"]], theirs[["Pr(>Chi)"]][-1L], tolerance = 1e-6)
  small <- update(fit, . ~ . - site)
  expect_equal(anova(small, fit)$Deviance[2], theirs["site", "LRT"], tolerance = 1e-6)
  expect_equal(
    generics::tidy(fit, conf.method = "profile")$statistic[3], theirs["x", "LRT"],
    tolerance = 1e-6
  )
  expect_refused(
    anova(update(small, penalty = "firth"), fit), "needs fits with the same penalty"
  )
  expect_refused(anova(small, cratio(grade ~ x + site, visits)), "by one function only")
})

test_that("the methods of a model work", {
  skip_without_python()
  fit <- ordered_logit(grade ~ x + site, visits)
  expect_s3_class(fit, c("pwcstats_ordered_logit", "pwcstats_logit"), exact = TRUE)
  expect_output(print(fit), "Proportional odds by maximum likelihood: 16 observations")
  expect_output(print(summary(fit)), "none\\|mild.*z and p-values are from Wald tests")
  tidied <- generics::tidy(fit, conf.int = TRUE)
  expect_identical(tidied$term, names(coef(fit)))
  expect_equal(tidied$std.error, standard_errors(fit))
  expect_equal(generics::glance(fit)$logLik, as.numeric(logLik(fit)))
  augmented <- generics::augment(fit, visits)
  expect_identical(augmented$.fitted, predict(fit))
  expect_equal(augmented$.prob.bad, unname(predict(fit, type = "prob")[, "bad"]))
  expect_equal(coef(ordered_logit(grade ~ 0 + x, visits)), coef(ordered_logit(grade ~ x, visits)))
  only <- ordered_logit(grade ~ 1, visits)
  expect_equal(unname(only$zeta), qlogis(cumsum(table(visits$grade)[1:2]) / 16), ignore_attr = TRUE)
  expect_equal(
    coef(ordered_logit(grade ~ x, visits, weights = rep(2, 16))),
    coef(ordered_logit(grade ~ x, visits))
  )
  expect_refused(residuals(fit), "only for fits by firth")
  expect_refused(
    ordered_logit(grade ~ x, visits, weights = rep(0.01, 16), penalty = "firth"),
    "^with penalty = 'firth', the weights of each class .* those of class mild add up to"
  )
  expect_refused(ordered_logit(as.character(grade) ~ x, visits), "not character; .*ordered = TRUE")
  expect_refused(ordered_logit(grade ~ x, visits, penalty = "zz"), "^penalty must be one of")
  expect_error(ordered_logit(grade ~ x, visits, direction = "forward"), "unused argument")
})

test_that("selection agrees with step()", {
  skip_without_python()
  fit <- ordered_logit(grade ~ x + site, visits)
  ours <- stepwise(fit, "aic")
  theirs <- step(fit, trace = 0)
  expect_identical(formula(ours), formula(theirs))
  expect_equal(coef(ours), coef(theirs))
})

test_that("a saved fit predicts in another session", {
  skip_without_python()
  fit <- ordered_logit(grade ~ x, visits, penalty = "firth")
  code <- "list(predict(fit, type = 'prob'), confint(fit, method = 'profile'))"
  answer <- ask_elsewhere(fit, code)
  expect_equal(answer[[1]], predict(fit, type = "prob"))
  expect_equal(answer[[2]], confint(fit, method = "profile"))
})

test_that("intervals far from the data are not those of certain outcomes", {
  skip_without_python()
  rows <- data.frame(x = 1:30, y = factor(rep(1:3, each = 10), ordered = TRUE))
  fit <- ordered_logit(y ~ x, rows, penalty = "firth")
  found <- predict(fit, data.frame(x = 1000), "prob", interval = "confidence")[1L, 3L, ]
  logit <- fit$zeta[[2L]] - 1000 * coef(fit)[["x"]]
  gradient <- c(0, 1, -1000)
  half <- qnorm(0.975) * sqrt(drop(gradient %*% vcov(fit) %*% gradient))
  expect_equal(unname(found), c(1, plogis(-logit - half), plogis(-logit + half)))
})
