# The learners that pwc() is given: by name, of Python, or of R.
#
# kind     name in the table below, "python" or "r"
# options  its arguments, checked
# object   the estimator of Python, or the two functions of R

# What each learner by name takes, and a check of it.
known_learners <- list(
  svm = function(kernel = "radial", cost = 1, gamma = NULL, degree = 3, coef0 = 0,
                 tolerance = 0.001, class.weights = NULL, call) { # nolint
    svm <- check_svm(kernel, cost, gamma, degree, coef0, tolerance, call)
    check_class_weights(class.weights, call)
    c(svm, list(class.weights = class.weights))
  },
  lda = function(prior = NULL, call) check_prior(prior, call),
  qda = function(prior = NULL, reg_param = 0, call) {
    if (!is_one_number(reg_param) || reg_param < 0 || reg_param > 1) {
      abort("reg_param must be a number between 0 and 1.", call)
    }
    c(check_prior(prior, call), list(reg_param = as.double(reg_param)))
  },
  nb = function(prior = NULL, call) check_prior(prior, call),
  knn = function(k = 5, call) {
    check_count(k, "k", call)
    list(k = as.integer(k))
  },
  logistic = function(cost = 1, call) {
    check_positive(cost, "cost", call)
    list(cost = as.double(cost))
  },
  tree = function(minsplit = 20, minbucket = round(minsplit / 3), maxdepth = 30, call) {
    check_count(minsplit, "minsplit", call, least = 2)
    check_count(minbucket, "minbucket", call)
    check_count(maxdepth, "maxdepth", call)
    lapply(list(minsplit = minsplit, minbucket = minbucket, maxdepth = maxdepth), as.integer)
  }
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
  # Python sees a list of one as the thing itself, so names are R's business.
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
      abort("an estimator of Python's does not outlive its session; make it anew.", call)
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
    abort("a learner of R's is a list of two functions, fit(x, y) and prob(model, x).", call)
  }
  if (is.character(x) && length(x) == 1L) {
    return(known_learner(x, list(), call))
  }
  if (!is.list(x)) {
    abort(
      sprintf(
        "a learner must be a name, a list of arguments, %s, not %s.",
        "a list of functions fit and prob, or an estimator of Python", kind(x)
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
        "lists of functions fit and prob, and estimators of Python"
      ),
      call
    )
  }
  takes <- setdiff(names(formals(known_learners[[name]])), "call")
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
  # Quoted: the call is data here, and would be made again.
  options <- do.call(known_learners[[name]], c(arguments, list(call = call)), quote = TRUE)
  list(kind = name, options = options, given = given)
}

list_learners <- function() {
  paste0("'", names(known_learners), "'", collapse = ", ")
}

# Arguments of the call, which are for a learner that has none of its own.
with_arguments <- function(read, more, call) {
  named <- first_of(names(more), character(length(more)))
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
  if (length(read[[1L]]$given)) {
    abort(
      sprintf(
        "the learner has a list of arguments already, '%s' among them; put '%s' there, too.",
        read[[1L]]$given[[1L]], named[[1L]]
      ),
      call
    )
  }
  known_learner(read[[1L]]$kind, more, call)
}

# The user's names; else what the learner is, numbered where that repeats.
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

# R has one thread.
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

# Better than a fit that leaves them out; an estimator of Python's is asked there.
refuse_weights <- function(learners, weights, call) {
  if (all(weights == 1)) {
    return(invisible())
  }
  lacks <- function(learner) {
    if (learner$kind == "r") {
      !takes_weights(learner$object$fit)
    } else {
      learner$kind %in% c("lda", "qda", "knn")
    }
  }
  lacking <- names(learners)[vapply(learners, lacks, logical(1L))]
  if (length(lacking)) {
    abort(
      sprintf(
        "the learner '%s' has no weights; leave weights out, or choose %s.", lacking[[1L]],
        "learners that have, as 'svm', 'nb', 'logistic', 'tree', or functions fit(x, y, weights)"
      ),
      call
    )
  }
}

check_prior <- function(prior, call) {
  if (!is.null(prior) && (!is.numeric(prior) || anyNA(prior) || any(prior < 0))) {
    abort("prior must be probabilities of all classes, in the order of the levels.", call)
  }
  list(prior = prior)
}

check_class_weights <- function(x, call) {
  if (is.null(x) || identical(x, "inverse")) {
    return(invisible())
  }
  named <- !is.null(names(x)) && !anyDuplicated(names(x))
  if (!is.numeric(x) || !named || !all(is.finite(x) & x > 0)) {
    abort("class.weights must be positive numbers named by class, or \"inverse\".", call)
  }
}

# By name, as Python takes candidates.
learners_to_py <- function(learners, rows, classes, call) {
  made <- lapply(learners, function(learner) learner_to_py(learner, rows, classes, call))
  by_name_to_py(made)
}

learner_to_py <- function(learner, rows, classes, call) {
  options <- learner$options
  switch(learner$kind,
    python = learner$object,
    r = r_learner_to_py(learner$object, colnames(rows), levels(classes)),
    svm = {
      weights <- class_weights_to_py(options$class.weights, classes, call)
      svm_to_py(options[names(options) != "class.weights"], ncol(rows), call, weights)
    },
    {
      if (!is.null(options$prior)) {
        options$prior <- prior_to_py(options$prior, classes, call)
      }
      call_bridge(python$bridge$learner, list(learner$kind), options, call)
    }
  )
}

# Python has the classes in the order of the alphabet, that of bytes.
prior_to_py <- function(prior, classes, call) {
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
  if (is.null(x)) {
    return(NULL)
  }
  if (identical(x, "inverse")) {
    x <- 1 / table(classes)
  }
  odd <- setdiff(names(x), levels(classes))
  if (length(odd)) {
    abort(sprintf("class.weights has '%s', which is no class.", odd[[1L]]), call)
  }
  by_name_to_py(x)
}
