# Installing Python's part of the package.

#' Install the Python package
#'
#' Installs the Python package `pwcstats` into a virtualenv, where the first call of this package
#' finds it. If Python is already running, restart R afterwards.
#'
#' The R package from a release file carries the Python package with it. An R package that was
#' installed from a checkout (`R CMD INSTALL R`) does not: give the checkout as `source`. Without a
#' wheel for your platform, the Python package is compiled, which needs a C++17 compiler and
#' Python's header files (on Debian and Ubuntu, the packages g++ and python3-dev).
#'
#' If \pkg{reticulate} is older than 1.38, NumPy 1 is installed, because it cannot use NumPy 2.
#'
#' If the installation into a new virtualenv fails, the virtualenv is removed again.
#'
#' @param envname Name or path of the virtualenv, which is created if it does not exist.
#' @param source What to install: the path of a local copy of the Python package (a checkout, a
#'   wheel or an archive), a URL, or a requirement such as `"pwcstats==0.2.0"`. By default the
#'   Python package that this R package carries.
#' @param python Path of the Python that creates the virtualenv. If you give it and the virtualenv
#'   exists, the virtualenv is removed and created anew. By default the first suitable Python is
#'   used: one that is 3.10 or newer and can install packages when R starts it.
#' @param ... Passed to [reticulate::virtualenv_install()], for example `pip_options`.
#' @return The path of the virtualenv's Python, invisibly.
#' @seealso [pwcstats_available()]
#' @examples
#' \dontrun{
#' install_pwcstats()
#' install_pwcstats(source = "path/to/checkout")
#' }
#' @export
install_pwcstats <- function(envname = "r-pwcstats", source = NULL, python = NULL, ...) {
  refuse_unknown(..., .also = setdiff(names(formals(reticulate::virtualenv_install)), "..."))
  call <- full_call()
  if (is.null(source)) {
    refuse_no_source(call)
  } else {
    source <- pip_source(source, call)
  }
  numpy <- numpy_requirement(utils::packageVersion("reticulate"))
  directory <- virtualenv_directory(envname)
  if (!is.null(python)) {
    refuse_unsuitable(python, directory, call)
    if (reticulate::virtualenv_exists(directory)) {
      message(sprintf("The virtualenv %s exists. It is removed and created anew.", directory))
      unlink(directory, recursive = TRUE)
    }
  } else if (!reticulate::virtualenv_exists(directory)) {
    python <- suitable_python(call)
  }
  fresh <- !file.exists(directory)
  # Otherwise a second attempt would find the virtualenv and use it.
  on.exit(if (fresh) unlink(directory, recursive = TRUE))
  reticulate::virtualenv_create(directory, python = python, packages = numpy)
  path <- reticulate::virtualenv_python(directory)
  source <- first_of(source, default_source(path))
  reticulate::virtualenv_install(directory, packages = c(numpy, source), ...)
  check_imports(path, call)
  fresh <- FALSE
  if (reticulate::py_available()) {
    message("Restart R to use it.")
  }
  invisible(path)
}

# A name without a slash is a virtualenv of reticulate, as in its own functions.
virtualenv_directory <- function(envname) {
  is_path <- grepl("[/\\\\]", envname)
  path.expand(if (is_path) envname else file.path(reticulate::virtualenv_root(), envname))
}

# The first Python with which R can create a virtualenv. The system's own comes first, since it is
# built with the libraries that R uses.
suitable_python <- function(call, candidates = python_candidates()) {
  for (python in candidates) {
    if (is_suitable(python)) {
      return(python)
    }
  }
  abort(
    paste(
      "no Python 3.10 or newer was found that can create a virtualenv and download packages when R",
      "starts it: install Python (on Debian and Ubuntu, the packages python3 and python3-venv),",
      "or give its path as python."
    ),
    call
  )
}

python_candidates <- function() {
  names <- c("python3", sprintf("python3.%d", 12:10), "python3.13", "python3.14", "python")
  found <- c("/usr/bin/python3", Sys.which(names))
  # Newer versions of reticulate also know places that are not on the search path.
  starter <- newer_reticulate("virtualenv_starter")
  if (!is.null(starter)) {
    found <- c(found, starter(">=3.10"))
  }
  unique(found[nzchar(found) & file.exists(found)])
}

