#' Likelihood-ratio tests of logistic fits
#'
#' With one fit, tests each term: its coefficients are fixed at 0, with all other terms in the model
#' (interactions stay in the model when a main effect is tested). With several fits, tests each
#' against the one before it.
#'
#' The tests use the penalised likelihood. Both models have the penalty of the larger model, so that
#' the two likelihoods can be compared. For [cratio()], [ordered_logit()] and
#' [adjacent_categories()] without penalty, they are the usual likelihood-ratio tests.
#' After [firth()] with `correction = "flac"`, the likelihood is that of the augmented data, as in
#' \pkg{logistf}; with `"flic"`, the tests are those of the fit without correction, because FLIC
#' changes the intercept only.
#'
#' Fits must use the same rows, and the columns of one must be among those of the other, or be
#' combinations of them: `y ~ dose` is nested in `y ~ factor(dose)`. Fits by [cratio()] and
#' [adjacent_categories()] may instead differ in `parallel` only. For users of `anova()` in
#' \pkg{logistf}: its `method = "nested"`, the default there, is this test; `method = "PLR"`
#' subtracts likelihoods with different penalties.
#'
#' @param object A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param ... Further fits.
#' @param test `"Chisq"` or `"LRT"`, two names of the likelihood-ratio test.
#' @return A data frame of class `anova` with degrees of freedom, statistic (`Deviance`) and
#'   p-value.
#' @references
#' Heinze, G. and Schemper, M. (2002) A solution to the problem of separation in logistic
#' regression. *Statistics in Medicine* **21**, 2409--2419. \doi{10.1002/sim.1047}
#' @examplesIf pwcstats_available()
#' fit <- firth(am ~ wt + factor(gear), mtcars)
#' anova(fit)
#' anova(firth(am ~ wt, mtcars), fit)
#' @importFrom stats anova
#' @export
anova.pwcstats_logit <- function(object, ..., test = c("Chisq", "LRT")) {
  call <- sys.call()
  # There is only one test, with two names.
  check_choice(test, call)
  further <- list(...)
  refuse_unknown(..., .also = names_of_fits(further, "pwcstats_logit"))
  if (!length(further)) {
    return(test_terms(object, call))
  }
  fits <- c(list(object), unname(further))
  if (!all(vapply(fits, inherits, logical(1L), class(object)[[1L]]))) {
    abort("anova compares fits by one function only.", call)
  }
  compare <- function(i) compare_two(fits[[i - 1L]], fits[[i]], call)[-1L]
  tests <- vapply(seq_along(fits)[-1L], compare, numeric(2L))
  as_anova(
    sequential_table(fits, tests),
    describe_tests(object),
    number_models(vapply(fits, describe_formula, ""))
  )
}

test_terms <- function(object, call) {
  labels <- attr(object$terms, "term.labels")
  if (!length(labels)) {
    abort("the model has no terms except the intercept, so there is nothing to test.", call)
  }
  fit <- thaw(object, call)
  one <- function(held) term_test(object, fit, held, call)
  tests <- vapply(term_columns(object), one, numeric(3L))
  table <- data.frame(Df = tests[1L, ], Deviance = tests[2L, ], p = tests[3L, ], row.names = labels)
  as_anova(
    table,
    paste(describe_tests(object), "of each term"),
    sprintf("Model: %s\n", describe_formula(object))
  )
}

# Degrees of freedom, statistic and p-value of the test that coefficients are 0.
held_test <- function(fit, columns, call) {
  test_from_py(call_bridge(fit$lr_test, list(labels_to_py(columns)), list(), call))
}

compare_two <- function(first, second, call) {
  fits <- refuse_not_nested(first, second, call)
  smaller <- fits$smaller
  larger <- fits$larger
  fit <- thaw(larger, call)
  if (length(columns_lacking(smaller, larger))) {
    # They may be combinations of the columns of the larger fit.
    return(test_from_py(call_bridge(fit$lr_test, list(thaw(smaller, call)), list(), call)))
  }
  held <- columns_between(smaller, larger, call)
  if (identical(smaller$parallel, larger$parallel)) {
    held_test(fit, held, call)
  } else if (smaller$parallel && !length(held)) {
    test_from_py(call_bridge(fit$parallel_test, list(), list(), call))
  } else {
    abort("the fits differ in parallel and in their columns; change one at a time.", call)
  }
}

# The smaller and the larger of two fits to the same rows.
refuse_not_nested <- function(first, second, call) {
  if (first$df == second$df) {
    abort(
      sprintf("both fits have %d coefficients, so neither is nested in the other.", first$df),
      call
    )
  }
  fits <- if (first$df < second$df) list(first, second) else list(second, first)
  names(fits) <- c("smaller", "larger")
  refuse_other_rows(fits$smaller, fits$larger, call)
  fits
}

refuse_other_rows <- function(smaller, larger, call) {
  for (option in c("direction", "penalty", "tau", "correction")) {
    if (!identical(smaller[[option]], larger[[option]])) {
      abort(
        sprintf("a likelihood-ratio test needs fits with the same %s.", option),
        call
      )
    }
  }
  rows <- vapply(list(smaller, larger), function(fit) nrow(fit$model), 1L)
  if (rows[[1L]] != rows[[2L]]) {
    abort(
      sprintf(
        "the fits use %d and %d rows, perhaps because of missing values; %s.",
        rows[[1L]], rows[[2L]], "fit both to the rows that are complete"
      ),
      call
    )
  }
  parts <- list(
    "the response" = stats::model.response,
    weights = stats::model.weights,
    "the offset" = stats::model.offset
  )
  for (name in names(parts)) {
    values <- lapply(list(smaller, larger), function(fit) parts[[name]](fit$model))
    if (!isTRUE(all.equal(values[[1L]], values[[2L]], tolerance = 0, check.attributes = FALSE))) {
      abort(
        sprintf("a likelihood-ratio test needs fits to the same rows, but %s differs.", name),
        call
      )
    }
  }
}

# Columns that only the larger model has.
columns_between <- function(smaller, larger, call) {
  lacking <- columns_lacking(smaller, larger)
  if (length(lacking)) {
    abort(
      sprintf(
        "the smaller model is not nested in the larger one, which lacks its column %s.",
        quoted(lacking)
      ),
      call
    )
  }
  setdiff(
    colnames(model.matrix.pwcstats_logit(larger)), colnames(model.matrix.pwcstats_logit(smaller))
  )
}

# Columns of the smaller model that the larger one does not have with the same values.
columns_lacking <- function(smaller, larger) {
  small <- model.matrix.pwcstats_logit(smaller)
  large <- model.matrix.pwcstats_logit(larger)
  shared <- intersect(colnames(small), colnames(large))
  same <- vapply(shared, function(column) all(small[, column] == large[, column]), logical(1L))
  setdiff(colnames(small), shared[same])
}

describe_tests <- function(object) {
  if (identical(object$penalty, "none") || identical(object$tau, 0)) {
    "Likelihood-ratio tests"
  } else {
    "Penalised likelihood-ratio tests"
  }
}

describe_formula <- function(object) {
  slopes <- if (isTRUE(object$parallel)) ", parallel slopes" else ""
  paste0(deparse1(stats::formula(object)), slopes)
}
