# caretModel() in train() of caret, compared with our functions called directly.

# The same fit in another order of sums.
EXACT <- 1e-8 # nolint

two <- droplevels(iris[51:150, ])
once <- function(...) caret::trainControl("none", classProbs = TRUE, ...)

# Probabilities of a model fitted once with its default parameters.
trained <- function(model, x, y, new = x, ...) {
  fit <- caret::train(x, y, method = model, trControl = once(), tuneLength = 1, ...)
  expect_identical(colnames(predict(fit, new, type = "prob")), levels(y))
  list(class = predict(fit, new), prob = predict(fit, new, type = "prob"), fit = fit)
}

expect_same <- function(ours, direct, new) {
  expect_identical(as.character(ours$class), as.character(predict(direct, new)))
  expect_equal(
    as.matrix(ours$prob), predict(direct, new, type = "prob"),
    tolerance = EXACT, ignore_attr = TRUE
  )
}

test_works("caret", c("train()", "predict()"), c("pwc()", "hybrid()", "ordinal_hybrid()"), {
  expect_same(trained(caretModel("pwc"), iris[1:4], iris$Species), pwc(Species ~ ., iris), iris)
  # Levels in another order, and a factor among the columns.
  mixed <- transform(backwards, wide = factor(Sepal.Width > 3, labels = c("no", "yes")))
  expect_same(
    trained(caretModel(coupling = "ht", kernel = "linear"), mixed[c(1, 3, 6)], mixed$Species),
    pwc(Species ~ Sepal.Length + Petal.Length + wide, mixed, coupling = "ht", kernel = "linear"),
    mixed
  )
  model <- caretModel("hybrid", clusters = 2, threshold = 0.1)
  hybrids <- trained(model, two[1:4], two$Species)
  direct <- hybrid(Species ~ ., two, clusters = 2, threshold = 0.1)
  expect_same(hybrids, direct, two)
  # The threshold is that of hybrid().
  expect_identical(hybrids$class == direct$positive, hybrids$prob[[direct$positive]] > 0.1)
  known <- na.omit(air[c("ozone", "Temp", "Wind")])
  bayes <- trained(caretModel("hybrid", clusters = 2, learners = "nb"), two[1:4], two$Species)
  expect_same(bayes, hybrid(Species ~ ., two, clusters = 2, learners = "nb"), two)
  ordinal <- trained(caretModel("ordinal_hybrid"), known[2:3], known$ozone)
  expect_same(ordinal, ordinal_hybrid(ozone ~ Temp + Wind, known), known)
  expect_s3_class(ordinal$class, "ordered")
})

test_works("caret", c("train()", "resamples()", "confusionMatrix()"), "pwc()", {
  control <- caret::trainControl(
    "cv", 3,
    classProbs = TRUE, summaryFunction = caret::mnLogLoss, savePredictions = "final"
  )
  set.seed(1)
  fit <- caret::train(
    Species ~ ., iris,
    method = caretModel("pwc"), trControl = control, tuneLength = 2, metric = "logLoss",
    preProcess = "pca"
  )
  expect_setequal(fit$results$cost, c(1, 4))
  # Two components.
  expect_setequal(fit$results$gamma, c(1, 4) / 2)
  # Each fold, computed by hand.
  scores <- vapply(fit$control$index, function(rows) {
    reduce <- caret::preProcess(iris[rows, 1:4], "pca")
    train <- predict(reduce, iris[rows, ])
    test <- predict(reduce, iris[-rows, ])
    direct <- pwc(Species ~ ., train, cost = fit$bestTune$cost, gamma = fit$bestTune$gamma)
    proba <- predict(direct, test, type = "prob")
    -mean(log(proba[cbind(seq_len(nrow(test)), as.integer(test$Species))]))
  }, 0)
  expect_equal(fit$resample$logLoss, unname(scores), tolerance = EXACT)
  # A second model on the same folds.
  set.seed(1)
  other <- caret::train(
    Species ~ ., iris,
    method = caretModel("pwc", learners = "lda"), trControl = control, metric = "logLoss"
  )
  expect_named(other$bestTune, "parameter")
  both <- caret::resamples(list(svm = fit, lda = other))
  expect_identical(both$values[["svm~logLoss"]], fit$resample$logLoss)
  table <- caret::confusionMatrix(predict(other), iris$Species)$table
  direct <- predict(pwc(Species ~ ., iris, "lda"))
  expect_identical(unclass(table), unclass(table(Prediction = direct, Reference = iris$Species)))
  expect_identical(caret::predictors(other), names(iris)[1:4])
})

