# R learners, which Python calls. Models are passed to Python as serialized bytes, so that a fit can
# be saved. Errors are returned as values, because a jump through Python's frames would break them.

r_learner_to_py <- function(functions, columns, labels) {
  python$bridge$r_learner(
    to_py(serialize(functions, NULL)), labels_to_py(columns), labels_to_py(labels)
  )
}

# A function that returns the value of f and its warnings, or its error.
caught <- function(f) {
  function(...) {
    messages <- character()
    note <- function(w) {
      messages <<- c(messages, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
    tryCatch(
      list(value = withCallingHandlers(f(...), warning = note), warnings = as.list(messages)),
      interrupt = function(e) list(interrupted = TRUE),
      error = function(e) list(error = conditionMessage(e))
    )
  }
}

# Python calls these through caught().
fit_r_learner <- function(functions, x, columns, code, labels, weights) {
  fit <- unserialize(functions)$fit
  home <- environment(fit)
  x <- named_rows(x, columns)
  labels <- unlist(labels)
  y <- factor(labels[as.vector(code) + 1L], levels = labels)
  model <- if (takes_weights(fit)) {
    fit(x, y, weights = if (is.null(weights)) rep(1, nrow(x)) else as.vector(weights))
  } else {
    fit(x, y)
  }
  # A formula in the model refers to the environment of the function, which may be large (with other
  # fits, for example). It is saved only once, with the functions.
  serialize(model, NULL, refhook = function(e) if (identical(e, home)) "home")
}

prob_r_learner <- function(functions, model, x, columns, labels) {
  functions <- unserialize(functions)
  model <- unserialize(model, refhook = function(name) environment(functions$fit))
  read_prob(functions$prob(model, named_rows(x, columns)), unlist(labels), nrow(x))
}

takes_weights <- function(fit) {
  "weights" %in% names(formals(args(fit)))
}

named_rows <- function(x, columns) {
  with_dimnames(as.matrix(x), NULL, unlist(columns))
}

# Probabilities of the two classes, one column each, by name or in the order of the levels. A vector
# or a single column is for the second level, unless the column has the name of the first.
read_prob <- function(x, labels, n) {
  if (is.data.frame(x)) {
    x <- as.matrix(x)
  }
  if (!is.numeric(x)) {
    refuse_prob("numbers, not %s", kind(x))
  }
  given <- extent(x)
  if (!is.matrix(x) || ncol(x) == 1L) {
    is_first <- identical(colnames(x), labels[[1L]])
    x <- cbind(1 - as.vector(x), as.vector(x))
    if (is_first) {
      x <- x[, 2:1, drop = FALSE]
    }
  }
  if (nrow(x) != n || ncol(x) != 2L) {
    refuse_prob("%d probabilities, or a matrix of %d x 2, not %s", n, n, given)
  }
  check_probabilities(x)
  if (!is.null(colnames(x))) {
    if (!setequal(colnames(x), labels)) {
      both <- function(names) paste(names, collapse = " and ")
      refuse_prob("columns named %s, not %s", both(labels), both(colnames(x)))
    }
    x <- x[, labels, drop = FALSE]
  }
  unname(pmin(pmax(x, 0), 1))
}

# Sums of probabilities may have rounding errors.
check_probabilities <- function(x, slack = 1e-6) {
  if (!all(is.finite(x)) || any(x < -slack) || any(abs(rowSums(x) - 1) > slack)) {
    refuse_prob("probabilities that sum to 1 in each row")
  }
}

refuse_prob <- function(what, ...) {
  stop(sprintf(paste("its function prob must return", what), ...), call. = FALSE)
}
