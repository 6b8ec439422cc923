#' What a hybrid classifier says
#'
#' Methods for the fits of [hybrid()] and [ordinal_hybrid()]. Besides those shown here, [terms()],
#' [model.frame()] and [update()] work as with other models, [coef()] has the coefficients of the
#' integrator, and there are methods for the functions [tidy()][tidy.pwcstats_machines], `glance()`
#' and [augment()][pwcstats_augment] of \pkg{generics} (which \pkg{broom} has too).
#'
#' Standard errors and tests in the summary are those of the integrator, for distances as if they
#' were given: they do not know that the machines were fitted too.
#'
#' @param x,object A fit by [hybrid()] or [ordinal_hybrid()].
#' @param digits Number of significant digits.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `summary()` a list of class `summary.pwcstats_machines`, whose element `coefficients` is
#'   a matrix with estimates, standard errors, z and p-values of the integrator; `nobs()` the number
#'   of rows; `fitted()` the probabilities of the rows of the fit.
#' @seealso [predict()][predict.pwcstats_machines] for classes, probabilities and distances,
#'   [plot()][plot.pwcstats_machines] of the distances.
#' @examplesIf pwcstats_available()
#' fit <- hybrid(Species ~ Sepal.Length + Sepal.Width, iris)
#' fit
#' summary(fit)
#' coef(fit)
#' @name pwcstats_machines
NULL

#' @rdname pwcstats_machines
#' @export
print.pwcstats_machines <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  print_lines(describe_machines(x, digits))
  cat(describe_missing(x), "\n", sep = "")
  invisible(x)
}

print_lines <- function(lines) {
  cat(paste0(formatC(paste0(names(lines), ":"), width = -12L), lines, "\n"), sep = "")
}

