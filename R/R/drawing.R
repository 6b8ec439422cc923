# Helpers for plots: labels of lines, intervals, colours and text in the margins.

# A page with space for labels on the left, and their size.
new_lines <- function(names, font = 1L) {
  # Sizes of labels are known only after plot.new().
  graphics::plot.new()
  room <- graphics::par("pin")[[2L]] / length(names)
  wide <- max(graphics::strwidth(names, "inches", font = font))
  # Labels take at most half of the page.
  fitting <- (graphics::par("fin")[[1L]] / 2 - 0.4) / wide
  size <- min(graphics::par("cex.axis"), 0.9 * room / graphics::par("csi"), fitting)
  margins <- graphics::par("mai")
  margins[[2L]] <- size * wide + 0.4
  list(size = size, old = set_margins(margins))
}

# Sets margins in inches for a page that plot.new() has begun, and returns what restores the old
# ones. They are restored in lines, so that later pages of many small plots have small margins.
set_margins <- function(inches) {
  lines <- graphics::par("mar")
  old <- graphics::par(mai = inches, new = TRUE)
  list(mar = lines, new = old$new)
}

# A single call of axis() would leave out labels that are close to each other.
name_lines <- function(names, height, size, font = rep(1L, length(height))) {
  for (i in seq_along(height)) {
    graphics::axis(
      2L, height[[i]], names[[i]],
      las = 1L, tick = FALSE, cex.axis = size, font.axis = font[[i]]
    )
  }
}

# Intervals, with arrows at infinite ends and text for estimates that are not finite.
draw_spans <- function(estimate, low, high, height, size, color, fill, absent) {
  limits <- graphics::par("usr")[1:2]
  graphics::segments(
    pmax(low, limits[[1L]]), height, pmin(high, limits[[2L]]), height,
    col = color, lwd = 1.5
  )
  for (side in 1:2) {
    open <- which(is.infinite(list(low, high)[[side]]))
    graphics::points(
      rep(limits[[side]], length(open)), height[open],
      pch = c("<", ">")[[side]], col = color[open], xpd = NA
    )
  }
  known <- is.finite(estimate)
  graphics::points(
    estimate[known], height[known],
    pch = 21, col = color[known], bg = fill[known], cex = min(1, 1.3 * size)
  )
  labels <- describe_nonfinite(estimate, absent)
  for (i in which(!known)) {
    write_on_line(labels[[i]], height[[i]], size)
  }
}

describe_nonfinite <- function(estimate, absent) {
  ifelse(is.infinite(estimate), sprintf("estimate %s", estimate), absent)
}

# In the middle of the line, on a white background.
write_on_line <- function(label, height, size) {
  middle <- mean(graphics::par("usr")[1:2])
  half <- c(graphics::strwidth(label, cex = size), graphics::strheight(label, cex = size)) * 0.6
  graphics::rect(
    middle - half[[1L]], height - half[[2L]], middle + half[[1L]], height + half[[2L]],
    col = "white", border = NA
  )
  graphics::text(middle, height, label, cex = size, col = "gray30")
}

# Text in a margin, centred on the page (not on the axis), and no wider than the page.
write_margin <- function(side, text, line) {
  fitting <- (graphics::par("fin")[[1L]] - 0.2) / max(graphics::strwidth(text, "inches"))
  graphics::mtext(
    text,
    side = side, line = line, at = graphics::grconvertX(0.5, "nfc", "user"),
    cex = min(0.85, fitting) * graphics::par("cex")
  )
}

# The colours of Okabe and Ito, which colour-blind people can distinguish, in the order of Python's
# pwcstats.plot.COLORS. Estimates are drawn in the first one, significant differences in the second.
palette_colors <- c(
  "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999"
)
# Grey means "not significant" or "no class", so classes have yellow and wine instead of black and
# grey, as in Python. With more classes than colours, symbols distinguish them.
area_colors <- c(palette_colors[1:6], "#F0E442", "#882255")

class_colors <- function(n) {
  rep_len(area_colors, n)
}

# Circle, square, triangle, diamond, triangle down, plus, cross, star: as near as R has them to
# Python's pwcstats.plot.MARKERS, and in their order.
palette_symbols <- c(16L, 15L, 17L, 18L, 6L, 3L, 4L, 8L)

# When all are used, they start again one further, so that a colour gets another symbol.
class_symbols <- function(n) {
  used <- seq_len(n) - 1L
  size <- length(palette_symbols)
  palette_symbols[(used + used %/% size) %% size + 1L]
}

# Colours of differences.
difference_colors <- function(significant) {
  ifelse(significant %in% TRUE, palette_colors[[2L]], "gray40")
}

# Arguments of plot.default() and par() that a plot does not set itself.
graphics_names <- function(set) {
  setdiff(c(names(formals(graphics::plot.default)), names(graphics::par())), c("x", "y", set))
}

# Arguments that plots with labelled lines set.
set_by_spans <- c("ylab", "yaxt", "ylim", "xaxs")
