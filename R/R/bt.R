#' Bradley-Terry models of paired comparisons
#'
#' Fits abilities \eqn{\lambda_i}{lambda[i]} such that item i beats item j with probability
#' \eqn{1 / (1 + e^{\lambda_j - \lambda_i})}{1 / (1 + exp(lambda[j] - lambda[i]))}, perhaps with
#' ties, an order effect (as of playing at home) and abilities that depend on covariates.
#'
#' There are two forms of call. `bt(wins)` takes a square matrix of wins. With `player1` and
#' `player2`, which are evaluated in `data` as are `outcome`, `home`, `cluster`, `weights` and
#' `subset`, each row is a comparison or a number of comparisons of one pair, as in `BTm()` of
#' \pkg{BradleyTerry2}.
#'
#' The items are the levels of the two factors, in their order, or the sorted labels where there are
#' no factors; those that no comparison has are dropped.
#'
#' The likelihood has a maximum only if the items cannot be split in two parts so that no item of
#' one ever beat an item of the other. Where this fails, as with an item that never lost, the error
#' names the items. `method = "firth"` (`br = TRUE` in `BTm()`) has finite estimates then too.
#'
#' With `ties = "davidson"`, the three outcomes win, loss and tie have probabilities in the ratio
#' \eqn{\pi_i : \pi_j : \nu \sqrt{\pi_i \pi_j}}{pi[i] : pi[j] : nu sqrt(pi[i] pi[j])}, where
#' \eqn{\log \pi_i = \lambda_i}{log(pi[i]) = lambda[i]}.
#'
#' Coming from `BTm()` of \pkg{BradleyTerry2}: `refcat` is `ref`, `br = TRUE` is
#' `method = "firth"`, an `at.home` column is `order_effect = TRUE` (with `home` where it varies),
#' `~ x[..]` is `covariates = ~ x` with the players' data in `item_data`, and `data` is one data
#' frame, such as `flatlizards$contests`. Outcomes coded -1, 0, 1 become 0, 0.5, 1 by
#' `(outcome + 1) / 2`. There are no random effects.
#'
#' The deviance and its degrees of freedom are those of the comparisons added up: one number of wins
#' for each pair that met, told apart by who is at home. `glm()` and `BTm()` count every row of the
#' data instead, so that their deviance is the same only if no such pair has more than one row.
#' Differences of deviances do not depend on this.
#'
#' @param outcome Without `player1` and `player2` a K x K matrix, table or data frame of wins, row
#'   over column, of which the diagonal is ignored. With them the result of each row: two columns
#'   `cbind(wins1, wins2)` or three `cbind(wins1, wins2, ties)`; or 1 where `player1` won, 0 where
#'   `player2` did and 0.5 for a tie; or `TRUE` where `player1` won; or a factor, whose second level
#'   says that `player1` won (as in `glm()`). A single 1 says that `player1` won everywhere.
#' @param player1,player2 The items that are compared: factors, or labels of another kind.
#' @param data Data frame in which to look for the variables; what it lacks is looked for where
#'   `bt()` was called.
#' @param ties What to do with ties: `"none"` takes them for an error, `"davidson"` estimates a tie
#'   parameter, `"half"` counts half a win for each.
#' @param order_effect Estimate the advantage of `player1` over being `player2`, as of who is at
#'   home?
#' @param home Where `player1` has no such advantage: `FALSE` or 0 in rows where nobody has it, -1
#'   in rows where `player2` has it, `TRUE` or 1 where `player1` has it. By default `player1` has it
#'   everywhere.
#' @param covariates Abilities are to be a linear function of these: a one-sided formula of columns
#'   of `item_data`, or a matrix or data frame with one row for each item, by row name. An intercept
#'   would cancel and is left out.
#' @param item_data Data frame of a formula in `covariates`, with the items as row names.
#' @param ref The item with ability 0, by default the first; `NA` for none, with abilities that sum
#'   to 0. A model with covariates has none.
#' @param method Maximum likelihood, or Firth's bias-reduced likelihood.
#' @param cov_type Standard errors from the information, or the sandwich, for single comparisons or
#'   for clusters of rows (times G / (G - 1) and (n - 1) / (n - p) for G clusters, n comparisons and
#'   p parameters).
#' @param cluster Cluster of each row, for `cov_type = "cluster"`, which is then the default. Tests
#'   and intervals then use the t distribution with G - 1 degrees of freedom, and there is a warning
#'   if there are fewer than 20 clusters.
#' @param weights Number that multiplies the row in the likelihood. The sandwich takes a row with a
#'   weight as one; without weights it takes each comparison that `outcome` counts as one.
#' @param subset Rows to use.
#' @param na.action What to do with rows in which something is missing, as in [stats::glm()].
#' @param tied With a matrix of wins: a symmetric matrix of the number of ties.
#' @param cov The whole covariance of the coefficients, standard errors only, or neither. Of more
#'   than 2000 items, standard errors alone are estimated by random projections.
#' @param max_iter Newton steps before giving up.
#' @return A list of class `pwcstats_bt`, for which there are the [methods][pwcstats_bt] that R
#'   users expect of a model, [predict()][predict.pwcstats_bt] and [plot()][plot.pwcstats_bt], and
#'   [abilities()], [quasi_variances()], [comparison_intervals()] and [rank_intervals()]. It has
#'   the elements
#'   \item{coefficients}{Abilities of all items but the reference, or the coefficients of the
#'     covariates; then `"(order)"`, the order effect, and `"(tie)"`, \eqn{\log \nu}{log(nu)}.}
#'   \item{vcov, se}{Their covariance, if asked for, and their standard errors.}
#'   \item{abilities}{Matrix with the ability of every item and its standard error.}
#'   \item{loglik, penalized_loglik}{Log-likelihood of the comparisons one by one, and with Firth's
#'     penalty where there is one.}
#'   \item{deviance, df.residual}{See Details.}
#'   \item{df.inference}{Degrees of freedom of the t distribution that tests and intervals use: the
#'     number of clusters less 1; without clusters `Inf`, which is the normal distribution.}
#'   \item{df, nobs}{Number of free parameters, and of comparisons (or the sum of their weights).}
#'   \item{converged, iter}{How the iteration ended.}
#'   \item{items, ref, method, ties, order_effect, cov_type, call}{What was asked.}
#'   \item{model}{The comparisons that were used.}
#'   \item{python}{The fit as the Python module keeps it, so that all methods also work after
#'     [saveRDS()] and [readRDS()]. As with any saved object, read only files that you trust.}
#' @seealso [couple()], which fits such models to many samples of pairwise probabilities.
#' @references
#' Bradley, R. A. and Terry, M. E. (1952) Rank analysis of incomplete block designs: I. The method
#' of paired comparisons. *Biometrika* **39**, 324--345. \doi{10.2307/2334029}
#'
#' Davidson, R. R. (1970) On extending the Bradley-Terry model to accommodate ties in paired
#' comparison experiments. *Journal of the American Statistical Association* **65**, 317--328.
#' \doi{10.1080/01621459.1970.10481082}
#'
#' Firth, D. (1993) Bias reduction of maximum likelihood estimates. *Biometrika* **80**, 27--38.
#' \doi{10.1093/biomet/80.1.27}
#'
#' Ford, L. R. (1957) Solution of a ranking problem from binary comparisons. *The American
#' Mathematical Monthly* **64** (8, part 2), 28--33. \doi{10.2307/2308513}
#' @examplesIf pwcstats_available()
#' # Citations between four journals of statistics: a row is cited by a column.
#' journals <- c("Biometrika", "Comm Statist", "JASA", "JRSS-B")
#' citations <- matrix(c(714, 730, 498, 221,
#'                        33, 425,  68,  17,
#'                       320, 813, 1072, 142,
#'                       284, 276, 325, 188), 4, byrow = TRUE, dimnames = list(journals, journals))
#' fit <- bt(citations)
#' summary(fit)
#' abilities(fit)
#'
#' # One row a comparison; here 0.5 is a tie.
#' games <- data.frame(
#'   home = c("x", "y", "z", "x", "y", "z", "x", "y"),
#'   away = c("y", "z", "x", "z", "x", "y", "y", "x"),
#'   result = c(1, 1, 0.5, 0, 1, 0, 1, 0)
#' )
#' bt(result, home, away, data = games, ties = "half", ref = NA)
#' bt(result, home, away, data = games, ties = "davidson", order_effect = TRUE, method = "firth")
#'
#' # Results in two columns, and the advantage of playing at home.
#' if (requireNamespace("BradleyTerry2", quietly = TRUE)) {
#'   data(baseball, package = "BradleyTerry2")
#'   both <- bt(cbind(home.wins, away.wins), home.team, away.team, data = baseball)
#'   home <- update(both, order_effect = TRUE)
#'   print(home)
#'   anova(both, home)
#' }
#' @export
bt <- function(outcome,
               player1 = NULL,
               player2 = NULL,
               data = NULL,
               ties = c("none", "davidson", "half"),
               order_effect = FALSE,
               home = NULL,
               covariates = NULL,
               item_data = NULL,
               ref = NULL,
               method = c("mle", "firth"),
               cov_type = c("nonrobust", "HC0", "cluster"),
               cluster = NULL,
               weights = NULL,
               subset = NULL,
               na.action, # nolint
               tied = NULL,
               cov = c("full", "diag", "none"),
               max_iter = 500) {
  call <- sys.call()
  asked <- match.call()
  check_flag(order_effect, "order_effect", call)
  check_count(max_iter, "max_iter", call)
  if (missing(cov_type)) {
    cov_type <- if (is.null(asked$cluster)) "nonrobust" else "cluster"
  }
  refuse_formula(asked$outcome, call)
  input <- if (is.null(asked$player1) && is.null(asked$player2)) {
    refuse_row_arguments(asked, call)
    wins_input(outcome, tied, order_effect, call)
  } else {
    rows_input(asked, parent.frame(), order_effect, call)
  }
  check_cluster(cov_type, input, call)
  z <- read_covariates(covariates, item_data, input$items, call)
  # Python's abilities sum to 0 unless told otherwise, R's are relative to the first.
  if (is.null(ref) && is.null(z)) {
    ref <- input$items[[1L]]
  }
  options <- list(
    method = if (missing(method)) "mle" else method,
    ties = if (missing(ties)) "none" else ties,
    order_effect = order_effect,
    ref = if (!identical(is.na(ref), TRUE)) as_labels(ref),
    cov_type = cov_type,
    cov = if (missing(cov)) "full" else cov
  )

  load_python(call)
  model <- comparisons_to_py(input, call)
  to_fit <- c(options, list(
    covariates = if (!is.null(z)) frame_to_py(z, input$items, colnames(z)),
    maxiter = count_to_py(max_iter)
  ))
  if (identical(cov_type, "cluster")) {
    to_fit$cov_kwds <- reticulate::dict(groups = to_py(as.array(input$cluster)))
  }
  results <- call_bridge(model$fit, list(), to_fit, call)
  kept <- list(cov = options$cov, covariates = !is.null(z))
  structure(
    class = "pwcstats_bt",
    c(bt_from_py(results, input$items, kept), options, list(
      items = input$items,
      covariates = colnames(z),
      model = input$model,
      na.action = input$na_action,
      call = asked
    ))
  )
}

