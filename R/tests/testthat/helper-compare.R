# Scores of two methods on ten data sets: no two differences are of equal size.
untied <- list(
  a = c(0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 0.990),
  b = c(0.768, 0.581, 0.971, 0.661, 0.886, 0.935, 0.668, 0.581, 0.838, 0.915)
)
# Eighths are exact in floating point, so that ties and zeros are exact in R too.
tied <- list(a = c(5, 3, 8, 4, 6, 7, 2, 9, 4, 6, 1) / 8, b = c(3, 3, 9, 2, 5, 7, 4, 6, 3, 4, 3) / 8)

sides <- c("two.sided", "less", "greater")

# Five methods on twelve data sets; two are much worse.
set.seed(20)
many <- matrix(
  rnorm(60, rep(c(0.80, 0.81, 0.86, 0.70, 0.71), each = 12), 0.02), 12,
  dimnames = list(sprintf("set-%02d", 1:12), c("lda", "svm", "gbm", "nb", "tree"))
)
# Eighths again: each row has ties.
many_tied <- round(8 * many) / 8

# The same scores in tidy form, with several splits each.
tidy_scores <- function(x, repeats = 1L) {
  rows <- expand.grid(
    dataset = rownames(x), method = colnames(x), "repeat" = seq_len(repeats),
    stringsAsFactors = FALSE
  )
  rows$score <- x[cbind(rows$dataset, rows$method)]
  rows
}

# Three repeats of four folds of one data set.
set.seed(21)
splits <- expand.grid(fold = 1:4, "repeat" = 1:3, method = c("qda", "lda", "nb"))
splits$score <- round(rnorm(36, c(qda = 0.8, lda = 0.83, nb = 0.7)[splits$method], 0.02), 4)

split_matrix <- function(method) {
  matrix(splits$score[splits$method == method], 3, byrow = TRUE)
}

without_names <- function(x) unname(as.vector(x))
