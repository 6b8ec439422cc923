# Adding and dropping terms one by one. extractAIC() is in logit-methods.R.

#' @rdname pwcstats_logit
#' @importFrom stats drop1
#' @export
drop1.pwcstats_logit <- function(object, scope, scale = 0, test = c("none", "Chisq", "LRT"), k = 2,
                                 ...) {
  call <- sys.call()
  # step() passes trace.
  refuse_unknown(..., .also = "trace")
  test <- check_choice(test, call)
  if (ncol(model.matrix.pwcstats_logit(object)) == length(unlist(term_columns(object)[1L]))) {
    abort("a model without its only term has no columns; use anova(fit).", call)
  }
  table <- NextMethod(test = "none")
  if (test == "none") {
    return(table)
  }
  dropped <- rownames(table)[-1L]
  inside <- setdiff(dropped, stats::drop.scope(object))
  if (length(inside)) {
    abort(
      sprintf(
        "the test of '%s' is not defined, because it is part of an interaction; use anova(fit).",
        inside[[1L]]
      ),
      call
    )
  }
  fit <- thaw(object, call)
  columns <- term_columns(object)
  one <- function(term) term_test(object, fit, columns[[term]], call)[-1L]
  tests <- vapply(dropped, one, numeric(2L))
  with_tests(table, tests)
}

#' @rdname pwcstats_logit
#' @importFrom stats add1
#' @export
add1.pwcstats_logit <- function(object, scope, scale = 0, test = c("none", "Chisq", "LRT"), k = 2,
                                ...) {
  call <- sys.call()
  # step() passes trace.
  refuse_unknown(..., .also = "trace")
  test <- check_choice(test, call)
  table <- NextMethod(test = "none")
  if (test == "none") {
    return(table)
  }
  tests <- vapply(rownames(table)[-1L], function(term) {
    changed <- stats::as.formula(paste("~ . +", term))
    # As add1() evaluates it.
    larger <- eval(
      stats::update(object, changed, evaluate = FALSE), environment(stats::formula(object))
    )
    # Its columns may be aliased.
    if (larger$df == object$df) c(0, NA) else compare_two(object, larger, call)[-1L]
  }, numeric(2L))
  with_tests(table, tests)
}

# The table of drop1() with statistics and p-values, one column of `tests` for each term.
with_tests <- function(table, tests) {
  table[c("LRT", "Pr(>Chi)")] <- list(c(NA, tests[1L, ]), c(NA, tests[2L, ]))
  table
}

# The columns of the design matrix of each term.
term_columns <- function(object) {
  x <- model.matrix.pwcstats_logit(object)
  labels <- attr(object$terms, "term.labels")
  columns <- lapply(seq_along(labels), function(term) colnames(x)[attr(x, "assign") == term])
  stats::setNames(columns, labels)
}

# The default methods would compare likelihoods without their penalties.
#' @exportS3Method MASS::dropterm
dropterm.pwcstats_logit <- function(object, ..., test = "none") { # nolint
  refuse_unpenalised_test(object, test, "drop1", sys.call())
  NextMethod()
}

#' @exportS3Method MASS::addterm
addterm.pwcstats_logit <- function(object, ..., test = "none") { # nolint
  refuse_unpenalised_test(object, test, "add1", sys.call())
  NextMethod()
}

refuse_unpenalised_test <- function(object, test, instead, call) {
  if (!identical(test[[1L]], "none") && !identical(object$penalty, "none")) {
    abort(
      sprintf(
        "this test would compare likelihoods without their penalties; use %s(fit, test = 'Chisq').",
        instead
      ),
      call
    )
  }
}
