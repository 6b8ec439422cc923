#' Methods for pairwise classifiers
#'
#' Methods for fits by [pwc()], besides [those of all classifiers][pwcstats_classifier]. There are
#' also methods for `tidy()`, `glance()` and [`augment()`][pwcstats_augment] from \pkg{generics}
#' (re-exported by \pkg{broom}).
#'
#' @param x,object A fit by [pwc()].
#' @param digits Number of significant digits.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `summary()` returns a list of class `summary.pwcstats_pwc`. It prints all pairs, the
#'   number of pairs of each learner, and a table of true and predicted classes of the rows of the
#'   fit (with fewer errors than for new rows). `tidy()` returns the pairs as a data frame,
#'   `glance()` a data frame with one row.
#' @seealso [predict()][predict.pwcstats_pwc], [plot()][plot.pwcstats_pwc]
#' @examplesIf pwcstats_available()
#' fit <- pwc(Species ~ ., iris, learners = c("lda", "qda", "nb"))
#' summary(fit)
#' @name pwcstats_pwc
NULL

#' @rdname pwcstats_pwc
#' @export
print.pwcstats_pwc <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  print_pwc(x, digits, most_pairs)
  invisible(x)
}

print_pwc <- function(x, digits, most) {
  print_call(x)
  # If all learners failed on a pair, its learner is not among x$learners.
  chosen <- table(factor(x$pairs$learner, levels = union(x$learners, x$pairs$learner)))
  print_lines(c(
    Rows = format(x$nobs),
    Classes = paste(as.character(x$classes), collapse = ", "),
    Learners = paste(
      sprintf("%s (%d %s)", names(chosen), chosen, ifelse(chosen == 1L, "pair", "pairs")),
      collapse = ", "
    ),
    Coupling = describe_coupling(x),
    Thresholds = if (x$threshold != "none") {
      c(train = "from the rows of the fit", cv = "cross-validated")[[x$threshold]]
    },
    Temperature = if (isTRUE(x$temperature != 1)) format(x$temperature, digits = digits)
  ))
  cat(describe_missing(x), "\nPairs:\n", sep = "")
  shown <- seq_len(min(most, nrow(x$pairs)))
  print(x$pairs[shown, ], digits = digits, row.names = FALSE)
  if (nrow(x$pairs) > length(shown)) {
    cat(sprintf("... and %d more, see summary()\n", nrow(x$pairs) - length(shown)))
  }
  cat("\n")
}

describe_coupling <- function(x) {
  if (!x$uses_pair_weights) {
    return(x$coupling)
  }
  weighted <- c(counts = "by rows", equal = "equally")
  how <- if (is.matrix(x$pair_weights)) "by pair_weights" else weighted[[x$pair_weights]]
  sprintf("%s, pairs weighted %s", x$coupling, how)
}

#' @rdname pwcstats_pwc
#' @export
summary.pwcstats_pwc <- function(object, ...) {
  refuse_unknown(...)
  refuse_without_rows(object, sys.call())
  truth <- object$classes[match(as.character(object$model[[1L]]), as.character(object$classes))]
  # Only rows of the fit: na.exclude would add others.
  fit <- object
  fit$na.action <- NULL
  used <- first_of(stats::model.weights(object$model), rep(1, length(truth))) > 0
  table <- table(true = truth[used], predicted = predict(fit)[used])
  structure(class = "summary.pwcstats_pwc", c(unclass(object), list(table = table)))
}

#' @export
print.summary.pwcstats_pwc <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  print_pwc(x, digits, nrow(x$pairs))
  cat("Rows of the fit, true and predicted classes:\n")
  print(x$table)
  wrong <- sum(x$table) - sum(diag(x$table))
  cat(sprintf("Errors: %d of %d (more for new rows)\n\n", wrong, sum(x$table)))
  invisible(x)
}

#' @rdname pwcstats_pwc
#' @exportS3Method generics::tidy
tidy.pwcstats_pwc <- function(x, ...) { # nolint
  refuse_unknown(...)
  x$pairs
}

#' @rdname pwcstats_pwc
#' @exportS3Method generics::glance
glance.pwcstats_pwc <- function(x, ...) { # nolint
  refuse_unknown(...)
  data.frame(
    nobs = x$nobs,
    n.classes = length(x$classes),
    n.pairs = nrow(x$pairs),
    n.learners = length(x$learners),
    coupling = x$coupling,
    threshold = x$threshold,
    temperature = x$temperature
  )
}

