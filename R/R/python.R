# Finding and loading Python, and calling the module.

# The only state of the package: references to Python modules, set by the first call.
python <- new.env(parent = emptyenv())

# Whether the index of Python packages has a release of pwcstats; "Release" in CONTRIBUTING.md says
# when this becomes TRUE.
on_pypi <- FALSE

# The release that belongs to this version: the R package uses internal functions of the module.
pypi_requirement <- function(version = utils::packageVersion("pwcstats")) {
  sprintf("pwcstats==%d.%d.*", version$major, version$minor)
}

# Tells reticulate which module is needed, in case the user starts Python before calling this
# package.
declare_python <- function(demand = newer_reticulate("py_require"), released = on_pypi) {
  # reticulate 1.41 and newer create one environment from the declarations of all packages. If one
  # declaration cannot be satisfied, no package of the session has a Python.
  if (released && !is.null(demand) && !has_environment()) {
    demand(pypi_requirement())
  }
  # If Python is running, this would load the module at once.
  if (!reticulate::py_available()) {
    reticulate::import("pwcstats", delay_load = list(environment = "r-pwcstats"))
  }
}

# A function that only newer versions of reticulate have, or NULL.
newer_reticulate <- function(name) {
  if (name %in% getNamespaceExports("reticulate")) getExportedValue("reticulate", name)
}

# Has the user chosen or made an environment, which reticulate takes before one from declarations?
has_environment <- function() {
  chosen <- Sys.getenv("RETICULATE_PYTHON")
  is_managed <- chosen == "managed" ||
    tolower(Sys.getenv("RETICULATE_USE_MANAGED_VENV")) %in% c("true", "1", "yes")
  !is_managed && (
    nzchar(chosen) || reticulate::virtualenv_exists("r-pwcstats") ||
      !is.null(project_python(getwd()))
  )
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
  path <- project_python(getwd())
  if (!is.null(path)) {
    # Not required, so that an earlier use_python() takes precedence.
    reticulate::use_python(path, required = FALSE)
  }
}

# Python of the first virtualenv with the module, from a directory up to the root of its project.
project_python <- function(directory, reticulate_version = utils::packageVersion("reticulate")) {
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
environment_python <- function(path, reticulate_version = utils::packageVersion("reticulate")) {
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
    ours <- environment_python(virtualenv_directory("r-pwcstats"))
    too_late <- !nzchar(Sys.getenv("RETICULATE_PYTHON")) && !is.null(ours)
    what <- if (too_late) "restart R and load pwcstats before anything starts Python" else cure()
    return(sprintf("The Python module pwcstats is not installed for %s: %s.", path, what))
  }
  sprintf("The Python module pwcstats does not load in %s (%s): %s.", path, reason, cure())
}

# RETICULATE_PYTHON takes precedence over the virtualenv, so if it is set, installing alone does not
# help. An R package from a checkout does not carry the Python package.
cure <- function(carries_source = has_source()) {
  install <- sprintf(
    "pwcstats::install_pwcstats(%s)", if (carries_source) "" else "source = \"path/to/checkout\""
  )
  if (nzchar(Sys.getenv("RETICULATE_PYTHON"))) {
    sprintf(
      "set RETICULATE_PYTHON to a Python that has the module, or unset it, run %s and restart R",
      install
    )
  } else {
    sprintf(
      "run %s and restart R, or set RETICULATE_PYTHON to a Python that has the module", install
    )
  }
}
