#' Predictions from a Bradley-Terry fit
#'
#' @param object A fit by [bt()].
#' @param newdata Data frame with the columns `player1` and `player2`, or with the variables from
#'   which `player1` and `player2` were computed in the call of [bt()], or a list of data frames as
#'   in [bt()]; by default the comparisons of the fit. If the model has an order effect, a column
#'   `home` may say who has it, as in [bt()]; if the fit was made without `home`, the default is
#'   `player1`. If the formula has covariates of the contests, `newdata` needs them, too.
#' @param type `"prob"` (or `"response"`) for probabilities, `"link"` for the difference of
#'   abilities (and order effect), `"class"` for the most probable outcome, `"terms"` for the parts
#'   of the link that come from each term of the formula.
#' @param se.fit Also return standard errors? Those of probabilities are from the delta method.
#' @param interval `"confidence"` adds confidence intervals to links or probabilities. Those of
#'   probabilities are symmetric on the scale of logits.
#' @param level,conf.level Level of the intervals, by either name. Without intervals, `level` is as
#'   in `predict()` after `BTm()`: 0 leaves random effects out, 1 adds their predictions.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return One entry for each comparison: for `"prob"` the probability that `player1` wins or, with
#'   a tie parameter, a matrix with the probabilities of `win`, `tie` and `loss` for `player1`; for
#'   `"link"` numbers; for `"class"` a factor with the levels `win`, (`tie`) and `loss`. If outcomes
#'   are equally probable, `"class"` is the first of them. For `"terms"` it is a matrix with a
#'   column for each term, as from [stats::predict.glm()]: `(separate)` for items that have an
#'   ability of their own beside covariates, and `(order)` for the order effect. With intervals,
#'   the values are a matrix with the columns `fit`, `lwr` and `upr`, as from [stats::predict.lm()],
#'   or with a tie parameter an array with these as third dimension. With `se.fit = TRUE`, a list as
#'   from [stats::predict.glm()]: these values are its element `fit`, and their standard errors
#'   `se.fit`.
#' @examplesIf pwcstats_available()
#' fit <- bt(citations)
#' pairs <- data.frame(player1 = "JASA", player2 = c("Biometrika", "JRSS-B"))
#' predict(fit, pairs)
#' predict(fit, pairs, type = "link", se.fit = TRUE)
#' predict(fit, pairs, interval = "confidence")
#' @importFrom stats predict
#' @export
predict.pwcstats_bt <- function(object,
                                newdata = NULL,
                                type = c("prob", "link", "class", "response", "probs", "terms"),
                                se.fit = FALSE, # nolint
                                interval = c("none", "confidence"),
                                level = 0.95,
                                ...,
                                conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  check_flag(se.fit, "se.fit", call)
  with_interval <- check_choice(interval, call) == "confidence"
  if (with_interval && type %in% c("class", "terms")) {
    abort(sprintf("intervals need type = 'prob' or type = 'link', got '%s'.", type), call)
  }
  if (with_interval) {
    level <- read_level(call)
  } else if (!missing(level) || !missing(conf.level)) {
    object <- at_level(object, level, call)
  }
  rows <- if (is.null(newdata)) object$model else rows_to_predict(object, newdata, call)
  x <- if (is.null(newdata)) object$contest else contest_to_predict(object, rows, call)
  players <- lapply(stats::setNames(nm = c("player1", "player2")), item_index, rows, object, call)
  if (type == "terms") {
    return(terms_of_links(object, comparison_slopes(object, players, rows, x), rows, se.fit, call))
  }
  ability <- object$abilities[, "ability"]
  link <- ability[players$player1] - ability[players$player2]
  if (object$order_effect) {
    link <- link + object$coefficients[["(order)"]] * rows$home
  }
  if (!is.null(x)) {
    link <- link + as.vector(x %*% object$coefficients[colnames(x)])
  }
  names(link) <- rownames(rows)
  tie <- if (has_tie_parameter(object)) object$coefficients[["(tie)"]]
  proba <- if (type != "link") outcome_models[[object$ties]](link, tie)
  if (type == "class") {
    if (se.fit) {
      abort("se.fit needs type = 'prob' or type = 'link'.", call)
    }
    best <- factor(colnames(proba$p)[most_probable(proba$p)], levels = colnames(proba$p))
    return(stats::setNames(best, names(link)))
  }
  # A single row would lose its name.
  pick <- function(x) if (is.null(tie)) stats::setNames(x[, "win"], names(link)) else x
  fit <- if (type == "link") link else pick(proba$p)
  if (!se.fit && !with_interval) {
    return(fit)
  }
  covariance <- link_covariance(object, players, rows, x, call)
  error <- if (type == "link") {
    stats::setNames(sqrt(covariance$link), names(link))
  } else {
    pick(sqrt(
      proba$by_link^2 * covariance$link + 2 * proba$by_link * proba$by_tie * covariance$both +
        proba$by_tie^2 * covariance$tie
    ))
  }
  if (with_interval) {
    fit <- with_bounds(fit, error, type == "link", level, object$df.inference)
  }
  if (se.fit) list(fit = fit, se.fit = error, residual.scale = 1) else fit
}

