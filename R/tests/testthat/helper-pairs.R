# r[i, j] = p[i] / (p[i] + p[j]): pairwise probabilities that are compatible with p.
pairs_of <- function(p) {
  outer(p, p, function(a, b) a / (a + b))
}

# Pairs in the order (1, 2), (1, 3), ..., (2, 3), ...: the upper triangle by rows.
condense <- function(r) {
  t(r)[lower.tri(r)]
}

uncondense <- function(pairs) {
  k <- (1 + sqrt(1 + 8 * length(pairs))) / 2
  r <- matrix(0, k, k)
  r[lower.tri(r)] <- pairs
  r <- t(r)
  r[lower.tri(r)] <- 1 - t(r)[lower.tri(r)]
  r
}

random_p <- function(k) {
  p <- rexp(k)
  p / sum(p)
}

# Incompatible pairwise probabilities, independent for each pair.
random_r <- function(k) {
  r <- matrix(0, k, k)
  r[upper.tri(r)] <- runif(k * (k - 1) / 2, .05, .95)
  r[lower.tri(r)] <- 1 - t(r)[lower.tri(r)]
  r
}

# The example of Hastie and Tibshirani (1998).
example_r <- matrix(c(NA, .9, .4, .1, NA, .7, .6, .3, NA), 3, byrow = TRUE)
