# Methods of pwc() fits, also in a new session.

answers <- function(fit) {
  types <- c("class", "prob", "pairs", "votes", "decision")
  c(
    lapply(types, function(type) predict(fit, type = type)),
    lapply(types, function(type) predict(fit, iris[c(1, 71, 120), ], type = type))
  )
}

holes <- transform(backwards, Sepal.Length = replace(Sepal.Length, c(3, 70), NA))

test_that("print shows the call, rows, learners, coupling and pairs", {
  skip_without_python()
  fit <- pwc(Species ~ ., holes, c("nb", "lda"), coupling = "ht", threshold = "cv")
  expect_output(print(fit), paste0(
    "Call:\npwc\\(formula = Species ~ ., .*Rows: +148\nClasses: +virginica, versicolor, setosa\n",
    "Learners: +nb \\(2 pairs\\), lda \\(1 pair\\)\nCoupling: +ht, pairs weighted by rows\n",
    "Thresholds:  cross-validated\nTemperature: [0-9.]{4,6}\n +\\(2 observations deleted.*",
    "Pairs:\n.*cv_score_lda threshold\n",
    " +virginica versicolor +99 +lda "
  ))
  temperature <- sprintf("\nTemperature: %s\n", format(fit$temperature, digits = 4))
  expect_output(print(fit), temperature, fixed = TRUE)
  expect_output(print(summary(fit)), temperature, fixed = TRUE)
  printed <- capture.output(value <- print(fit))
  expect_identical(value, fit)
  plain <- capture.output(print(pwc(Species ~ ., iris, "lda", pair_weights = "equal")))
  expect_false(any(grepl("Threshold|Temperature|deleted", plain)))
  expect_true("Coupling:   wlw2" %in% plain)
  expect_output(
    print(update(fit, pair_weights = "equal", threshold = "train")),
    "ht, pairs weighted equally\nThresholds: from the rows of the fit"
  )
})

test_that("summary has all pairs and the table of the rows of the fit", {
  skip_without_python()
  for (na_action in list(na.omit, na.exclude)) {
    fit <- pwc(Species ~ ., holes, "lda", na.action = na_action)
    said <- summary(fit)
    expect_s3_class(said, "summary.pwcstats_pwc")
    used <- holes[-c(3, 70), ]
    expected <- table(true = used$Species, predicted = predict(fit, used))
    expect_identical(said$table, expected)
    expect_output(print(said), "2 observations deleted")
    expect_output(print(said), sprintf("Errors: %d of 148", 148L - sum(diag(expected))))
  }
  # Rows with weight 0 are not in the fit, with columns or a formula.
  w <- rep(0:2, 50)
  weighted <- list(
    pwc(Species ~ ., backwards, "nb", weights = w),
    pwc(x = backwards[1:4], y = backwards$Species, learners = "nb", weights = w)
  )
  for (fit in weighted) {
    expect_identical(sum(summary(fit)$table), nobs(fit))
    part <- backwards[w > 0, ]
    expect_identical(
      summary(fit)$table, table(true = part$Species, predicted = predict(fit, part))
    )
  }
  many <- pwc(factor(seq_along(Species) %% 7) ~ Sepal.Length, iris, "nb")
  expect_output(print(many), "and 6 more, see summary\\(\\)")
  expect_output(print(summary(many)), "\n +5 +6 +42 +nb")
})

test_that("pairs with ambiguous names are refused", {
  skip_without_python()
  labels <- c("a/b", "a", "b/a")
  fit <- pwc(kind ~ Petal.Width, transform(iris, kind = factor(labels[Species], labels)), "lda")
  expect_refused(predict(fit, type = "pairs"), "two pairs would have the name 'a/b/a'; rename")
  expect_identical(levels(predict(fit)), labels)
})

test_that("extractors work as for other models", {
  skip_without_python()
  fit <- pwc(Species ~ Petal.Width + log(Petal.Length), holes, "lda")
  expect_identical(nobs(fit), 150L)
  expect_identical(fitted(fit), predict(fit, type = "prob"))
  expect_identical(deparse(formula(fit)), "Species ~ Petal.Width + log(Petal.Length)")
  expect_identical(attr(terms(fit), "term.labels"), c("Petal.Width", "log(Petal.Length)"))
  expect_named(model.frame(fit), c("Species", "Petal.Width", "log(Petal.Length)"))
  expect_identical(predict(fit, type = "probs"), predict(fit, type = "prob"))
  expect_identical(predict(fit, type = "link"), predict(fit, type = "decision"))
  expect_identical(predict(fit, type = "response"), predict(fit, type = "prob"))
  expect_refused(predict(fit, type = "raw"), "^type must be one of 'class', 'prob'")
  expect_refused(predict(fit, probability = TRUE), "type = 'prob' has probabilities")
  columns <- pwc(x = iris[1:4], y = iris$Species, learners = "lda")
  expect_refused(formula(columns), "made from x and y, so it has no formula")
  expect_identical(dim(model.frame(columns)), c(150L, 2L))
  expect_identical(fitted(columns), predict(columns, iris, type = "prob"))
})