# As in BTm(): at level 0 the abilities are those of the fixed effects.
at_level <- function(object, level, call) {
  if (length(level) != 1L || !level %in% 0:1) {
    abort(
      "level is 0 or 1, without or with random effects; interval = 'confidence' has other levels.",
      call
    )
  }
  if (level == 0 && inherits(object, "pwcstats_bt_mixed")) {
    object$abilities[, "ability"] <- ability_map(object) %*% object$coefficients
    class(object) <- setdiff(class(object), "pwcstats_bt_mixed")
  }
  object
}

# Estimates with the bounds of their intervals, as from predict.lm().
with_bounds <- function(fit, error, is_link, level, df) {
  half <- stats::qt(tails(level)[[2L]], df) * (if (is_link) error else error / (fit * (1 - fit)))
  middle <- if (is_link) fit else stats::qlogis(fit)
  bounds <- c(middle - half, middle + half)
  columns <- c("fit", "lwr", "upr")
  names <- if (is.matrix(fit)) c(dimnames(fit), list(columns)) else list(names(fit), columns)
  values <- c(fit, if (is_link) bounds else stats::plogis(bounds))
  array(values, lengths(names), names)
}

# The parts of the link by term, with a standard error of 0 as NA, as in BTm().
terms_of_links <- function(object, slopes, rows, with_errors, call) {
  terms <- slope_terms(object)
  # A tie parameter is no part of the link.
  names <- unique(terms[!is.na(terms)])
  by_term <- function(value) {
    parts <- vapply(names, function(term) value(which(terms == term)), numeric(nrow(rows)))
    matrix(parts, nrow(rows), dimnames = list(rownames(rows), names))
  }
  fit <- by_term(function(i) as.vector(slopes[, i, drop = FALSE] %*% object$coefficients[i]))
  fit <- structure(fit, constant = 0)
  if (!with_errors) {
    return(fit)
  }
  covariance <- vcov.pwcstats_abilities(object)
  variance <- by_term(function(i) {
    part <- slopes[, i, drop = FALSE]
    quadratic_forms(part, covariance[i, i, drop = FALSE], part)
  })
  error <- sqrt(variance)
  list(fit = fit, se.fit = replace(error, error %in% 0, NA), residual.scale = 1)
}

# The term of each coefficient; that of a tie parameter is missing.
slope_terms <- function(object) {
  coefficients <- names(object$coefficients)
  design <- object$design
  terms <- stats::setNames(rep(NA_character_, length(coefficients)), coefficients)
  terms[intersect(coefficients, object$items)] <- if (is.null(object$item_matrix)) {
    first_of(design$id, "..")
  } else {
    "(separate)"
  }
  # A matrix of covariates has no formula.
  of_items <- if (length(design$items)) {
    attr(covariate_columns(design, object$item_values), "term")
  } else {
    object$covariates
  }
  terms[object$covariates] <- of_items
  terms[names(object$coding$terms)] <- object$coding$terms
  terms[intersect(coefficients, "(order)")] <- "(order)"
  terms
}

# Index of each row's player1 or player2 in the items of the fit.
item_index <- function(name, rows, object, call) {
  item <- rows[[name]]
  index <- match(as.character(item), object$items)
  unknown <- is.na(index) & !is.na(item)
  if (any(unknown)) {
    given <- as.character(item[unknown][[1L]])
    near <- nearest_name(given, object$items)
    advice <- if (is.null(near)) "" else sprintf(" Did you mean '%s'?", near)
    abort(sprintf("%s must be one of the items of the fit, got '%s'.%s", name, given, advice), call)
  }
  index
}

# Variances of the link and of the tie parameter, and their covariances.
link_covariance <- function(object, players, rows, x, call) {
  if (inherits(object, "pwcstats_bt_mixed")) {
    return(list(link = mixed_link_variance(object, rows, x, call), tie = 0, both = 0))
  }
  if (is.null(object$vcov)) {
    abort("standard errors need the covariance matrix; fit with cov = 'full'.", call)
  }
  slope <- comparison_slopes(object, players, rows, x)
  spread <- slope %*% object$vcov
  has_tie <- "(tie)" %in% colnames(slope)
  list(
    link = rowSums(spread * slope),
    tie = if (has_tie) object$vcov["(tie)", "(tie)"] else 0,
    both = if (has_tie) spread[, "(tie)"] else 0
  )
}

