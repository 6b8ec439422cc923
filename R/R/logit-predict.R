#' Predictions from logistic fits
#'
#' @param object A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param newdata Data frame with the variables of the formula, which must not be infinite; by
#'   default the rows of the fit, including those with weight 0.
#' @param type `"link"` for linear predictors, `"response"` or `"prob"` (or `"probs"`) for
#'   probabilities, `"class"` for the most probable class, `"stage"` for the probabilities of the
#'   stages, `"cumulative"` for the probabilities of a class or a lower one, `"terms"` for the
#'   contributions of the terms to the linear predictor, as for `glm()`. For `residuals()` the type
#'   of residuals, as for `glm()`.
#' @param se.fit Return standard errors too? Those of probabilities are by the delta method.
#' @param terms Names or numbers of the terms for `type = "terms"`, by default all.
#' @param interval,level `"confidence"` adds confidence intervals of this level. They use the normal
#'   distribution of the linear predictor. Intervals of probabilities are these, transformed, so
#'   they are within 0 and 1.
#' @param na.action How to treat rows of `newdata` with missing values; by default they are `NA` in
#'   the result.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return One entry or row for each row of `newdata`. After [firth()] a vector, for `"response"`
#'   and `"prob"` of the probability of success; with `interval` a matrix with the columns `fit`,
#'   `lwr` and `upr`, as for `lm()`; with `se.fit` a list with the elements `fit`, `se.fit` and
#'   `residual.scale`, as for `glm()`. After the others a matrix: `"prob"` has one column for each
#'   class, `"link"` one for each class but the first, stage or step, `"stage"` one for each
#'   stage, `"cumulative"` one for each threshold; with `se.fit` a list of two such matrices, `fit`
#'   and `se.fit`. After [ordered_logit()], `"link"` gives a vector, which does not include the
#'   thresholds.
#'
#'   For `"class"` the classes have the type of the response: a factor with its levels, numeric or
#'   logical. If classes are equally probable, the result is the first of them.
#'
#'   `fitted()` returns the probabilities of the rows of the fit.
#' @examplesIf pwcstats_available()
#' fit <- firth(am ~ wt, mtcars)
#' predict(fit, data.frame(wt = c(2, 3, NA)), type = "response", se.fit = TRUE)
#' predict(fit, data.frame(wt = c(2, 3)), type = "response", interval = "confidence")
#'
#' gears <- cratio(gear ~ wt, mtcars, penalty = "firth")
#' predict(gears, data.frame(wt = c(2, 3)), type = "prob", se.fit = TRUE)
#' predict(gears, data.frame(wt = c(2, 3)), type = "stage")
#' @name predict.pwcstats_logit
NULL

#' @rdname predict.pwcstats_logit
#' @importFrom stats predict
#' @export
predict.pwcstats_firth <- function(object,
                                   newdata = NULL,
                                   type = c("link", "response", "class", "prob", "terms"),
                                   se.fit = FALSE, # nolint
                                   na.action = stats::na.pass, # nolint
                                   terms = NULL,
                                   interval = c("none", "confidence"),
                                   level = 0.95,
                                   ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  check_flag(se.fit, "se.fit", call)
  interval <- check_choice(interval, call)
  check_level(level, "level", call)
  if (interval != "none" && type %in% c("class", "terms")) {
    abort(
      sprintf("interval needs type = 'link' or type = 'response', got type = '%s'.", type), call
    )
  }
  if (se.fit && type == "class") {
    abort("se.fit needs type = 'link' or type = 'response'; a class has no standard error.", call)
  }
  if (!is.null(terms) && type != "terms") {
    abort("terms chooses terms for type = 'terms'; leave it out for other types.", call)
  }
  rows <- rows_of_design(object, newdata, na.action, call)
  padded <- function(x) stats::napredict(rows$na_action, x)
  if (type == "terms") {
    found <- predict_terms(object, rows$x, terms, call)
    fit <- structure(padded(found$fit), constant = attr(found$fit, "constant"))
    if (!se.fit) {
      return(fit)
    }
    return(list(fit = fit, se.fit = padded(found$se.fit), residual.scale = 1))
  }
  link <- drop(rows$x %*% object$coefficients) + rows$offset
  # A single row would lose its name.
  names(link) <- rownames(rows$x)
  if (type == "class") {
    return(padded(stats::setNames(object$classes[1L + (link > 0)], names(link))))
  }
  inverse <- if (type == "link") identity else stats::plogis
  if (!se.fit && interval == "none") {
    return(padded(inverse(link)))
  }
  se <- sqrt(quadratic_forms(rows$x, object$vcov, rows$x))
  fit <- inverse(link)
  if (interval == "confidence") {
    # Intervals of probabilities are those of linear predictors, transformed.
    bounds <- inverse(link + se %o% stats::qnorm(tails(level)))
    fit <- with_dimnames(cbind(fit, bounds), names(link), c("fit", "lwr", "upr"))
  }
  if (!se.fit) {
    return(padded(fit))
  }
  if (type != "link") {
    se <- se * stats::dlogis(link)
  }
  list(
    fit = padded(fit), se.fit = padded(stats::setNames(se, names(link))), residual.scale = 1
  )
}

