# Results of tests as class htest, with Python's notes.

# `names` are the names of statistic, estimate and null value if they differ from Python's.
as_htest <- function(result, data_name, level = NULL, names = list(), ...) {
  x <- result_from_py(result)
  estimate <- first_of(names$estimate, x$estimate_name)
  estimated <- !is.null(x$estimate)
  parts <- list(
    statistic = stats::setNames(x$statistic, first_of(names$statistic, x$statistic_name)),
    parameter = if (!is.null(x$df)) {
      stats::setNames(x$df, if (length(x$df) == 2L) c("num df", "denom df") else "df")
    },
    p.value = x$p_value,
    conf.int = if (!is.null(x$conf_int)) structure(x$conf_int, conf.level = level),
    estimate = if (estimated) stats::setNames(x$estimate, estimate),
    null.value = if (estimated) stats::setNames(0, first_of(names$null, estimate)),
    stderr = x$std_error,
    alternative = if (estimated) x$alternative,
    method = x$method,
    data.name = data_name,
    notes = x$notes,
    ...
  )
  structure(
    class = c("pwcstats_htest", "htest"),
    parts[!vapply(parts, is.null, logical(1L))]
  )
}

#' @export
print.pwcstats_htest <- function(x, ...) {
  # Arguments of print() for htest.
  refuse_unknown(..., .also = c("digits", "prefix"))
  NextMethod()
  print_notes(x$notes)
  invisible(x)
}

name_of_pair <- function(a, b) {
  paste(deparse1(a), "and", deparse1(b))
}
