#' Predictions from logistic fits
#'
#' @param object A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param newdata Data frame with the variables of the formula, which must not be infinite; by
#'   default the rows of the fit, including those with weight 0.
#' @param type `"link"` for linear predictors, `"response"` or `"prob"` (or `"probs"`) for
#'   probabilities, `"class"` for the most probable class, `"stage"` for the probabilities of the
#'   stages, `"cumulative"` for the probabilities of a class or a lower one, `"terms"` for the
#'   contributions of the terms to the linear predictors, centred as for `glm()`. For `residuals()`
#'   the type of residuals, as for `glm()`.
#' @param se.fit Return standard errors too? Those of probabilities are by the delta method.
#' @param terms Names or numbers of the terms for `type = "terms"`, by default all.
#' @param interval,level `"confidence"` adds confidence intervals of this level. They use the normal
#'   distribution. Intervals of probabilities are symmetric on the scale of their logits, so they
#'   are within 0 and 1.
#' @param na.action How to treat rows of `newdata` with missing values; by default they are `NA` in
#'   the result.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return One entry or row for each row of `newdata`. After [firth()] a vector, for `"response"`
#'   and `"prob"` of the probability of success; with `interval` a matrix with the columns `fit`,
#'   `lwr` and `upr`, as for `lm()`; with `se.fit` a list with the elements `fit`, `se.fit` and
#'   `residual.scale`, as for `glm()`. After the others a matrix: `"prob"` has one column for each
#'   class, `"link"` one for each class but the first, stage or step, `"stage"` one for each
#'   stage, `"cumulative"` one for each threshold; with `se.fit` a list of two such matrices, `fit`
#'   and `se.fit`. With `interval` the values are an array, whose third dimension is `fit`, `lwr`
#'   and `upr`. After [ordered_logit()], `"link"` gives a vector, which does not include the
#'   thresholds, or with `interval` a matrix.
#'
#'   For `"terms"` a matrix with a column for each term, and the attribute `constant`: the sum of a
#'   row and the constant is the linear predictor without its offset. After [firth_multinom()], and
#'   after [cratio()] and [adjacent_categories()] with separate slopes, an array: its third
#'   dimension has the linear predictors.
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
#' predict(gears, data.frame(wt = 3), type = "prob", interval = "confidence")[1, , ]
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
  check_prediction(type, se.fit, interval, terms, call)
  object <- without_aliased(object)
  rows <- rows_of_design(object, newdata, na.action, call)
  padded <- function(x) stats::napredict(rows$na_action, x)
  if (type == "terms") {
    found <- predict_terms(object, rows, terms, call)
    return(if (se.fit) c(found, residual.scale = 1) else found$fit)
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

check_prediction <- function(type, se.fit, interval, terms, call) { # nolint
  if (interval != "none" && type %in% c("class", "terms")) {
    abort(
      sprintf("interval needs probabilities or linear predictors, got type = '%s'.", type), call
    )
  }
  if (se.fit && type == "class") {
    abort("se.fit needs probabilities or linear predictors; a class has no standard error.", call)
  }
  if (!is.null(terms) && type != "terms") {
    abort("terms chooses terms for type = 'terms'; leave it out for other types.", call)
  }
}

# Contributions of the terms to the linear predictors, centred as in predict.lm(), and their
# standard errors: a matrix or, if the linear predictors have slopes of their own, an array.
predict_terms <- function(object, rows, chosen, call) {
  refuse_infinite_estimates(object, "type = 'terms'", call)
  columns <- term_columns(object)
  if (!is.null(chosen)) {
    columns <- columns[chosen_terms(chosen, names(columns), call, "terms", "terms")]
  }
  own <- model.matrix.pwcstats_logit(object)
  means <- if (attr(object$terms, "intercept")) colMeans(own) else 0 * colMeans(own)
  equations <- linear_predictors(object)
  # Its predict(type = "link") does not include the thresholds.
  of_constant <- if (inherits(object, "pwcstats_ordered_logit")) replace(means, 1L, 0) else means
  constant <- vapply(equations, function(one) sum(of_constant * one$coefficients), numeric(1L))
  if (has_common_slopes(object)) {
    equations <- equations[1L]
  }
  x <- stats::napredict(rows$na_action, rows$x)
  centred <- sweep(x, 2L, means)
  names <- list(rownames(x), names(columns), names(equations))
  by_term <- function(value) {
    values <- lapply(equations, function(one) {
      lapply(columns, function(k) value(centred[, k, drop = FALSE], k, one))
    })
    size <- c(nrow(x), length(columns), length(equations))
    kept <- if (length(equations) == 1L) 1:2 else 1:3
    array(as.numeric(unlist(values)), size[kept], names[kept])
  }
  fit <- by_term(function(part, k, one) part %*% one$coefficients[k])
  se <- by_term(function(part, k, one) {
    sqrt(quadratic_forms(part, one$vcov[k, k, drop = FALSE], part))
  })
  if (inherits(object, "pwcstats_ordered_logit")) {
    constant <- constant[[1L]]
  }
  list(fit = structure(fit, constant = constant), se.fit = se)
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_firth_multinom <- function(object,
                                            newdata = NULL,
                                            type = c(
                                              "class", "prob", "link", "probs", "response", "terms"
                                            ),
                                            na.action = stats::na.pass, # nolint
                                            se.fit = FALSE, # nolint
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
  check_prediction(type, se.fit, interval, terms, call)
  object <- without_aliased(object)
  rows <- rows_of_design(object, newdata, na.action, call)
  if (type == "terms") {
    found <- predict_terms(object, rows, terms, call)
    return(if (se.fit) found else found$fit)
  }
  values <- rows$x %*% t(object$coefficients)
  if (type != "link") {
    values <- with_dimnames(
      link_proba(object, values), rownames(values), as.character(object$classes)
    )
  }
  predicted_values(object, values, type, se.fit, interval, level, rows, call)
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_cratio <- function(object,
                                    newdata = NULL,
                                    type = c(
                                      "class", "prob", "link", "stage", "probs", "response", "terms"
                                    ),
                                    na.action = stats::na.pass, # nolint
                                    se.fit = FALSE, # nolint
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
  check_prediction(type, se.fit, interval, terms, call)
  rows <- rows_of_design(object, newdata, na.action, call)
  if (type == "terms") {
    found <- predict_terms(object, rows, terms, call)
    return(if (se.fit) found else found$fit)
  }
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
  predicted_values(object, values, type, se.fit, interval, level, rows, call)
}

# What predict() returns for several classes: classes, or probabilities or linear predictors.
predicted_values <- function(object, values, type, se.fit, interval, level, rows, call) { # nolint
  if (type == "class") {
    return(class_or_proba(values, object, type, rows$na_action))
  }
  padded <- function(x) stats::napredict(rows$na_action, x)
  if (!se.fit && interval == "none") {
    return(padded(values))
  }
  what <- if (se.fit) "a standard error" else "an interval"
  refuse_infinite_estimates(object, what, call)
  designs <- link_designs(object, rows$x)
  eta <- link_values(object, designs)
  # Without rows there is nothing to differentiate.
  se <- if (!nrow(values)) values else switch(type,
    link = link_errors(object, designs),
    stage = link_errors(object, designs) * stats::dlogis(eta),
    probability_errors(object, designs, eta, values)
  )
  se <- with_dimnames(se, rownames(values), colnames(values))
  with_errors(padded(values), padded(se), type, se.fit, interval, level)
}

# Predictions with their standard errors, their intervals or both.
with_errors <- function(fit, se, type, se.fit, interval, level) { # nolint
  if (interval == "confidence") {
    fit <- with_bounds(fit, se, type == "link", level, Inf)
  }
  if (se.fit) list(fit = fit, se.fit = se) else fit
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
  if (!is.null(object$columns) && !is.null(newdata)) {
    warn_of_aliased(object, x, call)
  }
  x <- kept_columns(x, object)
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
  object <- without_aliased(object)
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
    partial = working + predict_terms(object, rows["x"], NULL, call)$fit,
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
