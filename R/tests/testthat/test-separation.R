# detect_separation() compared with diverging estimates, and wrong input.

# Estimates of glm() after few and many steps: those that still change are infinite.
runs_away <- function(formula, data, ...) {
  after <- function(steps) {
    suppressWarnings(coef(do.call(glm, list(
      formula, quote(binomial), data, ...,
      control = list(maxit = steps, epsilon = 1e-300)
    ))))
  }
  early <- after(12)
  late <- after(20)
  ifelse(abs(late - early) > 1, sign(late) * Inf, 0)
}

# All in the south are ill, some of the others are.
partly <- transform(visits, ill = ifelse(site == "south", 1, ill))

test_that("infinite estimates of glm() are found, with their signs", {
  skip_without_python()
  found <- detect_separation(ill ~ x + site, partly)
  expect_s3_class(found, "pwcstats_separation")
  expect_identical(found$kind, "quasi-complete")
  expect_true(found$separated)
  expect_identical(found$columns, "sitesouth")
  expect_identical(coef(found), runs_away(ill ~ x + site, partly))
  expect_identical(dimnames(found$directions), list(names(coef(found)), "1"))
  expect_identical(found$rows, stats::setNames(partly$site == "south", rownames(partly)))
  # The baseline itself, which affects all others.
  south <- transform(partly, site = relevel(site, "south"))
  expect_identical(coef(detect_separation(ill ~ x + site, south)), runs_away(ill ~ x + site, south))
  healthy <- detect_separation(ill ~ x + site, visits)
  expect_identical(healthy$kind, "none")
  expect_false(healthy$separated)
  expect_identical(healthy$columns, character())
  expect_identical(coef(healthy), runs_away(ill ~ x + site, visits))
  expect_false(any(healthy$rows))
})

test_that("endometrial data and lizards are as glm() has them", {
  skip_without_python()
  skip_without_package("brglm2")
  endometrial <- data_of("endometrial", "brglm2")
  formula <- HG ~ NV + PI + EH
  found <- detect_separation(formula, endometrial)
  expect_identical(coef(found), runs_away(formula, endometrial))
  expect_identical(coef(found)[["NV"]], Inf)
  expect_identical(unname(found$rows), endometrial$NV == 1)
  lizards <- data_of("lizards", "brglm2")
  formula <- cbind(grahami, opalinus) ~ height + diameter + light + time
  expect_identical(coef(detect_separation(formula, lizards)), runs_away(formula, lizards))
  # Without the rows of the other species in the evening, by weights of 0.
  light <- detect_separation(
    formula, lizards,
    weights = as.numeric(time != "late" | opalinus == 0)
  )
  rest <- subset(lizards, time != "late" | opalinus == 0)
  expect_identical(coef(light), coef(detect_separation(formula, rest)))
  expect_true(light$separated)
  # The other species has no rows in the evening.
  late <- transform(lizards, opalinus = ifelse(time == "late", 0, opalinus))
  found <- detect_separation(formula, late)
  expect_identical(coef(found), runs_away(formula, late))
  expect_identical(found$columns, "timelate")
  expect_identical(unname(found$rows), late$time == "late" & late$grahami > 0)
})

test_that("complete separation does not determine signs, except for one column", {
  skip_without_python()
  found <- detect_separation(ill ~ age, separated)
  expect_identical(found$kind, "complete")
  expect_identical(coef(found), c("(Intercept)" = -Inf, age = Inf))
  expect_true(all(found$rows))
  # With an irrelevant column, another direction separates with the opposite sign.
  wide <- transform(separated, noise = c(1, -1, 2, 0, 1, 1, 0, -1, 2))
  found <- detect_separation(ill ~ age + noise, wide)
  expect_identical(coef(found), c("(Intercept)" = -Inf, age = Inf, noise = NaN))
  expect_identical(found$columns, c("(Intercept)", "age", "noise"))
  one <- detect_separation(ill ~ 0 + I(age - 40), separated)
  expect_identical(coef(one), c("I(age - 40)" = Inf))
})

