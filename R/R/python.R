# Finding and loading Python, and calling the module.

# The only state of the package: references to Python modules, set by the first call.
python <- new.env(parent = emptyenv())

# Tells reticulate which module is needed, in case the user starts Python before calling this
# package.
declare_python <- function() {
  # Newer versions of reticulate create an environment from these declarations.
  if ("py_require" %in% getNamespaceExports("reticulate")) {
    getExportedValue("reticulate", "py_require")("pwcstats")
  }
  # If Python is running, this would load the module at once.
  if (!reticulate::py_available()) {
    reticulate::import("pwcstats", delay_load = list(environment = "r-pwcstats"))
  }
}

#' Is the Python module available?
#'
#' Starts Python if it is not running yet, and tries to load the module `pwcstats`.
#'
#' @return `TRUE` or `FALSE`.
#' @seealso [install_pwcstats()]
#' @examples
#' pwcstats_available()
#' @export
pwcstats_available <- function() {
  tryCatch(
    {
      load_python(NULL)
      TRUE
    },
    pwcstats_error = function(e) FALSE
  )
}

#' Install the Python module
#'
#' Installs the Python package `pwcstats` into a virtualenv, where the first call of this package
#' finds it. If Python is already running, restart R afterwards.
#'
#' If \pkg{reticulate} is older than 1.38, NumPy 1 is installed, because it cannot use NumPy 2.
#'
#' If the installation into a new virtualenv fails, the virtualenv is removed again.
#'
#' @param envname Name or path of the virtualenv, which is created if it does not exist.
#' @param source What to install: a requirement as `pip` understands it, or the path of a local copy
#'   of the Python package (a directory with a `pyproject.toml`, a wheel or an archive).
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
install_pwcstats <- function(envname = "r-pwcstats", source = "pwcstats", python = NULL, ...) {
  refuse_unknown(..., .also = setdiff(names(formals(reticulate::virtualenv_install)), "..."))
  call <- sys.call()
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
  reticulate::virtualenv_install(directory, packages = c(numpy, pip_source(source)), ...)
  path <- reticulate::virtualenv_python(directory)
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
  if ("virtualenv_starter" %in% getNamespaceExports("reticulate")) {
    found <- c(found, getExportedValue("reticulate", "virtualenv_starter")(">=3.10"))
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
# that name.
pip_source <- function(source) {
  is_project <- file.exists(file.path(source, "pyproject.toml"))
  is_archive <- grepl("\\.(whl|tar\\.gz|zip)$", source) && file.exists(source)
  if (is_project || is_archive) normalizePath(source) else source
}

# Calls a function of the module. Python's errors and warnings are signalled as those of `call`.
call_python <- function(name, args, kwargs, call) {
  call_bridge(python$pwcstats[[name]], args, kwargs, call)
}

call_compare <- function(name, args, kwargs, call) {
  call_bridge(python$pwcstats$compare[[name]], args, kwargs, call)
}

call_bridge <- function(f, args, kwargs, call) {
  outcome <- reticulate::py_call(python$bridge$call, f, args, reticulate::dict(kwargs))
  if (from_py(outcome[["interrupted"]])) {
    interrupt()
  }
  error <- from_py(outcome[["error"]])
  if (!is.null(error)) {
    abort(error[[1L]], call, traceback = error[[2L]])
  }
  for (message in from_py(outcome[["warnings"]])) {
    warn(message, call)
  }
  outcome[["value"]]
}

load_python <- function(call) {
  if (!is.null(python$bridge)) {
    return(invisible())
  }
  refuse_rpy2(call)
  choose_python()
  announce_python(interactive() && !reticulate::py_available())
  module <- tryCatch(import_installed("pwcstats"), error = identity)
  if (inherits(module, "error")) {
    abort(why_not_loaded(conditionMessage(module)), call)
  }
  if (!reticulate::py_module_available("numpy")) {
    abort(why_not_loaded("NumPy is not installed there"), call)
  }
  if (!reticulate::py_numpy_available()) {
    abort(why_not_loaded("this version of reticulate cannot use its NumPy"), call)
  }
  bridge <- reticulate::import_from_path(
    "pwcstats_bridge",
    path = system.file("python", package = "pwcstats"),
    convert = FALSE
  )
  python$pwcstats <- module
  python$numpy <- reticulate::import("numpy", convert = FALSE)
  python$pandas <- reticulate::import("pandas", convert = FALSE)
  bridge$connect(to_py(caught(fit_r_learner)), to_py(caught(prob_r_learner)))
  reg.finalizer(python, function(e) e$bridge$at_exit(), onexit = TRUE)
  python$bridge <- bridge
}

# rpy2 lets go of Python's lock while R runs. In R's garbage collection, reticulate then crashes
# (before version 1.31) or waits forever.
refuse_rpy2 <- function(call, session = Sys.getenv("PYTHON_SESSION_INITIALIZED")) {
  if (grepl(sprintf("(^|:)current_pid=%d(:|$)", Sys.getpid()), session)) {
    abort(
      paste(
        "this needs Python, which R cannot use safely while R itself runs in Python (rpy2); save",
        "the object with saveRDS() and use readRDS() in another R session."
      ),
      call
    )
  }
}

# Imports the module that is installed, even if the working directory has a folder of that name, as
# a checkout does. Its own path may be on sys.path, too, for an editable install, so it is searched,
# but last.
import_installed <- function(name) {
  # Python starts with the first import, and needs to know which module it is for.
  declare_python()
  sys <- reticulate::import("sys", convert = FALSE)
  get_path <- function() as.character(reticulate::py_to_r(sys$path))
  set_path <- function(path) reticulate::py_set_attr(sys, "path", as.list(path))
  old <- get_path()
  here <- normalizePath(old, mustWork = FALSE) == normalizePath(getwd())
  relative <- old %in% c("", ".")
  set_path(c(old[!here & !relative], old[here & !relative]))
  # The module may have added to it.
  on.exit(set_path(c(old, setdiff(get_path(), old))))
  reticulate::import(name, convert = FALSE)
}

# Starting Python and loading its packages takes some seconds, the first time on a machine longer.
announce_python <- function(wanted) {
  if (wanted) {
    message("Starting Python. This takes some seconds, once in a session.")
  }
}

# Uses the virtualenv of the project, if it has the module and the user has not chosen a Python.
choose_python <- function() {
  chosen <- nzchar(Sys.getenv(c("RETICULATE_PYTHON", "RETICULATE_PYTHON_ENV", "VIRTUAL_ENV")))
  if (any(chosen) || reticulate::py_available()) {
    return(invisible())
  }
  path <- project_python(getwd(), utils::packageVersion("reticulate"))
  if (!is.null(path)) {
    # Not required, so that an earlier use_python() takes precedence.
    reticulate::use_python(path, required = FALSE)
  }
}

# Python of the first virtualenv with the module, from a directory up to the root of its project.
project_python <- function(directory, reticulate_version) {
  for (parent in project_directories(normalizePath(directory))) {
    for (name in c(".venv-r", ".venv", "venv")) {
      found <- environment_python(file.path(parent, name), reticulate_version)
      if (!is.null(found)) {
        return(found)
      }
    }
  }
}

# The directory and its parents up to the root of the repository or project, if there is one.
project_directories <- function(directory) {
  up <- directory
  while (dirname(up[[length(up)]]) != up[[length(up)]]) {
    up <- c(up, dirname(up[[length(up)]]))
  }
  for (signs in list(".git", c("*.Rproj", "renv.lock", "pyproject.toml", "DESCRIPTION"))) {
    root <- vapply(up, function(path) length(Sys.glob(file.path(path, signs))) > 0L, logical(1L))
    if (any(root)) {
      return(up[seq_len(which(root)[[1L]])])
    }
  }
  directory
}

# The Python of a virtualenv, if it has the module and a NumPy that reticulate can use.
environment_python <- function(path, reticulate_version) {
  installed <- function(package) {
    Sys.glob(file.path(path, c("lib/python*/site-packages", "Lib/site-packages"), package))
  }
  new_numpy <- length(installed("numpy-[2-9]*.dist-info")) > 0L
  if (!length(installed("pwcstats-*.dist-info")) || (new_numpy && reticulate_version < "1.38")) {
    return(NULL)
  }
  binaries <- file.path(path, c("bin/python", "Scripts/python.exe"))
  first_of(binaries[file.exists(binaries)][1L])
}

# One sentence that says what is missing and what to run.
why_not_loaded <- function(reason) {
  # reticulate may give several lines.
  reason <- sub("\\.$", "", gsub("\\s+", " ", trimws(reason)))
  if (!reticulate::py_available()) {
    return(sprintf("pwcstats finds no Python (%s): %s.", reason, cure()))
  }
  path <- reticulate::py_config()$python
  if (grepl("No module named 'pwcstats'", reason, fixed = TRUE)) {
    return(sprintf("The Python module pwcstats is not installed for %s: %s.", path, cure()))
  }
  sprintf("The Python module pwcstats does not load in %s (%s): %s.", path, reason, cure())
}

# RETICULATE_PYTHON takes precedence over the virtualenv, so if it is set, installing alone does not
# help.
cure <- function() {
  if (nzchar(Sys.getenv("RETICULATE_PYTHON"))) {
    paste(
      "set RETICULATE_PYTHON to a Python that has the module, or unset it,",
      "run pwcstats::install_pwcstats() and restart R"
    )
  } else {
    paste(
      "run pwcstats::install_pwcstats() and restart R,",
      "or set RETICULATE_PYTHON to a Python that has the module"
    )
  }
}
