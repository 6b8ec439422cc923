# Unknown arguments are refused, and a level has two names.

wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
scores <- cbind(
  lda = c(0.81, 0.74, 0.92, 0.66, 0.71), svm = c(0.84, 0.79, 0.93, 0.70, 0.75),
  nb = c(0.80, 0.70, 0.90, 0.68, 0.66)
)
rownames(scores) <- paste("set", 1:5)

# An object of each class that has methods.
every_object <- function() {
  cars <- transform(mtcars, gear = ordered(gear))
  objects <- list(
    # The first logistic fit has the fewest methods of its own.
    cratio(gear ~ wt, cars, penalty = "firth"), ordered_logit(gear ~ wt, cars, penalty = "firth"),
    adjacent_categories(gear ~ wt, cars, penalty = "firth"), firth(am ~ wt, cars),
    firth_multinom(gear ~ wt, cars), detect_separation(am ~ wt, cars), bt(wins),
    hybrid(Species ~ Petal.Length + Petal.Width, iris),
    pwc(Species ~ Petal.Length + Petal.Width, iris, learners = "lda"), compare_methods(scores),
    nemenyi(scores), bayes_correlated_t(scores[, 1], scores[, 2], test_fraction = 0.2),
    couple(c(.9, .4, .7), condensed = TRUE, return_info = TRUE), sign_pair(scores[, 1], scores[, 2])
  )
  mixed <- bt(wins, formula = ~ (1 | ..))
  rankings <- plackett_luce(rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2)))
  further <- list(
    leaderboard(bt(wins)), pairs(bt(wins)), mixed, summary(mixed), rankings,
    profile(firth(am ~ wt, cars))
  )
  c(objects, lapply(objects[c(1, 7:10)], summary), further)
}

# Packages whose generic functions, and methods of ours that accept anything in their dots, each for
# a reason.
passes_on <- "our methods pass the dots on to functions of the package"
passes_same <- "the package passes the same arguments, such as effects, to all methods"
accepting <- c(
  car = passes_on, effects = passes_on, emmeans = passes_on, lmtest = passes_on, MASS = passes_on,
  multcomp = passes_on, insight = passes_same, parameters = passes_same,
  performance = passes_same, mlr = "mlr passes hyperparameters", knitr = "knitr passes options",
  BradleyTerry2 = "BTabilities() of version 1.1-2 is not a generic function",
  update.pwcstats_classifier = "it passes them on to pwc(), whose learners have arguments"
)

# All that NAMESPACE registers, also for generic functions of suggested packages. A new class needs
# an object in every_object().
test_that("show() prints what print() does", {
  skip_without_python()
  for (object in every_object()) {
    expect_identical(
      capture.output(methods::show(object)), capture.output(print(object)),
      info = class(object)[[1L]]
    )
  }
  expect_refused(print(bt(wins), useS5 = TRUE), "no argument 'useS5'")
})

test_that("every method refuses unknown arguments", {
  skip_without_python()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  objects <- every_object()
  methods <- getNamespaceInfo("pwcstats", "S3methods")
  open <- vapply(methods[, 3], function(name) "..." %in% names(formals(name)), TRUE)
  # These always stop with an error.
  none <- c(
    paste0(
      c(
        "hatvalues", "cooks.distance", "dfbeta", "dfbetas", "influence", "rstandard", "rstudent"
      ),
      ".pwcstats_logit"
    ),
    "bread.pwcstats_pl", "estfun.pwcstats_pl", "vcovBS.pwcstats_abilities"
  )
  expect_gt(sum(open), 80)
  expect_identical(setdiff(names(accepting), methods[, 3:4]), character())
  imported <- c("pwcstats", "base", "stats", "graphics")
  accepts <- methods[, 3] %in% names(accepting) | methods[, 4] %in% names(accepting)
  for (index in which(open & !accepts)) {
    name <- methods[index, 3]
    object <- Find(function(object) inherits(object, methods[index, 2]), objects)
    expect_false(is.null(object), info = name)
    # The package of a generic function that is registered when the package is loaded.
    home <- methods[index, 4]
    if (is.na(home)) {
      home <- Find(function(package) methods[index, 1] %in% getNamespaceExports(package), imported)
    }
    skip_without_package(home)
    generic <- getExportedValue(home, methods[index, 1])
    error <- tryCatch(generic(object, misspelt = 1), error = identity)
    expect_s3_class(error, "pwcstats_error")
    pattern <- sprintf("^%s\\(\\) has no argument 'misspelt'; it has .*\\.$", methods[index, 1])
    expect_match(conditionMessage(error), if (name %in% none) "" else pattern, info = name)
  }
})