# The derivatives of the links by the coefficients, one row for each comparison.
comparison_slopes <- function(object, players, rows, x) {
  map <- ability_map(object)
  slope <- map[players$player1, , drop = FALSE] - map[players$player2, , drop = FALSE]
  if (object$order_effect) {
    slope[, "(order)"] <- rows$home
  }
  if (!is.null(x)) {
    slope[, colnames(x)] <- x
  }
  rownames(slope) <- rownames(rows)
  slope
}

# The probabilities of the outcomes by the link and the tie parameter, and their derivatives.
without_ties <- function(link, tie) {
  p <- cbind(win = stats::plogis(link), loss = stats::plogis(-link))
  slope <- p[, 1L] * p[, 2L]
  list(p = p, by_link = cbind(win = slope, loss = -slope), by_tie = 0 * p)
}

davidson <- function(link, tie) {
  # Halving the difference avoids overflow unless an outcome is certain.
  weight <- cbind(win = exp(link / 2), tie = exp(tie), loss = exp(-link / 2))
  p <- with_dimnames(weight / rowSums(weight), names(link), colnames(weight))
  list(
    p = p,
    by_link = p * (rep(c(0.5, 0, -0.5), each = nrow(p)) - (p[, "win"] - p[, "loss"]) / 2),
    by_tie = p * (rep(c(0, 1, 0), each = nrow(p)) - p[, "tie"])
  )
}

rao_kupper <- function(link, tie) {
  win <- stats::plogis(link - tie)
  loss <- stats::plogis(-link - tie)
  p <- cbind(win = win, tie = expm1(2 * tie) * win * loss, loss = loss)
  slope <- cbind(win * (1 - win), loss * (1 - loss))
  list(
    p = with_dimnames(p, names(link), colnames(p)),
    by_link = cbind(win = slope[, 1L], tie = slope[, 2L] - slope[, 1L], loss = -slope[, 2L]),
    by_tie = cbind(win = -slope[, 1L], tie = slope[, 1L] + slope[, 2L], loss = -slope[, 2L])
  )
}

outcome_models <- list(
  none = without_ties, half = without_ties, davidson = davidson, "rao-kupper" = rao_kupper
)

# The rows of newdata: player1, player2 and home. The attributes "players" and "space" have the
# variables of each side, and all variables.
rows_to_predict <- function(object, newdata, call) {
  if (!is.data.frame(newdata) && (!is.list(newdata) || is.object(newdata))) {
    abort(sprintf("newdata must be a data frame, not %s.", kind(newdata)), call)
  }
  space <- if (is.data.frame(newdata)) newdata else flatten_data(newdata, object$call)
  column <- function(name) {
    expression <- object$call[[name]]
    variables <- all.vars(expression)
    if (name %in% names(space)) {
      space[[name]]
    } else if (length(variables) && all(variables %in% names(space))) {
      eval(expression, space)
    }
  }
  players <- list(player1 = column("player1"), player2 = column("player2"))
  absent <- vapply(players, is.null, logical(1L))
  if (any(absent)) {
    name <- names(players)[absent][[1L]]
    variable <- setdiff(all.vars(object$call[[name]]), name)
    other <- if (length(variable) == 1L) sprintf(" or %s", variable) else ""
    abort(sprintf("newdata needs a column %s%s.", name, other), call)
  }
  id <- first_of(object$design$id, "..")
  players <- Map(function(x, name) as_player(x, name, id, call), players, names(players))
  n <- nrow(players$player1)
  home <- read_home(home_to_predict(object, column, call), n, call)
  rows <- data.frame(
    player1 = players$player1[[id]], player2 = players$player2[[id]], home = home,
    row.names = if (is.data.frame(newdata)) attr(newdata, "row.names")
  )
  structure(rows, players = players, space = space)
}

# Covariates of new contests.
contest_to_predict <- function(object, rows, call) {
  if (length(object$design$contest)) {
    contest_columns(
      object$design, attr(rows, "players"), object$item_values, attr(rows, "space"),
      object$order_effect, call, object$coding
    )
  }
}

# Who has the order effect; NULL means player1 in all rows.
home_to_predict <- function(object, column, call) {
  asked <- !is.null(object$call$home)
  # If the fit had no argument home, a column of this name may be a player.
  player <- "home" %in% c(all.vars(object$call$player1), all.vars(object$call$player2))
  if (!object$order_effect || (player && !asked)) {
    return(NULL)
  }
  home <- column("home")
  if (is.null(home) && asked) {
    abort(
      "newdata needs a column home: 1 if player1 has the order effect, -1 if player2, else 0.", call
    )
  }
  home
}
