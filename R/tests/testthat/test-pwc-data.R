# Data of pwc() with a formula: types of columns and classes, and missing values.

# Only the order of sums may differ.
EXACT <- 1e-8 # nolint

same_numbers <- function(fit, other, new, type = "prob") {
  expect_equal(
    unname(predict(fit, new, type = type)), unname(predict(other, new, type = type)),
    tolerance = EXACT
  )
}

test_that("unused levels of classes and predictors are dropped", {
  skip_without_python()
  odd <- transform(
    iris,
    Species = factor(Species, levels = c("virginica", "none", "setosa", "versicolor")),
    side = factor(rep(c("left", "right"), 75), levels = c("left", "nowhere", "right"))
  )
  fit <- pwc(Species ~ ., odd, "lda")
  labels <- c("virginica", "setosa", "versicolor")
  expect_identical(fit$classes, factor(labels, labels))
  expect_identical(levels(predict(fit)), labels)
  expect_identical(colnames(predict(fit, type = "prob")), labels)
  expect_identical(names(fit$center), c(names(iris)[1:4], "sideright"))
  part <- pwc(Species ~ ., odd, "lda", subset = Species != "setosa")
  expect_identical(levels(predict(part)), c("virginica", "versicolor"))
  # A class whose rows all have weight 0 is dropped.
  light <- pwc(Species ~ ., odd, "nb", weights = as.integer(Species != "setosa"))
  expect_identical(as.character(light$classes), c("virginica", "versicolor"))
  expect_identical(nobs(light), 100L)
})

test_that("columns are those of model.matrix()", {
  skip_without_python()
  mixed <- transform(
    iris,
    whole = rep(1:5, 30), flag = rep(c(TRUE, FALSE, FALSE), 50),
    word = rep(c("u", "v", "w"), each = 10, length.out = 150), step = gl(4, 3, 150, ordered = TRUE)
  )
  formula <- Species ~ Sepal.Length * Petal.Width + poly(Petal.Length, 2) + whole + flag + word +
    step
  fit <- pwc(formula, mixed, "nb")
  peer <- model.matrix(formula, mixed)[, -1]
  expect_identical(names(fit$center), colnames(peer))
  expect_equal(fit$center, colMeans(peer))
  expect_equal(fit$scale, apply(peer, 2, sd))
  same_numbers(fit, pwc(x = peer, y = iris$Species, learners = "nb"), NULL)
  # Also for new rows, with the polynomials and levels of the fit.
  new <- mixed[c(3, 77, 140), ]
  expect_equal(
    predict(fit, new, type = "prob"), predict(fit, type = "prob")[c(3, 77, 140), ],
    tolerance = EXACT
  )
  sums <- pwc(Species ~ word, mixed, "nb", contrasts = list(word = "contr.sum"))
  expect_identical(names(sums$center), c("word1", "word2"))
  full <- pwc(Species ~ 0 + word + Sepal.Length, mixed, "nb")
  expect_identical(names(full$center), c("wordu", "wordv", "wordw", "Sepal.Length"))
  spaced <- setNames(iris, c("a b", "c/d", "Petal.Length", "if", "Species"))
  same_numbers(pwc(Species ~ ., spaced, "lda"), pwc(Species ~ ., iris, "lda"), NULL)
})

test_that("new levels and variables of another type give R's errors", {
  skip_without_python()
  fit <- pwc(Species ~ side + Sepal.Length, transform(iris, side = gl(2, 1, 150)), "nb")
  new <- data.frame(side = "3", Sepal.Length = 5)
  refused <- expect_error(
    predict(fit, new), "^factor side has new level 3",
    class = "pwcstats_error"
  )
  expect_identical(conditionCall(refused)[[1]], quote(predict.pwcstats_pwc))
  expect_refused(
    predict(fit, data.frame(side = "1", Sepal.Length = "5")), "'Sepal.Length' was fitted with type"
  )
  expect_refused(predict(fit, data.frame(side = "1")), "object 'Sepal.Length' not found")
  expect_refused(predict(fit, as.matrix(iris[1:4])), "must be a data frame, not double matrix")
  expect_identical(
    predict(fit, data.frame(side = "1", Sepal.Length = 5)),
    predict(fit, data.frame(side = factor(1, 2:1), Sepal.Length = 5, more = "x"))
  )
})

