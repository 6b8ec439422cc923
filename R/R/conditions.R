# Conditions and checks of arguments. Messages are one sentence, and the call is the user's.

pwcstats_condition <- function(message, type, call, ...) {
  structure(
    class = c(paste0("pwcstats_", type), type, "condition"),
    list(message = message, call = call, ...)
  )
}

abort <- function(message, call, ...) {
  stop(pwcstats_condition(message, "error", call, ...))
}

# Signals an R error again, with the user's call and a full stop.
abort_as <- function(e, call) {
  abort(sub("\\.?$", ".", conditionMessage(e)), call)
}

warn <- function(message, call) {
  warning(pwcstats_condition(message, "warning", call))
}

# Interrupts as R does: calls the handlers, then returns to the prompt.
interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  invokeRestart("abort")
}

# Python checks its parameters itself. The checks here are for arguments that only R has, that R
# uses before it calls Python, or that would change in the conversion (NA would become True).

check_flag <- function(x, name, call) {
  if (!isTRUE(x) && !isFALSE(x)) {
    abort(sprintf("%s must be TRUE or FALSE, got %s.", name, show_value(x)), call)
  }
}

# As match.arg(): by default the choices are those of the formal argument, and the first of them is
# the default.
check_choice <- function(x, call, choices = choices_of(name, sys.parent()),
                         name = deparse1(substitute(x))) {
  force(choices)
  if (identical(x, choices)) {
    return(choices[[1L]])
  }
  if (!is.character(x) || length(x) != 1L || !x %in% choices) {
    abort(sprintf("%s must be one of %s, got %s.", name, quoted(choices), show_value(x)), call)
  }
  x
}

# The same for choices that Python checks.
first_choice <- function(x) {
  choices <- choices_of(deparse1(substitute(x)), sys.parent())
  if (identical(x, choices)) choices[[1L]] else x
}

choices_of <- function(name, frame) {
  eval(formals(sys.function(frame))[[name]], sys.frame(frame))
}

check_level <- function(x, name, call) {
  if (!is.numeric(x) || length(x) != 1L || !isTRUE(x > 0 & x < 1)) {
    abort(sprintf("%s must be a number between 0 and 1, got %s.", name, show_value(x)), call)
  }
}

check_count <- function(x, name, call, least = 1) {
  if (!is_one_number(x) || x < least || x != round(x)) {
    what <- sprintf("a whole number of at least %d", as.integer(least))
    abort(sprintf("%s must be %s, got %s.", name, what, show_value(x)), call)
  }
}

check_seed <- function(x, call) {
  if (!is.null(x)) {
    check_count(x, "seed", call, least = 0)
    if (x > .Machine$integer.max) {
      abort(sprintf("seed must be at most %d, got %s.", .Machine$integer.max, show_value(x)), call)
    }
  }
}

check_positive <- function(x, name, call) {
  if (!is_one_number(x) || x <= 0) {
    abort(sprintf("%s must be a number above 0, got %s.", name, show_value(x)), call)
  }
}

is_one_number <- function(x) {
  is.numeric(x) && length(x) == 1L && is.finite(x)
}

# Stops if the calling function was given arguments in `...`, where a misspelt one would be lost.
# `.also` are names that are allowed there, `.hints` say what to use instead of some names.
refuse_unknown <- function(..., .also = NULL, .hints = NULL) {
  if (!...length()) {
    return(invisible())
  }
  # The arguments are not evaluated.
  given <- first_of(names(substitute(list(...)))[-1L], character(...length()))
  # show() passes useS4 to print().
  if (identical(get0(".Generic", parent.frame(), inherits = FALSE), "print")) {
    .also <- c(.also, "useS4")
  }
  # performance passes re.form = NULL to predict() and simulate() of any model: all random effects.
  of_effects <- which(given == "re.form")
  if (length(of_effects) && is.null(...elt(of_effects[[1L]]))) {
    .also <- c(.also, "re.form")
  }
  if (all(given %in% .also)) {
    return(invisible())
  }
  unknown <- setdiff(given, .also)[[1L]]
  caller <- sys.parent()
  call <- sys.call(caller)
  name <- name_of_function(sys.frame(caller), call)
  # The first argument is the object.
  formals <- setdiff(names(formals(sys.function(caller)))[-1L], "...")
  listed <- if (length(formals)) {
    paste("it has", quoted(formals))
  } else {
    "it has no arguments but the first"
  }
  if (!nzchar(unknown)) {
    abort(sprintf("%s has too many arguments; %s.", name, listed), call)
  }
  near <- nearest_name(unknown, c(formals, .also))
  advice <- if (unknown %in% names(.hints)) {
    paste0(.hints[[unknown]], ".")
  } else if (is.null(near)) {
    paste0(listed, ".")
  } else {
    sprintf("did you mean '%s'?", near)
  }
  abort(sprintf("%s has no argument '%s'; %s", name, unknown, advice), call)
}

