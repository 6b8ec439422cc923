# What the plots share: names beside lines, intervals, colours and words in the margins.

# A page with room for names on the left, and how large they can be.
new_lines <- function(names, font = 1L) {
  # The size of labels is known when there is a page.
  graphics::plot.new()
  room <- graphics::par("pin")[[2L]] / length(names)
  wide <- max(graphics::strwidth(names, "inches", font = font))
  # At most half of the page is names.
  fitting <- (graphics::par("fin")[[1L]] / 2 - 0.4) / wide
  size <- min(graphics::par("cex.axis"), 0.9 * room / graphics::par("csi"), fitting)
  margins <- graphics::par("mai")
  margins[[2L]] <- size * wide + 0.4
  list(size = size, old = graphics::par(mai = margins, new = TRUE))
}

# axis() would leave out labels that it thinks too near each other.
name_lines <- function(names, height, size, font = rep(1L, length(height))) {
  for (place in seq_along(height)) {
    graphics::axis(
      2L, height[[place]], names[[place]],
      las = 1L, tick = FALSE, cex.axis = size, font.axis = font[[place]]
    )
  }
}

# Each line with its interval: arrows where it has no end, words where its estimate is no number.
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
  words <- describe_nonfinite(estimate, absent)
  for (place in which(!known)) {
    write_on_line(words[[place]], height[[place]], size)
  }
}

describe_nonfinite <- function(estimate, absent) {
  ifelse(is.infinite(estimate), sprintf("estimate %s", estimate), absent)
}

# In the middle, with the line behind it wiped out.
write_on_line <- function(words, height, size) {
  middle <- mean(graphics::par("usr")[1:2])
  half <- c(graphics::strwidth(words, cex = size), graphics::strheight(words, cex = size)) * 0.6
  graphics::rect(
    middle - half[[1L]], height - half[[2L]], middle + half[[1L]], height + half[[2L]],
    col = "white", border = NA
  )
  graphics::text(middle, height, words, cex = size, col = "gray30")
}

# Words in a margin, in the middle of the page and not of the axis, and no wider than the page.
write_beside <- function(side, words, line) {
  fitting <- (graphics::par("fin")[[1L]] - 0.2) / max(graphics::strwidth(words, "inches"))
  graphics::mtext(
    words,
    side = side, line = line, at = graphics::grconvertX(0.5, "nfc", "user"),
    cex = min(0.85, fitting) * graphics::par("cex")
  )
}

# Colours that colour-blind people tell apart, those that are faint on white last; more classes than
# there are colours differ by their symbols, too.
class_colors <- function(n) {
  order <- c(6L, 7L, 4L, 8L, 3L, 1L, 2L, 9L, 5L)
  rep_len(unname(grDevices::palette.colors(9L, "Okabe-Ito"))[order], n)
}

class_symbols <- function(n) {
  rep_len(c(16L, 17L, 15L, 18L, 1L, 2L, 0L, 5L, 4L, 8L), n)
}

# What plot() takes for other objects, except for what a plot of ours sets.
graphics_names <- function(set) {
  setdiff(c(names(formals(graphics::plot.default)), names(graphics::par())), c("x", "y", set))
}

# What plots with names beside their lines set.
set_by_spans <- c("ylab", "yaxt", "ylim", "xaxs")
