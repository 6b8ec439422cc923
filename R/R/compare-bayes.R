#' Bayesian comparisons of two methods
#'
#' Computes the probabilities that one method is better, and that the methods are practically
#' equivalent. `bayes_correlated_t()` is for scores of splits of one data set. `bayes_signed_rank()`
#' is for independent pairs of scores, usually one for each data set.
#'
#' In `bayes_correlated_t()` the posterior of the mean difference is a t distribution, with one
#' degree of freedom fewer than splits, and with a scale that accounts for overlapping training sets
#' as [corrected_resampled_t()] does. In `bayes_signed_rank()` the differences have weights with a
#' Dirichlet distribution. For each sample of the weights, the function finds whether the mean of
#' two differences is most likely below `-rope`, within the region, or above `rope`; the
#' probabilities are the shares of these samples.
#'
#' @param a,b Scores of the two methods on the same splits or data sets: vectors, or for
#'   `bayes_correlated_t()` matrices with a row for each repeat and a column for each fold. Vectors
#'   with common names are matched by name.
#' @param rope Region of practical equivalence: differences from `-rope` to `rope` do not matter.
#' @param test_fraction Share of the cases in each test set, as for [corrected_resampled_t()].
#' @param conf.level,level Probability of the credible interval.
#' @param prior Weight of the prior, which is one additional difference of 0.
#' @param n_samples Number of samples from the posterior. The probabilities have a standard error of
#'   at most \eqn{1 / (2 \sqrt{n})}{1 / (2 sqrt(n))}, 0.002 by default.
#' @param seed Seed of the samples. By default it is drawn from R's random numbers, so that the
#'   result depends on [set.seed()].
#' @param x A result of one of these functions.
#' @param digits Number of significant digits.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return A list of class `pwcstats_bayes` with the elements
#'   \item{probabilities}{Probabilities that `a` is worse (`less`), that the methods are practically
#'     equivalent (`rope`), and that `a` is better (`greater`).}
#'   \item{estimate}{Posterior mean, or pseudomedian, of the difference `a` minus `b`.}
#'   \item{conf.int}{Equal-tailed credible interval of the difference; `NULL` for the signed-rank
#'     test.}
#'   \item{rope, method, question, data.name, notes}{Description of the comparison, and remarks.}
#'
#'   `tidy()` from \pkg{generics} returns a data frame with one row.
#' @seealso [corrected_resampled_t()] and [wilcoxon_pair()], the tests for the same designs.
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
#' # Two classifiers on the same folds of one data set.
#' vehicle <- subset(classifier_scores, dataset == "vehicle")
#' lda <- vehicle$score[vehicle$method == "lda"]
#' svm <- vehicle$score[vehicle$method == "svm"]
#' bayes_correlated_t(lda, svm, rope = 0.01, test_fraction = 1 / 5)
#'
#' # Two classifiers on ten data sets.
#' scores <- with(classifier_scores, tapply(score, list(dataset, method), mean))
#' bayes_signed_rank(scores[, "lda"], scores[, "svm"], rope = 0.01, seed = 1)
#' @export
bayes_correlated_t <- function(a,
                               b,
                               rope = 0.01,
                               test_fraction = NULL,
                               conf.level = 0.95, # nolint
                               level = conf.level) {
  call <- full_call()
  data_name <- name_of_pair(substitute(a), substitute(b))
  level <- read_level(call)
  a <- read_finite(a, "a", call)
  b <- read_finite(b, "b", call)
  load_python(call)
  options <- list(
    rope = number_to_py(rope),
    test_fraction = number_to_py(test_fraction),
    alpha = alpha_of(level)
  )
  result <- call_compare("bayes_correlated_t", pair_to_py(a, b), options, call)
  bayes_from_py(result, data_name, level)
}

#' @rdname bayes_correlated_t
#' @export
bayes_signed_rank <- function(a, b, rope = 0.01, prior = 0.5, n_samples = 50000, seed = NULL) {
  call <- full_call()
  data_name <- name_of_pair(substitute(a), substitute(b))
  a <- read_finite(a, "a", call)
  b <- read_finite(b, "b", call)
  if (is.null(seed)) {
    seed <- sample.int(.Machine$integer.max, 1L)
  }
  check_seed(seed, call)
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
