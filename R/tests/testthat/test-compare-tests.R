# Tests of two methods, against R's own.

# Both sides compute closed forms in double precision.
exactly <- 1e-10

test_that("the corrected t-test is R's with another standard error", {
  skip_without_python()
  for (side in sides) {
    found <- corrected_resampled_t(untied$a, untied$b, 0.2, side, conf.level = 0.9)
    peer <- t.test(untied$a, untied$b, paired = TRUE, alternative = side, conf.level = 0.9)
    wider <- sqrt((1 / 10 + 0.2 / 0.8) / (1 / 10))
    expect_s3_class(found, "htest")
    expect_equal(found$statistic, peer$statistic / wider, tolerance = exactly)
    expect_equal(found$parameter, peer$parameter)
    expect_equal(found$stderr, peer$stderr * wider, tolerance = exactly)
    expect_equal(found$estimate, peer$estimate, tolerance = exactly)
    expect_equal(found$null.value, peer$null.value)
    expect_identical(found$alternative, side)
    middle <- found$estimate[[1]]
    interval <- middle + wider * (peer$conf.int - middle)
    expect_equal(found$conf.int, interval, tolerance = exactly)
    p <- c(
      two.sided = 2 * pt(-abs(found$statistic[[1]]), 9), less = pt(found$statistic[[1]], 9),
      greater = pt(-found$statistic[[1]], 9)
    )
    expect_equal(found$p.value, p[[side]], tolerance = exactly)
  }
  expect_identical(found$data.name, "untied$a and untied$b")
})

test_that("matrices determine the test fraction, in any order of their scores", {
  skip_without_python()
  a <- split_matrix("lda")
  b <- split_matrix("qda")
  found <- corrected_resampled_t(a, b)
  flat <- corrected_resampled_t(c(a), c(b), test_fraction = 1 / 4)
  expect_equal(found[1:6], flat[1:6], tolerance = exactly)
  expect_match(found$method, "3 x 4-fold")
  frames <- corrected_resampled_t(as.data.frame(a), as.data.frame(b))
  expect_equal(frames$statistic, found$statistic)
})

test_that("the 5 x 2 cross-validation tests equal their formulas", {
  skip_without_python()
  a <- matrix(untied$a, 5, byrow = TRUE)
  b <- matrix(untied$b, 5, byrow = TRUE)
  d <- a - b
  s2 <- rowSums((d - rowMeans(d))^2)
  found <- cv5x2_t(a, b, "greater", conf.level = 0.8)
  t <- d[1, 1] / sqrt(mean(s2))
  expect_equal(found$statistic, c(t = t), tolerance = exactly)
  expect_equal(found$parameter, c(df = 5))
  expect_equal(found$p.value, pt(t, 5, lower.tail = FALSE), tolerance = exactly)
  low <- d[1, 1] - qt(0.8, 5) * sqrt(mean(s2))
  expect_equal(found$conf.int, structure(c(low, Inf), conf.level = 0.8), tolerance = exactly)
  expect_identical(names(found$estimate), "difference in the first fold")
  # Vectors are taken row by row.
  expect_equal(cv5x2_t(untied$a, untied$b, "greater")$statistic, found$statistic)

  found <- cv5x2_f(a, b, conf.level = 0.99)
  f <- sum(d^2) / (2 * sum(s2))
  expect_equal(found$statistic, c(F = f), tolerance = exactly)
  expect_equal(found$parameter, c("num df" = 10, "denom df" = 5))
  expect_equal(found$p.value, pf(f, 10, 5, lower.tail = FALSE), tolerance = exactly)
  expect_equal(found$estimate, c("mean difference" = mean(d)), tolerance = exactly)
  # At the bounds the test just does not reject.
  for (end in found$conf.int) {
    moved <- sum((d - end)^2) / (2 * sum(s2))
    expect_equal(pf(moved, 10, 5, lower.tail = FALSE), 0.01, tolerance = exactly)
  }
})

