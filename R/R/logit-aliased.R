# Aliased columns of firth() and firth_multinom(), which are linear combinations of the columns
# before them. As after glm(), their coefficients are NA. `aliased` has the names of the columns.

# The missing coefficients of Python, which are NaN there, do not count as coefficients.
with_missing <- function(found) {
  parts <- c("coefficients", "vcov", "se")
  found[parts] <- lapply(found[parts], function(values) replace(values, is.nan(values), NA))
  found$df <- sum(!is.na(found$se))
  found$df.residual <- found$df.residual + length(found$se) - found$df
  first <- rbind(found$coefficients)[1L, ]
  found$aliased <- names(first)[is.na(first)]
  found
}

# The fit as one without aliased columns, for computations with the others. Its `columns` are the
# names of the columns that model.matrix() then has.
without_aliased <- function(object) {
  if (!length(object$aliased)) {
    return(object)
  }
  estimate <- object$coefficients
  columns <- setdiff(colnames(model.matrix.pwcstats_logit(object)), object$aliased)
  known <- !is.na(object$se)
  object$columns <- columns
  object$coefficients <- if (is.matrix(estimate)) {
    estimate[, columns, drop = FALSE]
  } else {
    estimate[columns]
  }
  object$vcov <- object$vcov[known, known, drop = FALSE]
  object$se <- object$se[known]
  object$aliased <- NULL
  object
}

# The columns of a design matrix that such a fit has.
kept_columns <- function(x, object) {
  if (is.null(object$columns)) {
    return(x)
  }
  kept <- colnames(x) %in% object$columns
  structure(
    x[, kept, drop = FALSE],
    assign = attr(x, "assign")[kept], contrasts = attr(x, "contrasts")
  )
}

refuse_aliased <- function(object, what, call) {
  if (length(object$aliased)) {
    abort(
      sprintf(
        "%s needs the coefficients of all columns, but those of %s are NA; %s.",
        what, quoted(object$aliased),
        "simplify the formula so that no column is a combination of others"
      ),
      call
    )
  }
}

# The design matrix of the rows that determine which columns are aliased, with all columns.
counting_design <- function(object) {
  x <- design_of(object$terms, object$model, object$contrasts, NULL)
  weight <- row_weights_used(object)
  if (inherits(object, "pwcstats_firth")) {
    weight <- trials_of(object)$weight
  }
  x[weight > 0, , drop = FALSE]
}

# An orthonormal basis of the combinations of coefficients that no row of the fit determines.
null_basis <- function(x, aliased) {
  combination <- qr.coef(qr(x[, !aliased, drop = FALSE]), x[, aliased, drop = FALSE])
  basis <- matrix(0, ncol(x), sum(aliased))
  basis[!aliased, ] <- combination
  basis[aliased, ] <- -diag(sum(aliased))
  qr.Q(qr(basis))
}

# Rows of a design matrix whose linear predictors depend on missing coefficients. glm() counts them
# as 0, too.
warn_of_aliased <- function(object, x, call) {
  every <- counting_design(object)
  aliased <- !colnames(every) %in% object$columns
  known <- which(rowSums(is.na(x)) == 0)
  z <- x[known, , drop = FALSE]
  basis <- null_basis(every, aliased)
  # As in package estimability.
  odd <- rowSums((z %*% basis)^2) > 1e-8 * rowSums(z^2)
  if (any(odd)) {
    warn(
      sprintf(
        "predictions of rows %s need the coefficients of %s, which are NA and count as 0.",
        list_some(rownames(x)[known[odd]]), quoted(colnames(every)[aliased])
      ),
      call
    )
  }
}

# The test of some columns of a fit. There is none if other columns take their place.
term_test <- function(object, fit, columns, call) {
  if (length(object$aliased)) {
    x <- counting_design(object)
    rest <- x[, !colnames(x) %in% columns, drop = FALSE]
    if (qr(rest)$rank == ncol(x) - length(object$aliased)) {
      return(c(0, 0, NA))
    }
  }
  held_test(fit, columns, call)
}
