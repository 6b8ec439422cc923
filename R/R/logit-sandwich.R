#' Robust covariance of logistic fits
#'
#' Methods for `estfun()`, `bread()`, `vcovHC()` and `vcovBS()` of \pkg{sandwich}, on which also
#' `sandwich()`, `meat()` and `vcovCL()` rely. Coefficients are in the order of [vcov()].
#'
#' The sandwich estimator needs estimating functions that sum to 0 at the estimates. For fits with
#' Firth's penalty the scores alone do not. `estfun()` therefore returns the contributions of the
#' rows to the modified score of Firth (1993). For [firth()] these are
#' \eqn{\{w_i (y_i - p_i) + h_i (1/2 - p_i)\} x_i}{[w_i (y_i - p_i) + h_i (1/2 - p_i)] x_i} with hat
#' values \eqn{h_i}, as in the modified scores of Heinze and Schemper (2002), times `2 * tau` if the
#' penalty has another weight; for the others the
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
#' so do `"HC2"` and `"HC3"` of `vcovCL()`. Their factors for leverage are those for `glm()`. A
#' warning of `vcovCL()` that these types are only for `lm()` and `glm()` has no meaning here.
#'
#' If a maximum likelihood estimate is infinite, as [detect_separation()] finds, robust standard
#' errors are far too small: the few rows that decide the estimate all have the same outcome. With
#' 60 rows, 5 of which had `x = 1`, and outcomes of probability about 1/2, tests of `x` at level
#' 0.05 rejected a true hypothesis in 7 % of samples with `vcovHC()`, in 9 % with `vcovCL()`, and in
#' 4 % with likelihood-ratio tests. A warning names the columns; use [anova()][anova.pwcstats_logit]
#' and `confint(fit, method = "profile")`.
#'
#' Rows of weight 0 are left out by `vcovHC()` and `vcovBS()`. Other corrections for small samples,
#' such as `vcovCL(type = "HC1")`, would count them and are refused.
#'
#' `vcovBS()` draws rows or clusters with replacement, and fits the model to each sample. A warning
#' counts the samples that have no finite estimates, and are left out.
#'
#' For fits without penalty, [cratio()] has the estimating functions of its separate `glm()` fits,
#' and [ordered_logit()] those of `clm()` in \pkg{ordinal}.
#'
#' @param x A fit by [firth()] without correction, [firth_multinom()], [cratio()],
#'   [ordered_logit()] or [adjacent_categories()].
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
  refuse_idle_rows(x, parent.frame(), call)
  stats::naresid(x$na.action, row_scores(without_aliased(x)))
}

# sandwich counts rows of weight 0 in corrections for small samples, and finds no leverage for them.
# vcovHC() leaves such rows out, but vcovCL() is not generic. `frame` has the options of the caller.
refuse_idle_rows <- function(x, frame, call) {
  if (environmentName(topenv(frame)) != "sandwich") {
    return()
  }
  type <- first_of(get0("type", frame, inherits = FALSE)[1L], "HC0")
  corrected <- !type %in% c("HC", "HC0") || isTRUE(get0("adjust", frame, inherits = FALSE))
  if (corrected && any(row_weights_used(x) == 0)) {
    abort(
      paste(
        "corrections for small samples would count rows of weight 0; use type = 'HC0', or fit",
        "without these rows."
      ),
      call
    )
  }
}

without_idle_rows <- function(x) {
  x$model <- x$model[row_weights_used(x) > 0, , drop = FALSE]
  x$na.action <- NULL
  x
}

#' @rdname pwcstats_sandwich
#' @exportS3Method sandwich::bread
bread.pwcstats_logit <- function(x, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  refuse_other_equations(x, call)
  # sandwich() calls estfun() twice, and bread() once.
  warn_of_separation(x, call)
  nrow(x$model) * without_aliased(x)$vcov
}

# The outcomes of few rows vary little at such estimates, so a robust covariance is far too small.
warn_of_separation <- function(x, call) {
  infinite <- infinite_terms(x, call)
  if (length(infinite)) {
    warn(
      sprintf(
        paste(
          "robust standard errors are too small, because maximum likelihood estimates are infinite",
          "(%s); use anova(fit) and confint(fit, method = 'profile')."
        ),
        list_some(infinite)
      ),
      call
    )
  }
}

