# Comparisons of several methods: the table, the pairs, the best method.

# Both sides compute closed forms in double precision.
exactly <- 1e-10

test_that("pairs are those of the single tests, adjusted", {
  skip_without_python()
  found <- compare_methods(many, adjust = "bonferroni")
  expect_identical(found$test, "wilcoxon")
  expect_match(found$reason, "12 data sets")
  expect_identical(nrow(found$pairs), 10L)
  for (row in seq_len(10)) {
    pair <- found$pairs[row, ]
    a <- many[, pair$method_a]
    b <- many[, pair$method_b]
    single <- wilcoxon_pair(a, b, conf.level = 1 - 0.05 / 10)
    expect_equal(pair$p_value, single$p.value, tolerance = exactly)
    expect_equal(pair$statistic, single$statistic[[1]])
    expect_equal(pair$estimate, single$estimate[[1]], tolerance = exactly)
    expect_equal(c(pair$conf_low, pair$conf_high), without_names(single$conf.int))
    means <- colMeans(many)
    expect_equal(pair$mean_difference, means[[pair$method_a]] - means[[pair$method_b]])
  }
  expect_equal(found$pairs$p_adjusted, pmin(1, 10 * found$pairs$p_value), tolerance = exactly)
  expect_identical(found$pairs$significant, found$pairs$p_adjusted <= 0.05)
  holm <- compare_methods(many)
  expect_equal(holm$pairs$p_adjusted, p.adjust(holm$pairs$p_value, "holm"), tolerance = exactly)
})

test_that("the table has means, intervals and ranks, the best first", {
  skip_without_python()
  found <- compare_methods(many, conf.level = 0.9)
  table <- found$table
  expect_named(table, c("mean", "sd", "conf_low", "conf_high", "rank", "letters"))
  expect_setequal(rownames(table), colnames(many))
  expect_false(is.unsorted(table$rank))
  scores <- many[, rownames(table)]
  expect_equal(table$mean, without_names(colMeans(scores)))
  expect_equal(table$sd, without_names(apply(scores, 2, sd)))
  for (method in rownames(table)) {
    interval <- t.test(scores[, method], conf.level = 0.9)$conf.int
    bounds <- unlist(table[method, c("conf_low", "conf_high")])
    expect_equal(without_names(bounds), without_names(interval), tolerance = exactly)
  }
  expect_equal(table$rank, without_names(friedman_ranks(many)$ranks[rownames(table)]))
  expect_equal(found$omnibus, friedman_ranks(many, "F"))
  expect_equal(found$scores, many)
  turned <- compare_methods(-many, conf.level = 0.9, higher_is_better = FALSE)
  expect_equal(turned$table$letters, table$letters)
  expect_identical(rownames(turned$table), rownames(table))
})

test_that("letters are those of multcompView", {
  skip_without_python()
  skip_without_package("multcompView")
  groups <- function(letters) {
    held <- strsplit(gsub(" ", "", letters), "")
    each <- lapply(unique(unlist(held)), function(x) {
      sort(names(letters)[vapply(held, function(own) x %in% own, TRUE)])
    })
    each[order(vapply(each, paste, "", collapse = "/"))]
  }
  set.seed(24)
  for (spread in c(0, 0.01, 0.03)) {
    scores <- matrix(rnorm(150, rep(0.8 + spread * 1:6, each = 25), 0.05), 25)
    colnames(scores) <- letters[1:6]
    found <- compare_methods(scores, adjust = "none", rows = "datasets")
    p <- found$pairs$p_adjusted
    names(p) <- paste(found$pairs$method_a, found$pairs$method_b, sep = "-")
    peer <- multcompView::multcompLetters(p, threshold = 0.05)$Letters
    own <- setNames(found$table$letters, rownames(found$table))
    expect_identical(groups(own), groups(peer))
    listed <- lapply(found$cliques, sort)
    expect_setequal(listed, groups(peer))
  }
  # Some methods have several letters.
  expect_gt(max(nchar(own)), 1)
})

test_that("there is a best method or a best group", {
  skip_without_python()
  found <- compare_methods(many)
  expect_identical(found$best, "gbm")
  expect_identical(found$best_group, "gbm")
  expect_identical(found$verdict, "gbm is significantly better than every other method.")
  expect_output(print(found), paste0("\n", found$verdict, "\n"), fixed = TRUE)
  rest <- compare_methods(many[, -3])
  expect_null(rest$best)
  expect_setequal(rest$best_group, c("lda", "svm"))
  expect_true("best" %in% names(rest))
  expect_identical(rest$verdict, paste(
    "svm and lda are significantly better than tree and nb.",
    "The other differences are not significant."
  ))
  lines <- paste(strwrap(rest$verdict, exdent = 2L), collapse = "\n")
  expect_output(print(rest), paste0("\n", lines, "\n"), fixed = TRUE)
  expect_identical(compare_methods(many[, 1:2] * 0 + 0:1)$verdict, "No difference is significant.")
})

