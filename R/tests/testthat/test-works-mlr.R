# Learners of mlr, compared with our functions called directly.

# The same fit in another order of sums.
EXACT <- 1e-8 # nolint

two <- droplevels(iris[51:150, ])

task_of <- function(data, target, ...) {
  mlr::makeClassifTask(id = "data", data = data, target = target, ...)
}

expect_same <- function(learner, task, direct, data) {
  for (type in c("response", "prob")) {
    model <- mlr::train(mlr::setPredictType(learner, type), task)
    predicted <- predict(model, newdata = data)
    if (type == "response") {
      expect_identical(
        as.character(mlr::getPredictionResponse(predicted)), as.character(predict(direct, data))
      )
    } else {
      labels <- as.character(direct$classes)
      expect_equal(
        as.matrix(mlr::getPredictionProbabilities(predicted, labels)),
        predict(direct, data, type = "prob"),
        tolerance = EXACT, ignore_attr = TRUE
      )
    }
  }
}

test_works(
  "mlr", c("makeLearner()", "train()", "predict()"), c("pwc()", "hybrid()", "ordinal_hybrid()"), {
    mixed <- transform(backwards, wide = factor(Sepal.Width > 3, labels = c("no", "yes")))
    learner <- mlr::makeLearner("classif.pwc", cost = 2, coupling = "ht")
    direct <- pwc(Species ~ ., mixed, cost = 2, coupling = "ht")
    expect_same(learner, task_of(mixed, "Species"), direct, mixed)
    candidates <- mlr::makeLearner("classif.pwc", learners = list("lda", svm = list(cost = 10)))
    direct <- pwc(Species ~ ., iris, list("lda", svm = list(cost = 10)))
    expect_same(candidates, task_of(iris, "Species"), direct, iris)
    learner <- mlr::makeLearner("classif.hybrid", clusters = 2L, positive = "versicolor")
    direct <- hybrid(Species ~ ., two, clusters = 2, positive = "versicolor")
    expect_same(learner, task_of(two, "Species"), direct, two)
    known <- na.omit(air[c("ozone", "Temp", "Wind")])
    learner <- mlr::makeLearner("classif.ordinal_hybrid", integrator = "ordered")
    direct <- ordinal_hybrid(ozone ~ ., known, integrator = "ordered")
    expect_same(learner, task_of(known, "ozone"), direct, known)
    learner <- mlr::makeLearner("classif.ordinal_hybrid", learners = "lda")
    direct <- ordinal_hybrid(ozone ~ ., known, learners = "lda")
    expect_same(learner, task_of(known, "ozone"), direct, known)
    unordered <- mlr::makeLearner("classif.ordinal_hybrid")
    expect_error(
      mlr::train(unordered, task_of(iris, "Species")), "the response must be an ordered factor"
    )
  }
)

test_works("mlr", c("resample()", "tuneParams()", "makeWeightedClassesWrapper()"), "pwc()", {
  mlr::configureMlr(show.info = FALSE)
  on.exit(mlr::configureMlr())
  task <- task_of(iris, "Species")
  set.seed(3)
  folds <- mlr::makeResampleInstance(mlr::cv3, task)
  learner <- mlr::makeLearner("classif.pwc", predict.type = "prob", learners = "lda")
  found <- mlr::resample(learner, task, folds, measures = list(mlr::logloss, mlr::mmce))
  scores <- vapply(folds$train.inds, function(rows) {
    test <- iris[-rows, ]
    direct <- pwc(Species ~ ., iris[rows, ], "lda")
    proba <- predict(direct, test, type = "prob")
    truth <- as.integer(test$Species)
    wrong <- predict(direct, test) != test$Species
    c(-mean(log(proba[cbind(seq_along(truth), truth)])), mean(wrong))
  }, numeric(2))
  expect_equal(found$measures.test$logloss, scores[1, ], tolerance = EXACT)
  expect_identical(found$measures.test$mmce, scores[2, ])
  tuned <- mlr::tuneParams(
    mlr::makeLearner("classif.pwc"), task, folds,
    par.set = ParamHelpers::makeParamSet(
      ParamHelpers::makeDiscreteParam("learners", c("lda", "nb"))
    ),
    control = mlr::makeTuneControlGrid(), show.info = FALSE
  )
  path <- as.data.frame(tuned$opt.path)
  expect_identical(path$mmce.test.mean[[1]], mean(scores[2, ]))
  # Weights of rows and of classes.
  w <- rep(c(1, 3), 50)
  plain <- mlr::makeLearner("classif.pwc")
  expect_same(plain, task_of(two, "Species", weights = w), pwc(Species ~ ., two, weights = w), two)
  balanced <- mlr::makeWeightedClassesWrapper(plain, wcw.weight = 5)
  direct <- pwc(Species ~ ., two, class.weights = c(versicolor = 5, virginica = 1))
  model <- mlr::train(balanced, task_of(two, "Species"))
  expect_identical(mlr::getPredictionResponse(predict(model, newdata = two)), predict(direct, two))
  lda <- mlr::makeLearner("classif.pwc", learners = "lda")
  expect_error(
    mlr::train(lda, task_of(two, "Species", weights = w)), "the learner 'lda' takes no weights"
  )
  hybrids <- mlr::makeLearner("classif.hybrid", clusters = 1)
  direct <- hybrid(Species ~ ., two, clusters = 1, weights = w)
  expect_same(hybrids, task_of(two, "Species", weights = w), direct, two)
})