test_that("classes may be strings, numbers, logical or ordered", {
  skip_without_python()
  fit <- pwc(Species ~ ., iris, "lda")
  same_numbers(pwc(as.character(Species) ~ ., iris, "lda"), fit, iris)
  # 10 comes after 2, but before it alphabetically.
  ten <- transform(iris, Species = c(2, 10, 1)[as.integer(Species)])
  numbers <- pwc(Species ~ ., ten, "lda")
  expect_identical(as.character(numbers$classes), c("1", "2", "10"))
  expect_identical(paste(numbers$pairs$class_i, numbers$pairs$class_j), c("1 2", "1 10", "2 10"))
  expect_equal(
    unname(predict(numbers, type = "prob")[, c("2", "10", "1")]),
    unname(predict(fit, type = "prob")),
    tolerance = EXACT
  )
  right <- as.character(predict(numbers)) == ten$Species
  expect_identical(right, predict(fit) == iris$Species)
  gears <- pwc(am == 1 ~ mpg + wt, mtcars, "lda")
  expect_identical(levels(predict(gears)), c("FALSE", "TRUE"))
  expect_gt(mean(predict(gears) == (mtcars$am == 1)), 0.8)
  grade <- transform(iris, Species = ordered(Species, levels = levels(backwards$Species)))
  steps <- pwc(Species ~ ., grade, "lda")
  expect_s3_class(predict(steps), "ordered")
  expect_identical(predict(steps), ordered(predict(fit), levels = levels(grade$Species)))
  expect_refused(pwc(Sepal.Length ~ ., iris), "must be classes, not numbers such as 5.1; cut\\(\\)")
  expect_refused(pwc(cbind(a = 1:150, b = 2) ~ Sepal.Length, iris), "of each row, not columns")
})

test_that("labels may be any strings", {
  skip_without_python()
  fit <- pwc(Species ~ ., iris, "lda")
  odd <- list(
    c("a b/c", "\u00c4rger", "TRUE"), c("NA", "", "NaN"), c("1e3", "0x1", "1"), c("b'", "\"", "\\n")
  )
  for (labels in odd) {
    renamed <- iris
    levels(renamed$Species) <- labels
    other <- pwc(Species ~ ., renamed, "lda")
    expect_identical(levels(predict(other)), labels)
    expect_identical(as.integer(predict(other)), as.integer(predict(fit)))
    for (type in c("prob", "pairs", "decision", "votes")) {
      same_numbers(other, fit, iris, type)
    }
    expect_identical(colnames(predict(other, type = "pairs")), pair_names(labels))
    expect_output(print(summary(other)), "Errors: 3 of 150")
  }
})

test_that("missing values are treated by na.action, in the fit and in new rows", {
  skip_without_python()
  holes <- iris
  holes$Sepal.Length[c(3, 70)] <- NA
  holes$Species[[120]] <- NA
  whole <- iris[-c(3, 70, 120), ]
  fit <- pwc(Species ~ ., holes, "lda")
  same_numbers(fit, pwc(Species ~ ., whole, "lda"), iris)
  expect_identical(nobs(fit), 147L)
  expect_identical(rownames(fitted(fit)), rownames(whole))
  padded <- update(fit, na.action = na.exclude)
  for (values in list(predict(padded), predict(padded, type = "votes")[, 1], fitted(padded)[, 1])) {
    expect_identical(unname(which(is.na(values))), c(3L, 70L, 120L))
  }
  expect_refused(update(fit, na.action = na.fail), "missing values in object")
  expect_refused(update(fit, na.action = na.pass), "'Sepal.Length' is missing or infinite in row 3")
  expect_refused(
    pwc(Species ~ ., holes[-c(3, 70), ], "lda", na.action = na.pass), "the response is .* row 120"
  )
  new <- holes[c(1, 3, 70, 150), ]
  for (type in c("prob", "pairs", "votes", "decision")) {
    values <- predict(fit, new, type = type)
    expect_identical(rownames(values), c("1", "3", "70", "150"))
    expect_identical(unname(is.na(values[, 1])), c(FALSE, TRUE, TRUE, FALSE))
    expect_equal(values[c("1", "150"), ], predict(fit, new[c(1, 4), ], type = type))
    expect_identical(rownames(predict(fit, new, type = type, na.action = na.omit)), c("1", "150"))
    expect_identical(dimnames(predict(fit, new[0, ], type = type)), list(NULL, colnames(values)))
    expect_true(all(is.na(predict(fit, new[2, ], type = type))))
  }
  expect_identical(is.na(predict(fit, new)), c(FALSE, TRUE, TRUE, FALSE))
  expect_identical(predict(fit, new[0, ]), factor(character(), levels(iris$Species)))
  expect_refused(predict(fit, new, na.action = na.fail), "missing values in object")
  expect_refused(predict(fit, transform(new, Petal.Width = -Inf)), "'Petal.Width' is infinite in")
  infinite <- replace(iris, 1, c(Inf, iris[-1, 1]))
  expect_refused(pwc(Species ~ ., infinite), "'Sepal.Length' is missing or infinite in row 1")
})

