#' Bradley-Terry models of paired comparisons
#'
#' Fits abilities \eqn{\lambda_i}{lambda[i]} such that item i beats item j with probability
#' \eqn{1 / (1 + e^{\lambda_j - \lambda_i})}{1 / (1 + exp(lambda[j] - lambda[i]))}. The model may
#' include ties, an order effect (such as a home advantage) and covariates of the items.
#'
#' There are four ways to call it. `bt(wins)` takes a square matrix of wins. `bt(r, n)` takes a
#' matrix of proportions of wins and one of numbers of comparisons, as the coupling of Hastie and
#' Tibshirani does; the wins are `n * r`. `bt(x)` also takes an object of class `paircomp` from
#' \pkg{psychotools}. With `player1` and `player2`, each row is one or several comparisons of a
#' pair, as in `BTm()` of \pkg{BradleyTerry2}; `outcome`, `player1`, `player2`, `home`, `cluster`,
#' `weights` and `subset` are then evaluated in `data`.
#'
#' If `data` has columns with common names, such as `model_a`, `model_b` and `winner` in files of
#' chat arenas, `bt(data)` finds them; the printed call shows how it has read them.
#'
#' The items are the levels of the two factors, in their order, or the sorted labels if they are not
#' factors. Items without a comparison are dropped.
#'
#' The likelihood has no maximum if the items can be split into two groups such that no item of one
#' group ever beat an item of the other, for example if an item never lost. The error message then
#' names the items. `method = "firth"` (`br = TRUE` in `BTm()`) gives finite estimates in this case
#' too.
#'
#' With `ties = "davidson"`, the three outcomes win, loss and tie have probabilities in the ratio
#' \eqn{\pi_i : \pi_j : \nu \sqrt{\pi_i \pi_j}}{pi[i] : pi[j] : nu sqrt(pi[i] pi[j])}, where
#' \eqn{\log \pi_i = \lambda_i}{log(pi[i]) = lambda[i]}. With `ties = "rao-kupper"`, item i wins
#' with probability \eqn{\pi_i / (\pi_i + \theta \pi_j)}{pi[i] / (pi[i] + theta pi[j])}, item j
#' with probability \eqn{\pi_j / (\pi_j + \theta \pi_i)}{pi[j] / (pi[j] + theta pi[i])}, and
#' otherwise they tie.
#'
#' Two further methods have finite estimates even if some items never met. They shrink the abilities
#' towards their mean. With `method = "ridge"`, abilities have a normal prior with the standard
#' deviation `prior_sd`. With `method = "ghost"`, every item wins and loses `pseudo` comparisons
#' against a ghost item, as in \pkg{PlackettLuce}.
#'
#' @section Formula:
#' The formula describes the abilities, as in `BTm()` of \pkg{BradleyTerry2}. In it `..` is the
#' item, or the name given as `id`.
#'
#' * `~ ..`, the default, gives each item an ability of its own.
#' * `~ x[..]` makes abilities a linear function of a covariate of the items: `x` has one value for
#'   each level of the items, in their order. A column of `item_data`, whose rows are matched by
#'   name, can be written without `[..]`. An intercept would cancel and is left out.
#' * Other variables are covariates of the contests, with a value for each row, such as a difference
#'   of lengths or days of rest. A column of the data frames `player1` and `player2` enters as the
#'   value of `player1` minus that of `player2`. Other variables are taken to be such differences:
#'   their sign would change if the two players changed places. `~ .. + x` has free abilities and
#'   the covariate `x`, and `~ z[..] + x` covariates of both kinds.
#' * The interaction of a covariate of the items with one of the contests, as in
#'   `~ .. + x * z[..]`, is a covariate of the contests.
#' * `(1 | ..)` adds a random effect of each item to its ability, see [random_effects()]. As in
#'   `BTm()`, this is recommended beside covariates of the items, which rarely explain the abilities
#'   completely.
#' * If a covariate of an item is missing, the item has an ability of its own. Its coefficient has
#'   the name of the item. `separate.ability` names further such items.
#'
#' @section For users of BTm():
#' Calls of `BTm()` work with `bt` in its place: `formula`, `id`, `refcat`, `br`, `separate.ability`
#' and a list of data frames as `data` have the same meaning. Recode outcomes -1, 0, 1 as 0, 0.5, 1
#' with `(outcome + 1) / 2`. There are two differences. If a covariate describes the abilities, they
#' sum to 0. If an estimate is infinite or does not exist, `bt()` stops and says why; `BTm()` may
#' report a large number or `NA`. Random effects are fitted by the Laplace approximation;
#' `random_effects = "pql"` has the estimates of `BTm()`.
#'
#' The deviance and its degrees of freedom are those of the aggregated data, with one number of wins
#' for each pair and home side. `glm()` and `BTm()` count every row of the data instead, so their
#' deviance is the same only if each pair has one row. Differences of deviances do not depend on
#' this.
#'
#' @param outcome Without `player1` and `player2`: a K x K matrix, table or data frame of wins, row
#'   over column; its diagonal is ignored. With `n`, a matrix `r` of proportions of wins, where
#'   `r[i, j] + r[j, i]` is 1. With `player1` and `player2`, the result of each row: two columns
#'   `cbind(wins1, wins2)` or three columns `cbind(wins1, wins2, ties)`; or 1 if `player1` won, 0 if
#'   `player2` won and 0.5 for a tie; or `TRUE` if `player1` won; or a factor whose second level
#'   means that `player1` won (as in `glm()`). A single 1, the default, means that `player1` won
#'   every row. With an object of class `paircomp`, `ties` is by default `"davidson"` if there are
#'   ties, `weights` has a number for each subject, and `cov_type = "cluster"` uses the subjects as
#'   clusters.
#' @param player1,player2 The items that are compared: factors, or other labels; or data frames with
#'   a column of items, whose name is `id`.
#' @param formula Formula of the abilities, such as `~ x[..]`; see the section below. A data frame
#'   as fourth argument is `data`.
#' @param data Data frame with the variables, or a list of data frames. Variables that are not in it
#'   are looked up where `bt()` was called.
#' @param ties How to treat ties: `"none"` stops with an error, `"davidson"` and `"rao-kupper"`
#'   estimate a tie parameter, `"half"` counts a tie as half a win for each.
#' @param order_effect Estimate the advantage of being `player1`, such as a home advantage?
#' @param home Who has the advantage in each row: `TRUE` or 1 for `player1`, -1 for `player2`,
#'   `FALSE` or 0 for neither. By default `player1` has it in all rows.
#' @param covariates Covariates of which abilities are a linear function: a matrix or data frame
#'   with one row for each item, matched by row names; or a formula with columns of `item_data`.
#' @param item_data Data frame for a formula, with the items as row names.
#' @param ref The item with ability 0, by default the first; with `NA`, abilities sum to 0. A model
#'   with covariates has no reference item.
#' @param method Maximum likelihood, Firth's bias-reduced likelihood, a normal prior, or a ghost
#'   item.
#' @param prior_sd Standard deviation of the abilities for `method = "ridge"`, on the scale of
#'   logits.
#' @param pseudo Number of wins, and of losses, of each item against the ghost for
#'   `method = "ghost"`.
#' @param random_effects How to fit the random effects of a formula with the term `(1 | ..)`: by the
#'   Laplace approximation, or by penalised quasi-likelihood, as in `BTm()`; see
#'   [random_effects()].
#' @param cov_type Standard errors from the information matrix, or from the sandwich estimator for
#'   single comparisons or for clusters of rows (multiplied by G / (G - 1) and (n - 1) / (n - p) for
#'   G clusters, n comparisons and p parameters).
#' @param cluster Cluster of each row, for `cov_type = "cluster"`, which is then the default. Tests
#'   and intervals then use the t distribution with G - 1 degrees of freedom, and there is a warning
#'   if there are fewer than 20 clusters or clusters of very unequal size.
#' @param weights Factor by which the row is multiplied in the likelihood. The sandwich estimator
#'   treats a weighted row as one observation; without weights it treats each comparison counted in
#'   `outcome` as one.
#' @param subset Rows to use.
#' @param na.action How to treat rows with missing values, as in [stats::glm()].
#' @param tied With a matrix of wins: a symmetric matrix with the numbers of ties.
#' @param cov Compute the full covariance matrix of the coefficients, only standard errors, or
#'   neither. For more than 2000 items, `"diag"` estimates standard errors by random projections.
#' @param largest Fit only the largest set of items whose abilities exist, with a warning that names
#'   the items that are left out? In this set, a chain of wins or ties leads from every item to
#'   every other.
#' @param maxit Maximum number of Newton steps.
#' @param n With a matrix of proportions: a symmetric matrix with the numbers of comparisons, which
#'   need not be whole; it may be the second argument. 0 means that two items were not compared;
#'   only then may their proportions be missing.
#' @param id Name of the items in `formula`, and in the data frames `player1` and `player2`.
#' @param separate.ability Items that have an ability of their own beside covariates.
#' @param refcat The same as `ref`, for users of `BTm()`.
#' @param br `br = TRUE` is `method = "firth"`, for users of `BTm()`.
#' @return A list of class `pwcstats_bt`. It has the usual [methods][pwcstats_bt] of a model, also
#'   those that [emmeans][bt_emmeans], [lmtest and car][bt_inference] and [sandwich][bt_sandwich]
#'   need, [predict()][predict.pwcstats_bt] and [plot()][plot.pwcstats_bt], and [abilities()],
#'   [quasi_variances()], [comparison_intervals()] and [rank_intervals()]. Its elements are
#'   \item{coefficients}{Abilities of all items but the reference, or the coefficients of the
#'     covariates; then `"(order)"`, the order effect, coefficients of covariates of the contests,
#'     and `"(tie)"`, \eqn{\log \nu}{log(nu)} or \eqn{\log \theta}{log(theta)}.}
#'   \item{vcov, se}{Their covariance, if requested, and their standard errors.}
#'   \item{abilities}{Matrix with the ability of every item and its standard error.}
#'   \item{loglik, penalized_loglik}{Log-likelihood of the single comparisons, without and with
#'     Firth's penalty.}
#'   \item{deviance, df.residual}{See Details.}
#'   \item{df.inference}{Degrees of freedom of the t distribution that tests and intervals use: the
#'     number of clusters minus 1, or `Inf` (the normal distribution) without clusters.}
#'   \item{df, nobs}{Number of free parameters, and of comparisons (or the sum of their weights).}
#'   \item{converged, iter}{Whether the fit converged, and the number of iterations.}
#'   \item{items, ref, method, ties, order_effect, cov_type, call}{The items and the options of the
#'     call.}
#'   \item{model}{The comparisons that were used.}
#'   \item{left_out}{With `largest = TRUE`, the items that were left out.}
#'   \item{python}{The Python object as bytes, so that a fit saved with [saveRDS()] can be used in a
#'     new session. As with any saved object, read only files that you trust.}
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
#' # A matrix of wins: citations between four journals.
#' citations
#' fit <- bt(citations)
#' summary(fit)
#' abilities(fit)
#'
#' # Proportions, and numbers of comparisons.
#' n <- citations + t(citations)
#' all.equal(coef(bt(citations / n, n)), coef(fit))
#'
#' # Votes of a chat arena, whose columns have common names.
#' head(battles)
#' bt(battles, ties = "davidson", ref = NA)
#'
#' # One row for each comparison: 1 if the first won, 0 if the second won, 0.5 for a tie.
#' head(arena)
#' votes <- transform(arena, result = c(first = 1, tie = 0.5, second = 0)[as.character(winner)])
#' bt(result, first, second, data = votes, ties = "half", ref = NA)
#'
#' # Ties and the advantage of being shown first; the votes of a user are not independent.
#' board <- bt(result, first, second,
#'   data = votes, ties = "davidson", order_effect = TRUE, cluster = user, ref = NA
#' )
#' summary(board)
#' rank_intervals(board)
#'
#' # Numbers of wins and ties in columns.
#' counts <- aggregate(
#'   cbind(wins1 = result == 1, wins2 = result == 0, ties = result == 0.5) ~ first + second,
#'   data = votes, FUN = sum
#' )
#' plain <- bt(cbind(wins1, wins2, ties), first, second, data = counts, ties = "davidson")
#' anova(plain, update(plain, order_effect = TRUE))
#'
#' # Abilities that depend on covariates of the items.
#' journals <- data.frame(british = c(TRUE, FALSE, FALSE, TRUE), row.names = rownames(citations))
#' bt(citations, formula = ~british, item_data = journals)
#'
#' # An item that never lost.
#' games <- data.frame(
#'   winner = c("ace", "ace", "ace", "b", "c", "c", "b"),
#'   loser = c("b", "c", "b", "c", "b", "b", "c")
#' )
#' try(bt(1, winner, loser, data = games))
#' bt(1, winner, loser, data = games, method = "firth")
#' @export
bt <- function(outcome = 1,
               player1 = NULL,
               player2 = NULL,
               formula = NULL,
               data = NULL,
               ties = c("none", "davidson", "rao-kupper", "half"),
               order_effect = FALSE,
               home = NULL,
               covariates = NULL,
               item_data = NULL,
               ref = NULL,
               method = c("mle", "firth", "ridge", "ghost"),
               prior_sd = NULL,
               pseudo = 0.5,
               random_effects = c("laplace", "pql"),
               cov_type = c("nonrobust", "HC0", "cluster"),
               cluster = NULL,
               weights = NULL,
               subset = NULL,
               na.action, # nolint
               tied = NULL,
               cov = c("full", "diag", "none"),
               largest = FALSE,
               maxit = 500,
               n = NULL,
               id = "..",
               separate.ability = NULL, # nolint
               refcat = ref,
               br = FALSE) {
  call <- full_call()
  asked <- match.call()
  # Until version 0.2 the fourth argument was data.
  if (!is.null(formula) && !inherits(formula, "formula") && !"formula" %in% names(call)) {
    call["formula"] <- list(NULL)
    return(eval(call, parent.frame()))
  }
  call <- drop_null_formula(call)
  asked <- drop_null_formula(asked)
  check_flag(order_effect, "order_effect", call)
  check_flag(largest, "largest", call)
  if (missing(cov_type) || is.null(cov_type)) {
    cov_type <- if (is.null(asked$cluster)) "nonrobust" else "cluster"
  }
  refuse_formula(asked$outcome, call)
  ref <- read_ref(asked, ref, refcat, call)
  method <- read_br(asked, first_choice(method), br, call)
  structure <- list(
    formula = formula, covariates = covariates, item_data = item_data, id = read_id(id, call),
    separate = as_labels(separate.ability)
  )
  # In bt(r, n), the second argument is a matrix; labels of players never are.
  if (is.null(asked$player2) && is.null(asked$data) && is.null(asked[["n"]]) &&
        length(dim(outcome)) == 2L && length(dim(player1)) == 2L) {
    n <- player1
    names(asked)[names(asked) == "player1"] <- "n"
  }
  if (is.null(asked$player1) && is.null(asked$player2)) {
    asked <- find_columns(asked, outcome, data, call)
  }
  by_rows <- !is.null(asked$player1) || !is.null(asked$player2)
  if (!by_rows && inherits(outcome, "paircomp")) {
    refuse_row_arguments(asked, call, except = "weights")
    refuse_matrices(asked, call)
    input <- paircomp_input(outcome, weights, cov_type, call)
    structure$item_data <- first_of(item_data, paircomp_data(outcome, formula))
    ties <- if (missing(ties) && any(input$model$ties > 0)) "davidson" else ties
  } else if (!by_rows) {
    refuse_row_arguments(asked, call)
    input <- wins_input(outcome, tied, n, order_effect, call)
  } else {
    input <- rows_input(asked, parent.frame(), order_effect, structure, call)
  }
  if (!by_rows) {
    input$design <- read_design(structure, NULL, TRUE, call)
  }
  check_cluster(cov_type, input, call)
  load_python(call)
  model <- comparisons_to_py(input, call)
  lines <- list(contest = contest_to_py(input), cluster = input$cluster)
  if (largest) {
    model <- call_bridge(model$largest, list(), list(), call)
    input <- keep_items(input, labels_from_py(model$items))
  }
  values <- if (!is.null(input$design)) {
    item_variables(
      input$design, input$items, first_of(input$levels, input$items), structure$item_data,
      input$space, structure$separate, call
    )
  }
  check_separate(structure$separate, input, call)
  z <- read_covariates(structure, input, values, call)
  if (!is.null(z)) {
    rownames(z) <- input$items
  }
  is_mixed <- isTRUE(input$design$random)
  if (!is_mixed && !missing(random_effects)) {
    abort("random_effects needs the term (1 | ..) in the formula.", call)
  }
  # By default abilities sum to 0 in Python and are relative to the first item in R.
  if (is.null(ref) && is.null(z) && !is_mixed) {
    ref <- input$items[[1L]]
  }
  options <- list(
    method = method,
    ties = first_choice(ties),
    order_effect = order_effect,
    ref = if (!identical(is.na(ref), TRUE)) as_labels(ref),
    cov_type = cov_type,
    cov = first_choice(cov)
  )

  to_fit <- c(options, list(
    covariates = if (!is.null(z)) frame_to_py(z, input$items, colnames(z)),
    contest = lines$contest,
    random_effects = if (is_mixed) first_choice(random_effects),
    prior_sd = number_to_py(prior_sd),
    pseudo = number_to_py(pseudo),
    maxiter = count_to_py(maxit)
  ))
  if (identical(cov_type, "cluster")) {
    to_fit$cov_kwds <- by_name_to_py(list(groups = to_py(as.array(lines$cluster))))
  }
  results <- call_bridge(model$fit, list(), to_fit, call)
  kept <- list(cov = options$cov, covariates = !is.null(z), is_mixed = is_mixed)
  structure(
    class = c(if (is_mixed) "pwcstats_bt_mixed", "pwcstats_bt", "pwcstats_abilities"),
    c(bt_from_py(results, input$items, kept), if (is_mixed) mixed_from_py(results), options, list(
      prior_sd = prior_sd,
      pseudo = pseudo,
      is_ranking = FALSE,
      items = input$items,
      covariates = colnames(z),
      item_matrix = with_own_columns(z),
      item_values = values,
      formula = formula_of(input$design, z, structure$id, parent.frame()),
      design = input$design,
      contest = input$contest,
      line_row = input$row,
      left_out = if (largest) labels_from_py(model$left_out),
      coding = input$coding,
      model = input$model,
      na.action = input$na_action,
      call = asked
    ))
  )
}