test_that("all forms of response give the same result", {
  skip_without_python()
  numbers <- detect_separation(ill ~ x + site, partly)
  same <- function(other, class) {
    expect_identical(colnames(other$directions), class)
    parts <- c("separated", "kind", "columns", "rows", "nobs")
    expect_identical(other[parts], numbers[parts])
    expect_identical(coef(other), coef(numbers))
  }
  same(detect_separation(ill == 1 ~ x + site, partly), "TRUE")
  same(detect_separation(factor(ill, 0:1, c("well", "ill")) ~ x + site, partly), "ill")
  same(detect_separation(ifelse(ill == 1, "z", "a") ~ x + site, partly), "z")
  same(detect_separation(cbind(yes = ill, no = 1 - ill) ~ x + site, partly), "yes")
  same(detect_separation(as.integer(ill) ~ x + site, partly), "1")
  skip_without_package("tibble")
  same(detect_separation(ill ~ x + site, tibble::as_tibble(partly)), "1")
})

test_that("a row of counts has all its outcomes", {
  skip_without_python()
  groups <- data.frame(dose = c(1, 2, 3, 4), yes = c(0, 0, 3, 5), no = c(5, 3, 2, 0))
  found <- detect_separation(cbind(yes, no) ~ dose, groups)
  expect_identical(coef(found), c("(Intercept)" = -Inf, dose = Inf))
  # Only dose 3 has both classes, so the slope and the intercept balance there.
  either <- detect_separation(cbind(yes, no) ~ I(dose - 3), groups)
  expect_identical(coef(either), c("(Intercept)" = 0, "I(dose - 3)" = Inf))
  expect_identical(either$rows, c("1" = TRUE, "2" = TRUE, "3" = FALSE, "4" = TRUE))
  expect_identical(found$rows, either$rows)
  expect_identical(either$nobs, 4L)
  empty <- detect_separation(cbind(yes, no) ~ I(dose - 3), rbind(groups, c(9, 0, 0)))
  expect_identical(empty$rows, c(either$rows, "5" = FALSE))
  expect_identical(empty$nobs, 4L)
})

test_that("with more classes each has a column", {
  skip_without_python()
  found <- detect_separation(Species ~ Petal.Length, iris)
  expect_identical(found$kind, "quasi-complete")
  expect_identical(unname(found$rows), iris$Species == "setosa")
  expect_identical(coef(found), found$directions)
  expect_identical(
    found$directions,
    matrix(
      c(-Inf, Inf, -Inf, Inf), 2,
      dimnames = list(c("(Intercept)", "Petal.Length"), c("versicolor", "virginica"))
    )
  )
  # With the baseline in the middle, only one of the others is separated.
  middle <- transform(iris, Species = relevel(Species, "versicolor"))
  found <- detect_separation(Species ~ Petal.Length, middle)
  expect_identical(
    found$directions,
    matrix(
      c(Inf, -Inf, 0, 0), 2,
      dimnames = list(c("(Intercept)", "Petal.Length"), c("setosa", "virginica"))
    )
  )
  # The order of a factor does not matter, and unused classes are dropped.
  order <- transform(middle, Species = factor(Species, c(levels(Species), "none"), ordered = TRUE))
  expect_identical(detect_separation(Species ~ Petal.Length, order)$directions, found$directions)
})

