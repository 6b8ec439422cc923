#' Would maximum likelihood estimates be infinite?
#'
#' Whether a logistic model's maximum likelihood estimates are finite, which are not, where these go
#' and which rows it is about. Linear programmes decide; nothing is fitted.
#'
#' Two classes are those of `glm(family = binomial)`, more those of the multinomial model, as
#' [firth_multinom()] has it. That an ordered factor has an order is used only with
#' `ordered = TRUE`, for proportional odds (`polr()` of \pkg{MASS}). For continuation ratios, ask
#' about each stage by itself; [cratio()] warns where one is separated. An offset changes nothing.
#'
#' The separation is complete where all rows are predicted without error in the limit, else
#' quasi-complete. With more than two classes it may be that no row is, and yet a class is ruled out
#' for some.
#'
#' Coming from `detect_separation()` of \pkg{detectseparation}, which \pkg{brglm2} once had: it is
#' given to `glm()` as `method`, this one is called by itself, with the arguments of `glm()` that
#' matter, and is for more than two classes too. [coef()] has `0` for finite estimates, and `Inf`
#' and `-Inf`, as there. Where the data leave open which way an estimate goes, as they mostly do if
#' the separation is complete, it is `NaN`; that package has the sign of one direction out of many.
#' A column that is a combination of others is an error that names it, where that one has `NA`.
#'
#' @section Function of the same name:
#' If \pkg{pwcstats} is attached after \pkg{detectseparation}, calls without a formula, as
#' `glm(method = "detect_separation")` makes them, are passed on to that package. If it is attached
#' last, write `pwcstats::detect_separation()` for this function.
#'
#' @inheritParams firth
#' @param formula Model formula. The response is 0 and 1, or logical, or a factor, whose first level
#'   is the baseline, or `cbind(successes, failures)`. For `ordered = TRUE` it is an ordered factor,
#'   or numbers, and there is always an intercept.
#' @param weights How many times each row counts; only whether it is 0 matters, which leaves it out.
#' @param ordered Is the model that of proportional odds?
#' @param x,object What `detect_separation()` found.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `pwcstats_separation` with the elements
#'   \item{separated}{Are some estimates infinite?}
#'   \item{kind}{`"complete"`, `"quasi-complete"` or `"none"`.}
#'   \item{columns}{Names of the columns with infinite estimates.}
#'   \item{directions}{Matrix with one row a column of the design and one column for each class but
#'     the first: `0` where the estimate is finite, `Inf` or `-Inf` where it goes there, `NaN` where
#'     it is infinite with a sign that the data leave open. For `ordered = TRUE` there is one
#'     column, `"direction"`, and the thresholds follow with names and signs as of `polr()`.}
#'   \item{rows}{Is the outcome predicted without error in the limit? One entry a row, with its
#'     name; `FALSE` for rows that do not count.}
#'   \item{nobs}{Number of rows that count.}
#'   \item{ordered, call, na.action}{What was asked.}
#'
#'   `coef()` has the directions, as a vector where they are one column. `tidy()` has them as
#'   `estimate` in a data frame, with one row for each column and class; `glance()` has one row.
#' @seealso [firth()] and [firth_multinom()], whose estimates are finite.
#' @references
#' Albert, A. and Anderson, J. A. (1984) On the existence of maximum likelihood estimates in
#' logistic regression models. *Biometrika* **71**, 1--10. \doi{10.1093/biomet/71.1.1}
#'
#' Konis, K. (2007) *Linear programming algorithms for detecting separated data in binary logistic
#' regression models*. DPhil thesis, University of Oxford.
#' @examplesIf pwcstats_available()
#' # All smokers are ill.
#' patients <- data.frame(
#'   age = c(31, 44, 52, 38, 61, 47, 35, 58, 42, 66, 49, 54),
#'   smoker = c(0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0),
#'   ill = c(0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1)
#' )
#' found <- detect_separation(ill ~ age + smoker, patients)
#' found
#' patients[found$rows, ]
#' firth(ill ~ age + smoker, patients)
#'
#' # More than two classes.
#' detect_separation(Species ~ Petal.Length, iris)
#'
#' if (requireNamespace("brglm2", quietly = TRUE)) {
#'   data(endometrial, package = "brglm2")
#'   coef(detect_separation(HG ~ NV + PI + EH, endometrial))
#' }
#' @export
detect_separation <- function(formula,
                              data,
                              weights,
                              subset,
                              na.action, # nolint
                              contrasts = NULL,
                              ordered = FALSE,
                              ...) {
  call <- sys.call()
  other <- other_function("detect_separation", missing(formula), call)
  if (!is.null(other)) {
    return(call_other(other, call, parent.frame()))
  }
  refuse_unknown(..., .hints = c(x = "call detect_separation() with a formula and data"))
  asked <- match.call()
  check_flag(ordered, "ordered", call)
  input <- formula_input(asked, parent.frame(), contrasts, call, intercept = ordered)
  outcomes <- read_outcomes(input, ordered, call)
  # The thresholds take the place of the intercept.
  x <- if (ordered) input$x[, -1L, drop = FALSE] else input$x
  if (!ncol(x)) {
    abort("without a term there are only thresholds, which are always finite; add a term.", call)
  }

  load_python(call)
  classes <- outcomes$classes
  results <- call_python(
    "detect_separation",
    list(codes_to_py(outcomes$code, classes, ordered), design_to_py(x, outcomes$row)),
    list(ordered = ordered),
    call
  )
  later <- classes[-1L]
  directions <- with_dimnames(
    matrix_from_py(results$directions),
    c(colnames(x), if (ordered) paste0(classes[-length(classes)], "|", later)),
    if (ordered) "direction" else later
  )
  na_action <- attr(input$frame, "na.action")
  found <- list(
    separated = from_py(results$separated),
    kind = from_py(results$kind),
    columns = rownames(directions)[rowSums(is.finite(directions)) < ncol(directions)],
    directions = directions,
    rows = stats::naresid(
      na_action,
      rows_without_error(as.vector(array_from_py(results$rows)), outcomes$row, input$frame)
    ),
    nobs = length(unique(outcomes$row)),
    ordered = ordered,
    na.action = na_action,
    call = asked
  )
  structure(found, class = "pwcstats_separation")
}

