#' Plot the abilities of a Bradley-Terry fit
#'
#' Draws a dot and an interval for each item, with the best item on top. Labels shrink to fit. For
#' more than 30 items, a device with about a fifth of an inch for each is easier to read.
#'
#' @param x A fit by [bt()].
#' @param intervals `"comparison"` for [comparison_intervals()], where two items differ
#'   significantly if their intervals do not overlap; `"wald"` for confidence intervals of the
#'   abilities, whose overlap is not a test; `"quasi"` for intervals from [quasi_variances()], as
#'   \pkg{qvcalc} draws them, whose overlap is not a test at the level `1 - level`. The default is
#'   `"comparison"`, or `"wald"` if the fit has no comparison intervals (as for two items).
#' @param level,conf.level Level of the intervals, by either name; for `"comparison"`, `1 - level`
#'   is the significance level of the test by overlap. Rank sets have this level, too.
#' @param xlab,xlim,pch,col,... As in [graphics::plot.default()].
#' @param ranks Write the set of ranks that each item may hold in the right margin? See
#'   [rank_intervals()].
#' @param top Number of items to draw, the best ones; by default all.
#' @return A data frame with the items in the order of the plot, `ability`, `conf.low` and
#'   `conf.high`, invisibly; with `ranks = TRUE` also `rank_low` and `rank_high`.
#' @seealso [autoplot()][pwcstats_autoplot] for \pkg{ggplot2}.
#' @rdname plot.pwcstats_bt
#' @aliases plot.pwcstats_bt
#' @examplesIf pwcstats_available()
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' fit <- bt(wins)
#' plot(fit)
#' plot(fit, intervals = "wald", ranks = TRUE)
#' @export
plot.pwcstats_abilities <- function(x,
                             intervals = c("comparison", "wald", "quasi"),
                             level = 0.95,
                             xlab = NULL,
                             xlim = NULL,
                             pch = 19,
                             col = "#0072B2",
                             ranks = FALSE,
                             top = NULL,
                             ...,
                             conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(..., .also = graphics_names(c("ylab", "yaxt", "cex", "col")))
  intervals <- if (!missing(intervals)) check_choice(intervals, call, ability_kinds)
  level <- read_level(call)
  shown <- ability_lines(x, intervals, level, ranks, top, call)
  intervals <- attr(shown, "intervals")
  draw_intervals(shown, first_of(xlab, ""), xlim, pch, col, ...)
  if (is.null(xlab)) {
    below <- c(describe_abilities(x, shown, intervals), describe_top(shown))
    write_margin(1L, below, line = graphics::par("mgp")[[1L]] + seq_along(below) - 1)
  }
  above <- c(
    if (ranks) describe_ranks(level), if (intervals == "comparison") describe_overlap(level)
  )
  if (length(above)) {
    write_margin(3L, above, line = rev(seq_along(above) - 0.9) + if (ranks) 1 else 0)
  }
  invisible(shown)
}

ability_kinds <- c("comparison", "wald", "quasi")

# Abilities with intervals, and rank sets if needed, the best first. Without a choice of intervals,
# those of comparison if they exist.
ability_lines <- function(x, intervals, level, ranks, top, call) {
  check_flag(ranks, "ranks", call)
  if (!is.null(top)) {
    check_count(top, "top", call)
  }
  shown <- if (is.null(intervals)) {
    tryCatch(
      ability_intervals(x, "comparison", level),
      pwcstats_error = function(e) ability_intervals(x, "wald", level)
    )
  } else {
    ability_intervals(x, intervals, level)
  }
  kept <- attributes(shown)[c("level", "intervals")]
  if (ranks) {
    sets <- rank_intervals(x, level)
    shown[c("rank_low", "rank_high")] <- sets[rownames(shown), c("rank_low", "rank_high")]
  }
  n <- nrow(shown)
  shown <- utils::head(shown, first_of(top, n))
  structure(shown, level = kept$level, intervals = kept$intervals, n_items = n)
}

