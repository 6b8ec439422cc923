# What e1071 says about three data sets. Usage: Rscript svm.R out.json [every]
# The rows are shuffled, so that e1071's order of the classes is not the sorted one. Answers are for all rows, or for
# every `every`-th one: the stored fixture is Rscript svm.R fixtures/svm.json 3.
suppressPackageStartupMessages({
  library(jsonlite)
  library(e1071)
})
data(Glass, Vehicle, package = "mlbench")
arguments <- commandArgs(TRUE)
every <- if (length(arguments) > 1) as.integer(arguments[[2]]) else 1L

case <- function(x, y) {
  # A permutation that no version of R's sample() changes.
  rows <- order((seq_len(nrow(x)) * 7919) %% 1009)
  x <- unname(as.matrix(x[rows, ]))
  y <- factor(y[rows])
  set.seed(1)
  model <- svm(
    x, y, kernel = "radial", gamma = 1 / ncol(x), cost = 1, tolerance = 1e-10, probability = TRUE, scale = TRUE
  )
  answer <- predict(model, x, decision.values = TRUE)
  probabilities <- attr(predict(model, x, probability = TRUE), "probabilities")
  keep <- seq(1, nrow(x), every)
  list(
    x = x, y = as.character(y), rows = keep - 1, labels = levels(y)[model$labels], index = model$index - 1,
    n_support = model$nSV, prob_a = model$probA, prob_b = model$probB,
    pairs = colnames(attr(answer, "decision.values")), predicted = as.character(answer)[keep],
    decision_values = unname(attr(answer, "decision.values"))[keep, ],
    columns = colnames(probabilities), probabilities = unname(probabilities)[keep, ]
  )
}

answer <- list(
  versions = c(R = as.character(getRversion()), sapply(
    c("e1071", "mlbench"), function(package) as.character(packageVersion(package))
  )) |> as.list(),
  iris = case(iris[, 1:4], iris$Species),
  glass = case(Glass[, 1:9], Glass$Type),
  vehicle = case(Vehicle[, 1:18], Vehicle$Class)
)
write_json(answer, arguments[[1]], digits = NA, auto_unbox = TRUE)