# row        of the model frame, once for each outcome that it has
# code       number of the class
# classes    labels, none that no row has
read_outcomes <- function(input, ordered, call) {
  y <- input$y
  used <- input$used
  if (is.matrix(y) && !ordered) {
    response <- read_binary(y, call)
    trials <- response$counts * input$weights
    classes <- as.character(response$classes)
    refuse_one_class(rev(classes)[colSums(trials) > 0], call)
    line <- which(trials > 0, arr.ind = TRUE)
    # Successes stand first in the response, and are the second class.
    return(list(row = unname(line[, 1L]), code = 3L - unname(line[, 2L]), classes = classes))
  }
  if (ordered) {
    classes <- read_ordered(y, used, call)
    return(list(row = used, code = classes$code, classes = classes$labels))
  }
  refuse_shares(y, call)
  classes <- read_classes(y, used, call)
  list(row = used, code = as.integer(classes), classes = levels(classes))
}

# Whole numbers are classes; others are the shares that glm() takes, or a mistake.
refuse_shares <- function(y, call) {
  if (is_number_like(y) && any(y != round(y))) {
    abort(
      sprintf(
        "the response must be 0 and 1, or classes, got %s; %s.",
        format(y[y != round(y)][[1L]]),
        "give shares as cbind(successes, failures), and classes as a factor"
      ),
      call
    )
  }
}

# Of a row with several outcomes all must be.
rows_without_error <- function(certain, row, frame) {
  rows <- seq_len(nrow(frame))
  stats::setNames(rows %in% row & !rows %in% row[!certain], rownames(frame))
}

#' @rdname detect_separation
#' @export
print.pwcstats_separation <- function(x, ...) {
  refuse_unknown(...)
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  writeLines(strwrap(describe_separation(x), 0.95 * getOption("width")))
  cat(describe_missing(x))
  if (x$separated) {
    cat("\nWhere the estimates go (0 is finite, NaN infinite with either sign):\n")
    print(x$directions)
  }
  cat("\n")
  invisible(x)
}

describe_separation <- function(x) {
  if (!x$separated) {
    return("There is no separation: all maximum likelihood estimates are finite.")
  }
  several <- length(x$columns) > 1L
  n <- sum(x$rows, na.rm = TRUE)
  sure <- if (n) {
    sprintf("%d of %d rows are predicted without error", n, x$nobs)
  } else {
    # Of more than two classes.
    "no row is predicted without error, but classes are ruled out for some"
  }
  sprintf(
    "There is %s separation: %s, and the %s of %s %s.",
    x$kind, sure,
    if (several) "maximum likelihood estimates" else "maximum likelihood estimate",
    paste(x$columns, collapse = ", "),
    if (several) "are infinite" else "is infinite"
  )
}

#' @rdname detect_separation
#' @importFrom stats coef
#' @export
coef.pwcstats_separation <- function(object, ...) {
  refuse_unknown(...)
  directions <- object$directions
  if (ncol(directions) > 1L) {
    return(directions)
  }
  # drop() would take the name of a single row.
  stats::setNames(as.vector(directions), rownames(directions))
}

#' @rdname detect_separation
#' @exportS3Method generics::tidy
tidy.pwcstats_separation <- function(x, ...) { # nolint
  refuse_unknown(...)
  directions <- x$directions
  table <- data.frame(
    term = rep(rownames(directions), ncol(directions)),
    estimate = as.vector(directions)
  )
  if (ncol(directions) == 1L) {
    return(table)
  }
  data.frame(y.level = rep(colnames(directions), each = nrow(directions)), table)
}

#' @rdname detect_separation
#' @exportS3Method generics::glance
glance.pwcstats_separation <- function(x, ...) { # nolint
  refuse_unknown(...)
  data.frame(
    separated = x$separated,
    kind = x$kind,
    n.infinite = sum(!is.finite(x$directions)),
    n.rows = sum(x$rows, na.rm = TRUE),
    nobs = x$nobs
  )
}
