# The learners that pwc() is given: by name, of Python, or of R.
#
# kind     name in the table below, "python" or "r"
# options  the arguments that the user gave, of a learner by name
# object   the estimator of Python, or the two functions of R

# The arguments of each learner by name. Python has the same table, with defaults and checks; this
# one is used before Python is started.
known_learners <- list(
  svm = c("kernel", "cost", "gamma", "degree", "coef0", "tolerance", "class.weights"),
  lda = "prior",
  qda = c("prior", "reg_param"),
  nb = "prior",
  knn = "k",
  biased_knn = c("k", "bias"),
  logistic = "cost",
  tree = c("minsplit", "minbucket", "maxdepth")
)

read_learners <- function(learners, more, call) {
  if (is_estimator(learners) || is_r_learner(learners)) {
    learners <- list(learners)
  }
  if (!length(learners) || !(is.character(learners) || is.list(learners))) {
    empty <- !is.null(learners) && !length(learners)
    abort(
      sprintf(
        "learners must be names of learners, or a list of learners, not %s.",
        if (empty) "an empty one" else kind(learners)
      ),
      call
    )
  }
  learners <- as.list(learners)
  labels <- first_of(names(learners), character(length(learners)))
  # Python gets a list of one element as that element, so names are kept here.
  read <- Map(function(x, label) read_learner(x, label, call), learners, labels)
  read <- unname(read)
  if (length(more)) {
    read[[1L]] <- with_arguments(read, more, call)
  }
  stats::setNames(read, learner_names(read, labels, call))
}

is_estimator <- function(x) {
  inherits(x, "python.builtin.object")
}

is_r_learner <- function(x) {
  is.list(x) && !is.object(x) && is.function(x[["fit"]]) && is.function(x[["prob"]])
}

read_learner <- function(x, label, call) {
  if (is_estimator(x)) {
    if (reticulate::py_is_null_xptr(x)) {
      abort(
        "a Python estimator cannot be used after its session has ended; create it again.", call
      )
    }
    list(kind = "python", object = x)
  } else if (is_r_learner(x)) {
    list(kind = "r", object = x[c("fit", "prob")])
  } else {
    read_named(x, label, call)
  }
}

# svm = list(cost = 10), or list("svm", cost = 10) under any name, or "svm".
read_named <- function(x, label, call) {
  if (is.function(x) || is.list(x) && any(vapply(x, is.function, logical(1L)))) {
    abort("an R learner is a list of two functions, fit(x, y) and prob(model, x).", call)
  }
  if (is.character(x) && length(x) == 1L) {
    return(known_learner(x, list(), call))
  }
  if (!is.list(x)) {
    abort(
      sprintf(
        "a learner must be a name, a list of arguments, %s, not %s.",
        "a list of functions fit and prob, or a Python estimator", kind(x)
      ),
      call
    )
  }
  own <- which(!nzchar(first_of(names(x), character(length(x)))))
  name <- if (length(own)) x[[own[[1L]]]] else label
  known_learner(name, if (length(own)) x[-own[[1L]]] else x, call)
}

known_learner <- function(name, arguments, call) {
  if (!is.character(name) || length(name) != 1L || !name %in% names(known_learners)) {
    abort(
      sprintf(
        "there is no learner '%s'; there are %s, %s.",
        if (is.character(name)) name[[1L]] else kind(name), list_learners(),
        "lists of functions fit and prob, and Python estimators"
      ),
      call
    )
  }
  takes <- known_learners[[name]]
  given <- first_of(names(arguments), character(length(arguments)))
  odd <- setdiff(given, takes)
  if (length(odd)) {
    abort(
      sprintf(
        "the learner '%s' has no argument '%s'; it has %s.", name, odd[[1L]],
        paste0("'", takes, "'", collapse = ", ")
      ),
      call
    )
  }
  if (anyDuplicated(given)) {
    abort(
      sprintf("the learner '%s' is given '%s' twice.", name, given[duplicated(given)][[1L]]), call
    )
  }
  list(kind = name, options = arguments)
}

list_learners <- function() {
  paste0("'", names(known_learners), "'", collapse = ", ")
}

# Arguments of the call are for a single learner that has none of its own.
with_arguments <- function(read, more, call) {
  named <- first_of(names(more), character(length(more)))
  refuse_misspelt(named, call)
  if (length(read) > 1L || !read[[1L]]$kind %in% names(known_learners) || !all(nzchar(named))) {
    abort(
      sprintf(
        "pwc() has no argument %s; arguments of a learner go into a list, %s.",
        if (nzchar(named[[1L]])) sprintf("'%s'", named[[1L]]) else "after learners without a name",
        "as in learners = list(svm = list(cost = 10), \"lda\")"
      ),
      call
    )
  }
  refuse_two_lists(read[[1L]], named, call)
  known_learner(read[[1L]]$kind, more, call)
}

# Arguments of the call, besides those in the list of the learner.
refuse_two_lists <- function(learner, names, call) {
  if (length(learner$options) && length(names)) {
    abort(
      sprintf(
        "the learner already has a list of arguments, with '%s'; put '%s' into that list.",
        names(learner$options)[[1L]], names[[1L]]
      ),
      call
    )
  }
}

