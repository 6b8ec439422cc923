# Levels against the alphabet, so that R's order of pairs is not Python's.
backwards <- transform(iris, Species = factor(Species, levels = rev(levels(Species))))

# The rows of two classes, and how probable the first one is by `prob`, which is asked with them.
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

# A learner of R's that knows shares only.
shares <- list(
  fit = function(x, y) mean(y == levels(y)[[2]]),
  prob = function(model, x) rep(model, nrow(x))
)
