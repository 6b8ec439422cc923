#' Friedman's test of several methods
#'
#' Tests the hypothesis that several methods have the same mean rank over the data sets.
#'
#' `statistic = "chi-squared"` is [friedman.test()]. `"F"` is the statistic of Iman and Davenport,
#' \eqn{(N - 1) \chi^2 / (N (K - 1) - \chi^2)}{(N - 1) X / (N (K - 1) - X)} for \eqn{K} methods on
#' \eqn{N} data sets, which is less conservative for few data sets. It is infinite if the methods
#' have the same order on all data sets; the p-value is then that of the permutation test, and a
#' note says so. `"exact"` is the permutation test, and `"auto"` uses it if there are few enough
#' permutations, otherwise `"F"`. Scores that differ only by rounding errors are tied.
#'
#' @param scores Matrix or data frame with a row for each data set and a column for each method (a
#'   column `dataset` of a data frame has the names of the rows). Or a data frame with a row for
#'   each score, as for [compare_methods()]; the scores are averaged within each data set.
#' @param statistic `"chi-squared"`, `"F"`, `"exact"` or `"auto"`, see Details.
#' @param higher_is_better Are higher scores better? The test does not depend on it, but rank 1 is
#'   the best.
#' @return A list of class `htest`, with the mean rank of each method in the element `ranks`.
#' @seealso [nemenyi()] and [rank_tests()], which find the methods that differ; [compare_methods()].
#' @references
#' Friedman, M. (1937) The use of ranks to avoid the assumption of normality implicit in the
#' analysis of variance. *Journal of the American Statistical Association* **32**, 675--701.
#' \doi{10.1080/01621459.1937.10503522}
#'
#' Iman, R. L. and Davenport, J. M. (1980) Approximations of the critical region of the Friedman
#' statistic. *Communications in Statistics A* **9**, 571--595. \doi{10.1080/03610928008827904}
#' @examplesIf pwcstats_available()
#' test <- friedman_ranks(classifier_scores, "F")
#' test
#' test$ranks
#' @export
friedman_ranks <- function(scores,
                           statistic = c("chi-squared", "F", "exact", "auto"),
                           higher_is_better = TRUE) {
  call <- full_call()
  data_name <- deparse1(substitute(scores))
  check_flag(higher_is_better, "higher_is_better", call)
  input <- read_scores(scores, call)
  load_python(call)
  options <- list(statistic = first_choice(statistic), higher_is_better = higher_is_better)
  result <- call_compare("friedman", list(scores_to_py(input)), options, call)
  friedman_from_py(result, data_name)
}

friedman_from_py <- function(result, data_name) {
  chi_squared <- from_py(result$statistic_name) == "chi-squared"
  # As in friedman.test().
  names <- if (chi_squared) list(statistic = "Friedman chi-squared") else list()
  as_htest(result, data_name, names = names, ranks = named_from_py(result$ranks))
}

