#' Tests of a Bradley-Terry fit
#'
#' `compare_items()` compares the abilities of two items. `goodness_of_fit()` compares the model
#' with one that has a separate probability for each pair. For tests between models see
#' [anova][pwcstats_bt].
#'
#' Pearson's statistic and the deviance have chi-squared distributions only if pairs met often.
#' If expected counts are small, `goodness_of_fit()` therefore simulates the p-value: it draws
#' tables from the fitted model, and fits the model to each. It uses Cochran's rule: an expected
#' count is below 1, or more than a fifth of them are below 5. Tables cannot be simulated if numbers
#' of comparisons are fractions, or after `ties = "half"` with ties; a note then says that the
#' p-value is not reliable.
#'
#' @param object A fit by [bt()].
#' @param i,j Two items; the estimate is the ability of `i` minus that of `j`.
#' @param level,conf.level Confidence level, by either name.
#' @param statistic `"pearson"` for the sum of squared differences between observed and expected
#'   counts, each divided by the expected count; `"deviance"` for the likelihood-ratio statistic.
#' @param p_value `"chi2"` for the chi-squared distribution, `"bootstrap"` for simulated tables,
#'   `"auto"` to simulate if expected counts are small.
#' @param n_draws Number of simulated tables.
#' @param seed Seed of the simulation. R's random number generator is not used.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `htest`. The result of `goodness_of_fit()` has an element `notes`, which
#'   is also printed: why the p-value was simulated, or why it is not reliable.
#' @examplesIf pwcstats_available()
#' fit <- bt(citations)
#' compare_items(fit, "JRSS-B", "Biometrika")
#' goodness_of_fit(fit)
#' @export
compare_items <- function(object, ...) {
  UseMethod("compare_items")
}

#' @rdname compare_items
#' @export
compare_items.pwcstats_abilities <- function(object,
                                      i,
                                      j,
                                      level = 0.95,
                                      ...,
                                      conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  if (missing(i) || missing(j)) {
    example <- paste0("\"", utils::head(object$items, 2L), "\"", collapse = ", ")
    abort(sprintf("give the two items to compare, as in compare_items(fit, %s).", example), call)
  }
  level <- read_level(call)
  options <- list(i = as.character(i), j = as.character(j), alpha = 1 - level)
  result <- call_bridge(thaw(object, call)$contrast, list(), options, call)
  difference <- "difference of abilities"
  names <- list(
    statistic = if (is.finite(object$df.inference)) "t" else "z",
    estimate = difference,
    null = difference
  )
  as_htest(result, sprintf("%s and %s", i, j), level, names)
}

#' @rdname compare_items
#' @export
goodness_of_fit <- function(object, ...) {
  UseMethod("goodness_of_fit")
}

#' @rdname compare_items
#' @export
goodness_of_fit.pwcstats_bt <- function(object,
                                        statistic = c("pearson", "deviance"),
                                        p_value = c("auto", "chi2", "bootstrap"),
                                        n_draws = 999,
                                        seed = 0,
                                        ...) {
  call <- sys.call()
  refuse_unknown(...)
  fit <- thaw(object, call)
  options <- list(
    statistic = first_choice(statistic),
    p_value = first_choice(p_value),
    n_draws = count_to_py(n_draws),
    random_state = count_to_py(seed)
  )
  result <- call_bridge(fit$goodness_of_fit, list(), options, call)
  as_htest(result, paste(deparse(object$call), collapse = " "))
}
