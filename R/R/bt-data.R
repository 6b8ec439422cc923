# The data of bt(): a matrix of wins; or of proportions, with one of numbers of comparisons; or one
# or several comparisons in each row. They are read into a list with the entries
#
# items      names of the items in their order
# model      one row for each pair or row of the data: player1, player2, home, wins1, wins2, ties
# form       "matrix", "proportions", "counts" or "weights", each with further entries (see
#            comparisons_to_py)

# Arguments that need player1 and player2.
row_arguments <- c("data", "home", "cluster", "weights", "subset", "na.action")

refuse_row_arguments <- function(asked, call) {
  given <- intersect(row_arguments, names(asked))
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
    abort("bt() takes no formula; write bt(outcome, player1, player2, data).", call)
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

rows_input <- function(asked, environment, order_effect, call) {
  if (is.null(asked$player1) || is.null(asked$player2)) {
    abort("player1 and player2 must be given together.", call)
  }
  if (!is.null(asked$tied)) {
    abort("tied needs a matrix of wins; give ties as a third column of outcome.", call)
  }
  if (!is.null(asked[["n"]])) {
    abort("n needs a matrix of proportions; give numbers of wins in two columns of outcome.", call)
  }
  frame <- evaluate_rows(asked, environment, call)
  for (name in c("player1", "player2")) {
    if (is.null(frame[[sprintf("(%s)", name)]])) {
      abort(sprintf("%s must have a label for each row, but is NULL.", name), call)
    }
  }
  counts <- read_outcome(frame[["(outcome)"]], call)
  weights <- read_row_weights(frame[["(weights)"]], nrow(frame), call)
  home <- read_home(frame[["(home)"]], nrow(frame), call)
  counts <- counts * weights
  used <- which(rowSums(counts) > 0)
  if (!length(used)) {
    abort("there is no comparison in the data: it has no rows, or no wins.", call)
  }
  counts <- counts[used, , drop = FALSE]
  home <- home[used]
  # If player1 won every row, the columns are winners and losers, and do not give an order.
  if (is.null(frame[["(home)"]]) && !order_effect && all(counts[, -1L] == 0)) {
    home[] <- 0
  }
  if (order_effect && !any(home != 0)) {
    abort("order_effect needs rows in which one side goes first, but home is 0 in all.", call)
  }
  players <- number_items(frame[["(player1)"]][used], frame[["(player2)"]][used])
  rows <- attr(frame, "row.names")[used]
  # The home side goes first.
  turned <- home < 0
  codes <- players$codes
  codes[turned, ] <- codes[turned, 2:1, drop = FALSE]
  sorted <- counts
  sorted[turned, 1:2] <- sorted[turned, 2:1]
  input <- list(
    items = players$items,
    model = model_rows(players$items, players$codes, home * order_effect, counts, rows),
    na_action = attr(frame, "na.action")
  )
  cluster <- frame[["(cluster)"]][used]
  cluster <- if (!is.null(cluster)) match(cluster, unique(cluster))
  weighted <- !is.null(frame[["(weights)"]])
  make_lines <- if (weighted) weighted_lines else counted_lines
  lines <- make_lines(codes, sorted, home == 0)
  c(input, lines, list(rows = rows[lines$row], cluster = cluster[lines$row]))
}

# One line for each row, with numbers of comparisons.
counted_lines <- function(codes, counts, neutral) {
  list(
    form = "counts", row = seq_len(nrow(codes)), first = codes[, 1L], second = codes[, 2L],
    counts = counts, neutral = neutral
  )
}

# One line for each outcome of a row: the winner, the loser and the weight.
weighted_lines <- function(codes, counts, neutral) {
  line <- which(t(counts) > 0, arr.ind = TRUE)
  row <- line[, 2L]
  lost <- line[, 1L] == 2L
  first <- codes[row, 1L]
  second <- codes[row, 2L]
  list(
    form = "weights", row = row,
    winner = ifelse(lost, second, first), loser = ifelse(lost, first, second),
    tie = line[, 1L] == 3L,
    # 0 is nobody.
    first = ifelse(neutral[row], 0L, first),
    weight = counts[cbind(row, line[, 1L])]
  )
}

# The variables of the rows, evaluated as in glm().
evaluate_rows <- function(asked, environment, call) {
  arguments <- c("outcome", "player1", "player2", row_arguments)
  ask <- asked[c(1L, match(arguments, names(asked), 0L))]
  ask[[1L]] <- quote(stats::model.frame)
  ask$formula <- ~1
  environment(ask$formula) <- environment
  tryCatch(
    {
      constant <- constant_outcome(asked, environment)
      if (!is.null(constant)) {
        ask$outcome <- NULL
      }
      frame <- eval(ask, environment)
      if (!is.null(constant)) {
        frame[["(outcome)"]] <- rep_len(constant, nrow(frame))
      }
      frame
    },
    error = function(e) abort_as(e, call)
  )
}

# The outcome if it is a single value, as in BTm(1, winner, loser), otherwise NULL.
constant_outcome <- function(asked, environment) {
  data <- eval(asked$data, environment)
  if (!is.null(data) && !is.data.frame(data) && !is.environment(data)) {
    inside <- if (is.list(data)) names(data)[vapply(data, is.data.frame, TRUE)]
    hint <- if (length(inside)) sprintf("; perhaps its element %s", inside[[1L]]) else ""
    stop(sprintf("data must be a data frame, not %s%s", kind(data), hint))
  }
  outcome <- eval(asked$outcome, data, environment)
  if (length(outcome) == 1L && !is.na(outcome)) outcome
}

winner_hint <- paste(
  "for a column of winners use winner == player1, or, since a tie is 0.5,",
  "ifelse(winner == \"draw\", 0.5, winner == player1)"
)

# A matrix of wins of player1, wins of player2 and ties.
read_outcome <- function(x, call) {
  if (is.matrix(x)) {
    return(read_counts(x, call))
  }
  if (is.factor(x)) {
    if (nlevels(x) != 2L) {
      abort(
        sprintf(
          "outcome must have two levels, the second of which means that player1 won, got %d; %s.",
          nlevels(x), winner_hint
        ),
        call
      )
    }
    x <- as.integer(x) - 1L
  }
  if (!is_number_like(x)) {
    abort(
      sprintf(
        "outcome must be numbers, TRUE and FALSE or a factor with two levels, not %s; %s.",
        kind(x), winner_hint
      ),
      call
    )
  }
  x <- as.double(x)
  odd <- !x %in% c(0, 0.5, 1)
  if (any(odd)) {
    abort(
      sprintf(
        "outcome must be 1 if player1 won, 0 if player2 won or 0.5 for a tie, got %s; %s.",
        format(x[odd][[1L]]), "give numbers of wins as cbind(wins1, wins2)"
      ),
      call
    )
  }
  cbind(wins1 = as.double(x == 1), wins2 = as.double(x == 0), ties = as.double(x == 0.5))
}

read_counts <- function(x, call) {
  if (!is_number_like(x) || !ncol(x) %in% 2:3) {
    abort(
      sprintf(
        "outcome must have two columns of numbers, wins of player1 and player2, or %s, got %s.",
        "three, the last of ties", if (is_number_like(x)) ncol(x) else kind(x)
      ),
      call
    )
  }
  check_amounts(x, "outcome", "wins must be", call)
  matrix(
    c(as.double(x), if (ncol(x) == 2L) numeric(nrow(x))),
    nrow(x),
    dimnames = list(NULL, c("wins1", "wins2", "ties"))
  )
}

read_row_weights <- function(x, n, call) {
  if (is.null(x)) {
    return(rep(1, n))
  }
  if (!is_number_like(x)) {
    abort(sprintf("weights must be numbers, not %s.", kind(x)), call)
  }
  check_amounts(x, "weights", "they must be", call)
  as.double(x)
}

check_amounts <- function(x, name, what, call) {
  bad <- !(is.finite(x) & x >= 0)
  if (any(bad)) {
    abort(sprintf("%s has %s: %s finite numbers >= 0.", name, format(x[bad][[1L]]), what), call)
  }
}

# 1 if player1 has the order effect, -1 if player2 has it, 0 if neither has it.
read_home <- function(x, n, call) {
  if (is.null(x)) {
    return(rep(1, n))
  }
  if (!is_number_like(x) || !all(x %in% c(-1, 0, 1, NA))) {
    abort(
      "home must be 1 if player1 has the order effect, -1 if player2 has it, 0 if neither has it.",
      call
    )
  }
  as.double(x)
}

# Levels keep their order, other labels are sorted, and unused levels are dropped.
number_items <- function(player1, player2) {
  known <- union(levels(player1), levels(player2))
  others <- list(player1, player2)[!c(is.factor(player1), is.factor(player2))]
  others <- as.character(sort(unique(do.call(c, others))))
  codes <- function(items) {
    cbind(match(as.character(player1), items), match(as.character(player2), items))
  }
  items <- union(known, others)
  items <- items[sort(unique(as.vector(codes(items))))]
  list(items = items, codes = codes(items))
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
