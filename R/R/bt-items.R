#' Abilities of all items
#'
#' @param object A fit by [bt()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A matrix with one row for each item, the reference included, and the columns `ability`
#'   and `s.e.`, as of `BTabilities()` in \pkg{BradleyTerry2}. With covariates the abilities are
#'   those that the covariates give, and sum to 0.
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' abilities(bt(wins))
#' abilities(bt(wins, ref = NA))
#' @export
abilities <- function(object, ...) {
  UseMethod("abilities")
}

#' @rdname abilities
#' @export
abilities.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  object$abilities
}

#' Quasi-variances of abilities
#'
#' The variance of a difference of two abilities is about the sum of their quasi-variances,
#' whichever item is the reference. [comparison_intervals()] makes intervals of them that can be
#' compared by eye.
#'
#' @param object A fit by [bt()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with one row for each item and the columns `estimate`, `SE`, `quasiSE` and
#'   `quasiVar`, as the `qvframe` of \pkg{qvcalc}. The attribute `relative_error` has the smallest
#'   and largest relative error of the standard errors of differences that they give.
#' @references
#' Firth, D. and de Menezes, R. X. (2004) Quasi-variances. *Biometrika* **91**, 65--80.
#' \doi{10.1093/biomet/91.1.65}
#' @seealso [comparison_intervals()].
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' quasi_variances(bt(wins))
#' @export
quasi_variances <- function(object, ...) {
  UseMethod("quasi_variances")
}

#' @rdname quasi_variances
#' @export
quasi_variances.pwcstats_bt <- function(object, ...) {
  refuse_unknown(...)
  call <- sys.call()
  answer <- call_bridge(thaw(object, call)$quasi_variances, list(), list(), call)
  columns <- c("estimate", "SE", "quasiSE", "quasiVar")
  values <- matrix(matrix_from_py(answer), ncol = 4L, dimnames = list(object$items, columns))
  structure(
    as.data.frame(values),
    relative_error = unlist(from_py(answer$attrs[["relative_error"]]))
  )
}

#' Intervals that can be compared by eye
#'
#' Two items differ significantly where their intervals do not overlap. Every interval has the same
#' number of quasi standard errors on either side, chosen so that two equal items have intervals
#' that do not overlap with probability `1 - level`, on average over all pairs (Goldstein and Healy
#' 1995).
#'
#' For `level = 0.95` this is about 1.39 quasi standard errors, so that each interval alone has a
#' level of about 83%. Intervals of 95% that do not overlap would be a test at the level 0.006. The
#' test is of one pair that was chosen in advance: see [rank_intervals()] for all pairs together and
#' [compare_items()] for the exact test of one.
#'
#' @param object A fit by [bt()].
#' @param level,conf.level One minus the significance level of the test by overlap, by either name.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with one row for each item and the columns `ability`, `quasiSE`, `lower` and
#'   `upper`. The attribute `multiplier` is the number of quasi standard errors, `level` the level
#'   of each interval by itself, and `pair_alpha` has the smallest and largest significance level of
#'   the test by overlap over all pairs.
#' @references
#' Goldstein, H. and Healy, M. J. R. (1995) The graphical presentation of a collection of means.
#' *Journal of the Royal Statistical Society A* **158**, 175--177. \doi{10.2307/2983411}
#' @seealso [quasi_variances()], [plot()][plot.pwcstats_bt] with `intervals = "comparison"`.
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' comparison_intervals(bt(10 * wins))
#' @export
comparison_intervals <- function(object, ...) {
  UseMethod("comparison_intervals")
}

#' @rdname comparison_intervals
#' @export
comparison_intervals.pwcstats_bt <- function(object,
                                             level = 0.95,
                                             ...,
                                             conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  fit <- thaw(object, call)
  answer <- call_bridge(fit$comparison_intervals, list(), list(alpha = 1 - level), call)
  columns <- c("ability", "quasiSE", "lower", "upper")
  values <- matrix(matrix_from_py(answer), ncol = 4L, dimnames = list(object$items, columns))
  structure(
    as.data.frame(values),
    multiplier = from_py(answer$attrs[["multiplier"]]),
    level = from_py(answer$attrs[["level"]]),
    pair_alpha = unlist(from_py(answer$attrs[["pair_alpha"]]))
  )
}

#' Ranks that items may hold
#'
#' Sets of ranks that hold the true ones with probability `level`: those that are left when all
#' items that are significantly better stand before an item, and all that are significantly worse
#' behind it.
#'
#' @param object A fit by [bt()].
#' @param level,conf.level Probability that the sets hold the true ranks, by either name.
#' @param simultaneous Is `level` meant for all items together, or for each by itself?
#' @param n_draws Draws of the normal distribution of the estimates (of the t distribution after
#'   `cov_type = "cluster"`), from which the critical value is found.
#' @param seed Seed of these draws; R's own random numbers are left alone.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with one row for each item, the best first, and the columns `ability`,
#'   `rank`, `rank_low` and `rank_high`.
#' @references
#' Mogstad, M., Romano, J. P., Shaikh, A. M. and Wilhelm, D. (2024) Inference for ranks with
#' applications to mobility across neighbourhoods and academic achievement across countries. *The
#' Review of Economic Studies* **91**, 476--518. \doi{10.1093/restud/rdad006}
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' rank_intervals(bt(10 * wins))
#' @export
rank_intervals <- function(object, ...) {
  UseMethod("rank_intervals")
}