test_that("Wilcoxon's test is wilcox.test() without ties", {
  skip_without_python()
  for (side in sides) {
    found <- wilcoxon_pair(untied$a, untied$b, alternative = side, conf.level = 0.9)
    peer <- wilcox.test(
      untied$a, untied$b,
      paired = TRUE, alternative = side, conf.int = TRUE, conf.level = 0.9
    )
    expect_equal(found$statistic, peer$statistic)
    expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    # Ours does not keep the achieved level.
    expect_equal(without_names(found$conf.int), without_names(peer$conf.int), tolerance = exactly)
    expect_equal(found$estimate, peer$estimate, tolerance = exactly)
    expect_equal(found$null.value, peer$null.value)
    expect_identical(attr(found$conf.int, "conf.level"), 0.9)
    for (correct in c(TRUE, FALSE)) {
      options <- list(untied$a, untied$b, correct = correct, alternative = side)
      found <- do.call(wilcoxon_pair, c(options, method = "asymptotic"))
      peer <- do.call(wilcox.test, c(options, paired = TRUE, exact = FALSE))
      expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    }
  }
  expect_identical(found$notes, character())
})

test_that("Wilcoxon's test with ties is wilcox.test() in large samples", {
  skip_without_python()
  for (side in sides) {
    for (correct in c(TRUE, FALSE)) {
      options <- list(tied$a, tied$b, correct = correct, alternative = side)
      found <- do.call(wilcoxon_pair, c(options, method = "asymptotic"))
      peer <- do.call(wilcox.test, c(options, paired = TRUE, exact = FALSE))
      expect_equal(found$statistic, peer$statistic)
      expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    }
  }
  expect_match(found$notes, "2 of 11 differences are 0", all = FALSE)
  expect_match(found$notes, "equal size", all = FALSE)
})

test_that("Wilcoxon's test with ties is exact, as in exactRankTests and coin", {
  skip_without_python()
  skip_without_package("exactRankTests")
  skip_without_package("coin")
  for (side in sides) {
    found <- wilcoxon_pair(tied$a, tied$b, alternative = side)
    peer <- exactRankTests::wilcox.exact(tied$a, tied$b, paired = TRUE, alternative = side)
    expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    peer <- coin::wilcoxsign_test(
      a ~ b, tied,
      distribution = "exact", zero.method = "Wilcoxon", alternative = side
    )
    expect_equal(found$p.value, without_names(coin::pvalue(peer)), tolerance = exactly)
    found <- wilcoxon_pair(tied$a, tied$b, "pratt", alternative = side)
    peer <- coin::wilcoxsign_test(
      a ~ b, tied,
      distribution = "exact", zero.method = "Pratt", alternative = side
    )
    expect_equal(found$p.value, without_names(coin::pvalue(peer)), tolerance = exactly)
    found <- wilcoxon_pair(tied$a, tied$b, "pratt", "asymptotic", FALSE, side)
    peer <- coin::wilcoxsign_test(a ~ b, tied, zero.method = "Pratt", alternative = side)
    expect_equal(found$p.value, without_names(coin::pvalue(peer)), tolerance = exactly)
  }
})

test_that("differences that are equal up to rounding are tied", {
  skip_without_python()
  found <- wilcoxon_pair(c(0.9, 0.8, 0.5), c(0.8, 0.7, 0.6))
  expect_equal(found$statistic, c(V = 4))
  expect_match(found$notes, "equal size", all = FALSE)
})

test_that("the sign test is binom.test() of the signs", {
  skip_without_python()
  d <- tied$a - tied$b
  for (side in sides) {
    found <- sign_pair(tied$a, tied$b, side, conf.level = 0.9)
    peer <- binom.test(sum(d > 0), sum(d != 0), alternative = side)
    expect_equal(found$statistic, c(S = sum(d > 0)))
    expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    expect_equal(found$estimate, c("median difference" = median(d)))
  }
  # With 11 differences the third from either end, as pbinom(2, 11, 1 / 2) is below 5 %.
  found <- sign_pair(tied$a, tied$b, conf.level = 0.9)
  expect_equal(without_names(found$conf.int), sort(d)[c(3, 9)])
})

test_that("vectors with common names are matched by name", {
  skip_without_python()
  a <- setNames(untied$a, letters[1:10])
  b <- setNames(untied$b, letters[1:10])
  found <- wilcoxon_pair(a, b[10:1])
  expect_equal(found$p.value, wilcoxon_pair(untied$a, untied$b)$p.value)
  # Names without overlap are ignored.
  expect_equal(wilcoxon_pair(a, setNames(b, LETTERS[1:10]))$p.value, found$p.value)
  expect_refused(wilcoxon_pair(a, b[-1]), "\\(a\\) are in one of them only")
})

