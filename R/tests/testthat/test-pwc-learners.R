# Learners of pwc() by name and from Python, and what is refused.

# The same sums, in another order at most.
EXACT <- 1e-8 # nolint

ask <- function(learners, ...) {
  pwc(Species ~ ., backwards, learners, ...)
}

decisions <- function(...) {
  predict(ask(..., calibration = "none", coupling = "vote"), type = "decision")
}

test_that("learners, their arguments and defaults are those of Python's table", {
  skip_without_python()
  named <- reticulate::import("pwcstats.pairwise.named")
  table <- named$LEARNERS
  arguments <- lapply(table, function(learner) sub("_w", ".w", names(learner$options)))
  expect_identical(arguments, known_learners)
  # As documented in ?pwc; NULL where a default depends on the columns or on another argument.
  default <- function(name, argument) table[[name]]$options[[argument]]$default
  expect_identical(default("svm", "kernel"), "radial")
  numbers <- list(
    svm = c(cost = 1, degree = 3, coef0 = 0, tolerance = 0.001), qda = c(reg_param = 0),
    knn = c(k = 5), logistic = c(cost = 1), tree = c(minsplit = 20, maxdepth = 30)
  )
  for (name in names(numbers)) {
    for (argument in names(numbers[[name]])) {
      expect_equal(default(name, argument), numbers[[name]][[argument]])
    }
  }
  expect_null(default("svm", "gamma"))
  expect_null(default("svm", "class_weights"))
  expect_null(default("tree", "minbucket"))
  expect_null(default("biased_knn", "k"))
  expect_null(default("biased_knn", "bias"))
  for (name in c("lda", "qda", "nb")) {
    expect_null(default(name, "prior"))
  }
})

test_that("arguments of learners come in all documented forms", {
  skip_without_python()
  hard <- decisions("svm", cost = 100)
  expect_identical(decisions(list(svm = list(cost = 100))), hard)
  expect_identical(decisions(list(list("svm", cost = 100))), hard)
  expect_identical(decisions(list(hard = list("svm", cost = 100))), hard)
  expect_identical(decisions(list(hard = list(cost = 100, "svm"))), hard)
  expect_identical(decisions(list(hard = "svm"), cost = 100), hard)
  expect_identical(decisions(list("svm"), cost = 100L), hard)
  expect_gt(max(abs(decisions("svm") - hard)), 1)
  expect_identical(decisions(list(svm = list())), decisions("svm"))
})

test_that("biased distances without a bias are nearest neighbours", {
  skip_without_python()
  # An odd k and no equal distances: columns of a normal sample.
  set.seed(1)
  noisy <- transform(iris, Petal.Width = Petal.Width + stats::rnorm(150, sd = 0.01))
  pairs <- function(...) predict(pwc(Species ~ ., noisy, ...), type = "pairs")
  expect_equal(
    pairs("biased_knn", k = 3, bias = 0), pairs("knn", k = 3), tolerance = EXACT
  )
  expect_gt(max(abs(pairs("biased_knn", k = 3, bias = 0.5) - pairs("knn", k = 3))), 0.1)
})

test_that("learners have names: the user's, or what they are", {
  skip_without_python()
  fit <- ask(list(soft = list("svm", cost = 0.1), hard = list("svm", cost = 100), "lda"))
  expect_identical(fit$learners, c("soft", "hard", "lda"))
  expect_true(all(c("cv_score_soft", "cv_score_hard", "cv_score_lda") %in% names(fit$pairs)))
  expect_true(all(fit$pairs$learner %in% fit$learners))
  expect_identical(ask(c(mine = "lda"))$learners, "mine")
  expect_identical(ask(shares)$learners, "r-learner")
  # Names that repeat, and such that are no names of variables or look like numbers.
  fit <- ask(c("lda", "lda"))
  expect_identical(fit$learners, c("lda", "lda-1"))
  expect_identical(fit$pairs[["cv_score_lda-1"]], fit$pairs$cv_score_lda)
  fit <- ask(list("a b" = "nb", "1" = "lda", "x/y" = shares))
  expect_named(
    fit$pairs,
    c("class_i", "class_j", "n", "learner", "cv_score_a b", "cv_score_1", "cv_score_x/y")
  )
  expect_identical(fit$pairs$learner, c("1", "a b", "a b"))
})

