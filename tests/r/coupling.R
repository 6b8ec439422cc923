# What R says about coupling. Usage: Rscript coupling.R out.json
# Everything that enters or leaves R is written with all its digits, so that Python couples the very same numbers.
suppressPackageStartupMessages({
  library(jsonlite)
  library(BradleyTerry2)
  library(e1071)
  library(kernlab)
})
data(Glass, package = "mlbench")
set.seed(20071)

# Hastie-Tibshirani's model is BTm with n_ij r_ij (fractional) wins; it warns about the fractions, which is the point.
btm_case <- function(k, drop = 0) {
  pairs <- t(combn(k, 2))
  r <- plogis(rnorm(nrow(pairs), sd = 1.5))
  n <- exp(rnorm(nrow(pairs), sd = 1.5))
  # The pairs (1, j) stay, so that the design is connected.
  if (drop > 0) n[sample(which(pairs[, 1] > 1), drop)] <- 0
  used <- n > 0
  items <- factor(seq_len(k))
  data <- data.frame(
    win1 = (n * r)[used], win2 = (n * (1 - r))[used],
    a = items[pairs[used, 1]], b = items[pairs[used, 2]]
  )
  fit <- suppressWarnings(BTm(cbind(win1, win2), a, b, data = data, control = glm.control(epsilon = 1e-14, maxit = 100)))
  ability <- c(0, unname(coef(fit)))
  list(r = r, n = n, p = exp(ability) / sum(exp(ability)))
}

# e1071's probabilities come from its decision values, probA and probB through LIBSVM's coupling. Columns follow model$labels.
e1071_case <- function(x, y, rows, keep) {
  x <- x[rows, ]
  y <- y[rows]
  set.seed(1)
  model <- svm(x, y, probability = TRUE, tolerance = 1e-10)
  answer <- predict(model, x, probability = TRUE, decision.values = TRUE)
  probabilities <- attr(answer, "probabilities")
  list(
    labels = levels(y)[model$labels],
    pairs = colnames(attr(answer, "decision.values")),
    decision_values = unname(attr(answer, "decision.values")[keep, ]),
    prob_a = model$probA, prob_b = model$probB,
    columns = colnames(probabilities),
    probabilities = unname(probabilities[keep, ])
  )
}

kernlab_case <- function(r) {
  list(r = r, minpair = couple(r, "minpair"), pkpd = couple(r, "pkpd"))
}

n_iris <- nrow(iris)
n_glass <- nrow(Glass)
consistent <- c(.4, .3, .2, .1)
i <- combn(4, 2)
answer <- list(
  versions = c(R = as.character(getRversion()), sapply(
    c("BradleyTerry2", "e1071", "kernlab", "mlbench"),
    function(package) as.character(packageVersion(package))
  )) |> as.list(),
  btm = list(btm_case(3), btm_case(5), btm_case(8), btm_case(12), btm_case(5, drop = 3), btm_case(8, drop = 15)),
  e1071 = list(
    iris = e1071_case(iris[, 1:4], iris$Species, seq_len(n_iris), seq(1, n_iris, 3)),
    iris_reversed = e1071_case(iris[, 1:4], iris$Species, rev(seq_len(n_iris)), seq(1, n_iris, 3)),
    glass = e1071_case(Glass[, 1:9], Glass$Type, seq_len(n_glass), seq(1, n_glass, 4)),
    glass_shuffled = e1071_case(Glass[, 1:9], Glass$Type, sample(n_glass), seq(1, n_glass, 4))
  ),
  kernlab_three = kernlab_case(matrix(runif(60, .01, .99), ncol = 3)),
  kernlab_four = list(
    p = consistent,
    minpair = drop(couple(t(consistent[i[1, ]] / (consistent[i[1, ]] + consistent[i[2, ]])), "minpair"))
  )
)
write_json(answer, commandArgs(TRUE)[1], digits = NA, auto_unbox = TRUE)
