#' Profile likelihood of logistic fits
#'
#' Computes how the (penalised) likelihood falls when one coefficient is fixed and the others
#' maximise it. A profile that is not straight shows that a Wald interval is a poor approximation.
#'
#' The result has the class of [profile()] for `glm()` fits, so `plot()` and `pairs()` draw it
#' (for R before 4.4 attach \pkg{MASS}). `confint()` of the profile equals
#' [`confint(fit, method = "profile")`][confint.pwcstats_logit]: it computes the bounds and does not
#' interpolate.
#'
#' @param fitted A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()] with finite estimates. After `firth(correction = "flac")`, the
#'   likelihood is that of the augmented data; with `"flic"`, the profiles are those of the fit
#'   without correction, without the intercept's.
#' @param which Names or numbers of the coefficients, by default all.
#' @param alpha The profiles end at the bounds of intervals of level `1 - alpha`.
#' @param n_points Number of points on each side of the estimate.
#' @param object A result of `profile()`.
#' @param parm,level As in [stats::confint()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `"profile.glm"` with one data frame for each coefficient. Its column `z`
#'   is the signed root of the likelihood-ratio statistic, in equal steps; `par.vals` is a matrix
#'   with the values of all coefficients.
#' @examplesIf pwcstats_available() && requireNamespace("MASS", quietly = TRUE)
#' fit <- firth(HG ~ NV + PI + EH, endometrial)
#' curves <- profile(fit)
#' confint(curves)
#' library(MASS)
#' plot(curves)
#' @name profile.pwcstats_logit
#' @importFrom stats profile
#' @export
profile.pwcstats_logit <- function(fitted, which = NULL, alpha = 0.01, n_points = 10, ...) {
  call <- sys.call()
  refuse_unknown(...)
  check_level(alpha, "alpha", call)
  fitted <- without_aliased(fitted)
  every <- names <- names(fitted$se)
  if (identical(fitted$correction, "flic")) {
    # FLIC's intercept has no profile.
    names <- setdiff(names, "(Intercept)")
  }
  chosen <- if (is.null(which)) names else chosen_terms(which, names, call, "which")
  fit <- thaw(fitted, call)
  options <- list(alpha = number_to_py(alpha), n_points = count_to_py(n_points))
  table <- call_bridge(fit$profile, list(), options, call)
  order <- python_order(fitted)
  values <- matrix_from_py(table)[, order, drop = FALSE]
  rows_order <- if (length(names) == length(every)) order else seq_along(names)
  n_rows <- nrow(values) / length(names)
  z <- vector_from_py(table$index$get_level_values(1L))[seq_len(n_rows)]
  curves <- lapply(match(chosen, names), function(k) {
    rows <- (rows_order[[k]] - 1L) * n_rows + seq_len(n_rows)
    curve <- data.frame(z = z)
    curve$par.vals <- with_dimnames(values[rows, , drop = FALSE], NULL, every)
    curve
  })
  # Other methods for profiles expect coef() to be a vector.
  fitted$coefficients <- flat_coefficients(fitted)
  as_profile(fitted, stats::setNames(curves, chosen))
}

#' @rdname profile.pwcstats_logit
#' @export
confint.pwcstats_profile <- function(object, parm = names(object), level = 0.95, ...) {
  refuse_unknown(...)
  stats::confint(attr(object, "original.fit"), parm, level = level, method = "profile")
}
