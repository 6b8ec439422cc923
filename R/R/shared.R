# Helpers for the methods of several classes.

# The first argument that is not NULL.
first_of <- function(...) {
  Find(Negate(is.null), list(...))
}

with_dimnames <- function(x, rows, columns) {
  dimnames(x) <- list(rows, columns)
  x
}

# a' V b for the rows a and b of two matrices.
quadratic_forms <- function(left, v, right) {
  rowSums((left %*% v) * right)
}

# Printing.

print_call <- function(x) {
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
}

# Named entries, one on each line.
print_lines <- function(lines) {
  width <- max(12L, nchar(names(lines)) + 2L)
  cat(paste0(formatC(paste0(names(lines), ":"), width = -width), lines, "\n"), sep = "")
}

print_notes <- function(notes) {
  if (length(notes)) {
    cat(strwrap(paste("note:", notes), exdent = 2L), "", sep = "\n")
  }
}

# A model: its call, what it is, its coefficients and its deviance.
print_model <- function(x, title, end, digits) {
  print_call(x)
  cat(title, "\n\nCoefficients:\n", sep = "")
  print(format(x$coefficients, digits = digits), quote = FALSE)
  cat(describe_missing(x), "\n", describe_deviance(x, digits), "\n", sep = "")
  if (!x$converged) {
    cat(end, "\n", sep = "")
  }
  invisible(x)
}

# The last lines of a summary.
print_end <- function(x, end, digits) {
  cat(describe_missing(x), "\n", describe_deviance(x, digits), "\n", sep = "")
  cat("AIC: ", format(x$aic, digits = max(4L, digits + 1L)), "\n", sep = "")
  cat(end, "\n\n", sep = "")
  invisible(x)
}

# The number of rows that were left out, as lm() prints it.
describe_missing <- function(x) {
  note <- stats::naprint(x$na.action)
  if (nzchar(note)) sprintf("  (%s)\n", note) else ""
}

describe_deviance <- function(x, digits) {
  sprintf(
    "Residual deviance: %s on %s degrees of freedom; log-likelihood: %s",
    format(x$deviance, digits = max(5L, digits + 1L)), format(x$df.residual, digits = 7L),
    format(x$loglik, digits = max(5L, digits + 1L))
  )
}

describe_iterations <- function(x) {
  sprintf("%s, iterations: %d", if (x$converged) "Converged" else "Not converged", x$iter)
}

# Tables of coefficients.

# With p-values of the t distribution with `df` degrees of freedom, which is normal for Inf.
coefficient_table <- function(estimate, se, df = Inf) {
  se <- if (is.null(se)) rep(NA_real_, length(estimate)) else se
  z <- estimate / se
  table <- cbind(estimate, se, z, 2 * stats::pt(-abs(z), df))
  letter <- if (is.finite(df)) "t" else "z"
  columns <- c("Estimate", "Std. Error", paste(letter, "value"), sprintf("Pr(>|%s|)", letter))
  with_dimnames(table, names(estimate), columns)
}

# Arguments of printCoefmat() and of print(), to which it passes them.
coefmat_names <- function() {
  names(c(formals(stats::printCoefmat), formals(print.default)))
}

# With broom's names; `bounds` may be NULL.
tidy_table <- function(table, bounds) {
  colnames(table) <- c("estimate", "std.error", "statistic", "p.value")
  result <- data.frame(term = rownames(table), table, row.names = NULL)
  if (!is.null(bounds)) {
    result$conf.low <- unname(bounds[, 1L])
    result$conf.high <- unname(bounds[, 2L])
  }
  result
}

glance_row <- function(x) {
  data.frame(
    logLik = x$loglik,
    AIC = stats::AIC(x),
    BIC = stats::BIC(x),
    deviance = x$deviance,
    df.residual = x$df.residual,
    nobs = x$nobs,
    converged = x$converged
  )
}

# Confidence intervals.

tails <- function(level) {
  c((1 - level) / 2, 1 - (1 - level) / 2)
}

# An infinite standard error gives an interval without bounds, even if the estimate is infinite.
wald_bounds <- function(estimate, se, level, df = Inf) {
  estimate[is.infinite(se)] <- 0
  estimate + se %o% stats::qt(tails(level), df)
}

# Profiles with the class of those of glm(). Before R 4.4.0, MASS has the methods for them.
as_profile <- function(fitted, curves) {
  requireNamespace("MASS", quietly = TRUE)
  structure(
    curves,
    original.fit = fitted, summary = summary(fitted),
    class = c("pwcstats_profile", "profile.glm", "profile")
  )
}

# With the column names of confint().
as_intervals <- function(bounds, terms, level) {
  percent <- format(100 * tails(level), trim = TRUE, scientific = FALSE, digits = 3L)
  matrix(bounds, ncol = 2L, dimnames = list(terms, paste(percent, "%")))
}

chosen_terms <- function(parm, terms, call, name = "parm", what = "coefficients") {
  chosen <- if (is.numeric(parm)) terms[parm] else as.character(parm)
  odd <- is.na(chosen) | !chosen %in% terms
  if (any(odd)) {
    abort(
      sprintf("%s must be among the %s, got '%s'.", name, what, format(parm[odd][[1L]])), call
    )
  }
  chosen
}

# Tests between models.

# Names that anova() may find in `...`: those of fits, which may also have none.
names_of_fits <- function(further, class) {
  fits <- vapply(further, inherits, logical(1L), class)
  named <- nzchar(first_of(names(further), character(length(further))))
  c("", names(further)[fits & named])
}

# Tests of each model against the one before it; the rows of `tests` are statistics and p-values.
# A smaller model after a larger one has negative differences, as in anova.glm().
sequential_table <- function(fits, tests, more = list()) {
  npar <- vapply(fits, function(fit) as.double(fit$df), numeric(1L))
  change <- diff(npar)
  data.frame(c(list(npar = npar), more, list(
    Df = c(NA, change),
    Deviance = c(NA, sign(change) * tests[1L, ]),
    p = c(NA, tests[2L, ])
  )))
}

as_anova <- function(table, title, models) {
  names(table)[[length(table)]] <- "Pr(>Chi)"
  structure(
    table,
    heading = c(sprintf("%s\n", title), models),
    class = c("anova", "data.frame")
  )
}

number_models <- function(descriptions) {
  paste(sprintf("Model %d: %s", seq_along(descriptions), descriptions), collapse = "\n")
}

# Predictions.

# The first of the most probable columns; NA where probabilities are missing.
most_probable <- function(proba) {
  vapply(seq_len(nrow(proba)), function(row) which.max(proba[row, ])[1L], 1L)
}

# Classes or probabilities as the user gets them.
class_or_proba <- function(proba, object, type, na_action) {
  # Like multinom() and polr(), predicted classes have no names.
  result <- if (type == "class") object$classes[most_probable(proba)] else proba
  stats::napredict(na_action, result)
}

# Simulations.

# As simulate() of lm(): the state of the generator or the seed, and a function that restores the
# state if a seed was set.
start_random <- function(seed) {
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) {
    stats::runif(1L)
  }
  old <- get(".Random.seed", globalenv())
  if (is.null(seed)) {
    return(list(seed = old, restore = function() NULL))
  }
  set.seed(seed)
  list(
    seed = structure(seed, kind = as.list(RNGkind())),
    restore = function() assign(".Random.seed", old, globalenv())
  )
}