# The dots of pwc() also take its own arguments if they are misspelt.
refuse_misspelt <- function(names, call) {
  for (name in setdiff(names, c("", unlist(known_learners)))) {
    near <- nearest_name(name, setdiff(names(formals(pwc)), "..."))
    if (!is.null(near)) {
      abort(sprintf("pwc() has no argument '%s'; did you mean '%s'?", name, near), call)
    }
  }
}

# The user's names, else the kinds of learner, numbered if they repeat.
learner_names <- function(read, labels, call) {
  if (anyDuplicated(labels[nzchar(labels)])) {
    twice <- labels[nzchar(labels)]
    abort(sprintf("there are two learners '%s'.", twice[duplicated(twice)][[1L]]), call)
  }
  names <- vapply(read, name_of_learner, "")
  names[nzchar(labels)] <- labels[nzchar(labels)]
  make.unique(names, sep = "-")
}

name_of_learner <- function(learner) {
  switch(learner$kind,
    python = tolower(sub("^.*\\.", "", class(learner$object)[[1L]])),
    r = "r-learner",
    learner$kind
  )
}

# R runs on one thread.
refuse_parallel <- function(learners, n_jobs, call) {
  ours <- vapply(learners, function(learner) learner$kind == "r", logical(1L))
  if (any(ours) && !is.null(n_jobs) && !(is_one_number(n_jobs) && n_jobs == 1)) {
    abort(
      sprintf(
        "the learner '%s' runs in this R, one fit after the other; leave n_jobs out.",
        names(learners)[ours][[1L]]
      ),
      call
    )
  }
}

# An error is better than a fit that ignores them. Python warns about estimators of its own.
refuse_weights <- function(learners, weights, call) {
  if (all(weights == 1)) {
    return(invisible())
  }
  weighted <- unlist(from_py(python$bridge$weighted_learners()))
  lacks <- function(learner) {
    switch(learner$kind,
      python = FALSE,
      r = !takes_weights(learner$object$fit),
      !learner$kind %in% weighted
    )
  }
  lacking <- names(learners)[vapply(learners, lacks, logical(1L))]
  if (length(lacking)) {
    abort(
      sprintf(
        "the learner '%s' takes no weights; leave weights out, or choose %s: %s, %s.",
        lacking[[1L]], "a learner that takes them", quoted(weighted), "or fit(x, y, weights) of R"
      ),
      call
    )
  }
}

# By name, as Python takes candidates.
learners_to_py <- function(learners, rows, classes, call) {
  by_name_to_py(lapply(learners, learner_to_py, colnames(rows), classes, call))
}

learner_to_py <- function(learner, columns, classes, call) {
  switch(learner$kind,
    python = learner$object,
    r = r_learner_to_py(learner$object, columns, levels(classes)),
    named_to_py(learner$kind, learner$options, classes, call)
  )
}

# Python checks the arguments, except for those that refer to the levels of the response.
named_to_py <- function(name, options, classes, call) {
  if (!is.null(options[["prior"]])) {
    options$prior <- prior_to_py(options$prior, classes, call)
  }
  if (!is.null(options[["class.weights"]])) {
    options$class.weights <- class_weights_to_py(options$class.weights, classes, call)
  }
  missing <- vapply(options, function(x) is.atomic(x) && anyNA(x), logical(1L))
  if (any(missing)) {
    abort(sprintf("%s must not be NA.", names(options)[missing][[1L]]), call)
  }
  names(options) <- sub(".", "_", names(options), fixed = TRUE)
  call_bridge(python$bridge$learner, list(name), options, call)
}

# Python sorts the classes by their bytes.
prior_to_py <- function(prior, classes, call) {
  if (!is.numeric(prior) || anyNA(prior) || any(prior < 0)) {
    abort("prior must be probabilities of all classes, in the order of the levels.", call)
  }
  labels <- levels(classes)
  if (!is.null(names(prior)) && !identical(names(prior), labels)) {
    abort(
      sprintf(
        "prior must be in the order of the levels, %s, got %s.",
        paste(labels, collapse = ", "), paste(names(prior), collapse = ", ")
      ),
      call
    )
  }
  if (length(prior) != length(labels) || abs(sum(prior) - 1) > 1e-6) {
    abort(
      sprintf(
        "prior must be %d probabilities that sum to 1, one for each class, got %s.",
        length(labels), paste(format(prior), collapse = ", ")
      ),
      call
    )
  }
  to_py(as.array(as.double(prior[order(labels, method = "radix")])))
}

class_weights_to_py <- function(x, classes, call) {
  if (identical(x, "inverse")) {
    x <- 1 / table(classes)
  }
  named <- !is.null(names(x)) && !anyDuplicated(names(x))
  if (!is.numeric(x) || !named || !all(is.finite(x) & x > 0)) {
    abort("class.weights must be positive numbers named by class, or \"inverse\".", call)
  }
  odd <- setdiff(names(x), levels(classes))
  if (length(odd)) {
    abort(sprintf("class.weights has '%s', which is not a class.", odd[[1L]]), call)
  }
  by_name_to_py(x)
}
