# Where the R package is, for another process. It is also loaded here, so that its methods are found.
local({
  locate <- function() {
    is_there <- requireNamespace("pwcstats", quietly = TRUE)
    list(
      rscript = file.path(R.home("bin"), "Rscript"), libraries = paste(.libPaths(), collapse = .Platform$path.sep),
      folder = system.file("python", package = "pwcstats"), home = R.home(),
      is_new = is_there && "from_python" %in% getNamespaceExports("pwcstats")
    )
  }

  list(locate = locate, read = function(path) readRDS(path))
})