test_that("update() changes formula, learners, data and options", {
  skip_without_python()
  fit <- pwc(Species ~ ., backwards, "svm", cost = 10)
  small <- update(fit, . ~ . - Sepal.Length)
  expect_identical(names(small$center), names(iris)[2:4])
  expect_identical(
    predict(update(fit, cost = 1), type = "prob"),
    predict(pwc(Species ~ ., backwards, "svm"), type = "prob")
  )
  expect_refused(update(fit, learners = "lda"), "'lda' has no argument 'cost'")
  expect_identical(update(fit, learners = "lda", cost = NULL)$learners, "lda")
  expect_identical(nobs(update(fit, subset = Species != "setosa")), 100L)
  expect_identical(levels(predict(update(fit, data = iris))), levels(iris$Species))
  votes <- update(fit, coupling = "vote")
  # For a temperature, held-out scores of all pairs are computed together and rounded differently.
  expect_equal(predict(votes, type = "pairs"), predict(fit, type = "pairs"), tolerance = 1e-12)
  columns <- pwc(iris[1:4], iris$Species, "nb")
  expect_identical(update(columns, learners = "lda")$learners, "lda")
  expect_identical(update(columns, coupling = "ht")$coupling, "ht")
  expect_refused(update(columns, . ~ . - Sepal.Length), "has no formula")
})

test_that("tidy, glance and augment are data frames of the fit", {
  skip_without_python()
  skip_without_package("generics")
  fit <- pwc(Species ~ ., holes, c("nb", "lda"), threshold = "train")
  expect_identical(generics::tidy(fit), fit$pairs)
  expect_identical(
    generics::glance(fit),
    data.frame(
      nobs = 148L, n.classes = 3L, n.pairs = 3L, n.learners = 2L, coupling = "wlw2",
      threshold = "train", temperature = 1
    )
  )
  svm <- pwc(Species ~ ., iris, "svm")
  expect_identical(generics::glance(svm)$temperature, svm$temperature)
  augmented <- generics::augment(fit, holes)
  expect_identical(augmented[names(holes)], holes)
  expect_identical(which(is.na(augmented$.fitted)), c(3L, 70L))
  expect_identical(augmented$.fitted[-c(3, 70)], predict(fit))
  expect_identical(augmented$.prob.setosa[-c(3, 70)], unname(fitted(fit)[, "setosa"]))
  expect_named(augmented, c(names(holes), ".fitted", paste0(".prob.", levels(holes$Species))))
  new <- generics::augment(fit, newdata = holes[2:3, -5])
  expect_identical(new$.fitted, predict(fit, holes[2:3, ]))
  expect_refused(generics::augment(fit, newdata = iris[1:2]), "object 'Petal.Length' not found")
  columns <- pwc(x = iris[1:4], y = iris$Species, learners = "lda")
  expect_identical(generics::augment(columns)$.fitted, predict(columns))
  expect_identical(generics::augment(columns, iris)$.fitted, predict(columns))
  expect_identical(
    generics::augment(columns, newdata = iris[7, ])$.prob.setosa,
    predict(columns, iris[7, ], type = "prob")[[1]]
  )
})

# Python objects in a fit would be lost after a restart.
has_pointer <- function(x) {
  if (typeof(x) %in% c("externalptr", "weakref")) {
    return(TRUE)
  }
  inner <- if (is.environment(x)) list() else attributes(x)
  parts <- if (is.list(x)) unclass(x) else if (is.language(x)) as.list(x) else list()
  # Calls have parts that are themselves symbols or empty.
  parts <- Filter(function(part) !is.symbol(part), c(parts, inner[names(inner) != "names"]))
  any(vapply(parts, has_pointer, logical(1)))
}

# In a separate frame, because formulas and functions are saved with their environment.
fits_of_all_kinds <- function() {
  tree <- list(
    fit = function(x, y) rpart::rpart(y ~ ., data.frame(y = y, x), xval = 0),
    prob = function(model, x) predict(model, data.frame(x))
  )
  forest <- reticulate::import("sklearn.ensemble")$RandomForestClassifier
  list(
    pwc(Species ~ ., iris, c("svm", "lda", "qda", "nb", "knn", "biased_knn", "logistic", "tree")),
    pwc(Species ~ ., holes, "svm", na.action = na.exclude),
    pwc(Species ~ ., iris, "lda", coupling = "bayes", threshold = "cv"),
    pwc(Species ~ poly(Sepal.Length, 2), iris, list("nb", forest = forest(5L, random_state = 1L))),
    pwc(Species ~ ., iris, list("lda", tree = tree), coupling = "ht"),
    pwc(Species ~ ., iris, tree),
    pwc(x = iris[1:4], y = iris$Species, learners = "svm", calibration = "isotonic")
  )
}

test_that("fits are plain data, and work in a new session", {
  skip_without_python()
  skip_without_package("rpart")
  fits <- fits_of_all_kinds()
  for (fit in fits) {
    expect_false(has_pointer(unclass(fit)))
    again <- unserialize(serialize(fit, NULL))
    plain <- setdiff(names(fit), c("terms", "model", "call"))
    expect_identical(again[plain], fit[plain])
    expect_identical(answers(again), answers(fit))
  }
  code <- sprintf("lapply(fit, %s)", paste(deparse(answers), collapse = "\n"))
  expect_identical(ask_elsewhere(fits, code), lapply(fits, answers))
})

test_that("probabilities may be the first call of a session", {
  skip_without_python()
  fit <- pwc(Species ~ ., iris, "lda")
  expect_identical(ask_elsewhere(fit, "predict(fit, type = 'prob')"), predict(fit, type = "prob"))
})

test_that("printing a saved fit does not start Python", {
  skip_without_python()
  fit <- pwc(Species ~ ., iris, "lda")
  said <- ask_elsewhere(
    fit, "{capture.output(print(fit)); c(nobs(fit), reticulate::py_available())}"
  )
  expect_identical(said, c(150L, 0L))
})
