#' Sandwich covariances of Bradley-Terry fits
#'
#' Methods for `bread()` and `estfun()` of package \pkg{sandwich}, so that `sandwich()`, `vcovCL()`
#' and, without a tie parameter, `vcovHC()` work for fits by [bt()]. `vcovBS()` stops with an error.
#'
#' `estfun()` has one row for each row of [model.frame()], as after `glm()`. If each row is one
#' comparison, or has `weights`, `sandwich(fit)` is the covariance of a fit with
#' `cov_type = "HC0"`. If rows count several comparisons, or the data are a matrix of wins,
#' `sandwich()` treats a row as one observation, and `cov_type = "HC0"` each comparison.
#'
#' `vcovCL(fit, cluster, type = "HC1")` is the covariance of a fit with the argument `cluster`, if
#' each row is one comparison: both multiply by G / (G - 1) and (n - 1) / (n - p). The default
#' `type` of `vcovCL()` has only the first factor. `vcovCL()` counts all coefficients as p; if
#' abilities sum to 0 (`ref = NA`), one of them is not free. Give clusters as a vector.
#'
#' Scores are those of the likelihood without penalties, so their sum is 0 only after maximum
#' likelihood.
#'
#' @param x A fit by [bt()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `estfun()` returns a matrix of scores with a row for each row of the fit and a column for
#'   each coefficient. `bread()` returns the covariance of the coefficients from the information,
#'   multiplied by the number of rows.
#' @examplesIf pwcstats_available() && requireNamespace("sandwich", quietly = TRUE)
#' votes <- transform(arena, result = c(first = 1, tie = 0.5, second = 0)[as.character(winner)])
#' fit <- bt(result, first, second, data = votes, ties = "davidson")
#' clustered <- update(fit, cluster = user)
#' all.equal(vcov(clustered), sandwich::vcovCL(fit, votes$user, type = "HC1"))
#' @name bt_sandwich
NULL

#' @rdname bt_sandwich
#' @exportS3Method sandwich::bread
bread.pwcstats_bt <- function(x, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  refuse_random_effects(x, "a sandwich covariance", "use vcov()", call)
  information_vcov(x, call) * nrow(x$model)
}

#' @rdname bt_sandwich
#' @exportS3Method sandwich::estfun
estfun.pwcstats_bt <- function(x, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  refuse_random_effects(x, "scores", "use vcov()", call)
  model <- outcome_models[[x$ties]](predict.pwcstats_bt(x, type = "link"), tie_of(x))
  ratio <- outcome_counts(x) / model$p
  scores <- row_slopes(x, call) * rowSums(ratio * model$by_link)
  if (has_tie_parameter(x)) {
    scores[, "(tie)"] <- rowSums(ratio * model$by_tie)
  }
  scores
}

# The default method would give rows to update() as a subset of the data.
#' @exportS3Method sandwich::vcovBS
vcovBS.pwcstats_abilities <- function(x, ...) { # nolint
  abort(
    "vcovBS() cannot draw samples of this fit; fit with cov_type = 'HC0' or cluster instead.",
    sys.call()
  )
}

#' @exportS3Method sandwich::bread
bread.pwcstats_pl <- function(x, ...) { # nolint
  refuse_scores(sys.call())
}

#' @exportS3Method sandwich::estfun
estfun.pwcstats_pl <- function(x, ...) { # nolint
  refuse_scores(sys.call())
}

refuse_scores <- function(call) {
  abort("scores of rankings are not available; fit with cov_type = 'HC0' or cluster.", call)
}
