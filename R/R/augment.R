#' Add predictions to the data
#'
#' Methods for `augment()` from \pkg{generics} (re-exported by \pkg{broom}).
#'
#' Rows of the fit are matched with `data` by row names or, if `data` has none or only numbers, by
#' position. The variables in `data` must agree with those of the fit. Rows that `subset` or
#' `na.action` left out of the fit have `NA` in the new columns.
#'
#' @param x A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()],
#'   [adjacent_categories()], [hybrid()], [ordinal_hybrid()], [pwc()] or [bt()].
#' @param data Data frame to which columns are added: the data of the fit, with all rows. By default
#'   the variables and rows that the fit used.
#' @param newdata Data frame with other rows, as for `predict()`, to which columns are added instead
#'   of `data`. Rows with missing values have `NA`.
#' @param type.predict Type of `.fitted`: linear predictors or probabilities.
#' @param type.residuals Type of `.resid`, as in [residuals()][predict.pwcstats_logit] and, after
#'   [bt()], in [residuals()][bt_residuals].
#' @param se_fit Add `.se.fit`, the standard errors of `.fitted`?
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `data` or `newdata`, with new columns at the end; a tibble remains a tibble. After
#'   [firth()] the new columns are `.fitted`, if requested `.se.fit`, and without `newdata`
#'   `.resid`, as after `glm()`.
#'
#'   After [firth_multinom()], [cratio()], [ordered_logit()], [adjacent_categories()], [hybrid()],
#'   [ordinal_hybrid()] and [pwc()], `.fitted` is the predicted class, and there is a column with
#'   the probability of each class, such as `.prob.setosa`. With two classes, `hybrid()` compares
#'   the probability with its threshold, so the predicted class need not be the more probable one.
#'
#'   After [bt()], `.fitted` is the probability that `player1` wins, if requested with its standard
#'   error `.se.fit`. With a tie parameter there are also `.prob.win`, `.prob.tie` and `.prob.loss`.
#'   Without `newdata` there is `.resid` and, without tie parameter and random effects, `.hat`,
#'   `.std.resid` and `.cooksd`, see [hatvalues()][bt_glm].
#' @seealso [predict()][predict.pwcstats_logit] after logistic fits,
#'   [predict()][predict.pwcstats_machines] after hybrids and [predict()][predict.pwcstats_bt] after
#'   [bt()].
#' @examplesIf pwcstats_available() && requireNamespace("generics", quietly = TRUE)
#' fit <- firth(am ~ wt, mtcars)
#' head(generics::augment(fit, mtcars, type.predict = "response"))
#'
#' air <- transform(airquality, ozone = cut(Ozone, c(0, 20, 50, 200), ordered_result = TRUE))
#' days <- cratio(ozone ~ Temp, air)
#' head(generics::augment(days, air))
#' generics::augment(days, newdata = data.frame(Temp = c(60, NA, 90)))
#'
#' generics::augment(bt(citations))
#' @name pwcstats_augment
NULL

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_firth <- function(x, # nolint
                                   data = stats::model.frame(x),
                                   newdata = NULL,
                                   type.predict = c("link", "response"), # nolint
                                   type.residuals = c("deviance", "pearson", "response"), # nolint
                                   se_fit = FALSE,
                                   ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type.predict, call)
  residual <- check_choice(type.residuals, call)
  check_flag(se_fit, "se_fit", call)
  new_columns <- function(fit, new) {
    predicted <- predict.pwcstats_firth(fit, new, type, se.fit = TRUE)
    list(
      .fitted = predicted$fit,
      .se.fit = if (se_fit) predicted$se.fit,
      .resid = if (is.null(new)) residuals.pwcstats_firth(fit, residual)
    )
  }
  add_columns(x, data, newdata, new_columns, call)
}

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_logit <- function(x, data = stats::model.frame(x), newdata = NULL, ...) { # nolint
  refuse_unknown(...)
  add_columns(x, data, newdata, class_columns, sys.call())
}

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_classifier <- function(x, # nolint
                                        data = stats::model.frame(x),
                                        newdata = NULL,
                                        ...) {
  refuse_unknown(...)
  add_columns(x, data, newdata, class_columns, sys.call())
}

# Predicted classes and probabilities of any classifier.
class_columns <- function(fit, new) {
  c(
    list(.fitted = predict(fit, new, type = "class")),
    probability_columns(predict(fit, new, type = "prob"))
  )
}

