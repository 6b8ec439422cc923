.onLoad <- function(libname, pkgname) {
  say_when_hidden()
  # Loading reticulate takes a second, so it waits for the first call, of ours or of the user.
  if (isNamespaceLoaded("reticulate")) {
    declare_python()
  } else {
    setHook(packageEvent("reticulate", "onLoad"), function(...) declare_python())
  }
}