test_that("every exported function refuses unknown arguments", {
  skip_without_python()
  expect_refused(couple(c(.9, .4, .7), condensd = TRUE), "did you mean 'condensed'\\?$")
  expect_refused(cratio(gear ~ wt, mtcars, paralel = TRUE), "did you mean 'parallel'\\?$")
  expect_refused(detect_separation(am ~ wt, mtcars, orderd = TRUE), "did you mean 'ordered'\\?$")
  expect_refused(install_pwcstats(pip_option = "-q"), "did you mean 'pip_options'\\?$")
  expect_refused(pwc(Species ~ ., iris, "lda", zzz = 1), "zzz")
  p <- cbind(a = c(0.5, 0.2), b = c(0.5, 0.8))
  expect_refused(caretModel("hybrid", clsters = 2), "did you mean 'clusters'\\?$")
  expect_refused(calibration_plot(p, y = c("a", "b"), zzz = 1), "zzz")
  # All others have no dots, so R refuses unknown arguments.
  exported <- Filter(is.function, mget(getNamespaceExports("pwcstats"), asNamespace("pwcstats")))
  open <- Filter(function(f) "..." %in% names(formals(f)), exported)
  generics <- c(
    "abilities", "compare_items", "comparison_intervals", "goodness_of_fit", "leaderboard",
    "quasi_variances", "random_effects", "rank_intervals", "variance_component"
  )
  known <- c(generics, "couple", "cratio", "detect_separation", "install_pwcstats", "pwc")
  known <- c(known, "calibration_plot", "caretModel")
  expect_setequal(names(open), known)
})

test_that("no exported function takes a part of a name for an argument", {
  exported <- Filter(is.function, mget(getNamespaceExports("pwcstats"), asNamespace("pwcstats")))
  # Generic functions: the methods have the arguments.
  is_generic <- function(f) "UseMethod" %in% all.names(body(f))
  n_tried <- 0L
  for (name in names(exported)) {
    f <- exported[[name]]
    formals <- names(formals(f))
    if (is_generic(f) || !length(formals)) next
    before_dots <- formals[seq_len(match("...", formals, length(formals) + 1L) - 1L)]
    for (argument in before_dots) {
      part <- substr(argument, 1L, nchar(argument) - 1L)
      if (sum(startsWith(before_dots, part)) != 1L || part %in% c("", formals)) next
      pattern <- sprintf("^%s\\(\\) has no argument '%s'; did you mean '%s'", name, part, argument)
      call <- as.call(c(as.name(name), stats::setNames(list(quote(stop("evaluated"))), part)))
      expect_refused(eval(call), pattern)
      n_tried <- n_tried + 1L
    }
  }
  expect_gt(n_tried, 150)
  expect_refused(firth(am ~ wt, mtcars, w = 1), "no argument 'w'; did you mean 'weights'\\?$")
  expect_refused(firth(am ~ wt, mtcars, n = 1), "no argument 'n'; did you mean 'na.action'\\?$")
})

test_that("the error suggests the nearest name, or lists all names", {
  skip_without_python()
  fit <- firth(am ~ wt, mtcars)
  expect_refused(confint(fit, methd = "profile"), "^confint\\(\\) has no .* mean 'method'\\?$")
  expect_refused(confint(fit, interval = "x"), "it has 'parm', 'level', 'method', 'conf.level'\\.$")
  expect_refused(predict(fit, tpye = "prob"), "did you mean 'type'\\?$")
  expect_refused(quasi_variances(bt(wins), ref = "a"), "it has no arguments but the first\\.$")
  expect_refused(summary(fit, "profile", 3), "has too many arguments; it has 'method'\\.$")
  # For any form of the call.
  expect_refused(lapply(list(fit), summary, mehtod = "profile"), "^summary\\(\\).* 'method'\\?$")
  # Unknown arguments are not evaluated.
  expect_refused(summary(fit, methd = stop("evaluated")), "methd")
  multinomial <- firth_multinom(factor(gear) ~ wt, mtcars)
  expect_refused(predict(multinomial, conf.level = 0.9), "no argument 'conf.level'")
})

test_that("arguments that R and other packages pass are accepted", {
  skip_without_python()
  skip_without_package("MASS")
  cars <- mtcars
  fit <- firth(am ~ wt + hp, cars)
  expect_identical(vcov(fit, complete = FALSE), vcov(fit))
  expect_identical(nobs(fit, use.fallback = TRUE), nobs(fit))
  none <- NULL
  expect_identical(predict(fit, re.form = none), predict(fit))
  expect_refused(predict(fit, re.form = NA), "no argument 're.form'")
  expect_equal(update.formula(fit, . ~ . - hp), am ~ wt)
  expect_silent(step(fit, trace = 0))
  expect_silent(MASS::stepAIC(fit, trace = 0))
  expect_output(print(summary(fit), signif.stars = FALSE), "Pr\\(>\\|z\\|\\)")
  expect_output(print(sign_pair(scores[, 1], scores[, 2]), digits = 3), "p-value")
  found <- couple(c(.9, .4, .7), condensed = TRUE, return_info = TRUE)
  # data.frame() passes stringsAsFactors.
  expect_identical(names(data.frame(found)), names(data.frame(as.data.frame(found))))
  expect_identical(rownames(as.data.frame(found, row.names = "s")), "s")
  expect_identical(rownames(as.data.frame(compare_methods(scores), row.names = 4:6))[[1]], "4")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit, main = "a", las = 1, cex.axis = 0.8, sub = "b"))
  expect_refused(plot(fit, nonsense = 1), "^plot\\(\\) has no argument 'nonsense'")
  expect_refused(plot(compare_methods(scores), type = "cd", main = "a"), "no argument 'main'")
  expect_silent(plot(compare_methods(scores), type = "intervals", main = "a"))
})

