# Mean ranks and adjusted p-values, against R's own.

# Both sides compute closed forms in double precision.
exactly <- 1e-10
# The studentised range is integrated numerically; this is the accuracy of ptukey().
by_quadrature <- 1e-8

test_that("Friedman's test is friedman.test(), with ties and without", {
  skip_without_python()
  for (scores in list(many, many_tied, many_tied[1:4, 1:3])) {
    found <- friedman_ranks(scores)
    peer <- friedman.test(scores)
    expect_equal(found$statistic, peer$statistic, tolerance = exactly)
    expect_equal(found$parameter, peer$parameter)
    expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    expect_equal(found$ranks, colMeans(t(apply(-scores, 1, rank))))
    f <- friedman_ranks(scores, "F")
    n <- nrow(scores)
    k <- ncol(scores)
    chi2 <- peer$statistic[[1]]
    expect_equal(f$statistic, c(F = (n - 1) * chi2 / (n * (k - 1) - chi2)), tolerance = exactly)
    expect_equal(f$parameter, c("num df" = k - 1, "denom df" = (k - 1) * (n - 1)))
    p <- pf(f$statistic[[1]], k - 1, (k - 1) * (n - 1), lower.tail = FALSE)
    expect_equal(f$p.value, p, tolerance = exactly)
  }
  expect_identical(friedman_ranks(many)$data.name, "many")
  turned <- friedman_ranks(many, higher_is_better = FALSE)
  expect_equal(turned$ranks, 6 - friedman_ranks(many)$ranks)
  expect_output(print(turned), "Friedman chi-squared = [0-9.]+, df = 4, p-value")
  alike <- friedman_ranks(cbind(a = 1:3, b = 2:4), "F")
  expect_equal(alike$p.value, 1 / 4)
  expect_output(print(alike), "F = Inf, num df = 1, denom df = 2.*note: all data sets rank")
})

test_that("scores may be a matrix, a data frame, a tibble or tidy", {
  skip_without_python()
  found <- friedman_ranks(many)
  same <- c("statistic", "p.value", "ranks")
  expect_equal(friedman_ranks(as.data.frame(many))[same], found[same])
  expect_equal(friedman_ranks(tidy_scores(many, 2))[same], found[same])
  named <- data.frame(dataset = rownames(many), many)
  expect_equal(friedman_ranks(named)[same], found[same])
  skip_without_package("tibble")
  expect_equal(friedman_ranks(tibble::as_tibble(named))[same], found[same])
  # Columns without names are numbered.
  expect_named(friedman_ranks(unname(many))$ranks, as.character(1:5))
})

test_that("Nemenyi's p-values are those of the studentised range", {
  skip_without_python()
  found <- nemenyi(many, conf.level = 0.9)
  se <- sqrt(5 * 6 / (6 * 12))
  pairs <- found$pairs
  expect_identical(nrow(pairs), 10L)
  ranks <- friedman_ranks(many)$ranks
  expect_equal(found$ranks, ranks)
  expect_equal(pairs$estimate, without_names(ranks[pairs$method_b] - ranks[pairs$method_a]))
  expect_true(all(pairs$estimate >= 0))
  expect_equal(pairs$statistic, pairs$estimate / se, tolerance = exactly)
  p <- ptukey(sqrt(2) * abs(pairs$statistic), 5, Inf, lower.tail = FALSE)
  expect_lt(max(abs(pairs$p_value - p)), by_quadrature)
  expect_identical(pairs$p_adjusted, pairs$p_value)
  critical <- qtukey(0.9, 5, Inf) / sqrt(2) * se
  # qtukey() iterates until steps are below 1e-4.
  expect_equal(found$critical_difference, critical, tolerance = 1e-4)
  reached <- ptukey(found$critical_difference * sqrt(2) / se, 5, Inf)
  expect_equal(reached, 0.9, tolerance = by_quadrature)
  expect_equal(pairs$conf_low, pairs$estimate - found$critical_difference)
  expect_equal(pairs$conf_high, pairs$estimate + found$critical_difference)
})

test_that("tests of mean ranks are z-tests with adjusted p-values", {
  skip_without_python()
  all <- rank_tests(many)
  z <- abs(all$pairs$statistic)
  expect_equal(all$pairs$p_value, 2 * pnorm(-z), tolerance = exactly)
  expect_equal(all$pairs$p_adjusted, p.adjust(all$pairs$p_value, "holm"), tolerance = exactly)
  expect_null(all$critical_difference)
  against <- rank_tests(many, control = "svm", adjust = "bonferroni", conf.level = 0.9)
  expect_identical(unique(against$pairs$method_a), "svm")
  expect_setequal(against$pairs$method_b, c("lda", "gbm", "nb", "tree"))
  expect_equal(against$pairs$p_adjusted, pmin(1, 4 * against$pairs$p_value), tolerance = exactly)
  half <- qnorm(1 - 0.1 / 8) * sqrt(5 * 6 / (6 * 12))
  expect_equal(against$critical_difference, half, tolerance = exactly)
  expect_equal(rank_tests(many, adjust = "BH"), rank_tests(many, adjust = "fdr"))
  turned <- rank_tests(-many, control = "svm", higher_is_better = FALSE)
  expect_equal(turned$pairs, rank_tests(many, control = "svm")$pairs)
  numbered <- rank_tests(unname(many), control = 2)
  expect_identical(unique(numbered$pairs$method_a), "2")
})

