# install_pwcstats(): which Python, which virtualenv, and what is installed.

test_that("the NumPy requirement depends on reticulate", {
  expect_identical(numpy_requirement(package_version("1.28")), "numpy<2")
  expect_identical(numpy_requirement(package_version("1.38.0")), "numpy")
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

test_that("a local copy is installed by its path, a requirement by its name", {
  project <- tempfile("project")
  dir.create(project)
  on.exit(unlink(project, recursive = TRUE))
  expect_refused(pip_source(project, NULL), "is neither a checkout of pwcstats nor an archive")
  other <- file.path(project, "other-1.0.tar.gz")
  file.create(other)
  expect_refused(pip_source(other, NULL), "is neither a checkout of pwcstats nor an archive")
  writeLines(c("[project]", "name = \"pwcstats\""), file.path(project, "pyproject.toml"))
  expect_identical(pip_source(project, NULL), normalizePath(project))
  archive <- file.path(project, "pwcstats-0.1.0.tar.gz")
  file.create(archive)
  expect_identical(pip_source(archive, NULL), normalizePath(archive))
  for (source in c(
    "pwcstats", "pwcstats==0.1.0", "pwcstats[dev] >= 0.1", "git+https://example.org/pwcstats.git"
  )) {
    expect_identical(pip_source(source, NULL), source)
  }
})

test_that("another package or a path that does not exist is refused before anything is created", {
  envname <- tempfile("venv")
  expect_refused(install_pwcstats(envname, "bar"), "^source = \"bar\" is neither an existing path")
  expect_refused(install_pwcstats(envname, "pwcstats2"), "is neither an existing path")
  expect_refused(install_pwcstats(envname, tempdir()), "is neither a checkout")
  expect_refused(install_pwcstats(envname, NA), "^source must be a path, a URL or a requirement")
  expect_false(file.exists(envname))
})

test_that("a Python package that does not load is an error", {
  skip_on_os("windows")
  folder <- tempfile("pythons")
  on.exit(unlink(folder, recursive = TRUE))
  broken <- fake_python(file.path(folder, "broken"), c("echo trace", "echo 'no kernel'", "exit 1"))
  expect_refused(check_imports(broken, NULL), "does not load \\(no kernel\\)\\.$")
  expect_silent(check_imports(fake_python(file.path(folder, "works"), "exit 0"), NULL))
})

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
  expect_error(install_pwcstats(bare, "pwcstats", broken), "does not run", class = "pwcstats_error")
  own <- file.path(bare, "bin", "python")
  expect_error(install_pwcstats(bare, "pwcstats", own), "belongs to", class = "pwcstats_error")
  expect_true(file.exists(file.path(bare, "old")))
  # Passes the check, but creates no virtualenv.
  fails <- fake_python(file.path(folder, "fails"), "[ \"$1\" = -c ]")
  capture.output(suppressWarnings(expect_message(
    expect_error(install_pwcstats(bare, "pwcstats", fails)),
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

test_that("without an archive or a release the error says what to give", {
  folder <- tempfile("archives")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  expect_error(
    refuse_no_source(NULL, folder, released = FALSE),
    "without the Python package: give .* install_pwcstats\\(source = \"path/to/checkout\"\\)\\.$",
    class = "pwcstats_error"
  )
  expect_silent(refuse_no_source(NULL, folder, released = TRUE))
  file.create(file.path(folder, "pwcstats-0.1.0.tar.gz"))
  expect_silent(refuse_no_source(NULL, folder, released = FALSE))
})

# A wheel that pip can read, whose tags are the end of its name.
fake_wheel <- function(folder, tags) {
  wheel <- file.path(folder, sprintf("pwcstats-0.1.0-%s.whl", tags))
  code <- sprintf("import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    info = 'pwcstats-0.1.0.dist-info/'
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: pwcstats\\nVersion: 0.1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: %s\\n')
    wheel.writestr(info + 'RECORD', '')
", tags)
  system2(reticulate::py_exe(), c("-c", shQuote(code), shQuote(wheel)))
  wheel
}

test_that("the wheel that fits comes first, then the release, then the source archive", {
  skip_if_not(must_run_all(), "a virtualenv with pip takes seconds")
  folder <- normalizePath(tempdir())
  archives <- file.path(folder, "archives")
  venv <- file.path(folder, "with-pip")
  dir.create(archives)
  on.exit(unlink(c(archives, venv), recursive = TRUE))
  system2(reticulate::py_exe(), c("-m", "venv", shQuote(venv)))
  chosen <- function(released = FALSE) {
    default_source(reticulate::virtualenv_python(venv), archives, released)
  }
  sdist <- file.path(archives, "pwcstats-0.1.0.tar.gz")
  file.create(sdist)
  foreign <- fake_wheel(archives, "cp27-none-win32")
  expect_true(file.exists(foreign))
  expect_identical(chosen(), sdist)
  expect_identical(chosen(released = TRUE), pypi_requirement())
  fits <- fake_wheel(archives, "py3-none-any")
  expect_identical(chosen(), fits)
  expect_identical(chosen(released = TRUE), fits)
})
