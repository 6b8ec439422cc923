#' Stepwise selection of terms
#'
#' Adds and drops terms of a logistic fit one by one, using AIC, BIC or likelihood-ratio tests.
#' Terms are those of the formula: a factor is added or dropped as a whole, and an interaction is
#' never in the model without its main effects.
#'
#' AIC and BIC are computed by [AIC()] and [BIC()], without the penalty. The search is then that of
#' [step()] with the formula of `object` as upper scope. Tests are those of
#' [anova()][anova.pwcstats_logit]: for Firth's models, both fits have the penalty of the larger
#' model. If some terms have p-values above `remove`, the term with the largest p-value is dropped.
#' Otherwise, if some terms would have p-values below `enter`, the one with the smallest p-value is
#' added.
#'
#' The selected formula is fitted with [update()]. Therefore `stepwise()` must be called where the
#' data and weights of `object` can be found. If variables that were dropped have missing values,
#' the selected fit would use more rows than the search, and there is an error: leave out these rows
#' first.
#'
#' Tests and intervals of the selected fit do not account for the selection. The log-likelihood of a
#' Firth fit may increase when a term is dropped, because its estimates do not maximise it.
#'
#' \pkg{RcmdrMisc} and other packages also have a function `stepwise()`. If both packages are
#' attached, write `pwcstats::stepwise()`.
#'
#' @param object A fit by [firth()] (without correction), [firth_multinom()], [cratio()],
#'   [ordered_logit()] or [adjacent_categories()], with all candidate terms.
#' @param criterion AIC, BIC, or likelihood-ratio tests.
#' @param direction `"forward"` starts with the intercept and only adds terms; `"backward"` starts
#'   with all terms and only drops terms; `"both"` starts with all terms, and drops and adds.
#' @param enter,remove For `criterion = "lr"`: a term is added if its p-value is below `enter`, and
#'   dropped if it is above `remove`.
#' @param keep Terms that are always in the model: their names, or a one-sided formula.
#' @param max_steps Maximum number of steps.
#' @return The fit of the selected formula, of the same class as `object`, with two more elements:
#'   \item{path}{Data frame with one row for each step: the term that was added or dropped (`step`),
#'     the criterion (AIC, BIC or the p-value of the test), and then `logLik`, the number of
#'     coefficients (`df`) and the `terms` of the new model. The first row is the start.}
#'   \item{anova}{The same with the columns of [step()]; for tests, `Pr(>Chi)` replaces `AIC`.}
#' @seealso [step()] and [drop1()], which also work with these fits;
#'   [anova()][anova.pwcstats_logit] for tests of each term.
#' @examplesIf pwcstats_available()
#' cars <- transform(mtcars, gear = factor(gear))
#' fit <- firth(am ~ wt + qsec + gear + hp, cars)
#' chosen <- stepwise(fit, "bic")
#' chosen$path
#' chosen
#'
#' stepwise(fit, "lr", "forward", keep = ~hp)$path
#' @export
stepwise <- function(object,
                     criterion = c("aic", "bic", "lr"),
                     direction = c("both", "forward", "backward"),
                     enter = 0.05,
                     remove = 0.10,
                     keep = NULL,
                     max_steps = 1000) {
  call <- full_call()
  criterion <- check_choice(criterion, call)
  direction <- first_choice(direction)
  check_selectable(object, call)
  terms <- read_terms(object)
  kept <- read_keep(keep, terms, call)
  refuse_empty_start(object, direction, kept, call)
  refuse_changing_codes(object, terms, kept, call)

  environment <- parent.frame()
  warn_once(call, {
    results <- thaw(object, call)
    found <- call_python(
      "stepwise",
      list(results$model),
      list(
        # In R nobs() counts rows, in Python their weights.
        criterion = switch(criterion, aic = 2, bic = log(object$nobs), lr = "lr"),
        direction = direction,
        enter = number_to_py(enter),
        remove = number_to_py(remove),
        keep = labels_to_py(terms$names[kept]),
        max_steps = count_to_py(max_steps),
        terms = by_name_to_py(lapply(terms$columns, labels_to_py))
      ),
      call
    )
    constant <- object$loglik - from_py(results$llf_unpenalized)
    path <- path_from_py(found$path, terms, criterion, constant)
    chosen <- terms$names %in% unlist(from_py(found$terms))
    fit <- fit_selected(object, terms$labels[!chosen], environment, call)
  })
  fit$path <- path
  fit$anova <- step_table(path, object, criterion)
  fit
}

