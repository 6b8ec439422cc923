#' Plot the abilities of a Bradley-Terry fit
#'
#' Draws a dot and an interval for each item, with the best item on top. Labels shrink to fit. For
#' more than 30 items, a device with about a fifth of an inch for each is easier to read.
#'
#' @param x A fit by [bt()].
#' @param intervals `"wald"` for confidence intervals of the abilities; `"comparison"` for
#'   [comparison_intervals()], where two items differ significantly if their intervals do not
#'   overlap; `"quasi"` for intervals from [quasi_variances()], as \pkg{qvcalc} draws them, whose
#'   overlap is not a test at the level `1 - level`.
#' @param level,conf.level Level of the intervals, by either name; for `"comparison"`, `1 - level`
#'   is the significance level of the test by overlap.
#' @param xlab,xlim,pch,... As in [graphics::plot.default()].
#' @return A data frame with the items in the order of the plot, `ability`, `conf.low` and
#'   `conf.high`, invisibly.
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
  intervals <- check_choice(intervals, call)
  level <- read_level(call)
  shown <- ability_intervals(x, intervals, level)
  draw_intervals(shown, first_of(xlab, ""), xlim, pch, ...)
  if (is.null(xlab)) {
    write_margin(1L, describe_abilities(x, shown, intervals), line = graphics::par("mgp")[[1L]])
  }
  if (intervals == "comparison") {
    write_margin(3L, describe_overlap(level), line = 0.1)
  }
  invisible(shown)
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
  structure(shown[order(-ability), ], level = level)
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
  sprintf("%s%s%g%% %s", label, sep, percent, kind)
}

describe_overlap <- function(level, sep = " ") {
  sprintf(
    "two items differ at about the %g%% level%sif their intervals do not overlap",
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
  graphics::segments(shown$conf.low, height, shown$conf.high, height)
  name_lines(rownames(shown), height, page$size)
}
