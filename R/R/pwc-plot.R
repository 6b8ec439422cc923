#' Plot a pairwise classifier
#'
#' `plot(fit)` shows the learner of each pair and its cross-validated score; with one learner, the
#' number of rows of each pair. `plot(fit, y ~ x)` shows the regions of the classes in the plane of
#' two variables, like `plot()` in \pkg{e1071}, together with the rows of the fit.
#'
#' @param x,object A fit by [pwc()].
#' @param formula The two variables of the plane, as in `Petal.Width ~ Petal.Length`.
#' @param slice Named list of values for the other variables. The default is the median or, for
#'   factors, the most frequent level.
#' @param grid Number of points in each direction at which the class is predicted.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A data frame with a row for each pair, or for each point of the grid, invisibly.
#'   `autoplot()` returns a \pkg{ggplot2} plot.
#' @examplesIf pwcstats_available()
#' fit <- pwc(Species ~ Petal.Length + Petal.Width, iris, learners = c("lda", "nb", "tree"))
#' plot(fit)
#' plot(fit, Petal.Width ~ Petal.Length)
#' @export
plot.pwcstats_pwc <- function(x, formula = NULL, slice = list(), grid = 100, ...) {
  refuse_unknown(...)
  call <- sys.call()
  if (is.null(formula)) {
    shown <- pair_tiles(x)
    draw_tiles(shown, x)
  } else {
    check_count(grid, "grid", call, least = 2)
    plane <- read_plane(x, formula, call)
    shown <- region_points(x, plane, slice, grid, call)
    draw_regions(shown, x, plane)
  }
  invisible(shown)
}

#' @rdname plot.pwcstats_pwc
#' @exportS3Method ggplot2::autoplot
autoplot.pwcstats_pwc <- function(object, formula = NULL, slice = list(), grid = 100, ...) { # nolint
  refuse_unknown(...)
  call <- sys.call()
  if (is.null(formula)) {
    return(tiles_of_ggplot(pair_tiles(object), object))
  }
  check_count(grid, "grid", call, least = 2)
  plane <- read_plane(object, formula, call)
  regions_of_ggplot(region_points(object, plane, slice, grid, call), object, plane)
}

# One tile for each pair, with its position, learner and label.
pair_tiles <- function(x) {
  pairs <- x$pairs
  labels <- as.character(x$classes)
  column <- match(paste0("cv_score_", pairs$learner), names(pairs))
  score <- pairs[cbind(seq_len(nrow(pairs)), column)]
  data.frame(
    class_i = factor(pairs$class_i, levels = labels),
    class_j = factor(pairs$class_j, levels = labels),
    # If all learners failed on a pair, its learner is not among x$learners.
    learner = factor(pairs$learner, levels = union(x$learners, pairs$learner)),
    word = if (length(x$learners) > 1L) {
      ifelse(is.na(score), "", sprintf("%.3f", as.numeric(score)))
    } else {
      format(pairs$n)
    }
  )
}

describe_tiles <- function(x) {
  if (length(x$learners) > 1L) "Learner of each pair, and its score" else "Rows of each pair"
}

draw_tiles <- function(shown, x) {
  labels <- levels(shown$class_i)
  colors <- grDevices::adjustcolor(class_colors(nlevels(shown$learner)), 0.5)
  page <- new_lines(labels)
  on.exit(graphics::par(page$old))
  k <- length(labels)
  i <- k + 1 - as.integer(shown$class_i)
  j <- as.integer(shown$class_j)
  graphics::plot(
    NULL,
    xlim = c(1.5, k + 0.5), ylim = c(1.5, k + 0.5), xaxs = "i", yaxs = "i", xaxt = "n", yaxt = "n",
    xlab = "", ylab = "", bty = "n", main = describe_tiles(x)
  )
  graphics::rect(
    j - 0.5, i - 0.5, j + 0.5, i + 0.5,
    col = colors[as.integer(shown$learner)], border = "white"
  )
  graphics::text(j, i, shown$word, cex = fitting_size(shown$word, 0.9))
  name_lines(labels[-k], rev(seq_len(k))[-k], page$size)
  wide <- max(graphics::strwidth(labels, "inches", cex = page$size))
  room <- graphics::par("pin")[[1L]] / (k - 1)
  graphics::axis(
    1L, seq_len(k)[-1L], labels[-1L],
    tick = FALSE, las = if (wide > room) 2L else 1L, cex.axis = page$size, gap.axis = 0
  )
  if (nlevels(shown$learner) > 1L) {
    # The lower left half is empty.
    graphics::legend("bottomleft", levels(shown$learner), fill = colors, bty = "n", inset = 0.02)
  }
}

# The size of text that fits into a share of tiles with width and height 1.
fitting_size <- function(labels, share) {
  min(1, share / max(graphics::strwidth(labels)), share / max(graphics::strheight(labels)))
}

# The two variables, which must be numeric.
read_plane <- function(x, formula, call) {
  if (is.null(x$terms)) {
    abort("regions need a fit with a formula, as in pwc(y ~ ., data).", call)
  }
  variables <- if (inherits(formula, "formula")) all.vars(formula) else character()
  known <- intersect(all.vars(stats::delete.response(x$terms)), names(x$model))
  plain <- function(column) is.numeric(column) && is.null(dim(column))
  numeric <- known[vapply(x$model[known], plain, logical(1L))]
  if (length(variables) != 2L || !all(variables %in% numeric)) {
    abort(
      sprintf(
        "formula must name two numeric variables of the fit, as in a ~ b; there %s.",
        if (length(numeric)) {
          paste("are", quoted(numeric))
        } else {
          "is none without a transformation"
        }
      ),
      call
    )
  }
  list(x = variables[[2L]], y = variables[[1L]])
}