# What a print has, by name.
describe_machines <- function(x, digits) {
  penalty <- c(none = "no penalty", firth = "Firth's penalty")[[x$penalty]]
  c(
    Rows = format(x$nobs),
    Classes = describe_classes(x),
    Machines = sprintf("%d, %s kernel; %s", length(x$norms), x$svm$kernel, describe_sides(x)),
    Integrator = sprintf(
      "%s, %s, of %s", x$integrator, penalty,
      if (is.null(x$distance_cv)) "distances of the fit" else "held-out distances"
    ),
    Threshold = if (!is.null(x$threshold)) {
      sprintf("%s, of %s", format(x$threshold, digits = digits), x$positive)
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

# Which rows the machines tell apart.
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
  place <- equations_of(object)
  rownames(table) <- if (is.null(place$class)) {
    place$term
  } else {
    paste0(place$class, ":", place$term)
  }
  structure(
    class = c("summary.pwcstats_machines", class(object)[[1L]]),
    c(unclass(object)[kept], list(coefficients = table))
  )
}

#' @export
print.summary.pwcstats_machines <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(..., .also = coefmat_names())
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  print_lines(c(
    describe_machines(x, digits),
    Norms = paste(names(x$norms), format(x$norms, digits = digits), collapse = ", ")
  ))
  cat("\nCoefficients of the integrator:\n")
  stats::printCoefmat(x$coefficients, digits = digits, ...)
  cat("\nz and its p-values take the distances as given\n", describe_missing(x), "\n", sep = "")
  invisible(x)
}

#' @rdname pwcstats_machines
#' @export
nobs.pwcstats_machines <- function(object, ...) {
  # drop1() and step() pass use.fallback.
  refuse_unknown(..., .also = "use.fallback")
  object$nobs
}

#' @rdname pwcstats_machines
#' @importFrom stats fitted
#' @export
fitted.pwcstats_machines <- function(object, ...) {
  refuse_unknown(...)
  predict(object, type = "prob")
}

#' @rdname pwcstats_machines
#' @importFrom stats formula
#' @export
formula.pwcstats_machines <- function(x, ...) {
  # as.formula() asks so.
  refuse_unknown(..., .also = "env")
  stats::formula(x$terms)
}

#' Predictions of hybrid classifiers
#'
#' `"class"` compares the probability of the positive class with the threshold of the fit, which
#' need not be one half; with more than two classes, and after [ordinal_hybrid()], it is the most
#' probable class. `"distance"` has the signed distances from the borders of the machines, divided
#' by \eqn{\|w\|}{||w||}: positive on the side of the positive class or the baseline, or after
#' [ordinal_hybrid()] of the class that the machine is named after.
#'
#' Rows of the fit are measured by machines that were trained on them, so that their predictions are
#' better than those of new rows.
#'
#' @param object A fit by [hybrid()] or [ordinal_hybrid()].
#' @param newdata Data frame with the variables of the formula; by default the rows of the fit.
#' @param type `"class"`, `"prob"` (or `"probs"`, `"response"`) for probabilities, or `"distance"`.
#' @param na.action What to do with rows of `newdata` in which something is missing; by default they
#'   are `NA` in the result.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return For `"class"` a factor with the levels of the response, ordered if it is (after
#'   [ordinal_hybrid()] numbers, if the response has numbers). For `"prob"` a matrix with one column
#'   a class, in the order of the levels, for `"distance"` one with one column a machine.
#' @examplesIf pwcstats_available()
#' fit <- hybrid(Species ~ Petal.Length + Petal.Width, iris)
#' new <- data.frame(Petal.Length = c(1.5, 4.8, NA), Petal.Width = c(0.3, 1.7, 2))
#' predict(fit, new)
#' predict(fit, new, type = "prob")
#' predict(fit, new, type = "distance")
#' @export
predict.pwcstats_machines <- function(object,
                                      newdata = NULL,
                                      type = c("class", "prob", "distance", "probs", "response"),
                                      na.action = stats::na.pass, # nolint
                                      ...) {
  call <- sys.call()
  refuse_unknown(..., .hints = idioms_of_e1071)
  type <- check_choice(type, eval(formals(sys.function())$type), "type", call)
  rows <- machine_rows(object, newdata, na.action, call)
  if (type == "class") {
    ask <- function(fit, new) {
      called <- call_bridge(fit$predict, new, list(), call)
      match(labels_from_py(called), as.character(object$classes))
    }
    place <- ask_known(object, rows, "class", ask, call)[, 1L]
    return(stats::napredict(rows$na_action, object$classes[place]))
  }
  columns <- if (type == "distance") object$distances else as.character(object$classes)
  ask <- function(fit, new) {
    if (type == "distance") {
      matrix_from_py(call_bridge(fit$distances, new, list(), call))
    } else {
      proba_from_py(fit, new, columns, call)
    }
  }
  stats::napredict(rows$na_action, ask_known(object, rows, columns, ask, call))
}

# What users of e1071 write, and would look for in attributes that are not there.
idioms_of_e1071 <- c(
  probability = "type = \"prob\" has probabilities",
  decision.values = "after pwc() type = \"decision\" has decision values"
)

# Columns of new rows as the machines see them, or of those of the fit; and which rows are known.
machine_rows <- function(object, newdata, na.action, call) { # nolint
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

# What the fit says of the rows that are known, one column each; NA of the others.
ask_known <- function(object, rows, columns, ask, call) {
  values <- matrix(
    NA_real_, nrow(rows$x), length(columns),
    dimnames = list(rownames(rows$x), columns)
  )
  if (length(rows$known)) {
    # Before anything is asked: it may be what starts Python.
    fit <- thaw(object, call)
    values[rows$known, ] <- ask(fit, list(design_to_py(rows$x, rows$known)))
  }
  values
}

# Python has the classes in the order of the alphabet.
proba_from_py <- function(fit, new, labels, call) {
  proba <- matrix_from_py(call_bridge(fit$predict_proba, new, list(), call))
  proba[, match(labels, labels_from_py(fit$classes_)), drop = FALSE]
}

# The fit has none, and Python would number the rows from 0.
refuse_infinite <- function(x, call) {
  place <- which(is.infinite(x), arr.ind = TRUE)
  if (nrow(place)) {
    abort(
      sprintf(
        "'%s' is infinite in row %s of newdata.", colnames(x)[[place[1L, 2L]]],
        rownames(x)[[place[1L, 1L]]]
      ),
      call
    )
  }
}
