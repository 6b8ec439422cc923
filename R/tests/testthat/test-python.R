# Python starts when it is needed, and the error is helpful if it is missing.

test_that("loading the package starts neither Python nor reticulate", {
  output <- run_in_new_r(c(
    "library(pwcstats)",
    "cat(isNamespaceLoaded('reticulate'), reticulate::py_available())"
  ))
  expect_identical(tail(output, 1), "FALSE FALSE")
})

test_that("the module is declared whichever package is loaded first", {
  # By the name of the package if reticulate supports it, otherwise by the virtualenv.
  demand <- "py_require" %in% getNamespaceExports("reticulate")
  code <- if (demand) {
    "cat(intersect('pwcstats', reticulate::py_require()$packages))"
  } else {
    "cat(reticulate:::.globals$delay_load_environment)"
  }
  for (first in c("pwcstats", "reticulate")) {
    loads <- sprintf("library(%s)", c(first, setdiff(c("pwcstats", "reticulate"), first)))
    said <- tail(run_in_new_r(c(loads, code)), 1)
    expect_identical(said, if (demand) "pwcstats" else "r-pwcstats", info = first)
  }
})

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
  expect_match(output[[2]], "run pwcstats::install_pwcstats() and restart R.", fixed = TRUE)
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
  expect_match(output[[2]], "run pwcstats::install_pwcstats() and restart R.", fixed = TRUE)
  expect_length(output, 2)
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
  expect_match(cure(), "unset it, run pwcstats::install_pwcstats()", fixed = TRUE)
  Sys.unsetenv("RETICULATE_PYTHON")
  expect_match(cure(), "^run pwcstats::install_pwcstats\\(\\) .* or set RETICULATE_PYTHON")
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

test_that("the NumPy requirement depends on reticulate", {
  expect_identical(numpy_requirement(package_version("1.28")), "numpy<2")
  expect_identical(numpy_requirement(package_version("1.38.0")), "numpy")
})

test_that("a local copy is installed by its path, a requirement by its name", {
  project <- tempfile("project")
  dir.create(project)
  on.exit(unlink(project, recursive = TRUE))
  expect_identical(pip_source(project), project)
  file.create(file.path(project, "pyproject.toml"))
  expect_identical(pip_source(project), normalizePath(project))
  expect_identical(pip_source("pwcstats==0.1.0"), "pwcstats==0.1.0")
})

test_that("the running Python has the module", {
  skip_without_python()
  expect_true(pwcstats_available())
})

# An executable that behaves like a Python, or like one that cannot be used.
fake_python <- function(path, code) {
  # Never write through a link: the Python of a virtualenv is a link to the system's.
  stopifnot(!nzchar(Sys.readlink(path)) || is.na(Sys.readlink(path)))
  dir.create(dirname(path), recursive = TRUE, showWarnings = FALSE)
  writeLines(c("#!/bin/sh", code), path)
  Sys.chmod(path, "755")
  path
}

test_that("the first Python that works when R starts it creates the virtualenv", {
  skip_on_os("windows")
  folder <- tempfile("pythons")
  on.exit(unlink(folder, recursive = TRUE))
  broken <- fake_python(file.path(folder, "broken"), "exit 1")
  works <- fake_python(file.path(folder, "works"), "exit 0")
  expect_identical(suitable_python(NULL, c("no-such-python", broken, works, broken)), works)
  expect_error(
    suitable_python(NULL, broken),
    "^no Python 3.10 or newer was found .*: install Python .*python3-venv.* path as python.$",
    class = "pwcstats_error"
  )
  expect_true(all(file.exists(python_candidates())))
  skip_without_python()
  # In an old Python, or without ssl, the check fails.
  real <- shQuote(reticulate::py_exe())
  patched <- function(code) {
    text <- sprintf("exec %s -c \"%s; $2\"", real, code)
    is_suitable(fake_python(file.path(folder, "patched"), text))
  }
  expect_true(patched("import sys"))
  expect_false(patched("import sys; sys.modules['ssl'] = None"))
  expect_false(patched("import sys; sys.version_info = (3, 9)"))
})

test_that("a name is a virtualenv of reticulate, a path a directory", {
  expect_identical(virtualenv_directory("a/b"), "a/b")
  root <- path.expand(reticulate::virtualenv_root())
  expect_identical(virtualenv_directory("b"), file.path(root, "b"))
})

test_that("a virtualenv stays if the given Python is unsuitable, and goes if it is new and fails", {
  skip_on_os("windows")
  skip_without_python()
  folder <- tempfile("venvs")
  on.exit(unlink(folder, recursive = TRUE))
  ours <- reticulate::py_exe()
  bare <- file.path(folder, "bare")
  system2(ours, c("-m", "venv", "--without-pip", shQuote(bare)))
  file.create(file.path(bare, "old"))
  broken <- fake_python(file.path(folder, "broken"), "exit 1")
  expect_error(install_pwcstats(bare, python = broken), "does not run", class = "pwcstats_error")
  own <- file.path(bare, "bin", "python")
  expect_error(install_pwcstats(bare, python = own), "belongs to", class = "pwcstats_error")
  expect_true(file.exists(file.path(bare, "old")))
  # Passes the check, but creates no virtualenv.
  fails <- fake_python(file.path(folder, "fails"), "[ \"$1\" = -c ]")
  capture.output(suppressWarnings(expect_message(
    expect_error(install_pwcstats(bare, python = fails)),
    "exists. It is removed and created anew."
  )))
  expect_false(file.exists(bare))
})

# With a small module of this name and the real NumPy.
test_that("install_pwcstats() creates a virtualenv with the module", {
  skip_if_not(must_run_all(), "packages may be installed")
  project <- tempfile("project")
  home <- tempfile("home")
  dir.create(file.path(project, "pwcstats"), recursive = TRUE)
  on.exit(unlink(c(project, home), recursive = TRUE))
  writeLines("", file.path(project, "pwcstats", "__init__.py"))
  writeLines(
    c(
      "[build-system]", "requires = [\"setuptools\"]",
      "build-backend = \"setuptools.build_meta\"",
      "[project]", "name = \"pwcstats\"", "version = \"0.0.1\""
    ),
    file.path(project, "pyproject.toml")
  )
  code <- sprintf(
    "path <- pwcstats::install_pwcstats(%s, source = %s, python = %s); cat('\\n', path, sep = '')",
    deparse(file.path(home, "r-pwcstats")), deparse(project), deparse(reticulate::py_exe())
  )
  path <- tail(run_in_new_r(code), 1)
  expect_identical(dirname(dirname(path)), normalizePath(file.path(home, "r-pwcstats")))
  found <- system2(path, c("-c", shQuote(paste(
    "import numpy, importlib.metadata as m;", "print(m.version('pwcstats'), numpy.__version__)"
  ))), stdout = TRUE)
  old <- numpy_requirement(packageVersion("reticulate")) == "numpy<2"
  expect_match(found, if (old) "^0\\.0\\.1 1\\." else "^0\\.0\\.1 ")
})
