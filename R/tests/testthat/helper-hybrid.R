# Versicolor is between the other two, and the rarer class.
flowers <- transform(
  iris,
  kind = factor(ifelse(Species == "versicolor", "versicolor", "other")),
  kept = Species
)

# Ordered classes that are not in alphabetical order.
air <- transform(
  airquality,
  ozone = cut(Ozone, c(0, 20, 50, 200), c("low", "middle", "high"), ordered_result = TRUE)
)

# Distances by svm() of e1071, positive on the side of `label`. Its scaled support vectors are those
# of its decision values; `product` is the kernel as a function of two matrices of rows.
peer_distance <- function(formula, data, label, product, new = data, ...) {
  peer <- e1071::svm(formula, data, type = "C-classification", tolerance = 1e-10, ...)
  value <- attr(predict(peer, new, decision.values = TRUE), "decision.values")
  # "a/b" is positive if a is predicted.
  side <- if (startsWith(colnames(value), paste0(label, "/"))) 1 else -1
  square <- t(peer$coefs) %*% product(peer$SV, peer$SV) %*% peer$coefs
  side * value[, 1] / sqrt(drop(square))
}

inner <- function(a, b) a %*% t(b)

# Probabilities by definition: the baseline first, then one group for each row of coefficients.
softmax_of <- function(coefficients, distance) {
  link <- cbind(1, distance[, colnames(coefficients)[-1], drop = FALSE]) %*% t(coefficients)
  odds <- cbind(1, exp(link))
  odds / rowSums(odds)
}
