# Layers of the ggplot2 plots.

layer_of <- function(picture, geom) {
  kinds <- vapply(picture$layers, function(layer) class(layer$geom)[[1]], "")
  ggplot2::layer_data(picture, which(kinds == geom)[[1]])
}

# Labels of a discrete axis, from the top.
names_from_top <- function(picture) {
  rev(ggplot2::layer_scales(picture)$y$get_limits())
}

expect_extensible <- function(picture) {
  expect_s3_class(picture, "ggplot")
  expect_silent(ggplot2::ggplot_build(picture + ggplot2::theme_bw() + ggplot2::ggtitle("more")))
}

test_that("abilities are drawn with intervals, the best on top", {
  skip_without_python()
  skip_without_package("ggplot2")
  fit <- bt(small_wins)
  for (intervals in c("wald", "quasi", "comparison")) {
    picture <- ggplot2::autoplot(fit, intervals = intervals, level = 0.9)
    grDevices::pdf(NULL)
    shown <- plot(fit, intervals = intervals, level = 0.9)
    grDevices::dev.off()
    expect_extensible(picture)
    expect_identical(names_from_top(picture), rownames(shown))
    expect_equal(layer_of(picture, "GeomPoint")$x, shown$ability)
    lines <- layer_of(picture, "GeomLinerange")
    expect_equal(cbind(lines$xmin, lines$xmax), unname(as.matrix(shown[2:3])))
  }
  level <- attr(comparison_intervals(fit, 0.9), "level")
  expect_identical(
    picture$labels$x, sprintf("Ability (a is 0),\n%.0f %% comparison intervals", 100 * level)
  )
  expect_identical(
    picture$labels$caption,
    "no overlap: the two items\ndiffer (about 10 % level)"
  )
  expect_identical(ggplot2::autoplot(fit, level = 0.9)$labels, picture$labels)
  ranked <- ggplot2::autoplot(fit, ranks = TRUE, top = 2)
  expect_extensible(ranked)
  sets <- rank_intervals(fit)[1:2, ]
  expect_identical(names_from_top(ranked), rownames(sets))
  words <- ifelse(
    sets$rank_low == sets$rank_high, sets$rank_low, paste0(sets$rank_low, "-", sets$rank_high)
  )
  expect_identical(layer_of(ranked, "GeomText")$label, as.character(words))
  expect_match(ranked$labels$caption, "simultaneous 95 % confidence sets\nthe best 2 of 3 items")
  expect_identical(unique(layer_of(ranked, "GeomPoint")$colour), palette_colors[[1]])
  bare <- ggplot2::autoplot(bt(small_wins, cov = "none"))
  expect_extensible(bare)
  expect_identical(bare$labels$x, "Ability (a is 0)")
  expect_refused(ggplot2::autoplot(fit, level = 2), "^level must be")
})

test_that("coefficients are drawn with intervals, and each class has a panel", {
  skip_without_python()
  skip_without_package("ggplot2")
  fit <- firth(vs ~ wt + hp, mtcars)
  picture <- ggplot2::autoplot(fit, method = "profile")
  expect_extensible(picture)
  expect_identical(names_from_top(picture), c("wt", "hp"))
  expect_equal(layer_of(picture, "GeomPoint")$x, unname(coef(fit)[2:3]))
  lines <- layer_of(picture, "GeomLinerange")
  bounds <- unname(confint(fit, 2:3, method = "profile"))
  expect_equal(cbind(lines$xmin, lines$xmax), bounds)
  fit <- firth_multinom(grade ~ x + site, visits)
  picture <- ggplot2::autoplot(fit, intercept = TRUE)
  expect_extensible(picture)
  points <- layer_of(picture, "GeomPoint")
  expect_equal(as.vector(table(points$PANEL)), c(4, 4))
  expect_equal(points$x, unname(as.vector(t(coef(fit)))))
  panels <- ggplot2::ggplot_build(picture)$layout$layout$group
  expect_identical(as.character(panels), c("mild", "bad"))
})

