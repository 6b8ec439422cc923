#' Plot the coefficients of a logistic fit
#'
#' Draws a dot and a confidence interval for each coefficient, in the order of the formula, grouped
#' by the classes of [firth_multinom()] or the stages of [cratio()]. Arrows mark infinite ends of
#' intervals. Estimates that are not finite, which models of ordered classes give, are shown
#' as text instead of a dot.
#'
#' @param x A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param level,conf.level Confidence level, by either name.
#' @param method `"wald"` for intervals from the normal approximation, `"profile"` for profile
#'   likelihood intervals.
#' @param intercept Draw the intercepts too?
#' @param xlab,xlim,... As in [graphics::plot.default()].
#' @return A data frame with a row for each coefficient in the order of the plot, invisibly:
#'   `group`, the class or stage (`NA` if there is none), `term`, `estimate`, `conf.low` and
#'   `conf.high`.
#' @seealso [confint()][pwcstats_logit], [autoplot()][pwcstats_autoplot] for \pkg{ggplot2}.
#' @examplesIf pwcstats_available()
#' plot(firth(am ~ wt + hp + factor(gear), mtcars), method = "profile")
#' plot(firth_multinom(Species ~ Sepal.Length + Sepal.Width, iris))
#' @export
plot.pwcstats_logit <- function(x,
                                level = 0.95,
                                method = c("wald", "profile"),
                                intercept = FALSE,
                                xlab = NULL,
                                xlim = NULL,
                                ...,
                                conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(..., .also = graphics_names(set_by_spans))
  level <- read_level(call)
  method <- check_choice(method, call)
  shown <- coefficient_intervals(x, level, method, intercept, call)
  xlab <- first_of(xlab, describe_coefficients(level, method))
  draw_coefficients(shown, xlab, xlim, ...)
  invisible(shown)
}

# The coefficients to draw, in their order.
coefficient_intervals <- function(x, level, method, intercept, call) {
  check_flag(intercept, "intercept", call)
  groups <- groups_of_coefficients(x)
  bounds <- confint.pwcstats_logit(x, level = level, method = method)
  table <- data.frame(
    group = groups$group,
    term = groups$term,
    estimate = unname(flat_coefficients(x)),
    conf.low = unname(bounds[, 1L]),
    conf.high = unname(bounds[, 2L]),
    row.names = names(x$se)
  )
  drawn <- (intercept | !groups$constant) & !groups$term %in% x$aliased
  if (!any(drawn)) {
    abort("the fit has only intercepts; draw them with intercept = TRUE.", call)
  }
  table <- table[drawn, ]
  # The coefficients of stages are ordered by term.
  table[order(match(table$group, unique(table$group))), ]
}

# Group and term of each coefficient, and whether it is an intercept.
groups_of_coefficients <- function(x) {
  columns <- colnames(model.matrix.pwcstats_logit(x))
  if (inherits(x, "pwcstats_firth_multinom")) {
    classes <- rownames(x$coefficients)
    term <- rep(columns, length(classes))
    group <- rep(classes, each = length(columns))
  } else if (!is.null(x$stages) && !x$parallel) {
    term <- rep(columns, each = length(x$stages))
    group <- rep(x$stages, length(columns))
  } else {
    term <- names(x$coefficients)
    group <- rep(NA_character_, length(term))
  }
  # With parallel stages only the intercepts have a stage.
  constant <- grepl("^\\(Intercept\\)(:|$)", term) | term %in% names(x$zeta)
  list(group = group, term = term, constant = constant)
}

describe_coefficients <- function(level, method) {
  kind <- c(wald = "Wald", profile = "profile")[[method]]
  sprintf("Coefficient (log odds), %g %% %s intervals", 100 * level, kind)
}

draw_coefficients <- function(shown, xlab, xlim, ...) {
  lines <- lines_of_coefficients(shown)
  labels <- lines$label
  # From the top down.
  height <- rev(seq_along(labels))
  known <- unlist(shown[c("estimate", "conf.low", "conf.high")])
  known <- c(0, known[is.finite(known)])
  # A range needs more than 0.
  range <- if (any(known != 0)) grDevices::extendrange(known, f = 0.06) else c(-1, 1)
  # Headings are bold.
  page <- new_lines(labels, font = if (any(lines$heading)) 2L else 1L)
  on.exit(graphics::par(page$old))
  graphics::plot(
    NULL,
    xlim = first_of(xlim, range), ylim = c(0.5, length(labels) + 0.5), xaxs = "i", yaxt = "n",
    xlab = xlab, ylab = "", ...
  )
  graphics::abline(v = 0, col = "gray60")
  groups <- unique(shown$group)
  color <- class_colors(length(groups))[match(shown$group, groups)]
  if (length(groups) == 1L) {
    color <- rep(palette_colors[[1L]], nrow(shown))
  }
  draw_spans(
    shown$estimate, shown$conf.low, shown$conf.high, height[!lines$heading], page$size,
    color = color, fill = color, absent = sign_open
  )
  name_lines(labels, height, page$size, font = ifelse(lines$heading, 2L, 1L))
}

# NaN is an infinite estimate whose sign is not determined.
sign_open <- "estimate infinite, sign not determined"

# Labels of the lines, with a heading for each group.
lines_of_coefficients <- function(shown) {
  if (all(is.na(shown$group))) {
    return(list(label = shown$term, heading = rep(FALSE, nrow(shown))))
  }
  parts <- split(shown$term, factor(shown$group, unique(shown$group)))
  list(
    label = unlist(Map(c, names(parts), parts), use.names = FALSE),
    heading = unlist(lapply(parts, function(part) c(TRUE, rep(FALSE, length(part)))))
  )
}