test_that("results print like other tests, with their notes", {
  skip_without_python()
  expect_output(print(wilcoxon_pair(tied$a, tied$b)), paste0(
    "Wilcoxon signed-rank test, exact\n\ndata:  tied\\$a and tied\\$b\nV = [0-9.]+, p-value = .*\n",
    "alternative hypothesis: true location shift is not equal to 0\n95 percent confidence.*",
    "\\(pseudo\\)median.*\nnote: 2 of 11 differences are 0 .*\nnote: some differences"
  ))
  found <- corrected_resampled_t(untied$a, untied$b, 0.1, "less", 0.9)
  expect_output(print(found), paste0(
    "Corrected resampled t-test.*\nt = [-0-9.]+, df = 9, p-value = [0-9.]+\n",
    "alternative hypothesis: true mean difference is less than 0\n",
    "90 percent confidence interval:\n +-Inf"
  ))
  expect_false(any(grepl("note", capture.output(print(found)))))
  expect_output(print(cv5x2_f(untied$a, untied$b)), "F = [0-9.]+, num df = 10, denom df = 5")
  expect_output(print(cv5x2_t(untied$a, untied$b)), "t = [-0-9.]+, df = 5")
  expect_output(print(sign_pair(tied$a, tied$b)), "S = [0-9]+, p-value.*median difference")
})

test_that("equal scores have no difference, and few pairs have no interval", {
  skip_without_python()
  found <- corrected_resampled_t(untied$a, untied$a, 0.1)
  expect_identical(found$p.value, 1)
  expect_match(found$notes, "^all differences are 0")
  found <- wilcoxon_pair(1:3, c(0, 0, 0))
  expect_equal(without_names(found$conf.int), c(-Inf, Inf))
  expect_match(found$notes, "too few", all = FALSE)
})

test_that("scores that do not match are refused in R's terms", {
  skip_without_python()
  a <- untied$a
  b <- untied$b
  error <- expect_refused(wilcoxon_pair(a, b[-1]), "^a and b must pair up, got 10 .* and 9 in b;")
  expect_identical(conditionCall(error), quote(wilcoxon_pair(a, b[-1])))
  expect_refused(sign_pair(replace(a, 3, NA), b), "^a must hold finite.* got NA in position 3;")
  expect_refused(cv5x2_t(a, replace(b, 10, Inf)), "^b must hold finite.* got Inf in position 10;")
  holed <- replace(split_matrix("lda"), 8, NaN)
  words <- "^b must hold .* got NaN in row 2 and column 3;"
  expect_refused(corrected_resampled_t(split_matrix("qda"), holed), words)
  words <- "all 10 differences are 0.125.* use sign_pair\\(\\) or wilcoxon_pair\\(\\)|sign test"
  expect_refused(corrected_resampled_t(1:10, 1:10 - 0.125, 0.1), words)
  expect_refused(cv5x2_f(1:10, 1:10 - 0.125), words)
  expect_refused(corrected_resampled_t(a, b), "^test_fraction must say")
  expect_refused(corrected_resampled_t(a, b, 10), "^test_fraction must be .* 0 and 1, .* got 10")
  expect_refused(corrected_resampled_t(1, 2, 0.1), "needs at least 2 pairs")
  expect_refused(cv5x2_f(1:8, 8:1), "5 x 2 tables")
  expect_refused(wilcoxon_pair(split_matrix("qda"), split_matrix("lda")), "got 3 x 4")
  expect_refused(sign_pair("a", b), "^a must be a numeric vector.*not character")
  expect_refused(cv5x2_f(a, b, conf.level = 95), "^conf.level must be a number between")
  expect_refused(sign_pair(a, b, "two-sided"), "^alternative must be one of 'two.sided'")
  expect_refused(wilcoxon_pair(a, b, "zz"), "^zeros must be one of")
  expect_refused(wilcoxon_pair(a, b, method = "zz"), "^method must be one of")
  expect_refused(wilcoxon_pair(a, b, correct = NA), "^correct must be TRUE or FALSE")
})

test_that("a p-value equal to the level is significant despite rounding", {
  expect_false(1 - 0.9 == 0.1)
  expect_identical(alpha_of(c(0.9, 0.95, 0.99, 0.999, 0.9999)), c(0.1, 0.05, 0.01, 0.001, 0.0001))
})
