#' Methods for comparisons of methods
#'
#' Methods for results of [compare_methods()]. See also [plot()][plot.pwcstats_comparison].
#'
#' @param x,object A result of [compare_methods()].
#' @param digits Number of significant digits.
#' @param row.names,optional,stringsAsFactors As in [as.data.frame()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `summary()` returns a list of class `summary.pwcstats_comparison`. It prints all pairs,
#'   and its element `p_values` is a square matrix of adjusted p-values. `as.data.frame()` returns
#'   the table of the methods, with their names in a column. `tidy()` returns the pairs, with the
#'   names of \pkg{broom}. `glance()` returns a data frame with one row: the numbers of methods and
#'   of rows of the scores, the test and its adjustment, statistic and p-value of the omnibus test,
#'   the number of pairs that differ significantly, and the best method, `NA` if there is none.
#' @examplesIf pwcstats_available()
#' found <- compare_methods(classifier_scores)
#' summary(found)
#' as.data.frame(found)
#' @name pwcstats_comparison
NULL

# The largest number of pairs that are printed and drawn; summary() prints all.
most_pairs <- 15L

#' @rdname pwcstats_comparison
#' @export
print.pwcstats_comparison <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  print_comparison(x, digits, most_pairs)
  invisible(x)
}

print_comparison <- function(x, digits, most) {
  level <- format(alpha_of(x$conf.level))
  cat(sprintf("\nComparison of %d methods\n\n", nrow(x$table)))
  cat(strwrap(sprintf("Test: %s, %s", x$test, x$reason), exdent = 2L), sep = "\n")
  cat(sprintf("Adjustment: %s; level %s\n", describe_adjustment(x), level))
  if (!is.null(x$omnibus)) {
    cat(strwrap(describe_htest(x$omnibus, digits), exdent = 2L), sep = "\n")
  }
  percent <- format(100 * x$conf.level)
  cat(sprintf("\nMethods, best first (%s %% intervals of the means):\n", percent))
  table <- if (length(x$cliques)) x$table else x$table[names(x$table) != "letters"]
  numbers <- vapply(table, is.numeric, logical(1L))
  table[numbers] <- lapply(table[numbers], format, digits = digits)
  print(table)
  cat("", strwrap(sprintf("Pairs (estimate: %s):", x$estimate_name), exdent = 2L), sep = "\n")
  pairs <- x$pairs
  rownames(pairs) <- paste(pairs$method_a, "-", pairs$method_b)
  pairs <- pairs[!names(pairs) %in% c("method_a", "method_b", "statistic", "significant")]
  shown <- seq_len(min(most, nrow(pairs)))
  print(format_pairs(pairs[shown, ], digits))
  if (nrow(pairs) > length(shown)) {
    cat(sprintf("... and %d more, see summary()\n", nrow(pairs) - length(shown)))
  }
  cat("\n", paste(strwrap(x$verdict, exdent = 2L), collapse = "\n"), "\n\n", sep = "")
  print_notes(x$notes)
}

describe_adjustment <- function(x) {
  if (!x$is_adjusted) {
    x$adjust
  } else if (is.null(x$critical_difference)) {
    "by the test itself"
  } else {
    sprintf("by the test itself, critical difference %.4g", x$critical_difference)
  }
}

# A test in one line.
describe_htest <- function(x, digits) {
  numbers <- c(x$statistic, x$parameter)
  numbers <- paste(names(numbers), "=", vapply(numbers, format, "", digits = digits))
  p <- format.pval(x$p.value, digits = max(1L, digits - 1L))
  p <- paste("p-value", if (startsWith(p, "<")) p else paste("=", p))
  sprintf("%s: %s", x$method, paste(c(numbers, p), collapse = ", "))
}

#' @rdname pwcstats_comparison
#' @export
summary.pwcstats_comparison <- function(object, ...) {
  refuse_unknown(...)
  methods <- rownames(object$table)
  p <- with_dimnames(matrix(NA_real_, length(methods), length(methods)), methods, methods)
  diag(p) <- 1
  index <- cbind(match(object$pairs$method_a, methods), match(object$pairs$method_b, methods))
  p[index] <- object$pairs$p_adjusted
  p[index[, 2:1, drop = FALSE]] <- object$pairs$p_adjusted
  structure(class = "summary.pwcstats_comparison", c(unclass(object), list(p_values = p)))
}

#' @export
print.summary.pwcstats_comparison <- function(x,
                                              digits = max(3L, getOption("digits") - 3L),
                                              ...) {
  refuse_unknown(...)
  print_comparison(x, digits, nrow(x$pairs))
  cat("Adjusted p-values:\n")
  print(x$p_values, digits = max(1L, digits - 1L), na.print = "")
  cat("\n")
  invisible(x)
}

#' @rdname pwcstats_comparison
#' @export
as.data.frame.pwcstats_comparison <- function(x, # nolint
                                              row.names = NULL, # nolint
                                              optional = FALSE,
                                              ...,
                                              stringsAsFactors = FALSE) { # nolint
  refuse_unknown(...)
  data.frame(
    method = rownames(x$table), x$table,
    row.names = row.names, stringsAsFactors = stringsAsFactors
  )
}

#' @rdname pwcstats_comparison
#' @exportS3Method generics::tidy
tidy.pwcstats_comparison <- function(x, ...) { # nolint
  refuse_unknown(...)
  tidy_pairs(x$pairs)
}

#' @rdname pwcstats_comparison
#' @exportS3Method generics::glance
glance.pwcstats_comparison <- function(x, ...) { # nolint
  refuse_unknown(...)
  data.frame(
    n.methods = nrow(x$table),
    nobs = nrow(x$scores),
    test = x$test,
    adjust = x$adjust,
    conf.level = x$conf.level,
    statistic = first_of(unname(x$omnibus$statistic), NA_real_),
    p.value = first_of(x$omnibus$p.value, NA_real_),
    n.significant = sum(x$pairs$significant),
    best = first_of(x$best, NA_character_)
  )
}
