#' Fits from Python
#'
#' Turns a result of the Python package into the object that the R function of the same model
#' returns, so that an analysis that began in Python can be finished in R.
#'
#' Models are fitted again, by the R function, from the data and the options of the Python result.
#' An error says so if the two fits differ. The call of the object contains the data, so that
#' [update()], [drop1()] and [step()] work. It prints as `<environment>$data`.
#'
#' After a formula, the formula is kept if R understands it in the same way, which is checked:
#' `C(x)` becomes `factor(x)`. Otherwise the columns of the design matrix become variables; their
#' names are those of Python, and a constant becomes the intercept.
#'
#' Classifiers are not fitted again: the object contains Python's. They do not keep their training
#' data, so [predict()] needs `newdata`, and what needs the rows of the fit, such as [update()], is
#' an error.
#'
#' @param x A Python object, or the bytes of its pickle as a raw vector: a result of `FirthLogit`,
#'   `FirthMNLogit`, `ContinuationRatio`, `OrderedLogit`, `AdjacentCategories`, `BradleyTerry` or
#'   `PlackettLuce`; a fitted `PairwiseClassifier`, `HybridClassifier` or `OrdinalHybridClassifier`;
#'   or the result of `compare_methods()` or of `couple(return_info=True)`. Read only bytes that you
#'   trust.
#' @return What [firth()], [firth_multinom()], [cratio()], [ordered_logit()],
#'   [adjacent_categories()], [bt()], [plackett_luce()], [pwc()], [hybrid()], [ordinal_hybrid()],
#'   [compare_methods()] or [couple()] returns.
#' @seealso In Python, `pwcstats.r.to_r(result)` calls this function.
#' @examplesIf pwcstats_available()
#' pwcstats <- reticulate::import("pwcstats", convert = FALSE)
#' x <- cbind(const = 1, age = c(22, 28, 31, 35, 39, 41, 46, 52, 60))
#' result <- pwcstats$FirthLogit(c(0, 0, 0, 0, 0, 1, 1, 1, 1), as.data.frame(x))$fit()
#' fit <- from_python(result)
#' fit
#' predict(fit, data.frame(age = c(30, 40, 50)), type = "response")
#' @export
from_python <- function(x) {
  call <- sys.call()
  if (!is.raw(x) && !inherits(x, "python.builtin.object")) {
    abort(sprintf("x must be a Python object or the bytes of its pickle, not %s.", kind(x)), call)
  }
  load_python(call)
  x <- if (is.raw(x)) thaw(list(python = x), call) else python$bridge$itself(x)
  kind <- from_py(python$bridge$kind_of(x))
  if (kind %in% names(given_by_python)) {
    return(given_by_python[[kind]](x, call))
  }
  # Data are converted as a whole. Arrays and lists of numbers keep their types.
  parts <- from_py(call_bridge(python$bridge$call_of, list(x), list(), call))
  if (is.null(parts)) {
    abort(
      sprintf(
        paste(
          "R has no class for a Python object of class %s; give a fitted FirthLogit, FirthMNLogit,",
          "ContinuationRatio, OrderedLogit, AdjacentCategories, BradleyTerry, PlackettLuce,",
          "PairwiseClassifier, HybridClassifier or OrdinalHybridClassifier, or the result of",
          "compare_methods() or couple(return_info = TRUE)."
        ),
        kind
      ),
      call
    )
  }
  make <- switch(parts[["function"]], bt = call_bt, plackett_luce = call_pl, call_logit)
  # Python has signalled the warnings of the fit.
  fit <- suppressWarnings(eval(make(parts), globalenv()))
  refuse_other_fit(fit, parts$checks, call)
  if (length(parts$left_out)) {
    fit$left_out <- as.character(parts$left_out)
  }
  fit
}

# The largest difference of a refit, relative for numbers above 1. Both fits stop at the same rule,
# from the same start, but their columns and rows may be in another order.
largest_difference <- 1e-7

refuse_other_fit <- function(fit, checks, call) {
  ours <- list(
    params = if (!is.null(checks$params)) sort(fit$coefficients),
    fitted = if (!is.null(checks$fitted)) unname(stats::fitted(fit)),
    loglik = fit$penalized_loglik,
    se = sort(fit$se)
  )
  differs <- function(name) {
    theirs <- checks[[name]]
    theirs <- if (name %in% c("params", "se")) sort(as.vector(theirs)) else theirs
    length(theirs) != length(ours[[name]]) ||
      any(abs(as.vector(theirs) - as.vector(ours[[name]])) >
            largest_difference * pmax(1, abs(as.vector(theirs))), na.rm = TRUE)
  }
  wrong <- Filter(differs, names(checks))
  if (length(wrong)) {
    what <- c(
      params = "estimates", fitted = "fitted probabilities", loglik = "log-likelihood",
      se = "standard errors"
    )[[wrong[[1L]]]]
    abort(
      sprintf(
        "the fit in R has other %s than the Python result, perhaps because that did not converge.",
        what
      ),
      call
    )
  }
}

