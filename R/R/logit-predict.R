#' Predictions from logistic fits
#'
#' @param object A fit by [firth()], [firth_multinom()], [cratio()] or [ordered_logit()].
#' @param newdata Data frame with the variables of the formula, which must not be infinite; by
#'   default the rows of the fit, including those with weight 0.
#' @param type `"link"` for linear predictors, `"response"` or `"prob"` (or `"probs"`) for
#'   probabilities, `"class"` for the most probable class, `"stage"` for the probabilities of the
#'   stages, `"cumulative"` for the probabilities of a class or a lower one. For `residuals()` the
#'   type of residuals, as for `glm()`.
#' @param se.fit Return standard errors too?
#' @param na.action How to treat rows of `newdata` with missing values; by default they are `NA` in
#'   the result.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return One entry or row for each row of `newdata`. After [firth()] a vector, for `"response"`
#'   and `"prob"` of the probability of success; with `se.fit` a list with the elements `fit`,
#'   `se.fit` and `residual.scale`, as for `glm()`. After the others a matrix: `"prob"` has one
#'   column for each class, `"link"` one for each class but the first or for each stage, `"stage"`
#'   one for each stage, `"cumulative"` one for each threshold. After [ordered_logit()], `"link"`
#'   gives a vector, which does not include the thresholds, and `se.fit` a list with the elements
#'   `fit` and `se.fit`.
#'
#'   For `"class"` the classes have the type of the response: a factor with its levels, numeric or
#'   logical. If classes are equally probable, the result is the first of them.
#'
#'   `fitted()` returns the probabilities of the rows of the fit.
#' @examplesIf pwcstats_available()
#' fit <- firth(am ~ wt, mtcars)
#' predict(fit, data.frame(wt = c(2, 3, NA)), type = "response", se.fit = TRUE)
#'
#' gears <- cratio(gear ~ wt, mtcars, penalty = "firth")
#' predict(gears, data.frame(wt = c(2, 3)), type = "prob")
#' predict(gears, data.frame(wt = c(2, 3)), type = "stage")
#' @name predict.pwcstats_logit
NULL

#' @rdname predict.pwcstats_logit
#' @importFrom stats predict
#' @export
predict.pwcstats_firth <- function(object,
                                   newdata = NULL,
                                   type = c("link", "response", "class", "prob"),
                                   se.fit = FALSE, # nolint
                                   na.action = stats::na.pass, # nolint
                                   ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  check_flag(se.fit, "se.fit", call)
  if (se.fit && type == "class") {
    abort("se.fit needs type = 'link' or type = 'response'; a class has no standard error.", call)
  }
  rows <- rows_of_design(object, newdata, na.action, call)
  padded <- function(x) stats::napredict(rows$na_action, x)
  link <- drop(rows$x %*% object$coefficients) + rows$offset
  # A single row would lose its name.
  names(link) <- rownames(rows$x)
  if (type == "class") {
    return(padded(stats::setNames(object$classes[1L + (link > 0)], names(link))))
  }
  fit <- padded(if (type == "link") link else stats::plogis(link))
  if (!se.fit) {
    return(fit)
  }
  se <- sqrt(rowSums((rows$x %*% object$vcov) * rows$x))
  if (type != "link") {
    se <- se * stats::dlogis(link)
  }
  list(fit = fit, se.fit = padded(stats::setNames(se, names(link))), residual.scale = 1)
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_firth_multinom <- function(object,
                                            newdata = NULL,
                                            type = c("class", "prob", "link", "probs", "response"),
                                            na.action = stats::na.pass, # nolint
                                            ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  rows <- rows_of_design(object, newdata, na.action, call)
  link <- rows$x %*% t(object$coefficients)
  if (type == "link") {
    return(stats::napredict(rows$na_action, link))
  }
  link <- cbind(numeric(nrow(link)), link)
  # Subtracting the largest avoids overflow.
  largest <- max.col(link, ties.method = "first")
  odds <- exp(link - link[cbind(seq_along(largest), largest)])
  proba <- with_dimnames(odds / rowSums(odds), rownames(link), as.character(object$classes))
  class_or_proba(proba, object, type, rows$na_action)
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_cratio <- function(object,
                                    newdata = NULL,
                                    type = c(
                                      "class", "prob", "link", "stage", "probs", "response"
                                    ),
                                    na.action = stats::na.pass, # nolint
                                    ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
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
  if (by_stage) {
    stats::napredict(rows$na_action, values)
  } else {
    class_or_proba(values, object, type, rows$na_action)
  }
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
      frame
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
residuals.pwcstats_firth <- function(object, type = c("deviance", "pearson", "response"), ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  frame <- object$model
  rows <- rows_of_design(object, NULL, NULL, call)
  counts <- read_binary(one_column(stats::model.response(frame)), call)$counts
  n <- rowSums(counts)
  # As in glm() if there are no trials.
  share <- ifelse(n > 0, counts[, 1L] / n, 0)
  weight <- n * read_row_weights(stats::model.weights(frame), nrow(frame), call)
  # As in glm(), never 0 or 1, where Pearson residuals would be 0 / 0.
  mean <- stats::binomial()$linkinv(drop(rows$x %*% object$coefficients) + rows$offset)
  raw <- share - mean
  value <- switch(type,
    response = raw,
    pearson = raw * sqrt(weight / (mean * (1 - mean))),
    deviance = sign(raw) * sqrt(pmax(stats::binomial()$dev.resids(share, mean, weight), 0))
  )
  stats::naresid(object$na.action, stats::setNames(value, rownames(frame)))
}

#' @rdname predict.pwcstats_logit
#' @export
residuals.pwcstats_logit <- function(object, ...) {
  abort(
    "residuals are defined only for fits by firth(); fitted() has probabilities.",
    sys.call()
  )
}
