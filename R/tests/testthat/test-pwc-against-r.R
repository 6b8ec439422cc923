# pwc() with support vector machines, compared with svm() in e1071.

# Both stop at a tolerance of 1e-10 in the gradient; decision values are of the order of 1.
MACHINE <- 1e-8 # nolint
# LIBSVM stops its coupling when the gradient is below 0.005 / K; differences were at most 0.0016.
LIBSVM_COUPLING <- 4e-3 # nolint
# Sigmoids depend on random folds. Two seeds of e1071 agree with each other on 98.6 % to 100 % of
# the rows, and with ours on as many.
AGREEMENT <- 0.97 # nolint
# Two seeds of e1071 differ by at most 0.010 on average, and so do ours.
MEAN_DIFFERENCE <- 0.02 # nolint

expect_same_machines <- function(rows, ..., arguments = list(...), peer = arguments) {
  fit <- do.call(pwc, c(
    list(x = rows$x, y = rows$y, learners = "svm", tolerance = 1e-10, calibration = "none"),
    list(coupling = "vote"), arguments
  ))
  theirs <- do.call(peer_svm, c(list(rows), peer))
  ours <- predict(fit, type = "decision")
  expect_identical(colnames(ours), pair_names(levels(rows$y)))
  expect_equal(ours, in_order(theirs$decisions, colnames(ours)), tolerance = MACHINE)
  invisible(list(fit = fit, peer = theirs))
}

single_winner <- function(votes) {
  rowSums(votes == apply(votes, 1, max)) == 1
}

test_that("decision values and votes are those of e1071", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("mlbench")
  for (name in c("Glass", "Vehicle", "Vowel")) {
    rows <- bench_rows(name)
    # Neither alphabetical order nor the order of first appearance.
    expect_true(is.unsorted(levels(rows$y)))
    both <- expect_same_machines(rows, cost = 10, gamma = 0.05)
    expect_false(identical(both$peer$labels, levels(rows$y)))
    votes <- predict(both$fit, type = "votes")
    k <- nlevels(rows$y)
    expect_identical(unique(round(rowSums(votes), 6)), k * (k - 1) / 2)
    # If classes are equal, e1071 takes the one that appeared first.
    clear <- single_winner(votes)
    expect_gt(mean(clear), 0.99)
    most <- colnames(votes)[max.col(votes, "first")]
    expect_identical(most[clear], as.character(both$peer$class)[clear])
    expect_identical(as.character(predict(both$fit))[clear], most[clear])
  }
})

test_that("kernels and their defaults are those of e1071", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("mlbench")
  rows <- bench_rows("Glass")
  expect_same_machines(rows)
  expect_same_machines(rows, kernel = "linear", cost = 0.3)
  expect_same_machines(rows, kernel = "polynomial")
  expect_same_machines(rows, kernel = "polynomial", degree = 2, coef0 = 1, gamma = 0.2)
  expect_same_machines(rows, kernel = "sigmoid", gamma = 0.01, coef0 = 0.5)
  expect_same_machines(rows, scale = FALSE)
})

test_that("new rows are scaled like those of the fit", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("mlbench")
  rows <- bench_rows("Vehicle")
  half <- seq_len(nrow(rows$x)) %% 2 == 0
  old <- list(x = rows$x[half, ], y = rows$y[half])
  fit <- pwc(x = old$x, y = old$y, learners = "svm", tolerance = 1e-10, seed = 1)
  peer <- peer_svm(old)
  new <- predict(peer$model, rows$x[!half, ], decision.values = TRUE)
  ours <- predict(fit, rows$x[!half, ], type = "decision")
  expect_equal(
    ours, in_order(attr(new, "decision.values"), colnames(ours)),
    tolerance = MACHINE
  )
})

test_that("a formula gives the machines of e1071's formula", {
  skip_without_python()
  skip_without_package("e1071")
  fit <- pwc(Species ~ Sepal.Length * Petal.Width, backwards, "svm", tolerance = 1e-10)
  peer <- e1071::svm(Species ~ Sepal.Length * Petal.Width, backwards, tolerance = 1e-10)
  theirs <- attr(predict(peer, backwards, decision.values = TRUE), "decision.values")
  ours <- predict(fit, type = "decision")
  expect_equal(ours, in_order(theirs, colnames(ours)), tolerance = MACHINE)
})

