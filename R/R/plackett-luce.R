#' Plackett-Luce models of rankings
#'
#' Fits abilities \eqn{\log \alpha_i}{log(alpha[i])} to rankings of any length. A ranking is a
#' sequence of choices: the best item is chosen from all items of the ranking, the second from those
#' that are left, and so on. Item i is chosen from a set A with probability \eqn{\alpha_i / \sum_{j
#' \in A} \alpha_j}{alpha[i] / sum(alpha[A])}. For rankings of two items this is the model of
#' Bradley and Terry, see [bt()].
#'
#' Several items may share a place. A set S of k tied items is then chosen with a probability
#' proportional to \eqn{\delta_k (\prod_{i \in S} \alpha_i)^{1 / k}}{delta[k] prod(alpha[S])^(1/k)},
#' as in package \pkg{PlackettLuce}. Numbers of tied items that occur in the data have a coefficient
#' \eqn{\log \delta_k}{log(delta[k])}, called `"(tie2)"`, `"(tie3)"` and so on.
#'
#' The likelihood has no maximum if some item always comes first or last, or if no ranking connects
#' some items. The error message then names the items. `method = "firth"`, `"ridge"` and `"ghost"`
#' give finite estimates. `method = "ghost"` has the estimates of \pkg{PlackettLuce}, whose default
#' is `npseudo = 0.5`; its standard errors take the comparisons with the ghost into account.
#'
#' @param rankings Rankings in one of three forms. A matrix or data frame of ranks has a row for
#'   each ranking and a column for each item; 1 is the best, equal numbers are ties, and `NA` means
#'   that an item was not ranked. Objects of class `rankings` from \pkg{PlackettLuce} are accepted,
#'   too. A list has a vector of items for each ranking, the best first; tied items are a vector in
#'   a list, as in `list("a", c("b", "c"))`. A formula `position ~ item | ranking` describes `data`
#'   with a row for each item of each ranking.
#' @param data Data frame for a formula.
#' @param method Maximum likelihood, Firth's bias-reduced likelihood, a normal prior, or a ghost
#'   item; see [bt()].
#' @param ref The item with ability 0, by default the first; with `NA`, abilities sum to 0.
#' @param prior_sd,pseudo Standard deviation of the prior, and number of wins and losses against the
#'   ghost, as in [bt()].
#' @param unranked What a ranking says about items that it does not name: nothing, because they were
#'   not available (`"absent"`), or that they came behind all others (`"last"`), as in lists of the
#'   top ten.
#' @param weights Weight of each ranking; with a formula, a variable of `data`.
#' @param cov_type,cluster Standard errors from the information matrix, or from the sandwich
#'   estimator for single rankings or for clusters of rankings; `cluster` has an entry for each
#'   ranking, or is a variable of `data`.
#' @param largest Fit only the largest set of items whose abilities exist?
#' @param maxit Maximum number of Newton steps.
#' @return A list of class `pwcstats_pl`. It has the same elements as the result of [bt()] where
#'   they make sense, and the same methods: `coef()`, `vcov()`, `confint()`, `logLik()`,
#'   `summary()`, [predict()][predict.pwcstats_pl], [abilities()], [quasi_variances()],
#'   [rank_intervals()], [pairs()][pairs.pwcstats_abilities], [leaderboard()],
#'   [plot()][plot.pwcstats_bt], and `tidy()` and `glance()` from \pkg{generics}. `anova()` tests
#'   whether all abilities are equal. See [simulate()][pl_methods] for further methods, and
#'   [bt_emmeans] for \pkg{emmeans}.
#' @seealso [bt()] for paired comparisons, with order effects and covariates.
#' @references
#' Plackett, R. L. (1975) The analysis of permutations. *Journal of the Royal Statistical Society C*
#' **24**, 193--202. \doi{10.2307/2346567}
#'
#' Turner, H. L., van Etten, J., Firth, D. and Kosmidis, I. (2020) Modelling rankings in R: the
#' PlackettLuce package. *Computational Statistics* **35**, 1027--1057.
#' \doi{10.1007/s00180-020-00959-3}
#' @examplesIf pwcstats_available()
#' # Lists of items, some of them tied.
#' fruit <- list(
#'   c("apple", "banana"),
#'   c("banana", "orange", "pear", "apple"),
#'   list(c("banana", "orange", "pear"), "apple"),
#'   c("apple", "banana", "orange"),
#'   list(c("banana", "orange"), "apple"),
#'   c("apple", "pear", "orange")
#' )
#' fit <- plackett_luce(fruit)
#' summary(fit)
#' leaderboard(fit)
#' predict(fit, c("apple", "banana"))
#'
#' # A matrix of ranks.
#' ranks <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, NA), c(3, 2, 1), c(1, 3, 2))
#' plackett_luce(ranks, ref = NA)
#'
#' # A row for each item of each ranking.
#' races <- data.frame(
#'   race = rep(1:4, each = 3), driver = c("x", "y", "z"), place = c(1:3, 2, 1, 3, 3:1, 1, 3, 2)
#' )
#' plackett_luce(place ~ driver | race, races)
#' @export
plackett_luce <- function(rankings,
                          data = NULL,
                          method = c("mle", "firth", "ridge", "ghost"),
                          ref = NULL,
                          prior_sd = NULL,
                          pseudo = 0.5,
                          unranked = c("absent", "last"),
                          weights = NULL,
                          cov_type = c("nonrobust", "HC0", "cluster"),
                          cluster = NULL,
                          largest = FALSE,
                          maxit = 500) {
  call <- full_call()
  asked <- match.call()
  check_flag(largest, "largest", call)
  if (missing(cov_type) || is.null(cov_type)) {
    cov_type <- if (is.null(asked$cluster)) "nonrobust" else "cluster"
  }
  entries <- if (inherits(rankings, "formula")) {
    long_entries(rankings, asked, parent.frame(), call)
  } else if (!is.null(asked$data)) {
    abort("data needs a formula, such as position ~ item | ranking.", call)
  } else {
    ranking_entries(rankings, weights, cluster, call)
  }
  check_cluster(cov_type, entries, call)
  load_python(call)
  columns <- Filter(Negate(is.null), list(
    ranking = ids_to_py(entries$ranking),
    item = codes_to_py(entries$item, entries$items),
    position = numbers_to_py(entries$position),
    weight = if (!is.null(entries$weight)) numbers_to_py(entries$weight),
    cluster = if (!is.null(entries$cluster)) to_py(as.array(entries$cluster))
  ))
  names <- list(unranked = first_choice(unranked))
  names$weight <- if (!is.null(entries$weight)) "weight"
  frame <- columns_to_py(columns, seq_along(entries$item))
  model <- call_bridge(python$pwcstats$PlackettLuce$from_orderings, list(frame), names, call)
  if (largest) {
    model <- call_bridge(model$largest, list(), list(), call)
  }
  items <- labels_from_py(model$items)
  if (is.null(ref)) {
    ref <- items[[1L]]
  }
  options <- list(
    method = first_choice(method),
    ref = if (!identical(is.na(ref), TRUE)) as_labels(ref),
    cov_type = cov_type
  )
  to_fit <- c(options, list(
    prior_sd = number_to_py(prior_sd), pseudo = number_to_py(pseudo), maxiter = count_to_py(maxit)
  ))
  if (identical(cov_type, "cluster")) {
    to_fit$cov_kwds <- by_name_to_py(list(groups = "cluster"))
  }
  results <- call_bridge(model$fit, list(), to_fit, call)
  kept <- list(cov = "full", covariates = FALSE, is_mixed = FALSE)
  structure(
    class = c("pwcstats_pl", "pwcstats_abilities"),
    c(bt_from_py(results, items, kept), options, list(
      prior_sd = prior_sd,
      pseudo = pseudo,
      ties = "none",
      is_ranking = TRUE,
      items = items,
      model = ranking_rows(entries, items),
      unranked = names$unranked,
      left_out = if (largest) labels_from_py(model$left_out),
      call = asked
    ))
  )
}

