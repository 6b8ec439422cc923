# The best method at each point.

set.seed(27)
grid <- expand.grid(
  "repeat" = 1:8, method = c("lda", "qda", "nb"), rho = c(0.9, 0.1), shape = c("round", "flat")
)
better <- 0.05 * (grid$method == "qda") * (grid$rho > 0.5) + 0.04 * (grid$method == "lda")
grid$score <- rnorm(nrow(grid), 0.8 + better, 0.02)

test_that("the best method is tested against the second at each point", {
  skip_without_python()
  found <- winners(grid, by = c("rho", "shape"), test = "paired_t")
  expect_named(found, c(
    "rho", "shape", "best", "second", "best_score", "second_score", "difference", "p_value",
    "p_adjusted", "significant", "note"
  ))
  expect_identical(found$rho, c(0.9, 0.1, 0.9, 0.1))
  expect_identical(found$shape, factor(rep(c("round", "flat"), each = 2), c("round", "flat")))
  for (place in seq_len(4)) {
    part <- subset(grid, rho == found$rho[[place]] & shape == found$shape[[place]])
    means <- sort(tapply(part$score, part$method, mean), decreasing = TRUE)
    expect_identical(found$best[[place]], names(means)[[1]])
    expect_identical(found$second[[place]], names(means)[[2]])
    expect_equal(found$best_score[[place]], means[[1]])
    expect_equal(found$difference[[place]], means[[1]] - means[[2]])
    scores <- split(part$score, part$method)[names(means)]
    peer <- t.test(scores[[1]], scores[[2]], paired = TRUE)
    expect_equal(found$p_value[[place]], peer$p.value, tolerance = 1e-10)
  }
  expect_equal(found$p_adjusted, p.adjust(found$p_value, "holm"), tolerance = 1e-10)
  expect_identical(found$significant, found$p_adjusted <= 0.05)
})

test_that("by default the points are the data sets in their order", {
  skip_without_python()
  two <- rbind(cbind(splits, dataset = "b"), cbind(splits, dataset = "a"))
  found <- winners(two)
  expect_identical(found$dataset, c("b", "a"))
  single <- corrected_resampled_t(split_matrix("lda"), split_matrix("qda"))
  expect_equal(found$p_value, rep(single$p.value, 2), tolerance = 1e-10)
  numbered <- winners(transform(two, dataset = ifelse(dataset == "a", 100000, 2)))
  expect_identical(numbered$dataset, c(2, 100000))
  dated <- winners(transform(two, dataset = as.Date("2020-01-01") + (dataset == "a")))
  expect_identical(dated$dataset, as.Date("2020-01-01") + 0:1)
  counted <- winners(transform(two, run = ifelse(dataset == "a", 7L, 5L), dataset = NULL), "run")
  expect_identical(counted$run, c(5L, 7L))
  worst <- winners(two, higher_is_better = FALSE, adjust = "none", conf.level = 0.9999)
  expect_identical(worst$best, c("nb", "nb"))
  expect_identical(worst$p_adjusted, worst$p_value)
  skip_without_package("tibble")
  expect_equal(winners(tibble::as_tibble(two)), found)
})

test_that("differences without spread have no p-value", {
  skip_without_python()
  moved <- cbind(subset(splits, method != "nb"), dataset = "x")
  moved$score[13:24] <- moved$score[1:12] + 0.5
  found <- winners(moved)
  expect_identical(found$p_value, NA_real_)
  expect_identical(found$significant, FALSE)
})

test_that("wrong input is refused", {
  skip_without_python()
  error <- expect_refused(winners(splits), "^by must name columns of scores .* got dataset")
  expect_identical(conditionCall(error), quote(winners(splits)))
  expect_refused(winners(many), "^scores must be a data frame .* not double matrix")
  expect_refused(winners(grid, by = 1), "^by must name columns")
  expect_refused(winners(grid, by = character()), "^by must name columns")
  expect_refused(winners(transform(grid, rho = replace(rho, 1, NA)), "rho"), "^column rho must not")
  holed <- subset(grid, !(rho == 0.1 & shape == "flat" & method == "nb" & `repeat` == 3))
  words <- "^at rho 0.1, shape flat: .*repeat 3, method nb"
  expect_refused(winners(holed, c("rho", "shape"), "paired_t"), words)
  expect_refused(winners(grid, c("rho", "shape"), adjust = "shaffer"), "for all pairs")
  expect_refused(winners(grid, c("rho", "shape")), "give test_fraction")
  expect_refused(winners(grid, c("rho", "shape"), conf.level = 1), "^conf.level must be")
})
