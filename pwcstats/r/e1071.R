# A model leaves R as serialized bytes, and no R object outlives a call. So models can be pickled, and Python never
# frees an R object in one thread while R runs in another.
local({
  # scikit-learn's gamma="scale" for the scaled x. svm() scales no column if one of them is constant.
  gamma_of <- function(x, scale) {
    if (any(scale) && all(apply(x[, scale, drop = FALSE], 2, stats::var) > 0)) x[, scale] <- base::scale(x[, scale])
    variance <- mean((x - mean(x))^2)
    if (variance > 0) 1 / (ncol(x) * variance) else 1
  }

  # svm() keeps its call in the model. Its arguments are names, as values would put the data into the model.
  fit <- function(x, y, n_classes, scale, type, kernel, degree, gamma, coef0, cost, nu, weights, cachesize, tolerance,
                  shrinking, probability, seed) {
    y <- structure(y, levels = as.character(seq_len(n_classes)), class = "factor")
    if (is.null(gamma)) gamma <- gamma_of(x, scale)
    if (!is.null(weights)) names(weights) <- levels(y)
    model <- seeded(seed, e1071::svm(
      x, y, scale = scale, type = type, kernel = kernel, degree = degree, gamma = gamma, coef0 = coef0, cost = cost,
      nu = nu, class.weights = weights, cachesize = cachesize, tolerance = tolerance, shrinking = shrinking,
      probability = probability, fitted = FALSE
    ))
    list(rds = serialize(model, NULL), labels = model$labels, index = model$index, A = model$probA, B = model$probB)
  }

  predict <- function(rds, x, what) {
    model <- unserialize(rds)
    answer <- stats::predict(
      model, x, decision.values = what == "decision.values", probability = what == "probabilities"
    )
    list(labels = model$labels, values = if (what == "class") as.integer(answer) else attr(answer, what))
  }

  list(fit = fit, predict = predict)
})