# The rankings of these items as long data, with the weight of each.
ranking_rows <- function(entries, items) {
  rows <- data.frame(
    ranking = entries$ranking,
    item = factor(entries$items[entries$item], levels = items),
    position = entries$position
  )
  rows$weight <- entries$weight
  rows[!is.na(rows$item) & first_of(rows$weight, 1) > 0, , drop = FALSE]
}

# One entry for each item of each ranking: the ranking, the index of the item and its position.
ranking_entries <- function(rankings, weights, cluster, call) {
  if (is.data.frame(rankings) || is.matrix(rankings)) {
    entries <- rank_entries(rankings, call)
  } else if (is.list(rankings)) {
    entries <- list_entries(rankings, call)
  } else {
    abort(
      sprintf(
        "rankings must be a matrix of ranks, a list of orderings or a formula, not %s.",
        kind(rankings)
      ),
      call
    )
  }
  by_ranking <- function(x, name) {
    n <- entries$n
    if (length(x) != n) {
      message <- "%s needs an entry for each of the %d rankings, got %d."
      abort(sprintf(message, name, n, length(x)), call)
    }
    x[entries$index]
  }
  if (!is.null(weights)) {
    entries$weight <- by_ranking(read_row_weights(weights, entries$n, call), "weights")
  }
  if (!is.null(cluster)) {
    entries$cluster <- by_ranking(match(cluster, unique(cluster)), "cluster")
  }
  entries
}

