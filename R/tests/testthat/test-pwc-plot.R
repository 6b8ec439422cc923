# Plots of pwc(): tiles of pairs, and regions of the classes.

layer_named <- function(picture, geom) {
  kinds <- vapply(picture$layers, function(layer) class(layer$geom)[[1]], "")
  ggplot2::layer_data(picture, which(kinds == geom)[[1]])
}

petals <- Petal.Width ~ Petal.Length

plot_result <- function(...) {
  record_drawing(function() plot(...))$result
}

# PostScript warns of transparent colours.
page_of <- function(...) {
  suppressWarnings(draw(function() plot(...)))$page
}

test_that("there is a tile for each pair, with the score of its learner", {
  skip_without_python()
  fit <- pwc(Species ~ ., backwards, c("nb", "lda"))
  drawn <- record_drawing(function() plot(fit))
  labels <- levels(backwards$Species)
  expect_identical(as.character(drawn$result$class_i), fit$pairs$class_i)
  expect_identical(as.character(drawn$result$learner), c("lda", "nb", "nb"))
  best <- c(fit$pairs$cv_score_lda[[1]], fit$pairs$cv_score_nb[2:3])
  expect_identical(drawn$result$word, sprintf("%.3f", best))
  # The first class is on top; the lower left half is for the legend.
  words <- drawn$text[drawn$text$label %in% drawn$result$word, ]
  expect_identical(words$label, drawn$result$word)
  expect_identical(words$x, c(2, 3, 3))
  expect_identical(words$y, c(3, 3, 2))
  expect_true(all(c("nb", "lda") %in% drawn$text$label))
  expect_setequal(drawn$names$label, labels)
  expect_equal(drawn$names$at[match(labels[2:1], drawn$names$label)], c(2, 3))
  expect_written("Learner of each pair, and its score", page_of(fit))
})

test_that("with one learner tiles show numbers of rows", {
  skip_without_python()
  fit <- pwc(Species ~ ., backwards[-(1:20), ], "lda")
  expect_identical(plot_result(fit)$word, c("100", " 80", " 80"))
  expect_written("Rows of each pair", page_of(fit))
  two <- pwc(Species ~ ., droplevels(backwards[51:150, ]), "lda")
  drawn <- record_drawing(function() plot(two))
  expect_identical(drawn$text, data.frame(x = 2, y = 2, label = "100"))
  expect_setequal(drawn$names$label, c("virginica", "versicolor"))
  columns <- pwc(x = iris[1:4], y = iris$Species, learners = "lda")
  expect_identical(nrow(plot_result(columns)), 3L)
})

test_that("pairs where all learners failed have a tile", {
  skip_without_python()
  picky <- list(
    fit = function(x, y) if ("setosa" %in% levels(y)) stop("nope") else 1,
    prob = function(model, x) rep(0.5, nrow(x))
  )
  fit <- suppressWarnings(pwc(Species ~ ., iris, list(a = picky, b = picky), error_score = NA))
  shown <- plot_result(fit)
  expect_identical(as.character(shown$learner), c("prior", "prior", "a"))
  expect_identical(shown$word, c("", "", "0.500"))
})

test_that("regions are the predictions at the points", {
  skip_without_python()
  fit <- pwc(Species ~ ., backwards, "lda")
  shown <- plot_result(fit, petals, grid = 7)
  expect_identical(nrow(shown), 49L)
  expect_identical(shown$.class, predict(fit, shown))
  # Others are at their medians, and the plane is a little wider than the rows.
  expect_identical(unique(shown$Sepal.Length), median(iris$Sepal.Length))
  expect_lt(min(shown$Petal.Length), min(iris$Petal.Length))
  expect_gt(max(shown$Petal.Width), max(iris$Petal.Width))
  cut <- plot_result(fit, petals, slice = list(Sepal.Length = 8), grid = 7)
  expect_identical(unique(cut$Sepal.Length), 8)
  expect_identical(unique(cut$Sepal.Width), median(iris$Sepal.Width))
  expect_false(identical(cut$.class, shown$.class))
})

test_that("rows are drawn over their regions, in the colours of the legend", {
  skip_without_python()
  fit <- pwc(Species ~ Petal.Length + Petal.Width, backwards, "lda")
  drawn <- record_drawing(function() plot(fit, petals, grid = 30))
  # The first two are corners of the plot.
  rows <- drawn$points[3:152, ]
  expect_equal(rows$x, iris$Petal.Length)
  expect_equal(rows$y, iris$Petal.Width)
  code <- as.integer(backwards$Species)
  expect_identical(rows$col, class_colors(3)[code])
  expect_equal(rows$pch, class_symbols(3)[code])
  expect_identical(drawn$points$col[153:155], class_colors(3))
  expect_identical(drawn$text$label, levels(backwards$Species))
  two <- pwc(Species ~ Petal.Length + Petal.Width, droplevels(iris[51:150, ]), "svm")
  expect_setequal(plot_result(two, petals, grid = 9)$.class, c("versicolor", "virginica"))
})

