# The data of bt(): a matrix of wins; or of proportions, with one of numbers of comparisons; or one
# or several comparisons in each row. They are read into a list with the entries
#
# items      names of the items in their order
# model      one row for each pair or row of the data: player1, player2, home, wins1, wins2, ties
# form       "matrix", "proportions", "counts" or "weights", each with further entries (see
#            comparisons_to_py)
# design     the formula, if there is one (see read_formula)
# contest    covariates of the contests in the formula, one row for each row of `model`
# levels     all levels of the items, and
# space      the variables of the data, for covariates of the items in the formula

# Arguments that need player1 and player2.
row_arguments <- c("data", "home", "cluster", "weights", "subset", "na.action")

refuse_row_arguments <- function(asked, call, except = NULL) {
  given <- setdiff(intersect(row_arguments, names(asked)), except)
  given <- given[!vapply(given, function(name) is.null(asked[[name]]), logical(1L))]
  if (length(given)) {
    abort(
      sprintf("%s needs player1 and player2, the items of each row.", given[[1L]]),
      call
    )
  }
}

refuse_formula <- function(outcome, call) {
  if (is.call(outcome) && identical(outcome[[1L]], quote(`~`))) {
    abort(
      "outcome cannot be a formula; write bt(outcome, player1, player2, formula, data).", call
    )
  }
}

wins_input <- function(wins, tied, n, order_effect, call) {
  wins <- square(as_numbers(wins, "outcome", call), "outcome", call)
  if (ncol(wins) < 2L) {
    abort(sprintf("comparisons need at least 2 items, got %d.", ncol(wins)), call)
  }
  if (order_effect) {
    abort(
      "order_effect needs to know who went first; give player1 and player2 instead of a matrix.",
      call
    )
  }
  items <- first_of(colnames(wins), rownames(wins), as.character(seq_len(ncol(wins))))
  wins <- labelled(wins, items)
  tied <- if (!is.null(tied)) beside_wins(tied, "tied", items, call)
  if (is.null(n)) {
    model <- pairs_that_met(wins, tied)
    return(list(form = "matrix", items = items, wins = wins, tied = tied, model = model))
  }
  if (!is.null(tied)) {
    abort("tied needs a matrix of wins, but n says that outcome has proportions.", call)
  }
  n <- beside_wins(n, "n", items, call)
  counts <- n[match(rownames(wins), rownames(n)), match(colnames(wins), colnames(n)), drop = FALSE]
  won <- ifelse(counts == 0, 0, wins * counts)
  list(form = "proportions", items = items, r = wins, n = n, model = pairs_that_met(won, NULL))
}

# A matrix with the items of the matrix of wins.
beside_wins <- function(x, name, items, call) {
  x <- square(as_numbers(x, name, call), name, call)
  if (nrow(x) != length(items)) {
    abort(
      sprintf("%s must have the %d items of outcome, got %d.", name, length(items), nrow(x)),
      call
    )
  }
  labelled(x, items)
}

square <- function(x, name, call) {
  if (length(dim(x)) != 2L || nrow(x) != ncol(x)) {
    abort(
      sprintf(
        "%s must be a K x K matrix, row over column, got %s; %s.",
        name, extent(x), "for one row for each comparison give player1 and player2"
      ),
      call
    )
  }
  if (!is.null(rownames(x)) && !is.null(colnames(x)) && !setequal(rownames(x), colnames(x))) {
    abort(
      sprintf(
        "the rows and columns of %s must be the same items, but only one of them has '%s'.",
        name, union(setdiff(rownames(x), colnames(x)), setdiff(colnames(x), rownames(x)))[[1L]]
      ),
      call
    )
  }
  x
}

labelled <- function(x, items) {
  rownames(x) <- first_of(rownames(x), colnames(x), items)
  colnames(x) <- first_of(colnames(x), rownames(x))
  x
}

