#' Reliability diagram of predicted probabilities
#'
#' The predictions are grouped into bins. A point shows the mean prediction of a bin and the
#' observed share; its bar is the Wilson interval of that share. Well-calibrated probabilities are
#' near the diagonal. A flatter line means overconfidence, a steeper one underconfidence.
#'
#' One classifier with three to eight classes has a line for each class against the rest. With two
#' classes, the line is that of the second class. With more classes, and for several classifiers, a
#' line shows the probability of the predicted class against the share of correct predictions.
#' Bins of equal counts that have less than half of the intended rows, because of ties, are joined
#' to the next one.
#'
#' @param x A fit whose `predict(x, newdata, type = "prob")` returns a matrix of probabilities, as
#'   those by [pwc()] and [hybrid()] do; or a matrix of probabilities with the classes as column
#'   names. A named list of fits or matrices compares them; the log loss of each is in the legend.
#' @param newdata Data frame to predict, preferably not that of the fit. Matrices need none.
#' @param y Classes of the rows.
#' @param bins Number of bins.
#' @param strategy `"quantile"` for bins of equal counts, `"uniform"` for bins of equal width.
#' @param level,conf.level Level of the intervals, by either name.
#' @param ... Passed to [graphics::plot.default()], such as `main` or `xlim`.
#' @return A data frame with a row for each point, invisibly: `line`, the name in the legend,
#'   `mean`, `share`, `conf.low`, `conf.high` and `n`, the number of predictions in the bin.
#' @references
#' Wilson, E. B. (1927) Probable inference, the law of succession, and statistical inference.
#' *Journal of the American Statistical Association* **22**, 209--212.
#' \doi{10.1080/01621459.1927.10502953}
#' @examplesIf pwcstats_available()
#' train <- seq(1, nrow(iris), by = 2)
#' fits <- list(
#'   lda = pwc(Species ~ Sepal.Length + Sepal.Width, iris[train, ], learners = "lda"),
#'   tree = pwc(Species ~ Sepal.Length + Sepal.Width, iris[train, ], learners = "tree")
#' )
#' calibration_plot(fits, iris[-train, ], iris$Species[-train], bins = 4)
#' @export
calibration_plot <- function(x,
                             newdata = NULL,
                             y,
                             bins = 10,
                             strategy = c("quantile", "uniform"),
                             level = 0.95,
                             ...,
                             conf.level = level) { # nolint
  call <- full_call()
  refuse_unknown(..., .also = graphics_names(c("xlab", "ylab", "type")))
  check_count(bins, "bins", call, least = 2)
  strategy <- check_choice(strategy, call)
  level <- read_level(call)
  if (missing(y) || !length(y)) {
    abort("calibration_plot() needs the classes of the rows; pass y.", call)
  }
  given <- if (is_several(x)) x else list(x)
  if (is_several(x)) {
    check_classifier_names(x, call)
  }
  load_python(call)
  proba <- lapply(given, read_probabilities, newdata, as.character(y), call)
  check_same_classes(lapply(proba, colnames), call)
  lines <- calibration_lines(proba, as.character(y), call)
  shown <- do.call(rbind, Map(
    bin_line, lines$lines, names(lines$lines),
    MoreArgs = list(bins = bins, strategy = strategy, level = level, call = call)
  ))
  rownames(shown) <- NULL
  draw_calibration(shown, names(lines$lines), lines, level, ...)
  invisible(shown)
}

# A list of classifiers, which is not itself one.
is_several <- function(x) {
  is.list(x) && !is.data.frame(x) && is.null(attr(x, "class"))
}

# The names are in the legend.
check_classifier_names <- function(x, call) {
  if (!length(x)) {
    abort("calibration_plot() needs a classifier or probabilities, got an empty list.", call)
  }
  labels <- first_of(names(x), "")
  if (anyNA(labels) || !all(nzchar(labels)) || anyDuplicated(labels)) {
    abort(
      paste(
        "a list of classifiers needs a different name for each of them,",
        "as in list(lda = fit1, tree = fit2)."
      ),
      call
    )
  }
}

check_same_classes <- function(classes, call) {
  for (other in classes[-1L]) {
    if (!setequal(other, classes[[1L]])) {
      abort(
        sprintf(
          "classifiers must have the same classes, got %s and %s; fit them to the same labels.",
          quoted(classes[[1L]]), quoted(other)
        ),
        call
      )
    }
  }
}

