#' Bayesian comparisons of two methods
#'
#' How probable it is that one method is better, or that the difference does not matter.
#' `bayes_correlated_t()` is for scores of splits of one data set, `bayes_signed_rank()` for pairs
#' that are independent, usually one for each data set.
#'
#' The posterior of the mean difference in `bayes_correlated_t()` is Student's t about the mean,
#' with one degree of freedom less than there are splits and a scale that allows for overlapping
#' training sets as [corrected_resampled_t()] does. In `bayes_signed_rank()` the differences have
#' weights of a Dirichlet distribution; the probabilities are those of samples of these weights in
#' which the mean of two differences is most likely below `-rope`, within, or above `rope`.
#'
#' @param a,b Scores of the two methods on the same splits or data sets: vectors, or for
#'   `bayes_correlated_t()` matrices with a row for each repeat and a column for each fold. Vectors
#'   that share names are paired by them.
#' @param rope Region of practical equivalence: differences from `-rope` to `rope` do not matter.
#' @param test_fraction Share of the cases in each test set, as for [corrected_resampled_t()].
#' @param conf.level,level Probability of the credible interval.
#' @param prior Weight of the prior, one more difference of 0.
#' @param n_samples Samples of the posterior; the probabilities have a standard error of up to
#'   \eqn{1 / (2 \sqrt{n})}{1 / (2 sqrt(n))}, 0.002 by default.
#' @param seed Seed of the samples; by default it is drawn from R's random numbers, so that
#'   [set.seed()] decides.
#' @param x What one of these functions returned.
#' @param digits Number of significant digits.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `pwcstats_bayes` with the elements
#'   \item{probabilities}{That `a` is worse (`less`), that the methods are practically equivalent
#'     (`rope`), and that `a` is better (`greater`).}
#'   \item{estimate}{Posterior mean, or pseudomedian, of the difference, `a` less `b`.}
#'   \item{conf.int}{Credible interval of the difference, with the same probability on both sides;
#'     `NULL` of the signed-rank test.}
#'   \item{rope, method, question, data.name, notes}{What was done, and what one should know of it.}
#'
#'   `tidy()` of \pkg{generics} has a data frame with one row.
#' @seealso [corrected_resampled_t()] and [wilcoxon_pair()], the tests of the same designs.
#' @references
#' Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017) Time for a change: a tutorial for
#' comparing multiple classifiers through Bayesian analysis. *Journal of Machine Learning Research*
#' **18** (77), 1--36.
#'
#' Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. and Ruggeri, F. (2014) A Bayesian Wilcoxon
#' signed-rank test based on the Dirichlet process. *ICML 2014*, 1026--1034.
#'
#' Corani, G. and Benavoli, A. (2015) A Bayesian approach for comparing cross-validated algorithms
#' on multiple data sets. *Machine Learning* **100**, 285--304. \doi{10.1007/s10994-015-5486-z}
#' @examplesIf pwcstats_available()
#' a <- c(0.81, 0.84, 0.86, 0.79, 0.90)
#' b <- c(0.78, 0.85, 0.80, 0.77, 0.86)
#' bayes_correlated_t(a, b, rope = 0.01, test_fraction = 1 / 5)
#' bayes_signed_rank(a, b, rope = 0.01, seed = 1)
#' @export
bayes_correlated_t <- function(a,
                               b,
                               rope = 0.01,
                               test_fraction = NULL,
                               conf.level = 0.95, # nolint
                               level = conf.level) {
  call <- sys.call()
  data_name <- name_of_pair(substitute(a), substitute(b))
  level <- read_level(call)
  a <- read_finite(a, "a", call)
  b <- read_finite(b, "b", call)
  load_python(call)
  options <- list(
    rope = number_to_py(rope),
    test_fraction = if (!is.null(test_fraction)) number_to_py(test_fraction),
    alpha = alpha_of(level)
  )
  result <- call_compare("bayes_correlated_t", pair_to_py(a, b), options, call)
  bayes_from_py(result, data_name, level)
}

#' @rdname bayes_correlated_t
#' @export
bayes_signed_rank <- function(a, b, rope = 0.01, prior = 0.5, n_samples = 50000, seed = NULL) {
  call <- sys.call()
  data_name <- name_of_pair(substitute(a), substitute(b))
  a <- read_finite(a, "a", call)
  b <- read_finite(b, "b", call)
  if (is.null(seed)) {
    seed <- sample.int(.Machine$integer.max, 1L)
  }
  check_count(seed, "seed", call, least = 0)
  if (seed > .Machine$integer.max) {
    abort(sprintf("seed must be a whole number up to %d.", .Machine$integer.max), call)
  }
  load_python(call)
  options <- list(
    rope = number_to_py(rope),
    prior = number_to_py(prior),
    n_samples = count_to_py(n_samples),
    random_state = count_to_py(seed)
  )
  bayes_from_py(call_compare("bayes_signed_rank", pair_to_py(a, b), options, call), data_name)
}

bayes_from_py <- function(result, data_name, level = NULL) {
  interval <- unlist(from_py(result$cred_int))
  structure(
    class = "pwcstats_bayes",
    list(
      probabilities = c(
        less = from_py(result$p_less),
        rope = from_py(result$p_rope),
        greater = from_py(result$p_greater)
      ),
      estimate = from_py(result$estimate),
      conf.int = if (!is.null(interval)) structure(interval, conf.level = level),
      rope = from_py(result$rope),
      method = from_py(result$method),
      question = from_py(result$question),
      data.name = data_name,
      notes = notes_from_py(result$notes)
    )
  )
}

#' @rdname bayes_correlated_t
#' @export
print.pwcstats_bayes <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  cat("", strwrap(x$method, prefix = "\t"), "", paste0("data:  ", x$data.name), sep = "\n")
  cat(strwrap(x$question, exdent = 2L), "", sep = "\n")
  shown <- stats::setNames(x$probabilities, c("a is worse", "equivalent", "a is better"))
  print(shown, digits = digits)
  cat(sprintf("\nestimate of the difference: %s\n", format(x$estimate, digits = digits)))
  if (!is.null(x$conf.int)) {
    cat(sprintf(
      "%s percent credible interval: %s\n", format(100 * attr(x$conf.int, "conf.level")),
      paste(format(x$conf.int[1:2], digits = digits), collapse = " ")
    ))
  }
  cat("\n")
  print_notes(x$notes)
  invisible(x)
}

#' @rdname bayes_correlated_t
#' @exportS3Method generics::tidy
tidy.pwcstats_bayes <- function(x, ...) { # nolint
  refuse_unknown(...)
  interval <- first_of(x$conf.int, c(NA_real_, NA_real_))
  data.frame(
    estimate = x$estimate,
    p.less = x$probabilities[["less"]],
    p.rope = x$probabilities[["rope"]],
    p.greater = x$probabilities[["greater"]],
    rope = x$rope,
    conf.low = interval[[1L]],
    conf.high = interval[[2L]],
    method = x$method
  )
}
