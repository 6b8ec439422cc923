# What goes wrong, as R conditions: the words are one sentence, the call is the one the user made.

pwcstats_condition <- function(message, type, call, ...) {
  structure(
    class = c(paste0("pwcstats_", type), type, "condition"),
    list(message = message, call = call, ...)
  )
}

abort <- function(message, call, ...) {
  stop(pwcstats_condition(message, "error", call, ...))
}

# What R itself said, in a sentence of ours.
abort_as <- function(e, call) {
  abort(sub("\\.?$", ".", conditionMessage(e)), call)
}

warn <- function(message, call) {
  warning(pwcstats_condition(message, "warning", call))
}

# As R itself answers an interrupt: offer it to handlers, then go back to the prompt.
interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  invokeRestart("abort")
}

check_flag <- function(x, name, call) {
  if (!isTRUE(x) && !isFALSE(x)) {
    abort(sprintf("%s must be TRUE or FALSE.", name), call)
  }
}

# The first choice by default, as match.arg() does, with a sentence in place of its error.
check_choice <- function(x, choices, name, call) {
  if (identical(x, choices)) {
    return(choices[[1L]])
  }
  if (!is.character(x) || length(x) != 1L || !x %in% choices) {
    listed <- paste0("'", choices, "'", collapse = ", ")
    abort(sprintf("%s must be one of %s.", name, listed), call)
  }
  x
}

check_level <- function(x, name, call) {
  if (!is.numeric(x) || length(x) != 1L || !isTRUE(x > 0 & x < 1)) {
    abort(sprintf("%s must be a number between 0 and 1.", name), call)
  }
}

check_count <- function(x, name, call, least = 1) {
  if (!is_one_number(x) || x < least || x != round(x)) {
    abort(sprintf("%s must be a whole number of at least %d.", name, as.integer(least)), call)
  }
}

check_seed <- function(x, call) {
  if (!is.null(x)) {
    check_count(x, "seed", call, least = 0)
    if (x > .Machine$integer.max) {
      abort(sprintf("seed must be at most %d.", .Machine$integer.max), call)
    }
  }
}

check_positive <- function(x, name, call) {
  if (!is_one_number(x) || x <= 0) {
    abort(sprintf("%s must be a number above 0.", name), call)
  }
}

is_one_number <- function(x) {
  is.numeric(x) && length(x) == 1L && is.finite(x)
}