drop_null_formula <- function(call) {
  if ("formula" %in% names(call) && is.null(call$formula)) {
    call$formula <- NULL
  }
  call
}

# refcat and br are names that BTm() has.
read_ref <- function(asked, ref, refcat, call) {
  if (!is.null(asked[["ref"]]) && !is.null(asked[["refcat"]])) {
    abort("ref and refcat are two names of one argument; give only one of them.", call)
  }
  if (is.null(asked[["refcat"]])) ref else refcat
}

read_br <- function(asked, method, br, call) {
  check_flag(br, "br", call)
  if (br && !is.null(asked$method) && !identical(method, "firth")) {
    abort("br = TRUE is method = 'firth'; give only one of them.", call)
  }
  if (br) "firth" else method
}

# The formula of the abilities; a matrix of covariates has none.
formula_of <- function(design, z, id, environment) {
  if (!is.null(design)) {
    design$formula
  } else if (is.null(z)) {
    stats::reformulate(id, env = environment)
  }
}

read_id <- function(id, call) {
  if (!is.character(id) || length(id) != 1L || is.na(id) || !nzchar(id)) {
    abort(sprintf("id must be the name of the items in the formula, got %s.", show_value(id)), call)
  }
  id
}

# The estimates as plain R data, and the Python object.
bt_from_py <- function(results, items, options) {
  terms <- labels_from_py(results$params$index)
  cov <- options$cov
  numbers <- function(x) stats::setNames(vector_from_py(x), terms)
  # With covariates, standard errors of abilities need the full covariance.
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
    # The deviance of a model with random effects has no meaning.
    deviance = if (options$is_mixed) NA_real_ else from_py(results$deviance),
    df.residual = if (options$is_mixed) NA_real_ else from_py(results$df_resid),
    df.inference = if (from_py(results$use_t)) from_py(results$df_resid_inference) else Inf,
    df = from_py(results$df_model),
    nobs = from_py(results$nobs),
    converged = from_py(results$converged),
    iter = from_py(results$n_iter),
    python = freeze(results)
  )
}