#' Predictions from pairwise classifiers
#'
#' @param object A fit by [pwc()].
#' @param newdata Data frame with the variables of the formula, or after `x` and `y` a matrix or
#'   data frame with the columns of `x`; by default the rows of the fit.
#' @param type `"class"` for the most probable class (the first level if classes are equally
#'   probable); `"prob"` (or `"probs"`, `"response"`) for the coupled probabilities at the
#'   temperature of the fit, where the probabilities of pairs are restricted to the range from 1e-7
#'   to 1 - 1e-7; `"pairs"` for the probability of the first class of each pair, which [couple()]
#'   takes with `condensed = TRUE`;
#'   `"votes"` for the number of pairs that a class wins; `"decision"` (or `"link"`) for the scores
#'   of the pairs before calibration, which are positive in favour of the first class (decision
#'   values for support vector machines, log-odds for other learners).
#' @param na.action How to treat rows of `newdata` with missing values; by default they are `NA` in
#'   the result.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return For `"class"` a factor with the levels of the response, ordered if the response is
#'   ordered. Otherwise a matrix with a row for each row of `newdata` and a column for each class,
#'   or for each pair, with names such as `"a/b"`.
#' @examplesIf pwcstats_available()
#' fit <- pwc(Species ~ ., iris, learners = "svm")
#' new <- iris[c(1, 71, 120), ]
#' predict(fit, new)
#' predict(fit, new, type = "prob")
#'
#' # Another coupling of the same pairs.
#' r <- predict(fit, new, type = "pairs")
#' couple(r, "ht", condensed = TRUE)
#' @export
predict.pwcstats_pwc <- function(object,
                                 newdata = NULL,
                                 type = c(
                                   "class", "prob", "pairs", "votes", "decision", "probs",
                                   "response", "link"
                                 ),
                                 na.action = stats::na.pass, # nolint
                                 ...) {
  call <- sys.call()
  refuse_unknown(..., .hints = idioms_of_e1071)
  type <- check_choice(type, call)
  rows <- machine_rows(object, newdata, na.action, call)
  labels <- as.character(object$classes)
  of_pairs <- type %in% c("pairs", "decision", "link")
  columns <- if (of_pairs) pair_columns(object$pairs, call) else labels
  ask <- switch(type,
    pairs = function(fit, new) pair_proba_from_py(fit, new, object$pairs, call),
    decision = ,
    link = function(fit, new) scores_from_py(fit, new, labels, call),
    votes = function(fit, new) votes_from_py(fit, new, labels, call),
    function(fit, new) proba_from_py(fit, new, labels, call)
  )
  values <- predict_known(object, rows, columns, ask, call)
  if (type == "class") {
    class_or_proba(values, object, type, rows$na_action)
  } else {
    stats::napredict(rows$na_action, values)
  }
}

pair_columns <- function(pairs, call) {
  columns <- paste0(pairs$class_i, "/", pairs$class_j)
  if (anyDuplicated(columns)) {
    abort(
      sprintf(
        "two pairs would have the name '%s'; rename the classes without a slash.",
        columns[duplicated(columns)][[1L]]
      ),
      call
    )
  }
  columns
}

pair_proba_from_py <- function(fit, new, pairs, call) {
  labels <- labels_from_py(fit$classes_)
  indices <- lapply(
    list(pairs$class_i, pairs$class_j),
    function(label) to_py(as.array(match(label, labels)))
  )
  matrix_from_py(call_bridge(python$bridge$in_pairs, c(list(fit), new, indices), list(), call))
}

scores_from_py <- function(fit, new, labels, call) {
  pairs <- columns_from_py(fit$pairs_, c("class_i", "class_j"), "n")
  sorted <- sort_pairs(pairs$class_i, pairs$class_j, labels)
  scores <- matrix_from_py(call_bridge(fit$pairwise_scores, new, list(), call))
  sweep(scores, 2L, ifelse(sorted$swapped, -1, 1), "*")[, sorted$order, drop = FALSE]
}

votes_from_py <- function(fit, new, labels, call) {
  votes <- matrix_from_py(call_bridge(fit$votes, new, list(), call))
  votes[, match(labels, labels_from_py(fit$classes_)), drop = FALSE]
}
