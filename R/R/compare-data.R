# Data for comparisons of methods: scores of two or more methods, and right and wrong answers.

# Rounded, because 1 - 0.9 is less than 0.1.
alpha_of <- function(level) {
  round(1 - level, 15L)
}

# Finite scores of one method. Python would count their positions from 0.
read_finite <- function(x, name, call) {
  x <- as_numbers(x, name, call)
  bad <- which(!is.finite(x))
  if (length(bad)) {
    abort(
      sprintf(
        "%s must hold finite scores, got %s in %s; %s.", name, format(x[[bad[[1L]]]]),
        describe_position(x, bad[[1L]]),
        "drop that split from both methods, or find out why it failed"
      ),
      call
    )
  }
  x
}

describe_position <- function(x, position) {
  if (length(dim(x)) < 2L) {
    return(sprintf("position %d", position))
  }
  index <- arrayInd(position, dim(x))
  sprintf("row %d and column %d", index[[1L]], index[[2L]])
}

# Two vectors with common names are matched by name, others by position.
pair_to_py <- function(a, b) {
  values <- list(a, b)
  labels <- lapply(values, function(x) if (length(dim(x)) == 1L) names(x))
  clear <- vapply(labels, function(x) length(x) > 0L && !anyDuplicated(x), logical(1L))
  if (all(clear) && any(labels[[1L]] %in% labels[[2L]])) {
    Map(series_to_py, values, labels)
  } else {
    lapply(values, to_py)
  }
}

# TRUE for right and FALSE for wrong answers: a vector, or a matrix of cases x methods.
read_right <- function(x, truth, name, call) {
  if (is.data.frame(x)) {
    columns <- lapply(x, if (is.null(truth)) identity else as.character)
    x <- matrix(first_of(unlist(columns), logical()), nrow(x), ncol(x))
  }
  if (!is.null(truth)) {
    return(compare_with_truth(x, truth, name, call))
  }
  right <- if (is_number_like(x)) x == 1
  odd <- if (is.null(right)) 1L else which(is.na(x) | !(right | x == 0))
  if (length(odd)) {
    got <- if (is.null(right)) kind(x) else format(x[[odd[[1L]]]])
    position <- if (is.null(right)) "" else paste(" in", describe_position(x, odd[[1L]]))
    abort(
      sprintf(
        "%s must say for each case whether the method was right (%s) or wrong (%s), got %s%s; %s.",
        name, "TRUE or 1", "FALSE or 0", got, position,
        "for predictions give the true classes as truth"
      ),
      call
    )
  }
  right
}

compare_with_truth <- function(x, truth, name, call) {
  check_predictions(x, truth, name, call)
  # Factors may have other levels.
  classes <- as.character(truth)
  predicted <- array(as.character(x), c(length(classes), NCOL(x)))
  if (length(predicted) && !any(predicted %in% classes)) {
    abort(
      sprintf(
        "no prediction in %s is one of the classes of truth (%s); use the same labels.",
        name, list_some(unique(classes))
      ),
      call
    )
  }
  right <- predicted == classes
  if (length(dim(x)) == 2L) right else right[, 1L]
}

check_predictions <- function(x, truth, name, call) {
  if (!is.atomic(truth) || length(dim(truth)) > 1L || !is.atomic(x)) {
    abort(
      sprintf("truth must be a vector of classes, and %s must hold predictions of them.", name),
      call
    )
  }
  if (NROW(x) != length(truth)) {
    abort(
      sprintf(
        "%s must have a prediction for each of the %d cases of truth, got %d.",
        name, length(truth), NROW(x)
      ),
      call
    )
  }
  if (anyNA(truth) || anyNA(x)) {
    missing <- if (anyNA(truth)) "truth" else name
    abort(sprintf("%s must not have missing values; drop these cases.", missing), call)
  }
}

# Scores of several methods.
#
# form       "wide": a row for each data set and a column for each method; "tidy": a row for each
#            score
# values     matrix, or data frame if tidy
# rows       names of the data sets, or NULL; only if wide
# methods    names of the methods; only if wide
read_scores <- function(scores, call) {
  if (is.data.frame(scores) && any(c("method", "score") %in% names(scores))) {
    list(form = "tidy", values = read_tidy(scores, call))
  } else {
    read_wide(scores, call)
  }
}

