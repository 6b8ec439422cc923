# Functions of other packages that have the name of one of ours. Attached after such a package, ours
# is found first: it passes a call on that can only be meant for the other. Attached before it, ours
# is hidden, which a message says.
same_names <- list(
  couple = "kernlab",
  cratio = "VGAM",
  detect_separation = c("detectseparation", "brglm2")
)

# The other function, if it is meant: by a call without our first argument, as in
# vglm(y ~ x, family = cratio()), or with an argument that only the other has. Else NULL.
other_function <- function(name, lacks_first, call) {
  # pwcstats::couple() is ours, whatever is attached.
  if (is.call(call[[1L]])) {
    return(NULL)
  }
  has_it <- function(package) {
    paste0("package:", package) %in% search() && name %in% getNamespaceExports(package)
  }
  package <- Find(has_it, same_names[[name]])
  if (is.null(package)) {
    return(NULL)
  }
  other <- getExportedValue(package, name)
  # None are left of a function that its package has only to say that it is gone.
  takes <- setdiff(names(formals(other)), "...")
  given <- Filter(nzchar, names(call))
  meant <- if (lacks_first) {
    length(takes) > 0L && all(given %in% takes)
  } else {
    any(given %in% setdiff(takes, names(formals(get(name)))))
  }
  if (meant) other
}

# The call as it was made, of another function.
call_other <- function(other, call, environment) {
  call[[1L]] <- other
  eval(call, environment)
}

# A message for when such a package is attached after ours.
say_when_hidden <- function() {
  for (name in names(same_names)) {
    for (package in same_names[[name]]) {
      setHook(packageEvent(package, "attach"), hidden_message(name, package))
    }
  }
}

hidden_message <- function(name, package) {
  force(name)
  force(package)
  function(...) {
    if ("package:pwcstats" %in% search()) {
      packageStartupMessage(sprintf(
        "%s() is now that of %s; write pwcstats::%s() for the one of pwcstats.", name, package, name
      ))
    }
  }
}