rank_entries <- function(ranks, call) {
  unranked <- if (inherits(ranks, "rankings")) 0 else NA
  x <- as_numbers(if (is.data.frame(ranks)) ranks else as.matrix(ranks), "rankings", call)
  x[x %in% unranked] <- NA
  items <- first_of(colnames(x), as.character(seq_len(ncol(x))))
  labels <- first_of(rownames(x), seq_len(nrow(x)))
  empty <- rowSums(!is.na(x)) == 0
  if (any(empty)) {
    abort(sprintf("row %s ranks no item; leave it out.", labels[empty][[1L]]), call)
  }
  bad <- which(!is.na(x) & !(is.finite(x) & x > 0), arr.ind = TRUE)
  if (nrow(bad)) {
    abort(
      sprintf(
        "ranks must be finite numbers above 0, where 1 is the best; row %s has %s for %s.",
        labels[[bad[1L, 1L]]], format(x[bad[1L, , drop = FALSE]]), items[[bad[1L, 2L]]]
      ),
      call
    )
  }
  known <- which(!is.na(t(x)), arr.ind = TRUE)
  list(
    ranking = labels[known[, 2L]], item = known[, 1L], items = items,
    position = t(x)[known], index = known[, 2L], n = nrow(x)
  )
}

list_entries <- function(orderings, call) {
  lengths <- lapply(orderings, lengths)
  labels <- first_of(names(orderings), seq_along(orderings))
  index <- rep(seq_along(orderings), vapply(lengths, sum, numeric(1L)))
  tiers <- lapply(lengths, function(x) rep(seq_along(x), x))
  label <- unlist(lapply(orderings, function(x) as.character(unlist(lapply(x, as.character)))))
  empty <- !seq_along(orderings) %in% index
  if (any(empty)) {
    abort(sprintf("ranking %s has no item; leave it out.", labels[empty][[1L]]), call)
  }
  if (anyNA(label)) {
    row <- index[is.na(label)][[1L]]
    abort(sprintf("ranking %s has a missing item; leave it out.", labels[[row]]), call)
  }
  factors <- vapply(orderings, is.factor, logical(1L))
  known <- unique(unlist(lapply(orderings[factors], levels)))
  items <- union(known, sort(setdiff(label, known)))
  items <- items[items %in% label]
  list(
    ranking = labels[index], item = match(label, items), items = items,
    position = unlist(tiers), index = index, n = length(orderings)
  )
}

