# Chang's Procedure I with R's own parts: e1071's machines, their decision values over ||w||, and multinomial models of
# these distances. Usage: Rscript hybrid.R out.json [every]
# Distances are for all rows, or for every `every`-th one: the stored fixture is Rscript hybrid.R fixtures/hybrid.json 5.
suppressPackageStartupMessages({
  library(jsonlite)
  library(e1071)
  library(nnet)
  library(brglm2)
})
data(Vehicle, package = "mlbench")
arguments <- commandArgs(TRUE)
every <- if (length(arguments) > 1) as.integer(arguments[[2]]) else 1L

# Signed distances of all rows from the border between two classes, positive on the side of the first one.
distances <- function(x, y, positive, negative, kernel) {
  rows <- y %in% c(positive, negative)
  model <- svm(
    x[rows, ], factor(as.character(y[rows])), kernel = kernel, gamma = 1 / ncol(x), cost = 1, tolerance = 1e-10,
    scale = FALSE
  )
  values <- attr(predict(model, x, decision.values = TRUE), "decision.values")
  sign <- if (startsWith(colnames(values), paste0(positive, "/"))) 1 else -1
  a <- drop(model$coefs)
  gram <- model$SV %*% t(model$SV)
  if (kernel == "radial") {
    squares <- diag(gram)
    gram <- exp(-model$gamma * (outer(squares, squares, "+") - 2 * gram))
  }
  sign * drop(values) / sqrt(drop(a %*% gram %*% a))
}

case <- function(x, y, positive, kernel, penalised = TRUE) {
  x <- unname(scale(as.matrix(x)))
  attributes(x) <- list(dim = dim(x))
  y <- factor(y)
  others <- setdiff(levels(y), positive)
  d <- sapply(others, function(negative) distances(x, y, positive, negative, kernel))
  frame <- data.frame(y = relevel(y, positive), d = unname(d))
  # brmultinom stops at a change of 1e-6 unless it is told otherwise.
  control <- brglmControl(type = "AS_mean", epsilon = 1e-12, maxit = 1000)
  firth <- if (penalised) brmultinom(y ~ ., frame, type = "AS_mean", control = control)
  plain <- multinom(y ~ ., frame, trace = FALSE, maxit = 10000, reltol = 1e-15, abstol = 1e-15)
  keep <- seq(1, nrow(x), every)
  list(
    x = x, y = as.character(y), positive = positive, others = others, rows = keep - 1, distances = unname(d)[keep, ],
    firth = if (penalised) unname(coef(firth)), firth_proba = if (penalised) unname(fitted(firth))[keep, ],
    multinom = unname(coef(plain)), multinom_loglik = as.numeric(logLik(plain)),
    multinom_proba = unname(fitted(plain))[keep, ]
  )
}

answer <- list(
  versions = c(R = as.character(getRversion()), sapply(
    c("e1071", "nnet", "brglm2", "mlbench"), function(package) as.character(packageVersion(package))
  )) |> as.list(),
  iris = case(iris[, 1:4], iris$Species, "versicolor", "linear"),
  vehicle = case(Vehicle[1:160, 1:18], Vehicle$Class[1:160], "van", "linear", penalised = FALSE),
  # Few rows, for brmultinom has a parameter for each.
  radial = case(Vehicle[1:110, 1:18], Vehicle$Class[1:110], "van", "radial")
)
write_json(answer, arguments[[1]], digits = NA, auto_unbox = TRUE)