test_that("infinite estimates are shown as text", {
  skip_without_python()
  skip_without_package("ggplot2")
  separated$grade <- ordered(separated$ill)
  fit <- suppressWarnings(cratio(grade ~ age, separated))
  picture <- ggplot2::autoplot(fit)
  expect_extensible(picture)
  expect_identical(layer_of(picture, "GeomText")$label, "estimate Inf")
  expect_identical(layer_of(picture, "GeomLinerange")$xmax, Inf)
  expect_identical(nrow(layer_of(picture, "GeomPoint")), 0L)
})

test_that("distances are drawn as by plot(), with the same colours", {
  skip_without_python()
  skip_without_package("ggplot2")
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept)
  for (which in list(NULL, "d_virginica")) {
    picture <- ggplot2::autoplot(fit, which = which)
    expect_extensible(picture)
    drawn <- record_drawing(function() plot(fit, which = which))
    points <- layer_of(picture, "GeomPoint")
    expect_equal(points[c("x", "y")], drawn$points[1:150, c("x", "y")], ignore_attr = TRUE)
    expect_identical(points$colour, drawn$points$col[1:150])
    expect_equal(points$shape, drawn$points$pch[1:150])
    expect_identical(layer_of(picture, "GeomVline")$xintercept, 0)
  }
  expect_identical(picture$labels$x, "Distance d_virginica\n(above 0: versicolor)")
  expect_identical(ggplot2::layer_scales(picture)$y$labels, levels(flowers$kind))
  expect_refused(ggplot2::autoplot(fit, which = 9), "^which must be one or two of the distances")
})

test_that("bars join methods that do not differ", {
  skip_without_python()
  skip_without_package("ggplot2")
  for (found in list(nemenyi(many), compare_methods(many, test = "nemenyi"))) {
    picture <- ggplot2::autoplot(found)
    expect_extensible(picture)
    ranks <- sort(nemenyi(many)$ranks)
    expect_identical(names_from_top(picture), names(ranks))
    expect_equal(layer_of(picture, "GeomPoint")$x, unname(ranks))
    bars <- layer_of(picture, "GeomLine")
    joined <- split(rev(names(ranks))[bars$y], bars$x)
    groups <- Filter(function(group) length(group) > 1, found$cliques)
    expect_true(setequal(lapply(joined, sort), lapply(groups, sort)))
    expect_match(picture$labels$caption, "critical difference 1.76")
  }
  apart <- sweep(many[, 1:3], 2, c(0, 5, 10), "+")
  picture <- ggplot2::autoplot(compare_methods(apart))
  expect_extensible(picture)
  expect_match(picture$labels$caption, "^all methods differ \\(wilcoxon, holm, 0.05\\)")
})

test_that("significant differences have filled dots", {
  skip_without_python()
  skip_without_package("ggplot2")
  found <- compare_methods(many)
  picture <- ggplot2::autoplot(found, "intervals")
  expect_extensible(picture)
  points <- layer_of(picture, "GeomPoint")
  expect_equal(points$x, found$pairs$estimate)
  expect_identical(points$shape == 19, found$pairs$significant)
  lines <- layer_of(picture, "GeomLinerange")
  expect_equal(lines$xmin, found$pairs$conf_low)
  expect_identical(
    names_from_top(picture), paste(found$pairs$method_a, "-", found$pairs$method_b)
  )
  against <- rank_tests(many, control = "svm")
  picture <- ggplot2::autoplot(against)
  expect_extensible(picture)
  expect_identical(names_from_top(picture), against$pairs$method_b)
  expect_match(picture$labels$x, "svm (control)", fixed = TRUE)
  expect_refused(ggplot2::autoplot(against, "cd"), "not comparisons with svm")
  # A pair without a test is labelled.
  moved <- subset(splits, method != "nb")
  moved$score[13:24] <- moved$score[1:12] + 0.5
  picture <- ggplot2::autoplot(compare_methods(moved), "intervals")
  expect_identical(layer_of(picture, "GeomText")$label, "no test")
})

test_that("ggplot2 is not loaded with the package", {
  skip_without_package("ggplot2")
  said <- run_in_new_r(c("library(pwcstats)", "cat('ggplot2' %in% loadedNamespaces())"))
  expect_identical(said, "FALSE")
})
