#' Tests of a Bradley-Terry fit
#'
#' `compare_items()` compares the abilities of two items; `goodness_of_fit()` compares the model
#' with one that has a probability for each pair that met. For tests between models see
#' [anova][pwcstats_bt].
#'
#' The deviance has a chi-squared distribution only if pairs met several times; the method's name in
#' the result says so where they did not.
#'
#' @param object A fit by [bt()].
#' @param i,j Two items; the estimate is the ability of `i` less that of `j`.
#' @param level,conf.level Level of the confidence interval, by either name.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `htest`.
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' fit <- bt(wins)
#' compare_items(fit, "a", "b")
#' goodness_of_fit(fit)
#' @export
compare_items <- function(object, ...) {
  UseMethod("compare_items")
}

#' @rdname compare_items
#' @export
compare_items.pwcstats_bt <- function(object,
                                      i,
                                      j,
                                      level = 0.95,
                                      ...,
                                      conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  options <- list(i = as.character(i), j = as.character(j), alpha = 1 - level)
  result <- call_bridge(thaw(object, call)$contrast, list(), options, call)
  by_t <- is.finite(object$df.inference)
  test <- structure(
    class = "htest",
    list(
      statistic = stats::setNames(from_py(result$statistic), if (by_t) "t" else "z"),
      p.value = from_py(result$p_value),
      conf.int = structure(unlist(from_py(result$conf_int)), conf.level = level),
      estimate = c("difference of abilities" = from_py(result$estimate)),
      null.value = c("difference of abilities" = 0),
      stderr = from_py(result$std_error),
      alternative = "two.sided",
      method = from_py(result$method),
      data.name = sprintf("%s and %s", i, j)
    )
  )
  if (by_t) {
    test$parameter <- c(df = object$df.inference)
  }
  test
}

#' @rdname compare_items
#' @export
goodness_of_fit <- function(object, ...) {
  UseMethod("goodness_of_fit")
}

#' @rdname compare_items
#' @export
goodness_of_fit.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  call <- sys.call()
  result <- call_bridge(thaw(object, call)$goodness_of_fit, list(), list(), call)
  structure(
    class = "htest",
    list(
      statistic = c(deviance = from_py(result$statistic)),
      parameter = c(df = from_py(result$df)),
      p.value = from_py(result$p_value),
      method = from_py(result$method),
      data.name = paste(deparse(object$call), collapse = " ")
    )
  )
}
