# Data of bt() with one or several comparisons in each row: outcome, player1 and player2, which are
# evaluated as in glm() and BTm().

# Arguments that have a value for each row.
row_values <- c("outcome", "player1", "player2", "home", "cluster", "weights")

rows_input <- function(asked, environment, order_effect, structure, call) {
  if (is.null(asked$player1) || is.null(asked$player2)) {
    abort("player1 and player2 must be given together.", call)
  }
  if (!is.null(asked$tied)) {
    abort("tied needs a matrix of wins; give ties as a third column of outcome.", call)
  }
  if (!is.null(asked[["n"]])) {
    abort("n needs a matrix of proportions; give numbers of wins in two columns of outcome.", call)
  }
  space <- read_space(asked, environment, call)
  players <- evaluate_players(asked, space, environment, structure$id, call)
  levels <- item_levels(players$player1[[structure$id]], players$player2[[structure$id]])
  design <- read_design(structure, setdiff(names(players$player1), structure$id), FALSE, call)
  contest <- if (length(design$contest)) {
    present <- levels[levels %in% unlist(lapply(players, function(x) x[[structure$id]]))]
    values <- item_variables(
      design, present, levels, structure$item_data, space, structure$separate, call
    )
    contest_columns(design, players, values, space, order_effect, call)
  }
  frame <- evaluate_rows(asked, environment, space, players, structure$id, contest, call)
  input <- read_rows(frame, levels, order_effect, call)
  x <- frame[["(contest)"]]
  x <- if (!is.null(x)) {
    structure(x[input$used, , drop = FALSE], dimnames = list(NULL, colnames(contest)))
  }
  further <- list(
    design = design, contest = x, coding = attr(contest, "coding"), levels = levels, space = space
  )
  c(input, further)
}

# The comparisons of the rows of a model frame.
read_rows <- function(frame, levels, order_effect, call) {
  counts <- read_outcome(frame[["(outcome)"]], levels, call)
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
  players <- number_items(frame[["(player1)"]][used], frame[["(player2)"]][used], levels)
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
    na_action = attr(frame, "na.action"),
    used = used
  )
  cluster <- frame[["(cluster)"]][used]
  cluster <- if (!is.null(cluster)) match(cluster, unique(cluster))
  weighted <- !is.null(frame[["(weights)"]])
  make_lines <- if (weighted) weighted_lines else counted_lines
  lines <- make_lines(codes, sorted, home == 0)
  # 1 if the line has the sides of the row, -1 if they have changed places.
  side <- lines$side * ifelse(turned, -1, 1)[lines$row]
  c(input, replace(lines, "side", list(side)), list(
    rows = rows[lines$row], cluster = cluster[lines$row]
  ))
}

# One line for each row, with numbers of comparisons.
counted_lines <- function(codes, counts, neutral) {
  list(
    form = "counts", row = seq_len(nrow(codes)), first = codes[, 1L], second = codes[, 2L],
    counts = counts, neutral = neutral, side = 1
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
    weight = counts[cbind(row, line[, 1L])],
    side = ifelse(lost, -1, 1)
  )
}

# The variables of data. As in BTm(), it may be a list of data frames, whose columns are found
# without the names of the data frames, except for the data frames player1 and player2.
read_space <- function(asked, environment, call) {
  data <- tryCatch(eval(asked$data, environment), error = function(e) abort_as(e, call))
  if (is.null(data) || is.data.frame(data) || is.environment(data)) {
    return(data)
  }
  if (!is.list(data) || is.object(data)) {
    abort(
      sprintf("data must be a data frame or a list of data frames, not %s.", kind(data)), call
    )
  }
  flatten_data(data, asked)
}

flatten_data <- function(data, asked) {
  players <- vapply(as.list(asked[c("player1", "player2")]), label_of, "")
  whole <- first_of(names(data), "") %in% players | !vapply(data, is.data.frame, logical(1L))
  c(data[whole], unlist(unname(lapply(data[!whole], as.list)), recursive = FALSE))
}