test_that("weights of classes are those of e1071", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("mlbench")
  rows <- bench_rows("Glass")
  weights <- c("7" = 5, "1" = 0.5, "2" = 2, "3" = 3, "5" = 1.5, "6" = 4)
  named <- expect_same_machines(rows, class.weights = weights)
  # e1071 needs a weight for each class; ours is 1 by default.
  part <- expect_same_machines(
    rows,
    arguments = list(class.weights = weights[1:2]),
    peer = list(class.weights = replace(weights, 3:6, 1))
  )
  inverse <- expect_same_machines(rows, class.weights = "inverse")
  plain <- expect_same_machines(rows)
  seen <- lapply(list(named, part, inverse, plain), function(both) {
    predict(both$fit, type = "decision")
  })
  for (other in seen[-4]) {
    expect_gt(max(abs(other - seen[[4]])), 0.01)
  }
})

test_that("sigmoids of e1071 and couple() give its probabilities", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("mlbench")
  for (name in c("Glass", "Vehicle", "Vowel")) {
    rows <- bench_rows(name)
    peer <- peer_svm(rows, probability = TRUE)
    fit <- pwc(x = rows$x, y = rows$y, learners = "svm", tolerance = 1e-10, seed = 1)
    # Our decision values in its order, with its sigmoids.
    decisions <- in_order(predict(fit, type = "decision"), pair_names(peer$labels))
    a <- rep(peer$model$probA, each = nrow(decisions))
    b <- rep(peer$model$probB, each = nrow(decisions))
    r <- 1 / (1 + exp(a * decisions + b))
    theirs <- peer$proba[, peer$labels]
    coupled <- couple(r, condensed = TRUE)
    expect_identical(colnames(coupled), peer$labels)
    expect_lt(max(abs(coupled - theirs)), LIBSVM_COUPLING)
    # The difference is due to LIBSVM's stopping rule.
    few <- seq_len(40)
    stopped <- t(apply(r[few, ], 1, function(row) {
      libsvm_wlw2(uncondense(pmin(pmax(row, 1e-7), 1 - 1e-7)))
    }))
    expect_equal(stopped, theirs[few, ], tolerance = MACHINE, ignore_attr = TRUE)
  }
})

test_that("probabilities and classes are close to those of e1071", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("mlbench")
  for (name in c("Glass", "Vehicle", "Vowel")) {
    rows <- bench_rows(name)
    fit <- pwc(
      x = rows$x, y = rows$y, learners = "svm", tolerance = 1e-10, seed = 1,
      calibration = "sigmoid"
    )
    for (seed in 1:2) {
      peer <- peer_svm(rows, probability = TRUE, seed = seed)
      expect_gte(mean(predict(fit) == peer$class), AGREEMENT)
      proba <- predict(fit, type = "prob")
      expect_lt(mean(abs(proba - peer$proba[, colnames(proba)])), MEAN_DIFFERENCE)
    }
  }
})

test_that("the order of the levels changes names and signs, not the numbers", {
  skip_without_python()
  skip_without_package("mlbench")
  rows <- bench_rows("Glass")
  turned <- factor(rows$y, levels = rev(levels(rows$y)))
  ask <- function(y) pwc(x = rows$x, y = y, learners = "svm")
  fit <- ask(rows$y)
  other <- ask(turned)
  columns <- colnames(predict(fit, type = "decision"))
  expect_equal(
    in_order(predict(other, type = "decision"), columns), predict(fit, type = "decision"),
    tolerance = MACHINE
  )
  proba <- predict(fit, type = "prob")
  expect_equal(predict(other, type = "prob")[, colnames(proba)], proba, tolerance = MACHINE)
  expect_identical(as.character(predict(other)), as.character(predict(fit)))
  expect_equal(other$temperature, fit$temperature, tolerance = MACHINE)
  flat <- function(fit) fit$pairs[c("sigmoid_a", "sigmoid_b")] * rep(c(1, -1), each = 15)
  # Pairs in reverse order, each swapped.
  places <- match(
    pair_names(levels(rows$y)),
    paste0(other$pairs$class_j, "/", other$pairs$class_i)
  )
  expect_false(anyNA(places))
  expect_equal(
    fit$pairs[c("sigmoid_a", "sigmoid_b")], flat(other)[places, ],
    tolerance = MACHINE, ignore_attr = TRUE
  )
})
