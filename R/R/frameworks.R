# Fits and predictions for caret, mlr and parsnip.

# Arguments that a framework gives itself.
framework_arguments <- c(
  "formula", "data", "x", "y", "weights", "subset", "na.action", "...", "verbose"
)

# The other arguments of a classifier, and for pwc() those of its learners.
options_of <- function(name) {
  own <- setdiff(names(formals(name)), framework_arguments)
  if (name == "pwc") c(own, unique(unlist(known_learners))) else own
}

# Stops at arguments that the classifier does not have.
check_options <- function(name, options, call) {
  known <- options_of(name)
  if (!all(nzchar(first_of(names(options), character(length(options)))))) {
    example <- if (name == "pwc") "learners = \"lda\"" else "cost = 10"
    abort(sprintf("name the arguments of %s(), as in %s.", name, example), call)
  }
  odd <- setdiff(names(options), known)
  if (length(odd)) {
    near <- nearest_name(odd[[1L]], known)
    abort(
      sprintf(
        "'%s' is not an argument of %s() for a framework%s", odd[[1L]], name,
        if (is.null(near)) "." else sprintf("; did you mean '%s'?", near)
      ),
      call
    )
  }
}

# Fits a classifier to all other columns of a data frame.
fit_frame <- function(name, data, response, weights, options) {
  # The formula is saved with the fit, so its environment has nothing else.
  environment <- list2env(list(.weights = weights), parent = globalenv())
  given <- list(
    formula = stats::reformulate(".", as.name(response), env = environment), data = quote(data)
  )
  if (!is.null(weights)) {
    given$weights <- quote(.weights)
  }
  eval(as.call(c(as.name(name), given, options)))
}

# Probabilities of all classes; those that the fit has never seen have 0.
proba_of <- function(fit, newdata, labels) {
  all_classes(predict(fit, newdata, type = "prob"), labels)
}

all_classes <- function(known, labels) {
  proba <- matrix(0, nrow(known), length(labels), dimnames = list(rownames(known), labels))
  proba[, colnames(known)] <- known
  proba
}
