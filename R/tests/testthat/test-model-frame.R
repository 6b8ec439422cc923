# model.frame(), formula() and update() of all fits.

# update() looks up the data by this name.
formula_fits <- function(visits) {
  list(
    firth(ill ~ x + site, visits),
    firth_multinom(grade ~ x + site, visits),
    cratio(grade ~ x + site, visits, penalty = "firth"),
    adjacent_categories(grade ~ x + site, visits, penalty = "firth"),
    hybrid(grade ~ x + site, visits, distance_cv = NULL),
    ordinal_hybrid(grade ~ x + site, visits, distance_cv = NULL)
  )
}

test_that("the model frame is that of the fit, even if the data changed", {
  skip_without_python()
  gone <- visits
  gone$x[[5]] <- NA
  fits <- formula_fits(gone)
  expected <- lapply(fits, function(fit) {
    stats::model.frame(formula(fit), gone, drop.unused.levels = TRUE)
  })
  gone$x <- 0
  for (place in seq_along(fits)) {
    expect_equal(model.frame(fits[[place]]), expected[[place]], ignore_attr = TRUE)
    expect_identical(rownames(model.frame(fits[[place]])), as.character(c(1:4, 6:16)))
  }
  elsewhere <- ask_elsewhere(fits, "lapply(fit, model.frame)")
  expect_identical(lapply(elsewhere, dim), lapply(expected, dim))
  expect_identical(elsewhere[[1]]$x, expected[[1]]$x)
})

test_that("the frame of bt is its comparisons", {
  skip_without_python()
  fit <- bt(result, first, second, tied_games, ties = "half")
  frame <- model.frame(fit)
  expect_identical(as.character(frame$player1), tied_games$first)
  expect_identical(frame$wins1 + frame$ties / 2, tied_games$result)
  expect_identical(ask_elsewhere(fit, "model.frame(fit)"), frame)
})

test_that("formulas are kept, and a term can be dropped", {
  skip_without_python()
  for (fit in formula_fits(visits)) {
    expect_identical(deparse(formula(fit)[[3]]), "x + site")
    small <- update(fit, . ~ . - site)
    expect_identical(deparse(formula(small)[[3]]), "x")
    expect_identical(class(small), class(fit))
    expect_named(model.frame(small), c(names(model.frame(fit))[[1]], "x"))
    again <- update(small, . ~ . + site)
    expect_equal(coef(again), coef(fit))
  }
  every <- firth(ill ~ ., visits[c("ill", "x", "site")])
  expect_identical(deparse(formula(every)[[3]]), "x + site")
})

test_that("bt has the formula of its abilities, and is updated by its arguments", {
  skip_without_python()
  fit <- bt(result, first, second, tied_games, ties = "davidson")
  home <- update(fit, order_effect = TRUE)
  expect_identical(names(coef(home)), c("y", "z", "(order)", "(tie)"))
  expect_identical(deparse(formula(fit)), "~..")
  matrix <- bt(small_wins, covariates = matrix(c(a = 1, b = 3, c = 2)))
  expect_refused(formula(matrix), "no formula, because its covariates are a matrix")
})