check_selectable <- function(object, call) {
  if (!inherits(object, "pwcstats_logit")) {
    abort(
      sprintf(
        paste(
          "object must be a fit by firth(), firth_multinom(), cratio(), ordered_logit() or",
          "adjacent_categories(), not %s."
        ),
        kind(object)
      ),
      call
    )
  }
  if (!length(attr(object$terms, "term.labels"))) {
    abort("the model has no terms except the intercept, so there is nothing to select.", call)
  }
  refuse_aliased(object, "stepwise()", call)
  correction <- first_of(object$correction, "none")
  if (correction != "none") {
    abort(
      sprintf(
        "selection needs a fit without correction, got correction = '%s'; %s.",
        correction, "select without correction, and update() the selected fit with it"
      ),
      call
    )
  }
}

# labels     terms as in the formula
# variables  variables of each term
# names      numbered variables, joined by colons as in Python; labels may have other colons
# columns    columns of the model matrix, by these names
read_terms <- function(object) {
  labels <- attr(object$terms, "term.labels")
  variables <- lapply(seq_along(labels), function(term) variables_of(object$terms, term))
  every <- unique(unlist(variables))
  number <- function(used) paste0("v", match(used, every), collapse = ":")
  names <- vapply(variables, number, "")
  list(
    labels = labels,
    variables = variables,
    names = names,
    columns = stats::setNames(term_columns(object), names)
  )
}

variables_of <- function(terms, term) {
  names(variables_by_label(terms))[attr(terms, "factors")[, term] > 0]
}

# Numbers of the terms to keep. In a formula a:b is the same as b:a.
read_keep <- function(keep, terms, call) {
  if (is.character(keep)) {
    wanted <- lapply(keep, function(name) {
      known <- match(name, terms$labels)
      if (is.na(known)) strsplit(name, ":", fixed = TRUE)[[1L]] else terms$variables[[known]]
    })
    given <- keep
  } else if (inherits(keep, "formula")) {
    asked <- tryCatch(stats::terms(keep), error = function(e) abort_as(e, call))
    given <- attr(asked, "term.labels")
    wanted <- lapply(seq_along(given), function(term) variables_of(asked, term))
  } else if (is.null(keep)) {
    return(integer())
  } else {
    abort(
      sprintf("keep must be names of terms or a formula such as ~ x, not %s.", kind(keep)), call
    )
  }
  index <- vapply(wanted, function(used) {
    which(vapply(terms$variables, setequal, logical(1L), used))[1L]
  }, integer(1L))
  if (anyNA(index)) {
    abort(
      sprintf(
        "keep must be some of the terms %s, got %s.",
        quoted(terms$labels), quoted(given[is.na(index)])
      ),
      call
    )
  }
  index
}

# Numbers of some terms and of the terms that are marginal to them.
with_margins <- function(chosen, terms) {
  inside <- function(term) {
    any(vapply(terms$variables[chosen], function(used) all(term %in% used), logical(1L)))
  }
  which(vapply(terms$variables, inside, logical(1L)))
}

refuse_empty_start <- function(object, direction, kept, call) {
  if (identical(direction, "forward") && !attr(object$terms, "intercept") && !length(kept)) {
    abort(
      "forward selection starts with the intercept, but there is none; add it, or keep a term.",
      call
    )
  }
}