test_works("caret", c("train()", "twoClassSummary()"), "hybrid()", {
  skip_without_package("pROC")
  set.seed(2)
  fit <- caret::train(
    Species ~ Petal.Length + Sepal.Width, two,
    method = caretModel("hybrid", clusters = 1), metric = "ROC", tuneLength = 1,
    trControl = caret::trainControl(
      "cv", 3,
      classProbs = TRUE, summaryFunction = caret::twoClassSummary
    )
  )
  areas <- vapply(fit$control$index, function(rows) {
    direct <- hybrid(Species ~ Petal.Length + Sepal.Width, two[rows, ], clusters = 1, cost = 1)
    score <- split(predict(direct, two[-rows, ], type = "prob")[, 1], two$Species[-rows])
    wins <- outer(score[[1]], score[[2]], function(a, b) (a > b) + (a == b) / 2)
    mean(wins)
  }, 0)
  expect_equal(fit$resample$ROC, unname(areas), tolerance = EXACT)
})

test_works("caret", c("train()", "varImp()"), "pwc()", {
  w <- rep(c(1, 3), 50)
  weighted <- trained(caretModel("pwc"), two[1:4], two$Species, weights = w)
  expect_same(weighted, pwc(Species ~ ., two, weights = w), two)
  hybrids <- trained(caretModel("hybrid", clusters = 1), two[1:4], two$Species, weights = w)
  expect_same(hybrids, hybrid(Species ~ ., two, clusters = 1, weights = w), two)
  balanced <- trained(caretModel("pwc", class.weights = c(virginica = 5)), two[1:4], two$Species)
  expect_same(balanced, pwc(Species ~ ., two, class.weights = c(virginica = 5)), two)
  # The importance of columns is caret's own, from each column alone.
  expect_identical(dim(caret::varImp(balanced$fit)$importance), c(4L, 2L))
  file <- tempfile(fileext = ".rds")
  saveRDS(weighted$fit, file)
  expect_identical(predict(readRDS(file), two, type = "prob"), weighted$prob)
  # Without the functions of the method, which are longer if test coverage is measured.
  weighted$fit$modelInfo <- NULL
  saveRDS(weighted$fit, file)
  expect_lt(file.size(file), 2e4)
  refused <- function(model, words, ...) {
    expect_refused(trained(model, two[1:4], two$Species, ...), words)
  }
  refused(caretModel("pwc"), "^'gama' is not an argument of pwc\\(\\).*mean 'gamma'\\?$", gama = 1)
  refused(caretModel("pwc", scale = TRUE), "^'scale' is given twice", scale = FALSE)
  refused(caretModel("pwc"), "^'cost' is given twice", cost = 1)
  refused(caretModel("ordinal_hybrid"), "^the response must be an ordered factor")
})

test_that("each learner has its own tuning parameters, with the default in their middle", {
  skip_without_package("caret")
  grid <- function(..., len = 1, search = "grid") {
    caretModel(...)$grid(iris[1:4], iris$Species, len, search)
  }
  svm <- c("cost", "gamma")
  expected <- list(
    list(caretModel("pwc"), svm), list(caretModel("pwc", kernel = "linear"), "cost"),
    list(caretModel("pwc", kernel = "polynomial"), c(svm, "degree")),
    list(caretModel("pwc", cost = 2), "gamma"), list(caretModel("hybrid"), "cost"),
    list(caretModel("pwc", learners = "tree"), "minbucket"),
    list(caretModel("pwc", learners = "qda"), "reg_param"),
    list(caretModel("pwc", learners = c("lda", "nb")), "parameter"),
    list(caretModel("ordinal_hybrid", kernel = "radial"), svm),
    list(caretModel("hybrid", learners = "logistic"), "cost"),
    list(caretModel("hybrid", learners = "tree"), "parameter")
  )
  for (case in expected) {
    expect_identical(as.character(case[[1]]$parameters$parameter), case[[2]])
    for (search in c("grid", "random")) {
      rows <- case[[1]]$grid(iris[1:4], iris$Species, 3, search)
      expect_named(rows, case[[2]])
      # In any order, the simplest comes first.
      turned <- rows[rev(seq_len(nrow(rows))), , drop = FALSE]
      expect_identical(case[[1]]$sort(turned)[[1]], sort(rows[[1]]))
    }
  }
  expect_equal(grid(), data.frame(cost = 1, gamma = 0.25), ignore_attr = TRUE)
  expect_equal(sort(unique(grid(len = 3)$cost)), c(0.25, 1, 4))
  # Columns of the model matrix.
  expect_equal(caretModel()$grid(iris, iris$Species, 1)$gamma, 1 / 6)
  expect_identical(grid(learners = "knn", len = 3)$k, c(5L, 7L, 9L))
  expect_identical(grid(learners = "tree")$minbucket, 7)
  expect_refused(caretModel("svm"), "^name must be one of 'pwc', 'hybrid', 'ordinal_hybrid'")
  expect_refused(caretModel("hybrid", clsters = 2), "did you mean 'clusters'\\?$")
  expect_refused(caretModel("hybrid", learners = "foo"), "^there is no learner 'foo'")
  expect_refused(caretModel("pwc", 3), "^name .* of pwc\\(\\), as in learners = \"lda\"\\.$")
  expect_refused(caretModel("hybrid", 3), "as in cost = 10\\.$")
  expect_refused(caretModel("pwc", learners = "foo"), "^there is no learner 'foo'")
})
