# LIBSVM's own iteration for wlw2, with its stopping rule.
libsvm_wlw2 <- function(r) {
  k <- nrow(r)
  diag(r) <- 0
  q <- -r * t(r)
  diag(q) <- colSums(r^2)
  p <- rep(1 / k, k)
  for (sweep in seq_len(max(100, k))) {
    qp <- drop(q %*% p)
    pqp <- sum(p * qp)
    if (max(abs(qp - pqp)) < .005 / k) break
    for (i in seq_len(k)) {
      step <- (pqp - qp[i]) / q[i, i]
      p[i] <- p[i] + step
      p <- p / (1 + step)
      pqp <- (pqp + step * (step * q[i, i] + 2 * qp[i])) / (1 + step)^2
      qp <- (qp + step * q[i, ]) / (1 + step)
    }
  }
  p
}

# Shuffled rows of a data set from mlbench, with the class last and shuffled levels.
bench_rows <- function(name) {
  data <- data_of(name, "mlbench")
  # The speaker of a vowel is not a predictor.
  data$V1 <- if (name != "Vowel") data$V1
  set.seed(12)
  data <- data[sample(nrow(data)), ]
  y <- data[[ncol(data)]]
  list(x = as.matrix(data[-ncol(data)]), y = factor(y, levels = sample(levels(y))))
}

# Its results for the rows of the fit; `labels` are the classes in its order.
peer_svm <- function(rows, ..., seed = 1) {
  set.seed(seed)
  model <- e1071::svm(rows$x, rows$y, tolerance = 1e-10, ...)
  class <- predict(
    model, rows$x,
    decision.values = TRUE, probability = !is.null(model$probA)
  )
  list(
    model = model, labels = levels(rows$y)[model$labels], class = class,
    decisions = attr(class, "decision.values"), proba = attr(class, "probabilities")
  )
}

# Its columns "b/a" as columns "a/b", with the opposite sign.
in_order <- function(decisions, columns) {
  turn <- function(name) paste(rev(strsplit(name, "/", fixed = TRUE)[[1]]), collapse = "/")
  vapply(columns, function(name) {
    if (name %in% colnames(decisions)) decisions[, name] else -decisions[, turn(name)]
  }, numeric(nrow(decisions)))
}
