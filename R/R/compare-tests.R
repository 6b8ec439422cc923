#' Compare two methods on splits of one data set
#'
#' Scores of folds or of repeated splits of one data set are not independent, because their training
#' sets overlap. The usual t-test then rejects too often. `corrected_resampled_t()` is the t-test of
#' Nadeau and Bengio, which corrects for the overlap. `cv5x2_t()` and `cv5x2_f()` are the tests of
#' Dietterich and of Alpaydin for five repeats of two-fold cross-validation.
#'
#' With differences \eqn{d} on \eqn{J} splits and \eqn{n_2 / n_1}{n2 / n1} test cases to each
#' training case the corrected statistic is
#' \deqn{t = \bar d \Big/ \sqrt{(1 / J + n_2 / n_1) s^2}}{
#'   t = mean(d) / sqrt((1 / J + n2 / n1) var(d))}
#' with \eqn{J - 1} degrees of freedom. For \eqn{k} folds \eqn{n_2 / n_1}{n2 / n1} is
#' \eqn{1 / (k - 1)}.
#'
#' Independent scores, from several data sets or from repeats with new samples, need no correction.
#' For these use [t.test()] with `paired = TRUE`, or [wilcoxon_pair()].
#'
#' Dietterich's t-test depends on which of the ten differences comes first; Alpaydin's F-test does
#' not. The interval of the F-test contains all differences that the test would not reject. If it
#' rejects all, there is no interval, and a note says so.
#'
#' @param a,b Scores of the two methods on the same splits: vectors, or matrices with a row for each
#'   repeat and a column for each fold. For `cv5x2_t()` and `cv5x2_f()`, 5 x 2 matrices, or vectors
#'   with ten entries in the order of their rows (both folds of the first repeat first). Vectors
#'   with common names are matched by name.
#' @param test_fraction Share of the cases in each test set: 1/k for k folds, 0.3 for random splits
#'   with test sets of 30%. It is not needed for matrices, which show the number of folds.
#' @param alternative `"greater"`: `a` scores higher.
#' @param conf.level,level Confidence level, by either name.
#' @return A list of class `htest`, as from [t.test()]. Its element `notes` has remarks on the
#'   result, which are also printed. The estimate is the mean difference, `a` minus `b`. For
#'   `cv5x2_t()` it is the difference in the first fold of the first repeat, which this test uses.
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
#' # Two classifiers on the same folds of one data set.
#' vehicle <- subset(classifier_scores, dataset == "vehicle")
#' lda <- vehicle$score[vehicle$method == "lda"]
#' svm <- vehicle$score[vehicle$method == "svm"]
#' corrected_resampled_t(lda, svm, test_fraction = 1 / 5)
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
  call <- full_call()
  level <- read_level(call)
  load_python(call)
  options <- list(
    test_fraction = number_to_py(test_fraction), alternative = check_choice(alternative, call)
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
  call <- full_call()
  level <- read_level(call)
  options <- list(alternative = check_choice(alternative, call))
  test_two("cv5x2_t", a, b, options, level, name_of_pair(substitute(a), substitute(b)), call)
}

#' @rdname corrected_resampled_t
#' @export
cv5x2_f <- function(a, b, conf.level = 0.95, level = conf.level) { # nolint
  call <- full_call()
  level <- read_level(call)
  data_name <- name_of_pair(substitute(a), substitute(b))
  test_two("cv5x2_f", a, b, list(), level, data_name, call)
}

# A test of paired scores; `names` as in as_htest().
test_two <- function(test, a, b, options, level, data_name, call, names = list()) {
  a <- read_finite(a, "a", call)
  b <- read_finite(b, "b", call)
  options$alpha <- alpha_of(level)
  load_python(call)
  result <- call_compare(test, pair_to_py(a, b), options, call)
  as_htest(result, data_name, level, names)
}

#' Compare two methods on several data sets
#'
#' Tests of paired scores that use ranks or signs of the differences: Wilcoxon's signed-rank test
#' and the sign test. The pairs must be independent, usually one for each data set. For splits of
#' one data set see [corrected_resampled_t()].
#'
#' `wilcoxon_pair()` is [wilcox.test()] with `paired = TRUE`, with these differences. It is exact
#' also with ties and zeros, like \pkg{exactRankTests} and \pkg{coin}. Absolute differences that are
#' equal except for rounding errors are tied (such as 0.9 - 0.8 and 0.8 - 0.7), as with
#' `digits.rank` in `wilcox.test()`. It always returns an estimate and an interval, from the exact
#' test if the test is exact.
#'
#' `sign_pair()` is [binom.test()] of the number of positive differences, without zeros.
#'
#' @param a,b Scores of the two methods. Vectors with common names are matched by name, others by
#'   position.
#' @param zeros Drop zero differences before (`"wilcox"`, as in R) or after (`"pratt"`) ranking.
#' @param method `"exact"` for the permutation distribution, `"asymptotic"` for the normal
#'   distribution with a variance corrected for ties, `"auto"` for the exact test with fewer than 50
#'   differences.
#' @param correct Apply a continuity correction in the normal approximation?
#' @param alternative `"greater"`: `a` scores higher.
#' @param conf.level,level Confidence level, by either name.
#' @return A list of class `htest`. Its element `notes` has remarks on zeros, ties, and intervals
#'   that need more pairs, which are also printed. The statistic is V, the sum of the ranks of
#'   positive differences, or S, their number. The estimate is the pseudomedian, or the median, of
#'   all differences, including zeros.
#' @seealso [compare_methods()] for more than two methods, [bayes_signed_rank()] for the probability
#'   that one is better, [t.test()] with `paired = TRUE` for the paired t-test.
#' @references
#' Pratt, J. W. (1959) Remarks on zeros and ties in the Wilcoxon signed rank procedures. *Journal of
#' the American Statistical Association* **54**, 655--667. \doi{10.1080/01621459.1959.10501526}
#'
#' Wilcoxon, F. (1945) Individual comparisons by ranking methods. *Biometrics Bulletin* **1**,
#' 80--83. \doi{10.2307/3001968}
#' @examplesIf pwcstats_available()
#' scores <- with(classifier_scores, tapply(score, list(dataset, method), mean))
#' wilcoxon_pair(scores[, "svm"], scores[, "lda"])
#' sign_pair(scores[, "svm"], scores[, "lda"])
#' @export
wilcoxon_pair <- function(a,
                          b,
                          zeros = c("wilcox", "pratt"),
                          method = c("auto", "exact", "asymptotic"),
                          correct = TRUE,
                          alternative = c("two.sided", "less", "greater"),
                          conf.level = 0.95, # nolint
                          level = conf.level) {
  call <- full_call()
  level <- read_level(call)
  check_flag(correct, "correct", call)
  options <- list(
    zeros = first_choice(zeros),
    method = first_choice(method),
    correction = correct,
    alternative = check_choice(alternative, call)
  )
  data_name <- name_of_pair(substitute(a), substitute(b))
  # As in wilcox.test().
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
  call <- full_call()
  level <- read_level(call)
  options <- list(alternative = check_choice(alternative, call))
  test_two("sign", a, b, options, level, name_of_pair(substitute(a), substitute(b)), call)
}
