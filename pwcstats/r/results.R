# Where the R package is, for another process.
local({
  locate <- function() {
    list(
      rscript = file.path(R.home("bin"), "Rscript"), libraries = paste(.libPaths(), collapse = .Platform$path.sep),
      folder = system.file("python", package = "pwcstats"),
      is_new = "pwcstats" %in% rownames(utils::installed.packages()) &&
        "from_python" %in% getNamespaceExports("pwcstats")
    )
  }

  list(locate = locate, read = function(path) readRDS(path))
})
