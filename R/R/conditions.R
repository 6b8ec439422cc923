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

# Refuses what the calling function was given in `...`, where a misspelt argument would vanish.
# `.also` are names that it takes there, `.hints` say what to do instead, by name.
refuse_unknown <- function(..., .also = NULL, .hints = NULL) {
  if (!...length()) {
    return(invisible())
  }
  # Nothing is evaluated.
  given <- first_of(names(substitute(list(...)))[-1L], character(...length()))
  if (all(given %in% .also)) {
    return(invisible())
  }
  unknown <- setdiff(given, .also)[[1L]]
  caller <- sys.parent()
  call <- sys.call(caller)
  name <- name_of_function(sys.frame(caller), call)
  # The first argument is the object.
  takes <- setdiff(names(formals(sys.function(caller)))[-1L], "...")
  if (!nzchar(unknown)) {
    abort(sprintf("%s has too many arguments; %s.", name, list_takes(takes)), call)
  }
  near <- nearest_name(unknown, c(takes, .also))
  what <- if (unknown %in% names(.hints)) {
    paste0(.hints[[unknown]], ".")
  } else if (is.null(near)) {
    paste0(list_takes(takes), ".")
  } else {
    sprintf("did you mean '%s'?", near)
  }
  abort(sprintf("%s has no argument '%s'; %s", name, unknown, what), call)
}

# Methods know their generic, whatever stands in the call.
name_of_function <- function(frame, call) {
  name <- get0(".Generic", frame, inherits = FALSE)
  if (is.null(name)) {
    name <- if (is.function(call[[1L]])) "the function" else deparse1(call[[1L]])
  }
  if (grepl(" ", name, fixed = TRUE)) name else paste0(name, "()")
}

list_takes <- function(takes) {
  if (length(takes)) {
    paste("it has", paste0("'", takes, "'", collapse = ", "))
  } else {
    "it has no arguments but the first"
  }
}

# At most two letters away, and not all letters.
nearest_name <- function(name, names) {
  distance <- as.vector(utils::adist(name, names, ignore.case = TRUE))
  if (length(names) && min(distance) <= min(2L, nchar(name) - 1L)) names[[which.min(distance)]]
}

# The level of the calling function, which has the arguments level and conf.level, one of them the
# default of the other: confint() of other packages has the first name, t.test() the second.
read_level <- function(call, frame = parent.frame()) {
  both <- !eval(quote(missing(level) || missing(conf.level)), frame)
  if (both && !isTRUE(all.equal(frame$level, frame$conf.level))) {
    abort("level and conf.level are two names of one argument; give only one of them.", call)
  }
  name <- if (eval(quote(missing(level)), frame)) "conf.level" else "level"
  check_level(frame[[name]], name, call)
  frame[[name]]
}
