#' Plot the distances of a hybrid classifier
#'
#' Draws the rows of the fit by class, in the plane of two distances from decision boundaries.
#' Dashed lines are the boundaries. With one distance, each class has a strip.
#'
#' The distances are those of [`predict(type = "distance")`][predict.pwcstats_machines]. The
#' machines were trained on these rows, which are therefore further from the boundaries than new
#' rows would be.
#'
#' @param x A fit by [hybrid()] or [ordinal_hybrid()].
#' @param which Names or numbers of one or two of the distances that the integrator uses
#'   (`x$selected`); by default the first two.
#' @param xlab,ylab,xlim,ylim,... As in [graphics::plot.default()].
#' @param col,pch Colours and symbols, one for each class.
#' @return A data frame with a row for each row of the fit, invisibly: its `class` and the distances
#'   that are drawn.
#' @seealso [autoplot()][pwcstats_autoplot] for \pkg{ggplot2}.
#' @examplesIf pwcstats_available()
#' flowers <- transform(
#'   iris,
#'   kind = factor(ifelse(Species == "versicolor", "versicolor", "other"))
#' )
#' fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = Species)
#' plot(fit)
#' plot(fit, which = "d_virginica")
#' @export
plot.pwcstats_machines <- function(x,
                                   which = NULL,
                                   xlab = NULL,
                                   ylab = NULL,
                                   xlim = NULL,
                                   ylim = NULL,
                                   col = NULL,
                                   pch = NULL,
                                   ...) {
  refuse_unknown(..., .also = graphics_names("yaxt"))
  shown <- distance_rows(x, which, sys.call())
  classes <- levels(shown$class)
  n <- length(classes)
  strips <- ncol(shown) == 2L
  at <- distance_points(shown)
  color <- rep_len(first_of(col, class_colors(n)), n)
  symbol <- rep_len(first_of(pch, class_symbols(n)), n)
  page <- if (strips) new_lines(classes) else new_key(classes)
  on.exit(graphics::par(page$old))
  graphics::plot(
    at$x, at$y,
    col = color[shown$class], pch = symbol[shown$class],
    xlim = first_of(xlim, range(0, at$x)),
    ylim = first_of(ylim, if (strips) c(0.5, n + 0.5), range(0, at$y)),
    xlab = "", ylab = "", yaxt = if (strips) "n" else "s", ...
  )
  graphics::abline(v = 0, h = if (!strips) 0, lty = 2L, col = "gray45")
  write_axis(1L, first_of(xlab, describe_distance(x, names(shown)[[2L]])))
  if (strips) {
    name_lines(classes, seq_along(classes), page$size)
  } else {
    write_axis(2L, first_of(ylab, describe_distance(x, names(shown)[[3L]])))
    draw_key(classes, color, symbol, page$size)
  }
  invisible(shown)
}

# The label of an axis, at its middle or as near to it as the page allows.
write_axis <- function(side, label) {
  page <- graphics::par("fin")[[side]]
  width <- graphics::strwidth(label, "inches") / page
  size <- min(1, 0.96 / width)
  limits <- graphics::par("usr")[2L * side - 1:0]
  convert <- if (side == 1L) graphics::grconvertX else graphics::grconvertY
  half <- size * width / 2 + 0.02
  middle <- min(max(convert(mean(limits), "user", "nfc"), half), 1 - half)
  graphics::mtext(
    label,
    side = side, line = graphics::par("mgp")[[1L]], at = convert(middle, "nfc", "user"),
    cex = size * graphics::par("cex")
  )
}

# Class of each row, and one or two of its distances.
distance_rows <- function(x, which, call) {
  if (!length(x$selected)) {
    abort("the integrator uses no distances, so there is nothing to draw.", call)
  }
  chosen <- chosen_distances(which, x$selected, call)
  # Only rows of the fit: na.exclude would add others.
  x$na.action <- NULL
  distance <- predict.pwcstats_machines(x, type = "distance")[, chosen, drop = FALSE]
  response <- as.character(one_column(stats::model.response(x$model)))
  data.frame(
    class = factor(response, as.character(x$classes)),
    distance,
    row.names = rownames(x$model), check.names = FALSE
  )
}

chosen_distances <- function(which, used, call) {
  if (is.null(which)) {
    return(utils::head(used, 2L))
  }
  chosen <- if (is.numeric(which)) used[which] else as.character(which)
  if (!length(chosen) %in% 1:2 || anyNA(chosen) || !all(chosen %in% used)) {
    abort(
      sprintf(
        "which must be one or two of the distances that the integrator uses, %s.",
        quoted(used)
      ),
      call
    )
  }
  chosen
}

# Coordinates of the rows. The golden ratio spreads points over a strip without random numbers.
distance_points <- function(shown) {
  if (ncol(shown) == 3L) {
    return(list(x = shown[[2L]], y = shown[[3L]]))
  }
  spread <- (seq_len(nrow(shown)) * 0.618034) %% 1 - 0.5
  list(x = shown[[2L]], y = as.integer(shown$class) + 0.5 * spread)
}

# The distance and the class on its positive side.
describe_distance <- function(x, name, sep = " ") {
  machine <- names(x$norms)[[match(name, x$distances)]]
  side <- if (inherits(x, "pwcstats_ordinal_hybrid")) machine else x$positive
  sprintf("Distance %s%s(above 0: %s)", name, sep, side)
}

# A page with space for labels on the right, and their size.
new_key <- function(names) {
  # Sizes of labels are known only after plot.new().
  graphics::plot.new()
  wide <- max(graphics::strwidth(names, "inches"))
  room <- graphics::par("pin")[[2L]] / length(names)
  # Labels take at most a third of the page.
  fitting <- (graphics::par("fin")[[1L]] / 3 - 0.5) / wide
  size <- min(1, room / (1.2 * graphics::par("csi")), fitting)
  margins <- graphics::par("mai")
  margins[[4L]] <- size * wide + 0.5
  list(size = size, old = set_margins(margins))
}

draw_key <- function(names, color, symbol, size) {
  edge <- graphics::par("usr")[c(2L, 4L)]
  x <- edge[[1L]] + graphics::xinch(c(0.2, 0.32))
  y <- edge[[2L]] - graphics::yinch(1.2 * size * graphics::par("csi")) * (seq_along(names) - 0.5)
  graphics::points(
    rep(x[[1L]], length(names)), y,
    col = color, pch = symbol, cex = size, xpd = NA
  )
  graphics::text(x[[2L]], y, names, adj = c(0, 0.5), cex = size, xpd = NA)
}
