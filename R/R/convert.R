# All conversion between R and Python is here. Numbers are passed as NumPy arrays that share R's
# memory. Labels are passed with them, so that Python's messages show the user's names; without
# names they count from 1.

# A double array with the same dimensions, or an error.
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
  # The assignment copies, even for doubles.
  if (!is.double(x)) {
    storage.mode(x) <- "double"
  }
  x
}

is_number_like <- function(x) {
  (is.numeric(x) || is.logical(x)) && !is.factor(x)
}

# Labels as character, or NULL for none.
as_labels <- function(x) {
  if (is.null(x)) NULL else if (is.factor(x)) levels(x) else as.character(x)
}

# To Python.

# Functions receive their arguments as R objects. R's NA is a signalling NaN, at which NumPy warns;
# NaN is not.
to_py <- function(x) {
  if (is.double(x) && anyNA(x)) {
    x[is.na(x)] <- NaN
  }
  reticulate::r_to_py(x, convert = is.function(x))
}

index_to_py <- function(labels, length) {
  if (is.null(labels)) {
    python$pandas$RangeIndex(1L, length + 1L)
  } else {
    python$pandas$Index(labels_to_py(labels))
  }
}

# Without list() a single label would become a Python string, not a list of one.
labels_to_py <- function(labels) {
  to_py(if (length(labels) == 1L) list(labels) else labels)
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

# An n x K x K array as the frame that pandas.concat makes from n frames. The index identifies
# samples by their labels, so duplicated labels are replaced by numbers.
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

# Integer codes from 1 (0 is missing) as a categorical column.
codes_to_py <- function(codes, labels, ordered = FALSE) {
  codes <- to_py(as.array(codes - 1L))
  python$pandas$Categorical$from_codes(codes, labels_to_py(labels), ordered = ordered)
}

# Labels of any type as a column of strings; missing ones stay missing.
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

# A column of numbers, some of which may be missing.
numbers_to_py <- function(x) {
  to_py(as.array(as.double(x)))
}

# Numbers that identify rows. Whole numbers become integers, so that messages show 2 and not 2.0,
# unless some are missing: Python has no missing integer.
ids_to_py <- function(x) {
  if (!is_number_like(x) || is.logical(x) || is.object(x)) {
    return(strings_to_py(x))
  }
  whole <- !anyNA(x) && is_whole(x) && all(abs(x) <= .Machine$integer.max)
  to_py(as.array(if (whole) as.integer(x) else as.double(x)))
}

# reticulate::dict() would convert the name "1" to a number.
by_name_to_py <- function(x) {
  reticulate::py_dict(as.list(names(x)), unname(as.list(x)))
}

# Types of columns for DataFrame.astype(): all floating-point numbers.
floats_to_py <- function(columns) {
  by_name_to_py(stats::setNames(rep(list("float64"), length(columns)), columns))
}

# A frame from a named list of Python columns.
columns_to_py <- function(columns, rows) {
  index <- python$pandas$Index(to_py(as.array(rows)))
  python$pandas$DataFrame(by_name_to_py(columns), index = index)
}

# The design matrix of some rows, with R's column names.
design_to_py <- function(x, rows = seq_len(nrow(x))) {
  frame_to_py(x[rows, , drop = FALSE], NULL, colnames(x))
}

# Weights of rows, or NULL if all are 1.
row_weights_to_py <- function(weights) {
  if (any(weights != 1)) to_py(as.array(weights))
}

# A whole number that is a double in R becomes an integer: Python distinguishes 2 from 2.0.
count_to_py <- function(x) {
  whole <- is.numeric(x) && !anyNA(x) && all(x == round(x))
  if (!whole) {
    number_to_py(x)
  } else if (all(abs(x) <= .Machine$integer.max)) {
    to_py(as.integer(x))
  } else {
    python$numpy$int64(x)
  }
}

# A bare NA is logical in R, and would become True.
number_to_py <- function(x) {
  to_py(if (is.logical(x) && all(is.na(x))) as.double(x) else x)
}

# "none" in R is None in Python.
option_to_py <- function(x) {
  if (!identical(x, "none")) x
}

# From Python.

from_py <- function(x) {
  reticulate::py_to_r(x)
}

# A series or array as an R array without names.
array_from_py <- function(x) {
  from_py(python$numpy$asarray(x))
}

vector_from_py <- function(x) {
  as.vector(array_from_py(x))
}

# A frame or array with two dimensions as a matrix without names. Python writes into R's matrix,
# which is three times as fast as reticulate's conversion.
matrix_from_py <- function(x) {
  x <- python$numpy$asarray(x)
  size <- unlist(from_py(x$shape))
  result <- matrix(0, size[[1L]], size[[2L]])
  filled <- length(result) == 0L || from_py(python$bridge$fill(to_py(result), x))
  if (filled) result else from_py(x)
}

# A frame as a matrix with the labels of its rows.
matrix_from_labels <- function(x) {
  result <- matrix_from_py(x)
  rownames(result) <- labels_from_py(x$index)
  result
}

# Lower and upper bounds as a matrix with two columns.
bounds_from_py <- function(x) {
  matrix_from_py(python$numpy$reshape(python$numpy$asarray(x), c(-1L, 2L)))
}

labels_from_py <- function(x) {
  as.character(from_py(x$tolist()))
}

# A series with labels as a named vector.
named_from_py <- function(x) {
  stats::setNames(vector_from_py(x), labels_from_py(x$index))
}

# A list of tuples of labels as a list of character vectors.
groups_from_py <- function(x) {
  lapply(from_py(x), function(group) as.character(unlist(group)))
}

column_from_py <- function(x, name) {
  reticulate::py_get_item(x, name)
}

# Columns of a frame as a data frame: labels first, then numbers, then TRUE and FALSE.
columns_from_py <- function(x, labels = NULL, numbers = NULL, flags = NULL) {
  values <- matrix_from_py(column_from_py(x, labels_to_py(numbers)))
  # Missing values are NaN in Python.
  values[is.nan(values)] <- NA
  colnames(values) <- numbers
  do.call(data.frame, c(
    lapply(stats::setNames(nm = labels), function(name) labels_from_py(column_from_py(x, name))),
    list(values),
    lapply(stats::setNames(nm = flags), function(name) vector_from_py(column_from_py(x, name))),
    # Names of learners need not be valid names of variables.
    list(check.names = FALSE)
  ))
}

# Messages in R's vocabulary.
notes_from_py <- function(x) {
  as.character(from_py(python$bridge$notes(x)))
}

# Degrees of freedom, statistic and p-value of a test.
test_from_py <- function(x) {
  c(from_py(x$df), from_py(x$statistic), from_py(x$p_value))
}

# The result of a test as a list; absent entries are NULL.
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

# Python objects in fits.

# A Python object as raw bytes, which saveRDS() can save.
freeze <- function(object) {
  from_py(python$bridge$freeze(object))
}

# The Python object of a fit, also in a new session.
thaw <- function(object, call) {
  load_python(call)
  tryCatch(
    call_bridge(python$bridge$thaw, list(to_py(object$python)), list(), call),
    pwcstats_error = function(e) {
      lacks_rpy2 <- grepl("needs rpy2", conditionMessage(e), fixed = TRUE)
      advice <- if (lacks_rpy2) "install rpy2 in R's Python" else "fit it again"
      abort(
        sprintf("the saved fit cannot be read (%s); %s.", conditionMessage(e), advice),
        call,
        traceback = e$traceback
      )
    }
  )
}
