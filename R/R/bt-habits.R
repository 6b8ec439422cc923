# Data whose columns have common names, such as model_a, model_b and winner in files of chat arenas.

# A call without players: bt(data = battles); or bt(battles), if some columns are not numbers, so
# that it cannot be a matrix of wins.
find_columns <- function(asked, outcome, data, call) {
  if (is.null(asked$outcome) && is.data.frame(data)) {
    return(with_usual_columns(asked, data, call))
  }
  is_data <- is.null(asked$data) && is.data.frame(outcome) &&
    !all(vapply(outcome, is_number_like, logical(1L)))
  if (!is_data) {
    return(asked)
  }
  names(asked)[names(asked) == "outcome"] <- "data"
  with_usual_columns(asked, outcome, call)
}

# A call with the arguments outcome, player1 and player2 that the names of the columns imply.
with_usual_columns <- function(asked, data, call) {
  load_python(call)
  found <- from_py(python$bridge$usual_columns(labels_to_py(names(data))))
  if (!length(found)) {
    abort(
      sprintf(
        "the columns %s do not tell which items met and who won; %s.",
        quoted(utils::head(names(data), 8L)), "give outcome, player1 and player2"
      ),
      call
    )
  }
  column <- function(name) as.name(found[[name]])
  implied <- if (!is.null(found$loser)) {
    tie <- found$tie
    list(
      outcome = if (is.null(tie)) 1 else bquote(ifelse(.(as.name(tie)), 0.5, 1)),
      player1 = column("winner"), player2 = column("loser")
    )
  } else {
    list(
      outcome = if (is.null(found$wins)) {
        winner_outcome(data, found, call)
      } else {
        as.call(c(quote(cbind), lapply(unlist(found$wins), as.name)))
      },
      player1 = column("first"), player2 = column("second")
    )
  }
  as.call(c(asked[[1L]], implied, as.list(asked)[-1L]))
}

# An expression for the outcome from a column of winners, which are items or names of columns.
winner_outcome <- function(data, found, call) {
  ties <- unlist(found$tie)
  values <- unique(as.character(data[[found$winner]]))
  ties <- intersect(ties, values)
  winners <- setdiff(values, c(ties, NA))
  winner <- as.name(found$winner)
  sides <- c(found$first, found$second)
  items <- unlist(lapply(data[sides], function(x) unique(as.character(x))))
  won <- if (all(winners %in% sides)) {
    bquote(.(winner) == .(found$first))
  } else if (all(winners %in% items)) {
    bquote(as.character(.(winner)) == as.character(.(as.name(found$first))))
  } else {
    odd <- setdiff(winners, c(sides, items))[[1L]]
    abort(
      sprintf(
        "%s has '%s', which is no item, no column of items and no tie; give outcome.",
        found$winner, odd
      ),
      call
    )
  }
  if (length(ties)) bquote(ifelse(.(winner) %in% .(ties), 0.5, .(won))) else won
}
