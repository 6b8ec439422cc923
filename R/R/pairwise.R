# What came as pairwise probabilities: the numbers, their shape, and the labels that they carry.
#
# form         which Python object is made of it (see pairwise_to_py)
# samples      names of the samples, or NULL
# names        names of the classes for the answer, or NULL
# classes      what Python is told of the classes: their names, or numbers, or NULL to find out
# pairs_named  are the classes to be read off column names "a/b"?
# single       is it one sample, so that the answer is a vector?

pairwise_input <- function(r, condensed, classes, call) {
  values <- as_numbers(r, "r", call)
  if (condensed) condensed_input(values, classes) else full_input(values, classes)
}

condensed_input <- function(values, classes) {
  d <- length(dim(values))
  if (d > 2L) {
    return(odd_input(values, classes))
  }
  # Names of which none is a pair's are numbers' work; a mixture is for Python to refuse.
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
  # Labels of r go before `classes`: where the two differ, Python refuses.
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

# A shape that fits no form goes as it is: Python says what is wrong with it.
odd_input <- function(values, classes) {
  list(form = "array", values = values, classes = classes, pairs_named = FALSE, single = FALSE)
}

# Asks Python by a function of the Python object. Labels of many samples cost more than coupling
# them, and only messages need them: so r goes without, and again with them when there is a message.
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

# Weights that are named go with their names, so that Python can put them in the order of the
# classes; names mean nothing where the classes have none.
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

are_pair_names <- function(x) {
  grepl("^[^/]*/[^/]*$", x)
}

# Unnamed classes count from 1; NULL when no number of classes has so many pairs.
numbered_classes <- function(n_pairs) {
  k <- (1 + sqrt(1 + 8 * n_pairs)) / 2
  if (k == round(k)) seq_len(k)
}

first_of <- function(...) {
  Find(Negate(is.null), list(...))
}
