#' Statistics of pairwise comparisons and pairwise classification
#'
#' The package calls the Python package of the same name. Loading it starts no Python: the first
#' call does. Python is looked for in the place that the environment variable `RETICULATE_PYTHON`
#' names, then in a virtualenv `.venv-r`, `.venv` or `venv` of the project (the working directory or
#' one above it, up to the repository or what else looks like the root of a project), then in the
#' virtualenv that [install_pwcstats()] makes, then wherever \pkg{reticulate} finds the module.
#'
#' Errors are conditions of class `pwcstats_error`, warnings of class `pwcstats_warning`.
#'
#' @keywords internal
"_PACKAGE"