test_that("all learners take one column, and answer for one row", {
  skip_without_python()
  every <- names(known_learners)
  fit <- pwc(Species ~ Petal.Width, backwards, every)
  expect_true(all(paste0("cv_score_", every) %in% names(fit$pairs)))
  for (name in every) {
    fit <- pwc(Species ~ Petal.Width, backwards, name)
    expect_equal(
      predict(fit, backwards[99, ], type = "prob"),
      predict(fit, type = "prob")["99", , drop = FALSE],
      tolerance = EXACT
    )
    expect_gt(mean(predict(fit) == backwards$Species), 0.9)
  }
})

test_that("what is no learner is refused in a sentence", {
  skip_without_python()
  unknown <- "^there is no learner '%s'; there are 'svm', 'lda', 'qda', .*Python estimators\\.$"
  expect_refused(ask("forest"), sprintf(unknown, "forest"))
  expect_refused(ask(""), sprintf(unknown, ""))
  expect_refused(ask(NA_character_), sprintf(unknown, "NA"))
  expect_refused(ask(list(mine = list(cost = 1))), sprintf(unknown, "mine"))
  expect_refused(ask(list(list(3, cost = 1))), sprintf(unknown, "numeric"))
  expect_refused(ask(NULL), "^learners must be names .* not NULL\\.$")
  expect_refused(ask(list()), "^learners must be names .* not an empty one\\.$")
  expect_refused(ask(character()), "not an empty one\\.$")
  expect_refused(ask(3), "^learners must be names .* not numeric\\.$")
  expect_refused(ask(TRUE), "not logical\\.$")
  expect_refused(ask(mean), "^learners must be names .* not function\\.$")
  expect_refused(ask(list(svm = NULL)), "^a learner must be a name, .* not NULL\\.$")
  expect_refused(ask(list(svm = 10)), "^a learner must be a name, .* not numeric\\.$")
  # Easily written for list(svm = list(cost = 10)).
  expect_refused(ask(list("svm", cost = 10)), "^a learner must be a name, .* not numeric\\.$")
  two <- "^an R learner is a list of two functions, fit\\(x, y\\) and prob\\(model, x\\)\\.$"
  expect_refused(ask(list(mean)), two)
  expect_refused(ask(list(fit = mean)), two)
  expect_refused(ask(list(mine = list(fit = mean))), two)
  expect_refused(ask(list(mine = list(fit = mean, predict = mean))), two)
  expect_refused(ask(list(a = "lda", a = "nb")), "^there are two learners 'a'\\.$")
  expect_refused(ask(list(a__b = "lda", "nb")), "strings without '__', got 'a__b'")
})

test_that("what a learner does not take is refused in a sentence", {
  skip_without_python()
  expect_refused(
    ask(list(svm = list(costs = 1))), "^the learner 'svm' has no argument 'costs'; it has 'kernel'"
  )
  expect_refused(ask("lda", cost = 3), "'lda' has no argument 'cost'; it has 'prior'\\.$")
  expect_refused(ask("lda", treshold = "cv"), "^pwc.* 'treshold'; did you mean 'threshold'\\?$")
  expect_refused(ask(c("svm", "lda"), couplng = "ht"), "did you mean 'coupling'\\?$")
  expect_refused(ask("svm", options = 1), "'svm' has no argument 'options'")
  expect_refused(ask(c("svm", "lda"), cost = 3), "^pwc.* has no argument 'cost'; .* into a list")
  expect_refused(ask(shares, k = 3), "^pwc\\(\\) has no argument 'k'")
  expect_refused(ask("svm", 10), "without a name; arguments of a learner go into a list")
  expect_refused(ask(list(svm = list(cost = 1, cost = 2))), "'svm' is given 'cost' twice\\.$")
  expect_refused(ask("svm", cost = 1, cost = 2), "'svm' is given 'cost' twice\\.$")
  # One of them would be forgotten.
  expect_refused(
    ask(list(svm = list(gamma = 2)), cost = 3),
    "already has a list of arguments, with 'gamma'; put 'cost'"
  )
  # Directly: the call is not to be made again by its own error.
  refused <- expect_error(
    pwc(Species ~ ., iris, "svm", cost = "a"), "^cost must be a number above 0, got 'a'\\.$",
    class = "pwcstats_error"
  )
  expect_identical(conditionCall(refused), quote(pwc(Species ~ ., iris, "svm", cost = "a")))
  expect_refused(ask("svm", kernel = "precomputed"), "^kernel must be one of 'linear'")
  expect_refused(ask("svm", gamma = "scale"), "^gamma must be a number above 0")
  expect_refused(ask("svm", cost = NA), "^cost must not be NA\\.$")
  expect_refused(ask("svm", cost = NULL), "^cost must be a number above 0, got NULL\\.$")
  expect_refused(ask("svm", cost = 1:2), "^cost must be a number above 0, got c\\(1, 2\\)\\.$")
  expect_refused(ask("svm", degree = 1.5), "^degree must be a whole number of at least 1, got 1.5")
  expect_refused(ask("qda", reg_param = 2), "^reg_param must be a number between 0 and 1, got 2")
  expect_refused(ask("knn", k = 0), "^k must be a whole number of at least 1")
  expect_refused(ask("biased_knn", k = 1.5), "^k must be a whole number of at least 1, got 1.5")
  expect_refused(ask("biased_knn", bias = "auto"), "^bias must be a number, got 'auto'")
  expect_refused(ask("biased_knn", k = 200), "^biased_knn failed on the pair .*k must be below")
  expect_refused(ask("logistic", cost = -1), "^cost must be a number above 0")
  expect_refused(ask("tree", minsplit = 1), "^minsplit must be a whole number of at least 2")
  expect_refused(ask("tree", maxdepth = 1.5), "^maxdepth must be a whole number")
  expect_refused(ask("knn", k = 200), "^knn failed on the pair setosa/versicolor")
})