test_that("anova() has one test with two names", {
  skip_without_python()
  large <- firth(am ~ wt + hp, mtcars)
  small <- firth(am ~ wt, mtcars)
  expect_identical(anova(large, test = "LRT"), anova(large))
  expect_identical(anova(small, other = large, test = "Chisq"), anova(small, large))
  expect_refused(anova(large, test = "nonsense"), "^test must be one of 'Chisq', 'LRT'")
  expect_refused(anova(small, large, tset = "Chisq"), "did you mean 'test'\\?$")
  abilities <- bt(wins)
  covariate <- bt(wins, covariates = matrix(1:3, dimnames = list(c("a", "b", "c"), "z")))
  expect_identical(anova(covariate, abilities, test = "LRT"), anova(covariate, abilities))
  expect_refused(anova(covariate, abilities, test = "F"), "^test must be one of 'Chisq', 'LRT'")
})

test_that("a level can be given as level or conf.level", {
  skip_without_python()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  a <- scores[, 1]
  b <- scores[, 2]
  folds <- outer(a, c(0, 0.01), "+") + c(0, 0.01, 0.02, 0, 0)
  fit <- firth(am ~ wt, mtcars)
  items <- bt(wins)
  machine <- hybrid(Species ~ Petal.Length, iris)
  places <- data.frame(
    method = rep(c("x", "y"), 5), score = rep(a, each = 2) + 1:10 / 100, rep = rep(1:5, each = 2),
    dataset = "d"
  )
  names(places)[[3]] <- "repeat"
  functions <- list(
    function(...) confint(fit, ...), function(...) confint(items, ...),
    function(...) generics::tidy(fit, conf.int = TRUE, ...),
    function(...) generics::tidy(items, conf.int = TRUE, ...),
    function(...) generics::tidy(machine, conf.int = TRUE, ...),
    function(...) generics::tidy(firth_multinom(gear ~ wt, mtcars), conf.int = TRUE, ...),
    function(...) plot(fit, ...), function(...) plot(items, ...),
    function(...) ggplot2::autoplot(fit, ...)$data,
    function(...) ggplot2::autoplot(items, ...)$data,
    function(...) compare_items(items, "a", "b", ...)$conf.int,
    function(...) rank_intervals(items, ...),
    function(...) corrected_resampled_t(a, b, test_fraction = 0.2, ...)$conf.int,
    function(...) cv5x2_t(folds, folds / 2, ...)$conf.int,
    function(...) cv5x2_f(folds, folds^2, ...), function(...) sign_pair(a, b, ...)$conf.int,
    function(...) wilcoxon_pair(a, b, ...)$conf.int,
    function(...) mcnemar_pair(rbind(c(59, 6), c(16, 80)), ...)$conf.int,
    function(...) bayes_correlated_t(a, b, test_fraction = 0.2, ...)$conf.int,
    function(...) nemenyi(scores, ...)$pairs, function(...) rank_tests(scores, ...)$pairs,
    function(...) compare_methods(scores, ...)$pairs,
    function(...) winners(places, test = "paired_t", ...)
  )
  for (f in functions) {
    what <- deparse1(body(f))
    one <- f(level = 0.8)
    expect_identical(f(conf.level = 0.8), one, info = what)
    expect_identical(f(level = 0.8, conf.level = 0.8), one, info = what)
    expect_error(f(level = 0.8, conf.level = 0.9), "two names of one argument", info = what)
    expect_error(f(level = 95), "^level must be a number between 0 and 1", info = what)
    expect_error(f(conf.level = 95), "^conf.level must be a number between 0 and 1", info = what)
  }
  # The level that is given is the one that is used.
  expect_equal(colnames(confint(fit, conf.level = 0.8)), c("10 %", "90 %"))
  expect_equal(
    generics::tidy(fit, conf.int = TRUE, level = 0.8)$conf.low,
    unname(confint(fit, level = 0.8)[, 1])
  )
  profile <- generics::tidy(items, conf.int = TRUE, conf.method = "profile")
  expect_equal(profile$conf.high, unname(confint(items, method = "profile")[, 2]))
})