# The call of the calling function, whose arguments must have their full names: R would take `n` for
# `na.action`, and the user would not notice.
full_call <- function() {
  caller <- sys.parent()
  call <- sys.call(caller)
  formals <- names(formals(sys.function(caller)))
  partial <- setdiff(names(call), c("", formals))
  # After the dots, arguments have full names in R.
  possible <- setdiff(formals, formals[cumsum(formals == "...") > 0L])
  meant <- lapply(partial, function(name) possible[startsWith(possible, name)])
  # Others are in the dots.
  found <- match(1L, lengths(meant))
  if (!is.na(found)) {
    name <- name_of_function(sys.frame(caller), call)
    advice <- sprintf("'%s'; did you mean '%s'?", partial[[found]], meant[[found]])
    abort(paste(name, "has no argument", advice), call)
  }
  call
}

# Methods know their generic, however they were called.
name_of_function <- function(frame, call) {
  name <- get0(".Generic", frame, inherits = FALSE)
  if (is.null(name)) {
    name <- if (is.function(call[[1L]])) "the function" else deparse1(call[[1L]])
  }
  if (grepl(" ", name, fixed = TRUE)) name else paste0(name, "()")
}

# A name that differs by at most two letters, and shares at least one.
nearest_name <- function(name, names) {
  distance <- as.vector(utils::adist(name, names, ignore.case = TRUE))
  if (length(names) && min(distance) <= min(2L, nchar(name) - 1L)) names[[which.min(distance)]]
}

# The level of the calling function, which has the arguments level and conf.level, one the default
# of the other: confint() of other packages uses the first name, t.test() the second.
read_level <- function(call, frame = parent.frame()) {
  both <- !eval(quote(missing(level) || missing(conf.level)), frame)
  if (both && !isTRUE(all.equal(frame$level, frame$conf.level))) {
    abort("level and conf.level are two names of one argument; give only one of them.", call)
  }
  name <- if (eval(quote(missing(level)), frame)) "conf.level" else "level"
  check_level(frame[[name]], name, call)
  frame[[name]]
}

# How messages show things.

quoted <- function(x) {
  paste0("'", x, "'", collapse = ", ")
}

# A bad argument, as messages from Python show it: 'a', NULL, c(1, 2); of objects the type.
show_value <- function(x) {
  if (!is.atomic(x) || is.object(x) || !is.null(dim(x))) {
    return(kind(x))
  }
  if (!length(x)) {
    return(deparse(x))
  }
  some <- utils::head(unname(x), 8L)
  text <- vapply(some, format, "", digits = 15L)
  quotes <- is.character(some) & !is.na(some)
  text[quotes] <- paste0("'", some[quotes], "'")
  if (length(x) == 1L) {
    return(text)
  }
  sprintf("c(%s)", paste(c(text, if (length(x) > 8L) "..."), collapse = ", "))
}

# The first labels, without quotes.
list_some <- function(labels) {
  paste(c(utils::head(labels, 8L), if (length(labels) > 8L) "..."), collapse = ", ")
}

# The type of an object.
kind <- function(x) {
  shape <- if (is.matrix(x)) "matrix" else if (is.array(x)) "array" else class(x)[[1L]]
  if (shape %in% c("matrix", "array")) paste(typeof(x), shape) else shape
}

# The length of a vector, or the dimensions of an array.
extent <- function(x) {
  if (is.null(dim(x))) sprintf("%d", length(x)) else paste(dim(x), collapse = " x ")
}
