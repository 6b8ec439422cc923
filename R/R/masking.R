# Functions of other packages with the same name as ours. If pwcstats is attached after such a
# package, our function is found first, and passes on calls that can only be meant for the other. If
# it is attached before, our function is masked, and a message says so.
same_names <- list(
  couple = "kernlab",
  cratio = "VGAM",
  detect_separation = c("detectseparation", "brglm2")
)

# The other function if the call is meant for it, otherwise NULL. Such calls lack our first
# argument, as in vglm(y ~ x, family = cratio()), or have an argument that only the other function
# has.
other_function <- function(name, lacks_first, call) {
  # pwcstats::couple() is always ours.
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
  # A defunct function has no arguments.
  theirs <- setdiff(names(formals(other)), "...")
  given <- Filter(nzchar, names(call))
  meant <- if (lacks_first) {
    length(theirs) > 0L && all(given %in% theirs)
  } else {
    any(given %in% setdiff(theirs, names(formals(get(name)))))
  }
  if (meant) other
}

# The same call of another function.
call_other <- function(other, call, environment) {
  call[[1L]] <- other
  eval(call, environment)
}

# Sets hooks that give a message if such a package is attached after ours.
announce_masking <- function() {
  for (name in names(same_names)) {
    for (package in same_names[[name]]) {
      setHook(packageEvent(package, "attach"), masking_message(name, package))
    }
  }
}

masking_message <- function(name, package) {
  force(name)
  force(package)
  function(...) {
    if ("package:pwcstats" %in% search()) {
      packageStartupMessage(sprintf(
        "%s() is now the function of %s; write pwcstats::%s() for ours.", name, package, name
      ))
    }
  }
}
