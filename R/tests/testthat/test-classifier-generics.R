# Functions of stats for models, called with classifiers: each returns the right value or one clear
# error.

# Products of numbers that R and Python compute in the same way.
EXACT <- 1e-8 # nolint

# What a function returns: a function of the fit that checks the value, or the words of the error.
no_residuals <- "^a classifier has no residuals; fitted\\(\\) has the probabilities"
no_likelihood <- "^a classifier has no likelihood; compare_methods\\(\\) compares"
no_predictor <- "^a classifier has no linear predictor; summary\\(\\) describes"
no_coefficients <- "^learners of pairs have no common coefficients; tidy\\(\\) and summary\\(\\)"

# Generic functions of models in stats, and functions that call them.
answers <- list(
  residuals = no_residuals, resid = no_residuals, weighted.residuals = no_residuals,
  rstandard = no_residuals, rstudent = no_residuals, cooks.distance = no_residuals,
  hatvalues = no_residuals, influence = no_residuals, dfbeta = no_residuals,
  dfbetas = no_residuals, sigma = no_residuals,
  logLik = no_likelihood, AIC = no_likelihood, BIC = no_likelihood, deviance = no_likelihood,
  df.residual = no_likelihood, extractAIC = no_likelihood, anova = no_likelihood,
  add1 = no_likelihood, drop1 = no_likelihood, step = no_likelihood, profile = no_likelihood,
  family = no_predictor, alias = no_predictor, dummy.coef = no_predictor, effects = no_predictor,
  proj = no_predictor, qr = no_predictor, kappa = no_predictor, se.contrast = no_predictor,
  model.tables = no_predictor, TukeyHSD = no_predictor,
  simulate = "^a classifier is no model of the data; draw classes with the probabilities of",
  nobs = function(fit) nrow(fit$model),
  fitted = function(fit) predict(fit, fit$model, type = "prob"),
  fitted.values = function(fit) predict(fit, fit$model, type = "prob"),
  predict = function(fit) predict(fit, fit$model, type = "class"),
  formula = function(fit) formula(fit$terms),
  terms = function(fit) attr(fit$model, "terms"),
  model.frame = function(fit) fit$model,
  model.matrix = function(fit) model.matrix(formula(fit$terms), fit$model),
  case.names = function(fit) rownames(fit$model),
  variable.names = function(fit) attr(fit$terms, "term.labels"),
  coef = function(fit) fit$coefficients,
  coefficients = function(fit) fit$coefficients,
  weights = function(fit) stats::setNames(rep(1, nobs(fit)), rownames(fit$model)),
  update = function(fit) fit,
  summary = function(fit) summary(fit),
  vcov = function(fit) {
    table <- coef(summary(fit))
    correlation <- cov2cor(vcov(fit))
    expect_equal(unname(sqrt(diag(vcov(fit)))), unname(table[, 2]), tolerance = EXACT)
    expect_true(all(abs(correlation) <= 1 + EXACT))
    matrix(
      correlation * outer(table[, 2], table[, 2]), nrow(table),
      dimnames = rep(list(rownames(table)), 2)
    )
  },
  confint = function(fit) {
    table <- coef(summary(fit))
    bounds <- table[, 1] + table[, 2] %o% qnorm(c(0.025, 0.975))
    colnames(bounds) <- c("2.5 %", "97.5 %")
    bounds
  }
)

# Where a class differs.
answers_pwc <- utils::modifyList(answers, list(
  coef = no_coefficients, coefficients = no_coefficients, vcov = no_coefficients,
  confint = no_coefficients
))
answers_hybrid <- utils::modifyList(answers, list(
  logLik = function(fit) logLik(fit),
  AIC = function(fit) 2 * attr(logLik(fit), "df") - 2 * as.vector(logLik(fit)),
  BIC = function(fit) log(nobs(fit)) * attr(logLik(fit), "df") - 2 * as.vector(logLik(fit))
))

test_that("functions of stats return the right value or one clear error", {
  skip_without_python()
  fits <- list(
    list(pwc(Species ~ Petal.Length + Petal.Width, iris, "lda"), answers_pwc),
    list(hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = 2), answers_hybrid),
    list(ordinal_hybrid(ozone ~ Temp + Wind, air), answers_hybrid),
    list(ordinal_hybrid(ozone ~ Temp + Wind, air, integrator = "ordered"), answers_hybrid)
  )
  for (case in fits) {
    fit <- case[[1]]
    for (name in names(case[[2]])) {
      answer <- case[[2]][[name]]
      ask <- getExportedValue(if (name %in% c("qr", "kappa", "summary")) "base" else "stats", name)
      if (is.character(answer)) {
        expect_refused(ask(fit), answer)
      } else {
        expect_equal(ask(fit), answer(fit), tolerance = EXACT, info = name)
      }
    }
  }
})

test_that("the table has every generic function of stats with a method for lm()", {
  methods <- getNamespaceInfo("stats", "S3methods")
  generics <- unlist(methods[methods[, 2] == "lm", 1])
  expect_gt(length(generics), 30)
  # print() and plot() have tests of their own, and labels() is for anything.
  others <- c("labels", "plot", "print")
  expect_identical(setdiff(generics, c(names(answers), others)), character())
})

test_that("the covariance is that of the integrator", {
  skip_without_python()
  # Binary logistic regression of known distances.
  fit <- hybrid(
    kind ~ Sepal.Length + Sepal.Width + Petal.Width, flowers,
    clusters = 2, integrator = "logit", penalty = "none", distance_cv = NULL, threshold = 0.5
  )
  data <- data.frame(y = flowers$kind == "versicolor", predict(fit, type = "distance"))
  peer <- glm(y ~ d_1 + d_2, binomial, data, epsilon = 1e-14)
  expect_equal(coef(fit), coef(peer), tolerance = EXACT)
  expect_equal(vcov(fit), vcov(peer), tolerance = EXACT)
  expect_equal(logLik(fit), logLik(peer), tolerance = EXACT)
  expect_equal(confint(fit), confint.default(peer), tolerance = EXACT)
  expect_equal(confint(fit, "d_2", 0.9), confint.default(peer, "d_2", 0.9), tolerance = EXACT)
  expect_refused(confint(fit, "zz"), "^parm must be among the coefficients, got 'zz'")
  apart <- update(fit, integrator = "individualized", penalty = "auto")
  expect_refused(vcov(apart), "no joint covariance; summary\\(\\) has standard errors")
  expect_identical(dim(confint(apart)), c(6L, 2L))
  several <- hybrid(Species ~ Sepal.Length + Sepal.Width, iris)
  expect_identical(rownames(vcov(several)), rownames(coef(summary(several))))
})

test_that("lrtest() of lmtest says that classifiers are not nested", {
  skip_without_python()
  skip_without_package("lmtest")
  for (fit in list(pwc(Species ~ ., iris, "lda"), hybrid(am ~ wt + hp, mtcars))) {
    expect_refused(lmtest::lrtest(fit), "not nested; compare_methods")
    expect_refused(lmtest::lrtest(fit, fit), "not nested; compare_methods")
  }
})