# Whether R codes a factor by contrasts or by all its levels depends on the other terms. The search
# does not recode, so the columns of a term must be the same in all models that it visits.
refuse_changing_codes <- function(object, terms, kept, call) {
  for (term in seq_along(terms$labels)) {
    least <- with_margins(c(term, kept), terms)
    x <- design_of_some(object, least, call)
    if (!identical(colnames(x)[attr(x, "assign") == match(term, least)], terms$columns[[term]])) {
      abort(
        sprintf(
          "the coding of '%s' depends on terms that may be dropped; %s.", terms$labels[[term]],
          "add an intercept and all main effects to the formula, keep these terms, or use step()"
        ),
        call
      )
    }
  }
}

design_of_some <- function(object, chosen, call) {
  terms <- stats::delete.response(object$terms)[chosen]
  used <- names(object$contrasts) %in% rownames(attr(terms, "factors"))
  design_of(terms, object$model, object$contrasts[used], call)
}

# Gives each warning once, although many fits may give it.
warn_once <- function(call, code) {
  messages <- character()
  withCallingHandlers(code, pwcstats_warning = function(w) {
    messages <<- c(messages, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  for (message in unique(messages)) {
    warn(message, call)
  }
}

# Python's path with R's names of terms.
path_from_py <- function(path, terms, criterion, constant) {
  values <- function(name) vector_from_py(column_from_py(path, name))
  texts <- function(name) labels_from_py(column_from_py(path, name))
  value <- values("criterion")
  # The start has no p-value.
  value[is.nan(value)] <- NA
  action <- strsplit(texts("action"), " ", fixed = TRUE)
  label <- function(name) c("1", terms$labels)[match(name, c("1", terms$names))]
  step <- vapply(action, function(a) if (length(a)) paste(a[[1L]], label(a[[2L]])) else "", "")
  inside <- strsplit(texts("terms"), " + ", fixed = TRUE)
  data.frame(
    step = step,
    criterion = if (criterion == "lr") value else value - 2 * constant,
    logLik = values("log_lik") + constant,
    df = as.integer(values("n_params")),
    terms = vapply(inside, function(names) paste(label(names), collapse = " + "), "")
  )
}

fit_selected <- function(object, dropped, environment, call) {
  changes <- stats::as.formula(paste(c(". ~ .", dropped), collapse = " - "))
  fit <- tryCatch(
    eval(stats::update(object, changes, evaluate = FALSE), environment),
    error = function(e) {
      abort(
        sprintf(
          "the selected formula cannot be fitted where stepwise() is called (%s); %s.",
          sub("\\.$", "", conditionMessage(e)), "call it where the data of object can be found"
        ),
        call
      )
    }
  )
  refuse_other_data(fit, object, call)
  fit
}

refuse_other_data <- function(fit, object, call) {
  if (nrow(fit$model) > nrow(object$model) && length(object$na.action)) {
    abort(
      sprintf(
        "the selected formula has %d rows without missing values, and the search had %d; %s.",
        nrow(fit$model), nrow(object$model),
        "leave out rows with missing values, for example with na.omit(), and fit again"
      ),
      call
    )
  }
  before <- object$model[names(fit$model)]
  if (!isTRUE(all.equal(fit$model, before, check.attributes = FALSE))) {
    abort(
      "the data have changed since object was fitted; fit it again before the selection.", call
    )
  }
}

# The path with the columns of step().
step_table <- function(path, object, criterion) {
  deviance <- object$deviance - 2 * (path$logLik - object$loglik)
  table <- data.frame(
    Step = I(path$step),
    Df = c(NA, -diff(path$df)),
    Deviance = c(NA, abs(diff(deviance))),
    "Resid. Df" = object$nobs - path$df,
    "Resid. Dev" = deviance,
    AIC = path$criterion,
    check.names = FALSE
  )
  if (criterion == "lr") {
    names(table)[[6L]] <- "Pr(>Chi)"
  }
  table
}
