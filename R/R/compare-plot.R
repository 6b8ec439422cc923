#' Plot a comparison of methods
#'
#' `type = "cd"` is the diagram of Demšar (2006). It shows mean ranks on a line, the best on the
#' left, and bars that join methods that do not differ significantly. Dots on a bar mark the methods
#' that it joins. If the test does not use ranks, a bar may pass a method that does differ; this
#' method has no dot. If a bar joins only some of the methods with about the same rank, methods also
#' have letters; methods that share a letter do not differ. If the test has a critical difference,
#' it is shown as a line of this length.
#'
#' `type = "intervals"` shows the estimated difference of each pair of methods with its interval.
#' The dot is filled if the difference is significant. With more than 15 pairs, only those with the
#' first method are drawn. Arrows mark infinite ends of intervals.
#'
#' @param x A result of [compare_methods()], [nemenyi()] or [rank_tests()].
#' @param type `"cd"` or `"intervals"`. The default is `"cd"`, or `"intervals"` if methods are
#'   compared with a control, because `"cd"` needs all pairs.
#' @param ... For `"intervals"` passed to [graphics::plot.default()], such as `xlim` or `main`; for
#'   `"cd"` it must be empty.
#' @return A data frame with what was drawn, invisibly: for `"cd"` a row for each method, with
#'   `rank` and `letters`; for `"intervals"` a row for each pair, with `estimate`, `conf_low`,
#'   `conf_high` and `significant`.
#' @references
#' Demšar, J. (2006) Statistical comparisons of classifiers over multiple data sets. *Journal of
#' Machine Learning Research* **7**, 1--30.
#' @examplesIf pwcstats_available()
#' scores <- cbind(
#'   lda = c(0.81, 0.74, 0.92, 0.66),
#'   svm = c(0.84, 0.79, 0.93, 0.70),
#'   nb = c(0.80, 0.70, 0.90, 0.68)
#' )
#' found <- compare_methods(scores, test = "nemenyi", rows = "datasets")
#' plot(found)
#' plot(found, type = "intervals")
#' plot(rank_tests(scores, control = "svm"))
#' @export
plot.pwcstats_comparison <- function(x, type = c("cd", "intervals"), ...) {
  call <- sys.call()
  type <- diagram_of(x, if (!missing(type)) type, "compare_methods()", call)
  refuse_unknown(..., .also = if (type == "intervals") graphics_names(set_by_spans))
  invisible(if (type == "cd") draw_ranks(x) else draw_differences(x, ...))
}

#' @rdname plot.pwcstats_comparison
#' @export
plot.pwcstats_rank_tests <- function(x, type = c("cd", "intervals"), ...) {
  call <- sys.call()
  type <- diagram_of(x, if (!missing(type)) type, "rank_tests()", call)
  refuse_unknown(..., .also = if (type == "intervals") graphics_names(set_by_spans))
  x <- as_comparison(x)
  invisible(if (type == "cd") draw_ranks(x) else draw_differences(x, ...))
}

# Rank tests with the elements of a comparison.
as_comparison <- function(x) {
  methods <- names(sort(x$ranks))
  x$table <- data.frame(
    rank = unname(x$ranks[methods]),
    letters = if (is.null(x$letters)) "" else x$letters[methods],
    row.names = methods
  )
  x$pairs$significant <- x$pairs$p_adjusted <= alpha_of(x$conf.level)
  x$adjust <- first_of(x$adjust, "none")
  x
}

# The type of diagram, by default of ranks, unless there is a control.
diagram_of <- function(x, type, caller, call) {
  if (is.null(type)) {
    return(if (is.null(x$control)) "cd" else "intervals")
  }
  type <- check_choice(type, call, c("cd", "intervals"))
  if (type == "cd" && !is.null(x$control)) {
    abort(
      sprintf(
        "a diagram of critical differences needs all pairs, not comparisons with %s; %s %s.",
        x$control, "use type = 'intervals', or leave control out of", caller
      ),
      call
    )
  }
  type
}

# Heights in the diagram, in lines of text below the axis of ranks.
ruler_line <- -2.6
bar_lines <- c(first = 0.65, step = 0.55)

# Mean ranks and letters, the best first.
rank_lines <- function(x) {
  x$table[order(x$table$rank), c("rank", "letters")]
}

