# Plots of distances: rows, boundaries and the legend.

test_that("rows are in the plane of the first two distances, by class", {
  skip_without_python()
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept)
  drawn <- record_drawing(function() plot(fit))
  distance <- predict(fit, type = "distance")
  rows <- drawn$points[1:150, ]
  expect_equal(rows$x, unname(distance[, "d_setosa"]))
  expect_equal(rows$y, unname(distance[, "d_virginica"]))
  expect_identical(drawn$result$class, flowers$kind)
  expect_equal(drawn$result$d_setosa, rows$x)
  # The legend has the colours and symbols of the rows, and is beside the plot.
  key <- drawn$points[151:152, ]
  expect_identical(drawn$text$label, levels(flowers$kind))
  looks <- unique(data.frame(class = flowers$kind, rows[c("pch", "col")]))
  expect_equal(looks[c("pch", "col")], key[c("pch", "col")], ignore_attr = TRUE)
  expect_true(all(key$x > max(rows$x)))
  expect_identical(drawn$across[[1]][c("h", "v")], list(h = 0, v = 0))
})

test_that("axis labels name the class on the positive side", {
  skip_without_python()
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept)
  page <- draw(function() plot(fit))$page
  expect_written(c("d_setosa \\(above 0: versicolor", "d_virginica \\(above 0: versicolor"), page)
  ordered <- ordinal_hybrid(ozone ~ Temp + Wind, air)
  page <- draw(function() plot(ordered))$page
  expect_written(c("d_middle \\(above 0: middle", "d_high \\(above 0: high"), page)
  page <- draw(function() plot(ordered, xlab = "over", ylab = "up", main = "a title"))$page
  expect_written(c("over", "up", "a title", "low"), page)
})

test_that("one distance has a strip for each class, without random numbers", {
  skip_without_python()
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept)
  set.seed(1)
  before <- .Random.seed
  drawn <- record_drawing(function() plot(fit, which = "d_virginica"))
  expect_identical(.Random.seed, before)
  expect_equal(drawn$points$x, unname(predict(fit, type = "distance")[, "d_virginica"]))
  expect_identical(round(drawn$points$y), as.double(as.integer(flowers$kind)))
  expect_gt(length(unique(drawn$points$y)), 100)
  expect_identical(drawn$names, data.frame(at = 1:2, label = levels(flowers$kind)))
  expect_null(drawn$across[[1]]$h)
  expect_named(drawn$result, c("class", "d_virginica"))
  single <- hybrid(kind ~ Petal.Length, flowers, clusters = 1)
  expect_named(record_drawing(function() plot(single))$result, c("class", "d_1"))
  turned <- record_drawing(function() plot(fit, which = 2:1))
  expect_named(turned$result, c("class", "d_virginica", "d_setosa"))
})

test_that("rows that the fit left out are not drawn", {
  skip_without_python()
  for (left_out in list(na.omit, na.exclude)) {
    fit <- ordinal_hybrid(ozone ~ Temp + Wind, air, na.action = left_out)
    drawn <- record_drawing(function() plot(fit, col = 1:3, pch = 4))
    expect_identical(rownames(drawn$result), rownames(air)[!is.na(air$Ozone)])
    expect_identical(as.character(drawn$result$class), as.character(na.omit(air$ozone)))
    expect_identical(unique(drawn$points$pch), 4)
  }
})

test_that("unknown distances are refused", {
  skip_without_python()
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept)
  words <- "^which must be one or two of the distances .* uses, 'd_setosa', 'd_virginica'"
  for (odd in list("d_zz", 3, c("d_setosa", NA), character(), c(1, 2, 1))) {
    expect_refused(plot(fit, which = odd), words)
  }
  fit$selected <- character()
  expect_refused(plot(fit), "^the integrator uses no distance")
})

test_that("long names fit, and the margins are restored", {
  skip_without_python()
  long <- transform(iris, Species = factor(paste(Species, "with a name that is very long indeed")))
  fit <- hybrid(Species ~ Sepal.Length + Sepal.Width, long, distance_cv = NULL)
  expect_silent(draw(function() {
    graphics::par(mfrow = c(2, 2))
    before <- graphics::par("mai")
    plot(fit)
    plot(fit, which = 1)
    expect_identical(graphics::par("mai"), before)
    graphics::par(mfrow = c(4, 4))
    expect_lt(max(graphics::par("mai")), max(before))
  }))
})

test_that("colours and symbols distinguish many classes", {
  looks <- paste(class_colors(40), class_symbols(40))
  expect_identical(anyDuplicated(looks), 0L)
  expect_true(all(palette_colors %in% grDevices::palette.colors(9, "Okabe-Ito")))
})

test_that("Python has the same colours and symbols", {
  skip_without_python()
  style <- reticulate::import("pwcstats.plot.style")
  expect_identical(palette_colors, unlist(style$COLORS))
  expect_identical(area_colors, unlist(style$AREAS))
  r_symbols <- c(o = 16L, s = 15L, "^" = 17L, D = 18L, v = 6L, P = 3L, X = 4L, "*" = 8L)
  markers <- unlist(style$MARKERS)
  expect_identical(class_symbols(length(markers)), unname(r_symbols[markers]))
})
