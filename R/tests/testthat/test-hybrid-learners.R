# Learners of hybrid() and ordinal_hybrid(), compared with Python and with each other.

# Equal fits, except for the order of sums.
CLOSE <- 1e-6 # nolint

lda_of_r <- list(
  fit = function(x, y) MASS::lda(x, y, method = "mle"),
  prob = function(model, x) predict(model, x)$posterior
)

# The tree of "tree": no pruning (cp = 0 prunes), no surrogate splits.
rpart_of_r <- list(
  fit = function(x, y, weights = rep(1, nrow(x))) {
    rpart::rpart(
      y ~ ., data.frame(y = y, x),
      weights = weights, method = "class",
      control = rpart::rpart.control(
        minsplit = 20, minbucket = 7, cp = -1, xval = 0, maxsurrogate = 0, maxcompete = 0
      )
    )
  },
  prob = function(model, x) predict(model, data.frame(x))
)

one <- function(learners, ...) {
  hybrid(
    kind ~ Sepal.Length + Petal.Width, flowers,
    clusters = kept, threshold = 0.5, learners = learners, ...
  )
}

expect_same_fit <- function(a, b, tolerance = CLOSE) {
  for (type in c("distance", "prob")) {
    expect_equal(predict(a, type = type), predict(b, type = type), tolerance = tolerance)
  }
  expect_identical(predict(a), predict(b))
  expect_equal(coef(a), coef(b), tolerance = tolerance)
  expect_equal(vcov(a), vcov(b), tolerance = tolerance)
}

test_that("a learner by name is that of Python", {
  skip_without_python()
  pwcstats <- reticulate::import("pwcstats", convert = FALSE)
  discriminant <- reticulate::import("sklearn.discriminant_analysis", convert = FALSE)
  x <- reticulate::r_to_py(flowers[c("Sepal.Length", "Petal.Width")])
  y <- reticulate::r_to_py(as.character(flowers$kind))
  lda <- discriminant$LinearDiscriminantAnalysis()
  peer <- pwcstats$HybridClassifier(lda, threshold = 0.5, random_state = 1L)
  peer$fit(x, y, clusters = reticulate::r_to_py(as.character(flowers$kept)))
  numbers <- function(x) unname(as.matrix(reticulate::py_to_r(x)))
  for (learner in list("lda", lda)) {
    fit <- one(learner, scale = FALSE)
    expect_equal(
      unname(predict(fit, type = "distance")), numbers(peer$distances(x)),
      tolerance = CLOSE
    )
    expect_equal(
      unname(predict(fit, type = "prob")), numbers(peer$predict_proba(x)),
      tolerance = CLOSE
    )
    expect_equal(unname(t(coef(fit))), numbers(peer$integrator_$params), tolerance = CLOSE)
    expect_equal(unname(vcov(fit)), numbers(peer$integrator_$cov_params()), tolerance = CLOSE)
  }
  expect_identical(fit$learner, "lineardiscriminantanalysis")
  given <- from_python(peer)
  expect_identical(given$learner, "lineardiscriminantanalysis")
  expect_null(given$svm)
  expect_output(print(given), "2, learner lineardiscriminantanalysis; versicolor against a cluster")

  machines <- pwcstats$OrdinalHybridClassifier(
    lda, categories = c("low", "middle", "high"), random_state = 1L
  )
  known <- subset(air, !is.na(ozone))
  rows <- reticulate::r_to_py(known[c("Temp", "Wind")])
  machines$fit(rows, reticulate::r_to_py(as.character(known$ozone)))
  ordinal <- ordinal_hybrid(ozone ~ Temp + Wind, known, scale = FALSE, learners = "lda")
  expect_equal(
    unname(predict(ordinal, type = "prob")[, c("high", "low", "middle")]),
    numbers(machines$predict_proba(rows)),
    tolerance = CLOSE
  )
})

# Log odds of R learners are not divided by the length of coefficients, which is another one in each
# fold. Sepals overlap, so that no log odds reach their limit.
test_that("lda of MASS is the learner lda of Python", {
  skip_without_python()
  skip_without_package("MASS")
  ask <- function(learners) {
    hybrid(
      kind ~ Sepal.Length + Sepal.Width, flowers,
      clusters = kept, distance_cv = NULL, learners = learners
    )
  }
  ours <- ask("lda")
  theirs <- ask(lda_of_r)
  expect_equal(unname(theirs$norms), c(1, 1))
  distance <- predict(theirs, type = "distance")
  expect_equal(
    distance, sweep(predict(ours, type = "distance"), 2, ours$norms, "*"),
    tolerance = CLOSE
  )
  expect_equal(predict(theirs, type = "prob"), predict(ours, type = "prob"), tolerance = CLOSE)
  expect_identical(predict(theirs), predict(ours))
  expect_equal(
    coef(theirs)[, -1], sweep(coef(ours)[, -1], 2, ours$norms, "/"),
    tolerance = CLOSE
  )
  # MASS itself, without hybrid().
  part <- droplevels(subset(flowers, Species != "virginica"))
  peer <- predict(MASS::lda(Species ~ Sepal.Length + Sepal.Width, part, method = "mle"), flowers)
  expect_equal(
    plogis(unname(distance[, "d_setosa"])), unname(peer$posterior[, "versicolor"]),
    tolerance = CLOSE
  )
  ordinal <- function(learners) {
    ordinal_hybrid(ozone ~ Temp + Wind, air, distance_cv = NULL, learners = learners)
  }
  expect_equal(
    predict(ordinal(lda_of_r), type = "prob"), predict(ordinal("lda"), type = "prob"),
    tolerance = CLOSE
  )
})

