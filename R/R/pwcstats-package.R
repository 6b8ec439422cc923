#' Statistics of pairwise comparisons and pairwise classification
#'
#' \describe{
#'   \item{Classification by pairs of classes}{[pwc()]: one learner for each pair, coupled;
#'     [couple()]: the coupling alone; [hybrid()] and [ordinal_hybrid()]: support vector machines
#'     combined by a logistic model.}
#'   \item{Paired comparisons}{[bt()]: Bradley-Terry models; [abilities()], [compare_items()],
#'     [quasi_variances()], [comparison_intervals()], [rank_intervals()], [goodness_of_fit()].}
#'   \item{Logistic models}{[firth()], [firth_multinom()], [cratio()], [ordered_logit()],
#'   [adjacent_categories()]; [detect_separation()] and [stepwise()].}
#'   \item{Comparison of methods}{[compare_methods()], [winners()]; [corrected_resampled_t()],
#'     [cv5x2_t()], [cv5x2_f()], [wilcoxon_pair()], [sign_pair()], [mcnemar_pair()], [cochran_q()],
#'     [friedman_ranks()], [nemenyi()], [rank_tests()], [adjust_p()]; [bayes_correlated_t()] and
#'     [bayes_signed_rank()].}
#' }
#' `vignette("pwcstats")` is an introduction, with a dictionary for users of other packages.
#'
#' The package calls the Python package of the same name. Loading the package does not start Python;
#' the first call does. It uses the Python that the environment variable `RETICULATE_PYTHON` names.
#' Otherwise it looks for a virtualenv `.venv-r`, `.venv` or `venv` of the project (in the working
#' directory and its parents, up to the root of the repository or project), then for the virtualenv
#' of [install_pwcstats()], and then lets \pkg{reticulate} find the module.
#'
#' Errors have class `pwcstats_error` and warnings have class `pwcstats_warning`.
#'
#' @keywords internal
"_PACKAGE"
