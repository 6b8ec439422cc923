#' Methods for hybrid classifiers
#'
#' Methods for fits by [hybrid()] and [ordinal_hybrid()], besides
#' [those of all classifiers][pwcstats_classifier]. There are also methods for
#' [tidy()][tidy.pwcstats_machines], `glance()` and [augment()][pwcstats_augment] from
#' \pkg{generics} (re-exported by \pkg{broom}).
#'
#' Standard errors, covariances, tests and intervals are those of the integrator with the distances
#' as fixed covariates. They do not account for the fit of the machines.
#'
#' @param x,object A fit by [hybrid()] or [ordinal_hybrid()].
#' @param digits Number of significant digits.
#' @param parm Names or positions of coefficients; by default all.
#' @param level,conf.level Confidence level, by either name.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `summary()` returns a list of class `summary.pwcstats_machines`; its element
#'   `coefficients` is a matrix with estimates, standard errors, z and p-values of the integrator.
#'   [coef()] returns the coefficients of the integrator, `vcov()` their covariance (not after
#'   `integrator = "individualized"`), `confint()` Wald intervals. `logLik()` returns the
#'   log-likelihood of the integrator, without penalty, so [AIC()] and [BIC()] work, too; they
#'   compare integrators of the same groups and rows.
#' @seealso [predict()][predict.pwcstats_machines] for classes, probabilities and distances,
#'   [plot()][plot.pwcstats_machines] for the distances.
#' @examplesIf pwcstats_available()
#' fit <- hybrid(Species ~ Sepal.Length + Sepal.Width, iris)
#' fit
#' summary(fit)
#' coef(fit)
#' confint(fit)
#' @name pwcstats_machines
NULL

#' @rdname pwcstats_machines
#' @export
print.pwcstats_machines <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  print_call(x)
  print_lines(describe_machines(x, digits))
  cat(describe_missing(x), "\n", sep = "")
  invisible(x)
}

# The lines to print, by name.
describe_machines <- function(x, digits) {
  penalty <- c(none = "no penalty", firth = "Firth's penalty")[[x$penalty]]
  c(
    Rows = format(x$nobs),
    Classes = describe_classes(x),
    Machines = sprintf("%d, %s; %s", length(x$norms), describe_learner(x), describe_sides(x)),
    Integrator = sprintf(
      "%s, %s, of %s", x$integrator, penalty,
      if (is.null(x$distance_cv)) "distances of the fit" else "cross-validated distances"
    ),
    Threshold = if (!is.null(x$threshold)) {
      sprintf("%s for %s", format(x$threshold, digits = digits), x$positive)
    },
    Thresholds = if (!is.null(x$class_threshold)) {
      cuts <- x$class_threshold
      paste(format(cuts, digits = digits), names(cuts), sep = " for ", collapse = ", ")
    },
    Aliased = if (length(x$aliased)) {
      sprintf("%s, combinations of other distances", paste(x$aliased, collapse = ", "))
    }
  )
}

describe_classes <- function(x) {
  labels <- as.character(x$classes)
  paste(labels, collapse = if (inherits(x, "pwcstats_ordinal_hybrid")) " < " else ", ")
}

describe_learner <- function(x) {
  if (is.null(x$svm)) sprintf("learner %s", x$learner) else sprintf("%s kernel", x$svm$kernel)
}

# The classes that the machines separate.
describe_sides <- function(x) {
  if (inherits(x, "pwcstats_ordinal_hybrid")) {
    return("a class against those below it")
  }
  if (length(x$classes) > 2L) {
    return(sprintf("%s against another class", x$positive))
  }
  negative <- setdiff(as.character(x$classes), x$positive)
  form <- if (x$split == "folds") {
    "%s against %s in a part of the rows"
  } else if (length(x$norms) > 1L) {
    "%s against a cluster of %s"
  } else {
    "%s against %s"
  }
  sprintf(form, x$positive, negative)
}

#' @rdname pwcstats_machines
#' @export
summary.pwcstats_machines <- function(object, ...) {
  refuse_unknown(...)
  table <- integrator_table(object, sys.call())
  kept <- setdiff(names(object), c("model", "terms", "python", "coefficients"))
  rownames(table) <- names_of_terms(object)
  structure(
    class = c("summary.pwcstats_machines", class(object)[[1L]]),
    c(unclass(object)[kept], list(coefficients = table))
  )
}

#' @export
print.summary.pwcstats_machines <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(..., .also = coefmat_names())
  print_call(x)
  print_lines(c(
    describe_machines(x, digits),
    Norms = paste(names(x$norms), format(x$norms, digits = digits), collapse = ", ")
  ))
  cat("\nCoefficients of the integrator:\n")
  stats::printCoefmat(x$coefficients, digits = digits, ...)
  cat("\nz and p-values treat the distances as fixed\n", describe_missing(x), "\n", sep = "")
  invisible(x)
}