# Names of the columns whose maximum likelihood estimates are infinite.
infinite_terms <- function(x, call) {
  x <- without_aliased(without_idle_rows(x))
  design <- model.matrix.pwcstats_logit(x)
  ordered <- inherits(x, "pwcstats_ordered_logit")
  if (inherits(x, "pwcstats_firth")) {
    trials <- read_binary(one_column(stats::model.response(x$model)), call)$counts
    line <- which(trials > 0, arr.ind = TRUE)
    # Successes come first in the response.
    code <- 3L - line[, 2L]
    design <- design[line[, 1L], , drop = FALSE]
  } else {
    code <- class_codes(x)
  }
  labels <- as.character(x$classes)
  if (inherits(x, "pwcstats_cratio")) {
    stages <- match(x$stages, labels)
    passed <- if (x$direction == "backward") `<=` else `>=`
    reached <- lapply(stages, function(stage) which(passed(code, stage)))
    code <- unlist(Map(function(rows, stage) 1L + (code[rows] == stage), reached, stages))
    parts <- Map(function(z, rows) z[rows, , drop = FALSE], link_designs(x, design), reached)
    design <- with_dimnames(do.call(rbind, parts), NULL, names(x$se))
    labels <- c("other", "stage")
  } else if (inherits(x, "pwcstats_adjacent")) {
    # The same directions separate the binary logits of all pairs of classes.
    sums <- c(0, Reduce(`+`, link_designs(x, design), accumulate = TRUE))
    pairs <- utils::combn(length(labels), 2L, simplify = FALSE)
    rows <- lapply(pairs, function(pair) which(code %in% pair))
    code <- unlist(Map(function(rows, pair) 1L + (code[rows] == pair[[2L]]), rows, pairs))
    parts <- Map(function(rows, pair) {
      (sums[[pair[[2L]]]] - sums[[pair[[1L]]]])[rows, , drop = FALSE]
    }, rows, pairs)
    design <- with_dimnames(do.call(rbind, parts), NULL, names(x$se))
    labels <- c("lower", "higher")
  } else if (ordered) {
    design <- design[, -1L, drop = FALSE]
  }
  if (!ncol(design)) {
    return(character())
  }
  load_python(call)
  found <- call_python(
    "detect_separation",
    list(codes_to_py(as.integer(code), labels, ordered), design_to_py(design)),
    list(ordered = ordered),
    call
  )
  directions <- matrix_from_py(found$directions)[seq_len(ncol(design)), , drop = FALSE]
  colnames(design)[rowSums(!is.finite(directions)) > 0]
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
      sprintf(
        "%s needs finite estimates, but the data are separated; fit with penalty = 'firth'.", what
      ),
      call
    )
  }
}

#' @rdname pwcstats_sandwich
#' @exportS3Method sandwich::vcovHC
vcovHC.pwcstats_logit <- function(x, type = "HC3", ...) { # nolint
  call <- sys.call()
  if (inherits(x, "pwcstats_firth")) {
    method <- utils::getS3method("vcovHC", "default", envir = asNamespace("sandwich"))
    return(method(without_aliased(without_idle_rows(x)), type = type, ...))
  }
  refuse_unknown(...)
  if (missing(type)) {
    abort("give type = 'HC0' or 'HC1'; the default 'HC3' needs a fit by firth().", call)
  }
  check_choice(type, call, c("HC", "HC0", "HC1"), "type")
  sandwich::sandwich(without_idle_rows(x), adjust = type == "HC1")
}

#' @rdname pwcstats_sandwich
#' @exportS3Method sandwich::vcovBS
vcovBS.pwcstats_logit <- function(x, cluster = NULL, R = 250, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  check_count(R, "R", call, least = 2)
  refuse_other_equations(x, call)
  warn_of_separation(x, call)
  x <- without_aliased(x)
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
  weights <- row_weights_used(x)
  used <- which(weights > 0)
  rows <- split(used, match(cluster[used], unique(cluster[used])))
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
    pwcstats_ordered_logit = ordered_logit, pwcstats_adjacent = adjacent_categories
  )
  x <- model.matrix.pwcstats_logit(object)
  x <- x[, first_of(columns, colnames(x)), drop = FALSE]
  y <- stats::model.response(object$model)
  offset <- stats::model.offset(object$model)
  constant <- colnames(x) == "(Intercept)"
  formula <- if (all(constant)) y ~ 1 else if (any(constant)) y ~ x else y ~ x - 1
  x <- x[, !constant, drop = FALSE]
  options <- c("direction", "penalty", "parallel", "tau", "correction")
  options <- object[intersect(options, names(object))]
  more <- if (!is.null(offset)) list(offset = quote(offset))
  arguments <- c(list(formula = formula, weights = quote(weights)), more, options)
  eval(as.call(c(list(fitters[[class(object)[[1L]]]]), arguments)))
}
