#' Profile likelihoods of Bradley-Terry and Plackett-Luce fits
#'
#' `profile()` follows the (penalised) likelihood of each coefficient, maximised over all others.
#' The result has the class of profiles of `glm()`, so that `plot()`, `pairs()` and `confint()` of
#' \pkg{MASS} (of \pkg{stats} from R 4.4.0 on) work.
#'
#' `confint()` of the result equals `confint(fit, method = "profile")`: it computes the bounds and
#' does not interpolate.
#'
#' @param fitted A fit by [bt()] or [plackett_luce()], without clusters and random effects.
#' @param which Names or numbers of the coefficients, by default all.
#' @param alpha Significance level of the ends of the profile.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `profile.glm` with a data frame for each coefficient: `z`, the signed
#'   root of twice the fall of the log-likelihood, and `par.vals`, a matrix of all coefficients.
#' @examplesIf pwcstats_available() && requireNamespace("MASS", quietly = TRUE)
#' profiles <- profile(bt(citations))
#' confint(profiles)
#' plot(profiles)
#' @name bt_profile
NULL

#' @rdname bt_profile
#' @importFrom stats profile
#' @export
profile.pwcstats_abilities <- function(fitted, which = NULL, alpha = 0.01, ...) {
  call <- sys.call()
  refuse_unknown(...)
  check_level(alpha, "alpha", call)
  refuse_random_effects(
    fitted, "a profile of this kind", "use confint(fit, method = 'profile')", call
  )
  terms <- names(fitted$coefficients)
  chosen <- if (is.null(which)) terms else chosen_terms(which, terms, call, "which")
  fit <- thaw(fitted, call)
  one <- function(term) {
    index <- count_to_py(match(term, terms) - 1L)
    answer <- call_bridge(python$bridge$profile_path, list(fit, index, alpha), list(), call)
    path <- matrix_from_py(answer)
    points <- data.frame(z = path[, 1L])
    points$par.vals <- with_dimnames(path[, -1L, drop = FALSE], NULL, terms)
    points
  }
  as_profile(fitted, lapply(stats::setNames(nm = chosen), one))
}