test_that("a control is compared with all others", {
  skip_without_python()
  found <- compare_methods(many, control = factor("svm"))
  expect_identical(unique(found$pairs$method_a), "svm")
  expect_identical(nrow(found$pairs), 4L)
  expect_identical(found$cliques, list())
  expect_identical(found$control, "svm")
  expect_identical(
    found$verdict,
    "gbm is significantly better than svm; tree and nb are significantly worse than svm."
  )
  expect_output(print(found), "\ngbm is significantly better than svm; tree and nb are\\s")
  expect_false(any(grepl("letters", capture.output(print(found)))))
})

test_that("mean ranks are compared for few data sets, and by Nemenyi's test on request", {
  skip_without_python()
  few <- compare_methods(many[1:5, ])
  expect_identical(few$test, "mean_ranks")
  peer <- rank_tests(many[1:5, ])
  p <- few$pairs$p_value[order(few$pairs$method_a, few$pairs$method_b)]
  expect_equal(p, peer$pairs$p_value[order(peer$pairs$method_a, peer$pairs$method_b)])
  found <- compare_methods(many, test = "nemenyi")
  expect_identical(found$adjust, "none")
  expect_equal(found$critical_difference, nemenyi(many)$critical_difference)
  expect_output(print(found), paste0(
    "Adjustment: by the test itself, critical difference [0-9.]+; level 0.05\n.*",
    "Pairs \\(estimate: difference of mean ranks, above 0 where the first\\s+method is better\\):"
  ))
  found["critical_difference"] <- list(NULL)
  expect_output(print(found), "Adjustment: by the test itself; level 0.05\n")
})

test_that("splits of one data set use the corrected test", {
  skip_without_python()
  found <- compare_methods(splits, adjust = "none")
  expect_identical(found$test, "corrected_resampled_t")
  expect_null(found$omnibus)
  expect_identical(rownames(found$table), c("lda", "qda", "nb"))
  single <- corrected_resampled_t(split_matrix("lda"), split_matrix("qda"))
  expect_equal(found$pairs$p_value[[1]], single$p.value, tolerance = exactly)
  bounds <- unlist(found$pairs[1, c("conf_low", "conf_high")])
  expect_equal(without_names(bounds), without_names(single$conf.int), tolerance = exactly)
  expect_identical(dim(found$scores), c(12L, 3L))
  expect_identical(rownames(found$scores)[[2]], "repeat 1, fold 2")
  expect_equal(found$scores[, "nb"], splits$score[splits$method == "nb"], ignore_attr = TRUE)
  sized <- compare_methods(cbind(splits, n_train = 70L, n_test = 30L), adjust = "none")
  single <- corrected_resampled_t(split_matrix("lda"), split_matrix("qda"), 0.3)
  expect_equal(sized$pairs$p_value[[1]], single$p.value, tolerance = exactly)
  shares <- compare_methods(splits, test_fraction = 0.3, adjust = "none")
  expect_equal(shares$pairs, sized$pairs)
  halves <- subset(expand.grid(fold = 1:2, "repeat" = 1:5, method = c("x", "y")))
  halves$score <- c(untied$a, untied$b)
  expect_identical(compare_methods(halves)$test, "corrected_resampled_t")
  found <- compare_methods(halves, test = "cv5x2_f")
  expect_equal(found$pairs$p_value, cv5x2_f(untied$a, untied$b)$p.value, tolerance = exactly)
})

test_that("right and wrong answers use McNemar's test", {
  skip_without_python()
  set.seed(25)
  cases <- expand.grid(case = sprintf("case %d", 1:40), method = c("x", "y", "z"))
  cases$score <- rbinom(120, 1, c(0.9, 0.6, 0.7)[cases$method])
  found <- compare_methods(cases)
  expect_identical(found$test, "mcnemar")
  pair <- found$pairs[1, ]
  of <- function(method) cases$score[cases$method == method]
  expect_equal(pair$p_value, mcnemar_pair(of(pair$method_a), of(pair$method_b))$p.value)
  right <- sapply(c("x", "y", "z"), of)
  expect_equal(found$omnibus$p.value, cochran_q(right)$p.value)
  cases$score <- cases$score == 1
  expect_equal(compare_methods(cases)$pairs, found$pairs)
})

