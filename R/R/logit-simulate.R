#' Simulate from logistic fits
#'
#' Draws new responses from the fitted probabilities. After [firth()] the numbers are those that
#' `simulate()` of a `glm()` fit with the same coefficients draws from the same seed.
#'
#' A weight stands for several rows, of which only one response could be returned. Fits with weights
#' other than 1 are therefore refused; repeat the rows, or use `cbind(successes, failures)`.
#'
#' @param object A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param nsim Number of simulations.
#' @param seed Seed of R's random number generator, as in [stats::simulate()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with one column for each simulation and one row for each row of the fit.
#'   Columns have the type of the response: a factor with its levels, logical, numeric, or a matrix
#'   of successes and failures. The attribute `seed` is as in [stats::simulate()].
#' @examplesIf pwcstats_available()
#' fit <- firth(am ~ wt, mtcars)
#' new <- simulate(fit, nsim = 2, seed = 1)
#' firth(new$sim_1 ~ wt, mtcars)
#' @name simulate.pwcstats_logit
#' @importFrom stats simulate
#' @export
simulate.pwcstats_logit <- function(object, nsim = 1, seed = NULL, ...) {
  call <- sys.call()
  refuse_unknown(...)
  check_count(nsim, "nsim", call)
  if (any(row_weights_used(object) != 1)) {
    abort(
      paste(
        "the fit cannot be simulated: rows with weights other than 1 stand for several rows;",
        "repeat the rows, or use cbind(successes, failures)."
      ),
      call
    )
  }
  draw <- response_sampler(object, fitted_rows(object), call)
  state <- start_random(seed)
  on.exit(state$restore())
  # With rows of missing values if na.exclude() left some out.
  drawn <- lapply(seq_len(nsim), function(i) stats::naresid(object$na.action, draw()))
  structure(
    drawn,
    names = paste0("sim_", seq_len(nsim)), class = "data.frame",
    row.names = names(all_rows(object)),
    seed = state$seed
  )
}

# The numbers of the rows, with their names; NA where na.exclude() left one out.
all_rows <- function(object) {
  names <- rownames(object$model)
  stats::naresid(object$na.action, stats::setNames(seq_along(names), names))
}

# A function that draws one response for each row.
response_sampler <- function(object, proba, call) {
  response <- stats::model.response(object$model)
  if (is.matrix(response) && ncol(response) == 2L) {
    n <- rowSums(response)
    if (any(n != round(n))) {
      abort("the fit cannot be simulated: the numbers of trials are not whole numbers.", call)
    }
    function() {
      wins <- stats::rbinom(length(n), n, proba)
      with_dimnames(cbind(wins, n - wins), NULL, colnames(response))
    }
  } else if (is.matrix(proba)) {
    # The classes whose cumulative probability is exceeded come before the one that is drawn.
    below <- t(apply(proba, 1L, cumsum))[, -ncol(proba), drop = FALSE]
    function() object$classes[1L + rowSums(stats::runif(nrow(proba)) > below)]
  } else {
    function() object$classes[1L + stats::rbinom(length(proba), 1L, proba)]
  }
}
