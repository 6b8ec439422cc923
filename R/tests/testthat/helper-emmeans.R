# Fits of other packages with our coefficients, so that their methods for emmeans and effects are
# references to rounding error.

like_glm <- function(fit) {
  call <- fit$call
  call[[1L]] <- quote(stats::glm)
  call$family <- quote(stats::binomial())
  model <- suppressWarnings(eval(call, environment(formula(fit))))
  model$coefficients <- if (is.matrix(coef(fit))) coef(fit)[1L, ] else coef(fit)
  model
}

like_multinom <- function(fit) {
  call <- fit$call
  call[[1L]] <- quote(nnet::multinom)
  call$trace <- FALSE
  model <- eval(call, environment(formula(fit)))
  weights <- matrix(0, ncol(coef(fit)) + 1L, nrow(coef(fit)) + 1L)
  weights[-1L, -1L] <- t(coef(fit))
  model$wts <- as.vector(weights)
  model
}

# Estimates to rounding error: clm() iterates to this gradient.
like_clm <- function(fit) {
  call <- fit$call
  call[[1L]] <- quote(ordinal::clm)
  call$control <- quote(ordinal::clm.control(gradTol = 1e-12, maxIter = 200L))
  eval(call, environment(formula(fit)))
}

# Numbers of a table of emmeans.
numbers <- function(x) {
  table <- as.data.frame(x)
  unname(as.matrix(table[vapply(table, is.numeric, logical(1L))]))
}

days <- transform(
  na.omit(airquality),
  ozone = cut(Ozone, c(0, 20, 50, 200), c("low", "middle", "high"), ordered_result = TRUE),
  month = factor(Month), hot = as.numeric(Temp > 79), count = rep(1:3, 37),
  shift = rep(c(-0.2, 0.1, 0.3), 37)
)

# Age separates the grades.
grades <- data.frame(
  age = c(22, 28, 31, 35, 39, 41, 46, 52, 60),
  grade = factor(rep(c("low", "mid", "high"), c(5, 2, 2)), c("low", "mid", "high"), ordered = TRUE)
)
