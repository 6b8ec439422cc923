#' Detect infinite maximum likelihood estimates
#'
#' Checks whether the maximum likelihood estimates of a logistic model are finite. If some are not,
#' the result says which, the signs of the infinite estimates, and which rows are predicted without
#' error. The check solves linear programs and does not fit the model.
#'
#' Two classes are those of `glm(family = binomial)`; more classes are those of the multinomial
#' model, as in [firth_multinom()]. The order of an ordered factor is used only with
#' `ordered = TRUE`, for proportional odds (`polr()` in \pkg{MASS}). For continuation ratios, check
#' each stage separately; [cratio()] warns if one is separated. An offset does not change the
#' result.
#'
#' The separation is complete if all rows are predicted without error in the limit, and
#' quasi-complete otherwise. With more than two classes it is possible that no row is predicted
#' without error but a class is ruled out for some rows.
#'
#' For users of `detect_separation()` in \pkg{detectseparation} (formerly in \pkg{brglm2}): that
#' function is given to `glm()` as `method`. This one is called directly, with a formula and data,
#' and also handles more than two classes. As there, [coef()] is `0` for finite estimates and `Inf`
#' or `-Inf` for infinite ones. It is `NaN` if the data do not determine the sign, which is usual if
#' the separation is complete; \pkg{detectseparation} returns the sign of one of many possible
#' directions. If a column is a linear combination of others, the error names it;
#' \pkg{detectseparation} returns `NA`.
#'
#' @section Function of the same name:
#' If \pkg{pwcstats} is attached after \pkg{detectseparation}, calls without a formula, as made by
#' `glm(method = "detect_separation")`, are passed on to that package. If it is attached last, write
#' `pwcstats::detect_separation()`.
#'
#' @inheritParams firth
#' @param formula Model formula. The response is 0 and 1, or logical, or a factor whose first level
#'   is the baseline, or `cbind(successes, failures)`. For `ordered = TRUE` it is an ordered factor
#'   or numeric, and the model always has an intercept.
#' @param weights Frequency weights; only whether they are 0 matters. Rows with weight 0 are left
#'   out.
#' @param ordered Check the proportional odds model?
#' @param x,object A result of `detect_separation()`.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `pwcstats_separation` with the elements
#'   \item{separated}{Whether some estimates are infinite.}
#'   \item{kind}{`"complete"`, `"quasi-complete"` or `"none"`.}
#'   \item{columns}{Names of the columns with infinite estimates.}
#'   \item{directions}{Matrix with one row for each column of the model matrix and one column for
#'     each class but the first: `0` if the estimate is finite, `Inf` or `-Inf` if it is infinite,
#'     `NaN` if it is infinite with a sign that the data do not determine. For `ordered = TRUE`
#'     there is one column, `"direction"`, and the thresholds follow, with the names and signs of
#'     `polr()`.}
#'   \item{rows}{Whether the outcome of each row is predicted without error in the limit; `FALSE`
#'     for rows with weight 0.}
#'   \item{nobs}{Number of rows with positive weight.}
#'   \item{ordered, call, na.action}{The options of the call.}
#'
#'   `coef()` returns the directions, as a vector if there is only one column. `tidy()` returns a
#'   data frame with one row for each column and class, with the directions as `estimate`;
#'   `glance()` returns one row.
#' @seealso [firth()] and [firth_multinom()], whose estimates are finite.
#' @references
#' Albert, A. and Anderson, J. A. (1984) On the existence of maximum likelihood estimates in
#' logistic regression models. *Biometrika* **71**, 1--10. \doi{10.1093/biomet/71.1.1}
#'
#' Konis, K. (2007) *Linear programming algorithms for detecting separated data in binary logistic
#' regression models*. DPhil thesis, University of Oxford.
#' @examplesIf pwcstats_available()
#' # All cases with NV = 1 have a high grade.
#' found <- detect_separation(HG ~ NV + PI + EH, endometrial)
#' found
#' coef(found)
#' endometrial[found$rows, ]
#' firth(HG ~ NV + PI + EH, endometrial)
#'
#' # More than two classes.
#' detect_separation(Species ~ Petal.Length, iris)
#' @export
detect_separation <- function(formula,
                              data,
                              weights,
                              subset,
                              na.action, # nolint
                              contrasts = NULL,
                              ordered = FALSE,
                              ...) {
  call <- full_call()
  other <- other_function("detect_separation", missing(formula), call)
  if (!is.null(other)) {
    return(call_other(other, call, parent.frame()))
  }
  refuse_unknown(..., .hints = c(x = "call detect_separation() with a formula and data"))
  asked <- match.call()
  check_flag(ordered, "ordered", call)
  input <- formula_input(asked, parent.frame(), contrasts, call, intercept = ordered)
  outcomes <- read_outcomes(input, ordered, call)
  # The thresholds replace the intercept.
  x <- if (ordered) input$x[, -1L, drop = FALSE] else input$x
  if (!ncol(x)) {
    abort("without terms there are only thresholds, which are always finite; add a term.", call)
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
      rows_without_error(vector_from_py(results$rows), outcomes$row, input$frame)
    ),
    nobs = length(unique(outcomes$row)),
    ordered = ordered,
    na.action = na_action,
    call = asked
  )
  structure(found, class = "pwcstats_separation")
}

# row        row of the model frame, once for each of its outcomes
# code       number of the class
# classes    labels of the classes in use
read_outcomes <- function(input, ordered, call) {
  y <- input$y
  used <- input$used
  if (is.matrix(y) && !ordered) {
    response <- read_binary(y, call)
    trials <- response$counts * input$weights
    classes <- as.character(response$classes)
    refuse_one_class(rev(classes)[colSums(trials) > 0], call)
    line <- which(trials > 0, arr.ind = TRUE)
    # Successes come first in the response, and are the second class.
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

# Whole numbers are classes. Other numbers are shares, as glm() takes them, or a mistake.
refuse_shares <- function(y, call) {
  if (is_number_like(y) && any(y != round(y))) {
    abort(
      sprintf(
        "the response must be 0 and 1, or classes, got %s; %s.",
        format(y[y != round(y)][[1L]]),
        "give shares as cbind(successes, failures), or classes as a factor"
      ),
      call
    )
  }
}

# A row with several outcomes is predicted without error if all of them are.
rows_without_error <- function(certain, row, frame) {
  rows <- seq_len(nrow(frame))
  stats::setNames(rows %in% row & !rows %in% row[!certain], rownames(frame))
}

#' @rdname detect_separation
#' @export
print.pwcstats_separation <- function(x, ...) {
  refuse_unknown(...)
  print_call(x)
  writeLines(strwrap(describe_separation(x), 0.95 * getOption("width")))
  cat(describe_missing(x))
  if (x$separated) {
    cat("\nSigns of infinite estimates (0 if finite, NaN if not determined):\n")
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
  certain <- if (n) {
    sprintf("%d of %d rows are predicted without error", n, x$nobs)
  } else {
    # This needs more than two classes.
    "no row is predicted without error, but classes are ruled out for some"
  }
  sprintf(
    "There is %s separation: %s, and the %s of %s %s.",
    x$kind, certain,
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
  # drop() would lose the name of a single row.
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