#' Compare the mean ranks of several methods
#'
#' Tests which methods differ in their mean ranks over data sets. `nemenyi()` is Nemenyi's test of
#' all pairs. `rank_tests()` performs z-tests of all pairs or against a control, with adjusted
#' p-values.
#'
#' Nemenyi's p-values are those of the studentised range, [ptukey()], and need no further
#' adjustment. With \eqn{K} methods and \eqn{N} data sets, methods differ significantly if their
#' mean ranks differ by more than the critical difference
#' \eqn{q_\alpha \sqrt{K (K + 1) / (6 N)}}{q sqrt(K (K + 1) / (6 N))}.
#'
#' The difference of two mean ranks also depends on the other methods: adding a method can make two
#' others differ (Benavoli and others 2016). [compare_methods()] uses Wilcoxon's test of each pair
#' if there are enough data sets.
#'
#' @inheritParams friedman_ranks
#' @param conf.level,level Level of the intervals and of the critical difference. The intervals are
#'   simultaneous, except those of `rank_tests()` with `adjust` `"bh"`, `"by"` or `"none"`.
#' @param control Name of the method with which all others are compared. By default all pairs are
#'   compared.
#' @param adjust How p-values are adjusted, see [adjust_p()]. `"bonferroni"` with a control is the
#'   test of Bonferroni and Dunn.
#' @param higher_is_better Are higher scores better? `FALSE` for errors and losses.
#' @param x A result of `nemenyi()` or `rank_tests()`.
#' @param digits Number of significant digits.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `pwcstats_rank_tests` with the elements
#'   \item{pairs}{Data frame with a row for each pair: `method_a`, `method_b`, `estimate` (mean rank
#'     of the second minus that of the first, positive if the first is better), `conf_low`,
#'     `conf_high`, `statistic`, `p_value`, `p_adjusted`.}
#'   \item{ranks}{Mean rank of each method; 1 is best.}
#'   \item{critical_difference}{The critical difference; `NULL` for stepwise adjustments.}
#'   \item{cliques, letters}{List of the largest groups of methods that do not differ, and letters
#'     of each method: methods of a group share a letter. `NULL` with a control.}
#'   \item{method, conf.level, n_datasets, control, adjust}{The test and its options.}
#'   \item{test}{Name of the test in [compare_methods()].}
#'   \item{is_simultaneous, estimate_name}{Are the intervals simultaneous? What is estimated?}
#'
#'   `tidy()` from \pkg{generics} returns the pairs, with the names of \pkg{broom}.
#' @seealso [plot()][plot.pwcstats_comparison] for a diagram; [friedman_ranks()],
#'   [compare_methods()]
#' @references
#' Benavoli, A., Corani, G. and Mangili, F. (2016) Should we really use post-hoc tests based on
#' mean-ranks? *Journal of Machine Learning Research* **17** (5), 1--10.
#'
#' Demšar, J. (2006) Statistical comparisons of classifiers over multiple data sets. *Journal of
#' Machine Learning Research* **7**, 1--30.
#' @examplesIf pwcstats_available()
#' nemenyi(classifier_scores)
#' rank_tests(classifier_scores, control = "svm")
#' @export
nemenyi <- function(scores,
                    conf.level = 0.95, # nolint
                    higher_is_better = TRUE,
                    level = conf.level) {
  call <- full_call()
  level <- read_level(call)
  compare_ranks("nemenyi", scores, list(), level, higher_is_better, call)
}

#' @rdname nemenyi
#' @export
rank_tests <- function(scores,
                       control = NULL,
                       adjust = c(
                         "holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"
                       ),
                       conf.level = 0.95, # nolint
                       higher_is_better = TRUE,
                       level = conf.level) {
  call <- full_call()
  level <- read_level(call)
  options <- list(
    control = if (!is.null(control)) as_strings(control),
    adjust = adjustment_name(first_choice(adjust))
  )
  compare_ranks("rank_tests", scores, options, level, higher_is_better, call)
}

# In lower case, as in Python; p.adjust() has capitals, and "fdr" for "bh".
adjustment_name <- function(x) {
  if (is.character(x)) {
    x <- tolower(x)
    x[x == "fdr"] <- "bh"
  }
  x
}

compare_ranks <- function(test, scores, options, level, higher_is_better, call) {
  check_flag(higher_is_better, "higher_is_better", call)
  input <- read_scores(scores, call)
  load_python(call)
  options <- c(options, list(alpha = alpha_of(level), higher_is_better = higher_is_better))
  result <- call_compare(test, list(scores_to_py(input)), options, call)
  numbers <- c("estimate", "conf_low", "conf_high", "statistic", "p_value", "p_adjusted")
  pairs <- columns_from_py(result$pairs, c("method_a", "method_b"), numbers)
  ranks <- named_from_py(result$ranks)
  groups <- if (is.null(options$control)) equal_methods(pairs, ranks, alpha_of(level), call)
  structure(
    class = "pwcstats_rank_tests",
    list(
      pairs = pairs,
      ranks = ranks,
      critical_difference = from_py(result$critical_difference),
      cliques = groups$cliques,
      letters = groups$letters,
      method = from_py(result$method),
      conf.level = level,
      n_datasets = from_py(result$n_datasets),
      control = options$control,
      adjust = options$adjust,
      test = from_py(result$test),
      is_simultaneous = from_py(result$is_simultaneous),
      estimate_name = from_py(result$estimate_name)
    )
  )
}