# The class at each point of the grid; other variables are constant.
region_points <- function(x, plane, slice, grid, call) {
  variables <- all.vars(stats::delete.response(x$terms))
  others <- setdiff(variables, unlist(plane))
  check_slice(slice, others, call)
  along <- function(variable) {
    ends <- grDevices::extendrange(x$model[[variable]])
    seq(ends[[1L]], ends[[2L]], length.out = grid)
  }
  points <- expand.grid(along(plane$x), along(plane$y), KEEP.OUT.ATTRS = FALSE)
  names(points) <- c(plane$x, plane$y)
  # predict() looks up constants, and variables that occur only in transformations.
  for (variable in intersect(others, c(names(slice), names(x$model)))) {
    points[[variable]] <- first_of(slice[[variable]], middle(x$model[[variable]]))
  }
  points$.class <- tryCatch(
    predict(x, points),
    # The user has called plot(), not predict().
    pwcstats_error = function(e) {
      lacking <- setdiff(others, names(points))
      hint <- sprintf(" (slice has no '%s')", lacking)
      abort(paste0(conditionMessage(e), first_of(if (length(lacking)) hint[[1L]], "")), call)
    }
  )
  points
}

# Checks that slice has one value for each variable.
check_slice <- function(slice, others, call) {
  named <- !length(slice) || !is.null(names(slice)) && all(nzchar(names(slice)))
  if (!is.list(slice) || !named) {
    abort("slice must be a named list of values, as in list(a = 1).", call)
  }
  odd <- setdiff(names(slice), others)
  if (length(odd)) {
    abort(
      sprintf(
        "slice has '%s', which is not a variable of the fit, or is one of the two that are drawn.",
        odd[[1L]]
      ),
      call
    )
  }
  many <- lengths(slice) != 1L
  if (any(many)) {
    abort(
      sprintf("slice must have one value for '%s', got %d.", names(slice)[many][[1L]],
        lengths(slice)[many][[1L]]
      ),
      call
    )
  }
}

middle <- function(x) {
  if (is.numeric(x)) {
    return(stats::median(x))
  }
  most <- names(which.max(table(x)))
  if (is.factor(x)) {
    factor(most, levels = levels(x))
  } else if (is.logical(x)) {
    most == "TRUE"
  } else {
    most
  }
}

draw_regions <- function(shown, x, plane) {
  labels <- as.character(x$classes)
  colors <- class_colors(length(labels))
  at <- lapply(plane, function(variable) sort(unique(shown[[variable]])))
  # Space for the legend above the plot.
  old <- graphics::par(mar = graphics::par("mar") + c(0, 0, 1, 0))
  on.exit(graphics::par(old))
  graphics::image(
    at$x, at$y, matrix(as.integer(shown$.class), length(at$x)),
    zlim = c(1, length(labels)), col = grDevices::adjustcolor(colors, 0.35),
    xlab = plane$x, ylab = plane$y, useRaster = TRUE
  )
  graphics::mtext(describe_held(shown, plane), 1L, 4L, cex = 0.8 * graphics::par("cex"))
  truth <- match(as.character(x$model[[1L]]), labels)
  symbols <- class_symbols(length(labels))
  graphics::points(
    x$model[[plane$x]], x$model[[plane$y]],
    col = colors[truth], pch = symbols[truth]
  )
  graphics::legend(
    "bottom", labels,
    col = colors, pch = symbols, bty = "n", xpd = NA,
    ncol = min(length(labels), 6L), inset = c(0, 1)
  )
}

# The values of the variables that are not drawn.
describe_held <- function(shown, plane) {
  held <- setdiff(names(shown), c(unlist(plane), ".class"))
  values <- vapply(held, function(name) format(shown[[name]][[1L]], digits = 4L), "")
  if (length(held)) paste("at", paste(held, "=", values, collapse = ", ")) else ""
}

tiles_of_ggplot <- function(shown, x) {
  colors <- class_colors(nlevels(shown$learner))
  names(colors) <- levels(shown$learner)
  shown$class_i <- factor(shown$class_i, levels = rev(levels(shown$class_i)))
  ggplot2::ggplot(
    shown, ggplot2::aes(x = .data$class_j, y = .data$class_i, fill = .data$learner)
  ) +
    ggplot2::geom_tile(colour = "white", alpha = 0.6) +
    ggplot2::geom_text(ggplot2::aes(label = .data$word)) +
    ggplot2::scale_fill_manual(values = colors, limits = levels(shown$learner)) +
    ggplot2::labs(x = NULL, y = NULL, title = describe_tiles(x))
}

regions_of_ggplot <- function(shown, x, plane) {
  labels <- as.character(x$classes)
  colors <- class_colors(length(labels))
  rows <- data.frame(
    x$model[c(plane$x, plane$y)],
    .class = factor(as.character(x$model[[1L]]), levels = labels),
    check.names = FALSE
  )
  # A class without positive weights is not among the labels.
  rows <- rows[!is.na(rows$.class), ]
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[[plane$x]], y = .data[[plane$y]])) +
    ggplot2::geom_raster(ggplot2::aes(fill = .data$.class), shown, alpha = 0.35) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$.class, shape = .data$.class)) +
    ggplot2::scale_fill_manual(values = colors, limits = labels, name = "class") +
    ggplot2::scale_colour_manual(values = colors, limits = labels, name = "class") +
    ggplot2::scale_shape_manual(
      values = class_symbols(length(labels)), limits = labels, name = "class"
    ) +
    ggplot2::labs(x = plane$x, y = plane$y, caption = describe_held(shown, plane))
}