draw_ranks <- function(x) {
  table <- rank_lines(x)
  bars <- bars_of(x, table$rank, rownames(table))
  names <- rownames(table)
  if (bars$unclear) {
    names <- sprintf("%s [%s]", names, table$letters)
  }
  # The better half is on the left. On both sides the outermost is on top, so that no lines cross.
  k <- nrow(table)
  left <- seq_len(k) <= (k + 1) %/% 2
  first <- bar_lines[["first"]] + bar_lines[["step"]] * (1 + max(bars$height, -1)) + 0.45
  line <- first + ifelse(left, seq_len(k) - 1, k - seq_len(k))
  rank <- formatC(table$rank, digits = 2L, format = "f")
  labels <- ifelse(left, sprintf("%s  %s", names, rank), sprintf("%s  %s", rank, names))
  note <- describe_bars(x, bars)
  top <- if (is.null(x$critical_difference)) -2.2 else -4.2
  bottom <- max(line) + if (nzchar(note)) 2 else 0.6

  page <- new_ranks(labels, left, bars$end, top, bottom)
  on.exit(graphics::par(page$old))
  draw_rank_axis(k, page$size)
  for (i in seq_len(k)) {
    side <- if (left[[i]]) 1 else bars$end
    at <- table$rank[[i]]
    bend <- list(x = c(at, at, side), y = c(0, line[[i]], line[[i]]))
    graphics::lines(bend, col = "gray45", xpd = NA)
    graphics::text(
      side, line[[i]], labels[[i]],
      pos = if (left[[i]]) 2L else 4L, offset = 0.3, cex = page$size, xpd = NA
    )
  }
  draw_bars(bars, table$rank, page$size)
  draw_ruler(x$critical_difference, page$size)
  if (nzchar(note)) {
    fitting <- (graphics::par("fin")[[1L]] - 0.2) / graphics::strwidth(note, "inches")
    graphics::text(
      graphics::grconvertX(0.5, "nfc", "user"), bottom - 0.6, note,
      cex = min(0.9 * page$size, fitting), col = "gray30", xpd = NA
    )
  }
  table
}

# A page with space for labels on both sides, and their size. If the page is higher than needed, the
# diagram is at its top.
new_ranks <- function(labels, left, end, top, bottom) {
  # Sizes of text are known only after plot.new().
  graphics::plot.new()
  page <- graphics::par("fin")
  csi <- graphics::par("csi")
  line <- min(1.5 * csi, (page[[2L]] - 0.2) / (bottom - top))
  beside <- vapply(split(labels, !left), function(x) max(graphics::strwidth(x, "inches")), 1)
  # Ranks get at least a third of the page.
  size <- min(1, line / (1.3 * csi), 0.67 * (page[[1L]] - 0.6) / sum(beside))
  line <- min(line, 1.7 * csi * size)
  margins <- c(0.1, size * beside[[1L]] + 0.3, 0.1, size * beside[[2L]] + 0.3)
  old <- set_margins(margins)
  graphics::plot.new()
  graphics::plot.window(
    c(1, end), c(top + graphics::par("pin")[[2L]] / line, top),
    xaxs = "i", yaxs = "i"
  )
  list(size = size, old = old["mar"])
}

draw_rank_axis <- function(k, size) {
  graphics::segments(1, 0, k, 0, xpd = NA)
  # As many numbers as fit without overlap.
  step <- max(1, ceiling(1.4 * graphics::strwidth(k, cex = size)))
  at <- seq(1, k, by = step)
  graphics::segments(at, 0, at, -0.25, xpd = NA)
  graphics::text(at, -0.75, at, cex = size, xpd = NA)
  graphics::text((1 + k) / 2, -1.65, "mean rank (1 is best)", cex = size, xpd = NA)
}

# Bars for groups of methods that do not differ, on as few lines as possible.
#
# members    indices of the methods of each bar in the order of their ranks
# from, to   its ends, slightly extended, so that bars of equal ranks are visible
# height     its line
# end        end of the axis; with few data sets the critical difference may be longer than the axis
# unclear    has a method outside of a bar about the same rank as one inside?
bars_of <- function(x, rank, methods) {
  end <- max(length(rank), 1 + first_of(x$critical_difference, 0))
  past <- 0.012 * (end - 1)
  members <- lapply(x$cliques, function(group) sort(match(group, methods)))
  members <- members[lengths(members) > 1L]
  from <- vapply(members, function(m) rank[[m[[1L]]]], 1) - past
  to <- vapply(members, function(m) rank[[m[[length(m)]]]], 1) + past
  hides <- function(m) any(abs(outer(rank[-m], rank[m], "-")) <= past)
  list(
    members = members, from = from, to = to, height = stack_bars(from, to, past), end = end,
    unclear = any(vapply(members, hides, logical(1L)))
  )
}

