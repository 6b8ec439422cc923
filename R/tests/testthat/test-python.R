# Python starts when it is needed, and the error is helpful if it is missing.

test_that("loading the package starts neither Python nor reticulate", {
  output <- run_in_new_r(c(
    "library(pwcstats)",
    "cat(isNamespaceLoaded('reticulate'), reticulate::py_available())"
  ))
  expect_identical(tail(output, 1), "FALSE FALSE")
})

test_that("the virtualenv is declared whichever package is loaded first", {
  code <- c(
    "declared <- reticulate:::.globals",
    "cat(c(declared$delay_load_environment, declared$delay_load_imports$environment))"
  )
  for (first in c("pwcstats", "reticulate")) {
    loads <- sprintf("library(%s)", c(first, setdiff(c("pwcstats", "reticulate"), first)))
    expect_identical(tail(run_in_new_r(c(loads, code)), 1), "r-pwcstats", info = first)
  }
})

# py_require() of reticulate 1.41 and newer resolves the declarations of all packages at once, so
# one that fails leaves the session without Python.
test_that("the module is declared only if the index has it and no environment is preferred", {
  folder <- tempfile("home")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  declared <- function(released, ...) {
    code <- c(
      sprintf("setwd(%s)", deparse(folder)),
      "said <- character()",
      "demand <- function(packages) said <<- c(said, packages)",
      sprintf("pwcstats:::declare_python(demand, released = %s)", released),
      "pwcstats:::declare_python(NULL, released = TRUE)",
      "cat(c(said, \"end\"))"
    )
    chosen <- utils::modifyList(
      list(RETICULATE_PYTHON = NA, RETICULATE_USE_MANAGED_VENV = NA, WORKON_HOME = folder),
      list(...)
    )
    tail(do.call(run_in_new_r, c(list(code), chosen)), 1)
  }
  ours <- paste(pypi_requirement(), "end")
  expect_match(ours, "^pwcstats==[0-9]+\\.[0-9]+\\.\\* end$")
  expect_identical(declared(FALSE), "end")
  expect_identical(declared(TRUE), ours)
  expect_identical(declared(TRUE, RETICULATE_PYTHON = "python3"), "end")
  expect_identical(declared(TRUE, RETICULATE_PYTHON = "managed"), ours)
  project <- fake_environment(file.path(folder, ".venv"), c("pwcstats-0.1.0", "numpy-1.26.4"))
  expect_identical(declared(TRUE), "end")
  unlink(project, recursive = TRUE)
  virtualenv <- fake_environment(file.path(folder, "r-pwcstats"), "pwcstats-0.1.0")
  file.create(file.path(virtualenv, "bin", c("activate", "activate_this.py")))
  file.create(file.path(virtualenv, "pyvenv.cfg"))
  expect_identical(declared(TRUE), "end")
  expect_identical(declared(TRUE, RETICULATE_USE_MANAGED_VENV = "yes"), ours)
})

test_that("the virtualenv of the project is found from subdirectories, but not outside of it", {
  outer <- normalizePath(tempdir())
  project <- file.path(outer, "project")
  on.exit(unlink(file.path(outer, c("project", ".venv")), recursive = TRUE))
  below <- file.path(project, "analysis", "R")
  dir.create(below, recursive = TRUE)
  find <- function(version = "1.28") project_python(below, package_version(version))
  has_module <- c("pwcstats-0.1.0", "numpy-1.26.4")
  fake_environment(file.path(outer, ".venv"), has_module)
  expect_null(find())
  dir.create(file.path(project, ".git"))
  expect_null(find())
  # A virtualenv without the module, or with an unsuitable NumPy, is ignored.
  fake_environment(file.path(project, "venv"), "numpy-1.26.4")
  expect_null(find())
  fake_environment(file.path(project, ".venv"), c("pwcstats-0.1.0", "numpy-2.1.0"))
  expect_null(find())
  expect_identical(find("1.41"), file.path(project, ".venv", "bin", "python"))
  fake_environment(file.path(project, ".venv-r"), has_module)
  expect_identical(find(), file.path(project, ".venv-r", "bin", "python"))
  # The repository is the project, not a subdirectory that looks like one.
  file.create(file.path(project, "analysis", "DESCRIPTION"))
  expect_identical(find(), file.path(project, ".venv-r", "bin", "python"))
  unlink(file.path(project, ".git"), recursive = TRUE)
  expect_null(find())
})

test_that("the virtualenv of the project is used, unless another Python was chosen", {
  skip_without_python()
  project <- tempfile("project")
  dir.create(project)
  on.exit(unlink(project, recursive = TRUE))
  ask_there <- function(...) {
    code <- c(
      sprintf("setwd(%s)", deparse(project)),
      "found <- pwcstats::pwcstats_available()",
      "cat(reticulate::py_config()$python)"
    )
    # Only the virtualenv of the project.
    tail(run_in_new_r(code, VIRTUAL_ENV = NA, WORKON_HOME = project, ...), 1)
  }
  ours <- reticulate::py_exe()
  expect_false(identical(ask_there(RETICULATE_PYTHON = NA), ours))
  file.symlink(dirname(dirname(ours)), file.path(project, ".venv"))
  expect_identical(ask_there(RETICULATE_PYTHON = NA), ours)
  other <- Sys.which("python3")[[1]]
  expect_false(identical(ask_there(RETICULATE_PYTHON = other), ours))
})

