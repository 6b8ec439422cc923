#' Likelihood-ratio tests of logistic fits
#'
#' With one fit, a test of each term: its columns are held at 0, with all other terms in the model
#' (that of a main effect thus beside its interactions). With several fits, tests of each against
#' the one before it.
#'
#' The tests are of the penalised likelihood: columns that are held at 0 stay in the penalty of the
#' larger model, so that the two likelihoods can be compared. For [cratio()] without penalty, they
#' are the usual tests of maximum likelihood fits.
#'
#' Fits that are compared must be of the same rows, and the columns of one among those of the other;
#' or, of [cratio()], be the same but for parallel slopes.
#'
#' @param object A fit by [firth()], [firth_multinom()] or [cratio()].
#' @param ... Further fits.
#' @param test `"Chisq"` or `"LRT"`, two names of the likelihood-ratio test.
#' @return A data frame of class `anova`, with the degrees of freedom, the statistic (`Deviance`)
#'   and its p-value.
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
  # The only test there is, by either name.
  check_choice(test, c("Chisq", "LRT"), "test", call)
  further <- list(...)
  refuse_unknown(..., .also = names_of_fits(further, "pwcstats_logit"))
  if (!length(further)) {
    return(test_terms(object, call))
  }
  fits <- c(list(object), unname(further))
  if (!all(vapply(fits, inherits, logical(1L), class(object)[[1L]]))) {
    abort("anova compares fits by one function only.", call)
  }
  pairs <- seq_along(fits)[-1L]
  tests <- vapply(pairs, function(i) compare_two(fits[[i - 1L]], fits[[i]], call), numeric(3L))
  npar <- vapply(fits, function(fit) as.double(fit$df), numeric(1L))
  more <- diff(npar)
  # A smaller model after a larger one has negative differences, as in anova.glm().
  table <- data.frame(
    npar = npar,
    Df = c(NA, more),
    Deviance = c(NA, sign(more) * tests[2L, ]),
    p = c(NA, tests[3L, ])
  )
  formulas <- vapply(fits, describe_formula, "")
  as_anova(table, c(
    sprintf("%s\n", describe_tests(object)),
    paste(sprintf("Model %d: %s", seq_along(fits), formulas), collapse = "\n")
  ))
}

# Fits may have names, or none; what else has a name is an argument that anova() does not have.
names_of_fits <- function(further, class) {
  fits <- vapply(further, inherits, logical(1L), class)
  named <- nzchar(first_of(names(further), character(length(further))))
  c("", names(further)[fits & named])
}

test_terms <- function(object, call) {
  x <- model.matrix.pwcstats_logit(object)
  labels <- attr(object$terms, "term.labels")
  if (!length(labels)) {
    abort("the model has no term but the intercept, so that there is nothing to test.", call)
  }
  refuse_corrected(object, call)
  fit <- thaw(object, call)
  columns <- lapply(seq_along(labels), function(term) colnames(x)[attr(x, "assign") == term])
  tests <- vapply(columns, function(held) held_test(fit, held, call), numeric(3L))
  table <- data.frame(Df = tests[1L, ], Deviance = tests[2L, ], p = tests[3L, ], row.names = labels)
  as_anova(table, c(
    sprintf("%s of each term\n", describe_tests(object)),
    sprintf("Model: %s\n", describe_formula(object))
  ))
}

# Degrees of freedom, statistic and p-value of columns at 0.
held_test <- function(fit, columns, call) {
  test_from_py(call_bridge(fit$lr_test, list(labels_to_py(columns)), list(), call))
}

compare_two <- function(first, second, call) {
  lapply(list(first, second), refuse_corrected, call)
  if (first$df == second$df) {
    abort(
      sprintf("both fits have %d coefficients, so that neither is nested in the other.", first$df),
      call
    )
  }
  larger <- if (first$df > second$df) first else second
  smaller <- if (first$df > second$df) second else first
  refuse_other_rows(smaller, larger, call)
  held <- columns_between(smaller, larger, call)
  fit <- thaw(larger, call)
  if (identical(smaller$parallel, larger$parallel)) {
    held_test(fit, held, call)
  } else if (smaller$parallel && !length(held)) {
    test_from_py(call_bridge(fit$parallel_test, list(), list(), call))
  } else {
    abort("the fits differ in parallel and in their columns; compare one step at a time.", call)
  }
}

refuse_corrected <- function(object, call) {
  if (!identical(first_of(object$correction, "none"), "none")) {
    abort(
      sprintf(
        "a likelihood-ratio test needs Firth's likelihood, which correction='%s' has left; %s.",
        object$correction, "fit without correction"
      ),
      call
    )
  }
}

refuse_other_rows <- function(smaller, larger, call) {
  for (option in c("direction", "penalty")) {
    if (!identical(smaller[[option]], larger[[option]])) {
      abort(
        sprintf("a likelihood-ratio test needs fits with the same %s.", option),
        call
      )
    }
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
  small <- model.matrix.pwcstats_logit(smaller)
  large <- model.matrix.pwcstats_logit(larger)
  shared <- intersect(colnames(small), colnames(large))
  same <- vapply(shared, function(column) all(small[, column] == large[, column]), logical(1L))
  lacking <- setdiff(colnames(small), shared[same])
  if (length(lacking)) {
    abort(
      sprintf(
        "the smaller model is not nested in the larger one, which lacks its column %s.",
        paste0("'", lacking, "'", collapse = ", ")
      ),
      call
    )
  }
  setdiff(colnames(large), colnames(small))
}

describe_tests <- function(object) {
  if (identical(object$penalty, "none")) {
    "Likelihood-ratio tests"
  } else {
    "Penalised likelihood-ratio tests"
  }
}

describe_formula <- function(object) {
  slopes <- if (isTRUE(object$parallel)) ", parallel slopes" else ""
  paste0(deparse1(stats::formula(object)), slopes)
}

as_anova <- function(table, heading) {
  names(table)[[length(table)]] <- "Pr(>Chi)"
  structure(table, heading = heading, class = c("anova", "data.frame"))
}
