#' Compare two methods on splits of one data set
#'
#' Scores of folds or of repeated splits of one data set are not independent: their training sets
#' overlap, and the usual t-test takes chance for difference. `corrected_resampled_t()` is the
#' t-test of Nadeau and Bengio, which allows for what the splits share. `cv5x2_t()` and `cv5x2_f()`
#' are those of Dietterich and of Alpaydin for five repeats of two-fold cross-validation.
#'
#' With differences \eqn{d} on \eqn{J} splits and \eqn{n_2 / n_1}{n2 / n1} test cases to each
#' training case the corrected statistic is
#' \deqn{t = \bar d \Big/ \sqrt{(1 / J + n_2 / n_1) s^2}}{
#'   t = mean(d) / sqrt((1 / J + n2 / n1) var(d))}
#' with \eqn{J - 1} degrees of freedom. For \eqn{k} folds \eqn{n_2 / n_1}{n2 / n1} is
#' \eqn{1 / (k - 1)}.
#'
#' Independent scores, as those of several data sets or of samples that were drawn afresh, need no
#' correction: [t.test()] with `paired = TRUE` is the test for these, or [wilcoxon_pair()].
#'
#' The t-test of Dietterich depends on which of the ten differences comes first, the F-test of
#' Alpaydin does not. The interval of the latter has all differences that the test would not reject;
#' where it rejects all there is none, and a note says so.
#'
#' @param a,b Scores of the two methods on the same splits: vectors, or matrices with a row for each
#'   repeat and a column for each fold. For `cv5x2_t()` and `cv5x2_f()` 5 x 2 matrices, or vectors
#'   of ten in the order of their rows (both folds of the first repeat first). Vectors that share
#'   names are paired by them.
#' @param test_fraction Share of the cases in each test set: 1/k for k folds, 0.3 where random
#'   splits hold out 30 %. Matrices tell it themselves, by their number of folds.
#' @param alternative `"greater"`: `a` scores higher.
#' @param conf.level,level Level of the confidence interval.
#' @return A list of class `htest`, as [t.test()] returns it. Its element `notes` has what one
#'   should know of the result, which is printed, too. The estimate is the mean difference, `a` less
#'   `b`; that of `cv5x2_t()` is the difference in the first fold of the first repeat, the one that
#'   the test is about.
#' @seealso [compare_methods()] for more than two methods, [bayes_correlated_t()] for the
#'   probability that one is better.
#' @references
#' Alpaydin, E. (1999) Combined 5 x 2 cv F test for comparing supervised classification learning
#' algorithms. *Neural Computation* **11**, 1885--1892. \doi{10.1162/089976699300016007}
#'
#' Bouckaert, R. R. and Frank, E. (2004) Evaluating the replicability of significance tests for
#' comparing learning algorithms. *PAKDD 2004*, 3--12. \doi{10.1007/978-3-540-24775-3_3}
#'
#' Dietterich, T. G. (1998) Approximate statistical tests for comparing supervised classification
#' learning algorithms. *Neural Computation* **10**, 1895--1923. \doi{10.1162/089976698300017197}
#'
#' Nadeau, C. and Bengio, Y. (2003) Inference for the generalization error. *Machine Learning*
#' **52**, 239--281. \doi{10.1023/A:1024068626366}
#' @examplesIf pwcstats_available()
#' # One five-fold cross-validation.
#' a <- c(0.81, 0.84, 0.86, 0.79, 0.90)
#' b <- c(0.78, 0.85, 0.80, 0.77, 0.86)
#' corrected_resampled_t(a, b, test_fraction = 1 / 5)
#'
#' # Five repeats of two folds.
#' a <- rbind(c(0.82, 0.80), c(0.79, 0.83), c(0.81, 0.80), c(0.84, 0.78), c(0.80, 0.82))
#' b <- rbind(c(0.78, 0.79), c(0.78, 0.79), c(0.77, 0.80), c(0.79, 0.77), c(0.79, 0.78))
#' cv5x2_f(a, b)
#' cv5x2_t(a, b, alternative = "greater")
#' @export
corrected_resampled_t <- function(a,
                                  b,
                                  test_fraction = NULL,
                                  alternative = c("two.sided", "less", "greater"),
                                  conf.level = 0.95, # nolint
                                  level = conf.level) {
  call <- sys.call()
  level <- read_level(call)
  options <- list(
    test_fraction = test_fraction, alternative = check_alternative(alternative, call)
  )
  data_name <- name_of_pair(substitute(a), substitute(b))
  test_two("corrected_resampled_t", a, b, options, level, data_name, call)
}

#' @rdname corrected_resampled_t
#' @export
cv5x2_t <- function(a,
                    b,
                    alternative = c("two.sided", "less", "greater"),
                    conf.level = 0.95, # nolint
                    level = conf.level) {
  call <- sys.call()
  level <- read_level(call)
  options <- list(alternative = check_alternative(alternative, call))
  test_two("cv5x2_t", a, b, options, level, name_of_pair(substitute(a), substitute(b)), call)
}