test_that("tidy scores may be a tibble with factors and any numbers", {
  skip_without_python()
  found <- compare_methods(many)
  same <- c("table", "pairs", "test", "scores", "cliques", "notes")
  rows <- tidy_scores(many, 2)
  expect_equal(compare_methods(rows)[same], found[same])
  # Levels in another order, with an unused one.
  rows$method <- factor(rows$method, levels = c("none", "tree", "gbm", "svm", "nb", "lda"))
  rows$dataset <- factor(rows$dataset, levels = rev(rownames(many)))
  rows[["repeat"]] <- as.double(rows[["repeat"]])
  rows$metric <- "accuracy"
  rows$seconds <- 1
  expect_equal(compare_methods(rows)[same], found[same])
  # The name that data.frame() and read.csv() give.
  checked <- data.frame(as.list(rows))
  expect_true("repeat." %in% names(checked))
  expect_equal(compare_methods(checked)[same], found[same])
  skip_without_package("tibble")
  expect_equal(compare_methods(tibble::as_tibble(rows))[same], found[same])
  wide <- tibble::as_tibble(data.frame(dataset = rownames(many), many))
  expect_equal(compare_methods(wide)[same], found[same])
})

test_that("a comparison has print, tidy and glance methods", {
  skip_without_python()
  found <- compare_methods(many)
  expect_output(print(found), paste0(
    "Comparison of 5 methods.*Test: wilcoxon, 12 data sets.*Adjustment: holm; level 0.05\n",
    "Friedman's test, Iman and Davenport's F: F = .*p-value.*Methods, best first \\(95 % ",
    ".*letters.*\ngbm .* a\n.*Pairs \\(estimate: pseudomedian\\):.*gbm - svm"
  ))
  summarised <- summary(found)
  expect_s3_class(summarised, "summary.pwcstats_comparison")
  p <- summarised$p_values
  expect_identical(p, t(p))
  pair <- subset(found$pairs, method_a == "gbm" & method_b == "nb")
  expect_identical(p["gbm", "nb"], pair$p_adjusted)
  expect_identical(unname(diag(p)), rep(1, 5))
  expect_output(print(summarised), "Adjusted p-values:\n +gbm")
  expect_true(all(is.na(summary(compare_methods(many, control = "nb"))$p_values["lda", "svm"])))
  frame <- as.data.frame(found)
  expect_identical(frame$method, rownames(found$table))
  expect_identical(frame$letters, found$table$letters)
  skip_without_package("generics")
  tidied <- generics::tidy(found)
  expect_named(tidied, c(
    "method.a", "method.b", "mean.difference", "estimate", "conf.low", "conf.high", "statistic",
    "p.value", "adj.p.value", "significant"
  ))
  expect_identical(tidied$adj.p.value, found$pairs$p_adjusted)
  glanced <- generics::glance(found)
  expect_identical(glanced$best, "gbm")
  expect_identical(glanced$n.methods, 5L)
  expect_identical(glanced$nobs, 12L)
  expect_identical(glanced$p.value, found$omnibus$p.value)
  expect_identical(generics::glance(compare_methods(splits))$statistic, NA_real_)
})

test_that("print() shows the first of many pairs, summary() all", {
  skip_without_python()
  wide <- cbind(many, many + 0.001 * seq_len(12))
  colnames(wide) <- letters[1:10]
  found <- compare_methods(wide)
  expect_output(print(found), "\\.\\.\\. and 30 more")
  lines <- capture.output(print(summary(found)))
  expect_length(grep("^[a-j] - [a-j] ", lines), 45)
})

test_that("pairs without a test are NA, and a note says why", {
  skip_without_python()
  moved <- subset(splits, method != "nb")
  moved$score[13:24] <- moved$score[1:12] + 0.5
  found <- compare_methods(moved)
  expect_identical(found$pairs$p_value, NA_real_)
  expect_false(is.nan(found$pairs$p_value))
  expect_identical(found$pairs$significant, FALSE)
  expect_match(found$notes, "lda and qda: no test, all 12 differences are 0.5")
  expect_output(print(found), "note: lda and qda: no test")
})

test_that("a saved comparison prints and plots as before", {
  skip_without_python()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  found <- compare_methods(many, test = "nemenyi")
  saveRDS(found, file)
  read <- readRDS(file)
  expect_equal(read, found)
  expect_identical(capture.output(print(read)), capture.output(print(found)))
  page <- tempfile(fileext = ".pdf")
  grDevices::pdf(page)
  on.exit(unlink(page), add = TRUE)
  expect_identical(plot(read), plot(found))
  expect_identical(plot(read, "intervals"), plot(found, "intervals"))
  grDevices::dev.off()
  # There are no Python objects at any depth.
  expect_false(any(grepl("python|externalptr", capture.output(str(unclass(found))))))
})

