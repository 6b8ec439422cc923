#' Rows of the data with what a fit says of them
#'
#' Methods for the function `augment()` of \pkg{generics} (which \pkg{broom} has too).
#'
#' Rows of the fit are found in `data` by their row names, or, where it has none or only numbers, by
#' their order, so that its variables are those of the fit. Rows that were left out of the fit, by
#' `subset` or `na.action`, have `NA` in the new columns.
#'
#' @param x A fit by [firth()], [firth_multinom()], [cratio()], [hybrid()], [ordinal_hybrid()],
#'   [pwc()] or [bt()].
#' @param data Data frame to which columns are added: that of the fit, with all of its rows. By
#'   default the variables that the fit used, of the rows that it used.
#' @param newdata Data frame of other rows, as for `predict()`, to which columns are added in place
#'   of `data`. Where something is missing they are `NA`.
#' @param type.predict Kind of `.fitted`: linear predictors, or probabilities.
#' @param type.residuals Kind of `.resid`, as of [residuals()][predict.pwcstats_logit].
#' @param se_fit Add `.se.fit`, the standard errors of `.fitted`?
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `data` or `newdata`, a tibble if it is one, with new columns at the end. After [firth()]
#'   these are `.fitted`, `.se.fit` if it is asked for, and `.resid` if there are no new data, as
#'   `augment()` has them after `glm()`.
#'
#'   After [firth_multinom()], [cratio()], [hybrid()], [ordinal_hybrid()] and [pwc()] `.fitted` is
#'   the class that `predict()` has, and there is a column with the probability of each class:
#'   `.prob.setosa` is that of `setosa`. With two classes, `hybrid()` compares the probability with
#'   its threshold, so that the class need not be the more probable one.
#'
#'   After [bt()] `.fitted` is the probability that `player1` wins; with a tie parameter there are
#'   `.prob.win`, `.prob.tie` and `.prob.loss`, too.
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
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' generics::augment(bt(wins))
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
  type <- check_choice(type.predict, c("link", "response"), "type.predict", call)
  kinds <- c("deviance", "pearson", "response")
  residual <- check_choice(type.residuals, kinds, "type.residuals", call)
  check_flag(se_fit, "se_fit", call)
  said <- function(fit, new) {
    predicted <- predict.pwcstats_firth(fit, new, type, se.fit = TRUE)
    list(
      .fitted = predicted$fit,
      .se.fit = if (se_fit) predicted$se.fit,
      .resid = if (is.null(new)) residuals.pwcstats_firth(fit, residual)
    )
  }
  add_columns(x, data, newdata, said, call)
}

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_logit <- function(x, data = stats::model.frame(x), newdata = NULL, ...) { # nolint
  refuse_unknown(...)
  add_columns(x, data, newdata, said_of_classes, sys.call())
}

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_machines <- function(x, # nolint
                                      data = stats::model.frame(x),
                                      newdata = NULL,
                                      ...) {
  refuse_unknown(...)
  add_columns(x, data, newdata, said_of_classes, sys.call())
}

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_pwc <- function(x, data = stats::model.frame(x), newdata = NULL, ...) { # nolint
  refuse_unknown(...)
  add_columns(x, data, newdata, said_of_classes, sys.call())
}

# Of any classifier that predicts classes and probabilities.
said_of_classes <- function(fit, new) {
  c(
    list(.fitted = predict(fit, new, type = "class")),
    probability_columns(predict(fit, new, type = "prob"))
  )
}

probability_columns <- function(proba) {
  columns <- lapply(seq_len(ncol(proba)), function(place) proba[, place])
  stats::setNames(columns, paste0(".prob.", colnames(proba)))
}

#' @rdname pwcstats_augment
#' @exportS3Method generics::augment
augment.pwcstats_bt <- function(x, data = stats::model.frame(x), newdata = NULL, ...) { # nolint
  refuse_unknown(...)
  said <- function(fit, new) {
    proba <- predict.pwcstats_bt(fit, new, "prob")
    if (!is.matrix(proba)) {
      return(list(.fitted = proba))
    }
    c(list(.fitted = proba[, "win"]), probability_columns(proba))
  }
  add_columns(x, data, newdata, said, sys.call())
}

# Columns that `said` has of a fit and new rows (NULL for those of the fit), beside the rows.
add_columns <- function(x, data, newdata, said, call) {
  new <- !is.null(newdata)
  rows <- if (new) newdata else data
  if (!is.data.frame(rows)) {
    abort(
      sprintf("%s must be a data frame, not %s.", if (new) "newdata" else "data", kind(rows)), call
    )
  }
  place <- if (new) seq_len(nrow(rows)) else rows_of_fit(x, rows, call)
  # What na.exclude would fill up has its place by then.
  x$na.action <- if (new) x$na.action
  columns <- tryCatch(
    said(x, newdata),
    # The user has called augment(), not predict().
    pwcstats_error = function(e) abort(conditionMessage(e), call)
  )
  columns <- columns[!vapply(columns, is.null, logical(1L))]
  # Else model.frame() would take the result for its own.
  attr(rows, "na.action") <- NULL # nolint
  attr(rows, "terms") <- NULL
  rows[names(columns)] <- lapply(columns, function(column) unname(column)[place])
  rows
}

# Where the fit has each row of the data; NA for those that it left out. Names of rows that only
# number them come second: they need not be those that the fit saw.
rows_of_fit <- function(x, data, call) {
  used <- rownames(x$model)
  by_name <- if (all(used %in% rownames(data)) && may_have_rows(x, nrow(data))) {
    match(rownames(data), used)
  }
  places <- list(by_name, places_by_order(x, nrow(data)))
  # Negative for data frames that number their rows, as tibbles do.
  if (.row_names_info(data) < 0L) {
    places <- rev(places)
  }
  fitting <- Find(function(place) !is.null(place) && has_rows(x, data, place), places)
  if (is.null(fitting)) {
    abort(
      sprintf(
        "data must have the rows of the fit, which used %d, got %s; give others as newdata.",
        length(used),
        if (all(vapply(places, is.null, logical(1L)))) paste(nrow(data), "rows") else "other values"
      ),
      call
    )
  }
  fitting
}

# Rows that were left out are known by their numbers, unless there was a subset before.
places_by_order <- function(x, n) {
  used <- nrow(x$model)
  if (n == used) {
    return(seq_len(n))
  }
  if (is.null(x$call$subset) && n == used + length(x$na.action)) {
    place <- rep(NA_integer_, n)
    place[-as.integer(x$na.action)] <- seq_len(used)
    place
  }
}

# Whether the variables that the fit has kept are those of the data.
has_rows <- function(x, data, place) {
  known <- !is.na(place)
  same <- function(name) {
    ours <- x$model[[name]]
    theirs <- data[[name]]
    if (!is.null(dim(ours)) || !is.null(dim(theirs))) {
      return(TRUE)
    }
    identical(as.character(ours[place[known]]), as.character(theirs[known]))
  }
  all(vapply(intersect(names(data), names(x$model)), same, logical(1L)))
}

# Whether the data of the fit may have had as many rows.
may_have_rows <- function(x, n) {
  used <- nrow(x$model)
  if (n == used || !is.null(x$call$subset)) {
    return(TRUE)
  }
  if (inherits(x, "pwcstats_bt")) {
    # Rows without a comparison are left out, too; a matrix of wins has no rows of data.
    return(!is.null(x$call$player1) && n >= used + length(x$na.action))
  }
  n == used + length(x$na.action)
}
