#' Best method on each data set
#'
#' Finds the best method on each data set, or at each point of a parameter grid, and tests it
#' against the second best.
#'
#' Szepannek, Bischl and Weihs (2007) compare methods over a grid of simulations in this way, with
#' and without Holm's correction for the number of points. The best method was chosen from the same
#' scores, so with many methods the p-value of a single point is slightly too small.
#'
#' @param scores A data frame with the columns `method`, `score`, those of `by`, and `repeat`,
#'   `fold` or `case`, as for [compare_methods()].
#' @param by Names of the columns that identify the points: `"dataset"`, or the parameters of a
#'   grid.
#' @param test The test of the best method against the second, as for [compare_methods()]. Use
#'   `"paired_t"` if each repeat has a new sample.
#' @param adjust How the p-values of all points are adjusted, see [adjust_p()].
#' @param conf.level,level One minus the significance level, by either name.
#' @param test_fraction For random splits: share of the cases in each test set.
#' @param higher_is_better Are higher scores better?
#' @return A data frame with a row for each point, in the order of `scores`: the columns of `by`,
#'   `best`, `second`, `best_score`, `second_score`, `difference`, `p_value`, `p_adjusted`,
#'   `significant`, `note`. If all differences are the same there is no test, the p-value is `NA`,
#'   and the note says why.
#' @seealso [compare_methods()], which compares over all data sets.
#' @references
#' Szepannek, G., Bischl, B. and Weihs, C. (2007) On the combination of locally optimal pairwise
#' classifiers. *MLDM 2007*, 104--116. \doi{10.1007/978-3-540-73499-4_9}
#' @examplesIf pwcstats_available()
#' winners(classifier_scores)
#'
#' # A grid of simulations, with a new sample in each repeat.
#' set.seed(1)
#' grid <- expand.grid(`repeat` = 1:10, method = c("lda", "qda"), rho = c(0, 0.5))
#' grid$score <- rnorm(40, 0.8 + 0.1 * (grid$method == "qda") * grid$rho, 0.02)
#' winners(grid, by = "rho", test = "paired_t")
#' @export
winners <- function(scores,
                    by = "dataset",
                    test = c(
                      "auto", "wilcoxon", "mean_ranks", "corrected_resampled_t", "mcnemar",
                      "nemenyi", "sign", "cv5x2_t", "cv5x2_f", "paired_t"
                    ),
                    adjust = c(
                      "holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"
                    ),
                    conf.level = 0.95, # nolint
                    test_fraction = NULL,
                    higher_is_better = TRUE,
                    level = conf.level) {
  call <- full_call()
  level <- read_level(call)
  check_flag(higher_is_better, "higher_is_better", call)
  if (!is.data.frame(scores)) {
    abort(
      sprintf("scores must be a data frame with a row for each score, not %s.", kind(scores)),
      call
    )
  }
  input <- list(form = "tidy", values = read_tidy(scores, call))
  check_by(by, input$values, call)
  load_python(call)
  options <- list(
    by = labels_to_py(by),
    test = first_choice(test),
    adjust = first_choice(adjust),
    alpha = alpha_of(level),
    test_fraction = number_to_py(test_fraction),
    higher_is_better = higher_is_better
  )
  found <- call_compare("winners", list(scores_to_py(input, by)), options, call)
  numbers <- c("best_score", "second_score", "difference", "p_value", "p_adjusted")
  result <- columns_from_py(found, c("best", "second"), numbers, "significant")
  result$note <- notes_from_py(column_from_py(found, "note"))
  points <- lapply(stats::setNames(nm = by), function(name) {
    like_original(column_from_py(found, name), input$values[[name]])
  })
  data.frame(points, result, check.names = FALSE)
}

# Python would drop rows with missing values without a message.
check_by <- function(by, scores, call) {
  odd <- setdiff(by, names(scores))
  if (!is.character(by) || !length(by) || length(odd)) {
    abort(
      sprintf(
        "by must name columns of scores (%s), got %s.", list_some(names(scores)),
        if (length(odd)) list_some(odd) else kind(by)
      ),
      call
    )
  }
  for (name in by) {
    if (anyNA(scores[[name]])) {
      abort(
        sprintf("column %s must not have missing values; fill or drop these rows.", name), call
      )
    }
  }
}

# Points with the type that they have in the scores.
like_original <- function(x, original) {
  if (is.numeric(original) && !is.object(original) && !identical(from_py(x$dtype$kind), "O")) {
    return(as.vector(array_from_py(x), mode = typeof(original)))
  }
  known <- unique(original)
  known[match(labels_from_py(x), as_strings(known))]
}