probability_columns <- function(proba) {
  columns <- lapply(seq_len(ncol(proba)), function(column) proba[, column])
  stats::setNames(columns, paste0(".prob.", colnames(proba)))
}

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_bt <- function(x, # nolint
                                data = stats::model.frame(x),
                                newdata = NULL,
                                type.residuals = c("deviance", "pearson"), # nolint
                                se_fit = FALSE,
                                ...) {
  call <- sys.call()
  refuse_unknown(...)
  residual <- check_choice(type.residuals, call)
  check_flag(se_fit, "se_fit", call)
  new_columns <- function(fit, new) {
    predicted <- predict.pwcstats_bt(fit, new, "prob", se.fit = se_fit)
    proba <- if (se_fit) predicted$fit else predicted
    columns <- if (is.matrix(proba)) list(.fitted = proba[, "win"]) else list(.fitted = proba)
    if (se_fit) {
      error <- predicted$se.fit
      columns$.se.fit <- if (is.matrix(error)) error[, "win"] else error
    }
    c(
      columns,
      if (is.matrix(proba)) probability_columns(proba),
      if (is.null(new)) influence_columns(fit, residual, call)
    )
  }
  add_columns(x, data, newdata, new_columns, call)
}

# Residuals, and leverages if the model has them.
influence_columns <- function(fit, residual, call) {
  columns <- list(.resid = row_residuals(fit, residual))
  is_mixed <- inherits(fit, "pwcstats_bt_mixed")
  if (is_mixed || has_tie_parameter(fit) || is.null(fit$vcov)) {
    return(columns)
  }
  hat <- leverages(fit, call)
  c(columns, list(
    # broom standardises deviance residuals, whatever the type of the others.
    .hat = hat, .std.resid = row_residuals(fit, "deviance") / sqrt(1 - hat),
    .cooksd = cooks_distances(fit, hat)
  ))
}

# Adds the columns that `new_columns` returns for a fit and new rows (NULL for the rows of the fit).
add_columns <- function(x, data, newdata, new_columns, call) {
  new <- !is.null(newdata)
  rows <- if (new) newdata else data
  if (!is.data.frame(rows)) {
    abort(
      sprintf("%s must be a data frame, not %s.", if (new) "newdata" else "data", kind(rows)), call
    )
  }
  index <- if (new) seq_len(nrow(rows)) else match_rows(x, rows, call)
  # `index` has the missing rows already, which na.exclude would add.
  x$na.action <- if (new) x$na.action
  columns <- tryCatch(
    new_columns(x, newdata),
    # The user has called augment(), not predict().
    pwcstats_error = function(e) abort(conditionMessage(e), call)
  )
  columns <- columns[!vapply(columns, is.null, logical(1L))]
  # Otherwise model.frame() would treat the result as a model frame.
  attr(rows, "na.action") <- NULL # nolint
  attr(rows, "terms") <- NULL
  rows[names(columns)] <- lapply(columns, function(column) unname(column)[index])
  rows
}

# The index in the fit of each row of the data; NA for rows that the fit left out. Row names that
# are only numbers are tried second, because they may not be those of the fit.
match_rows <- function(x, data, call) {
  used <- rownames(x$model)
  by_name <- if (all(used %in% rownames(data)) && may_have_rows(x, nrow(data))) {
    match(rownames(data), used)
  }
  candidates <- list(by_name, match_by_order(x, nrow(data)))
  # Negative for automatic row names, as in tibbles.
  if (.row_names_info(data) < 0L) {
    candidates <- rev(candidates)
  }
  fitting <- Find(function(index) !is.null(index) && has_rows(x, data, index), candidates)
  if (is.null(fitting)) {
    abort(
      sprintf(
        "data must have the rows of the fit, which used %d, got %s; give others as newdata.",
        length(used),
        if (any(lengths(candidates))) "other values" else paste(nrow(data), "rows")
      ),
      call
    )
  }
  fitting
}

# The numbers of rows that were left out are known, unless there was a subset.
match_by_order <- function(x, n) {
  used <- nrow(x$model)
  if (n == used) {
    return(seq_len(n))
  }
  if (is.null(x$call$subset) && n == used + length(x$na.action)) {
    index <- rep(NA_integer_, n)
    index[-as.integer(x$na.action)] <- seq_len(used)
    index
  }
}

# Whether the variables of the fit agree with the data.
has_rows <- function(x, data, index) {
  known <- !is.na(index)
  same <- function(name) {
    ours <- x$model[[name]]
    theirs <- data[[name]]
    if (!is.null(dim(ours)) || !is.null(dim(theirs))) {
      return(TRUE)
    }
    identical(as.character(ours[index[known]]), as.character(theirs[known]))
  }
  all(vapply(intersect(names(data), names(x$model)), same, logical(1L)))
}

# Whether the data of the fit may have had n rows.
may_have_rows <- function(x, n) {
  used <- nrow(x$model)
  if (n == used || !is.null(x$call$subset)) {
    return(TRUE)
  }
  if (inherits(x, "pwcstats_bt")) {
    # Rows without a comparison are left out too. A matrix of wins has no rows of data.
    return(!is.null(x$call$player1) && n >= used + length(x$na.action))
  }
  n == used + length(x$na.action)
}