test_that("tests of mean ranks print, and tidy() has broom's names", {
  skip_without_python()
  found <- nemenyi(many)
  expect_output(print(found), paste0(
    "Nemenyi's test of mean ranks: 5 methods on 12 data sets.*Mean ranks.*\n +gbm +svm.*",
    "Critical difference \\(level 0.05\\): [0-9.]+\n.*method_a method_b.*p_adjusted"
  ))
  expect_output(print(rank_tests(many, "nb")), "against nb \\(z, holm\\)")
  skip_without_package("generics")
  tidied <- generics::tidy(found)
  expect_named(tidied, c(
    "method.a", "method.b", "estimate", "conf.low", "conf.high", "statistic", "p.value",
    "adj.p.value"
  ))
  expect_equal(unname(tidied), unname(found$pairs))
})

test_that("p-values are adjusted as by p.adjust(), with names and NA", {
  skip_without_python()
  set.seed(22)
  p <- setNames(round(runif(12)^3, 3), letters[1:12])
  p[["c"]] <- p[["d"]]
  for (p in list(p, replace(p, c(2, 7), NA), p[1], p[c(3, 4, 4)], p[0])) {
    for (method in c("holm", "bonferroni", "hochberg", "hommel", "bh", "by", "none")) {
      peer <- p.adjust(p, if (method %in% c("bh", "by")) toupper(method) else method)
      expect_equal(adjust_p(p, method), peer, tolerance = exactly)
    }
  }
  p <- c(0.04, NA, 0.01)
  expect_identical(adjust_p(p, "none"), p)
  expect_equal(adjust_p(p), p.adjust(p), tolerance = exactly)
  expect_equal(adjust_p(p, "FDR"), p.adjust(p, "fdr"), tolerance = exactly)
})

test_that("Shaffer's factors are the numbers of hypotheses that can be true together", {
  skip_without_python()
  p <- c(0.001, 0.3, 0.010, 0.020, 0.6, 0.040)
  # With four methods 0, 1, 2, 3 or 6 pairs can be equal.
  expect_equal(adjust_p(p, "shaffer"), c(0.006, 0.6, 0.03, 0.06, 0.6, 0.12), tolerance = exactly)
  expect_refused(adjust_p(p[-1], "shaffer"), "all pairs")
})

test_that("scores that cannot be ranked are refused", {
  skip_without_python()
  error <- expect_refused(friedman_ranks(many[1, , drop = FALSE]), "2 data sets or more, got 1")
  expect_identical(conditionCall(error), quote(friedman_ranks(many[1, , drop = FALSE])))
  words <- "got NA for svm in row set-02; drop that row"
  expect_refused(nemenyi(replace(many, 14, NA)), words)
  expect_refused(nemenyi(unname(replace(many, 14, NA))), "got NA for 2 in row 2")
  expect_refused(friedman_ranks(many[, 1]), "^scores must be a matrix or data frame with a row")
  expect_refused(friedman_ranks(many[, 1, drop = FALSE]), "two methods or more")
  expect_refused(friedman_ranks("a"), "^scores must be a numeric")
  expect_refused(friedman_ranks(many[c(1, 1), ]), "got 'set-01' twice")
  expect_refused(friedman_ranks(many[, c(1, 1)]), "lda.* twice")
  one <- subset(tidy_scores(many), dataset == "set-01")
  expect_refused(friedman_ranks(one), "2 data sets or more, got 1 \\(set-01\\)")
  expect_refused(rank_tests(many, control = "z"), "^control must be one of the methods .* got 'z'")
  expect_refused(rank_tests(many, adjust = "zz"), "^adjust must be one of")
  expect_refused(rank_tests(many, conf.level = 5), "^conf.level must be")
  expect_refused(nemenyi(many, higher_is_better = NA), "^higher_is_better must be TRUE or FALSE")
  expect_refused(friedman_ranks(many, "zz"), "^statistic must be one of")
  expect_refused(adjust_p(c(0.1, 2)), "probabilities, got 2")
  expect_refused(adjust_p(0.1, "zz"), "^method must be one of 'holm'")
})