# Two data frames with the item of each row in the column `id`, and variables of each side.
evaluate_players <- function(asked, space, environment, id, call) {
  evaluate <- function(name) {
    x <- tryCatch(eval(asked[[name]], space, environment), error = function(e) abort_as(e, call))
    if (is.null(x)) {
      abort(sprintf("%s must have a label for each row, but is NULL.", name), call)
    }
    if (is.character(x) && length(x) == 1L && x %in% names(space)) {
      abort(
        sprintf(
          "%s must be the column of data, not its name; write %s = %s, without quotes.", name, name,
          label_of(as.name(x))
        ),
        call
      )
    }
    as_player(x, name, id, call)
  }
  players <- lapply(stats::setNames(nm = c("player1", "player2")), evaluate)
  names <- lapply(players, names)
  lacking <- union(setdiff(names[[1L]], names[[2L]]), setdiff(names[[2L]], names[[1L]]))
  if (length(lacking)) {
    abort(
      sprintf(
        "player1 and player2 must have the same columns, but only one of them has '%s'.",
        lacking[[1L]]
      ),
      call
    )
  }
  players
}

as_player <- function(x, name, id, call) {
  if (!is.data.frame(x)) {
    return(stats::setNames(data.frame(x), id))
  }
  if (length(x) == 1L) {
    names(x) <- id
  }
  if (!id %in% names(x)) {
    abort(
      sprintf(
        "%s must have a column '%s' with the item of each row; give the name of another as id.",
        name, id
      ),
      call
    )
  }
  as.data.frame(x)
}

# The model frame of the rows, as in glm(), with covariates of the contests.
evaluate_rows <- function(asked, environment, space, players, id, contest, call) {
  evaluate <- function(name) {
    tryCatch(eval(asked[[name]], space, environment), error = function(e) abort_as(e, call))
  }
  asked$outcome <- first_of(asked$outcome, 1)
  others <- setdiff(row_values, names(players))
  values <- c(
    lapply(stats::setNames(nm = others), evaluate), lapply(players, function(x) x[[id]]),
    list(contest = contest)
  )
  values <- Filter(Negate(is.null), values)
  # A single value, as in BTm(1, winner, loser).
  if (length(values$outcome) == 1L && !is.na(values$outcome)) {
    values$outcome <- rep_len(values$outcome, length(values$player1))
  }
  options <- list(subset = evaluate("subset"))
  if (!is.null(asked$na.action)) {
    options$na.action <- evaluate("na.action")
  }
  frame <- tryCatch(
    do.call(stats::model.frame, c(
      list(stats::terms(~1), values), options, lapply(stats::setNames(nm = names(values)), as.name)
    )),
    error = function(e) abort_as(e, call)
  )
  # Rows have been numbered.
  if (is.data.frame(space) && nrow(space) == length(values$player1)) {
    attr(frame, "row.names") <- attr(space, "row.names")[as.integer(rownames(frame))] # nolint
  }
  frame
}

# Advice about a column `x` that says who won: by the name of the item, or by a word.
winner_hint <- function(x, items) {
  if (any(as.character(x) %in% items)) {
    return(paste(
      "for a column of winners use winner == player1, or, since a tie is 0.5,",
      "ifelse(winner == \"draw\", 0.5, winner == player1)"
    ))
  }
  paste(
    "recode words to 1 if player1 won, 0 if player2 won and 0.5 for a tie, for example with",
    "c(first = 1, second = 0, tie = 0.5)[as.character(winner)]"
  )
}

# A matrix of wins of player1, wins of player2 and ties; `items` are the labels of the players.
read_outcome <- function(x, items, call) {
  if (is.matrix(x)) {
    return(read_counts(x, call))
  }
  if (is.factor(x)) {
    if (nlevels(x) != 2L) {
      abort(
        sprintf(
          "outcome must have two levels, the second of which means that player1 won, got %d; %s.",
          nlevels(x), winner_hint(x, items)
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
        kind(x), winner_hint(x, items)
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

# Levels keep their order, and other labels are sorted.
item_levels <- function(player1, player2) {
  known <- union(levels(player1), levels(player2))
  others <- list(player1, player2)[!c(is.factor(player1), is.factor(player2))]
  union(known, as.character(sort(unique(do.call(c, others)))))
}

# Unused levels are dropped.
number_items <- function(player1, player2, levels) {
  codes <- function(items) {
    cbind(match(as.character(player1), items), match(as.character(player2), items))
  }
  items <- levels[sort(unique(as.vector(codes(levels))))]
  list(items = items, codes = codes(items))
}