# Abilities of all items and their intervals, the best first.
ability_intervals <- function(x, intervals, level) {
  ability <- x$abilities[, "ability"]
  if (intervals == "comparison") {
    shown <- comparison_intervals(x, level)
    level <- attr(shown, "level")
    shown <- shown[c("ability", "conf.low", "conf.high")]
  } else {
    se <- if (intervals == "wald") x$abilities[, "s.e."] else quasi_variances(x)$quasiSE
    bounds <- wald_bounds(ability, se, level, x$df.inference)
    shown <- data.frame(ability, conf.low = bounds[, 1L], conf.high = bounds[, 2L])
  }
  structure(shown[order(-ability), ], level = level, intervals = intervals)
}

# Rank sets as text.
name_ranks <- function(shown) {
  ifelse(
    shown$rank_low == shown$rank_high, shown$rank_low,
    paste(shown$rank_low, shown$rank_high, sep = "-")
  )
}

describe_ranks <- function(level) {
  sprintf("ranks: simultaneous %g %% confidence sets", 100 * level)
}

describe_top <- function(shown) {
  n <- attr(shown, "n_items")
  if (nrow(shown) < n) sprintf("the best %d of %d items", nrow(shown), n)
}

# A fit without standard errors has no intervals.
describe_abilities <- function(x, shown, intervals, sep = ", ") {
  zero <- if (is.null(x$ref)) "sum of all is 0" else sprintf("%s is 0", x$ref)
  label <- sprintf("Ability (%s)", zero)
  if (all(is.na(shown$conf.low))) {
    return(label)
  }
  kind <- c(
    wald = "confidence intervals", comparison = "comparison intervals",
    quasi = "intervals from quasi-variances"
  )[[intervals]]
  percent <- 100 * attr(shown, "level")
  if (intervals == "comparison") {
    percent <- round(percent)
  }
  sprintf("%s%s%g %% %s", label, sep, percent, kind)
}

describe_overlap <- function(level, sep = " ") {
  sprintf(
    "no overlap: the two items%sdiffer (about %g %% level)", sep, 100 * (1 - level)
  )
}

draw_intervals <- function(shown, xlab, xlim, pch, col, ...) {
  height <- rev(seq_len(nrow(shown)))
  bounds <- as.matrix(shown[c("ability", "conf.low", "conf.high")])
  xlim <- first_of(xlim, range(bounds, na.rm = TRUE))
  page <- new_lines(rownames(shown))
  on.exit(graphics::par(page$old))
  columns <- list(
    rank = if (!is.null(shown$rank_low)) name_ranks(shown),
    games = if (!is.null(shown$games)) format(shown$games, trim = TRUE, scientific = FALSE)
  )
  columns <- Filter(length, columns)
  # Right ends of the columns, in inches from the left of the margin.
  wide <- vapply(names(columns), function(name) {
    max(graphics::strwidth(c(name, columns[[name]]), "inches")) * page$size + 0.15
  }, numeric(1L))
  ends <- cumsum(wide)
  if (length(columns)) {
    margins <- graphics::par("mai")
    margins[[4L]] <- max(ends) + 0.1
    graphics::par(mai = margins)
  }
  graphics::plot(
    shown$ability, height,
    xlim = xlim, yaxt = "n", xlab = xlab, ylab = "", pch = pch, col = col,
    cex = min(1, 1.3 * page$size), ...
  )
  graphics::segments(shown$conf.low, height, shown$conf.high, height, col = col)
  name_lines(rownames(shown), height, page$size)
  for (name in names(columns)) {
    # The heading is half a line above the panel.
    at <- c(height, graphics::par("usr")[[4L]] + graphics::yinch(0.6 * graphics::par("csi")))
    right <- graphics::par("usr")[[2L]] + graphics::xinch(ends[[name]])
    labels <- c(columns[[name]], name)
    graphics::text(right, at, labels, adj = c(1, 0.5), cex = page$size, xpd = NA)
  }
}
