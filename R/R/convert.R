# Everything that crosses between R and Python crosses here. Numbers go as whole NumPy arrays over
# R's own memory; labels go beside them, so that Python's messages use the user's names, and where
# there are no names count from 1.

# A double array with the same dimensions, or a sentence about what came instead.
as_numbers <- function(x, name, call) {
  if (is.data.frame(x)) {
    bad <- !vapply(x, is_number_like, logical(1L))
    if (any(bad)) {
      abort(
        sprintf("%s must hold numbers, but its column '%s' does not.", name, names(x)[bad][[1L]]),
        call
      )
    }
    x <- as.matrix(x)
  }
  if (!is_number_like(x)) {
    abort(
      sprintf("%s must be a numeric vector, matrix, array or data frame, not %s.", name, kind(x)),
      call
    )
  }
  if (is.object(x)) {
    x <- unclass(x)
  }
  # A plain vector of length one would become a Python scalar.
  x <- as.array(x)
  # Even for doubles the assignment would copy.
  if (!is.double(x)) {
    storage.mode(x) <- "double"
  }
  x
}

is_number_like <- function(x) {
  (is.numeric(x) || is.logical(x)) && !is.factor(x)
}

kind <- function(x) {
  shape <- if (is.matrix(x)) "matrix" else if (is.array(x)) "array" else class(x)[[1L]]
  if (shape %in% c("matrix", "array")) paste(typeof(x), shape) else shape
}

# Labels that users see: character, or NULL for none.
as_labels <- function(x) {
  if (is.null(x)) NULL else if (is.factor(x)) levels(x) else as.character(x)
}

index_to_py <- function(labels, length) {
  if (is.null(labels)) {
    python$pandas$RangeIndex(1L, length + 1L)
  } else {
    python$pandas$Index(labels_to_py(labels))
  }
}

# Without the list a single label would become a Python string, not a list of one.
labels_to_py <- function(labels) {
  to_py(if (length(labels) == 1L) list(labels) else labels)
}

# A function gets its arguments as R's own.
to_py <- function(x) {
  reticulate::r_to_py(x, convert = is.function(x))
}

series_to_py <- function(x, labels) {
  python$pandas$Series(to_py(x), index = index_to_py(labels, length(x)), copy = FALSE)
}

frame_to_py <- function(x, rows, columns) {
  python$pandas$DataFrame(
    to_py(x),
    index = index_to_py(rows, nrow(x)),
    columns = index_to_py(columns, ncol(x)),
    copy = FALSE
  )
}

# An n x K x K array as the frame that pandas.concat makes of n frames. There samples are told apart
# by their labels, so labels that repeat give way to numbers.
stack_to_py <- function(x, samples, rows, columns) {
  size <- dim(x)
  if (anyDuplicated(samples)) {
    samples <- NULL
  }
  values <- python$numpy$reshape(to_py(x), c(size[[1L]] * size[[2L]], size[[3L]]))
  index <- list(index_to_py(samples, size[[1L]]), index_to_py(rows, size[[2L]]))
  python$pandas$DataFrame(
    values,
    index = python$pandas$MultiIndex$from_product(index),
    columns = index_to_py(columns, size[[3L]]),
    copy = FALSE
  )
}

# Numbers of labels, counted from 1 (0 is none of them), as a column of categories.
codes_to_py <- function(codes, labels, ordered = FALSE) {
  codes <- to_py(as.array(codes - 1L))
  python$pandas$Categorical$from_codes(codes, labels_to_py(labels), ordered = ordered)
}

# Labels of any kind, one a row, as a column of strings; what is missing is missing there, too.
strings_to_py <- function(x) {
  x <- as_strings(x)
  labels <- unique(x[!is.na(x)])
  codes_to_py(match(x, labels, nomatch = 0L), labels)$astype("object")
}

# Whole numbers as users write them: 100000, not 1e+05.
as_strings <- function(x) {
  if (is.double(x) && !is.object(x) && is_whole(x)) {
    replace(format(x, scientific = FALSE, trim = TRUE), is.na(x), NA)
  } else {
    as.character(x)
  }
}

is_whole <- function(x) {
  known <- x[!is.na(x)]
  all(is.finite(known)) && all(known == round(known))
}