test_that("scores that do not match are refused, with the missing cells", {
  skip_without_python()
  rows <- tidy_scores(many)
  holed <- subset(rows, !(method == "svm" & dataset == "set-03"))
  error <- expect_refused(
    compare_methods(holed), "1 of 60 cells has no score \\(dataset set-03, repeat 1, method svm\\)"
  )
  expect_identical(conditionCall(error), quote(compare_methods(holed)))
  missing <- transform(splits, score = replace(score, 6, NA))
  expect_refused(compare_methods(missing), "no score \\(repeat 2, fold 2, method qda\\)")
  expect_refused(compare_methods(rbind(rows, rows[1, ])), "got two for .*set-01")
  expect_refused(compare_methods(rows[c("method", "dataset")]), "columns method and score")
  expect_refused(compare_methods(transform(rows, score = "a")), "score must hold numbers")
  expect_refused(compare_methods(transform(rows, metric = c("acc", "f1"))), paste0(
    "one metric, got acc, f1; choose one, as in subset\\(scores, metric == 'acc'\\)"
  ))
  expect_refused(
    compare_methods(transform(rows, dataset = replace(dataset, 1, NA))), "column dataset must not"
  )
  expect_refused(
    compare_methods(transform(splits, fold = replace(fold, 1, NA))), "column fold must not"
  )
  expect_refused(compare_methods(many[1, , drop = FALSE]), "2 data sets or more")
  expect_refused(compare_methods(many[c(1, 1, 2), ]), "got 'set-01' twice")
  expect_refused(compare_methods(splits, test = "wilcoxon"), "splits of one data set")
  expect_refused(compare_methods(many, test = "cv5x2_t"), "is for one data set")
  expect_refused(compare_methods(many, test = "zz"), "^test must be one of 'auto'")
  expect_refused(compare_methods(many, adjust = "zz"), "^adjust must be one of")
  expect_refused(compare_methods(many, control = "z"), "^control must be one of the methods")
  expect_refused(compare_methods(many, "nemenyi", control = "nb"), "for all pairs")
  expect_refused(compare_methods(many, conf.level = 0), "^conf.level must be")
  random <- setNames(splits[1:3], c("fold", "repeat", "method"))
  random <- data.frame(replicate = 1, random, score = splits$score)
  single <- subset(random, fold == 1, c("repeat.", "method", "score"))
  expect_refused(compare_methods(single), "give test_fraction")
  expect_refused(compare_methods(single, test_fraction = 2), "^test_fraction must be")
})

test_that("rows named folds are folds, and rows without names need an argument", {
  skip_without_python()
  set.seed(2)
  scores <- matrix(round(runif(20, 0.7, 0.9), 3), 10, dimnames = list(NULL, c("a", "b")))
  folds <- compare_methods(cbind(fold = 1:10, as.data.frame(scores)))
  expect_identical(folds$test, "corrected_resampled_t")
  rownames(scores) <- paste0("Fold", 1:10)
  named <- compare_methods(scores)
  expect_equal(named$pairs, folds$pairs)
  repeated <- `rownames<-`(scores, sprintf("Fold%d.Rep%d", rep(1:5, 2), rep(1:2, each = 5)))
  expect_match(compare_methods(repeated)$reason, "20 % of the cases")
  rownames(scores) <- seq(1, 28, 3)
  frame <- data.frame(scores, row.names = NULL)
  for (unnamed in list(scores, unname(scores), as.data.frame(scores), frame, as.list(frame))) {
    expect_refused(
      compare_methods(unnamed), "set rows = 'folds' for the folds .*, or rows = 'datasets' for"
    )
    expect_equal(compare_methods(unnamed, rows = "folds")$pairs$p_value, folds$pairs$p_value)
    expect_identical(compare_methods(unnamed, rows = "datasets")$test, "wilcoxon")
  }
  expect_refused(compare_methods(scores, rows = "cases"), "^rows must be one of 'folds', 'dataset")
  expect_refused(compare_methods(repeated, rows = "datasets"), "are named repeat, fold; leave rows")
  expect_refused(compare_methods(list(a = 1:3, b = 1:2)), "of one length, got 3, 2")
  expect_refused(compare_methods(list(1:3, 1:3)), "got no names")
  expect_refused(compare_methods(scores[rep(1:10, 3), ], rows = "folds"), "30 folds of one data")
})