# The numbers as plain R data, and beside them the whole of what Python knows.
bt_from_py <- function(results, items, options) {
  terms <- labels_from_py(results$params$index)
  cov <- options$cov
  numbers <- function(x) stats::setNames(as.vector(array_from_py(x)), terms)
  # Covariates make errors of abilities from all of their covariance.
  with_errors <- cov == "full" || (cov == "diag" && !options$covariates)
  ability <- matrix_from_py(results$abilities(ci = with_errors))
  ability <- if (with_errors) ability[, 1:2, drop = FALSE] else cbind(ability, NA_real_)
  list(
    coefficients = numbers(results$params),
    vcov = if (cov == "full") with_dimnames(matrix_from_py(results$cov_params()), terms, terms),
    se = if (cov != "none") numbers(results$bse),
    abilities = with_dimnames(ability, items, c("ability", "s.e.")),
    loglik = from_py(results$llf_unpenalized),
    penalized_loglik = from_py(results$llf),
    deviance = from_py(results$deviance),
    df.residual = from_py(results$df_resid),
    df.inference = if (from_py(results$use_t)) from_py(results$df_resid_inference) else Inf,
    df = from_py(results$df_model),
    nobs = from_py(results$nobs),
    converged = from_py(results$converged),
    iter = from_py(results$n_iter),
    python = from_py(python$bridge$freeze(results))
  )
}

with_dimnames <- function(x, rows, columns) {
  dimnames(x) <- list(rows, columns)
  x
}

# The fit as a Python object again, in this process or another.
thaw <- function(object, call) {
  load_python(call)
  tryCatch(
    call_bridge(python$bridge$thaw, list(to_py(object$python)), list(), call),
    pwcstats_error = function(e) {
      abort(
        sprintf("the saved fit cannot be read (%s); fit it again.", conditionMessage(e)),
        call,
        traceback = e$traceback
      )
    }
  )
}