# Contributions of the terms to the linear predictor, centred as in predict.lm(), and their standard
# errors.
predict_terms <- function(object, x, chosen, call) {
  columns <- term_columns(object)
  if (!is.null(chosen)) {
    columns <- columns[chosen_terms(chosen, names(columns), call, "terms", "terms")]
  }
  own <- model.matrix.pwcstats_logit(object)
  means <- if (attr(object$terms, "intercept")) colMeans(own) else 0 * colMeans(own)
  centred <- sweep(x, 2L, means)
  of_terms <- function(value) {
    values <- vapply(columns, function(k) {
      value(centred[, k, drop = FALSE], k)
    }, numeric(nrow(x)))
    with_dimnames(matrix(values, nrow(x)), rownames(x), names(columns))
  }
  estimate <- object$coefficients
  fit <- of_terms(function(part, k) drop(part %*% estimate[k]))
  se <- of_terms(function(part, k) {
    sqrt(quadratic_forms(part, object$vcov[k, k, drop = FALSE], part))
  })
  list(fit = structure(fit, constant = sum(means * estimate)), se.fit = se)
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_firth_multinom <- function(object,
                                            newdata = NULL,
                                            type = c("class", "prob", "link", "probs", "response"),
                                            na.action = stats::na.pass, # nolint
                                            se.fit = FALSE, # nolint
                                            ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  check_flag(se.fit, "se.fit", call)
  rows <- rows_of_design(object, newdata, na.action, call)
  values <- rows$x %*% t(object$coefficients)
  if (type != "link") {
    values <- with_dimnames(
      link_proba(object, values), rownames(values), as.character(object$classes)
    )
  }
  predicted_values(object, values, type, se.fit, rows, call)
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_cratio <- function(object,
                                    newdata = NULL,
                                    type = c(
                                      "class", "prob", "link", "stage", "probs", "response"
                                    ),
                                    na.action = stats::na.pass, # nolint
                                    se.fit = FALSE, # nolint
                                    ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  check_flag(se.fit, "se.fit", call)
  rows <- rows_of_design(object, newdata, na.action, call)
  by_stage <- type %in% c("link", "stage")
  columns <- if (by_stage) object$stages else as.character(object$classes)
  known <- which(rowSums(is.na(rows$x)) == 0)
  values <- matrix(
    NA_real_, nrow(rows$x), length(columns),
    dimnames = list(rownames(rows$x), columns)
  )
  if (length(known)) {
    # Python computes the limits for infinite estimates.
    fit <- thaw(object, call)
    which <- if (by_stage) c(link = "linear", stage = "stage")[[type]] else "prob"
    new <- list(design_to_py(rows$x, known))
    values[known, ] <- matrix_from_py(call_bridge(fit$predict, new, list(which = which), call))
  }
  predicted_values(object, values, type, se.fit, rows, call)
}

# What predict() returns for several classes: classes or a matrix, or a list with standard errors.
predicted_values <- function(object, values, type, se.fit, rows, call) { # nolint
  padded <- function(x) stats::napredict(rows$na_action, x)
  if (!se.fit) {
    by_class <- !type %in% c("link", "stage")
    return(if (by_class) class_or_proba(values, object, type, rows$na_action) else padded(values))
  }
  if (type == "class") {
    abort("se.fit needs probabilities or linear predictors; a class has no standard error.", call)
  }
  refuse_infinite_estimates(object, "a standard error", call)
  designs <- link_designs(object, rows$x)
  eta <- link_values(object, designs)
  se <- switch(type,
    link = link_errors(object, designs),
    stage = link_errors(object, designs) * stats::dlogis(eta),
    probability_errors(object, designs, eta, values)
  )
  se <- with_dimnames(se, rownames(values), colnames(values))
  list(fit = padded(values), se.fit = padded(se))
}

# Design matrix and offset of new rows, or of the rows of the fit.
rows_of_design <- function(object, newdata, na.action, call) { # nolint
  if (is.null(newdata)) {
    frame <- object$model
    missing_rows <- object$na.action
  } else {
    frame <- new_frame(object, newdata, na.action, call)
    missing_rows <- attr(frame, "na.action")
  }
  terms <- stats::delete.response(object$terms)
  x <- design_of(terms, frame, object$contrasts, call)
  offset <- stats::model.offset(frame)
  # Missing values give missing predictions, but infinite values would give NaN.
  refuse_infinite(cbind(x, offset), call)
  list(x = x, offset = if (is.null(offset)) 0 else offset, na_action = missing_rows)
}

new_frame <- function(object, newdata, na.action, call) { # nolint
  if (!is.data.frame(newdata)) {
    abort(sprintf("newdata must be a data frame, not %s.", kind(newdata)), call)
  }
  terms <- stats::delete.response(object$terms)
  ask <- quote(stats::model.frame(terms, newdata, na.action = na.action, xlev = object$xlevels))
  # The offset is evaluated in newdata, like the formula.
  ask$offset <- object$call$offset
  tryCatch(
    {
      frame <- eval(ask)
      classes <- attr(terms, "dataClasses")
      if (!is.null(classes)) {
        stats::.checkMFClasses(classes, frame)
      }
      flat_columns(frame, call)
    },
    error = function(e) abort_as(e, call)
  )
}

#' @rdname predict.pwcstats_logit
#' @importFrom stats fitted
#' @export
fitted.pwcstats_logit <- function(object, ...) {
  refuse_unknown(...)
  type <- if (inherits(object, "pwcstats_firth")) "response" else "prob"
  predict(object, type = type)
}

#' @rdname predict.pwcstats_logit
#' @importFrom stats residuals
#' @export
residuals.pwcstats_firth <- function(object,
                                     type = c(
                                       "deviance", "pearson", "response", "working", "partial"
                                     ),
                                     ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  rows <- rows_of_design(object, NULL, NULL, call)
  trials <- trials_of(object)
  share <- trials$share
  # As in glm(), never 0 or 1, where Pearson residuals would be 0 / 0.
  mean <- stats::binomial()$linkinv(drop(rows$x %*% object$coefficients) + rows$offset)
  raw <- share - mean
  working <- raw / (mean * (1 - mean))
  value <- switch(type,
    response = raw,
    working = working,
    partial = working + predict_terms(object, rows$x, NULL, call)$fit,
    pearson = raw * sqrt(trials$weight / (mean * (1 - mean))),
    deviance = {
      sign(raw) * sqrt(pmax(stats::binomial()$dev.resids(share, mean, trials$weight), 0))
    }
  )
  if (!is.matrix(value)) {
    names(value) <- rownames(object$model)
  }
  stats::naresid(object$na.action, value)
}