test_that("proportional odds have the thresholds of polr()", {
  skip_without_python()
  far <- data.frame(x = 1:9, y = factor(rep(c("a", "b", "c"), each = 3), ordered = TRUE))
  found <- detect_separation(y ~ x, far, ordered = TRUE)
  expect_identical(found$kind, "complete")
  expect_identical(coef(found), c(x = Inf, "a|b" = Inf, "b|c" = Inf))
  expect_identical(colnames(found$directions), "direction")
  # Factors are coded as with an intercept, whether the formula has one or not.
  none <- detect_separation(grade ~ 0 + site, visits, ordered = TRUE)
  expect_identical(names(coef(none)), c("sitesouth", "sitewest", "none|mild", "mild|bad"))
  expect_identical(none$kind, "none")
  worst <- transform(visits, grade = replace(grade, site == "west", "bad"))
  found <- detect_separation(grade ~ x + site, worst, ordered = TRUE)
  expect_identical(found$columns, "sitewest")
  expect_identical(coef(found)[["sitewest"]], Inf)
  expect_identical(unname(found$rows), worst$site == "west")
  skip_without_package("MASS")
  peer <- suppressWarnings(MASS::polr(grade ~ x + site, worst, control = list(maxit = 500)))
  expect_gt(coef(peer)[["sitewest"]], 10)
  expect_true(all(abs(c(coef(peer)[-3], peer$zeta)) < 5))
  expect_identical(names(coef(found)), c(names(coef(peer)), names(peer$zeta)))
})

test_that("weights, subset and missing values are those of the fit", {
  skip_without_python()
  # Without this row all in the south are ill.
  healthy <- transform(partly, ill = replace(ill, 5, 0))
  expect_false(detect_separation(ill ~ x + site, healthy)$separated)
  zero <- detect_separation(ill ~ x + site, healthy, weights = replace(rep(2, 16), 5, 0))
  expect_identical(coef(zero), coef(detect_separation(ill ~ x + site, partly)))
  expect_identical(unname(which(zero$rows)), c(2L, 8L, 11L, 14L))
  expect_identical(zero$nobs, 15L)
  without <- detect_separation(ill ~ x + site, healthy, subset = -5)
  expect_identical(without$rows, zero$rows[-5])
  gone <- transform(healthy, x = replace(x, 5, NA))
  expect_identical(detect_separation(ill ~ x + site, gone)$rows, zero$rows[-5])
  expect_output(print(detect_separation(ill ~ x + site, gone)), "1 observation deleted")
  kept <- detect_separation(ill ~ x + site, gone, na.action = na.exclude)
  expect_identical(kept$rows, replace(zero$rows, 5, NA))
  expect_output(print(kept), "4 of 15 rows")
  expect_identical(generics::glance(kept)$n.rows, 4L)
  expect_refused(detect_separation(ill ~ x, gone, na.action = na.pass), "'x' is missing .* row 5")
  sums <- detect_separation(ill ~ x + site, partly, contrasts = list(site = "contr.sum"))
  expect_identical(coef(sums), runs_away(
    ill ~ x + site, partly,
    contrasts = list(site = "contr.sum")
  ))
  expect_identical(coef(detect_separation(ill ~ x + site + offset(x), partly))[["sitesouth"]], Inf)
})

test_that("predictors may be of any type", {
  skip_without_python()
  kinds <- transform(partly, south = site == "south", number = as.integer(site == "south"))
  expect_identical(coef(detect_separation(ill ~ south, kinds))[["southTRUE"]], Inf)
  expect_identical(coef(detect_separation(ill ~ number, kinds))[["number"]], Inf)
  words <- transform(partly, site = as.character(site))
  expect_identical(coef(detect_separation(ill ~ site, words))[["sitesouth"]], Inf)
  few <- detect_separation(ill ~ site, partly, subset = site != "north")
  expect_identical(names(coef(few)), c("(Intercept)", "sitewest"))
  cells <- detect_separation(ill ~ 0 + site, partly)
  expect_identical(coef(cells), c(sitenorth = 0, sitesouth = Inf, sitewest = 0))
  expect_identical(detect_separation(ill ~ 1, partly)$kind, "none")
})