test_that("priors and weights of classes are refused where they are not the classes'", {
  skip_without_python()
  expect_refused(ask("lda", prior = c(0.5, 0.5)), "^prior must be 3 probabilities .* got 0.5, 0.5")
  expect_refused(ask("nb", prior = c(0.5, 0.5, 0.5)), "^prior must be 3 probabilities")
  expect_refused(ask("qda", prior = "equal"), "^prior must be probabilities of all classes")
  expect_refused(ask("qda", prior = c(1.5, -0.5, 0)), "^prior must be probabilities of all classes")
  # In the order of the alphabet, where the levels have another: names are not to be ignored.
  named <- c(setosa = 0.6, versicolor = 0.3, virginica = 0.1)
  expect_refused(ask("lda", prior = named), "levels, virginica, versicolor, setosa, got setosa")
  right <- ask("lda", prior = rev(named))
  expect_identical(
    predict(right, type = "pairs"), predict(ask("lda", prior = unname(rev(named))), type = "pairs")
  )
  words <- "^class.weights must be positive numbers named by class, or \"inverse\"\\.$"
  odd <- list(1:3, c(setosa = -1), c(setosa = NA), "balanced", list(setosa = 1))
  odd <- c(odd, list(c(setosa = 1, setosa = 2)))
  for (weights in odd) {
    expect_refused(ask("svm", class.weights = weights), words)
  }
  expect_refused(ask("svm", class.weights = c(rose = 2)), "has 'rose', which is not a class")
})

test_that("options are refused in a sentence", {
  skip_without_python()
  expect_refused(ask("lda", coupling = "zz"), "^coupling must be one of .*'wlw2'")
  expect_refused(ask("lda", pair_weights = NULL), "^pair_weights must be one of 'counts', 'equal'")
  expect_refused(ask("lda", threshold = NULL), "^threshold must be one of 'none'")
  expect_refused(ask("lda", calibration = TRUE), "^calibration must be one of 'auto'")
  expect_refused(ask("lda", calibration_cv = 1), "^calibration_cv must be a whole number .* got 1")
  expect_refused(ask("lda", selection_cv = NA), "^selection_cv must be a whole number .* got NA")
  expect_refused(ask("lda", seed = -1), "^seed must be a whole number of at least 0")
  expect_refused(ask("lda", verbose = 2), "^verbose must be TRUE or FALSE")
  expect_refused(ask("lda", scale = "yes"), "^scale must be TRUE or FALSE")
  expect_refused(ask("lda", n_jobs = 0), "^n_jobs must be a whole number other than 0")
  expect_refused(ask("lda", n_jobs = "all"), "^n_jobs must be a whole number")
  expect_refused(ask("lda", scoring = c("accuracy", "f1")), "^scoring must be the name of a score")
  expect_refused(ask(c("lda", "nb"), scoring = "acuracy"), "^there is no score 'acuracy'; .{,120}$")
  for (odd in list("zz", TRUE, NULL, c(1, 2), NA_character_)) {
    expect_refused(ask("lda", error_score = odd), "^error_score must be 'raise'")
  }
  # As R users write it.
  expect_refused(ask("svm", calibration = "none"), "calibration = 'none' leaves decision values")
})

