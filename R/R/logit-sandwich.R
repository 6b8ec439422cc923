#' Robust covariance of logistic fits
#'
#' Methods for `estfun()`, `bread()`, `vcovHC()` and `vcovBS()` of \pkg{sandwich}, on which also
#' `sandwich()`, `meat()` and `vcovCL()` rely. Coefficients are in the order of [vcov()].
#'
#' The sandwich estimator needs estimating functions that sum to 0 at the estimates. For fits with
#' Firth's penalty the scores alone do not. `estfun()` therefore returns the contributions of the
#' rows to the modified score of Firth (1993). For [firth()] these are
#' \eqn{\{w_i (y_i - p_i) + h_i (1/2 - p_i)\} x_i}{[w_i (y_i - p_i) + h_i (1/2 - p_i)] x_i} with hat
#' values \eqn{h_i}, as in the modified scores of Heinze and Schemper (2002); for the others the
#' derivative of the penalty, which is a sum over rows, is divided among them in the same way. The
#' hat values, or the covariance of the estimates, are taken as known. The penalty's part vanishes
#' relative to the score as the number of rows grows. `estfun()` of a fit by `brglmFit()` from
#' \pkg{brglm2}, which is the method for `glm()`, leaves it out.
#'
#' `bread()` is the number of rows times `vcov()`, the inverse information. As for `glm()`, each row
#' is one unit, regardless of its weight or its number of trials. Rows that belong together need
#' `vcovCL()`.
#'
#' The types `"HC2"` to `"HC5"` of `vcovHC()` use hat values, so they need a fit by [firth()], and
#' so do `"HC2"` and `"HC3"` of `vcovCL()`. Their factors for leverage are those for `glm()`.
#'
#' `vcovBS()` draws rows or clusters with replacement, and fits the model to each sample. A warning
#' counts the samples that have no finite estimates, and are left out.
#'
#' For fits without penalty, [cratio()] has the estimating functions of its separate `glm()` fits,
#' and [ordered_logit()] those of `clm()` in \pkg{ordinal}.
#'
#' @param x A fit by [firth()] without correction, [firth_multinom()], [cratio()] or
#'   [ordered_logit()].
#' @param type Type of the estimator, see `vcovHC()` of \pkg{sandwich}.
#' @param cluster Vector, factor or data frame with the cluster of each row of the fit, or a formula
#'   such as `~ clinic`; one variable. By default each row is a cluster.
#' @param R Number of bootstrap samples.
#' @param ... For `vcovHC()`, passed to the default method; otherwise it must be empty.
#' @return `estfun()` returns a matrix with one row for each row of the fit, the others a covariance
#'   matrix.
#' @references
#' Zeileis, A. (2006) Object-oriented computation of sandwich estimators. *Journal of Statistical
#' Software* **16**(9), 1--16. \doi{10.18637/jss.v016.i09}
#'
#' Heinze, G. and Schemper, M. (2002) A solution to the problem of separation in logistic
#' regression. *Statistics in Medicine* **21**, 2409--2419. \doi{10.1002/sim.1047}
#' @examplesIf pwcstats_available() && requireNamespace("sandwich", quietly = TRUE)
#' fit <- firth(am ~ wt + hp, mtcars)
#' sandwich::sandwich(fit)
#' sandwich::vcovCL(fit, cluster = mtcars$cyl)
#' @examplesIf pwcstats_available() && requireNamespace("lmtest", quietly = TRUE)
#' lmtest::coeftest(firth(am ~ wt + hp, mtcars), vcov. = sandwich::sandwich)
#' @name pwcstats_sandwich
NULL

#' @rdname pwcstats_sandwich
#' @exportS3Method sandwich::estfun
estfun.pwcstats_logit <- function(x, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  refuse_other_equations(x, call)
  stats::naresid(x$na.action, row_scores(x))
}

#' @rdname pwcstats_sandwich
#' @exportS3Method sandwich::bread
bread.pwcstats_logit <- function(x, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  refuse_other_equations(x, call)
  nrow(x$model) * x$vcov
}