test_that("print has a sentence and the signs of the estimates", {
  skip_without_python()
  found <- detect_separation(ill ~ x + site, partly)
  shown <- paste(capture.output(returned <- withVisible(print(found))), collapse = " ")
  expect_false(returned$visible)
  expect_match(shown, "detect_separation(formula = ill ~ x + site, data = partly)", fixed = TRUE)
  expect_match(shown, paste(
    "There is quasi-complete separation: 5 of 16 rows are predicted without +error,",
    "and the maximum likelihood estimate of +sitesouth is infinite\\."
  ))
  expect_match(shown, "sitesouth +Inf")
  several <- paste(capture.output(detect_separation(ill ~ age, separated)), collapse = " ")
  expect_match(several, "complete .* 9 of 9 .* estimates of +\\(Intercept\\), age are infinite\\.")
  none <- capture.output(detect_separation(ill ~ x, visits))
  expect_match(none, "There is no separation: all .* finite\\.$", all = FALSE)
  expect_false(any(grepl("Where", none)))
})

test_that("tidy() and glance() are data frames", {
  skip_without_python()
  skip_without_package("generics")
  found <- detect_separation(ill ~ x + site, partly)
  expect_identical(
    generics::tidy(found),
    data.frame(term = names(coef(found)), estimate = unname(coef(found)))
  )
  expect_identical(generics::glance(found), data.frame(
    separated = TRUE, kind = "quasi-complete", n.infinite = 1L, n.rows = 5L, nobs = 16L
  ))
  flowers <- generics::tidy(detect_separation(Species ~ Petal.Length, iris))
  expect_identical(flowers, data.frame(
    y.level = rep(c("versicolor", "virginica"), each = 2),
    term = c("(Intercept)", "Petal.Length"),
    estimate = c(-Inf, Inf)
  ))
})

test_that("wrong input is refused in one sentence", {
  skip_without_python()
  one <- transform(visits, ill = 1)
  expect_refused(detect_separation(ill ~ x, one), "only one class .* '1'; two are needed")
  expect_refused(detect_separation(ill ~ x, visits, weights = ill), "only one class .* '1'")
  expect_refused(detect_separation(cbind(ill, 0) ~ x, visits), "only one class .* 'success'")
  expect_refused(detect_separation(grade ~ x, visits, subset = grade == "bad"), "class .* 'bad'")
  expect_refused(detect_separation(ill ~ x, visits, weights = 0 * x), "no row to fit")
  expect_refused(detect_separation(I(ill / 2) ~ x, visits), "got 0.5; give shares as cbind")
  expect_refused(detect_separation(cbind(ill, x, x) ~ 1, visits), "two of numbers, .* got 3")
  expect_refused(
    detect_separation(cbind(ill, 1 - ill) ~ x, visits, ordered = TRUE), "not columns"
  )
  expect_refused(detect_separation(site ~ x, visits, ordered = TRUE), "must be an ordered factor")
  expect_refused(detect_separation(grade ~ 1, visits, ordered = TRUE), "thresholds, .* add a term")
  twice <- transform(visits, twice = 2 * x)
  expect_refused(detect_separation(ill ~ x + twice, twice), "twice.* is constant or a")
  expect_refused(detect_separation(ill ~ 0, visits), "gives no columns")
  expect_refused(detect_separation(~x, visits), "must have a response")
  expect_refused(detect_separation(data = visits), "^formula must be given")
  expect_refused(detect_separation(ill ~ nothing, visits), "object 'nothing' not found\\.$")
  error <- expect_refused(detect_separation(ill ~ x, visits, ordered = NA), "^ordered must be TRUE")
  expect_identical(conditionCall(error)[[1]], quote(detect_separation))
})

test_that("a saved result is the same in a new session", {
  skip_without_python()
  fit <- detect_separation(ill ~ x + site, partly)
  expect_identical(ask_elsewhere(fit, "list(coef(fit), fit$rows)"), list(coef(fit), fit$rows))
})

test_that("with several classes some may be ruled out without a certain row", {
  skip_without_python()
  skip_without_package("MASS")
  found <- detect_separation(type ~ Ba + Fe, MASS::fgl)
  expect_identical(found$kind, "quasi-complete")
  expect_false(any(found$rows))
  expect_output(print(found), "no row is predicted without error, but\\s+classes are ruled out")
})
