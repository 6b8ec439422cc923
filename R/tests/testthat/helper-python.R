# Where Python is absent the tests are skipped, unless everything is meant to run.
skip_without_python <- function() {
  if (!nzchar(Sys.getenv("PWC_REQUIRE_R"))) {
    skip_if_not(pwcstats_available(), "the Python module pwcstats is absent")
  }
}

# Lines printed by R code in a process of its own; `...` are environment variables, by name.
run_in_new_r <- function(code, ...) {
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  writeLines(code, file)
  environment <- c(
    R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep),
    # R CMD check sets it to a file that a new process does not find.
    R_TESTS = "",
    ...
  )
  suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(file)),
    stdout = TRUE,
    stderr = TRUE,
    env = paste0(names(environment), "=", shQuote(environment))
  ))
}