read_wide <- function(scores, call) {
  if (is.list(scores) && !is.data.frame(scores)) {
    scores <- scores_of_list(scores, call)
  }
  # A tibble has no row names.
  rows <- if (is.data.frame(scores)) scores[["dataset"]]
  if (!is.null(rows)) {
    scores <- scores[names(scores) != "dataset"]
  }
  scores <- as_numbers(scores, "scores", call)
  if (length(dim(scores)) != 2L) {
    abort(
      paste(
        "scores must be a matrix or data frame with a row for each data set and a column for each",
        "method, or a data frame with the columns method and score."
      ),
      call
    )
  }
  rows <- if (is.null(rows)) names_of_rows(scores) else as_strings(rows)
  methods <- first_of(colnames(scores), as.character(seq_len(ncol(scores))))
  if (anyDuplicated(rows)) {
    abort(
      sprintf(
        "the rows of scores must have different names, one for each data set, got '%s' twice.",
        rows[duplicated(rows)][[1L]]
      ),
      call
    )
  }
  bad <- which(!is.finite(scores), arr.ind = TRUE)
  if (nrow(bad)) {
    row <- bad[[1L, 1L]]
    abort(
      sprintf(
        "scores must be finite, got %s for %s in row %s; drop that row or that method.",
        format(scores[[row, bad[[1L, 2L]]]]), methods[[bad[[1L, 2L]]]],
        if (is.null(rows)) row else rows[[row]]
      ),
      call
    )
  }
  list(form = "wide", values = scores, rows = rows, methods = methods)
}

# Vectors of scores, one for each method, as a data frame.
scores_of_list <- function(scores, call) {
  sizes <- lengths(scores)
  if (!length(scores) || is.null(names(scores)) || length(unique(sizes)) > 1L) {
    abort(
      sprintf(
        "a list of scores must have a vector for each method, all named and of one length, got %s.",
        if (is.null(names(scores))) "no names" else paste(sizes, collapse = ", ")
      ),
      call
    )
  }
  as.data.frame(scores, optional = TRUE)
}

# Row numbers, as from subset() and reshape(), are not names.
names_of_rows <- function(scores) {
  rows <- rownames(scores)
  if (!all(grepl("^[0-9]+$", rows))) rows
}

read_tidy <- function(scores, call) {
  # data.frame() and read.csv() rename repeat.
  if (!"repeat" %in% names(scores)) {
    names(scores)[names(scores) == "repeat."] <- "repeat"
  }
  if (!all(c("method", "score") %in% names(scores))) {
    abort(
      sprintf(
        "scores must have the columns method and score (and %s), got %s; rename them.",
        "dataset, repeat, fold if there are any", list_some(names(scores))
      ),
      call
    )
  }
  if (!is_number_like(scores[["score"]])) {
    abort(
      sprintf("the column score must hold numbers, not %s.", kind(scores[["score"]])),
      call
    )
  }
  metrics <- unique(scores[["metric"]])
  if (length(metrics) > 1L) {
    abort(
      sprintf(
        "scores must have one metric, got %s; choose one, as in subset(scores, metric == '%s').",
        list_some(as.character(metrics)), metrics[[1L]]
      ),
      call
    )
  }
  scores
}

# The columns that Python reads, and the columns `more`.
scores_to_py <- function(input, more = NULL) {
  x <- input$values
  if (input$form == "wide") {
    return(frame_to_py(x, input$rows, input$methods))
  }
  convert <- list(
    method = strings_to_py, dataset = strings_to_py, "repeat" = ids_to_py,
    fold = ids_to_py, case = ids_to_py, score = numbers_to_py, n_train = numbers_to_py,
    n_test = numbers_to_py
  )
  convert[setdiff(more, names(convert))] <- list(ids_to_py)
  convert <- convert[names(convert) %in% names(x)]
  columns <- Map(function(f, name) f(x[[name]]), convert, names(convert))
  columns_to_py(columns, seq_len(nrow(x)))
}
