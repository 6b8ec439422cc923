# Diagrams of rank tests equal those of comparisons.

test_that("the diagram is that of compare_methods", {
  skip_without_python()
  found <- nemenyi(many)
  drawn <- record_drawing(function() plot(found))
  same <- compare_methods(many, test = "nemenyi")
  expected <- record_drawing(function() plot(same))
  expect_equal(drawn$result, expected$result)
  expect_equal(drawn$text, expected$text)
  expect_equal(drawn$segments, expected$segments)
  expect_equal(drawn$points, expected$points)
  expect_identical(found$cliques, same$cliques)
  page <- draw(function() plot(found))$page
  expect_written(sprintf("critical difference = %.2f", found$critical_difference), page)
})

test_that("groups and letters are those of adjusted p-values", {
  skip_without_python()
  for (adjust in c("holm", "bonferroni")) {
    found <- rank_tests(many, adjust = adjust)
    # They differ from the unadjusted ones.
    expect_true(any(found$pairs$p_value <= 0.05 & found$pairs$p_adjusted > 0.05))
    same <- compare_methods(many, test = "mean_ranks", adjust = adjust)
    expect_identical(found$cliques, same$cliques)
    letters <- stats::setNames(same$table$letters, rownames(same$table))
    expect_identical(found$letters, letters[names(found$letters)])
  }
  page <- draw(function() plot(rank_tests(many, conf.level = 0.9)))$page
  expect_written("bars join methods that do not differ \\(mean ranks, holm, 0.1\\)", page)
})

test_that("intervals are of all pairs, or with the control", {
  skip_without_python()
  found <- nemenyi(many)
  drawn <- record_drawing(function() plot(found, "intervals"))
  expect_identical(drawn$result$conf_low, found$pairs$conf_low)
  expect_identical(drawn$result$significant, found$pairs$p_adjusted <= 0.05)
  expect_equal(drawn$points$x, found$pairs$estimate)
  # Vermilion if significant, as in Python.
  expect_identical(
    drawn$points$col, ifelse(drawn$result$significant, palette_colors[[2]], "gray40")
  )
  against <- rank_tests(many, control = "svm")
  expect_null(against$cliques)
  drawn <- record_drawing(function() plot(against))
  expect_identical(drawn$names$label, against$pairs$method_b)
  expect_written("svm \\(control\\)", draw(function() plot(against))$page)
  expect_refused(plot(against, "cd"), "not comparisons with svm; .* out of rank_tests\\(\\)")
  expect_refused(plot(found, "zz"), "^type must be one of")
})