# The first free line for each bar.
stack_bars <- function(from, to, gap) {
  until <- numeric()
  height <- numeric(length(from))
  for (bar in order(from, to)) {
    line <- c(which(until + gap < from[[bar]]), length(until) + 1L)[[1L]]
    until[[line]] <- to[[bar]]
    height[[bar]] <- line - 1
  }
  height
}

draw_bars <- function(bars, rank, size) {
  for (bar in seq_along(bars$members)) {
    y <- bar_lines[["first"]] + bar_lines[["step"]] * bars$height[[bar]]
    graphics::segments(
      bars$from[[bar]], y, bars$to[[bar]], y,
      lwd = 5 * size, lend = "butt", xpd = NA, col = palette_colors[[1L]]
    )
    at <- rank[bars$members[[bar]]]
    graphics::points(
      at, rep(y, length(at)),
      pch = 21, bg = "white", col = palette_colors[[1L]], cex = 0.8 * size, xpd = NA
    )
  }
}

draw_ruler <- function(length, size) {
  if (!is.null(length)) {
    ends <- c(1, 1 + length)
    graphics::segments(1, ruler_line, 1 + length, ruler_line, lwd = 1.5, xpd = NA)
    graphics::segments(ends, ruler_line - 0.2, ends, ruler_line + 0.2, lwd = 1.5, xpd = NA)
    label <- sprintf("critical difference = %.2f", length)
    graphics::text(1, ruler_line - 0.8, label, adj = c(0, 0.5), cex = size, xpd = NA)
  }
}

# The meaning of the bars, unless the critical difference explains them.
describe_bars <- function(x, bars) {
  level <- if (is.null(x$critical_difference)) describe_level(x) else ""
  if (bars$unclear) {
    trimws(paste("bars and shared letters join methods that do not differ", level))
  } else if (!nzchar(level)) {
    ""
  } else if (length(bars$members)) {
    paste("bars join methods that do not differ", level)
  } else {
    paste("all methods differ", level)
  }
}

# Test, adjustment and level in parentheses.
describe_level <- function(x) {
  parts <- c(gsub("_", " ", x$test), setdiff(x$adjust, "none"), format(alpha_of(x$conf.level)))
  sprintf("(%s)", paste(parts, collapse = ", "))
}

# The pairs to draw; if there are too many, those with the first method.
difference_lines <- function(x) {
  pairs <- x$pairs
  first <- rownames(x$table)[[1L]]
  against <- if (!is.null(x$control)) {
    sprintf("%s (control) minus each of these methods", x$control)
  } else if (nrow(pairs) > most_pairs) {
    # The first method is method_a in all of its pairs.
    pairs <- pairs[pairs$method_a == first, ]
    sprintf(
      "%s (first) minus each of these methods, %d of %d pairs", first, nrow(pairs), nrow(x$pairs)
    )
  }
  names <- if (is.null(against)) paste(pairs$method_a, "-", pairs$method_b) else pairs$method_b
  columns <- c("estimate", "conf_low", "conf_high", "significant")
  list(shown = data.frame(pairs[columns], row.names = names), against = against)
}

draw_differences <- function(x, xlab = NULL, xlim = NULL, ...) {
  lines <- difference_lines(x)
  shown <- lines$shown
  names <- rownames(shown)
  height <- rev(seq_len(nrow(shown)))
  known <- unlist(shown[1:3])
  xlim <- first_of(xlim, grDevices::extendrange(c(0, known[is.finite(known)]), f = 0.06))
  page <- new_lines(names)
  on.exit(graphics::par(page$old))
  graphics::plot(
    NULL,
    xlim = xlim, ylim = c(0.5, nrow(shown) + 0.5), xaxs = "i", yaxt = "n", xlab = "", ylab = "", ...
  )
  graphics::abline(v = 0, col = "gray60")
  draw_spans(
    shown$estimate, shown$conf_low, shown$conf_high, height, page$size,
    color = difference_colors(shown$significant),
    fill = ifelse(shown$significant %in% TRUE, palette_colors[[2L]], "white"),
    absent = "no test"
  )
  name_lines(names, height, page$size)
  write_margin(3L, sprintf("filled: significant %s", describe_level(x)), 0.5)
  below <- first_of(xlab, c(describe_intervals(x), lines$against))
  write_margin(1L, below, 1.6 + 0.85 * seq_along(below))
  shown
}

# On two lines if the name of the estimate is long.
describe_intervals <- function(x) {
  simultaneous <- if (x$is_simultaneous) "simultaneous " else ""
  estimate <- x$estimate_name
  intervals <- sprintf("%s%s %% intervals", simultaneous, format(100 * x$conf.level))
  if (nchar(estimate) > 40L) c(estimate, intervals) else paste0(estimate, ", ", intervals)
}
