# Tests without their requirements are skipped, unless all must run.
skip_without_python <- function() {
  if (!must_run_all()) {
    skip_if_not(pwcstats_available(), "the Python module pwcstats is absent")
  }
}

skip_without_package <- function(package) {
  if (!must_run_all()) {
    skip_if_not_installed(package)
  }
}

must_run_all <- function() {
  nzchar(Sys.getenv("PWC_REQUIRE_R"))
}

# Lines printed by R code in a new session; `...` are named environment variables, NA to unset.
run_in_new_r <- function(code, ...) {
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  writeLines(code, file)
  environment <- c(
    R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep),
    # R CMD check sets it to a file that a new session does not find.
    R_TESTS = "",
    ...
  )
  suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(file)),
    stdout = TRUE,
    stderr = TRUE,
    env = env_arguments(environment)
  ))
}

# Arguments for env(1), with which system2() sets variables.
env_arguments <- function(environment) {
  gone <- is.na(environment)
  c(
    if (any(gone)) c("env", paste("-u", names(environment)[gone])),
    paste0(names(environment)[!gone], "=", shQuote(environment[!gone]))
  )
}

# The files of a virtualenv.
fake_environment <- function(path, packages) {
  dir.create(file.path(path, "bin"), recursive = TRUE)
  file.create(file.path(path, "bin", "python"))
  for (package in packages) {
    dir.create(
      file.path(path, "lib", "python3.11", "site-packages", paste0(package, ".dist-info")),
      recursive = TRUE
    )
  }
  path
}
