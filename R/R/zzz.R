.onLoad <- function(libname, pkgname) {
  # Newer reticulate builds a Python on demand from what packages declare; older ones lack the call.
  if ("py_require" %in% getNamespaceExports("reticulate")) {
    getExportedValue("reticulate", "py_require")("pwcstats")
  }
  # Names the virtualenv to prefer, even when the user starts Python before calling this package.
  reticulate::import("pwcstats", delay_load = list(environment = "r-pwcstats"))
}
