# Reliability diagrams, against prop.test().

test_that("intervals are those of prop.test", {
  skip_without_python()
  load_python(NULL)
  for (level in c(0.8, 0.95)) {
    for (n in c(5, 40)) {
      for (k in c(0, 2, 5)) {
        expected <- suppressWarnings(
          stats::prop.test(k, n, correct = FALSE, conf.level = level)$conf.int
        )
        line <- list(p = rep(0.5, n), truth = seq_len(n) <= k)
        found <- bin_line(line, "a", 2, "uniform", level, NULL)
        expect_equal(c(found$conf.low, found$conf.high), as.vector(expected), tolerance = 1e-10)
        expect_equal(c(found$mean, found$share, found$n), c(0.5, k / n, n))
      }
    }
  }
})

test_that("fits and matrices are drawn, one line for each class or for each fit", {
  skip_without_python()
  train <- seq(1, 150, by = 2)
  fit <- pwc(Species ~ Sepal.Length + Sepal.Width, backwards[train, ], learners = "lda")
  new <- backwards[-train, ]
  p <- predict(fit, new, type = "prob")
  drawn <- record_drawing(function() calibration_plot(fit, new, new$Species, bins = 4))
  expect_identical(unique(drawn$result$line), colnames(p))
  line <- list(p = p[, "setosa"], truth = new$Species == "setosa")
  expect_equal(
    drawn$result[drawn$result$line == "setosa", ],
    bin_line(line, "setosa", 4, "quantile", 0.95, NULL),
    ignore_attr = TRUE
  )
  expect_identical(
    drawn$result,
    record_drawing(function() calibration_plot(p, y = new$Species, bins = 4))$result
  )
  expect_identical(unique(drawn$segments$col), palette_colors[1:3])
  several <- record_drawing(function() calibration_plot(list(one = fit, two = p), new, new$Species))
  loss <- -mean(log(p[cbind(1:75, match(new$Species, colnames(p)))]))
  expect_identical(
    unique(several$result$line), sprintf("%s: log loss %.3f", c("one", "two"), loss)
  )
  best <- max.col(p, ties.method = "first")
  one <- list(p = p[cbind(1:75, best)], truth = colnames(p)[best] == new$Species)
  expect_equal(
    subset(several$result, grepl("one", line))[-1],
    bin_line(one, "one", 10, "quantile", 0.95, NULL)[-1],
    ignore_attr = TRUE
  )
  page <- draw(function() calibration_plot(fit, new, new$Species, level = 0.9))$page
  expect_written(c("90 % intervals", "on these 75 rows"), page)
  page <- draw(function() calibration_plot(p, y = new$Species, main = "a title"))$page
  expect_written("a title", page)
})

test_that("two classes have the line of the second", {
  skip_without_python()
  p <- cbind(no = c(0.9, 0.4, 0.2, 0.7), yes = c(0.1, 0.6, 0.8, 0.3))
  y <- c("no", "yes", "yes", "no")
  drawn <- record_drawing(function() {
    calibration_plot(p, y = y, bins = 2, strategy = "uniform")
  })
  expect_identical(drawn$result$line, c("yes", "yes"))
  expect_equal(drawn$result$mean, c(0.2, 0.7))
  expect_equal(drawn$result$share, c(0, 1))
})

test_that("lists of classifiers have names and the same classes", {
  skip_without_python()
  p <- cbind(a = c(0.5, 0.2), b = c(0.5, 0.8))
  y <- c("a", "b")
  words <- "^a list of classifiers needs a different name for each of them, as in list\\(lda = fit1"
  for (unnamed in list(list(p, p), list(one = p, p), list(one = p, one = p), list(p))) {
    expect_refused(calibration_plot(unnamed, y = y), words)
  }
  expect_refused(calibration_plot(list(), y = y), "needs a classifier or .*, got an empty list")
  expect_refused(
    calibration_plot(list(one = p, two = cbind(p / 2, c = 0.5)), y = y),
    "^classifiers must have the same classes, got 'a', 'b' and 'a', 'b', 'c'; fit them to the same"
  )
  # The order of the columns does not matter.
  both <- record_drawing(function() calibration_plot(list(one = p, two = p[, 2:1]), y = y))$result
  expect_identical(both[both$line == both$line[[1]], -1], {
    part <- both[both$line != both$line[[1]], -1]
    row.names(part) <- seq_len(nrow(part))
    part
  })
})

test_that("what cannot be drawn is refused", {
  skip_without_python()
  p <- cbind(a = c(0.5, 0.2), b = c(0.5, 0.8))
  expect_refused(calibration_plot(p), "needs the classes of the rows; pass y")
  expect_refused(calibration_plot(p, y = "a"), "^y must be one class for each of the 2 rows, got 1")
  expect_refused(calibration_plot(p, y = c("a", "c")), "^y has 'c', for which there are no")
  expect_refused(calibration_plot(2 * p, y = c("a", "b")), "numbers between 0 and 1")
  expect_refused(calibration_plot(unname(p), y = c("a", "b")), "a named column for each class")
  expect_refused(calibration_plot(p, y = c("a", "b"), bins = 1), "^bins must be a whole number")
  expect_refused(calibration_plot(p, y = c("a", "b"), strategy = "x"), "^strategy must be one of")
  expect_refused(calibration_plot(structure(list(), class = "f"), y = "a"), "pass newdata")
})