#' @rdname rank_intervals
#' @export
rank_intervals.pwcstats_bt <- function(object,
                                       level = 0.95,
                                       simultaneous = TRUE,
                                       n_draws = 10000,
                                       seed = 0,
                                       ...,
                                       conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  check_flag(simultaneous, "simultaneous", call)
  level <- read_level(call)
  fit <- thaw(object, call)
  options <- list(
    level = level,
    simultaneous = simultaneous,
    n_draws = count_to_py(n_draws),
    random_state = count_to_py(seed)
  )
  answer <- call_bridge(fit$ranks, list(), options, call)
  columns <- c("ability", "rank", "rank_low", "rank_high")
  rows <- labels_from_py(answer$index)
  result <- as.data.frame(matrix(matrix_from_py(answer), ncol = 4L, dimnames = list(rows, columns)))
  result[-1L] <- lapply(result[-1L], as.integer)
  result
}

#' Predictions of a Bradley-Terry fit
#'
#' @param object A fit by [bt()].
#' @param newdata Data frame with the columns `player1` and `player2`, or with the variables that
#'   `player1` and `player2` were made of in the call of [bt()]; by default the comparisons that
#'   were used for the fit. If the model has an order effect there may also be a column `home` with
#'   the values that [bt()] takes; where the fit was made without `home`, `player1` has the effect
#'   by default.
#' @param type `"prob"` (or `"response"`) for probabilities, `"link"` for the difference of
#'   abilities (and order effect), `"class"` for the most probable outcome.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return With one entry for each comparison: for `"prob"` the probability that `player1` wins or,
#'   with a tie parameter, a matrix of the probabilities `win`, `tie` and `loss` of `player1`; for
#'   `"link"` numbers; for `"class"` a factor with the levels `win`, (`tie`) and `loss`, of which
#'   the first is taken where two are equally probable.
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' predict(bt(wins), data.frame(player1 = "a", player2 = c("b", "c")))
#' @importFrom stats predict
#' @export
predict.pwcstats_bt <- function(object,
                                newdata = NULL,
                                type = c("prob", "link", "class", "response", "probs"),
                                ...) {
  call <- sys.call()
  refuse_unknown(
    ...,
    .hints = c(se.fit = "compare_items() has the standard error of a difference")
  )
  type <- check_choice(type, eval(formals(sys.function())$type), "type", call)
  rows <- if (is.null(newdata)) object$model else rows_to_predict(object, newdata, call)
  ability <- object$abilities[, "ability"]
  place <- function(item, name) {
    place <- match(as.character(item), object$items)
    unknown <- is.na(place) & !is.na(item)
    if (any(unknown)) {
      abort(
        sprintf("%s must be one of the items of the fit, got '%s'.", name, item[unknown][[1L]]),
        call
      )
    }
    place
  }
  order <- if (object$order_effect) object$coefficients[["(order)"]] * rows$home else 0
  link <- ability[place(rows$player1, "player1")] - ability[place(rows$player2, "player2")] + order
  names(link) <- rownames(rows)
  if (type == "link") {
    return(link)
  }
  proba <- outcome_probabilities(link, object)
  if (type == "class") {
    best <- factor(colnames(proba)[most_probable(proba)], levels = colnames(proba))
    return(stats::setNames(best, names(link)))
  }
  # One row alone would lose its name.
  if (object$ties == "davidson") proba else stats::setNames(proba[, "win"], names(link))
}

# The first of those that are equally probable; NA where nothing is known.
most_probable <- function(proba) {
  vapply(seq_len(nrow(proba)), function(row) which.max(proba[row, ])[1L], 1L)
}

# With half of the difference on either side nothing overflows that is not certain anyway.
outcome_probabilities <- function(link, object) {
  if (object$ties != "davidson") {
    return(cbind(win = stats::plogis(link), loss = stats::plogis(-link)))
  }
  nu <- exp(object$coefficients[["(tie)"]])
  up <- exp(link / 2)
  down <- exp(-link / 2)
  proba <- cbind(win = up, tie = nu, loss = down) / (up + nu + down)
  with_dimnames(proba, names(link), colnames(proba))
}

rows_to_predict <- function(object, newdata, call) {
  if (!is.data.frame(newdata)) {
    abort(sprintf("newdata must be a data frame, not %s.", kind(newdata)), call)
  }
  column <- function(name) {
    words <- object$call[[name]]
    if (name %in% names(newdata)) {
      newdata[[name]]
    } else if (length(all.vars(words)) && all(all.vars(words) %in% names(newdata))) {
      eval(words, newdata)
    }
  }
  players <- list(player1 = column("player1"), player2 = column("player2"))
  absent <- vapply(players, is.null, logical(1L))
  if (any(absent)) {
    abort(sprintf("newdata needs a column %s.", names(players)[absent][[1L]]), call)
  }
  home <- read_home(home_to_predict(object, column, call), nrow(newdata), call)
  data.frame(players, home = home, row.names = attr(newdata, "row.names"))
}

