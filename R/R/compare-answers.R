#' Compare classifiers case by case
#'
#' McNemar's test for two classifiers and Cochran's Q test for several, from their correct and wrong
#' predictions for the same test cases.
#'
#' McNemar's test uses only cases that one method predicts correctly and the other does not.
#' `method = "asymptotic"` is [mcnemar.test()]. `"exact"` is [binom.test()] of the cases that only
#' one method predicts correctly; its error rate is never above the level. `"mid-p"` counts half the
#' probability of the observed table. It is less conservative, and its error rate is hardly ever
#' above the level (Fagerland and others 2013).
#'
#' Cochran's Q is Friedman's test of 0 and 1. For two methods it is McNemar's test without
#' continuity correction.
#'
#' @param a,b Whether each method was right in each case (`TRUE` and `FALSE`, or 1 and 0), or their
#'   predictions, with `truth`. Or `a` alone, a 2 x 2 table of counts: rows for right and wrong
#'   answers of the first method, columns for the second. A table whose rows and columns are named
#'   `FALSE` and `TRUE`, 0 and 1, or `wrong` and `right`, is read by these names, so that
#'   `table(a, b)` can be used.
#' @param truth The true classes, if `a` and `b`, or `answers`, are predictions: a factor or vector.
#' @param method `"exact"`, `"mid-p"` or `"asymptotic"`, see Details.
#' @param correct Apply a continuity correction to the chi-squared statistic of `"asymptotic"`?
#' @param alternative `"greater"`: `a` is right more often.
#' @param conf.level,level Confidence level, by either name.
#' @param answers Matrix or data frame with a row for each case and a column for each method:
#'   whether it was right, or its predictions, with `truth`.
#' @return A list of class `htest`. Its element `notes` has remarks on the result, which are also
#'   printed. The statistic of McNemar's test is the number of cases in which only `a` was right, or
#'   chi-squared. The estimate is the difference of the accuracies, `a` minus `b`, with Tango's
#'   score interval, whose level is approximate.
#' @seealso [compare_methods()] with a column `case`, which tests all pairs of several methods.
#' @references
#' Cochran, W. G. (1950) The comparison of percentages in matched samples. *Biometrika* **37**,
#' 256--266. \doi{10.2307/2332378}
#'
#' Fagerland, M. W., Lydersen, S. and Laake, P. (2013) The McNemar test for binary matched-pairs
#' data: mid-p and asymptotic are better than exact conditional. *BMC Medical Research Methodology*
#' **13**, 91. \doi{10.1186/1471-2288-13-91}
#'
#' McNemar, Q. (1947) Note on the sampling error of the difference between correlated proportions or
#' percentages. *Psychometrika* **12**, 153--157. \doi{10.1007/BF02295996}
#'
#' Tango, T. (1998) Equivalence test and confidence interval for the difference in proportions for
#' the paired-sample design. *Statistics in Medicine* **17**, 891--908.
#' @examplesIf pwcstats_available()
#' mcnemar_pair(rbind(c(59, 6), c(16, 80)))
#'
#' # Two classifiers of the same test cases.
#' odd <- seq_len(nrow(iris)) %% 2 == 1
#' species <- iris$Species[!odd]
#' form <- Species ~ Sepal.Length + Sepal.Width
#' lda <- predict(pwc(form, iris[odd, ], learners = "lda"), iris[!odd, ])
#' tree <- predict(pwc(form, iris[odd, ], learners = "tree"), iris[!odd, ])
#' mcnemar_pair(lda, tree, truth = species, method = "mid-p")
#' cochran_q(data.frame(lda, tree, guess = "virginica"), truth = species)
#' @export
mcnemar_pair <- function(a,
                         b = NULL,
                         truth = NULL,
                         method = c("exact", "mid-p", "asymptotic"),
                         correct = TRUE,
                         alternative = c("two.sided", "less", "greater"),
                         conf.level = 0.95, # nolint
                         level = conf.level) {
  call <- full_call()
  check_flag(correct, "correct", call)
  level <- read_level(call)
  options <- list(
    method = first_choice(method),
    correction = correct,
    alternative = check_choice(alternative, call),
    alpha = alpha_of(level)
  )
  if (is.null(b)) {
    if (!is.null(truth)) {
      abort("truth needs the predictions of two methods, a and b.", call)
    }
    data_name <- deparse1(substitute(a))
    counts <- as_numbers(a, "a", call)
    if (anyNA(counts)) {
      abort("a must be a 2 x 2 table of counts, but some of them are missing.", call)
    }
    answers <- list(right_first(counts, call))
  } else {
    data_name <- name_of_pair(substitute(a), substitute(b))
    answers <- list(
      as.array(read_right(a, truth, "a", call)), as.array(read_right(b, truth, "b", call))
    )
  }
  load_python(call)
  result <- call_compare("mcnemar", lapply(answers, to_py), options, call)
  chi_squared <- identical(options$method, "asymptotic")
  names <- list(statistic = if (chi_squared) "McNemar's chi-squared")
  as_htest(result, data_name, level, names)
}

# Python expects the order right, wrong, but table() sorts FALSE before TRUE.
right_first <- function(counts, call) {
  wrong_first <- list(c("FALSE", "TRUE"), c("0", "1"), c("wrong", "right"))
  order_of <- function(labels) {
    if (list(labels) %in% wrong_first) {
      return(2:1)
    }
    if (!is.null(labels) && !list(rev(labels)) %in% wrong_first) {
      abort(
        sprintf(
          "a must have rows and columns TRUE and FALSE, 1 and 0, or right and wrong, got %s; %s.",
          paste(labels, collapse = " and "), "for predictions give truth"
        ),
        call
      )
    }
    1:2
  }
  if (identical(dim(counts), c(2L, 2L))) {
    labels <- first_of(dimnames(counts), list(NULL, NULL))
    counts <- counts[order_of(labels[[1L]]), order_of(labels[[2L]])]
  }
  counts
}

#' @rdname mcnemar_pair
#' @export
cochran_q <- function(answers, truth = NULL) {
  call <- full_call()
  data_name <- deparse1(substitute(answers))
  right <- as.array(read_right(answers, truth, "answers", call))
  load_python(call)
  as_htest(call_compare("cochran_q", list(to_py(right)), list(), call), data_name)
}
