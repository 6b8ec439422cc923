# Plots of comparisons return their data and name every method.

twelve <- function() {
  set.seed(26)
  scores <- matrix(rnorm(360, rep(0.8 + 0.01 * 1:12, each = 30), 0.04), 30)
  dimnames(scores) <- list(sprintf("set-%02d", 1:30), sprintf("method-%02d", 1:12))
  scores
}

test_that("the diagram has all methods, their ranks and the critical difference", {
  skip_without_python()
  for (scores in list(many, twelve())) {
    found <- compare_methods(scores, test = "nemenyi")
    drawn <- draw(function() plot(found))
    expect_written(colnames(scores), drawn$page)
    expect_written(sprintf("critical difference = %.2f", found$critical_difference), drawn$page)
    table <- found$table[order(found$table$rank), ]
    expect_identical(drawn$result, table[c("rank", "letters")])
    expect_written(sprintf("%.2f", table$rank), drawn$page)
  }
})

test_that("without a critical difference the diagram names the test", {
  skip_without_python()
  page <- draw(function() plot(compare_methods(many)))$page
  expect_written("bars join methods that do not differ \\(wilcoxon, holm, 0.05\\)", page)
  apart <- sweep(many[, 1:3], 2, c(0, 5, 10), "+")
  page <- draw(function() plot(compare_methods(apart)))$page
  expect_written("all methods differ", page)
})

test_that("bars use the first free line", {
  expect_identical(stack_bars(c(1, 2, 4), c(3, 5, 6), 0.1), c(0, 1, 0))
  expect_identical(stack_bars(c(2, 1), c(5, 3), 0.1), c(1, 0))
  expect_identical(stack_bars(numeric(), numeric(), 0.1), numeric())
})

test_that("letters are added if bars are unclear", {
  scores <- list(
    cliques = list(c("a", "c"), c("b", "d")), critical_difference = NULL, test = "wilcoxon",
    adjust = "holm", conf.level = 0.95
  )
  expect_false(bars_of(scores, c(1, 2, 3, 4), letters[1:4])$unclear)
  bars <- bars_of(scores, c(1, 2, 2.001, 4), letters[1:4])
  expect_true(bars$unclear)
  expect_identical(bars$members, list(c(1L, 3L), c(2L, 4L)))
  expect_match(describe_bars(scores, bars), "^bars and shared letters .* \\(wilcoxon, holm, 0.05")
})

test_that("intervals are drawn for all pairs, or for those with the first method", {
  skip_without_python()
  found <- compare_methods(many)
  drawn <- draw(function() plot(found, type = "intervals"))
  pairs <- paste(found$pairs$method_a, "-", found$pairs$method_b)
  expect_written(pairs, drawn$page)
  expect_written("pseudomedian, simultaneous 95 % intervals", drawn$page)
  expect_identical(rownames(drawn$result), pairs)
  expect_identical(drawn$result$conf_low, found$pairs$conf_low)
  found <- compare_methods(twelve(), adjust = "none")
  drawn <- draw(function() plot(found, type = "intervals", main = "a title", xlim = c(-1, 1)))
  expect_identical(nrow(drawn$result), 11L)
  expect_written(c("11 of 66 pairs", "a title", rownames(found$table)), drawn$page)
  expect_false(grepl("simultaneous", drawn$page))
})

test_that("Python says what is estimated, and if intervals are simultaneous", {
  skip_without_python()
  estimate <- "difference of mean ranks, above 0 where the first method is better"
  expect_both <- function(found, intervals) {
    expect_identical(found$estimate_name, estimate)
    page <- draw(function() plot(found, type = "intervals"))$page
    expect_written(c(estimate, intervals), page)
    expect_identical(grepl("simultaneous", page), startsWith(intervals, "simultaneous"))
  }
  for (adjust in c("holm", "bh")) {
    intervals <- if (adjust == "holm") "simultaneous 95 % intervals" else "95 % intervals"
    expect_both(compare_methods(many, test = "mean_ranks", adjust = adjust), intervals)
    expect_both(rank_tests(many, adjust = adjust), intervals)
    # Nemenyi's intervals are simultaneous whatever the adjustment.
    nemenyis <- compare_methods(many, test = "nemenyi", adjust = adjust)
    expect_true(nemenyis$is_adjusted)
    expect_both(nemenyis, "simultaneous 95 % intervals")
  }
  expect_both(nemenyi(many), "simultaneous 95 % intervals")
  expect_identical(nemenyi(many)$test, "nemenyi")
  expect_identical(rank_tests(many)$test, "mean_ranks")
})

test_that("infinite intervals and pairs without a test are drawn", {
  skip_without_python()
  few <- compare_methods(many[1:4, 1:3], test = "wilcoxon")
  expect_true(all(is.infinite(few$pairs$conf_low)))
  expect_silent(draw(function() plot(few, "intervals")))
  moved <- subset(splits, method != "nb")
  moved$score[13:24] <- moved$score[1:12] + 0.5
  expect_written("no test", draw(function() plot(compare_methods(moved), "intervals"))$page)
})

test_that("comparisons with a control have intervals but no diagram", {
  skip_without_python()
  found <- compare_methods(many, control = "svm")
  drawn <- draw(function() plot(found))
  expect_identical(rownames(drawn$result), found$pairs$method_b)
  expect_written("svm \\(control\\)", drawn$page)
  expect_refused(plot(found, "cd"), "not comparisons with svm; use type = 'intervals'")
  expect_refused(plot(found, "zz"), "^type must be one of 'cd', 'intervals'")
})

test_that("plots restore the margins, and fit on half a page", {
  skip_without_python()
  found <- compare_methods(twelve())
  expect_silent(draw(function() {
    graphics::par(mfrow = c(2, 2))
    before <- graphics::par("mai")
    plot(found)
    plot(found, "intervals")
    expect_identical(graphics::par("mai"), before)
    graphics::par(mfrow = c(4, 4))
    expect_lt(max(graphics::par("mai")), max(before))
  }))
})