test_that("few classes, many classes, and classes of few rows", {
  skip_without_python()
  skip_without_package("mlbench")
  two <- droplevels(iris[51:150, ])
  for (coupling in eval(formals(pwc)$coupling)) {
    fit <- pwc(Species ~ ., two, "lda", coupling = coupling)
    r <- predict(fit, type = "pairs")
    expect_identical(colnames(r), "versicolor/virginica")
    first <- if (coupling == "vote") as.double(r[, 1] > 0.5) else unname(r[, 1])
    expect_equal(unname(predict(fit, type = "prob")), cbind(first, 1 - first, deparse.level = 0))
  }
  letters26 <- data_of("LetterRecognition", "mlbench")[1:800, ]
  fit <- pwc(lettr ~ ., letters26, "lda")
  expect_identical(dim(predict(fit, letters26[1:5, ], type = "pairs")), c(5L, 325L))
  expect_equal(
    predict(fit, type = "prob"), couple(predict(fit, type = "pairs"), condensed = TRUE),
    tolerance = EXACT
  )
  expect_gt(mean(predict(fit) == letters26$lettr), 0.9)
  expect_output(print(fit), "and 310 more, see summary\\(\\)")
  one <- iris[c(1, 51, 101), ]
  expect_warning(
    fit <- pwc(Species ~ ., one, "svm"),
    "'setosa', 'versicolor', 'virginica'\\) have one row each, which calibration_cv cannot hold out"
  )
  expect_identical(predict(fit), one$Species)
  expect_warning(
    fit <- pwc(Species ~ ., one, list("tree", knn = list(k = 1))),
    "which selection_cv cannot hold out, so candidates are not compared"
  )
  expect_identical(fit$pairs$learner, rep("tree", 3))
  expect_refused(pwc(Species ~ ., one, "lda"), "lda failed on the pair .*: The number of samples")
  expect_identical(predict(pwc(Species ~ ., one, "knn", k = 1)), one$Species)
  expect_refused(pwc(Species ~ ., iris[1:50, ]), "only one class .*'setosa'; two are needed")
  expect_refused(pwc(Species ~ ., iris[0, ]), "no row to fit")
})

test_that("constant columns and more columns than rows", {
  skip_without_python()
  fit <- pwc(Species ~ ., transform(iris, same = 7), "svm", gamma = 0.25)
  expect_identical(c(fit$center[["same"]], fit$scale[["same"]]), c(0, 1))
  same_numbers(fit, pwc(Species ~ ., iris, "svm", gamma = 0.25), transform(iris, same = 7))
  expect_refused(
    pwc(Species ~ ., transform(iris, same = 7), "qda"), "^qda failed on the pair .*not full rank"
  )
  set.seed(6)
  wide <- data.frame(matrix(rnorm(30 * 60), 30), y = gl(3, 10))
  wide[1:5] <- wide[1:5] + as.integer(wide$y)
  for (name in c("svm", "lda", "nb", "knn", "biased_knn", "logistic", "tree")) {
    proba <- predict(pwc(y ~ ., wide, name), type = "prob")
    expect_identical(dim(proba), c(30L, 3L))
    expect_equal(unname(rowSums(proba)), rep(1, 30), tolerance = EXACT)
  }
})

test_that("formulas are evaluated in their environment", {
  skip_without_python()
  kind <- iris$Species
  width <- iris$Petal.Width
  fit <- pwc(kind ~ width, learners = "lda")
  same_numbers(fit, pwc(Species ~ Petal.Width, iris, "lda"), NULL)
  inside <- function(frame, power, learner, ...) {
    w <- rep(2, nrow(frame))
    pwc(Species ~ I(Petal.Width^power), frame, learner, weights = w, subset = w > power, ...)
  }
  local_fit <- inside(iris, 0.5, "nb", coupling = "ht")
  expect_identical(local_fit$pairs$n, rep(200, 3))
  same_numbers(local_fit, pwc(Species ~ sqrt(Petal.Width), iris, "nb", coupling = "ht"), iris)
  formula <- Species ~ .
  expect_identical(
    names(pwc(formula, iris, "lda")$center), attr(terms(formula, data = iris), "term.labels")
  )
  expect_refused(pwc(Species ~ 1, iris), "no columns except the intercept")
  expect_refused(pwc(~Sepal.Length, iris), "must have a response on its left")
  expect_refused(pwc(Species ~ Sepal.Length + offset(Petal.Width), iris), "has no offset")
  expect_refused(pwc(Species ~ nowhere, iris), "object 'nowhere' not found")
  expect_refused(pwc(Species ~ ., 3), "'data' must be a data.frame")
  expect_refused(pwc(), "^formula must be given, as in y ~ x, or the columns x and the classes y")
})

test_that("tibbles are data frames", {
  skip_without_python()
  skip_without_package("tibble")
  table <- tibble::as_tibble(iris)
  fit <- pwc(Species ~ ., table, "lda")
  same_numbers(fit, pwc(Species ~ ., iris, "lda"), table[c(2, 90), ])
  expect_identical(predict(fit, table[7, ]), predict(fit, iris[7, ]))
  columns <- pwc(x = table[1:4], y = table$Species, learners = "lda")
  same_numbers(columns, fit, table[c(2, 90), ])
  expect_refused(pwc(x = table[1:4], y = table["Species"]), "rows of x, got 150 x 1")
})
