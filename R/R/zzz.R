.onLoad <- function(libname, pkgname) {
  announce_masking()
  register_refusals()
  # Loading reticulate takes a second, so it waits for the first call of this package or the user.
  if (isNamespaceLoaded("reticulate")) {
    declare_python()
  } else {
    setHook(packageEvent("reticulate", "onLoad"), function(...) declare_python())
  }
  if (isNamespaceLoaded("parsnip")) {
    register_engines(asNamespace("parsnip"))
  } else {
    setHook(
      packageEvent("parsnip", "onLoad"), function(...) register_engines(asNamespace("parsnip"))
    )
  }
}
