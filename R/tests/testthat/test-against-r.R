# Other R packages, called live.

test_that("weighted ht is the Bradley-Terry model of BradleyTerry2", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  set.seed(8)
  k <- 6
  r <- random_r(k)
  upper <- which(upper.tri(r), arr.ind = TRUE)
  data <- data.frame(
    first = factor(upper[, 1], levels = 1:k),
    second = factor(upper[, 2], levels = 1:k),
    n = rexp(nrow(upper), 1 / 30)
  )
  data$wins <- data$n * r[upper]
  data$losses <- data$n - data$wins
  # It warns of fractional wins.
  model <- suppressWarnings(BradleyTerry2::BTm(
    cbind(wins, losses), first, second,
    data = data, epsilon = 1e-14, maxit = 100
  ))
  strength <- exp(BradleyTerry2::BTabilities(model)[, "ability"])
  n <- matrix(0, k, k)
  n[upper] <- data$n
  expect_equal(
    couple(r, "ht", n = n + t(n)), unname(strength / sum(strength)),
    tolerance = 1e-6
  )
})

# With LIBSVM's iteration the numbers equal those of e1071, which shows that the pairs and
# the sigmoids are read correctly; its distance from the exact solution is `libsvm_error`.
expect_same_as_e1071 <- function(x, y, libsvm_error) {
  set.seed(9)
  model <- e1071::svm(x, y, probability = TRUE)
  predicted <- predict(model, x, decision.values = TRUE, probability = TRUE)
  decisions <- attr(predicted, "decision.values")
  theirs <- attr(predicted, "probabilities")
  r <- 1 / (1 + exp(sweep(sweep(decisions, 2, model$probA, `*`), 2, model$probB, `+`)))
  ours <- couple(r, "wlw2", condensed = TRUE)
  expect_identical(rownames(ours), rownames(theirs))
  expect_identical(colnames(ours), levels(y)[model$labels])
  theirs <- theirs[, colnames(ours)]
  expect_lt(max(abs(ours - theirs)), libsvm_error)
  stopped <- t(apply(pmin(pmax(r, 1e-7), 1 - 1e-7), 1, function(row) libsvm_wlw2(uncondense(row))))
  expect_lt(max(abs(stopped - theirs)), 1e-10)
}

test_that("wlw2 gives the probabilities of e1071 for any order of its labels", {
  skip_without_python()
  skip_without_package("e1071")
  expect_same_as_e1071(as.matrix(iris[, 1:4]), iris$Species, 2e-3)
  for (order in list(150:1, c(51:150, 1:50))) {
    expect_same_as_e1071(as.matrix(iris[order, 1:4]), iris$Species[order], 4e-3)
  }
})

test_that("wlw2 gives the probabilities of e1071 for six classes", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("mlbench")
  glass <- new.env()
  utils::data("Glass", package = "mlbench", envir = glass)
  set.seed(11)
  rows <- sample(nrow(glass$Glass))
  expect_same_as_e1071(as.matrix(glass$Glass[rows, 1:9]), glass$Glass$Type[rows], 2e-3)
})

test_that("wlw2 and pkpd agree with kernlab for three classes, where kernlab is correct", {
  skip_without_python()
  skip_without_package("kernlab")
  set.seed(10)
  r <- matrix(runif(60, .05, .95), 20)
  for (method in c(wlw2 = "minpair", pkpd = "pkpd")) {
    ours <- couple(r, if (method == "minpair") "wlw2" else "pkpd", condensed = TRUE)
    expect_equal(ours, kernlab::couple(r, coupler = method), tolerance = 1e-6)
  }
})
