#' Residuals and simulations of a Bradley-Terry fit
#'
#' `residuals()` shows how the results differ from what the model expects. A win is 1 point, a tie
#' 1/2 point and a loss 0 points. A positive residual means that `player1` has more points than
#' expected. `simulate()` draws new results of the same comparisons from the fitted model.
#'
#' Without ties, or with `ties = "half"`, the residuals are those of `glm()` and of `BTm()` in
#' \pkg{BradleyTerry2}. If ties have a probability of their own, there are three outcomes, and the
#' residuals are those of the points. If the model has random effects, residuals are given their
#' predictions, and simulations draw new ones.
#'
#' `type = "grouped"` is the working residual of each item, as in `BTm()`. It is 0 if each item has
#' its own ability. If abilities depend on covariates, it shows which items are better or worse than
#' their covariates suggest.
#'
#' @param object A fit by [bt()].
#' @param type `"deviance"` for the signed roots of the contributions to the deviance, `"pearson"`
#'   for differences divided by their standard deviation, `"working"` for residuals on the scale of
#'   the abilities, `"response"` for the difference of shares of points, `"grouped"` for working
#'   residuals of the items.
#' @param by One residual for each row of the fit, for each pair of items, or for each item.
#' @param nsim Number of simulations.
#' @param seed Seed of R's random number generator, as in [stats::simulate()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `residuals()` returns a named vector. `simulate()` returns a data frame with one column
#'   for each simulation: a matrix of wins of `player1`, wins of `player2` and, if the model has a
#'   tie parameter, ties, which can be the `outcome` of [bt()]. Its attribute `seed` is as in
#'   [stats::simulate()].
#' @examplesIf pwcstats_available()
#' fit <- bt(citations)
#' residuals(fit, "pearson")
#'
#' # Fit the model to simulated results.
#' results <- simulate(fit, nsim = 2, seed = 1)
#' bt(results$sim_1, player1, player2, data = model.frame(fit))
#' @name bt_residuals
NULL

#' @rdname bt_residuals
#' @importFrom stats residuals
#' @export
residuals.pwcstats_bt <- function(object,
                                  type = c("deviance", "pearson", "working", "response", "grouped"),
                                  by = c("comparison", "pair", "item"),
                                  ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  by <- check_choice(by, call)
  if (type == "grouped") {
    type <- "working"
    by <- "item"
  }
  if (by == "comparison") {
    return(row_residuals(object, type))
  }
  answer <- call_bridge(thaw(object, call)$resid, list(type, by), list(), call)
  labels <- if (by == "item") {
    labels_from_py(answer$index)
  } else {
    sides <- lapply(0:1, function(i) labels_from_py(answer$index$get_level_values(i)))
    paste(sides[[1L]], sides[[2L]], sep = "/")
  }
  stats::setNames(vector_from_py(answer), labels)
}

# Python has no rows of weighted data, but the outcomes of each row.
row_residuals <- function(object, type) {
  observed <- outcome_counts(object)
  n <- rowSums(observed)
  model <- outcome_models[[object$ties]](
    predict.pwcstats_bt(object, type = "link"), tie_of(object)
  )
  # Points of each outcome.
  points <- c(win = 1, tie = 0.5, loss = 0)[colnames(model$p)]
  expected <- as.vector(model$p %*% points)
  surplus <- as.vector(observed %*% points) - n * expected
  slope <- as.vector(model$by_link %*% points)
  value <- switch(type,
    response = surplus / n,
    pearson = surplus / sqrt(n * (as.vector(model$p %*% points^2) - expected^2)),
    working = surplus / (n * slope),
    deviance = {
      ratio <- ifelse(observed > 0, observed / (n * model$p), 1)
      # Rounding may make it slightly negative.
      sign(surplus) * sqrt(pmax(2 * rowSums(observed * log(ratio)), 0))
    }
  )
  stats::setNames(value, rownames(object$model))
}

# Numbers of wins, (ties) and losses in each row, in the order of the probabilities.
outcome_counts <- function(object) {
  rows <- object$model
  if (has_tie_parameter(object)) {
    return(cbind(win = rows$wins1, tie = rows$ties, loss = rows$wins2))
  }
  cbind(win = rows$wins1 + rows$ties / 2, loss = rows$wins2 + rows$ties / 2)
}

tie_of <- function(object) {
  if (has_tie_parameter(object)) object$coefficients[["(tie)"]]
}

#' @rdname bt_residuals
#' @importFrom stats simulate
#' @export
simulate.pwcstats_bt <- function(object, nsim = 1, seed = NULL, ...) {
  call <- sys.call()
  refuse_unknown(...)
  check_count(nsim, "nsim", call)
  if (object$ties == "half" && any(object$model$ties > 0)) {
    abort("the fit cannot be simulated: ties = 'half' has no probability of a tie.", call)
  }
  n <- rowSums(outcome_counts(object))
  if (any(n != round(n))) {
    abort("the fit cannot be simulated: the numbers of comparisons are not whole numbers.", call)
  }
  state <- start_random(seed)
  on.exit(state$restore())
  link <- predict.pwcstats_bt(object, type = "link")
  draw <- function(i) {
    p <- outcome_models[[object$ties]](link + new_effects(object), tie_of(object))$p
    wins <- stats::rbinom(length(n), n, p[, "win"])
    if (!has_tie_parameter(object)) {
      return(cbind(wins1 = wins, wins2 = n - wins))
    }
    ties <- stats::rbinom(length(n), n - wins, p[, "tie"] / (p[, "tie"] + p[, "loss"]))
    cbind(wins1 = wins, wins2 = n - wins - ties, ties = ties)
  }
  drawn <- lapply(stats::setNames(seq_len(nsim), paste0("sim_", seq_len(nsim))), draw)
  structure(
    drawn,
    class = "data.frame", row.names = rownames(object$model), seed = state$seed
  )
}

# New random effects minus the predicted ones, player1 minus player2 of each row.
new_effects <- function(object) {
  if (!inherits(object, "pwcstats_bt_mixed")) {
    return(0)
  }
  old <- object$random_effects[, "effect"]
  change <- stats::rnorm(length(old), sd = object$sigma) - old
  # Items with an ability of their own have no random effect.
  of <- function(player) {
    found <- change[match(as.character(player), names(old))]
    ifelse(is.na(found), 0, found)
  }
  of(object$model$player1) - of(object$model$player2)
}
