#' Formula, update and selection of terms of Bradley-Terry fits
#'
#' `formula()` is the formula of the abilities, `~ ..` if all of them are free. `update()` changes
#' it, or other arguments of the call. With these methods, [drop1()], [add1()] and [step()] select
#' covariates as for other models.
#'
#' `AIC()`, and so these functions, use the log-likelihood of the single comparisons. `AIC()` of a
#' fit by `BTm()` in \pkg{BradleyTerry2} is smaller by a constant if its rows count several
#' comparisons, because its log-likelihood then includes binomial coefficients; differences between
#' models of the same data agree.
#'
#' Terms that a model of abilities needs are not dropped: free abilities `..`, the random effect
#' `(1 | ..)`, and the last covariate of the items.
#'
#' @param x,fit,object A fit by [bt()].
#' @param formula. Changes to the formula, as in `. ~ . - x`, or a new formula.
#' @param ... For `update()` arguments of [bt()] to change. Otherwise it must be empty, and a
#'   misspelt argument is an error.
#' @param evaluate Fit the new model, or return its call?
#' @param scope,scale,k,test As in [stats::drop1()] and [stats::extractAIC()]; `scale` has no
#'   effect. Tests need maximum likelihood fits.
#' @return `formula()` returns a formula, `terms()` its terms. `update()` returns a fit or a call,
#'   `extractAIC()` the number of parameters and the AIC, `drop1()` and `add1()` a data frame of
#'   class `anova`.
#' @examplesIf pwcstats_available()
#' journals <- data.frame(
#'   british = c(TRUE, FALSE, FALSE, TRUE), theory = c(2, 0, 1, 3), row.names = rownames(citations)
#' )
#' fit <- bt(citations, formula = ~ british + theory, item_data = journals)
#' formula(fit)
#' drop1(fit, test = "Chisq")
#' update(fit, . ~ . - british)
#' @name bt_selection
NULL

#' @rdname bt_selection
#' @importFrom stats formula
#' @export
formula.pwcstats_bt <- function(x, ...) {
  # as.formula() passes env.
  refuse_unknown(..., .also = "env")
  if (is.null(x$formula)) {
    abort(
      "the fit has no formula, because its covariates are a matrix; give a formula and item_data.",
      sys.call()
    )
  }
  # step() replaces it by terms.
  stats::formula(x$formula)
}

#' @rdname bt_selection
#' @importFrom stats terms
#' @export
terms.pwcstats_bt <- function(x, ...) {
  refuse_unknown(...)
  stats::terms(formula.pwcstats_bt(x))
}

#' @rdname bt_selection
#' @importFrom stats update
#' @export
update.pwcstats_bt <- function(object, formula., ..., evaluate = TRUE) { # nolint
  refuse_unknown(..., .also = names(formals(bt)))
  if (!missing(formula.) && is.data.frame(formula.)) {
    abort(
      "formula. must be a formula, not a data frame; to add rows, use data = rbind(old, new).",
      sys.call()
    )
  }
  call <- object$call
  changes <- as.list(match.call(expand.dots = FALSE)$...)
  # update(fit, formula = NULL) gives each item its own ability.
  if (!missing(formula.)) {
    changed <- if (!is.null(formula.)) {
      stats::update.formula(formula.pwcstats_bt(object), formula.)
    }
    changes["formula"] <- list(changed)
  }
  # A formula replaces covariates, and covariates replace a formula. After step() there are both.
  if ("formula" %in% names(changes) || (!is.null(call$formula) && is.null(changes$covariates))) {
    call$covariates <- NULL
  } else if (!is.null(changes$covariates)) {
    call$formula <- NULL
  }
  for (name in names(changes)) {
    call[[name]] <- changes[[name]]
  }
  # Without the term (1 | ..) there are no random effects.
  if (!missing(formula.) && !any(grepl("|", deparse(call$formula), fixed = TRUE))) {
    call$random_effects <- NULL
  }
  if (evaluate) eval(call, parent.frame()) else call
}

#' @rdname bt_selection
#' @importFrom stats extractAIC
#' @export
extractAIC.pwcstats_abilities <- function(fit, scale = 0, k = 2, ...) {
  refuse_unknown(...)
  loglik <- logLik.pwcstats_abilities(fit)
  df <- attr(loglik, "df")
  c(df, -2 * as.numeric(loglik) + k * df)
}

#' @rdname bt_selection
#' @importFrom stats drop1
#' @export
drop1.pwcstats_bt <- function(object, scope, scale = 0, test = c("none", "Chisq"), k = 2, ...) {
  # step() passes trace.
  refuse_unknown(..., .also = "trace")
  test <- test[[1L]]
  refuse_unlikely_test(object, test, sys.call())
  terms <- terms.pwcstats_bt(object)
  all_terms <- missing(scope)
  scope <- if (all_terms) {
    stats::drop.scope(terms)
  } else if (is.character(scope)) {
    scope
  } else {
    attr(stats::terms(stats::update.formula(terms, scope)), "term.labels")
  }
  kept <- intersect(scope, kept_terms(object))
  scope <- setdiff(scope, kept)
  # NextMethod() would pass the first scope, too, if it has no name.
  table <- utils::getS3method("drop1", "default")(object, scope, scale, test, k)
  # A table of one row has lost its name.
  rownames(table) <- c("<none>", scope)
  # step() needs a row for each term that it offers.
  if (all_terms) table else rbind(table, empty_rows(table, kept))
}

#' @rdname bt_selection
#' @importFrom stats add1
#' @export
add1.pwcstats_bt <- function(object, scope, scale = 0, test = c("none", "Chisq"), k = 2, ...) {
  refuse_unknown(..., .also = "trace")
  refuse_unlikely_test(object, test, sys.call())
  NextMethod()
}

# The default methods of MASS would test likelihoods without their penalties.
#' @exportS3Method MASS::dropterm
dropterm.pwcstats_bt <- function(object, ..., test = "none") { # nolint
  call <- sys.call()
  refuse_unlikely_test(object, test, call)
  # It would try to drop the random effects.
  refuse_random_effects(object, "dropterm()", "use drop1(fit, test = 'Chisq')", call)
  NextMethod()
}

#' @exportS3Method MASS::addterm
addterm.pwcstats_bt <- function(object, ..., test = "none") { # nolint
  refuse_unlikely_test(object, test, sys.call())
  NextMethod()
}

empty_rows <- function(table, rows) {
  empty <- as.data.frame(table)[rep(NA_integer_, length(rows)), , drop = FALSE]
  rownames(empty) <- rows
  empty
}

# Free abilities, the random effect, or else the last covariate of the abilities.
kept_terms <- function(object) {
  id <- first_of(object$design$id, "..")
  last <- if (length(object$design$items) == 1L && !object$design$random) object$design$items
  c(id, paste("1 |", id), last)
}

refuse_unlikely_test <- function(object, test, call) {
  is_likely <- object$method == "mle" && !identical(object$approximation, "pql")
  if (!identical(test[[1L]], "none") && !is_likely) {
    abort(
      paste(
        "a likelihood-ratio test needs a maximum likelihood fit; fit with method = 'mle', and with",
        "random_effects = 'laplace' if there are random effects."
      ),
      call
    )
  }
}