test_that("variables of any type have a default, or a value in slice", {
  skip_without_python()
  mixed <- transform(
    iris,
    word = rep(c("v", "u", "u"), 50), flag = rep(c(TRUE, FALSE, TRUE), 50),
    side = factor(rep(c("a", "b", "c", "b", "b"), 30))
  )
  fit <- pwc(Species ~ Petal.Length + Petal.Width + word + flag + side, mixed, "lda")
  shown <- plot_result(fit, petals, grid = 3)
  expect_identical(unique(shown$word), "u")
  expect_identical(unique(shown$flag), TRUE)
  expect_identical(unique(shown$side), factor("b", levels = c("a", "b", "c")))
  cut <- plot_result(fit, petals, slice = list(side = "c", flag = FALSE), grid = 3)
  expect_identical(unique(as.character(cut$side)), "c")
  expect_identical(cut$.class, predict(fit, transform(shown, side = "c", flag = FALSE)))
  # With a transformation the model frame does not have the variable itself.
  logs <- pwc(Species ~ Petal.Length + Petal.Width + log(Sepal.Length), iris, "lda")
  expect_refused(plot_result(logs, petals), "not found.*slice has no 'Sepal.Length'")
  cut <- plot_result(logs, petals, slice = list(Sepal.Length = 5))
  expect_identical(unique(cut$Sepal.Length), 5)
  # Constants in a formula are not variables.
  power <- 2
  squares <- pwc(Species ~ Petal.Length + Petal.Width + I(Petal.Width^power), iris, "lda")
  expect_identical(nrow(plot_result(squares, petals, grid = 2)), 4L)
})

test_that("plot and autoplot refuse the same input", {
  skip_without_python()
  skip_without_package("ggplot2")
  fit <- pwc(Species ~ ., iris, "lda")
  both <- function(words, ...) {
    refused <- expect_error(plot(fit, ...), words, class = "pwcstats_error")
    # The user's call, not that of predict().
    expect_identical(conditionCall(refused)[[1]], quote(plot.pwcstats_pwc))
    expect_refused(ggplot2::autoplot(fit, ...), words)
  }
  two <- "^formula must name two numeric variables .* there are 'Sepal.Length', 'Sepal.Width'"
  odd <- list(
    Petal.Width ~ nowhere, ~Petal.Width, "Petal.Width", Species ~ Petal.Width,
    Petal.Width ~ Petal.Length + Sepal.Length, Petal.Width ~ Petal.Width, 3
  )
  for (formula in odd) {
    both(two, formula)
  }
  both("^grid must be a whole number of at least 2", petals, grid = 1)
  both("^slice must be a named list of values", petals, slice = c(Sepal.Length = 5))
  both("^slice must be a named list of values", petals, slice = list(5))
  both("^slice must be a named list of values", petals, slice = NULL)
  both("^slice has 'nowhere', which is not a variable", petals, slice = list(nowhere = 5))
  both("^slice has 'Petal.Width', which is not a", petals, slice = list(Petal.Width = 5))
  many <- list(Sepal.Length = 1:2)
  both("^slice must have one value for 'Sepal.Length', got 2", petals, slice = many)
  both("'Sepal.Length' was fitted with type", petals, slice = list(Sepal.Length = "a"))
  fit <- pwc(x = iris[1:4], y = iris$Species, learners = "lda")
  both("^regions need a fit with a formula", petals)
  fit <- pwc(Species ~ log(Petal.Width) + poly(Petal.Length, 2), iris, "lda")
  both("there is none without a transformation", petals)
})

test_that("autoplot has the tiles and regions of plot", {
  skip_without_python()
  skip_without_package("ggplot2")
  fit <- pwc(Species ~ ., backwards, c("nb", "lda"))
  picture <- ggplot2::autoplot(fit)
  expect_s3_class(picture, "ggplot")
  expect_identical(layer_named(picture, "GeomText")$label, plot_result(fit)$word)
  tiles <- layer_named(picture, "GeomTile")
  expect_identical(tiles$fill, class_colors(2)[c(2, 1, 1)])
  # The first class on top.
  expect_identical(
    rev(ggplot2::layer_scales(picture)$y$get_limits()), levels(backwards$Species)[1:2]
  )
  regions <- ggplot2::autoplot(fit, petals, grid = 6)
  shown <- plot_result(fit, petals, grid = 6)
  raster <- layer_named(regions, "GeomRaster")
  expect_equal(raster$x, shown$Petal.Length)
  expect_identical(raster$fill, class_colors(3)[as.integer(shown$.class)])
  points <- layer_named(regions, "GeomPoint")
  expect_equal(points$y, iris$Petal.Width)
  expect_identical(points$colour, class_colors(3)[as.integer(backwards$Species)])
  expect_equal(points$shape, class_symbols(3)[as.integer(backwards$Species)])
  two <- pwc(Species ~ ., droplevels(iris[51:150, ]), "svm")
  expect_identical(nrow(layer_named(ggplot2::autoplot(two), "GeomTile")), 1L)
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(two, petals, grid = 4)))
})

test_that("many classes fit on a page, and the margins are restored", {
  skip_without_python()
  skip_without_package("mlbench")
  letters26 <- data_of("LetterRecognition", "mlbench")[1:600, ]
  fit <- pwc(lettr ~ ., letters26, "lda")
  long <- iris
  levels(long$Species) <- paste(levels(iris$Species), "with a name that is very long indeed")
  other <- pwc(Species ~ ., long, c("lda", "nb"))
  expect_silent(record_drawing(function() {
    graphics::par(mfrow = c(2, 2))
    before <- graphics::par("mai")
    plot(fit)
    plot(other)
    plot(other, petals, grid = 3)
    plot(fit, x.bar ~ y.bar, grid = 4)
    expect_identical(graphics::par("mai"), before)
  }))
})