# Labels that do not match give wrong rows here, but Python refuses them.
pairs_that_met <- function(wins, tied) {
  items <- colnames(wins)
  wins <- wins[match(items, rownames(wins)), , drop = FALSE]
  ties <- if (!is.null(tied)) tied[match(items, rownames(tied)), match(items, colnames(tied))]
  # By rows: (1, 2), (1, 3), ..., (2, 3), ...
  pairs <- which(lower.tri(wins), arr.ind = TRUE)[, 2:1, drop = FALSE]
  counts <- cbind(
    wins1 = wins[pairs],
    wins2 = wins[pairs[, 2:1, drop = FALSE]],
    ties = if (is.null(ties)) 0 else ties[pairs]
  )
  met <- which(rowSums(counts) > 0)
  model_rows(items, pairs[met, , drop = FALSE], numeric(length(met)), counts[met, , drop = FALSE])
}

model_rows <- function(items, pairs, home, counts, rows = NULL) {
  # Python refuses duplicated items.
  as_items <- function(index) factor(items[index], levels = unique(items))
  data.frame(
    player1 = as_items(pairs[, 1L]),
    player2 = as_items(pairs[, 2L]),
    home = home,
    counts,
    row.names = rows
  )
}

check_cluster <- function(cov_type, input, call) {
  if (identical(cov_type, "cluster") && is.null(input$cluster)) {
    abort("cov_type = 'cluster' needs cluster, the cluster of each row.", call)
  }
  if (!identical(cov_type, "cluster") && !is.null(input$cluster)) {
    abort("cluster needs cov_type = 'cluster'.", call)
  }
}

comparisons_to_py <- function(input, call) {
  model <- python$pwcstats$BradleyTerry
  if (input$form == "matrix") {
    tied <- input$tied
    tied <- if (!is.null(tied)) frame_to_py(tied, rownames(tied), colnames(tied))
    wins <- frame_to_py(input$wins, rownames(input$wins), colnames(input$wins))
    return(call_bridge(model, list(wins, tied), list(), call))
  }
  if (input$form == "proportions") {
    both <- lapply(input[c("r", "n")], function(x) frame_to_py(x, rownames(x), colnames(x)))
    return(call_bridge(model$from_pairwise, unname(both), list(), call))
  }
  columns <- if (input$form == "counts") {
    list(
      first = codes_to_py(input$first, input$items),
      second = codes_to_py(input$second, input$items),
      neutral = to_py(as.array(input$neutral)),
      wins1 = to_py(as.array(input$counts[, 1L])),
      wins2 = to_py(as.array(input$counts[, 2L])),
      ties = to_py(as.array(input$counts[, 3L]))
    )
  } else {
    list(
      winner = codes_to_py(input$winner, input$items),
      loser = codes_to_py(input$loser, input$items),
      tie = to_py(as.array(input$tie)),
      first = codes_to_py(input$first, input$items),
      weight = to_py(as.array(input$weight))
    )
  }
  named <- setdiff(names(columns), c("wins1", "wins2", "ties"))
  names <- stats::setNames(as.list(named), named)
  if (input$form == "counts") {
    names$wins <- c("wins1", "wins2", "ties")
  }
  call_bridge(model$from_comparisons, list(columns_to_py(columns, input$rows)), names, call)
}

# The input for some of its items. Lines of other items have no row.
keep_items <- function(input, items) {
  kept <- input$model$player1 %in% items & input$model$player2 %in% items
  input$items <- items
  input$model <- input$model[kept, , drop = FALSE]
  for (player in c("player1", "player2")) {
    input$model[[player]] <- factor(input$model[[player]], items)
  }
  input$contest <- if (!is.null(input$contest)) input$contest[kept, , drop = FALSE]
  index <- ifelse(kept, cumsum(kept), NA)
  input$row <- index[input$row]
  input
}

# Covariates of the contests, one row for each line; they change sign if the sides do.
contest_to_py <- function(input) {
  if (!is.null(input$contest)) {
    x <- input$contest[input$row, , drop = FALSE] * input$side
    frame_to_py(x, NULL, colnames(input$contest))
  }
}
