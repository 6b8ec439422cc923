#' Statistics of pairwise comparisons and pairwise classification
#'
#' \describe{
#'   \item{Classification by pairs of classes}{[pwc()]: one learner for each pair, coupled;
#'     [couple()]: the coupling alone; [hybrid()] and [ordinal_hybrid()]: support vector machines
#'     joined by a logistic model.}
#'   \item{Paired comparisons}{[bt()]: Bradley-Terry models; [abilities()], [compare_items()],
#'     [quasi_variances()], [comparison_intervals()], [rank_intervals()], [goodness_of_fit()].}
#'   \item{Logistic models}{[firth()], [firth_multinom()], [cratio()]; [detect_separation()] and
#'     [stepwise()].}
#'   \item{Comparison of methods}{[compare_methods()], [winners()]; [corrected_resampled_t()],
#'     [cv5x2_t()], [cv5x2_f()], [wilcoxon_pair()], [sign_pair()], [mcnemar_pair()], [cochran_q()],
#'     [friedman_ranks()], [nemenyi()], [rank_tests()], [adjust_p()]; [bayes_correlated_t()] and
#'     [bayes_signed_rank()].}
#' }
#' `vignette("pwcstats")` is a tour, with a dictionary from other packages.
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
