# Data of the classifiers: a formula, or columns x and classes y, as svm() in e1071 takes them.

# `formula` is the argument of the classifier, which is not evaluated before.
classifier_input <- function(formula, asked, environment, contrasts, scale, call) {
  given <- tryCatch(formula, error = identity)
  if (is.character(given)) {
    abort("formula must be a formula such as y ~ x, not a string; use as.formula().", call)
  }
  if (!inherits(given, "formula")) {
    return(columns_input(columns_asked(asked, call), environment, contrasts, scale, call))
  }
  if (!is.null(asked$x) || !is.null(asked$y)) {
    refuse_both(call)
  }
  machine_input(asked, environment, contrasts, scale, call)
}

# svm(x, y) and svm(x = x, y = y) are the same, so columns and classes may be given as the formula
# and the data. This is the call with the names x and y.
columns_asked <- function(asked, call) {
  by_position <- intersect(c("formula", "data"), names(asked))
  lacking <- setdiff(c("x", "y"), names(asked))
  if (length(by_position) > length(lacking)) {
    refuse_both(call)
  }
  names(asked)[match(by_position, names(asked))] <- lacking[seq_along(by_position)]
  asked
}

refuse_both <- function(call) {
  abort("give a formula and data, or x and y, not both.", call)
}

# As machine_input(), for a matrix and classes. In a model frame with the matrix as a column, R
# handles weights, subset and missing values.
columns_input <- function(asked, environment, contrasts, scale, call) {
  check_flag(scale, "scale", call)
  if (!is.null(contrasts)) {
    abort("contrasts are for factors in a formula; x has columns of numbers.", call)
  }
  if (is.null(asked$x) || is.null(asked$y)) {
    abort("formula must be given, as in y ~ x, or the columns x and the classes y.", call)
  }
  value <- function(x) tryCatch(eval(x, environment), error = function(e) abort_as(e, call))
  x <- value(asked$x)
  refuse_column_of(x, asked, environment, call)
  x <- as_columns(x, call)
  y <- value(asked$y)
  if (!is.atomic(y) || is.matrix(y) || length(y) != nrow(x)) {
    abort(
      sprintf(
        "y must be the class of each of the %d rows of x, got %s.", nrow(x),
        if (is.atomic(y) || is.data.frame(y)) extent(y) else kind(y)
      ),
      call
    )
  }
  frame <- frame_of_columns(asked, x, y, environment, call)
  x <- with_dimnames(unclass(frame$x), rownames(frame), colnames(x))
  check_complete(x, frame, call)
  refuse_no_classes(frame$y, call)
  weights <- read_row_weights(stats::model.weights(frame), nrow(frame), call)
  refuse_no_row(weights, call)
  used <- which(weights > 0)
  scaling <- scaling_of(x, weights, scale)
  attr(frame, "terms") <- NULL
  c(
    list(frame = frame, x = x, y = frame$y, weights = weights, used = used),
    scaling,
    list(rows = rescale(x, scaling))
  )
}

# pwc(iris, Species) looks like the call of a function that takes data and a column.
refuse_column_of <- function(x, asked, environment, call) {
  y <- if (is.name(asked$y)) as.character(asked$y)
  if (is.data.frame(x) && !is.null(y) && y %in% names(x) && !exists(y, environment)) {
    formula <- sprintf("%s ~ .", label_of(asked$y))
    data <- if (is.name(asked$x)) label_of(asked$x) else "data"
    abort(
      sprintf("'%s' is a column of x; give a formula and data, as in %s, %s.", y, formula, data),
      call
    )
  }
}

frame_of_columns <- function(asked, x, y, environment, call) {
  arguments <- c("weights", "subset", "na.action", "clusters")
  ask <- asked[c(1L, match(arguments, names(asked), 0L))]
  ask[[1L]] <- quote(stats::model.frame)
  # They are looked up where the function was called.
  ask$formula <- stats::as.formula("y ~ x", environment)
  ask$data <- data.frame(y = y, row.names = rownames(x))
  ask$data$x <- x
  ask$drop.unused.levels <- TRUE
  tryCatch(eval(ask, environment), error = function(e) abort_as(e, call))
}

# A matrix with row and column names. Duplicated row names are replaced, because a data frame does
# not allow them.
as_columns <- function(x, call) {
  x <- as_numbers(x, "x", call)
  if (length(dim(x)) != 2L || !ncol(x)) {
    abort("x must be a matrix or data frame with a row for each case, and columns.", call)
  }
  columns <- column_names(x)
  rows <- if (anyDuplicated(rownames(x))) NULL else rownames(x)
  with_dimnames(x, first_of(rows, as.character(seq_len(nrow(x)))), columns)
}

# Columns without a name are numbered.
column_names <- function(x) {
  names <- first_of(colnames(x), character(ncol(x)))
  ifelse(is.na(names) | !nzchar(names), sprintf("x%d", seq_len(ncol(x))), names)
}

# Columns of new rows after a fit to x and y, in the order of the fit.
rows_of_columns <- function(object, newdata, na.action, call) { # nolint
  columns <- names(object$center)
  if (is.null(newdata)) {
    return(list(x = columns_of_fit(object), na_action = object$na.action))
  }
  if (length(dim(newdata)) == 2L) {
    newdata <- newdata[, match_columns(newdata, columns, call), drop = FALSE]
  }
  x <- as_numbers(newdata, "newdata", call)
  if (length(dim(x)) != 2L) {
    abort("newdata must be a matrix or data frame with the columns of x.", call)
  }
  kept <- data.frame(row = seq_len(nrow(x)))
  kept$x <- with_dimnames(x, NULL, columns)
  kept <- tryCatch(na.action(kept), error = function(e) abort_as(e, call))
  rows <- first_of(rownames(x), as.character(seq_len(nrow(x))))
  x <- with_dimnames(unclass(kept$x), rows[kept$row], columns)
  list(x = x, na_action = attr(kept, "na.action"))
}

columns_of_fit <- function(object) {
  with_dimnames(unclass(object$model$x), rownames(object$model), names(object$center))
}

# By name, or by position if there are no names. Other columns are ignored.
match_columns <- function(newdata, columns, call) {
  if (is.null(colnames(newdata)) && ncol(newdata) == length(columns)) {
    return(seq_along(columns))
  }
  lacking <- setdiff(columns, column_names(newdata))
  if (length(lacking)) {
    abort(
      sprintf(
        "newdata lacks the %s %s.", ngettext(length(lacking), "column", "columns"),
        quoted(lacking)
      ),
      call
    )
  }
  match(columns, column_names(newdata))
}
