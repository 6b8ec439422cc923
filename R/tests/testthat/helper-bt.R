# BTm() with a strict tolerance.
exact <- list(epsilon = 1e-14, maxit = 100)

# BTm() warns of fractional wins, which ties give.
peer <- function(...) {
  suppressWarnings(do.call(BradleyTerry2::BTm, c(list(...), exact)))
}

peer_data <- function(name) {
  space <- new.env()
  utils::data(list = name, package = "BradleyTerry2", envir = space)
  space[[name]]
}

fit_baseball <- function(...) {
  bt(cbind(home.wins, away.wins), home.team, away.team, peer_data("baseball"), ...)
}

peer_baseball <- function(...) {
  baseball <- peer_data("baseball")
  peer(
    cbind(baseball$home.wins, baseball$away.wins), baseball$home.team, baseball$away.team, ...
  )
}

small_wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c("a", "b", "c")), 2))

# The same wins, one row for each comparison.
small_games <- function() {
  pairs <- which(small_wins > 0, arr.ind = TRUE)
  pairs <- pairs[rep(seq_len(nrow(pairs)), small_wins[pairs]), ]
  data.frame(winner = rownames(small_wins)[pairs[, 1]], loser = rownames(small_wins)[pairs[, 2]])
}

tied_games <- data.frame(
  first = c("x", "y", "z", "x", "y", "z", "x", "y", "z", "x"),
  second = c("y", "z", "x", "z", "x", "y", "y", "x", "y", "z"),
  result = c(1, 1, 0.5, 0, 1, 0, 1, 0, 1, 0.5)
)
