#' Compare several methods by their scores
#'
#' Picks the test that suits your design, and tests all pairs of methods, or all methods against a
#' control.
#'
#' `test = "auto"` picks the test, and the element `reason` says why:
#'
#' \describe{
#'   \item{Several data sets}{Each data set is one observation, the mean over its splits. The test
#'     is `"wilcoxon"` for each pair, or `"mean_ranks"` ([rank_tests()]) if there are too few data
#'     sets for Wilcoxon's test.}
#'   \item{Splits of one data set}{`"corrected_resampled_t"`, because folds of one data set are not
#'     independent.}
#'   \item{Cases of one data set}{`"mcnemar"`.}
#' }
#'
#' You can also choose one of these tests yourself, or `"nemenyi"`, `"sign"`, `"cv5x2_t"`,
#' `"cv5x2_f"`, or `"paired_t"` (for independent scores: from several data sets, or from repeats
#' with a new sample each).
#'
#' With several data sets and more than two methods there is an omnibus test: Friedman's test, exact
#' with few data sets and otherwise with Iman and Davenport's F. With cases it is Cochran's Q test.
#'
#' Mean ranks depend on all methods in the comparison. If some methods differ, tests of mean ranks
#' may reject too often for two methods that are equal.
#'
#' @param scores A data frame with the columns `method` and `score`, and as needed `dataset`,
#'   `repeat` (or `repeat.`, as [data.frame()] would call it), `fold`, or `case` (with scores 1 and
#'   0 for right and wrong answers). Columns `n_train` and `n_test` give the sizes of the training
#'   and test sets; a column `metric` must have one value. Or a matrix, data frame or list with the
#'   scores of each method: its row names, or a column `dataset`, are names of data sets; folds of
#'   one data set have a column `fold`, or row names such as `Fold1` or `Fold1.Rep1`. If the rows
#'   have no names (numbers are not names), `rows` must say what they are.
#' @param test `"auto"`, or the test to use; see Details.
#' @param adjust How p-values are adjusted for the number of comparisons, see [adjust_p()].
#'   Nemenyi's p-values need no further adjustment.
#' @param control Name of the method with which all others are compared. By default all pairs are
#'   compared.
#' @param conf.level,level One minus the significance level of the tests, by either name. Intervals
#'   of the pairs are simultaneous, by Bonferroni's inequality (with `"bh"`, `"by"` and `"none"`
#'   each has this level separately). Intervals of the means have this level separately.
#' @param test_fraction For random splits of one data set: share of the cases in each test set. It
#'   is known for folds, and from the columns `n_train` and `n_test`.
#' @param higher_is_better Are higher scores better? `FALSE` for errors and losses.
#' @param rows What the rows are if they have no names: `"folds"`, the folds of one cross-validation
#'   of one data set, where each of K folds has the share 1/K of the cases (for repeated
#'   cross-validation also give `test_fraction`); or `"datasets"`, a row for each data set.
#' @return A list of class `pwcstats_comparison`, with [methods][pwcstats_comparison] and a
#'   [plot()][plot.pwcstats_comparison]. It is plain R data, with the elements
#'   \item{table}{Data frame with a row for each method, best first: `mean` score, `sd` (over the
#'     rows of `scores`), `conf_low` and `conf_high` (interval of the mean), mean `rank`, and
#'     `letters`: methods that share a letter do not differ significantly.}
#'   \item{pairs}{Data frame with a row for each comparison: `method_a` (the one that comes first in
#'     `table`, or the control), `method_b`, `mean_difference`, the `estimate` of the test with
#'     `conf_low` and `conf_high`, `statistic`, `p_value`, `p_adjusted`, `significant`. If there is
#'     no test, because all differences are the same, numbers are `NA` and a note says why.}
#'   \item{omnibus}{Test of the hypothesis that all methods are the same, of class `htest`, or
#'     `NULL`.}
#'   \item{test, adjust, reason}{The test of the pairs, the adjustment of its p-values, and the
#'     reason for this test.}
#'   \item{best}{The method that is significantly better than every other, or `NULL`.}
#'   \item{best_group}{Methods that no other is significantly better than; empty with a control.}
#'   \item{verdict}{The conclusion in words: which methods are significantly better than which
#'     others, or better or worse than the control.}
#'   \item{cliques}{List of the largest groups of methods that do not differ; empty with a control.}
#'   \item{critical_difference}{Critical difference of mean ranks, or `NULL` if the test has none.}
#'   \item{is_adjusted}{Does the test itself adjust its p-values for the number of pairs, as
#'     Nemenyi's does? `adjust` is then `"none"`.}
#'   \item{is_simultaneous}{Are the intervals of the pairs simultaneous?}
#'   \item{scores}{Matrix of the scores that were compared: a row for each data set, split or case.}
#'   \item{estimate_name, conf.level, control, higher_is_better, call}{The name of the estimate, and
#'     the options of the call.}
#'   \item{notes}{Remarks on the result.}
#' @seealso [winners()] for the best method on each data set; [friedman_ranks()], [nemenyi()] and
#'   [wilcoxon_pair()] for single tests.
#' @references
#' Demšar, J. (2006) Statistical comparisons of classifiers over multiple data sets. *Journal of
#' Machine Learning Research* **7**, 1--30.
#'
#' Piepho, H.-P. (2004) An algorithm for a letter-based representation of all-pairwise comparisons.
#' *Journal of Computational and Graphical Statistics* **13**, 456--466. \doi{10.1198/1061860043515}
#' @examplesIf pwcstats_available()
#' # Several data sets.
#' found <- compare_methods(classifier_scores)
#' found
#' found$best_group
#'
#' # One data set: two repeats of five folds.
#' found <- compare_methods(subset(classifier_scores, dataset == "vehicle"))
#' found$reason
#' found$table
#'
#' # A matrix with a row for each data set.
#' scores <- with(classifier_scores, tapply(score, list(dataset, method), mean))
#' compare_methods(scores, control = "svm")
#'
#' # One data set, five folds without names.
#' compare_methods(
#'   list(lda = c(0.78, 0.82, 0.80, 0.79, 0.85), qda = c(0.75, 0.80, 0.79, 0.80, 0.81)),
#'   rows = "folds"
#' )
#' @export
compare_methods <- function(scores,
                            test = c(
                              "auto", "wilcoxon", "mean_ranks", "corrected_resampled_t", "mcnemar",
                              "nemenyi", "sign", "cv5x2_t", "cv5x2_f", "paired_t"
                            ),
                            adjust = c(
                              "holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by",
                              "none"
                            ),
                            control = NULL,
                            conf.level = 0.95, # nolint
                            test_fraction = NULL,
                            higher_is_better = TRUE,
                            rows = NULL,
                            level = conf.level) {
  call <- full_call()
  asked <- match.call()
  level <- read_level(call)
  check_flag(higher_is_better, "higher_is_better", call)
  input <- read_scores(scores, call)
  if (!is.null(control)) {
    control <- as_strings(control)
  }
  load_python(call)
  options <- list(
    test = first_choice(test),
    adjust = first_choice(adjust),
    control = control,
    alpha = alpha_of(level),
    test_fraction = number_to_py(test_fraction),
    higher_is_better = higher_is_better,
    rows = rows
  )
  result <- call_compare("compare_methods", list(scores_to_py(input)), options, call)
  comparison_fit(result, deparse1(asked$scores), level, control, higher_is_better, asked)
}

