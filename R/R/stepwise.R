#' Stepwise selection of terms
#'
#' Adds and drops terms of a logistic fit one by one, by AIC, BIC or likelihood-ratio tests. Terms
#' are those of the formula: factors come and go as a whole, and an interaction is never in the
#' model without what it is an interaction of.
#'
#' AIC and BIC are those of [AIC()] and [BIC()] of the fits, without the penalty. By them the search
#' is the one that [step()] makes with the formula of `object` for its upper scope.
#' Tests are those of [anova()][anova.pwcstats_logit]: for Firth's fits both models have the penalty
#' of the larger one. Of the terms whose p-value is above `remove` the one with the largest is
#' dropped; if there is none, of those that would have a p-value below `enter` the one with the
#' smallest is added.
#'
#' The selected formula is fitted by [update()], so that data and weights must be found where
#' `stepwise()` is called, and be those of `object`. Where values are missing in variables that were
#' dropped, the selected fit would have more rows than the search, and is refused: leave such rows
#' out first.
#'
#' Tests and intervals of the selected fit take no account of the selection. The log-likelihood of
#' a Firth fit may rise when a term is dropped, since its estimates do not maximise it.
#'
#' \pkg{RcmdrMisc} and others have a `stepwise()`, too: with both packages attached, write
#' `pwcstats::stepwise()` for this one.
#'
#' @param object A fit by [firth()] (without correction), [firth_multinom()] or [cratio()], with all
#'   terms that may be chosen.
#' @param criterion Akaike's or Schwarz's criterion, or likelihood-ratio tests.
#' @param direction `"forward"` begins with the intercept alone and only adds; `"backward"` begins
#'   with all terms and only drops; `"both"` begins with all terms and does either.
#' @param enter,remove For `criterion = "lr"`: a term is added if its p-value is below `enter`, and
#'   dropped if it is above `remove`.
#' @param keep Terms that are always in the model: their names, or a one-sided formula.
#' @param max_steps Steps before giving up.
#' @return The fit of the selected formula, as the function that made `object` gives it, with two
#'   more elements:
#'   \item{path}{Data frame with one row a step: what was added or dropped (`step`), the criterion
#'     (AIC, BIC or the p-value of the test), `logLik`, number of coefficients (`df`) and `terms`
#'     afterwards. The first row is the start.}
#'   \item{anova}{The same with the columns of [step()]; after tests `Pr(>Chi)` is in the place of
#'     `AIC`.}
#' @seealso [step()] and [drop1()], which work with these fits too;
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
  call <- sys.call()
  criterion <- check_choice(criterion, c("aic", "bic", "lr"), "criterion", call)
  direction <- check_choice(direction, c("both", "forward", "backward"), "direction", call)
  check_level(enter, "enter", call)
  check_level(remove, "remove", call)
  check_count(max_steps, "max_steps", call)
  check_selectable(object, call)
  terms <- read_terms(object)
  kept <- read_keep(keep, terms, call)
  refuse_empty_start(object, direction, kept, call)
  refuse_changing_codes(object, terms, kept, call)

  where <- parent.frame()
  told_once(call, {
    results <- thaw(object, call)
    found <- call_python(
      "stepwise",
      list(results$model),
      list(
        # nobs() of R counts rows where Python counts their weights.
        criterion = switch(criterion, aic = 2, bic = log(object$nobs), lr = "lr"),
        direction = direction,
        enter = enter,
        remove = remove,
        keep = labels_to_py(terms$names[kept]),
        max_steps = count_to_py(max_steps),
        terms = by_name_to_py(lapply(terms$columns, labels_to_py))
      ),
      call
    )
    constant <- object$loglik - from_py(results$llf_unpenalized)
    path <- path_from_py(found$path, terms, criterion, constant)
    chosen <- terms$names %in% unlist(from_py(found$terms))
    fit <- fit_selected(object, terms$labels[!chosen], where, call)
  })
  fit$path <- path
  fit$anova <- path_as_of_step(path, object, criterion)
  fit
}

check_selectable <- function(object, call) {
  if (!inherits(object, "pwcstats_logit")) {
    abort(
      sprintf(
        "object must be a fit by firth(), firth_multinom() or cratio(), not %s.", kind(object)
      ),
      call
    )
  }
  if (!length(attr(object$terms, "term.labels"))) {
    abort("the model has no term but the intercept, so that there is nothing to select.", call)
  }
  correction <- first_of(object$correction, "none")
  if (correction != "none") {
    abort(
      sprintf(
        "selection is by Firth's likelihood, which correction='%s' has left; %s.",
        correction, "select without correction, and update() the selected fit with it"
      ),
      call
    )
  }
}

# labels     as users know them
# variables  which variables each has
# names      these by number, joined as Python knows interactions: labels may have other colons
# columns    of the design, by these names
read_terms <- function(object) {
  labels <- attr(object$terms, "term.labels")
  x <- model.matrix.pwcstats_logit(object)
  variables <- lapply(seq_along(labels), function(term) variables_of(object$terms, term))
  every <- unique(unlist(variables))
  number <- function(used) paste0("v", match(used, every), collapse = ":")
  names <- vapply(variables, number, "")
  columns <- lapply(seq_along(labels), function(term) colnames(x)[attr(x, "assign") == term])
  list(
    labels = labels,
    variables = variables,
    names = names,
    columns = stats::setNames(columns, names)
  )
}