test_that("a class without rows in the training set has probability 0", {
  skip_without_python()
  skip_without_package("mlr")
  learner <- mlr::makeLearner("classif.pwc", predict.type = "prob", learners = "lda")
  model <- mlr::train(learner, task_of(iris, "Species"), subset = 51:150)
  found <- mlr::getPredictionProbabilities(predict(model, newdata = iris))
  expect_identical(found$setosa, rep(0, 150))
  direct <- predict(pwc(Species ~ ., two, "lda"), iris, type = "prob")
  expect_equal(as.matrix(found[-1]), direct, tolerance = EXACT, ignore_attr = TRUE)
})

test_that("hyperparameters are the arguments, with their defaults", {
  skip_without_package("mlr")
  data <- c("formula", "data", "...", "x", "y", "weights", "subset", "na.action", "verbose")
  for (name in c("pwc", "hybrid", "ordinal_hybrid")) {
    f <- get(name)
    parameters <- ParamHelpers::getParamSet(mlr::makeLearner(paste0("classif.", name)))
    learners <- if (name == "pwc") unlist(known_learners)
    expect_setequal(names(parameters$pars), c(setdiff(names(formals(f)), data), learners))
    defaults <- ParamHelpers::getDefaults(parameters)
    for (id in names(defaults)) {
      expect_identical(defaults[[id]], eval(formals(f)[[id]])[[1]], info = id)
    }
    several <- Filter(function(parameter) parameter$type == "discrete", parameters$pars)
    for (id in setdiff(names(several), c("temperature", if (name == "pwc") "kernel"))) {
      expect_identical(unname(unlist(several[[id]]$values)), eval(formals(f)[[id]]), info = id)
    }
  }
  expect_error(mlr::makeLearner("classif.hybrid", cost = -1), "cost")
  expect_error(mlr::makeLearner("classif.hybrid", threshold = "zz"), "threshold")
  # Values that are not numbers.
  special <- list(threshold = "prevalence", clusters = "auto", distance_cv = NA)
  learner <- mlr::setHyperPars(mlr::makeLearner("classif.hybrid"), par.vals = special)
  expect_identical(mlr::getHyperPars(learner)[names(special)], special)
  # mlr would ignore it.
  expect_error(mlr::setHyperPars(learner, seed = NULL), "seed")
})

test_that("mlr finds the learners if pwcstats is attached, or only loaded", {
  skip_without_python()
  skip_without_package("mlr")
  code <- c(
    "learner <- mlr::makeLearner('classif.pwc', learners = 'lda')",
    "task <- mlr::makeClassifTask(data = iris, target = 'Species')",
    "model <- mlr::train(learner, task)",
    "cat(mean(predict(model, newdata = iris)$data$response == iris$Species), '\\n')",
    "known <- suppressWarnings(mlr::listLearners('classif'))",
    "cat(known$class[known$package == 'pwcstats'], '\\n')"
  )
  right <- mean(predict(pwc(Species ~ ., iris, "lda")) == iris$Species)
  for (start in c("library(pwcstats)", "invisible(loadNamespace('pwcstats'))")) {
    said <- run_in_new_r(c(start, code), TZ = "UTC")
    expect_identical(as.numeric(said[[1]]), as.numeric(format(right, digits = 7)))
    expect_identical(said[[2]], "classif.hybrid classif.ordinal_hybrid classif.pwc ")
  }
})