comparison_fit <- function(result, data_name, level, control, higher_is_better, asked) {
  structure(
    class = "pwcstats_comparison",
    c(comparison_from_py(result, data_name), list(
      conf.level = level,
      control = control,
      higher_is_better = higher_is_better,
      call = asked
    ))
  )
}

comparison_from_py <- function(result, data_name) {
  methods <- labels_from_py(result$table$index)
  table <- columns_from_py(
    result$table, "letters", c("mean", "sd", "conf_low", "conf_high", "rank")
  )
  numbers <- c(
    "mean_difference", "estimate", "conf_low", "conf_high", "statistic", "p_value", "p_adjusted"
  )
  rows <- python$bridge$row_names(result$scores$index)
  list(
    table = data.frame(table[-1L], table[1L], row.names = methods),
    pairs = columns_from_py(result$pairs, c("method_a", "method_b"), numbers, "significant"),
    omnibus = omnibus_from_py(result$omnibus, data_name),
    test = from_py(result$test),
    adjust = from_py(result$adjust),
    reason = notes_from_py(list(result$reason)),
    best = from_py(result$best),
    best_group = as.character(from_py(result$best_group)),
    verdict = from_py(result$verdict),
    cliques = groups_from_py(result$cliques),
    critical_difference = from_py(result$critical_difference),
    is_adjusted = from_py(result$is_adjusted),
    is_simultaneous = from_py(result$is_simultaneous),
    scores = with_dimnames(
      matrix_from_py(result$scores), as.character(from_py(rows)),
      labels_from_py(result$scores$columns)
    ),
    estimate_name = from_py(result$estimate_name),
    notes = notes_from_py(result$notes)
  )
}

# Friedman's test has mean ranks, Cochran's has none.
omnibus_from_py <- function(result, data_name) {
  if (is.null(from_py(result))) {
    NULL
  } else if ("ranks" %in% names(result)) {
    friedman_from_py(result, data_name)
  } else {
    as_htest(result, data_name)
  }
}
