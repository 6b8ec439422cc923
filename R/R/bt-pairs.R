#' Differences of the abilities of all pairs
#'
#' Compares the abilities of all pairs of items, with p-values adjusted for their number.
#' [compare_items()] tests one pair that was chosen in advance.
#'
#' `adjust = "max-t"` compares each statistic with the distribution of the largest one, which
#' follows from the covariance of the abilities. It is valid for all pairs, as Bonferroni's
#' adjustment is, but has more power. Intervals are simultaneous after `"max-t"` and, by
#' Bonferroni's inequality, after the adjustments that control the probability of any false
#' rejection. After `"BH"`, `"BY"` and `"none"`, each interval has the level by itself.
#'
#' @param x A fit by [bt()] or [plackett_luce()].
#' @param adjust Adjustment of the p-values, see [adjust_p()], or `"max-t"`.
#' @param level,conf.level Confidence level, by either name.
#' @param items The items to compare; by default all.
#' @param ref Compare the other items with this one only.
#' @param n_draws Number of draws for `adjust = "max-t"`.
#' @param seed Seed of these draws. R's random number generator is not used.
#' @param digits Number of significant digits.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame of class `pwcstats_pairs` with one row for each pair and the columns
#'   `item1`, `item2`, `estimate` (the ability of the first minus that of the second), `std.error`,
#'   `statistic`, `p.value`, `adj.p.value`, `conf.low` and `conf.high`. The attributes `adjust`,
#'   `level` and `is_simultaneous` describe it.
#' @examplesIf pwcstats_available()
#' fit <- bt(citations)
#' pairs(fit)
#' pairs(fit, adjust = "max-t", ref = "Biometrika")
#' @importFrom graphics pairs
#' @export
pairs.pwcstats_abilities <- function(x,
                              adjust = c(
                                "holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by",
                                "none", "max-t"
                              ),
                              level = 0.95,
                              items = NULL,
                              ref = NULL,
                              n_draws = 10000,
                              seed = 0,
                              ...,
                              conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  options <- list(
    adjust = first_choice(adjust),
    alpha = alpha_of(level),
    items = if (!is.null(items)) labels_to_py(as.character(items)),
    ref = as_labels(ref),
    n_draws = count_to_py(n_draws),
    random_state = count_to_py(seed)
  )
  answer <- call_bridge(thaw(x, call)$contrasts, list(), options, call)
  numbers <- c(
    estimate = "estimate", std.error = "std_error", statistic = "statistic", p.value = "p_value",
    adj.p.value = "p_adjusted", conf.low = "conf_low", conf.high = "conf_high"
  )
  table <- columns_from_py(answer$pairs, c("item_1", "item_2"), unname(numbers))
  names(table) <- c("item1", "item2", names(numbers))
  structure(
    table,
    adjust = from_py(answer$adjust), level = level, notes = notes_from_py(answer$notes),
    is_simultaneous = from_py(answer$is_simultaneous),
    class = c("pwcstats_pairs", "data.frame")
  )
}

#' @rdname pairs.pwcstats_abilities
#' @export
print.pwcstats_pairs <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  adjust <- attr(x, "adjust")
  # Some of the columns may have been removed.
  if (is.null(adjust)) {
    return(invisible(print.data.frame(x, digits = digits)))
  }
  cat("\nDifferences of abilities\n\n")
  shown <- plain_frame(x)
  shown[] <- lapply(shown, function(column) {
    if (is.numeric(column)) signif(column, digits) else column
  })
  p <- intersect(c("p.value", "adj.p.value"), names(shown))
  shown[p] <- lapply(x[p], format.pval, digits = digits, eps = 1e-4)
  print(shown, row.names = FALSE)
  cat("\n")
  print_lines(c(
    "p-values" = if (adjust == "none") "not adjusted" else sprintf("adjusted (%s)", adjust),
    Intervals = sprintf(
      "%g %% confidence level%s", 100 * attr(x, "level"),
      if (attr(x, "is_simultaneous")) " for all pairs together" else " for each pair"
    )
  ))
  cat("\n")
  print_notes(attr(x, "notes"))
  invisible(x)
}

#' @rdname pairs.pwcstats_abilities
#' @exportS3Method generics::tidy
tidy.pwcstats_pairs <- function(x, ...) { # nolint
  refuse_unknown(...)
  plain_frame(x)
}

# Without class and attributes of its own.
plain_frame <- function(x) {
  attributes(x) <- attributes(x)[c("names", "row.names")]
  structure(x, class = "data.frame")
}