# Calls. Their data are in an environment, so that update() finds them anywhere.

call_of_python <- function(name, arguments, data) {
  environment <- list2env(data, parent = emptyenv())
  column <- function(name) call("$", environment, as.name(name))
  columns <- lapply(stats::setNames(nm = names(data)), column)
  as.call(c(call("::", quote(pwcstats), as.name(name)), arguments(columns)))
}

call_logit <- function(parts) {
  written <- parts$written
  if (!is.null(written)) {
    data <- data_from_py(written$columns)
    formula <- read_formula_text(written$text, data, parts$design)
  }
  if (is.null(written) || is.null(formula)) {
    data <- data_from_py(parts$data)
    formula <- formula_from_names(parts$terms, parts$intercept, parts$response)
  }
  call_of_python(parts[["function"]], function(columns) {
    c(
      list(formula = formula, data = columns$data), lapply(parts$variables, as.name),
      parts$arguments
    )
  }, list(data = data))
}

# The formula, if it gives the columns of the Python design, in whatever order.
read_formula_text <- function(text, data, design) {
  tryCatch(
    {
      formula <- stats::as.formula(text, globalenv())
      x <- stats::model.matrix(formula, data)
      if (same_columns(x, design)) formula
    },
    error = function(e) NULL
  )
}

same_columns <- function(x, y) {
  if (!identical(dim(x), dim(y))) {
    return(FALSE)
  }
  # Different columns have different projections on any odd vector.
  sorted <- lapply(list(x, y), function(z) {
    unname(z[, order(colSums(z * cos(seq_len(nrow(z))))), drop = FALSE])
  })
  all(abs(sorted[[1L]] - sorted[[2L]]) <= 1e-10 * pmax(1, abs(sorted[[2L]])))
}

# Names of Python need not be valid in R.
formula_from_names <- function(terms, intercept = TRUE, response = NULL) {
  right <- lapply(as.character(terms), as.name)
  right <- if (!intercept) c(0, right) else if (length(right)) right else list(1)
  right <- sum_of(right)
  left <- lapply(response, as.name)
  # Two names are numbers of successes and failures.
  left <- if (length(left) > 1L) list(as.call(c(quote(cbind), left))) else left
  formula <- as.call(c(quote(`~`), left, right))
  stats::as.formula(formula, globalenv())
}

call_bt <- function(parts) {
  item_data <- data_from_py(parts$item_data, parts$items)
  if (!is.null(parts$wins)) {
    data <- list(wins = with_dimnames(parts$wins, parts$items, parts$items))
    if (any(parts$tied > 0)) {
      data$tied <- with_dimnames(parts$tied, parts$items, parts$items)
    }
  } else {
    data <- list(data = data_from_py(parts$data))
  }
  if (length(item_data)) {
    data$item_data <- item_data
  }
  call_of_python("bt", function(columns) {
    names(columns)[names(columns) == "wins"] <- "outcome"
    names <- lapply(parts$variables, as.name)
    counts <- names[c("wins1", "wins2", "ties")]
    if (!is.null(counts[[1L]])) {
      names <- c(
        list(outcome = as.call(c(quote(cbind), counts))),
        names[setdiff(names(names), c("wins1", "wins2", "ties"))]
      )
    }
    arguments <- c(columns, names, abilities_arguments(parts))
    if (parts$free && !length(parts$terms)) {
      return(arguments)
    }
    right <- c(
      if (parts$free) quote(..), if (parts$random) quote((1 | ..)), lapply(parts$terms, as.name)
    )
    c(arguments, list(formula = stats::as.formula(call("~", sum_of(right)), globalenv())))
  }, data)
}

call_pl <- function(parts) {
  call_of_python("plackett_luce", function(columns) {
    formula <- stats::as.formula("position ~ item | ranking", globalenv())
    c(
      list(rankings = formula, data = columns$data), lapply(parts$variables, as.name),
      abilities_arguments(parts)
    )
  }, list(data = data_from_py(parts$data)))
}

abilities_arguments <- function(parts) {
  arguments <- parts$arguments
  if (is.numeric(arguments$ref)) {
    arguments$ref <- NA
  }
  # What is the default need not be shown.
  defaults <- list(
    method = "mle", cov_type = "nonrobust", maxit = 500L, ties = "none", order_effect = FALSE,
    cov = "full", unranked = "absent"
  )
  is_default <- vapply(
    names(arguments), function(name) identical(arguments[[name]], defaults[[name]]), logical(1L)
  )
  arguments[!is_default]
}