# A Python may exist and not run, or not load its ssl if R starts it, because R sets the path of
# shared libraries.
is_suitable <- function(python) {
  code <- paste(
    "import ssl, sys; from importlib.util import find_spec as find;",
    "venv = (find('venv') and find('ensurepip')) or find('virtualenv');",
    "sys.exit(sys.version_info < (3, 10) or not venv)"
  )
  status <- suppressWarnings(tryCatch(
    system2(python, c("-c", shQuote(code)), stdout = FALSE, stderr = FALSE),
    error = function(e) 1L
  ))
  identical(as.integer(status), 0L)
}

refuse_unsuitable <- function(python, directory, call) {
  if (!is_suitable(python)) {
    abort(
      sprintf(
        "python = \"%s\" does not run in R, is older than 3.10, or lacks ssl or venv; %s.",
        python, "leave it out, and install_pwcstats() looks for a suitable one"
      ),
      call
    )
  }
  # It is often a link to the Python that created the virtualenv, so its directory is compared.
  home <- normalizePath(dirname(dirname(Sys.which(python))), mustWork = FALSE)
  if (home == normalizePath(directory, mustWork = FALSE)) {
    abort(
      sprintf("python = \"%s\" belongs to the virtualenv that it would create anew.", python),
      call
    )
  }
}

numpy_requirement <- function(reticulate_version) {
  if (reticulate_version < "1.38") "numpy<2" else "numpy"
}

# Paths become absolute, because pip takes a bare name for a requirement even if a directory has
# that name. pip would install any package of the index.
pip_source <- function(source, call) {
  if (!is.character(source) || length(source) != 1L || is.na(source)) {
    abort(
      sprintf("source must be a path, a URL or a requirement, got %s.", show_value(source)), call
    )
  }
  if (grepl("://", source, fixed = TRUE) || grepl("^pwcstats *($|[<>=!~;@[])", source)) {
    return(source)
  }
  if (!file.exists(source)) {
    abort(
      sprintf(
        "source = \"%s\" is neither an existing path, nor a URL, nor a requirement such as %s.",
        source, "\"pwcstats==0.2.0\""
      ),
      call
    )
  }
  is_archive <- grepl("^pwcstats-.*\\.(whl|tar\\.gz|zip)$", basename(source))
  if (!is_archive && !is_checkout(source)) {
    abort(
      sprintf(
        "source = \"%s\" is neither a checkout of pwcstats nor an archive of its Python package.",
        source
      ),
      call
    )
  }
  normalizePath(source)
}

is_checkout <- function(path) {
  project <- file.path(path, "pyproject.toml")
  file.exists(project) &&
    any(grepl("^name *= *[\"']pwcstats[\"']", readLines(project, warn = FALSE)))
}

# Without the working directory and PYTHONPATH, which may have another pwcstats.
check_imports <- function(python, call) {
  output <- suppressWarnings(
    system2(python, c("-I", "-c", shQuote("import pwcstats")), stdout = TRUE, stderr = TRUE)
  )
  if (!is.null(attr(output, "status"))) {
    abort(
      sprintf(
        "the Python package was installed, but does not load (%s).",
        trimws(utils::tail(output, 1L))
      ),
      call
    )
  }
}

# Archives of the Python package, which tools/make-r-package puts here.
archives_folder <- function() {
  system.file("archives", package = "pwcstats")
}

has_source <- function(folder = archives_folder(), released = on_pypi) {
  released || length(list.files(folder)) > 0L
}

refuse_no_source <- function(call, ...) {
  if (!has_source(...)) {
    abort(
      paste(
        "this R package was installed from a checkout, without the Python package: give the path",
        "of the checkout, as in install_pwcstats(source = \"path/to/checkout\")."
      ),
      call
    )
  }
}

# A wheel that fits, or the release, which has wheels for most platforms, or the source archive.
default_source <- function(python, folder = archives_folder(), released = on_pypi) {
  source <- list.files(folder, "\\.tar\\.gz$", full.names = TRUE)
  first_of(fitting_wheel(python, folder), if (released) pypi_requirement(), source)
}

# pip knows which wheels fit.
fitting_wheel <- function(python, folder) {
  found <- tempfile("wheel")
  on.exit(unlink(found, recursive = TRUE))
  system2(python, c(
    "-m", "pip", "download", "--no-index", "--no-deps", "--only-binary", ":all:",
    "--find-links", shQuote(folder), "--dest", shQuote(found), "pwcstats"
  ), stdout = FALSE, stderr = FALSE)
  # pip may be configured to look in other folders, too.
  wheel <- intersect(list.files(found), list.files(folder))
  if (length(wheel)) file.path(folder, wheel)
}
