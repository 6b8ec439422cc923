# Objects of class paircomp from psychotools: a row for each subject, a column for each pair, and
# entries above 0 if the first object of the pair was preferred, below 0 for the second.

# With clusters, which are the subjects, there is one row for each comparison, otherwise one for
# each pair.
paircomp_input <- function(x, weights, cov_type, call) {
  items <- attr(x, "labels")
  scale <- attr(x, "mscale")
  if (max(abs(scale)) > 1) {
    abort(
      sprintf(
        "bt() needs comparisons on the scale -1, 0, 1, got %s; reduce others with sign().",
        show_value(scale)
      ),
      call
    )
  }
  answers <- matrix(as.integer(x), nrow(as.matrix(x)))
  pairs <- which(upper.tri(diag(length(items))), arr.ind = TRUE)
  if (attr(x, "ordered")) {
    pairs <- rbind(pairs, pairs[, 2:1])
  }
  n <- nrow(answers)
  if (!is.null(weights) && length(weights) != n) {
    abort(
      sprintf("weights needs a number for each of the %d subjects, got %d.", n, length(weights)),
      call
    )
  }
  weights <- read_row_weights(weights, n, call)
  amount <- function(answer) weights * (!is.na(answers) & answers == answer)
  counts <- lapply(c(wins1 = 1, wins2 = -1, ties = 0), amount)
  if (identical(cov_type, "cluster")) {
    counts <- vapply(counts, as.vector, numeric(length(answers)))
    subject <- as.vector(row(answers))
    pairs <- pairs[as.vector(col(answers)), , drop = FALSE]
  } else {
    counts <- vapply(counts, colSums, numeric(ncol(answers)))
    subject <- NULL
  }
  used <- which(rowSums(counts) > 0)
  if (!length(used)) {
    abort("there is no comparison in the data: all of them are missing.", call)
  }
  counts <- counts[used, , drop = FALSE]
  met <- sort(unique(as.vector(pairs[used, ])))
  codes <- matrix(match(pairs[used, ], met), ncol = 2L)
  lines <- counted_lines(codes, counts, rep(FALSE, length(used)))
  c(lines, list(
    items = items[met],
    model = model_rows(items[met], codes, rep(1, length(used)), counts),
    rows = seq_along(used),
    cluster = subject[used]
  ))
}

refuse_matrices <- function(asked, call) {
  for (name in c("tied", "n")) {
    if (!is.null(asked[[name]])) {
      abort(sprintf("%s needs a matrix of wins, not an object of paircomp().", name), call)
    }
  }
}

# Covariates of the objects, as item_data for a formula.
paircomp_data <- function(x, formula) {
  data <- attr(x, "covariates")
  if (!is.null(data) && !is.null(formula)) structure(data, row.names = attr(x, "labels"))
}
