# The data sets that ship with both packages.

test_that("the data sets have their documented shapes", {
  expect_identical(dim(arena), c(3000L, 5L))
  expect_identical(levels(arena$first), levels(arena$second))
  expect_identical(nlevels(arena$first), 12L)
  expect_identical(sort(unique(arena$winner)), c("first", "second", "tie"))
  expect_identical(range(table(arena$user)), c(1L, 94L))
  expect_identical(dim(battles), c(4000L, 7L))
  expect_identical(levels(battles$model_a), levels(battles$model_b))
  expect_s3_class(citations, "table")
  expect_identical(names(dimnames(citations)), c("cited", "citing"))
  expect_identical(names(classifier_scores), c("method", "dataset", "repeat", "fold", "score"))
  expect_identical(dim(classifier_scores), c(500L, 5L))
  methods <- c("lda", "bayes", "svm", "forest", "neighbours")
  expect_identical(levels(classifier_scores$method), methods)
  expect_identical(names(endometrial), c("NV", "PI", "EH", "HG"))
  expect_identical(with(endometrial, unique(HG[NV == 1])), 1L)
})

test_that("other packages have the same tables", {
  skip_without_package("BradleyTerry2")
  skip_without_package("brglm2")
  expect_equal(citations, BradleyTerry2::citations)
  expect_identical(endometrial, brglm2::endometrial)
})

test_that("the Python package has the same tables", {
  skip_without_python()
  load_set <- reticulate::import("pwcstats.datasets")$load
  for (name in setdiff(utils::data(package = "pwcstats")$results[, "Item"], "citations")) {
    ours <- get(name)
    theirs <- load_set(name)$frame
    expect_named(theirs, names(ours))
    for (column in names(ours)) {
      values <- ours[[column]]
      expected <- if (is.factor(values)) as.character(values) else values
      expect_equal(as.vector(theirs[[column]]), expected, tolerance = 0, info = paste(name, column))
    }
  }
  theirs <- load_set("citations")$frame
  expect_equal(as.matrix(theirs), unclass(citations), ignore_attr = "names")
})

test_that("models take the data sets", {
  skip_without_python()
  expect_named(which.max(coef(bt(citations, ref = NA))), "JRSS-B")
  fit <- bt(c(first = 1, tie = 0.5, second = 0)[winner], first, second,
    data = arena, ties = "davidson", order_effect = TRUE, cluster = user, ref = NA
  )
  expect_identical(rownames(rank_intervals(fit))[1:2], c("Maple", "Willow"))
  expect_identical(names(which(is.infinite(
    coef(detect_separation(HG ~ NV + PI + EH, endometrial))
  ))), "NV")
  expect_gt(sum(compare_methods(classifier_scores)$pairs$significant), 0)
})
