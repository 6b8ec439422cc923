#' Leaderboards
#'
#' Lists the items of a fit, the best first: rank, rank set, number of games, and ability with an
#' interval on a chosen scale.
#'
#' With `by`, the model is also fitted to the comparisons of each category, and the results are
#' listed side by side. If an item won or lost everything in a category, the largest part that can
#' be fitted is used; a note says which items were left out.
#'
#' In R Markdown and Quarto documents, a leaderboard is printed as a table.
#'
#' @param object A fit by [bt()] or [plackett_luce()].
#' @param scale `"logit"` for abilities as the fit reports them; `"elo"` for ratings on Elo's scale,
#'   on which a difference of 400 points means odds of 10 to 1; `"win"` for the probability of
#'   beating an item of average ability, where a tie counts half.
#' @param anchor With `scale = "elo"`, the mean rating, by default 1000; or the rating of one item,
#'   with the item as name, such as `c(Maple = 1200)`.
#' @param by Category of each row: a formula such as `~ language` with a variable of the data of the
#'   fit, or a vector with an entry for each row of the fit.
#' @param level,conf.level Level of the intervals, and of all rank sets together, by either name.
#' @param top Number of items to list, the best ones; by default all.
#' @param x A leaderboard.
#' @param n Number of rows to print.
#' @param format `"text"`, `"markdown"`, `"html"` or `"latex"`.
#' @param category Category to plot, by default all comparisons (`"overall"`).
#' @param xlab,xlim,pch,col As in [graphics::plot.default()].
#' @param row.names,optional Ignored.
#' @param ... For `plot()` as in [graphics::plot.default()]. Otherwise it must be empty; a misspelt
#'   argument is an error.
#' @return `leaderboard()` returns a list of class `pwcstats_leaderboard`, whose element `table` is
#'   a data frame with the columns `rank`, `rank_low` and `rank_high` (the rank set), `item`,
#'   `games`, `ability`, `rating` or `win_probability`, `std.error`, `conf.low` and `conf.high`;
#'   with `by`, the first column is `category`. `as.data.frame()` returns this table, `format()` a
#'   character string, and `plot()` the rows that it draws, invisibly.
#' @seealso [rank_intervals()] for the rank sets.
#' @examplesIf pwcstats_available()
#' result <- c(first = 1, tie = 0.5, second = 0)[as.character(arena$winner)]
#' fit <- bt(result, first, second,
#'   data = arena, ties = "davidson", order_effect = TRUE, cluster = user, ref = NA
#' )
#' board <- leaderboard(fit, "elo")
#' board
#' cat(format(leaderboard(fit, "elo", top = 3), "markdown"))
#' plot(board)
#' @export
leaderboard <- function(object, ...) {
  UseMethod("leaderboard")
}

#' @rdname leaderboard
#' @export
leaderboard.pwcstats_abilities <- function(object,
                                           scale = c("logit", "elo", "win"),
                                           anchor = NULL,
                                           by = NULL,
                                           level = 0.95,
                                           top = NULL,
                                           ...,
                                           conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  options <- list(
    scale = first_choice(scale), anchor = anchor_to_py(anchor),
    by = if (!is.null(by)) by_to_py(object, by, call), alpha = alpha_of(level)
  )
  board <- call_bridge(thaw(object, call)$leaderboard, list(), options, call)
  if (!is.null(top)) {
    check_count(top, "top", call)
    board <- call_bridge(board$head, list(count_to_py(top)), list(), call)
  }
  texts <- from_py(python$bridge$leaderboard_texts(board))
  structure(
    class = "pwcstats_leaderboard",
    list(
      table = board_from_py(board), title = texts$title, lines = as.character(texts$lines),
      notes = as.character(texts$notes), formats = texts[c("markdown", "html", "latex")],
      estimate = from_py(board$estimate_name), about = from_py(board$about), level = level
    )
  )
}

board_from_py <- function(board) {
  frame <- board$frame
  estimate <- from_py(board$estimate_name)
  numbers <- c(
    "rank", "rank_low", "rank_high", "games", estimate, "std_error", "conf_low", "conf_high"
  )
  labels <- c(if (!is.null(from_py(board$by))) "category", "item")
  table <- columns_from_py(frame$astype(floats_to_py(numbers)), labels, numbers)
  # With broom's names.
  names(table) <- sub("^(std|conf)_", "\\1.", names(table))
  whole <- c("rank", "rank_low", "rank_high")
  table[whole] <- lapply(table[whole], as.integer)
  table[c(setdiff(labels, "item"), whole, "item", setdiff(names(table), c(labels, whole)))]
}

