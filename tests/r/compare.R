# What R says about comparisons of methods. Usage: Rscript compare.R out.json
suppressPackageStartupMessages({
  library(jsonlite)
  library(exactRankTests)
  library(coin)
})
set.seed(2006)
quiet <- suppressWarnings

# Differences without ties; with ties and zeros (eighths, which computers add without rounding); and many of both kinds.
samples <- list(
  untied = list(a = rnorm(15, 0.4), b = rnorm(15)),
  tied = list(a = sample(0:12, 20, TRUE) / 8, b = sample(0:9, 20, TRUE) / 8),
  untied_many = list(a = rnorm(80, 0.1), b = rnorm(80)),
  tied_many = list(a = sample(0:9, 70, TRUE) / 8, b = sample(0:8, 70, TRUE) / 8)
)
sides <- c("two.sided", "less", "greater")

t_of <- function(x, side) {
  test <- t.test(x$a, x$b, paired = TRUE, alternative = side)
  list(
    statistic = test$statistic, p = test$p.value, df = test$parameter, estimate = test$estimate,
    low = test$conf.int[1], high = test$conf.int[2], se = test$stderr
  )
}
wilcox_of <- function(x, side, ...) {
  test <- quiet(wilcox.test(x$a, x$b, paired = TRUE, alternative = side, ...))
  list(statistic = test$statistic, p = test$p.value)
}
# An exact interval exists in R where there are no ties.
wilcox_interval <- function(x, side) {
  test <- wilcox.test(x$a, x$b, paired = TRUE, alternative = side, exact = TRUE, conf.int = TRUE)
  list(estimate = test$estimate, low = test$conf.int[1], high = test$conf.int[2])
}
# A normal interval of shifts, which uniroot() finds to its tolerance.
shifts <- function(x) {
  test <- quiet(wilcox.test(x$a - x$b, exact = FALSE, conf.int = TRUE, tol.root = 1e-12))
  list(low = test$conf.int[1], high = test$conf.int[2])
}
pratt <- function(x) {
  frame <- data.frame(value = c(x$a, x$b), who = gl(2, length(x$a)), block = factor(rep(seq_along(x$a), 2)))
  exact <- wilcoxsign_test(value ~ who | block, frame, distribution = "exact", zero.method = "Pratt")
  normal <- wilcoxsign_test(value ~ who | block, frame, zero.method = "Pratt")
  list(exact = as.numeric(pvalue(exact)), asymptotic = as.numeric(pvalue(normal)))
}
signs <- function(x, side) {
  d <- x$a - x$b
  binom.test(sum(d > 0), sum(d != 0), alternative = side)$p.value
}

tables <- list(c(59, 16, 6, 80), c(794, 150, 86, 570), c(1, 7, 1, 12), c(5, 0, 9, 3), c(10, 4, 4, 7))
mcnemar_of <- function(counts) {
  table <- matrix(counts, 2)
  with <- mcnemar.test(table)
  without <- mcnemar.test(table, correct = FALSE)
  list(
    table = table, corrected = c(with$statistic, with$p.value), plain = c(without$statistic, without$p.value),
    exact = binom.test(table[1, 2], table[1, 2] + table[2, 1])$p.value
  )
}

# Scores of methods on data sets, with ties and without, and answers to cases.
grids <- list(
  untied = matrix(rnorm(40), 8), tied = matrix(sample(0:4, 60, TRUE) / 4, 15), two = matrix(rnorm(18), 9),
  answers = matrix(rbinom(120, 1, c(0.5, 0.7, 0.6)), 40, byrow = TRUE)
)
friedman_of <- function(scores) {
  test <- friedman.test(scores)
  list(scores = scores, statistic = test$statistic, df = test$parameter, p = test$p.value)
}
# The studentised range, from which Nemenyi's p-values come.
ranges <- expand.grid(q = c(0.3, 1, 2, 3.3, 4.5, 6), k = c(2, 3, 5, 10, 15))
ranges$p <- ptukey(ranges$q, ranges$k, Inf, lower.tail = FALSE)
quantiles <- data.frame(k = 2:15)
quantiles$q <- qtukey(0.05, quantiles$k, Inf, lower.tail = FALSE)

p <- c(0.0001, 0.004, 0.019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1)
missing <- replace(p, c(3, 8), NA)
kinds <- c("holm", "bonferroni", "hochberg", "hommel", "BH", "BY", "none")

answer <- list(
  versions = list(
    R = as.character(getRversion()), exactRankTests = as.character(packageVersion("exactRankTests")),
    coin = as.character(packageVersion("coin"))
  ),
  samples = samples,
  t = lapply(samples, function(x) lapply(setNames(sides, sides), t_of, x = x)),
  wilcox = list(
    exact = lapply(samples[c("untied", "untied_many")], function(x) {
      lapply(setNames(sides, sides), function(side) wilcox_of(x, side, exact = TRUE))
    }),
    normal = lapply(samples, function(x) {
      lapply(setNames(sides, sides), function(side) wilcox_of(x, side, exact = FALSE, correct = FALSE))
    }),
    corrected = lapply(samples, function(x) {
      lapply(setNames(sides, sides), function(side) wilcox_of(x, side, exact = FALSE))
    }),
    default = lapply(samples[c("untied", "untied_many")], wilcox_of, side = "two.sided"),
    permutation = lapply(samples[c("tied", "tied_many")], function(x) {
      lapply(setNames(sides, sides), function(side) {
        wilcox.exact(x$a, x$b, paired = TRUE, alternative = side, exact = TRUE)$p.value
      })
    }),
    interval = lapply(setNames(sides, sides), wilcox_interval, x = samples$untied),
    shifts = shifts(samples$untied_many),
    pratt = lapply(samples[c("tied", "tied_many")], pratt)
  ),
  signs = lapply(samples, function(x) lapply(setNames(sides, sides), signs, x = x)),
  mcnemar = lapply(tables, mcnemar_of),
  friedman = lapply(grids, friedman_of),
  ranges = ranges,
  quantiles = quantiles,
  p = p,
  adjusted = lapply(setNames(kinds, kinds), function(kind) p.adjust(p, kind)),
  adjusted_missing = lapply(setNames(kinds, kinds), function(kind) p.adjust(missing, kind))
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, auto_unbox = TRUE, na = "null")
