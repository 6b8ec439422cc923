# Data of hybrid() and ordinal_hybrid() as x and y; test-pwc-columns.R has those of pwc().

# Only the order of sums may differ.
EXACT <- 1e-8 # nolint

petals <- as.matrix(iris[3:4])
kinds <- flowers$kind
days <- na.omit(air[c("ozone", "Temp", "Wind")])

expect_same_fit <- function(fit, peer, new) {
  for (type in c("prob", "distance")) {
    values <- predict(fit, type = type)
    expect_equal(unname(values), unname(predict(peer, type = type)), tolerance = EXACT)
    expect_equal(predict(fit, new, type = type), predict(fit, type = type), ignore_attr = TRUE)
  }
  expect_identical(predict(fit), predict(peer))
  expect_equal(unname(coef(fit)), unname(coef(peer)), tolerance = EXACT)
}

test_that("x and y give the fit of the formula, in all forms", {
  skip_without_python()
  peer <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = 2)
  forms <- list(
    hybrid(petals, kinds, clusters = 2), hybrid(x = petals, y = kinds, clusters = 2),
    hybrid(petals, y = kinds, clusters = 2), hybrid(iris[3:4], kinds, 2),
    do.call(hybrid, list(petals, kinds, clusters = 2))
  )
  for (fit in forms) {
    expect_same_fit(fit, peer, petals)
    expect_equal(predict(fit, unname(petals)), predict(peer))
    expect_named(model.frame(fit), c("y", "x"))
  }
  expect_identical(rownames(predict(forms[[1]], iris[7:9, ], type = "prob")), c("7", "8", "9"))
  ordered <- ordinal_hybrid(ozone ~ Temp + Wind, days)
  expect_same_fit(ordinal_hybrid(days[2:3], days$ozone), ordered, days)
  code <- as.integer(days$ozone) * 10L
  numbers <- ordinal_hybrid(x = as.matrix(days[2:3]), y = code)
  expect_identical(predict(numbers), as.integer(predict(ordered)) * 10L)
})

test_that("labels of clusters, subset and na.action are as with a formula", {
  skip_without_python()
  holes <- flowers
  holes$Petal.Width[c(3, 70)] <- NA
  keep <- holes$Sepal.Length > 4.5
  ask <- function(...) hybrid(holes[3:4], holes$kind, threshold = 0.5, ...)
  peer <- function(...) hybrid(kind ~ Petal.Length + Petal.Width, holes, threshold = 0.5, ...)
  groups <- holes$Species
  both <- list(
    list(ask(clusters = groups), peer(clusters = groups)),
    list(ask(clusters = groups, subset = keep), peer(clusters = groups, subset = keep)),
    list(ask(na.action = na.exclude), peer(na.action = na.exclude)),
    list(ask(split = "folds", clusters = 3), peer(split = "folds", clusters = 3))
  )
  for (pair in both) {
    expect_identical(nobs(pair[[1]]), nobs(pair[[2]]))
    expect_identical(pair[[1]]$clusters, pair[[2]]$clusters)
    expect_equal(predict(pair[[1]], type = "prob"), predict(pair[[2]], type = "prob"))
  }
  expect_identical(which(is.na(predict(both[[3]][[1]]))), c(3L, 70L))
  expect_refused(ask(clusters = replace(groups, 1, NA)), "clusters is missing in row 1, which is")
  inside <- function(columns, classes) {
    mine <- groups
    hybrid(columns, classes, clusters = mine)
  }
  expect_identical(names(inside(petals, kinds)$norms), c("setosa", "virginica"))
})

test_that("methods work after a fit to x and y", {
  skip_without_python()
  skip_without_package("generics")
  fit <- hybrid(petals, kinds, clusters = 2)
  expect_output(print(summary(fit)), "hybrid\\(x = petals, y = kinds.*d_2")
  expect_identical(update(fit, cost = 3)$svm$cost, 3)
  expect_identical(coef(update(fit, cost = 1)), coef(fit))
  expect_refused(formula(fit), "^the fit was made from x and y, so it has no formula\\.$")
  expect_refused(terms(fit), "^the fit was made from x and y")
  expect_refused(update(fit, . ~ . - Petal.Width), "has no formula")
  added <- generics::augment(fit, iris)
  expect_identical(added$.fitted, predict(fit))
  expect_identical(generics::augment(fit, newdata = iris[2:1, ])$.fitted, predict(fit)[2:1])
  expect_identical(
    ask_elsewhere(fit, "list(predict(fit), predict(fit, iris[1:3, ], type = 'distance'))"),
    list(predict(fit), predict(fit, iris[1:3, ], type = "distance"))
  )
  expect_refused(predict(fit, iris[3]), "^newdata lacks the column 'Petal.Width'\\.$")
  expect_refused(predict(fit, 1:2), "^newdata must be a matrix or data frame with the columns of x")
})

test_that("wrong columns and classes are refused", {
  skip_without_python()
  both <- "^formula must be given, as in y ~ x, or the columns x and the classes y\\.$"
  mixed <- "^give a formula and data, or x and y, not both\\.$"
  for (f in list(hybrid, ordinal_hybrid, pwc)) {
    expect_refused(f(x = petals), both)
    expect_refused(f(y = kinds), both)
    expect_refused(f(kind ~ Petal.Width, flowers, x = petals), mixed)
    expect_refused(f(x = petals, y = kinds, data = flowers), mixed)
    expect_refused(f("kind ~ Petal.Width", flowers), "^formula must be a formula .* not a string")
    expect_refused(f(nowhere, kinds), "object 'nowhere' not found")
    expect_refused(f(petals, kinds[-1]), "^y must be the class of each of the 150 rows of x, got")
    expect_refused(f(petals, kinds, contrasts = list(a = "contr.sum")), "^contrasts are for")
  }
  expect_refused(ordinal_hybrid(petals, kinds), "^the response must be an ordered factor")
})
