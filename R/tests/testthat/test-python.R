# Starting Python: not before it is needed, and a sentence that helps when it is not there.

test_that("loading the package starts no Python, nor loads reticulate", {
  output <- run_in_new_r(c(
    "library(pwcstats)",
    "cat(isNamespaceLoaded('reticulate'), reticulate::py_available())"
  ))
  expect_identical(tail(output, 1), "FALSE FALSE")
})

test_that("the virtualenv is declared whichever package is loaded first", {
  code <- "cat(reticulate:::.globals$delay_load_environment)"
  for (first in c("pwcstats", "reticulate")) {
    loads <- sprintf("library(%s)", c(first, setdiff(c("pwcstats", "reticulate"), first)))
    expect_identical(tail(run_in_new_r(c(loads, code)), 1), "r-pwcstats", info = first)
  }
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

test_that("with a Python that lacks the module one sentence says what to run", {
  skip_without_python()
  # A virtualenv without even pip holds nothing but Python, and takes no time to make.
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

test_that("the advice heeds that RETICULATE_PYTHON goes first", {
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

test_that("a module that is there but does not load says why", {
  skip_without_python()
  load_python(NULL)
  expect_match(
    why_not_loaded("ImportError: no numba\n"),
    "^The Python module pwcstats does not load in .* \\(ImportError: no numba\\): "
  )
})

test_that("what is installed fits reticulate", {
  expect_identical(numpy_requirement(package_version("1.28")), "numpy<2")
  expect_identical(numpy_requirement(package_version("1.38.0")), "numpy")
})

test_that("a local copy is installed by its path, anything else by its name", {
  project <- tempfile("project")
  dir.create(project)
  on.exit(unlink(project, recursive = TRUE))
  expect_identical(pip_source(project), project)
  file.create(file.path(project, "pyproject.toml"))
  expect_identical(pip_source(project), normalizePath(project))
  expect_identical(pip_source("pwcstats==0.1.0"), "pwcstats==0.1.0")
})