# Columns as data frame.
data_from_py <- function(columns, rows = NULL) {
  read <- function(column) {
    value <- as.vector(column[[2L]])
    switch(column[[1L]],
      logical = value != 0,
      factor = factor(
        column[[3L]][replace(value, value == 0L, NA)], as.character(unlist(column[[3L]])),
        ordered = column[[4L]]
      ),
      value
    )
  }
  data <- lapply(columns, read)
  structure(
    data, class = "data.frame",
    row.names = if (length(rows)) rows else seq_len(length(c(data, list(NULL))[[1L]]))
  )
}
# Results that are not fitted again.

# Columns are not scaled in R, because Python's own scaling is part of the classifier.
classifier_parts <- function(model) {
  columns <- as.character(from_py(python$bridge$feature_names(model)))
  list(
    classes = labels_from_py(model$classes_),
    input = list(
      rows = matrix(0, 1L, length(columns), dimnames = list("1", columns)),
      center = stats::setNames(numeric(length(columns)), columns),
      scale = stats::setNames(rep(1, length(columns)), columns)
    ),
    seed = whole_or_null(from_py(model$random_state)),
    call = call("from_python", as.name(from_py(python$bridge$kind_of(model))))
  )
}

whole_or_null <- function(x) {
  if (is_one_number(x)) x
}

pwc_given <- function(model, call) {
  model <- call_bridge(python$bridge$for_named_columns, list(model), list(), call)
  found <- classifier_parts(model)
  options <- from_py(python$bridge$pairwise_options(model))
  weights <- options$pair_weights
  options$pair_weights <- if (is.null(weights)) "equal" else weights
  options$threshold <- first_of(options$threshold, "none")
  options$calibration <- first_of(options$calibration, "none")
  options["seed"] <- list(found$seed)
  classes <- factor(found$classes, levels = found$classes)
  pwc_fit(pwc_from_py(model, classes, NULL, found$input, options), list(), found$call)
}

machines_given <- function(class, model, parts) {
  found <- classifier_parts(model)
  machines_fit(
    class, replace(machines_from_py(model, found$input), "nobs", from_py(model$integrator_$nobs)),
    list(), found$call,
    c(list(seed = found$seed), parts, from_py(python$bridge$hybrid_options(model)))
  )
}

hybrid_given <- function(model, call) {
  model <- call_bridge(python$bridge$for_named_columns, list(model), list(), call)
  labels <- labels_from_py(model$classes_)
  machines <- labels_from_py(model$norms_$index)
  machines_given("pwcstats_hybrid", model, list(
    classes = factor(labels, levels = labels),
    positive = labels[[from_py(python$bridge$baseline(model))]],
    clusters = clusters_from_py(model, machines, NULL),
    threshold = from_py(model$threshold_),
    split = from_py(model$split)
  ))
}

ordinal_hybrid_given <- function(model, call) {
  model <- call_bridge(python$bridge$for_named_columns, list(model), list(), call)
  labels <- labels_from_py(model$categories_)
  classes <- factor(labels, levels = labels, ordered = TRUE)
  machines_given("pwcstats_ordinal_hybrid", model, list(
    classes = classes, class_threshold = thresholds_from_py(model, labels)
  ))
}

comparison_given <- function(result, call) {
  control <- from_py(result$control)
  comparison_fit(
    result, "scores", 1 - from_py(result$alpha), if (!is.null(control)) as_strings(control),
    from_py(result$higher_is_better), quote(from_python(ComparisonResult))
  )
}

coupling_given <- function(result, call) {
  parts <- from_py(call_bridge(python$bridge$coupling_parts, list(result), list(), call))
  proba <- parts$proba
  if (is.matrix(proba)) {
    dimnames(proba) <- list(unlist(parts$samples), unlist(parts$classes))
  } else {
    proba <- stats::setNames(as.vector(proba), unlist(parts$classes))
  }
  per_sample <- function(x) stats::setNames(as.vector(x), unlist(parts$samples))
  structure(
    class = "pwcstats_coupling",
    method = parts$method,
    list(
      proba = proba, kl = per_sample(parts$kl), n_iter = per_sample(as.integer(parts$n_iter)),
      converged = per_sample(parts$converged)
    )
  )
}

given_by_python <- list(
  PairwiseClassifier = pwc_given,
  HybridClassifier = hybrid_given,
  OrdinalHybridClassifier = ordinal_hybrid_given,
  ComparisonResult = comparison_given,
  CouplingResult = coupling_given
)