variables_of <- function(terms, term) {
  factors <- attr(terms, "factors")
  rownames(factors)[factors[, term] > 0]
}

# Numbers of the terms that stay. In a formula a:b is b:a.
read_keep <- function(keep, terms, call) {
  if (is.character(keep)) {
    wanted <- lapply(keep, function(name) {
      known <- match(name, terms$labels)
      if (is.na(known)) strsplit(name, ":", fixed = TRUE)[[1L]] else terms$variables[[known]]
    })
    said <- keep
  } else if (inherits(keep, "formula")) {
    asked <- tryCatch(stats::terms(keep), error = function(e) abort_as(e, call))
    said <- attr(asked, "term.labels")
    wanted <- lapply(seq_along(said), function(term) variables_of(asked, term))
  } else if (is.null(keep)) {
    return(integer())
  } else {
    abort(
      sprintf("keep must be names of terms or a formula such as ~ x, not %s.", kind(keep)), call
    )
  }
  place <- vapply(wanted, function(used) {
    which(vapply(terms$variables, setequal, logical(1L), used))[1L]
  }, integer(1L))
  if (anyNA(place)) {
    quoted <- function(x) paste0("'", x, "'", collapse = ", ")
    abort(
      sprintf(
        "keep must be some of the terms %s, got %s.",
        quoted(terms$labels), quoted(said[is.na(place)])
      ),
      call
    )
  }
  place
}

# Numbers of the terms that some terms are interactions of, and of these.
with_margins <- function(chosen, terms) {
  inside <- function(term) {
    any(vapply(terms$variables[chosen], function(used) all(term %in% used), logical(1L)))
  }
  which(vapply(terms$variables, inside, logical(1L)))
}

refuse_empty_start <- function(object, direction, kept, call) {
  if (direction == "forward" && !attr(object$terms, "intercept") && !length(kept)) {
    abort(
      "forward selection begins with the intercept, which is not there; add it, or keep a term.",
      call
    )
  }
}

# R codes a factor by contrasts or by all its levels, as other terms make it necessary. The search
# takes columns as they are: they must be those that each formula on the way would have.
refuse_changing_codes <- function(object, terms, kept, call) {
  for (term in seq_along(terms$labels)) {
    least <- with_margins(c(term, kept), terms)
    x <- design_of_some(object, least, call)
    if (!identical(colnames(x)[attr(x, "assign") == match(term, least)], terms$columns[[term]])) {
      abort(
        sprintf(
          "how '%s' is coded depends on terms that may be dropped; %s.", terms$labels[[term]],
          "give the formula an intercept and all main effects, keep these terms, or use step()"
        ),
        call
      )
    }
  }
}

design_of_some <- function(object, chosen, call) {
  terms <- stats::delete.response(object$terms)[chosen]
  there <- names(object$contrasts) %in% rownames(attr(terms, "factors"))
  design_of(terms, object$model, object$contrasts[there], call)
}

# Many fits have the same to say.
told_once <- function(call, code) {
  said <- character()
  withCallingHandlers(code, pwcstats_warning = function(w) {
    said <<- c(said, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  for (sentence in unique(said)) {
    warn(sentence, call)
  }
}

# Words of Python's path in the names that R has.
path_from_py <- function(path, terms, criterion, constant) {
  column <- function(name) reticulate::py_get_item(path, name)
  values <- function(name) as.vector(array_from_py(column(name)))
  value <- values("criterion")
  # A start has no p-value.
  value[is.nan(value)] <- NA
  action <- strsplit(labels_from_py(column("action")), " ", fixed = TRUE)
  label <- function(name) c("1", terms$labels)[match(name, c("1", terms$names))]
  step <- vapply(action, function(a) if (length(a)) paste(a[[1L]], label(a[[2L]])) else "", "")
  inside <- strsplit(labels_from_py(column("terms")), " + ", fixed = TRUE)
  data.frame(
    step = step,
    criterion = if (criterion == "lr") value else value - 2 * constant,
    logLik = values("log_lik") + constant,
    df = as.integer(values("n_params")),
    terms = vapply(inside, function(names) paste(label(names), collapse = " + "), "")
  )
}

fit_selected <- function(object, dropped, where, call) {
  changes <- stats::as.formula(paste(c(". ~ .", dropped), collapse = " - "))
  fit <- tryCatch(
    eval(stats::update(object, changes, evaluate = FALSE), where),
    error = function(e) {
      abort(
        sprintf(
          "the selected formula cannot be fitted where stepwise() is called (%s); %s.",
          sub("\\.$", "", conditionMessage(e)), "have the data there that object was fitted to"
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
        "leave out rows with missing values first, as na.omit() does, and fit anew"
      ),
      call
    )
  }
  before <- object$model[names(fit$model)]
  if (!isTRUE(all.equal(fit$model, before, check.attributes = FALSE))) {
    abort(
      "the data are no longer those that object was fitted to; fit it anew, and select then.", call
    )
  }
}

path_as_of_step <- function(path, object, criterion) {
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
