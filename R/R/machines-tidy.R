#' Hybrid classifiers as data frames
#'
#' Methods for the functions `tidy()` and `glance()` of \pkg{generics} (which \pkg{broom} has too).
#'
#' Standard errors, tests and intervals are those of the integrator, for distances as if they were
#' given: they do not know that the machines were fitted too.
#'
#' @param x A fit by [hybrid()] or [ordinal_hybrid()].
#' @param conf.int Add Wald's intervals?
#' @param conf.level,level Their level, by either name.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `tidy()` a data frame with a row for each coefficient of the integrator: `term`,
#'   `estimate`, `std.error`, `statistic` and `p.value`, the numbers that `summary()` prints, and
#'   perhaps `conf.low` and `conf.high`. Where there are several equations `y.level` says which: the
#'   cluster or class that is compared with the positives or the baseline, or the class of
#'   continuation ratios. With `integrator = "ordered"` the thresholds after the first are
#'   logarithms of the steps from one to the next.
#'
#'   `glance()` a data frame with one row: `nobs`, `n.classes`, `n.machines`, `kernel`,
#'   `integrator`, the `penalty` that was used, and the `threshold`, `NA` if there is none.
#' @seealso [summary()][pwcstats_machines]
#' @examplesIf pwcstats_available() && requireNamespace("generics", quietly = TRUE)
#' fit <- hybrid(Species ~ Sepal.Length + Sepal.Width, iris)
#' generics::tidy(fit)
#' generics::glance(fit)
#' @name tidy.pwcstats_machines
NULL

#' @rdname tidy.pwcstats_machines
#' @exportS3Method generics::tidy
tidy.pwcstats_machines <- function(x, # nolint
                                   conf.int = FALSE, # nolint
                                   conf.level = 0.95, # nolint
                                   ...,
                                   level = conf.level) {
  call <- sys.call()
  refuse_unknown(...)
  check_flag(conf.int, "conf.int", call)
  level <- read_level(call)
  place <- equations_of(x)
  table <- integrator_table(x, call)
  rownames(table) <- place$term
  table <- tidy_table(table, if (conf.int) wald_bounds(table[, 1L], table[, 2L], level))
  if (is.null(place$class)) table else data.frame(y.level = place$class, table)
}

# Estimates, errors and tests; of several equations one after the other, as Python's columns are.
integrator_table <- function(x, call) {
  results <- thaw(x, call)$integrator_
  numbers <- function(name) as.vector(array_from_py(results[[name]]))
  table <- cbind(
    "Estimate" = numbers("params"),
    "Std. Error" = numbers("bse"),
    "z value" = numbers("tvalues"),
    "Pr(>|z|)" = numbers("pvalues")
  )
  # A coefficient that is 0 since it is aliased has no error.
  table[is.nan(table)] <- NA
  table
}

# Terms of all coefficients, and if there are several equations the class of each.
equations_of <- function(x) {
  estimate <- x$coefficients
  if (is.matrix(estimate)) {
    terms <- colnames(estimate)
    classes <- rownames(estimate)
  } else if (x$integrator == "cratio") {
    terms <- c("(Intercept)", x$selected)
    classes <- as.character(x$classes)[-1L]
  } else {
    return(list(term = names(estimate)))
  }
  list(term = rep(terms, length(classes)), class = rep(classes, each = length(terms)))
}

#' @rdname tidy.pwcstats_machines
#' @exportS3Method generics::glance
glance.pwcstats_machines <- function(x, ...) { # nolint
  refuse_unknown(...)
  data.frame(
    nobs = x$nobs,
    n.classes = length(x$classes),
    n.machines = length(x$norms),
    kernel = x$svm$kernel,
    integrator = x$integrator,
    penalty = x$penalty,
    threshold = first_of(x$threshold, NA_real_)
  )
}