# The largest groups of methods that do not differ, and a letter for each.
equal_methods <- function(pairs, ranks, alpha, call) {
  methods <- names(sort(ranks))
  differ <- pairs[pairs$p_adjusted <= alpha, ]
  index <- cbind(match(differ$method_a, methods), match(differ$method_b, methods))
  different <- matrix(FALSE, length(methods), length(methods))
  different[rbind(index, index[, 2:1])] <- TRUE
  cliques <- python$pwcstats$compare$cliques
  labels <- labels_to_py(methods)
  groups <- call_bridge(cliques$cliques, list(labels, to_py(different)), list(), call)
  letters <- call_bridge(cliques$letters, list(groups, labels), list(), call)
  list(
    cliques = groups_from_py(groups),
    letters = stats::setNames(as.character(from_py(letters)), methods)
  )
}

#' @rdname nemenyi
#' @export
print.pwcstats_rank_tests <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  cat(sprintf(
    "\n%s: %d methods on %d data sets\n\nMean ranks (1 is best):\n",
    x$method, length(x$ranks), x$n_datasets
  ))
  print(sort(x$ranks), digits = digits)
  if (!is.null(x$critical_difference)) {
    cat(sprintf(
      "\nCritical difference (level %s): %s\n",
      format(alpha_of(x$conf.level)), format(x$critical_difference, digits = digits)
    ))
  }
  cat(sprintf(
    "\nPairs (estimate: %s, with %s%% intervals):\n",
    "rank of the second minus that of the first", format(100 * x$conf.level)
  ))
  print(format_pairs(x$pairs, digits), row.names = FALSE, right = TRUE)
  cat("\n")
  invisible(x)
}

# Numbers and p-values as text.
format_pairs <- function(pairs, digits) {
  is_p <- names(pairs) %in% c("p_value", "p_adjusted")
  pairs[is_p] <- lapply(pairs[is_p], format.pval, digits = max(1L, digits - 1L), na.form = "NA")
  numbers <- vapply(pairs, is.numeric, logical(1L))
  pairs[numbers] <- lapply(pairs[numbers], format, digits = digits)
  pairs
}

#' @rdname nemenyi
#' @exportS3Method generics::tidy
tidy.pwcstats_rank_tests <- function(x, ...) { # nolint
  refuse_unknown(...)
  tidy_pairs(x$pairs)
}

# With broom's names.
tidy_pairs <- function(pairs) {
  names(pairs) <- chartr("_", ".", sub("^p_adjusted$", "adj_p_value", names(pairs)))
  pairs
}

#' Adjust p-values for the number of tests
#'
#' Like [p.adjust()], with Shaffer's procedure for all pairs of several methods as an additional
#' method.
#'
#' Shaffer's static procedure uses that hypotheses about pairs are logically related: if two of
#' three methods differ, at least one more pair differs. After i of m hypotheses have been rejected,
#' Holm's procedure multiplies the next p-value by m - i. Shaffer's multiplies it by the largest
#' possible number of true hypotheses that is not above m - i. It needs the p-values of all K (K -
#' 1) / 2 pairs of K methods.
#'
#' @param p P-values. `NA` (no test) remains `NA` and is not counted.
#' @param method `"holm"`, `"bonferroni"` (never better than Holm's), `"hochberg"` and `"hommel"`
#'   (for tests that are not negatively dependent) and `"shaffer"` (for all pairs of methods)
#'   control the probability of any false rejection; `"bh"` (or `"fdr"`; Benjamini and Hochberg) and
#'   `"by"` control the expected share of false rejections. Case does not matter.
#' @return Adjusted p-values, with the names of `p`.
#' @seealso [compare_methods()], [rank_tests()]
#' @references
#' Holm, S. (1979) A simple sequentially rejective multiple test procedure. *Scandinavian Journal of
#' Statistics* **6**, 65--70.
#'
#' Shaffer, J. P. (1986) Modified sequentially rejective multiple test procedures. *Journal of the
#' American Statistical Association* **81**, 826--831. \doi{10.1080/01621459.1986.10478341}
#' @examplesIf pwcstats_available()
#' p <- c(ab = 0.001, ac = 0.010, ad = 0.020, bc = 0.040, bd = 0.300, cd = 0.600)
#' adjust_p(p, "holm")
#' adjust_p(p, "shaffer")
#' @export
adjust_p <- function(p,
                     method = c(
                       "holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"
                     )) {
  call <- full_call()
  values <- as_numbers(p, "p", call)
  load_python(call)
  options <- list(method = first_choice(method))
  adjusted <- call_compare("adjust", list(to_py(values)), options, call)
  stats::setNames(vector_from_py(adjusted), names(p))
}