test_that("weights are refused by learners that have none", {
  skip_without_python()
  for (name in c("lda", "qda", "knn", "biased_knn")) {
    expect_refused(
      ask(name, weights = rep(1:2, 75)), sprintf("^the learner '%s' takes no weights; leave", name)
    )
    # 0 leaves rows out, for which nobody needs weights.
    part <- ask(name, weights = rep(0:1, 75))
    rows <- seq(2, 150, 2)
    whole <- pwc(Species ~ ., backwards[rows, ], name)
    expect_equal(
      predict(part, backwards, type = "pairs"), predict(whole, backwards, type = "pairs"),
      tolerance = EXACT
    )
  }
  expect_refused(ask(c("nb", "lda"), weights = rep(1:2, 75)), "'lda' takes no weights")
  # The message names all others.
  others <- setdiff(names(known_learners), c("lda", "qda", "knn", "biased_knn"))
  expect_refused(
    ask("lda", weights = rep(1:2, 75)),
    sprintf("takes them: %s, or fit\\(x, y, weights\\) of R\\.$", quoted(others))
  )
  expect_refused(ask(list(mine = shares), weights = rep(1:2, 75)), "'mine' takes no weights")
})

test_that("columns are scaled by the rows that count", {
  skip_without_python()
  w <- rep(0:1, 75)
  part <- ask("svm", weights = w)
  whole <- pwc(Species ~ ., backwards[w > 0, ], "svm")
  expect_equal(part$center, whole$center)
  expect_equal(part$scale, whole$scale)
  expect_equal(
    predict(part, backwards, type = "prob"), predict(whole, backwards, type = "prob"),
    tolerance = EXACT
  )
  columns <- pwc(x = backwards[1:4], y = backwards$Species, learners = "svm", weights = w)
  expect_equal(columns$scale, whole$scale)
})

test_that("estimators of Python are learners, alone, in pipelines and beside others", {
  skip_without_python()
  skip_without_package("MASS")
  forest <- reticulate::import("sklearn.ensemble")$RandomForestClassifier(5L, random_state = 1L)
  fit <- ask(forest)
  expect_identical(fit$learners, "randomforestclassifier")
  expect_gt(mean(predict(fit) == backwards$Species), 0.95)
  bayes <- reticulate::import("sklearn.naive_bayes")$GaussianNB()
  scaler <- reticulate::import("sklearn.preprocessing")$StandardScaler()
  pipeline <- reticulate::import("sklearn.pipeline")$make_pipeline(scaler, bayes)
  # Naive Bayes does not mind the scale.
  expect_equal(
    predict(ask(pipeline), type = "pairs"), predict(ask("nb"), type = "pairs"),
    tolerance = 1e-6
  )
  mine <- list(
    fit = function(x, y) MASS::lda(x, y), prob = function(model, x) predict(model, x)$posterior
  )
  all <- ask(list("nb", forest = forest, mine = mine))
  expect_identical(all$learners, c("nb", "forest", "mine"))
  expect_identical(all$pairs$learner, c("mine", "nb", "nb"))
  expect_identical(all$pairs$cv_score_mine, ask(c("lda", "nb"))$pairs$cv_score_lda)
  expect_refused(ask(list("nb", forest, mine), n_jobs = 2), "'r-learner' runs in this R")
  kind <- reticulate::import("sklearn.ensemble")$RandomForestClassifier
  expect_refused(ask(kind), "is the class RandomForestClassifier; give an instance")
  tree <- reticulate::import("sklearn.tree")$DecisionTreeRegressor()
  expect_refused(ask(tree), "neither probabilities nor decision values")
  # As after a workspace was loaded.
  gone <- unserialize(serialize(bayes, NULL))
  expect_refused(ask(list(gone)), "after its session has ended; create it again")
})

test_that("an estimator without weights is said to leave them out", {
  skip_without_python()
  near <- reticulate::import("sklearn.neighbors")$KNeighborsClassifier()
  expect_warning(
    ask(list(near = near), weights = rep(1:2, 75)), "^near .* ignore the weights",
    class = "pwcstats_warning"
  )
})

test_that("too many neighbours are told as k", {
  skip_without_python()
  for (learner in c("knn", "biased_knn")) {
    expect_refused(
      pwc(Species ~ ., iris, learner, k = 500), "k must be .* number of .*rows, 100.* got 500\\."
    )
  }
})
