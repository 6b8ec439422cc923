# Plots of coefficients.

test_that("coefficients are drawn with their intervals, in order from the top", {
  skip_without_python()
  fit <- firth(vs ~ wt + hp + factor(am), mtcars)
  for (method in c("wald", "profile")) {
    drawn <- record_drawing(function() plot(fit, level = 0.9, method = method))
    terms <- c("wt", "hp", "factor(am)1")
    expect_identical(drawn$names$label, terms)
    expect_identical(drawn$result$term, terms)
    expect_equal(drawn$points[c("x", "y")], data.frame(x = unname(coef(fit)[terms]), y = 3:1))
    bounds <- unname(confint(fit, terms, level = 0.9, method = method))
    expect_equal(unname(as.matrix(drawn$segments[c("x0", "x1")])), bounds)
    expect_equal(unname(as.matrix(drawn$result[c("conf.low", "conf.high")])), bounds)
    expect_identical(drawn$across[[1]]$v, 0)
  }
  with_intercept <- record_drawing(function() plot(fit, intercept = TRUE))
  expect_identical(with_intercept$names$label, names(coef(fit)))
  page <- draw(function() plot(fit, level = 0.9, method = "profile"))$page
  expect_written("90 % profile intervals", page)
  expect_written(c("other words", "a title"), {
    draw(function() plot(fit, xlab = "other words", main = "a title", xlim = c(-9, 9)))$page
  })
})

test_that("each class has a group and a colour", {
  skip_without_python()
  fit <- firth_multinom(grade ~ x + site, visits)
  drawn <- record_drawing(function() plot(fit))
  terms <- c("x", "sitesouth", "sitewest")
  expect_identical(drawn$names$label, c("mild", terms, "bad", terms))
  expect_identical(drawn$result$group, rep(c("mild", "bad"), each = 3))
  expect_equal(drawn$points$x, unname(as.vector(t(coef(fit)[, terms]))))
  # At the labels of the terms, below the class.
  expect_equal(drawn$points$y, drawn$names$at[-c(1, 5)])
  expect_identical(rownames(drawn$result), setdiff(rownames(vcov(fit)), c(
    "mild:(Intercept)", "bad:(Intercept)"
  )))
  expect_identical(drawn$points$col, rep(class_colors(2), each = 3))
})

test_that("stages are groups, unless their slopes are parallel", {
  skip_without_python()
  fit <- cratio(grade ~ x + site, visits, penalty = "firth")
  drawn <- record_drawing(function() plot(fit))
  expect_identical(drawn$result$group, rep(c("mild", "bad"), each = 3))
  expect_equal(drawn$points$x, unname(coef(fit)[rownames(drawn$result)]))
  expect_identical(rownames(drawn$result)[[4]], "x:bad")
  parallel <- update(fit, parallel = TRUE)
  drawn <- record_drawing(function() plot(parallel, intercept = TRUE))
  expect_identical(drawn$names$label, names(coef(parallel)))
  expect_true(all(is.na(drawn$result$group)))
  drawn <- record_drawing(function() plot(parallel))
  expect_identical(drawn$names$label, c("x", "sitesouth", "sitewest"))
})

test_that("infinite estimates are shown as text, and their intervals have arrows", {
  skip_without_python()
  separated$z <- c(0, 1, 1, 0, 1, 0, 1, 1, 0)
  separated$grade <- ordered(separated$ill)
  fit <- suppressWarnings(cratio(grade ~ age + z, separated))
  expect_identical(coef(fit)[["age:1"]], Inf)
  drawn <- record_drawing(function() plot(fit))
  expect_identical(drawn$result["age:1", "estimate"], Inf)
  expect_identical(drawn$text$label[[1]], "estimate Inf")
  expect_identical(nrow(drawn$text), 2L)
  expect_identical(sort(drawn$points$pch), c("<", "<", ">", ">"))
  expect_identical(describe_nonfinite(c(-Inf, NaN), "none"), c("estimate -Inf", "none"))
})

test_that("empty plots and wrong options are refused", {
  skip_without_python()
  fit <- firth(ill ~ 1, visits)
  expect_refused(plot(fit), "^the fit has only intercepts; draw them with intercept = TRUE")
  drawn <- record_drawing(function() plot(fit, intercept = TRUE))
  expect_identical(drawn$names$label, "(Intercept)")
  expect_refused(plot(fit, level = 95), "^level must be a number between 0 and 1")
  expect_refused(plot(fit, method = "zz"), "^method must be one of")
  expect_refused(plot(fit, intercept = "yes"), "^intercept must be TRUE or FALSE")
})

test_that("the margins are restored", {
  skip_without_python()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  before <- graphics::par(no.readonly = TRUE)[c("mai", "new", "mfrow")]
  plot(firth_multinom(grade ~ x + site, visits))
  expect_identical(graphics::par(no.readonly = TRUE)[c("mai", "new", "mfrow")], before)
  # They are in lines again: small plots have small margins.
  graphics::par(mfrow = c(4, 4))
  expect_lt(max(graphics::par("mai")), max(before$mai))
})

test_that("steps are drawn as the stages of continuation ratios", {
  skip_without_python()
  labels <- function(fit) record_drawing(function() plot(fit))$names$label
  fits <- lapply(c(FALSE, TRUE), function(parallel) {
    lapply(c(cratio, adjacent_categories), function(model) {
      model(grade ~ x + site, visits, penalty = "firth", parallel = parallel)
    })
  })
  for (pair in fits) {
    expect_identical(labels(pair[[2L]]), labels(pair[[1L]]))
  }
})

test_that("thresholds are drawn with intercept = TRUE only", {
  skip_without_python()
  fit <- ordered_logit(grade ~ x + site, visits)
  drawn <- record_drawing(function() plot(fit, method = "profile"))
  expect_identical(drawn$names$label, c("x", "sitesouth", "sitewest"))
  expect_equal(drawn$points$x, unname(coef(fit)[-(1:2)]))
  expect_equal(
    unname(as.matrix(drawn$result[c("conf.low", "conf.high")])),
    unname(confint(fit, 3:5, method = "profile"))
  )
  drawn <- record_drawing(function() plot(fit, intercept = TRUE))
  expect_identical(drawn$names$label, names(coef(fit)))
})
