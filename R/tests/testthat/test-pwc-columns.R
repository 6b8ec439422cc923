# Data of pwc() as x and y.

# Only the order of sums may differ.
EXACT <- 1e-8 # nolint

species <- iris$Species
bare <- unname(as.matrix(iris[1:4]))

test_that("x and y give the fit of the formula, in all forms", {
  skip_without_python()
  peer <- predict(pwc(Species ~ ., iris, "svm"), type = "prob")
  fits <- list(
    pwc(x = iris[1:4], y = species), pwc(iris[1:4], species), pwc(iris[1:4], species, "svm"),
    pwc(bare, y = species), pwc(x = bare, y = as.character(species)),
    do.call(pwc, list(x = as.matrix(iris[1:4]), y = species))
  )
  expect_identical(fits[[2]]$call, quote(pwc(x = iris[1:4], y = species)))
  expect_identical(fits[[4]]$call, quote(pwc(x = bare, y = species)))
  expect_identical(update(fits[[3]], y = rev(species))$call$y, quote(rev(species)))
  for (fit in fits) {
    expect_equal(predict(fit, type = "prob"), peer, tolerance = EXACT)
    expect_equal(unname(predict(fit, bare, type = "prob")), unname(peer), tolerance = EXACT)
    expect_null(fit$terms)
    expect_named(model.frame(fit), c("y", "x"))
  }
  expect_identical(names(fits[[4]]$center), c("x1", "x2", "x3", "x4"))
  kinds <- data.frame(whole = rep(1:3, 50), flag = rep(c(TRUE, FALSE), 75), iris[3])
  fit <- pwc(x = kinds, y = species, learners = "nb")
  expect_identical(names(fit$center), names(kinds))
  expect_equal(fit$center[["flag"]], 0.5)
  expect_identical(predict(fit, kinds[5, ]), predict(fit)[5])
})

test_that("columns of new rows are matched by name, or without names by order", {
  skip_without_python()
  fit <- pwc(x = iris[1:4], y = species, learners = "lda")
  values <- predict(fit, iris[1:4], type = "prob")
  expect_identical(predict(fit, iris[4:1], type = "prob"), values)
  # Additional columns of any type.
  expect_identical(predict(fit, iris[5:1], type = "prob"), values)
  expect_identical(predict(fit, cbind(iris, more = 1), type = "prob"), values)
  expect_identical(unname(predict(fit, bare, type = "prob")), unname(values))
  expect_identical(predict(fit, as.matrix(iris[4:1]), type = "prob")[7, ], values[7, ])
  expect_identical(predict(fit, iris[7, ], type = "prob"), values[7, , drop = FALSE])
  expect_refused(predict(fit, iris[2:3]), "lacks the columns 'Sepal.Length', 'Petal.Width'\\.$")
  expect_refused(predict(fit, iris[2:4]), "lacks the column 'Sepal.Length'\\.$")
  expect_refused(predict(fit, bare[, 1:3]), "^newdata lacks the columns 'Sepal.Length'")
  expect_refused(predict(fit, bare[1, ]), "^newdata must be a matrix or data frame with")
  expect_refused(predict(fit, "a"), "^newdata must be .* not character")
  words <- transform(iris, Sepal.Length = "a")
  expect_refused(predict(fit, words), "must hold numbers, but its column 'Sepal.Length' does not")
  # Columns without a name are numbered.
  some <- bare
  colnames(some) <- c("a", NA, "b", "")
  odd <- pwc(x = some, y = species, learners = "lda")
  expect_identical(names(odd$center), c("a", "x2", "b", "x4"))
  expect_identical(predict(odd, some, type = "prob"), predict(odd, type = "prob"))
  expect_refused(
    pwc(x = setNames(iris[1:4], c("a", "a", "b", "c")), y = species), "two columns named 'a'"
  )
})

test_that("rows keep their names", {
  skip_without_python()
  named <- bare
  rownames(named) <- paste0("r", 1:150)
  fit <- pwc(x = named, y = species, learners = "lda")
  expect_identical(rownames(predict(fit, type = "prob")), rownames(named))
  expect_identical(rownames(predict(fit, named[9:8, ], type = "prob")), c("r9", "r8"))
  rownames(named)[[2]] <- "r1"
  twice <- pwc(x = named, y = species, learners = "lda")
  expect_identical(rownames(predict(twice, type = "prob")), as.character(1:150))
  expect_identical(rownames(predict(twice, named[1:2, ], type = "prob")), c("r1", "r1"))
})

