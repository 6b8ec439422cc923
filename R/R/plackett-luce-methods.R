#' Methods for Plackett-Luce fits
#'
#' `update()`, `AIC()`, `BIC()`, `nobs()`, `confint()` and [profile()][bt_profile] work as with
#' other models. `model.frame()` returns the rankings with a row for each item of each ranking.
#' `simulate()` draws new rankings of the same items.
#'
#' A ranking has no single response, so there are no residuals, fitted values, family, formula or
#' model matrix. These functions stop with an error. [predict()][predict.pwcstats_pl] returns the
#' probabilities of first places.
#'
#' @param object A fit by [plackett_luce()].
#' @param nsim Number of simulations.
#' @param seed Seed of R's random number generator, as in [stats::simulate()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `weights()` returns the weight of each ranking. `simulate()` returns a data frame with
#'   one column for each simulation: a matrix of ranks, which can be the first argument of
#'   [plackett_luce()]. Its attribute `seed` is as in [stats::simulate()].
#' @examplesIf pwcstats_available()
#' fit <- plackett_luce(rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2)))
#' drawn <- simulate(fit, nsim = 2, seed = 1)
#' drawn$sim_1
#' update(fit, method = "firth")
#' @name pl_methods
NULL

#' @rdname pl_methods
#' @export
weights.pwcstats_pl <- function(object, ...) {
  refuse_unknown(...)
  rows <- object$model
  first <- rows[!duplicated(rows$ranking), , drop = FALSE]
  weight <- first_of(first$weight, rep(1, nrow(first)))
  stats::setNames(weight, first$ranking)
}

#' @rdname pl_methods
#' @export
simulate.pwcstats_pl <- function(object, nsim = 1, seed = NULL, ...) {
  call <- sys.call()
  refuse_unknown(...)
  check_count(nsim, "nsim", call)
  if (any(grepl("^[(]tie", names(object$coefficients)))) {
    abort("the fit cannot be simulated: simulate() draws rankings without ties.", call)
  }
  if (any(weights.pwcstats_pl(object) != 1)) {
    abort("the fit cannot be simulated: rankings have weights.", call)
  }
  state <- start_random(seed)
  on.exit(state$restore())
  rows <- object$model
  ranking <- match(rows$ranking, unique(rows$ranking))
  cell <- cbind(ranking, as.integer(rows$item))
  ranked <- matrix(FALSE, max(ranking), length(object$items))
  ranked[cell] <- TRUE
  # Unranked items that came last could have been ranked.
  available <- ranked | identical(object$unranked, "last")
  n_ranked <- rowSums(ranked)
  ability <- object$abilities[, "ability"]
  draw <- function(i) {
    # The order of abilities with Gumbel errors has the model's distribution.
    score <- rep(ability, each = nrow(ranked)) - log(stats::rexp(length(ranked)))
    score <- matrix(replace(score, !available, -Inf), nrow(ranked))
    rank <- t(apply(-score, 1L, rank))
    rank[rank > n_ranked] <- NA
    with_dimnames(rank, unique(rows$ranking), object$items)
  }
  drawn <- lapply(stats::setNames(seq_len(nsim), paste0("sim_", seq_len(nsim))), draw)
  structure(
    drawn,
    class = "data.frame", row.names = as.character(unique(rows$ranking)), seed = state$seed
  )
}