test_that("a folder named pwcstats in the working directory is not taken for the module", {
  skip_without_python()
  checkout <- tempfile("checkout")
  dir.create(file.path(checkout, "pwcstats"), recursive = TRUE)
  on.exit(unlink(checkout, recursive = TRUE))
  writeLines("raise ImportError('not compiled')", file.path(checkout, "pwcstats", "__init__.py"))
  fit <- c(
    "fit <- pwcstats::bt(c(1, 1, 1), c('a', 'b', 'c'), c('b', 'c', 'a'))",
    "cat(inherits(fit, 'pwcstats_bt'), reticulate::import('sys')$path[[1]] == '')"
  )
  there <- sprintf("setwd(%s)", deparse(checkout))
  ours <- reticulate::py_exe()
  expect_identical(tail(run_in_new_r(c(there, fit), RETICULATE_PYTHON = ours), 1), "TRUE TRUE")
  # Python may run already.
  started <- c(there, "invisible(reticulate::py_config())", "library(pwcstats)", fit)
  expect_identical(tail(run_in_new_r(started, RETICULATE_PYTHON = ours), 1), "TRUE TRUE")
  # The directory may be on Python's path.
  expect_identical(
    tail(run_in_new_r(c(there, fit), RETICULATE_PYTHON = ours, PYTHONPATH = checkout), 1),
    "TRUE TRUE"
  )
})

ask <- c(
  "cat(pwcstats::pwcstats_available(), '\\n', sep = '')",
  "tryCatch(pwcstats::couple(diag(2)), pwcstats_error = function(e) cat(conditionMessage(e)))"
)

test_that("without Python one sentence says what to run", {
  output <- run_in_new_r(ask, RETICULATE_PYTHON = "no-such-python")
  expect_identical(output[[1]], "FALSE")
  expect_match(output[[2]], "^pwcstats finds no Python \\(.*no-such-python.*does not exist\\): ")
  expect_match(output[[2]], "run pwcstats::install_pwcstats\\([^)]*\\) and restart R\\.")
  expect_length(output, 2)
})

test_that("if Python lacks the module one sentence says what to run", {
  skip_without_python()
  # A virtualenv without pip is quick to create.
  bare <- tempfile("bare")
  on.exit(unlink(bare, recursive = TRUE))
  system2(reticulate::py_config()$python, c("-m", "venv", "--without-pip", shQuote(bare)))
  windows <- .Platform$OS.type == "windows"
  path <- file.path(bare, if (windows) "Scripts/python.exe" else "bin/python")
  output <- run_in_new_r(ask, RETICULATE_PYTHON = path, PYTHONPATH = "")
  expect_identical(output[[1]], "FALSE")
  expect_match(output[[2]], "^The Python module pwcstats is not installed for .*python")
  expect_match(output[[2]], "run pwcstats::install_pwcstats\\([^)]*\\) and restart R\\.")
  expect_length(output, 2)
})

test_that("if Python was started before the virtualenv was known, the error says so", {
  skip_without_python()
  home <- tempfile("home")
  on.exit(unlink(home, recursive = TRUE))
  bare <- file.path(home, "r-other")
  dir.create(home)
  system2(reticulate::py_exe(), c("-m", "venv", "--without-pip", shQuote(bare)))
  fake_environment(file.path(home, "r-pwcstats"), "pwcstats-0.1.0")
  code <- c(
    sprintf("reticulate::use_virtualenv(%s, required = TRUE)", deparse(bare)),
    "invisible(reticulate::py_config())", ask
  )
  output <- run_in_new_r(code, RETICULATE_PYTHON = NA, WORKON_HOME = home, PYTHONPATH = "")
  expect_match(
    tail(output, 1),
    "not installed for .*r-other.*: restart R and load pwcstats before anything starts Python\\.$"
  )
})

test_that("if Python lacks NumPy the error says so", {
  skip_on_os("windows")
  skip_without_python()
  bare <- tempfile("bare")
  on.exit(unlink(bare, recursive = TRUE))
  system2(reticulate::py_config()$python, c("-m", "venv", "--without-pip", shQuote(bare)))
  module <- file.path(Sys.glob(file.path(bare, "lib", "python*", "site-packages")), "pwcstats")
  dir.create(module)
  file.create(file.path(module, "__init__.py"))
  path <- file.path(bare, "bin", "python")
  output <- run_in_new_r(ask, RETICULATE_PYTHON = path, PYTHONPATH = "")
  expect_identical(output[[1]], "FALSE")
  expect_match(output[[2]], "does not load in .*python \\(NumPy is not installed there\\): ")
})

test_that("the advice depends on RETICULATE_PYTHON", {
  old <- Sys.getenv("RETICULATE_PYTHON", NA)
  restore <- function() {
    if (is.na(old)) Sys.unsetenv("RETICULATE_PYTHON") else Sys.setenv(RETICULATE_PYTHON = old)
  }
  on.exit(restore())
  Sys.setenv(RETICULATE_PYTHON = "python")
  expect_match(cure(TRUE), "unset it, run pwcstats::install_pwcstats()", fixed = TRUE)
  Sys.unsetenv("RETICULATE_PYTHON")
  expect_match(cure(TRUE), "^run pwcstats::install_pwcstats\\(\\) .* or set RETICULATE_PYTHON")
  # Without a source in the R package, the first advice would fail.
  from_checkout <- "run pwcstats::install_pwcstats(source = \"path/to/checkout\") and restart R"
  expect_match(cure(FALSE), from_checkout, fixed = TRUE)
})

test_that("if the module does not load the error says why", {
  skip_without_python()
  load_python(NULL)
  expect_match(
    why_not_loaded("ImportError:\nno scipy.\n"),
    "^The Python module pwcstats does not load in .* \\(ImportError: no scipy\\): "
  )
})

test_that("a message says that Python is started", {
  expect_message(
    announce_python(TRUE),
    "^Starting Python. This takes some seconds, once in a session.\n$"
  )
  expect_silent(announce_python(FALSE))
})

test_that("the running Python has the module", {
  skip_without_python()
  expect_true(pwcstats_available())
})
