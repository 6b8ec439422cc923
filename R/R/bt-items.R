#' Abilities of all items
#'
#' @param object A fit by [bt()] or [plackett_luce()].
#' @param sort List the best item first?
#' @param conf.int Add confidence intervals?
#' @param level,conf.level Confidence level, by either name.
#' @param method `"wald"` for intervals from standard errors, `"profile"` for profile likelihood
#'   intervals.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A matrix with one row for each item, including the reference, and the columns `ability`
#'   and `s.e.`, as from `BTabilities()` in \pkg{BradleyTerry2}; with intervals also `conf.low` and
#'   `conf.high`. With covariates, the abilities are computed from the covariates and sum to 0.
#' @examplesIf pwcstats_available()
#' abilities(bt(citations))
#' abilities(bt(citations, ref = NA), sort = TRUE, conf.int = TRUE)
#' @export
abilities <- function(object, ...) {
  UseMethod("abilities")
}

#' @rdname abilities
#' @export
abilities.pwcstats_abilities <- function(object,
                                         sort = FALSE,
                                         conf.int = FALSE, # nolint
                                         level = 0.95,
                                         method = c("wald", "profile"),
                                         ...,
                                         conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  check_flag(sort, "sort", call)
  check_flag(conf.int, "conf.int", call)
  level <- read_level(call)
  method <- check_choice(method, call)
  x <- object$abilities
  if (conf.int) {
    bounds <- if (method == "wald") {
      wald_bounds(x[, "ability"], x[, "s.e."], level, object$df.inference)
    } else {
      options <- list(alpha = 1 - level, method = method)
      answer <- call_bridge(thaw(object, call)$abilities, list(), options, call)
      matrix_from_py(answer)[, 3:4, drop = FALSE]
    }
    x <- cbind(x, with_dimnames(bounds, rownames(x), c("conf.low", "conf.high")))
  }
  if (sort) x[order(-x[, "ability"]), , drop = FALSE] else x
}

#' Quasi-variances of abilities
#'
#' The variance of a difference of two abilities is approximately the sum of their quasi-variances,
#' for any reference item. [comparison_intervals()] uses them for intervals that can be compared by
#' eye.
#'
#' @param object A fit by [bt()] or [plackett_luce()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with one row for each item and the columns `estimate`, `SE`, `quasiSE` and
#'   `quasiVar`, like the `qvframe` of \pkg{qvcalc}. The attribute `relative_error` has the smallest
#'   and largest relative error of the standard errors of differences computed from them.
#' @references
#' Firth, D. and de Menezes, R. X. (2004) Quasi-variances. *Biometrika* **91**, 65--80.
#' \doi{10.1093/biomet/91.1.65}
#' @seealso [comparison_intervals()].
#' @examplesIf pwcstats_available()
#' quasi_variances(bt(citations))
#' @export
quasi_variances <- function(object, ...) {
  UseMethod("quasi_variances")
}

#' @rdname quasi_variances
#' @export
quasi_variances.pwcstats_abilities <- function(object, ...) {
  refuse_unknown(...)
  call <- sys.call()
  answer <- call_bridge(thaw(object, call)$quasi_variances, list(), list(), call)
  structure(
    item_table(answer, object$items, c("estimate", "SE", "quasiSE", "quasiVar")),
    relative_error = unlist(from_py(answer$attrs[["relative_error"]]))
  )
}

# A frame with one row for each item, with R's names.
item_table <- function(x, items, columns) {
  as.data.frame(with_dimnames(matrix_from_py(x), items, columns))
}