#' @rdname corrected_resampled_t
#' @export
cv5x2_f <- function(a, b, conf.level = 0.95, level = conf.level) { # nolint
  call <- sys.call()
  level <- read_level(call)
  data_name <- name_of_pair(substitute(a), substitute(b))
  test_two("cv5x2_f", a, b, list(), level, data_name, call)
}

check_alternative <- function(x, call) {
  check_choice(x, c("two.sided", "less", "greater"), "alternative", call)
}

# A test of paired scores; `names` as in as_htest().
test_two <- function(test, a, b, options, level, data_name, call, names = list()) {
  a <- read_finite(a, "a", call)
  b <- read_finite(b, "b", call)
  options$alpha <- alpha_of(level)
  load_python(call)
  if (!is.null(options$test_fraction)) {
    options$test_fraction <- number_to_py(options$test_fraction)
  }
  result <- call_compare(test, pair_to_py(a, b), options, call)
  as_htest(result, data_name, level, names)
}

#' Compare two methods on several data sets
#'
#' Tests of paired scores that ask for ranks and signs of their differences: Wilcoxon's signed-rank
#' test and the sign test. The pairs must be independent, usually one for each data set; for splits
#' of one data set see [corrected_resampled_t()].
#'
#' `wilcoxon_pair()` is [wilcox.test()] with `paired = TRUE`, apart from this: it is exact with ties
#' and zeros, too, as \pkg{exactRankTests} and \pkg{coin} are; differences whose sizes are equal but
#' for rounding are tied (0.9 - 0.8 is not 0.8 - 0.7 to a computer), as `digits.rank` there; and it
#' has an estimate and an interval unasked, those of the exact test where the test is exact.
#'
#' `sign_pair()` is [binom.test()] of the number of positive differences, without those of 0.
#'
#' @param a,b Scores of the two methods, pair by pair. Vectors that share names are paired by them.
#' @param zeros Differences of 0 are dropped before (`"wilcox"`, as R does) or after (`"pratt"`)
#'   they are ranked.
#' @param method `"exact"`: all changes of signs are counted; `"asymptotic"`: the normal
#'   distribution, its variance corrected for ties; `"auto"`: exact with fewer than 50 differences.
#' @param correct Use the normal distribution with a continuity correction?
#' @param alternative `"greater"`: `a` scores higher.
#' @param conf.level,level Level of the confidence interval.
#' @return A list of class `htest`. Its element `notes` has what one should know of the result,
#'   which is printed, too: zeros, ties, an interval that so few pairs do not allow. The statistic
#'   is V, the sum of the ranks of positive differences, or S, their number. The estimate is the
#'   pseudomedian, or the median, of all differences, those of 0 among them.
#' @seealso [compare_methods()] for more than two methods, [bayes_signed_rank()] for the probability
#'   that one is better, [t.test()] with `paired = TRUE` for the paired t-test.
#' @references
#' Pratt, J. W. (1959) Remarks on zeros and ties in the Wilcoxon signed rank procedures. *Journal of
#' the American Statistical Association* **54**, 655--667. \doi{10.1080/01621459.1959.10501526}
#'
#' Wilcoxon, F. (1945) Individual comparisons by ranking methods. *Biometrics Bulletin* **1**,
#' 80--83. \doi{10.2307/3001968}
#' @examplesIf pwcstats_available()
#' a <- c(0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000)
#' b <- c(0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000)
#' wilcoxon_pair(a, b)
#' sign_pair(a, b)
#' @export
wilcoxon_pair <- function(a,
                          b,
                          zeros = c("wilcox", "pratt"),
                          method = c("auto", "exact", "asymptotic"),
                          correct = TRUE,
                          alternative = c("two.sided", "less", "greater"),
                          conf.level = 0.95, # nolint
                          level = conf.level) {
  call <- sys.call()
  level <- read_level(call)
  check_flag(correct, "correct", call)
  options <- list(
    zeros = check_choice(zeros, c("wilcox", "pratt"), "zeros", call),
    method = check_choice(method, c("auto", "exact", "asymptotic"), "method", call),
    correction = correct,
    alternative = check_alternative(alternative, call)
  )
  data_name <- name_of_pair(substitute(a), substitute(b))
  # The names that wilcox.test() has.
  names <- list(estimate = "(pseudo)median", null = "location shift")
  test_two("wilcoxon", a, b, options, level, data_name, call, names)
}

#' @rdname wilcoxon_pair
#' @export
sign_pair <- function(a,
                      b,
                      alternative = c("two.sided", "less", "greater"),
                      conf.level = 0.95, # nolint
                      level = conf.level) {
  call <- sys.call()
  level <- read_level(call)
  options <- list(alternative = check_alternative(alternative, call))
  test_two("sign", a, b, options, level, name_of_pair(substitute(a), substitute(b)), call)
}