# Who has the order effect; NULL for player1 everywhere.
home_to_predict <- function(object, column, call) {
  asked <- !is.null(object$call$home)
  # A column of this name may be a player, where the fit knows no other meaning of it.
  player <- "home" %in% c(all.vars(object$call$player1), all.vars(object$call$player2))
  if (!object$order_effect || (player && !asked)) {
    return(NULL)
  }
  home <- column("home")
  if (is.null(home) && asked) {
    abort("newdata needs a column home, which says who has the order effect: 1, 0 or -1.", call)
  }
  home
}

#' Plot the abilities of a Bradley-Terry fit
#'
#' A dot for each item with an interval, the best item on top. Labels shrink to fit; for more than
#' 30 items a device with about a fifth of an inch for each is easier to read.
#'
#' @param x A fit by [bt()].
#' @param intervals `"wald"` for confidence intervals of the abilities; `"comparison"` for
#'   [comparison_intervals()], of which two that do not overlap show a significant difference;
#'   `"quasi"` for intervals from the standard errors of [quasi_variances()], as \pkg{qvcalc} draws
#'   them, whose overlap is no test at the level `1 - level`.
#' @param level,conf.level Level of the intervals, by either name; for `"comparison"`, `1 - level`
#'   is the significance level of the test by overlap.
#' @param xlab,xlim,pch,... As in [graphics::plot.default()].
#' @return A data frame with the items in the order of the plot, `ability`, `lower` and `upper`,
#'   invisibly.
#' @seealso [autoplot()][pwcstats_autoplot] for \pkg{ggplot2}.
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' plot(bt(wins), intervals = "comparison")
#' @export
plot.pwcstats_bt <- function(x,
                             intervals = c("wald", "comparison", "quasi"),
                             level = 0.95,
                             xlab = NULL,
                             xlim = NULL,
                             pch = 19,
                             ...,
                             conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(..., .also = graphics_names(c("ylab", "yaxt", "cex")))
  intervals <- check_choice(intervals, eval(formals(sys.function())$intervals), "intervals", call)
  level <- read_level(call)
  shown <- ability_intervals(x, intervals, level)
  draw_intervals(shown, first_of(xlab, ""), xlim, pch, ...)
  if (is.null(xlab)) {
    write_beside(1L, describe_abilities(x, shown, intervals), line = graphics::par("mgp")[[1L]])
  }
  if (intervals == "comparison") {
    write_beside(3L, describe_overlap(level), line = 0.1)
  }
  invisible(shown)
}

# Abilities of all items and their intervals, the best first.
ability_intervals <- function(x, intervals, level) {
  ability <- x$abilities[, "ability"]
  if (intervals == "comparison") {
    shown <- comparison_intervals(x, level)
    level <- attr(shown, "level")
    shown <- shown[c("ability", "lower", "upper")]
  } else {
    se <- if (intervals == "wald") x$abilities[, "s.e."] else quasi_variances(x)$quasiSE
    bounds <- wald_bounds(ability, se, level, x$df.inference)
    shown <- data.frame(ability, lower = bounds[, 1L], upper = bounds[, 2L])
  }
  structure(shown[order(-ability), ], level = level)
}

# A fit without standard errors has no intervals.
describe_abilities <- function(x, shown, intervals, sep = ", ") {
  zero <- if (is.null(x$ref)) "sum of all is 0" else sprintf("%s is 0", x$ref)
  words <- sprintf("Ability (%s)", zero)
  if (all(is.na(shown$lower))) {
    return(words)
  }
  kind <- c(
    wald = "confidence intervals", comparison = "comparison intervals",
    quasi = "intervals from quasi-variances"
  )[[intervals]]
  percent <- 100 * attr(shown, "level")
  if (intervals == "comparison") {
    percent <- round(percent)
  }
  sprintf("%s%s%g%% %s", words, sep, percent, kind)
}

describe_overlap <- function(level, sep = " ") {
  sprintf(
    "two items differ at about the %g%% level%swhere their intervals do not overlap",
    100 * (1 - level), sep
  )
}

draw_intervals <- function(shown, xlab, xlim, pch, ...) {
  height <- rev(seq_len(nrow(shown)))
  xlim <- first_of(xlim, range(as.matrix(shown), na.rm = TRUE))
  page <- new_lines(rownames(shown))
  on.exit(graphics::par(page$old))
  graphics::plot(
    shown$ability, height,
    xlim = xlim, yaxt = "n", xlab = xlab, ylab = "", pch = pch, cex = min(1, 1.3 * page$size), ...
  )
  graphics::segments(shown$lower, height, shown$upper, height)
  name_lines(rownames(shown), height, page$size)
}
