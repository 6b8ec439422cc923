# Levels in reverse alphabetical order, so that R and Python order pairs differently.
backwards <- transform(iris, Species = factor(Species, levels = rev(levels(Species))))

# The rows of two classes, and the probabilities of the first class by `prob`.
of_pair <- function(data, response, first, second) {
  part <- data[data[[response]] %in% c(first, second), ]
  part[[response]] <- factor(part[[response]], levels = c(first, second))
  part
}

# Columns as pwc() scales them.
scaled_iris <- function() {
  data.frame(scale(iris[1:4]), Species = backwards$Species)
}

pair_names <- function(labels) {
  apply(utils::combn(labels, 2), 2, paste, collapse = "/")
}

# An R learner that predicts the shares of the classes.
shares <- list(
  fit = function(x, y) mean(y == levels(y)[[2]]),
  prob = function(model, x) rep(model, nrow(x))
)