test_that("a tree of rpart is the learner tree of Python, also with weights", {
  skip_without_python()
  skip_without_package("rpart")
  # No two splits are equally good.
  untied <- transform(
    flowers,
    a = Sepal.Length + sin(1.7 * seq_along(kind)) / 20,
    b = Sepal.Width + cos(2.3 * seq_along(kind)) / 20
  )
  for (w in list(rep(1, 150), rep(c(1, 2, 0), 50))) {
    ask <- function(learners) {
      hybrid(
        kind ~ a + b, untied,
        clusters = kept, threshold = 0.5, learners = learners, weights = w
      )
    }
    # Weights do not count for minsplit and minbucket.
    expect_same_fit(ask(list(rpart = rpart_of_r)), ask("tree"))
  }
  expect_identical(ask(list(rpart = rpart_of_r))$learner, "rpart")
})

test_that("every learner measures distances on the side of the positives", {
  skip_without_python()
  for (name in names(known_learners)) {
    fit <- one(name)
    distance <- predict(fit, type = "distance")[, "d_setosa"]
    side <- ifelse(flowers$Species == "versicolor", 1, -1)[flowers$Species != "virginica"]
    expect_gt(mean(sign(distance[flowers$Species != "virginica"]) == side), 0.9)
    expect_identical(fit$learner, name)
    expect_gt(mean(predict(ordinal_hybrid(ozone ~ Temp + Wind, air, learners = name)) ==
      air$ozone[!is.na(air$ozone)]), 0.6)
  }
})

test_that("arguments of learners are in a list or, if the function has them, in the call", {
  skip_without_python()
  expect_same_fit(one(list(svm = list(cost = 3))), one("svm", cost = 3))
  expect_identical(one(list(svm = list(kernel = "radial")))$svm$kernel, "radial")
  expect_same_fit(one(list(logistic = list(cost = 3))), one("logistic", cost = 3))
  expect_false(isTRUE(all.equal(
    predict(one("logistic"), type = "prob"), predict(one("logistic", cost = 9), type = "prob")
  )))
  expect_same_fit(
    one(list(stump = list("tree", maxdepth = 1))), one(list(tree = list(maxdepth = 1)))
  )
  expect_same_fit(
    hybrid(
      flowers[c("Sepal.Length", "Petal.Width")], flowers$kind,
      clusters = flowers$kept, threshold = 0.5, learners = "nb"
    ),
    one("nb")
  )
})

test_that("fits with another learner are described, updated and saved", {
  skip_without_python()
  fit <- one("nb")
  expect_null(fit$svm)
  expect_output(print(fit), "2, learner nb; versicolor against a cluster of other\n")
  expect_output(print(summary(fit)), "learner nb.*Norms: .*setosa +1")
  expect_identical(update(fit, learners = "svm")$svm$kernel, "linear")
  expect_identical(formula(fit), kind ~ Sepal.Length + Petal.Width, ignore_attr = TRUE)
  answer <- function(fit) list(predict(fit), predict(fit, type = "prob"))
  mine <- one(rpart_of_r)
  expect_identical(
    ask_elsewhere(mine, paste(deparse(answer), collapse = "\n") |> sprintf(fmt = "(%s)(fit)")),
    answer(mine)
  )
  skip_without_package("generics")
  glance <- generics::glance(fit)
  expect_identical(glance$learner, "nb")
  expect_identical(glance$kernel, NA_character_)
  expect_named(generics::tidy(fit)[1:2], c("y.level", "term"))
})

test_that("learners that machines cannot use are refused", {
  skip_without_python()
  refused <- function(learners, pattern, ...) expect_refused(one(learners, ...), pattern)
  refused("foo", "^there is no learner 'foo'; there are 'svm', 'lda'")
  refused(c("lda", "nb"), "^learners must be one learner, which all machines use, not 'lda', 'nb'")
  refused(
    list(lda = list(prior = c(0.5, 0.5))),
    "^prior of the learner 'lda' refers to classes, but the"
  )
  refused(
    list(svm = list(class.weights = "inverse")),
    "^class.weights of the learner 'svm' refers to classes, but the machines separate groups of"
  )
  refused("lda", "^kernel is an argument of support vector machines, not of the", kernel = "radial")
  refused(
    list(mine = rpart_of_r),
    "^cost is an argument of support vector machines, not of the learner 'mine'; leave it out\\.$",
    cost = 1
  )
  refused(
    list(svm = list(cost = 2)), "already has a list of arguments, with 'cost'; put 'gamma'",
    gamma = 1
  )
  refused(list(svm = list(cost = 0)), "^cost must be a number above 0")
  refused(list(knn = list(k = 0)), "^k must be")
  refused("lda", "^the learner 'lda' takes no weights; leave weights out", weights = rep(1:2, 75))
  refused(list(fit = function(x, y) stop("no luck"), prob = identity), "R learner .* no luck")
  expect_refused(
    ordinal_hybrid(ozone ~ Temp, air, learners = list(nb = list(prior = 1))),
    "^prior of the learner 'nb' refers to classes"
  )
})