# A matrix of probabilities with the classes as column names.
read_probabilities <- function(x, newdata, y, call) {
  if (!is.matrix(x) && !is.data.frame(x)) {
    if (is.null(newdata)) {
      abort("calibration_plot() needs the rows to predict; pass newdata.", call)
    }
    x <- stats::predict(x, newdata, type = "prob")
  }
  p <- as.matrix(x)
  if (!is.numeric(p) || is.null(colnames(p)) || ncol(p) < 2L) {
    abort("probabilities must be a matrix with a named column for each class.", call)
  }
  if (anyNA(p) || any(p < 0 | p > 1)) {
    abort("probabilities must be numbers between 0 and 1.", call)
  }
  if (nrow(p) != length(y)) {
    abort(sprintf("y must be one class for each of the %d rows, got %d.", nrow(p), length(y)), call)
  }
  unknown <- setdiff(y, colnames(p))
  if (length(unknown)) {
    abort(sprintf("y has %s, for which there are no probabilities.", quoted(unknown)), call)
  }
  p
}

# Predictions and outcomes of each line, and the label of the axis.
calibration_lines <- function(proba, y, call) {
  classes <- colnames(proba[[1L]])
  loss <- vapply(proba, log_loss, 1, y, call)
  if (length(classes) == 2L) {
    lines <- lapply(proba, function(p) list(p = p[, classes[[2L]]], truth = y == classes[[2L]]))
    names(lines) <- classes[[2L]]
    of <- sprintf("predicted probability of %s", classes[[2L]])
  } else if (length(proba) == 1L && length(classes) <= length(palette_colors)) {
    lines <- lapply(classes, function(label) {
      list(p = proba[[1L]][, label], truth = y == label)
    })
    names(lines) <- classes
    of <- "predicted probability"
  } else {
    lines <- lapply(proba, function(p) {
      best <- max.col(p, ties.method = "first")
      list(p = p[cbind(seq_along(best), best)], truth = colnames(p)[best] == y)
    })
    names(lines) <- rep("predicted class", length(lines))
    of <- "predicted probability of the predicted class"
  }
  if (length(proba) > 1L) {
    names(lines) <- sprintf("%s: log loss %.3f", names(proba), loss)
  }
  list(lines = lines, of = of, loss = loss, n = length(y), several = length(proba) > 1L)
}

# Python computes the log loss and the points, so that both languages draw the same.
log_loss <- function(p, y, call) {
  codes <- match(y, colnames(p))
  found <- call_bridge(
    python$bridge$log_loss, list(to_py(unname(p)), to_py(as.array(codes))), list(), call
  )
  from_py(found)
}

# Mean prediction, observed share and its Wilson interval in each bin.
bin_line <- function(line, name, bins, strategy, level, call) {
  args <- list(
    numbers_to_py(line$p), numbers_to_py(line$truth), count_to_py(bins), strategy, 1 - level
  )
  points <- matrix_from_py(call_bridge(python$bridge$calibration_points, args, list(), call))
  data.frame(
    line = name, mean = points[, 1L], share = points[, 2L],
    conf.low = points[, 3L], conf.high = points[, 4L], n = as.integer(points[, 5L])
  )
}

draw_calibration <- function(shown, names, lines, level, xlim = NULL, ylim = NULL, main = NULL,
                             ...) {
  start <- 0
  # Probabilities of predicted classes are often near 1.
  if (grepl("predicted class", lines$of, fixed = TRUE)) {
    start <- floor(9.9 * min(shown$mean, shown$conf.low)) / 10
  }
  of_classes <- sprintf("log loss %.3f on these %d rows", lines$loss[[1L]], lines$n)
  of_several <- sprintf("calibration on these %d rows", lines$n)
  ends <- c(start, 1)
  graphics::plot(
    ends, ends,
    type = "n", xlim = first_of(xlim, ends), ylim = first_of(ylim, ends), xlab = lines$of,
    ylab = sprintf("observed share (%g %% intervals)", 100 * level),
    main = first_of(main, if (lines$several) of_several else of_classes), ...
  )
  graphics::lines(ends, ends, lty = 2L, col = "gray60")
  color <- rep_len(palette_colors, length(names))
  symbol <- class_symbols(length(names))
  for (i in seq_along(names)) {
    part <- shown[shown$line == names[[i]], ]
    graphics::segments(part$mean, part$conf.low, part$mean, part$conf.high, col = color[[i]])
    graphics::lines(part$mean, part$share, col = color[[i]], lwd = 1.5)
    graphics::points(part$mean, part$share, col = color[[i]], pch = symbol[[i]])
  }
  graphics::legend("topleft", names, col = color, pch = symbol, lty = 1L, bty = "n")
}