#' @rdname pwcstats_machines
#' @export
vcov.pwcstats_machines <- function(object, ...) {
  # Other methods of vcov() have the argument complete.
  refuse_unknown(..., .also = "complete")
  call <- sys.call()
  covariance <- python$bridge$integrator_covariance(thaw(object, call))
  if (is.null(from_py(covariance))) {
    abort(
      paste(
        "the integrator consists of separate fits, which have no joint covariance; summary() has",
        "standard errors, and integrator = 'multinomial' has a covariance."
      ),
      call
    )
  }
  terms <- names_of_terms(object)
  covariance <- matrix_from_py(covariance)
  # Aliased coefficients are 0 and have no standard error.
  covariance[is.nan(covariance)] <- NA
  with_dimnames(covariance, terms, terms)
}

#' @rdname pwcstats_machines
#' @export
confint.pwcstats_machines <- function(object,
                                      parm,
                                      level = 0.95,
                                      ...,
                                      conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  every <- names_of_terms(object)
  terms <- if (missing(parm)) every else chosen_terms(parm, every, call)
  table <- integrator_table(object, call)
  bounds <- wald_bounds(table[, 1L], table[, 2L], level)
  as_intervals(bounds[match(terms, every), ], terms, level)
}

#' @rdname pwcstats_machines
#' @export
logLik.pwcstats_machines <- function(object, ...) { # nolint
  refuse_unknown(...)
  call <- sys.call()
  found <- from_py(python$bridge$integrator_likelihood(thaw(object, call)))
  if (is.null(found)) {
    abort(
      paste(
        "the integrator consists of separate fits, which have no joint likelihood;",
        "integrator = 'multinomial' has one."
      ),
      call
    )
  }
  structure(found$value, df = found$df, nobs = found$nobs, class = "logLik")
}

#' Hybrid classifiers as data frames
#'
#' Methods for `tidy()` and `glance()` from \pkg{generics} (re-exported by \pkg{broom}).
#'
#' Standard errors, tests and intervals are those of the integrator with the distances as fixed
#' covariates. They do not account for the fit of the machines.
#'
#' @param x A fit by [hybrid()] or [ordinal_hybrid()].
#' @param conf.int Add Wald intervals?
#' @param conf.level,level Confidence level, by either name.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `tidy()` returns a data frame with a row for each coefficient of the integrator: `term`,
#'   `estimate`, `std.error`, `statistic` and `p.value`, as printed by `summary()`, and if requested
#'   `conf.low` and `conf.high`. If there are several equations, `y.level` is the cluster or class
#'   that is compared with the positives or the baseline, or the class of a continuation ratio. With
#'   `integrator = "ordered"`, the slopes come first and then the thresholds, such as `"low/mid"`.
#'
#'   `glance()` returns a data frame with one row: `nobs`, `n.classes`, `n.machines`, `learner`,
#'   `kernel` (`NA` for learners other than support vector machines), `integrator`, the `penalty`
#'   that was used, and the `threshold`, `NA` if there is none.
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
  equations <- equations_of(x)
  table <- integrator_table(x, call)
  rownames(table) <- equations$term
  table <- tidy_table(table, if (conf.int) wald_bounds(table[, 1L], table[, 2L], level))
  if (is.null(equations$class)) table else data.frame(y.level = equations$class, table)
}

# Estimates, standard errors and tests; those of several equations follow each other.
integrator_table <- function(x, call) {
  results <- thaw(x, call)$integrator_
  numbers <- function(name) vector_from_py(results[[name]])
  table <- cbind(
    "Estimate" = numbers("params"),
    "Std. Error" = numbers("bse"),
    "z value" = numbers("tvalues"),
    "Pr(>|z|)" = numbers("pvalues")
  )
  # Aliased coefficients are 0 and have no standard error.
  table[is.nan(table)] <- NA
  table
}

# As in vcov() of multinom() if there are several equations.
names_of_terms <- function(x) {
  equations <- equations_of(x)
  paste0(if (!is.null(equations$class)) paste0(equations$class, ":"), equations$term)
}

# Terms of all coefficients, and their classes if there are several equations.
equations_of <- function(x) {
  estimate <- x$coefficients
  if (is.matrix(estimate)) {
    terms <- colnames(estimate)
    classes <- rownames(estimate)
  } else if (x$chain) {
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
    learner = x$learner,
    kernel = first_of(x$svm$kernel, NA_character_),
    integrator = x$integrator,
    penalty = x$penalty,
    threshold = first_of(x$threshold, NA_real_)
  )
}

