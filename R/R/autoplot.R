#' Plots of fits and comparisons with ggplot2
#'
#' Methods for `autoplot()` from \pkg{ggplot2}, which draw the same as [plot()].
#'
#' @param object A fit by [bt()], [firth()], [firth_multinom()], [cratio()], [ordered_logit()],
#'   [adjacent_categories()], [hybrid()] or [ordinal_hybrid()], or a result of [compare_methods()],
#'   [nemenyi()] or [rank_tests()].
#' @param intervals,level,conf.level,ranks,top As in [plot()][plot.pwcstats_bt] of abilities.
#' @param method,intercept As in [plot()][plot.pwcstats_logit] of coefficients.
#' @param which As in [plot()][plot.pwcstats_machines] of distances.
#' @param type `"cd"` for mean ranks with the best on top, and bars that join methods that do not
#'   differ significantly; `"intervals"` for differences of pairs. The default is `"cd"`, or
#'   `"intervals"` if methods are compared with a control.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return An object of class `ggplot`, to which scales, themes and titles can be added.
#' @examplesIf pwcstats_available() && requireNamespace("ggplot2", quietly = TRUE)
#' wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))
#' ggplot2::autoplot(bt(wins))
#' ggplot2::autoplot(firth_multinom(Species ~ Sepal.Length + Sepal.Width, iris))
#' ggplot2::autoplot(hybrid(Species ~ Sepal.Length + Sepal.Width, iris)) + ggplot2::theme_bw()
#'
#' scores <- cbind(
#'   lda = c(0.81, 0.74, 0.92, 0.66),
#'   svm = c(0.84, 0.79, 0.93, 0.70),
#'   nb = c(0.80, 0.70, 0.90, 0.68)
#' )
#' ggplot2::autoplot(compare_methods(scores, test = "nemenyi", rows = "datasets"))
#' @name pwcstats_autoplot
NULL

# The pronoun of ggplot2 for the data of a plot.
utils::globalVariables(".data")

#' @rdname pwcstats_autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.pwcstats_abilities <- function(object, # nolint
                                 intervals = c("comparison", "wald", "quasi"),
                                 level = 0.95,
                                 ranks = FALSE,
                                 top = NULL,
                                 ...,
                                 conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  intervals <- if (!missing(intervals)) check_choice(intervals, call, ability_kinds)
  level <- read_level(call)
  shown <- ability_lines(object, intervals, level, ranks, top, call)
  intervals <- attr(shown, "intervals")
  shown$item <- from_top(rownames(shown))
  picture <- ggplot2::ggplot(shown, ggplot2::aes(.data$ability, .data$item)) +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$conf.low, xmax = .data$conf.high),
      colour = palette_colors[[1L]], na.rm = TRUE
    ) +
    ggplot2::geom_point(size = 2, colour = palette_colors[[1L]]) +
    ggplot2::labs(
      x = describe_abilities(object, shown, intervals, sep = ",\n"), y = NULL,
      caption = paste(c(
        if (intervals == "comparison") describe_overlap(level, sep = "\n"),
        if (ranks) describe_ranks(level),
        describe_top(shown)
      ), collapse = "\n")
    )
  if (!ranks) {
    return(picture)
  }
  # The rank sets are at the right border of the panel.
  shown$ranks <- name_ranks(shown)
  picture +
    ggplot2::geom_text(
      ggplot2::aes(Inf, label = .data$ranks), shown,
      hjust = 1.15, size = 3.5, colour = "gray20"
    ) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(mult = c(0.05, 0.2)))
}

# The first is on top.
from_top <- function(names) {
  factor(names, rev(unique(names)))
}

#' @rdname pwcstats_autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.pwcstats_logit <- function(object, # nolint
                                    level = 0.95,
                                    method = c("wald", "profile"),
                                    intercept = FALSE,
                                    ...,
                                    conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  method <- check_choice(method, call)
  shown <- coefficient_intervals(object, level, method, intercept, call)
  drawn <- data.frame(
    name = from_top(shown$term), estimate = shown$estimate, low = shown$conf.low,
    high = shown$conf.high, filled = TRUE, group = factor(shown$group, unique(shown$group))
  )
  picture <- span_plot(drawn, sign_open) +
    ggplot2::labs(x = describe_coefficients(level, method))
  if (anyNA(shown$group)) {
    return(picture)
  }
  picture + ggplot2::facet_grid(rows = ggplot2::vars(.data$group), scales = "free_y")
}