# A formula position ~ item | ranking.
long_entries <- function(formula, asked, environment, call) {
  right <- formula[[length(formula)]]
  if (length(formula) != 3L || !is.call(right) || !identical(right[[1L]], quote(`|`))) {
    abort(
      sprintf("the formula must be position ~ item | ranking, got %s.", deparse1(formula)), call
    )
  }
  data <- tryCatch(eval(asked$data, environment), error = function(e) abort_as(e, call))
  evaluate <- function(expression) {
    tryCatch(
      eval(expression, data, environment(formula)),
      error = function(e) abort_as(e, call)
    )
  }
  parts <- list(position = formula[[2L]], item = right[[2L]], ranking = right[[3L]])
  values <- lapply(parts, evaluate)
  n <- length(values$item)
  for (name in names(values)) {
    if (length(values[[name]]) != n) {
      abort(
        sprintf(
          "%s must have a value for each of the %d rows, got %d.",
          deparse1(parts[[name]]), n, length(values[[name]])
        ),
        call
      )
    }
    if (anyNA(values[[name]])) {
      row <- which(is.na(values[[name]]))[[1L]]
      message <- "row %d has no %s; fill it in, or drop the row."
      abort(sprintf(message, row, deparse1(parts[[name]])), call)
    }
  }
  if (!is_number_like(values$position)) {
    abort(
      sprintf("%s must be numbers, not %s.", deparse1(formula[[2L]]), kind(values$position)), call
    )
  }
  items <- item_levels(values$item, values$item)
  items <- items[items %in% values$item]
  ranking <- values$ranking
  cluster <- evaluate(asked$cluster)
  weight <- evaluate(asked$weights)
  list(
    ranking = if (is.factor(ranking)) as.character(ranking) else ranking,
    item = match(as.character(values$item), items), items = items, position = values$position,
    weight = if (!is.null(weight)) read_row_weights(rep_len(weight, n), n, call),
    cluster = if (!is.null(cluster)) match(cluster, unique(cluster))
  )
}

#' Predictions from a Plackett-Luce fit
#'
#' The probability of each item to be the best of a set of items. If there are tie parameters, it is
#' the probability to be first alone; the rest up to 1 is that of a tie.
#'
#' @param object A fit by [plackett_luce()].
#' @param newdata A vector of items, or a list of such vectors; by default all items.
#' @param se.fit Also return standard errors, by the delta method?
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A named vector with the probability of each item, or a list of such vectors. With
#'   `se.fit = TRUE`, a list with the elements `fit` and `se.fit`.
#' @examplesIf pwcstats_available()
#' fit <- plackett_luce(rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2)))
#' predict(fit)
#' predict(fit, c("a", "c"), se.fit = TRUE)
#' @export
predict.pwcstats_pl <- function(object, newdata = NULL, se.fit = FALSE, ...) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  check_flag(se.fit, "se.fit", call)
  fit <- thaw(object, call)
  one <- function(items) {
    items <- if (!is.null(items)) labels_to_py(as.character(items))
    matrix_from_labels(call_bridge(fit$predict, list(items), list(se = TRUE), call))
  }
  sets <- if (is.list(newdata)) newdata else list(newdata)
  found <- lapply(sets, one)
  pick <- function(column) {
    values <- lapply(found, function(x) x[, column])
    if (is.list(newdata)) values else values[[1L]]
  }
  if (se.fit) list(fit = pick(1L), se.fit = pick(2L)) else pick(1L)
}

#' @rdname plackett_luce
#' @param object A fit by `plackett_luce()`.
#' @param ... Must be empty; a misspelt argument is an error.
#' @export
anova.pwcstats_pl <- function(object, ...) {
  call <- sys.call()
  refuse_unknown(...)
  test <- test_from_py(call_bridge(thaw(object, call)$lr_test, list(), list(), call))
  as_anova(
    data.frame(
      Df = test[[1L]], Deviance = test[[2L]], p = test[[3L]],
      row.names = "abilities"
    ),
    "Likelihood-ratio test of equal abilities",
    sprintf("Model: %s\n", deparse1(object$call))
  )
}