# A mean rating, or an item and its rating.
anchor_to_py <- function(anchor) {
  if (is.null(names(anchor))) {
    return(if (!is.null(anchor)) number_to_py(anchor))
  }
  by_name_to_py(as.list(anchor))
}

# The category of each comparison, in the order of Python's rows.
by_to_py <- function(object, by, call) {
  if (!object$is_ranking && inherits(by, "formula")) {
    name <- deparse1(by[[length(by)]])
    by <- variable_of_data(object, by, call)
  } else {
    name <- "category"
  }
  if (object$is_ranking) {
    abort("by needs paired comparisons; fit a model to the rankings of each category.", call)
  }
  n <- nrow(object$model)
  if (length(by) != n) {
    advice <- if (is.character(by) && length(by) == 1L) {
      sprintf("; for a column of the data, write by = ~%s", by)
    } else {
      ""
    }
    abort(
      sprintf("by must have a category for each of the %d rows, got %d%s.", n, length(by), advice),
      call
    )
  }
  row <- first_of(object$line_row, seq_len(n))
  python$pandas$Series(strings_to_py(by[row]), name = name)
}

# A variable of the data of a fit, for the rows that it used.
variable_of_data <- function(object, formula, call) {
  environment <- environment(object$formula)
  data <- tryCatch(
    read_space(object$call, environment, call),
    error = function(e) abort(sprintf("the data of the fit are not there: %s", e$message), call)
  )
  x <- tryCatch(
    eval(formula[[length(formula)]], data, environment(formula)),
    error = function(e) abort_as(e, call)
  )
  rows <- if (is.data.frame(data)) rownames(data) else as.character(seq_along(x))
  x[match(rownames(object$model), rows)]
}

#' @rdname leaderboard
#' @export
print.pwcstats_leaderboard <- function(x, n = 50, ...) {
  refuse_unknown(...)
  items <- length(unique(x$table$item))
  headings <- length(x$lines) - items
  cat(x$title, utils::head(x$lines, headings + n), sep = "\n")
  if (items > n) {
    cat(sprintf("... %d more rows; as.data.frame() has all.\n", items - n))
  }
  cat(paste("note:", x$notes), sep = "\n")
  invisible(x)
}

#' @rdname leaderboard
#' @export
format.pwcstats_leaderboard <- function(x, format = c("text", "markdown", "html", "latex"), ...) {
  refuse_unknown(...)
  format <- check_choice(format, sys.call())
  if (format != "text") {
    return(x$formats[[format]])
  }
  paste(c(x$title, x$lines, paste("note:", x$notes)), collapse = "\n")
}

#' @rdname leaderboard
#' @export
as.data.frame.pwcstats_leaderboard <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  refuse_unknown(...)
  x$table
}

#' @rdname leaderboard
#' @exportS3Method generics::tidy
tidy.pwcstats_leaderboard <- function(x, ...) { # nolint
  refuse_unknown(...)
  names(x$table)[names(x$table) == x$estimate] <- "estimate"
  x$table
}

#' @exportS3Method knitr::knit_print
knit_print.pwcstats_leaderboard <- function(x, ...) { # nolint
  format <- if (knitr::is_latex_output()) "latex" else "markdown"
  knitr::asis_output(paste0("\n\n", x$formats[[format]], "\n\n"))
}

#' @rdname leaderboard
#' @export
plot.pwcstats_leaderboard <- function(x,
                                      top = NULL,
                                      category = "overall",
                                      xlab = NULL,
                                      xlim = NULL,
                                      pch = 19,
                                      col = "#0072B2",
                                      ...) {
  call <- sys.call()
  refuse_unknown(..., .also = graphics_names(c("ylab", "yaxt", "cex", "col")))
  table <- x$table
  if (!is.null(table$category)) {
    check_choice(category, call, unique(table$category))
    table <- table[table$category == category, ]
  }
  if (!is.null(top)) {
    check_count(top, "top", call)
    table <- utils::head(table, top)
  }
  shown <- data.frame(
    ability = table[[x$estimate]], conf.low = table$conf.low, conf.high = table$conf.high,
    rank_low = table$rank_low, rank_high = table$rank_high, games = table$games,
    row.names = table$item
  )
  if (anyNA(shown$rank_low)) {
    shown$rank_low <- shown$rank_high <- NULL
  }
  label <- sprintf("%s, %g %% confidence intervals", x$about, 100 * x$level)
  draw_intervals(shown, first_of(xlab, label), xlim, pch, col, ...)
  invisible(table)
}