#' Predictions from hybrid classifiers
#'
#' `"class"` compares the probability of the positive class with the threshold of the fit, which
#' need not be 1/2. With more than two classes, and after [ordinal_hybrid()], it is the most
#' probable class. `"distance"` gives the signed distances from the decision boundaries of the
#' machines, divided by \eqn{\|w\|}{||w||}. They are positive on the side of the positive class or
#' the baseline, or after [ordinal_hybrid()] on the side of the class that the machine is named
#' after. `"membership"` tells whether the probability of each class is above the threshold of the
#' class, after [ordinal_hybrid()] with `class_threshold`. A row may belong to several classes, or
#' to none.
#'
#' The machines were trained on the rows of the fit, so predictions for these rows are better than
#' for new rows.
#'
#' @param object A fit by [hybrid()] or [ordinal_hybrid()].
#' @param newdata Data frame with the variables of the formula, or after `x` and `y` a matrix or
#'   data frame with the columns of `x`; by default the rows of the fit.
#' @param type `"class"`, `"prob"` (or `"probs"`, `"response"`) for probabilities, `"distance"`, or
#'   `"membership"`.
#' @param na.action How to treat rows of `newdata` with missing values; by default they are `NA` in
#'   the result.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return For `"class"` a factor with the levels of the response, ordered if the response is
#'   ordered (after [ordinal_hybrid()] with a numeric response, numbers). For `"prob"` a matrix with
#'   one column for each class, in the order of the levels; for `"distance"` a matrix with one
#'   column for each machine; for `"membership"` a logical matrix with one column for each class.
#' @examplesIf pwcstats_available()
#' fit <- hybrid(Species ~ Petal.Length + Petal.Width, iris)
#' new <- data.frame(Petal.Length = c(1.5, 4.8, NA), Petal.Width = c(0.3, 1.7, 2))
#' predict(fit, new)
#' predict(fit, new, type = "prob")
#' predict(fit, new, type = "distance")
#' @export
predict.pwcstats_machines <- function(object,
                                      newdata = NULL,
                                      type = c(
                                        "class", "prob", "distance", "membership", "probs",
                                        "response"
                                      ),
                                      na.action = stats::na.pass, # nolint
                                      ...) {
  call <- sys.call()
  refuse_unknown(..., .hints = idioms_of_e1071)
  type <- check_choice(type, call)
  if (type == "membership" && is.null(object$class_threshold)) {
    abort(
      paste(
        "type = 'membership' needs a threshold for each class; fit ordinal_hybrid() with",
        "class_threshold = 'cv', 'prevalence' or numbers."
      ),
      call
    )
  }
  rows <- machine_rows(object, newdata, na.action, call)
  if (type == "class") {
    ask <- function(fit, new) {
      predicted <- call_bridge(fit$predict, new, list(), call)
      match(labels_from_py(predicted), as.character(object$classes))
    }
    code <- predict_known(object, rows, "class", ask, call)[, 1L]
    return(stats::napredict(rows$na_action, object$classes[code]))
  }
  columns <- if (type == "distance") object$distances else as.character(object$classes)
  ask <- function(fit, new) {
    if (type == "distance") {
      matrix_from_py(call_bridge(fit$distances, new, list(), call))
    } else {
      proba_from_py(fit, new, columns, call)
    }
  }
  values <- predict_known(object, rows, columns, ask, call)
  if (type == "membership") {
    values <- sweep(values, 2L, object$class_threshold, ">")
  }
  stats::napredict(rows$na_action, values)
}

# Advice on arguments of predict() in e1071.
idioms_of_e1071 <- c(
  probability = "type = 'prob' has probabilities",
  decision.values = "after pwc() type = 'decision' has decision values"
)

# Scaled columns of new rows, or of the rows of the fit, and which rows have no missing values.
machine_rows <- function(object, newdata, na.action, call) { # nolint
  if (is.null(newdata)) {
    refuse_without_rows(object, call)
  }
  rows <- if (is.null(object$terms)) {
    rows_of_columns(object, newdata, na.action, call)
  } else {
    rows <- rows_of_design(object, newdata, na.action, call)
    list(x = without_intercept(rows$x), na_action = rows$na_action)
  }
  refuse_infinite(rows$x, call)
  x <- rescale(rows$x, object)
  list(x = x, known = which(rowSums(is.na(x)) == 0), na_action = rows$na_action)
}

# Predictions for rows without missing values, and NA for the others.
predict_known <- function(object, rows, columns, ask, call) {
  values <- matrix(
    NA_real_, nrow(rows$x), length(columns),
    dimnames = list(rownames(rows$x), columns)
  )
  if (length(rows$known)) {
    # Before design_to_py(), because this may start Python.
    fit <- thaw(object, call)
    values[rows$known, ] <- ask(fit, list(design_to_py(rows$x, rows$known)))
  }
  values
}

# Python sorts the classes alphabetically.
proba_from_py <- function(fit, new, labels, call) {
  proba <- matrix_from_py(call_bridge(fit$predict_proba, new, list(), call))
  proba[, match(labels, labels_from_py(fit$classes_)), drop = FALSE]
}

# In newdata: the fit has no infinite values. Python would number the rows from 0.
refuse_infinite <- function(x, call) {
  index <- which(is.infinite(x), arr.ind = TRUE)
  if (nrow(index)) {
    abort(
      sprintf(
        "'%s' is infinite in row %s of newdata.", colnames(x)[[index[1L, 2L]]],
        rownames(x)[[index[1L, 1L]]]
      ),
      call
    )
  }
}