# A column of numbers, of which some may be missing.
numbers_to_py <- function(x) {
  to_py(as.array(as.double(x)))
}

# Numbers that tell rows apart: in messages 2 is not to be 2.0. An integer NA would be a number.
places_to_py <- function(x) {
  if (!is_number_like(x) || is.logical(x) || is.object(x)) {
    return(strings_to_py(x))
  }
  whole <- !anyNA(x) && is_whole(x) && all(abs(x) <= .Machine$integer.max)
  to_py(as.array(if (whole) as.integer(x) else as.double(x)))
}

# reticulate's dict() would take the name "1" for a number.
by_name_to_py <- function(x) {
  reticulate::py_dict(as.list(names(x)), unname(as.list(x)))
}

# A frame of columns that are Python's already, by name.
columns_to_py <- function(columns, rows) {
  index <- python$pandas$Index(to_py(as.array(rows)))
  python$pandas$DataFrame(by_name_to_py(columns), index = index)
}

# In R 2 is a whole number too; Python tells 2.0 from 2, and refuses what is no whole number.
count_to_py <- function(x) {
  whole <- is.numeric(x) && !anyNA(x) && all(x == round(x))
  if (whole) to_py(as.integer(x)) else number_to_py(x)
}

# A bare NA is logical in R, and would be True in Python.
number_to_py <- function(x) {
  to_py(if (is.logical(x)) as.double(x) else x)
}

from_py <- function(x) {
  reticulate::py_to_r(x)
}

# A series or array as an R array without names: R has the labels already.
array_from_py <- function(x) {
  from_py(python$numpy$asarray(x))
}

# A frame or array with two dimensions as a matrix without names. Python writes into the matrix,
# which takes a third of the time that reticulate's conversion does.
matrix_from_py <- function(x) {
  x <- python$numpy$asarray(x)
  size <- unlist(from_py(x$shape))
  result <- matrix(0, size[[1L]], size[[2L]])
  filled <- length(result) == 0L || from_py(python$bridge$fill(to_py(result), x))
  if (filled) result else from_py(x)
}

# Lower and upper bounds, one row each, whatever the shape they come in.
bounds_from_py <- function(x) {
  matrix_from_py(python$numpy$reshape(python$numpy$asarray(x), c(-1L, 2L)))
}

# What crosses of the result of a test: degrees of freedom, statistic and p-value.
test_from_py <- function(x) {
  c(from_py(x$df), from_py(x$statistic), from_py(x$p_value))
}

# The result of a test as plain R data; what it has not is NULL.
result_from_py <- function(x) {
  field <- function(name) unlist(from_py(x[[name]]))
  list(
    statistic = as.double(field("statistic")),
    statistic_name = field("statistic_name"),
    df = if (!is.null(field("df"))) as.double(field("df")),
    p_value = field("p_value"),
    conf_int = field("conf_int"),
    estimate = field("estimate"),
    estimate_name = field("estimate_name"),
    std_error = field("std_error"),
    alternative = sub("-", ".", field("alternative"), fixed = TRUE),
    method = field("method"),
    notes = notes_from_py(x$notes)
  )
}

notes_from_py <- function(x) {
  vapply(as.character(unlist(from_py(x))), function(note) from_py(python$bridge$for_r(note)), "",
    USE.NAMES = FALSE
  )
}

# A series with labels as a named vector.
named_from_py <- function(x) {
  stats::setNames(as.vector(array_from_py(x)), labels_from_py(x$index))
}

# Columns of a frame as a data frame: labels first, then numbers, then TRUE and FALSE.
columns_from_py <- function(x, labels = NULL, numbers = NULL, flags = NULL) {
  column <- function(name) reticulate::py_get_item(x, name)
  values <- matrix_from_py(reticulate::py_get_item(x, labels_to_py(numbers)))
  # What is not there is NaN in Python.
  values[is.nan(values)] <- NA
  colnames(values) <- numbers
  do.call(data.frame, c(
    lapply(stats::setNames(nm = labels), function(name) labels_from_py(column(name))),
    list(values),
    lapply(stats::setNames(nm = flags), function(name) as.vector(array_from_py(column(name)))),
    # Labels of users, as those of learners, need not be names of variables.
    list(check.names = FALSE)
  ))
}

labels_from_py <- function(x) {
  as.character(from_py(x$tolist()))
}