#' Intervals that can be compared by eye
#'
#' Two items differ significantly if their intervals do not overlap. All intervals extend by the
#' same number of quasi standard errors. This number is chosen so that the intervals of two equal
#' items do not overlap with probability `1 - level`, on average over all pairs (Goldstein and Healy
#' 1995).
#'
#' For `level = 0.95` the number is about 1.39, so that each single interval has a level of about
#' 83 %. Using 95 % intervals instead would test at the level 0.006. The test is valid for one pair
#' that was chosen in advance. See [rank_intervals()] for all pairs together and [compare_items()]
#' for the exact test of one pair.
#'
#' @param object A fit by [bt()] or [plackett_luce()].
#' @param level,conf.level One minus the significance level of the test by overlap, by either name.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with one row for each item and the columns `ability`, `quasiSE`,
#'   `conf.low` and `conf.high`. The attribute `multiplier` is the number of quasi standard errors,
#'   `level` the level of each single interval, and `pair_alpha` has the smallest and largest
#'   significance level of the test by overlap over all pairs.
#' @references
#' Goldstein, H. and Healy, M. J. R. (1995) The graphical presentation of a collection of means.
#' *Journal of the Royal Statistical Society A* **158**, 175--177. \doi{10.2307/2983411}
#' @seealso [quasi_variances()], [plot()][plot.pwcstats_bt] with `intervals = "comparison"`.
#' @examplesIf pwcstats_available()
#' comparison_intervals(bt(citations))
#' @export
comparison_intervals <- function(object, ...) {
  UseMethod("comparison_intervals")
}

#' @rdname comparison_intervals
#' @export
comparison_intervals.pwcstats_abilities <- function(object,
                                             level = 0.95,
                                             ...,
                                             conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  fit <- thaw(object, call)
  answer <- call_bridge(fit$comparison_intervals, list(), list(alpha = 1 - level), call)
  structure(
    item_table(answer, object$items, c("ability", "quasiSE", "conf.low", "conf.high")),
    multiplier = from_py(answer$attrs[["multiplier"]]),
    level = from_py(answer$attrs[["level"]]),
    pair_alpha = unlist(from_py(answer$attrs[["pair_alpha"]]))
  )
}

#' Confidence sets of ranks
#'
#' Computes sets of ranks that contain the true ranks with probability `level`. The best rank of an
#' item is one more than the number of items that are significantly better, and its worst rank
#' follows from the items that are significantly worse.
#'
#' @param object A fit by [bt()] or [plackett_luce()].
#' @param level,conf.level Probability that the sets contain the true ranks, by either name.
#' @param simultaneous Does `level` apply to all items together, or to each item separately?
#' @param n_draws Number of draws from the normal distribution of the estimates (the t distribution
#'   after `cov_type = "cluster"`) that determine the critical value.
#' @param seed Seed of these draws. R's random number generator is not used.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with one row for each item, the best first, and the columns `ability`,
#'   `rank`, `rank_low` and `rank_high`.
#' @references
#' Mogstad, M., Romano, J. P., Shaikh, A. M. and Wilhelm, D. (2024) Inference for ranks with
#' applications to mobility across neighbourhoods and academic achievement across countries. *The
#' Review of Economic Studies* **91**, 476--518. \doi{10.1093/restud/rdad006}
#' @examplesIf pwcstats_available()
#' # A leaderboard of language models; the votes of a user form a cluster.
#' fit <- bt(c(first = 1, tie = 0.5, second = 0)[as.character(winner)], first, second,
#'   data = arena, ties = "davidson", order_effect = TRUE, cluster = user, ref = NA
#' )
#' rank_intervals(fit)
#' @export
rank_intervals <- function(object, ...) {
  UseMethod("rank_intervals")
}

#' @rdname rank_intervals
#' @export
rank_intervals.pwcstats_abilities <- function(object,
                                       level = 0.95,
                                       simultaneous = TRUE,
                                       n_draws = 10000,
                                       seed = 0,
                                       ...,
                                       conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  check_flag(simultaneous, "simultaneous", call)
  level <- read_level(call)
  fit <- thaw(object, call)
  options <- list(
    alpha = alpha_of(level),
    simultaneous = simultaneous,
    n_draws = count_to_py(n_draws),
    random_state = count_to_py(seed)
  )
  answer <- call_bridge(fit$ranks, list(), options, call)
  columns <- c("ability", "rank", "rank_low", "rank_high")
  result <- item_table(answer, labels_from_py(answer$index), columns)
  result[-1L] <- lapply(result[-1L], as.integer)
  result
}