# Estimates with their intervals; the dots are hollow unless `filled`. Infinite ends are at the
# border, and estimates that are not finite are shown as text.
span_plot <- function(shown, absent, color = palette_colors[[1L]]) {
  known <- shown[is.finite(shown$estimate), ]
  others <- shown[!is.finite(shown$estimate), ]
  others$label <- describe_nonfinite(others$estimate, absent)
  ggplot2::ggplot(shown, ggplot2::aes(y = .data$name)) +
    ggplot2::geom_vline(xintercept = 0, colour = "gray60") +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$low, xmax = .data$high),
      colour = color, na.rm = TRUE
    ) +
    ggplot2::geom_point(
      ggplot2::aes(.data$estimate, shape = .data$filled), known,
      fill = "white", size = 2, colour = rep_len(color, nrow(shown))[is.finite(shown$estimate)]
    ) +
    ggplot2::geom_text(
      ggplot2::aes(0, label = .data$label), others,
      vjust = -0.6, size = 3, colour = "gray30"
    ) +
    ggplot2::scale_shape_manual(values = c("TRUE" = 19L, "FALSE" = 21L), guide = "none") +
    # Without finite estimates the axis would have no length.
    ggplot2::expand_limits(x = if (nrow(known)) 0 else c(-1, 1)) +
    ggplot2::labs(y = NULL)
}

#' @rdname pwcstats_autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.pwcstats_machines <- function(object, which = NULL, ...) { # nolint
  refuse_unknown(...)
  shown <- distance_rows(object, which, sys.call())
  at <- distance_points(shown)
  classes <- levels(shown$class)
  strips <- ncol(shown) == 2L
  shown$x <- at$x
  shown$y <- at$y
  label <- function(column) describe_distance(object, names(shown)[[column]], sep = "\n")
  picture <- ggplot2::ggplot(shown, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_vline(xintercept = 0, linetype = 2L, colour = "gray45") +
    ggplot2::geom_point(
      ggplot2::aes(colour = .data$class, shape = .data$class),
      show.legend = !strips
    ) +
    # Unused classes keep their colours and symbols.
    ggplot2::scale_colour_manual(NULL, values = class_colors(length(classes)), drop = FALSE) +
    ggplot2::scale_shape_manual(NULL, values = class_symbols(length(classes)), drop = FALSE) +
    ggplot2::labs(x = label(2L))
  if (strips) {
    return(picture + ggplot2::scale_y_continuous(
      NULL,
      breaks = seq_along(classes), minor_breaks = NULL, labels = classes
    ))
  }
  picture +
    ggplot2::geom_hline(yintercept = 0, linetype = 2L, colour = "gray45") +
    ggplot2::labs(y = label(3L))
}

#' @rdname pwcstats_autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.pwcstats_comparison <- function(object, type = c("cd", "intervals"), ...) { # nolint
  refuse_unknown(...)
  type <- diagram_of(object, if (!missing(type)) type, "compare_methods()", sys.call())
  if (type == "cd") rank_plot(object) else difference_plot(object)
}

#' @rdname pwcstats_autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.pwcstats_rank_tests <- function(object, type = c("cd", "intervals"), ...) { # nolint
  refuse_unknown(...)
  type <- diagram_of(object, if (!missing(type)) type, "rank_tests()", sys.call())
  object <- as_comparison(object)
  if (type == "cd") rank_plot(object) else difference_plot(object)
}

# Each method has a line, so that bars join only the methods of their group.
rank_plot <- function(x) {
  shown <- rank_lines(x)
  methods <- rownames(shown)
  shown$method <- from_top(methods)
  groups <- bars_of(x, shown$rank, methods)$members
  k <- nrow(shown)
  joined <- data.frame(
    method = shown$method[unlist(groups)],
    bar = k + 0.05 * k * (2 + rep(seq_along(groups), lengths(groups)))
  )
  width <- x$critical_difference
  caption <- c(
    if (length(groups)) "bars join methods that do not differ" else "all methods differ",
    if (is.null(width)) describe_level(x) else sprintf("(critical difference %.2f)", width)
  )
  ggplot2::ggplot(shown, ggplot2::aes(.data$rank, .data$method)) +
    ggplot2::geom_point(size = 2) +
    ggplot2::geom_line(
      ggplot2::aes(.data$bar, group = .data$bar), joined,
      linewidth = 1.2, orientation = "y", colour = palette_colors[[1L]]
    ) +
    ggplot2::geom_point(
      ggplot2::aes(.data$bar), joined,
      shape = 21L, fill = "white", size = 2, colour = palette_colors[[1L]]
    ) +
    ggplot2::scale_x_continuous(breaks = seq_len(k), minor_breaks = NULL, limits = c(1, NA)) +
    ggplot2::labs(x = "mean rank (1 is best)", y = NULL, caption = paste(caption, collapse = " "))
}

difference_plot <- function(x) {
  lines <- difference_lines(x)
  shown <- lines$shown
  drawn <- data.frame(
    name = from_top(rownames(shown)), estimate = shown$estimate, low = shown$conf_low,
    high = shown$conf_high, filled = shown$significant
  )
  span_plot(drawn, "no test", difference_colors(drawn$filled)) +
    ggplot2::labs(
      x = paste(c(describe_intervals(x), lines$against), collapse = "\n"),
      caption = sprintf("filled: significant %s", describe_level(x))
    )
}