refuse_other_equations <- function(x, call) {
  if (first_of(x$correction, "none") != "none") {
    abort(
      sprintf(
        "a sandwich covariance needs a fit without correction, got correction = '%s'.",
        x$correction
      ),
      call
    )
  }
  refuse_infinite_estimates(x, "a sandwich covariance", call)
}

refuse_infinite_estimates <- function(x, what, call) {
  if (isTRUE(x$separated)) {
    abort(
      sprintf("%s needs finite estimates; fit with penalty = 'firth'.", what), call
    )
  }
}

#' @rdname pwcstats_sandwich
#' @exportS3Method sandwich::vcovHC
vcovHC.pwcstats_logit <- function(x, type = "HC3", ...) { # nolint
  if (inherits(x, "pwcstats_firth")) {
    return(NextMethod())
  }
  call <- sys.call()
  refuse_unknown(...)
  check_choice(type, call, c("HC", "HC0", "HC1"), "type")
  sandwich::sandwich(x, adjust = type == "HC1")
}

#' @rdname pwcstats_sandwich
#' @exportS3Method sandwich::vcovBS
vcovBS.pwcstats_logit <- function(x, cluster = NULL, R = 250, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  check_count(R, "R", call, least = 2)
  refuse_other_equations(x, call)
  n <- nrow(x$model)
  if (is.null(cluster)) {
    cluster <- seq_len(n)
  } else if (inherits(cluster, "formula")) {
    variables <- stats::expand.model.frame(x, cluster, na.expand = FALSE)
    cluster <- stats::model.frame(cluster, variables, na.action = stats::na.pass)
  }
  if (is.list(cluster) && length(cluster) == 1L) {
    cluster <- cluster[[1L]]
  }
  if (!is.atomic(cluster) || length(cluster) != n || anyNA(cluster)) {
    abort(
      sprintf(
        "cluster must have one value for each of the %d rows of the fit, none of them missing.", n
      ),
      call
    )
  }
  rows <- split(seq_len(n), match(cluster, unique(cluster)))
  weights <- row_weights_used(x)
  estimates <- vapply(seq_len(R), function(i) {
    drawn <- unlist(rows[sample.int(length(rows), replace = TRUE)])
    estimates_or_missing(refit(x, weights = weights * tabulate(drawn, n)), x$df)
  }, numeric(x$df))
  known <- colSums(!is.finite(rbind(estimates))) == 0
  if (!all(known)) {
    warn(
      sprintf(
        "%d of the %d samples are left out, because their estimates are infinite or do not exist.",
        sum(!known), R
      ),
      call
    )
  }
  with_dimnames(stats::cov(t(rbind(estimates)[, known, drop = FALSE])), names(x$se), names(x$se))
}

# A sample may lack a class, or have aliased columns or infinite estimates.
estimates_or_missing <- function(fit, size) {
  estimates <- tryCatch(
    withCallingHandlers(
      flat_coefficients(fit),
      pwcstats_warning = function(w) invokeRestart("muffleWarning")
    ),
    pwcstats_error = function(e) NULL
  )
  if (length(estimates) == size) estimates else rep(NA_real_, size)
}

# The same model with some columns of its design matrix, in the same order, or with other weights.
# The formula is not evaluated again: the data may have changed.
refit <- function(object, columns = NULL, weights = row_weights_used(object)) {
  fitters <- list(
    pwcstats_firth = firth, pwcstats_firth_multinom = firth_multinom, pwcstats_cratio = cratio,
    pwcstats_ordered_logit = ordered_logit
  )
  x <- model.matrix.pwcstats_logit(object)
  x <- x[, first_of(columns, colnames(x)), drop = FALSE]
  y <- stats::model.response(object$model)
  offset <- stats::model.offset(object$model)
  constant <- colnames(x) == "(Intercept)"
  formula <- if (all(constant)) y ~ 1 else if (any(constant)) y ~ x else y ~ x - 1
  x <- x[, !constant, drop = FALSE]
  options <- object[intersect(c("direction", "penalty", "parallel"), names(object))]
  more <- if (!is.null(offset)) list(offset = quote(offset))
  arguments <- c(list(formula = formula, weights = quote(weights)), more, options)
  eval(as.call(c(list(fitters[[class(object)[[1L]]]]), arguments)))
}
