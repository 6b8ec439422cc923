#' Who wins where
#'
#' The best method of each data set, or of each place on a grid of parameters, and a test of it
#' against the second.
#'
#' This is how Szepannek, Bischl and Weihs (2007) say which method is best over a grid of
#' simulations: the winner is tested against the second, with and without Holm's correction for the
#' number of places. The winner was chosen by the same scores, so the p-value of a single place is a
#' little too small with many methods.
#'
#' @param scores A data frame with the columns `method`, `score`, those of `by`, and `repeat`,
#'   `fold` or `case`, as for [compare_methods()].
#' @param by Names of the columns that tell the places apart: `"dataset"`, or the parameters of a
#'   grid.
#' @param test The test of the best against the second, as for [compare_methods()]; `"paired_t"`
#'   where each repeat has a new sample.
#' @param adjust How the p-values of all places are adjusted, see [adjust_p()].
#' @param conf.level,level 1 less the level at which `significant` is said.
#' @param test_fraction For random splits: share of the cases in each test set.
#' @param higher_is_better Are higher scores better?
#' @return A data frame with a row for each place, in the order of `scores`: the columns of `by`,
#'   `best`, `second`, `best_score`, `second_score`, `difference`, `p_value`, `p_adjusted`,
#'   `significant`, `note`. Where the differences are all the same there is no test, the p-value is
#'   `NA`, and the note says why.
#' @seealso [compare_methods()], which compares over all data sets.
#' @references
#' Szepannek, G., Bischl, B. and Weihs, C. (2007) On the combination of locally optimal pairwise
#' classifiers. *MLDM 2007*, 104--116. \doi{10.1007/978-3-540-73499-4_9}
#' @examplesIf pwcstats_available()
#' set.seed(1)
#' grid <- expand.grid(`repeat` = 1:10, method = c("lda", "qda"), rho = c(0, 0.5))
#' grid$score <- rnorm(40, 0.8 + 0.1 * (grid$method == "qda") * grid$rho, 0.02)
#' winners(grid, by = "rho", test = "paired_t")
#' @export
winners <- function(scores,
                    by = "dataset",
                    test = "auto",
                    adjust = "holm",
                    conf.level = 0.95, # nolint
                    test_fraction = NULL,
                    higher_is_better = TRUE,
                    level = conf.level) {
  call <- sys.call()
  adjust <- check_adjust(adjust, "adjust", call)
  level <- read_level(call)
  check_flag(higher_is_better, "higher_is_better", call)
  check_fraction(test_fraction, call)
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
    test = test,
    adjust = adjust,
    alpha = alpha_of(level),
    test_fraction = test_fraction,
    higher_is_better = higher_is_better
  )
  found <- call_compare("winners", list(scores_to_py(input, by)), options, call)
  numbers <- c("best_score", "second_score", "difference", "p_value", "p_adjusted")
  result <- columns_from_py(found, c("best", "second"), numbers, "significant")
  result$note <- labels_from_py(reticulate::py_get_item(found, "note"))
  places <- lapply(stats::setNames(nm = by), function(name) {
    place_from_py(reticulate::py_get_item(found, name), input$values[[name]])
  })
  data.frame(places, result, check.names = FALSE)
}

# What Python would leave out without a word.
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

# Places as they are in the scores, factors as factors.
place_from_py <- function(x, original) {
  if (is.numeric(original) && !is.object(original) && !identical(from_py(x$dtype$kind), "O")) {
    return(as.vector(array_from_py(x), mode = typeof(original)))
  }
  known <- unique(original)
  known[match(labels_from_py(x), as_strings(known))]
}
