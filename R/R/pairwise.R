# The pairwise probabilities that couple() is given, with their shape and labels.
#
# form         the form of the Python object (see pairwise_to_py)
# samples      names of the samples, or NULL
# names        names of the classes in the result, or NULL
# classes      classes for Python: names, numbers, or NULL to read them from the labels
# pairs_named  are the classes read from column names "a/b"?
# single       is it one sample, so that the result is a vector?

pairwise_input <- function(r, condensed, classes, call) {
  values <- as_numbers(r, "r", call)
  if (condensed) condensed_input(values, classes) else full_input(values, classes)
}

condensed_input <- function(values, classes) {
  d <- length(dim(values))
  if (d > 2L) {
    return(odd_input(values, classes))
  }
  # Python refuses names of which only some are pairs.
  pairs <- dimnames(values)[[d]]
  if (!any(are_pair_names(pairs))) {
    pairs <- NULL
  }
  pairs_named <- is.null(classes) && !is.null(pairs)
  list(
    form = if (d == 1L) "condensed_vector" else "condensed_matrix",
    values = values,
    samples = if (d == 2L) rownames(values),
    names = classes,
    classes = if (is.null(classes) && !pairs_named) numbered_classes(dim(values)[[d]]) else classes,
    pairs = pairs,
    pairs_named = pairs_named,
    single = d == 1L
  )
}

full_input <- function(values, classes) {
  d <- length(dim(values))
  square <- d %in% 2:3 && dim(values)[[d]] == dim(values)[[d - 1L]]
  if (!square || !length(classes) %in% c(0L, dim(values)[[d]])) {
    return(odd_input(values, classes))
  }
  labels <- dimnames(values)
  # Labels of r take precedence; Python refuses `classes` that differ from them.
  rows <- first_of(labels[[d - 1L]], labels[[d]], classes)
  columns <- first_of(labels[[d]], labels[[d - 1L]], classes)
  list(
    form = if (d == 2L) "matrix" else "stack",
    values = values,
    samples = if (d == 3L) labels[[1L]],
    names = columns,
    classes = first_of(classes, columns, seq_len(dim(values)[[d]])),
    rows = rows,
    columns = columns,
    pairs_named = FALSE,
    single = d == 2L
  )
}

# Other shapes are passed on unchanged, and Python refuses them.
odd_input <- function(values, classes) {
  list(form = "array", values = values, classes = classes, pairs_named = FALSE, single = FALSE)
}

# Calls `ask` with the Python object. Converting labels of many samples takes longer than coupling
# them, and only messages need them. So r is passed without labels first, and again with them if
# there is a message.
ask_about_pairs <- function(input, ask) {
  named_twice <- !is.null(input$columns) && !identical(as.character(input$classes), input$columns)
  bare <- switch(input$form,
    condensed_matrix = if (!is.null(input$samples)) frame_to_py(input$values, NULL, input$pairs),
    stack = if (identical(input$rows, input$columns) && !named_twice) to_py(input$values)
  )
  silent <- function(condition) NULL
  answer <- if (!is.null(bare)) {
    tryCatch(ask(bare), pwcstats_error = silent, pwcstats_warning = silent)
  }
  if (is.null(answer)) ask(pairwise_to_py(input)) else answer
}

pairwise_to_py <- function(input) {
  switch(input$form,
    condensed_vector = series_to_py(input$values, input$pairs),
    condensed_matrix = frame_to_py(input$values, input$samples, input$pairs),
    matrix = frame_to_py(input$values, input$rows, input$columns),
    stack = stack_to_py(input$values, input$samples, input$rows, input$columns),
    array = to_py(input$values)
  )
}

# Named weights are passed with their names, so that Python can put them in the order of the
# classes. Names are ignored if the classes have none.
weights_to_py <- function(weights, input) {
  labels <- dimnames(weights)
  d <- length(dim(weights))
  if (is.null(labels) || !(input$pairs_named || !is.null(input$names))) {
    return(to_py(weights))
  }
  of_pairs <- d <= 2L && any(are_pair_names(labels[[d]]))
  if (of_pairs && d == 1L) {
    series_to_py(weights, labels[[1L]])
  } else if (of_pairs) {
    frame_to_py(weights, NULL, labels[[2L]])
  } else if (d == 2L && nrow(weights) == ncol(weights)) {
    frame_to_py(weights, first_of(labels[[1L]], labels[[2L]]), first_of(labels[[2L]], labels[[1L]]))
  } else {
    to_py(weights)
  }
}

# A class, or a list of pairs. Classes without names are whole numbers.
read_equations <- function(equations, input, call) {
  if (is.data.frame(equations)) {
    equations <- as.matrix(equations)
  }
  if (!is.atomic(equations)) {
    abort(
      sprintf(
        "equations must be a class, pairs such as \"a/b\", or a matrix of pairs, not %s.",
        kind(equations)
      ),
      call
    )
  }
  named <- input$pairs_named || !is.null(input$names)
  text <- trimws(as_strings(if (is.factor(equations)) as.character(equations) else equations))
  labels <- function(x) as.list(if (!named && all(grepl("^[0-9]+$", x))) as.integer(x) else x)
  if (length(text) == 1L && (text %in% input$names || !are_pair_names(text))) {
    return(labels(text)[[1L]])
  }
  pairs <- if (is.matrix(equations)) {
    split(text, row(equations))
  } else {
    strsplit(text, "/", fixed = TRUE)
  }
  lapply(unname(pairs), labels)
}

are_pair_names <- function(x) {
  grepl("^[^/]*/[^/]*$", x)
}

# Unnamed classes are numbered; NULL if no number of classes has this number of pairs.
numbered_classes <- function(n_pairs) {
  k <- (1 + sqrt(1 + 8 * n_pairs)) / 2
  if (k == round(k)) seq_len(k)
}