test_that("weights, subset and na.action are as with a formula", {
  skip_without_python()
  holes <- iris
  holes$Sepal.Length[c(3, 70)] <- NA
  holes$Species[[120]] <- NA
  w <- rep(0:2, 50)
  fit <- function(...) pwc(x = holes[1:4], y = holes$Species, learners = "nb", ...)
  peer <- function(...) pwc(Species ~ ., holes, "nb", ...)
  big <- iris$Petal.Length > 1.4
  both <- list(
    list(fit(), peer()),
    list(fit(weights = w), peer(weights = w)),
    list(fit(subset = big), peer(subset = big)),
    list(fit(subset = -(1:20)), peer(subset = -(1:20))),
    list(fit(na.action = na.exclude), peer(na.action = na.exclude)),
    list(fit(weights = w, subset = big), peer(weights = w, subset = big))
  )
  for (pair in both) {
    expect_identical(nobs(pair[[1]]), nobs(pair[[2]]))
    expect_identical(pair[[1]]$pairs$n, pair[[2]]$pairs$n)
    expect_equal(predict(pair[[1]], type = "prob"), predict(pair[[2]], type = "prob"))
    expect_equal(predict(pair[[1]], iris), predict(pair[[2]], iris))
    expect_identical(summary(pair[[1]])$table, summary(pair[[2]])$table)
  }
  expect_refused(fit(na.action = na.fail), "missing values in object")
  expect_refused(fit(na.action = na.pass), "'Sepal.Length' is missing or infinite in row 3")
  expect_refused(fit(weights = 1:3), "variable lengths differ")
  expect_refused(fit(weights = -w), "^weights has -1: they must be finite numbers >= 0")
  expect_refused(fit(weights = 0 * w), "no row to fit")
  new <- holes[c(1, 3), ]
  expect_identical(is.na(predict(fit(), new)), c(FALSE, TRUE))
  expect_identical(nrow(predict(fit(), new, type = "pairs", na.action = na.omit)), 1L)
  expect_identical(is.na(predict(fit(), new, na.action = na.exclude)), c(FALSE, TRUE))
  expect_refused(predict(fit(), new, na.action = na.fail), "missing values in object")
  expect_identical(
    dimnames(predict(fit(), new[0, ], type = "prob")), list(NULL, levels(species))
  )
  expect_refused(predict(fit(), transform(new, Petal.Width = Inf)), "infinite in row 1 of newdata")
})

test_that("variables are looked up where pwc() is called", {
  skip_without_python()
  inside <- function(columns, classes) {
    twice <- rep(2, length(classes))
    keep <- classes != "setosa"
    pwc(x = columns, y = classes, learners = "nb", weights = twice, subset = keep)
  }
  expect_identical(inside(bare, species)$pairs$n, 200)
  through <- function(...) pwc(...)
  outer <- function(columns) {
    classes <- species
    through(x = columns, y = classes, learners = "lda")
  }
  expect_identical(nobs(outer(bare)), 150L)
})

test_that("wrong columns and classes are refused", {
  skip_without_python()
  skip_without_package("Matrix")
  both <- "^formula must be given, as in y ~ x, or the columns x and the classes y\\.$"
  expect_refused(pwc(x = bare), both)
  expect_refused(pwc(y = species), both)
  expect_refused(pwc(x = bare, y = NULL), both)
  expect_refused(pwc(NULL, species), both)
  expect_refused(pwc(Species ~ ., iris, x = bare), "^give a formula and data, or x and y, not both")
  expect_refused(pwc(x = iris[[1]], y = species), "^x must be a matrix or data frame with a row")
  expect_refused(pwc(x = iris[0], y = species), "^x must be a matrix .*, and columns")
  expect_refused(pwc(x = array(1, c(2, 2, 2)), y = 1:2), "^x must be a matrix or data frame")
  pattern <- "^'Species' is a column of x; give .*, as in Species ~ ., iris\\.$"
  expect_refused(pwc(iris, Species), pattern)
  expect_refused(hybrid(iris, y = Species), pattern)
  expect_refused(pwc(iris[1:5], Species), "as in Species ~ ., data\\.$")
  expect_refused(pwc(x = iris, y = species), "^x must hold numbers, but its column 'Species'")
  expect_refused(pwc(x = letters, y = letters), "^x must be .* not character")
  sparse <- Matrix::Matrix(bare > 3, sparse = TRUE)
  expect_refused(pwc(x = sparse, y = species), "^x must be a numeric .* not lgCMatrix")
  expect_refused(pwc(x = bare, y = species[-1]), "class of each of the 150 rows of x, got 149\\.$")
  expect_refused(pwc(x = bare, y = iris[5]), "rows of x, got 150 x 1\\.$")
  expect_refused(pwc(x = bare, y = as.list(species)), "rows of x, got list\\.$")
  expect_refused(pwc(x = bare, y = iris[[1]]), "must be classes, not numbers such as 5.1")
  expect_refused(pwc(x = bare[1:50, ], y = species[1:50]), "only one class")
  expect_refused(pwc(nowhere, species), "object 'nowhere' not found")
  expect_refused(pwc(bare, nowhere), "object 'nowhere' not found")
  infinite <- replace(bare, 7, -Inf)
  expect_refused(pwc(x = infinite, y = species), "'x1' is missing or infinite in row 7")
})
