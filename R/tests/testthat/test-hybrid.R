# hybrid() and ordinal_hybrid(), compared with e1071 and with their definitions.

# The machines stop at a tolerance of 1e-10; norms and scaling add only rounding errors.
MACHINE <- 1e-6 # nolint

test_that("a linear machine has the distances of e1071, including scaling", {
  skip_without_python()
  skip_without_package("e1071")
  fit <- hybrid(
    kind ~ Petal.Length + Petal.Width + Sepal.Length, flowers,
    clusters = 1, tolerance = 1e-10, cost = 2, threshold = 0.5, distance_cv = NULL
  )
  peer <- peer_distance(
    kind ~ Petal.Length + Petal.Width + Sepal.Length, flowers, "versicolor", inner,
    kernel = "linear", cost = 2
  )
  distance <- predict(fit, type = "distance")
  expect_identical(dimnames(distance), list(rownames(flowers), "d_1"))
  expect_equal(distance[, 1], peer, tolerance = MACHINE)
  # With the centre and scale of the fit, not of the new rows.
  expect_equal(predict(fit, flowers[7:9, ], type = "distance"), distance[7:9, , drop = FALSE])
  expect_equal(fit$center, colMeans(flowers[names(fit$center)]))
  expect_equal(fit$scale, vapply(flowers[names(fit$scale)], sd, 0))
})

test_that("kernels are those of e1071, with distances in feature space", {
  skip_without_python()
  skip_without_package("e1071")
  formula <- kind ~ Petal.Length + Petal.Width
  compare <- function(product, ...) {
    fit <- hybrid(formula, flowers, clusters = 1, tolerance = 1e-10, threshold = 0.5, ...)
    peer <- peer_distance(formula, flowers, "versicolor", product, ...)
    expect_equal(predict(fit, type = "distance")[, 1], peer, tolerance = MACHINE)
  }
  gaussian <- function(gamma) {
    function(a, b) exp(-gamma * (outer(rowSums(a^2), rowSums(b^2), "+") - 2 * inner(a, b)))
  }
  # By default 1 / number of columns.
  compare(gaussian(0.5), kernel = "radial")
  compare(gaussian(2), kernel = "radial", gamma = 2)
  power <- function(a, b) (0.5 * inner(a, b) + 1)^2
  compare(power, kernel = "polynomial", degree = 2, coef0 = 1)
})

test_that("a machine learns from the positives and its own cluster", {
  skip_without_python()
  skip_without_package("e1071")
  fit <- hybrid(
    kind ~ Petal.Length + Petal.Width, flowers,
    clusters = kept, tolerance = 1e-10, threshold = 0.5
  )
  expect_identical(names(fit$norms), c("setosa", "virginica"))
  scaled <- transform(flowers, a = scale(Petal.Length)[, 1], b = scale(Petal.Width)[, 1])
  distance <- predict(fit, type = "distance")
  for (cluster in names(fit$norms)) {
    part <- droplevels(subset(scaled, Species %in% c("versicolor", cluster)))
    peer <- peer_distance(
      Species ~ a + b, part, "versicolor", inner,
      new = scaled, kernel = "linear", scale = FALSE
    )
    expect_equal(distance[, paste0("d_", cluster)], peer, tolerance = MACHINE)
  }
  expect_identical(
    as.character(fit$clusters), ifelse(flowers$kept == "versicolor", NA, paste(flowers$kept))
  )
})

test_that("probabilities are those of the integrator", {
  skip_without_python()
  for (integrator in c("multinomial", "individualized")) {
    fit <- hybrid(
      kind ~ Petal.Length + Petal.Width, flowers,
      clusters = kept, integrator = integrator, threshold = 0.5
    )
    expect_identical(
      dimnames(coef(fit)),
      list(c("setosa", "virginica"), c("(Intercept)", "d_setosa", "d_virginica"))
    )
    proba <- predict(fit, type = "prob")
    peer <- softmax_of(coef(fit), predict(fit, type = "distance"))[, 1]
    expect_equal(proba, cbind(other = 1 - peer, versicolor = peer))
    expect_identical(predict(fit, type = "probs"), proba)
  }
  binary <- update(fit, integrator = "logit")
  link <- cbind(1, predict(binary, type = "distance")) %*% coef(binary)
  expect_equal(predict(binary, type = "prob")[, "versicolor"], plogis(link[, 1]))
})

test_that("classes are probabilities compared with the threshold", {
  skip_without_python()
  ask <- function(threshold) {
    hybrid(
      kind ~ Sepal.Length + Sepal.Width, flowers,
      clusters = kept, threshold = threshold, seed = 1
    )
  }
  called <- list()
  for (threshold in list("cv", "prevalence", 0.9)) {
    fit <- ask(threshold)
    proba <- predict(fit, type = "prob")[, "versicolor"]
    class <- predict(fit)
    expect_identical(levels(class), c("other", "versicolor"))
    expect_identical(class == "versicolor", unname(proba > fit$threshold))
    called <- c(called, sum(class == "versicolor"))
  }
  expect_identical(fit$threshold, 0.9)
  # A higher threshold predicts fewer positives, so it is used.
  expect_lt(called[[3]], called[[2]])
})

test_that("levels keep their order and determine the positive class", {
  skip_without_python()
  species <- factor(iris$Species, levels = c("virginica", "setosa", "versicolor", "none"))
  data <- transform(iris, species = species)
  fit <- hybrid(species ~ Petal.Length + Petal.Width, data)
  labels <- c("virginica", "setosa", "versicolor")
  expect_identical(fit$classes, factor(labels, labels))
  # The first level is the baseline, on whose side distances are positive.
  expect_identical(fit$positive, "virginica")
  distance <- predict(fit, type = "distance")
  expect_true(all(distance[species == "virginica", "d_setosa"] > 0))
  expect_true(all(distance[species == "setosa", "d_setosa"] < 0))
  proba <- predict(fit, type = "prob")
  expect_identical(colnames(proba), labels)
  groups <- c("virginica", rownames(coef(fit)))
  peer <- softmax_of(coef(fit), distance)
  expect_equal(unname(proba[, groups]), unname(peer))
  best <- factor(labels[max.col(proba)], labels)
  expect_identical(predict(fit), best)
  expect_gt(mean(paste(best) == paste(species)), 0.9)
  expect_null(fit$threshold)
  other <- update(fit, positive = "versicolor")
  expect_identical(rownames(coef(other)), c("setosa", "virginica"))

  # The rarer class, or the second level if both are equally frequent.
  two <- droplevels(subset(data, species != "virginica"))
  ask <- function(data) hybrid(species ~ Sepal.Length, data, clusters = 1, threshold = 0.5)
  expect_identical(ask(two)$positive, "versicolor")
  rare <- ask(two[-(10:20), ])
  expect_identical(rare$positive, "setosa")
  turned <- hybrid(
    species ~ Sepal.Length, two[-(10:20), ],
    clusters = 1, threshold = 0.5, positive = "versicolor"
  )
  expect_equal(predict(turned, type = "distance"), -predict(rare, type = "distance"))
  words <- hybrid(as.character(kind) ~ Petal.Length, flowers, clusters = kept, threshold = 0.5)
  factors <- hybrid(kind ~ Petal.Length, flowers, clusters = kept, threshold = 0.5)
  expect_identical(predict(words), predict(factors))
})

test_that("clusters are subset like the rows", {
  skip_without_python()
  holes <- flowers
  holes$Petal.Length[c(3, 70)] <- NA
  # Positives without a cluster are kept.
  holes$kept[c(60, 61)] <- NA
  cut <- hybrid(
    kind ~ Petal.Length + Petal.Width, holes,
    clusters = kept, subset = Petal.Width > 0.1, threshold = 0.5
  )
  rows <- with(holes, !is.na(Petal.Length) & Petal.Width > 0.1)
  whole <- hybrid(
    kind ~ Petal.Length + Petal.Width, flowers[rows, ],
    clusters = kept, threshold = 0.5
  )
  expect_identical(coef(cut), coef(whole))
  expect_identical(cut$clusters, whole$clusters)
  expect_equal(nobs(cut), sum(rows))
  holes$kept[[120]] <- NA
  expect_refused(
    hybrid(kind ~ Petal.Length, holes, clusters = kept), "clusters is missing in row 120"
  )
  # Other variables are looked up where the function is called, not in the formula.
  number <- 3
  formula <- kind ~ Petal.Length + Petal.Width
  ask <- function(number) hybrid(formula, flowers, clusters = number, threshold = 0.5, seed = 1)
  two <- ask(2)
  expect_length(two$norms, 2)
  # Two negatives for each positive.
  ratio <- hybrid(formula, flowers, clusters = "ratio", threshold = 0.5, seed = 1)
  expect_identical(ratio$clusters, two$clusters)
  expect_identical(nlevels(ratio$clusters), 2L)
  expect_identical(nlevels(hybrid(formula, flowers, seed = 1)$clusters), 2L)
})

test_that("each part of the rows has a machine", {
  skip_without_python()
  fit <- hybrid(
    kind ~ Sepal.Length + Sepal.Width, flowers,
    split = "folds", clusters = 3, seed = 2, distance_cv = NULL, threshold = 0.5
  )
  expect_identical(fit$integrator, "logit")
  expect_length(fit$norms, 3)
  expect_false(anyNA(fit$clusters))
  expect_true(all(table(fit$clusters, flowers$kind) > 10))
  # The distance from a third line in a plane is a combination of the others.
  expect_length(fit$aliased, 1)
  expect_setequal(c(fit$aliased, fit$selected), fit$distances)
  expect_output(print(fit), paste0("Aliased: +", fit$aliased, ", combinations"))
  expect_refused(
    hybrid(kind ~ Sepal.Length, flowers, split = "folds", integrator = "zz"),
    "^integrator must be one of .*, got 'zz'"
  )
})

test_that("coefficients have the shape of Python's, whatever the integrator is called", {
  skip_without_python()
  skip_without_package("generics")
  table <- reticulate::import("pwcstats.hybrid.integrators", convert = FALSE)$INTEGRATORS
  copies <- c(multinomial = "another", cratio = "another_chain")
  on.exit(for (name in copies) table$pop(name, NULL))
  for (name in names(copies)) {
    table[[copies[[name]]]] <- table[[name]]
  }
  same <- function(ask, name) {
    found <- ask(copies[[name]])
    peer <- ask(name)
    expect_identical(found$integrator, copies[[name]])
    expect_identical(coef(found), coef(peer))
    expect_identical(coef(summary(found)), coef(summary(peer)))
    expect_identical(generics::tidy(found), generics::tidy(peer))
  }
  same(
    function(name) hybrid(Species ~ Sepal.Length + Sepal.Width, iris, integrator = name),
    "multinomial"
  )
  same(function(name) ordinal_hybrid(ozone ~ Temp + Wind, air, integrator = name), "cratio")
})

test_that("ordered classes are integrated by continuation ratios", {
  skip_without_python()
  fit <- ordinal_hybrid(ozone ~ Temp + Wind, air)
  labels <- c("low", "middle", "high")
  expect_identical(fit$classes, factor(labels, labels, ordered = TRUE))
  expect_identical(fit$distances, c("d_middle", "d_high"))
  distance <- predict(fit, type = "distance")
  stage <- function(class) {
    own <- coef(fit)[paste0(c("(Intercept)", "d_middle", "d_high"), ":", class)]
    plogis(drop(cbind(1, distance) %*% own))
  }
  top <- stage("high")
  middle <- (1 - top) * stage("middle")
  proba <- predict(fit, type = "prob")
  expect_equal(proba, cbind(low = 1 - top - middle, middle = middle, high = top))
  expect_identical(predict(fit), factor(labels[max.col(proba)], labels, ordered = TRUE))
  expect_equal(nobs(fit), sum(!is.na(air$Ozone)))
  numbers <- ordinal_hybrid(as.integer(ozone) * 10 ~ Temp + Wind, air)
  expect_identical(predict(numbers), as.integer(predict(fit)) * 10)
  expect_equal(unname(predict(numbers, type = "prob")), unname(proba))
  odds <- update(fit, integrator = "ordered")
  expect_identical(names(coef(odds)), c("d_middle", "d_high", "low/middle", "middle/high"))
  below <- plogis(coef(odds)[["low/middle"]] - drop(distance %*% coef(odds)[1:2]))
  expect_equal(predict(odds, type = "prob")[, "low"], below)
})

test_that("a machine of ordered classes separates a class from the lower ones", {
  skip_without_python()
  skip_without_package("e1071")
  fit <- ordinal_hybrid(ozone ~ Temp + Wind, air, tolerance = 1e-10)
  known <- subset(air, !is.na(ozone))
  scaled <- transform(known, a = scale(Temp)[, 1], b = scale(Wind)[, 1])
  parts <- list(d_middle = subset(scaled, ozone <= "middle"), d_high = scaled)
  for (name in names(parts)) {
    part <- transform(parts[[name]], side = factor(paste0("d_", ozone) == name))
    peer <- peer_distance(
      side ~ a + b, part, "TRUE", inner,
      new = scaled[c("ozone", "a", "b")], kernel = "linear", scale = FALSE
    )
    expect_equal(predict(fit, type = "distance")[, name], peer, tolerance = MACHINE)
  }
})

test_that("machines do not use the intercept, and scaling is optional", {
  skip_without_python()
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept, threshold = 0.5)
  expect_identical(names(fit$center), c("Petal.Length", "Petal.Width"))
  without <- update(fit, . ~ 0 + .)
  expect_identical(attr(terms(without), "intercept"), 0L)
  expect_identical(coef(without), coef(fit))
  scaled <- transform(
    flowers,
    Petal.Length = scale(Petal.Length)[, 1], Petal.Width = scale(Petal.Width)[, 1]
  )
  plain <- update(fit, data = scaled, scale = FALSE)
  expect_equal(predict(plain, type = "prob"), predict(fit, type = "prob"), tolerance = 1e-7)
  raw <- update(fit, scale = FALSE)
  expect_identical(unname(c(raw$center, raw$scale)), c(0, 0, 1, 1))
  expect_gt(max(abs(predict(raw, type = "prob") - predict(fit, type = "prob"))), 1e-3)
  # A constant column is not scaled.
  constant <- update(fit, . ~ . + same, data = transform(flowers, same = 0.1))
  expect_identical(constant$scale[["same"]], 1)
  expect_equal(predict(constant, type = "prob"), predict(fit, type = "prob"))
})

test_that("factors are coded with the contrasts of the fit", {
  skip_without_python()
  cases <- transform(infert, case = factor(case, labels = c("control", "case")))
  fit <- hybrid(
    case ~ education + spontaneous + poly(age, 2), cases,
    clusters = 2, seed = 1, threshold = 0.5, contrasts = list(education = "contr.sum")
  )
  expect_identical(fit$positive, "case")
  expect_identical(
    names(fit$center),
    c("education1", "education2", "spontaneous", "poly(age, 2)1", "poly(age, 2)2")
  )
  new <- transform(cases[c(40, 3), ], education = as.character(education))
  for (type in c("prob", "distance")) {
    expect_equal(predict(fit, new, type = type), predict(fit, type = type)[c("40", "3"), ])
  }
  expect_refused(predict(fit, transform(new, education = "other")), "new level")
})

test_that("predictions for missing values are NA", {
  skip_without_python()
  fit <- ordinal_hybrid(ozone ~ Temp + Wind, air)
  new <- data.frame(Temp = c(60, NA, 95), Wind = 8)
  class <- predict(fit, new)
  expect_identical(is.na(class), c(FALSE, TRUE, FALSE))
  expect_identical(class[-2], predict(fit, new[-2, ]))
  for (type in c("prob", "distance")) {
    values <- predict(fit, new, type = type)
    expect_true(all(is.na(values[2, ])))
    expect_identical(rownames(values), c("1", "2", "3"))
    expect_equal(values[3, , drop = FALSE], predict(fit, new[3, ], type = type))
    expect_identical(nrow(predict(fit, new, type = type, na.action = na.omit)), 2L)
    expect_identical(dim(predict(fit, new[2, ], type = type)), dim(values[2, , drop = FALSE]))
    expect_identical(dimnames(predict(fit, new[0, ], type = type)), list(NULL, colnames(values)))
  }
  expect_length(predict(fit, new[0, ]), 0)
  expect_refused(predict(fit, transform(new, Temp = Inf)), "'Temp' is infinite in row 1")
  padded <- update(fit, na.action = na.exclude)
  expect_identical(is.na(predict(padded)), is.na(air$ozone))
  expect_identical(nrow(predict(padded, type = "prob")), nrow(air))
})

test_that("a seed makes a fit reproducible, and distances may be those of the fit", {
  skip_without_python()
  ask <- function(...) {
    hybrid(kind ~ Sepal.Length + Sepal.Width, flowers, clusters = 2, threshold = 0.5, ...)
  }
  expect_identical(coef(ask(seed = 4)), coef(ask(seed = 4L)))
  expect_false(identical(coef(ask(seed = 4)), coef(ask(seed = 5))))
  own <- ask(seed = 4, distance_cv = NULL)
  expect_identical(coef(own), coef(ask(seed = 4, distance_cv = NA)))
  expect_false(identical(coef(own), coef(ask(seed = 4, distance_cv = 5))))
  # No criterion selects a random distance.
  noise <- rep(c(0.3, -1, 0.4, 1.1, -0.6), 30)
  chosen <- hybrid(
    kind ~ Petal.Length + noise, flowers,
    clusters = 2, threshold = 0.5, select = "bic", seed = 1
  )
  expect_lt(length(chosen$selected), 2)
  expect_identical(colnames(coef(chosen)), c("(Intercept)", chosen$selected))
})

test_that("a saved fit gives the same results in a new session", {
  skip_without_python()
  fits <- list(
    hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = 2, seed = 1),
    ordinal_hybrid(ozone ~ Temp + Wind, air, kernel = "radial")
  )
  answer <- function(fit) {
    c(list(predict(fit)), lapply(c("prob", "distance"), function(type) predict(fit, type = type)))
  }
  expect_identical(
    ask_elsewhere(fits, sprintf("lapply(fit, %s)", paste(deparse(answer), collapse = "\n"))),
    lapply(fits, answer)
  )
})

test_that("fits print a description", {
  skip_without_python()
  fit <- hybrid(kind ~ Petal.Length + Petal.Width, flowers, clusters = kept, threshold = 0.25)
  classes <- c("pwcstats_hybrid", "pwcstats_machines", "pwcstats_classifier")
  expect_s3_class(fit, classes, exact = TRUE)
  expect_output(
    print(fit),
    paste0(
      "150\n.*other, versicolor\n.*2, linear kernel; versicolor against a cluster of other\n",
      ".*multinomial, Firth's penalty, of cross-validated distances\n.*0.25 for versicolor"
    )
  )
  said <- summary(fit)
  expect_s3_class(said, "summary.pwcstats_machines")
  expect_output(print(said), "Norms: .*setosa.*virginica:d_virginica +-?[0-9.]+ +[0-9.]+")
  expect_identical(formula(fit), kind ~ Petal.Length + Petal.Width, ignore_attr = TRUE)
  expect_null(attr(formula(fit), "term.labels"))
  expect_identical(fitted(fit), predict(fit, type = "prob"))
  expect_identical(attr(terms(fit), "term.labels"), c("Petal.Length", "Petal.Width"))
  ordered <- ordinal_hybrid(ozone ~ Temp + Wind, air, penalty = "none")
  expect_identical(ordered$penalty, "none")
  expect_output(print(ordered), "low < middle < high\n.*cratio, no penalty.*37 observations del")
  expect_output(print(summary(ordered)), "low < middle < high.*high:d_high.*37 observations del")
  alone <- hybrid(kind ~ Petal.Length, flowers, clusters = 1, threshold = 0.5)
  expect_output(print(alone), "1, linear kernel; versicolor against other\n")
})

test_that("data that cannot be fitted are refused", {
  skip_without_python()
  ask <- function(...) hybrid(kind ~ Petal.Length + Petal.Width, flowers, ...)
  refused <- expect_error(hybrid(kind ~ 1, flowers), "no columns except the intercept")
  expect_identical(conditionCall(refused), quote(hybrid(kind ~ 1, flowers)))
  expect_refused(hybrid(data = flowers), "^formula must be given")
  expect_refused(ask(clusters = 101), "^clusters is 101, but there are 100 negative rows")
  expect_refused(ask(clusters = 51, split = "folds"), "clusters .* 51 .* rarer class has 50 rows")
  expect_refused(
    hybrid(kind ~ Petal.Length, flowers, clusters = kept, split = "folds"), "give their number"
  )
  expect_refused(ask(clusters = 2.5), "clusters must be a whole number of at least 1")
  expect_refused(ask(clusters = "many"), "^clusters must be \"auto\"")
  expect_refused(ask(clusters = 1:7), "variable lengths differ")
  expect_refused(hybrid(kind ~ Petal.Length, flowers, clusters = nowhere), "'nowhere' not found")
  expect_refused(hybrid(Species ~ Petal.Length, iris, clusters = 2), "response has 3")
  expect_refused(hybrid(Species ~ Petal.Length, iris, split = "folds"), "split = 'negatives'")
  expect_refused(ask(positive = "zz"), "positive must be one of the classes, 'other', 'versic")
  expect_refused(ask(threshold = 2), "^threshold must be")
  expect_refused(ask(threshold = TRUE), "^threshold must be")
  expect_refused(ask(kernel = "cubic"), "^kernel must be one of 'linear'")
  expect_refused(ask(cost = 0), "^cost must be a number above 0")
  expect_refused(ask(gamma = -1), "^gamma must be a number above 0")
  expect_refused(ask(degree = 1.5), "^degree must be a whole number of at least 1")
  expect_refused(ask(coef0 = "a"), "^coef0 must be a number")
  expect_refused(ask(tolerance = NA), "^tolerance must be a number above 0")
  expect_refused(ask(scale = NA), "^scale must be TRUE or FALSE")
  expect_refused(ask(distance_cv = 1), "^distance_cv must be a whole number of at least 2")
  expect_refused(ask(seed = -1), "^seed must be a whole number of at least 0")
  expect_refused(ask(seed = 2^40), "^seed must be at most")
  expect_refused(ask(integrator = "individualized", select = "aic"), "several fits")
  expect_refused(hybrid(kind ~ Petal.Length + offset(Petal.Width), flowers), "has no offset")
  # Python's errors have the user's call too.
  separated <- expect_error(
    hybrid(Species ~ Petal.Length, iris, penalty = "none", subset = Species != "virginica"),
    "separates groups.*penalty = 'auto'",
    class = "pwcstats_error"
  )
  expect_identical(conditionCall(separated)[[1]], quote(hybrid))
  expect_refused(
    hybrid(kind ~ Petal.Length, flowers, subset = kind == "other"), "only one class .* 'other'"
  )
  expect_refused(hybrid(cbind(Petal.Width, 1) ~ Petal.Length, iris), "class of each row")
  expect_refused(hybrid(Sepal.Length ~ Sepal.Width, iris), "not numbers such as 5.1; cut\\(\\)")
  expect_refused(ordinal_hybrid(mpg ~ wt, mtcars), "not numbers such as 22.8; cut\\(\\)")
  expect_refused(hybrid(Species ~ ., iris, integrator = "logit"), "'logit' is for two classes")
  # Two classes need an order too.
  unordered <- list(iris$Species, as.character(iris$Species), factor(iris$Species == "setosa"))
  for (y in unordered) {
    expect_refused(
      ordinal_hybrid(y ~ Petal.Length, iris),
      "must be an ordered factor, not (factor|character); use ordered\\(y, levels = c\\("
    )
  }
  odds <- ordinal_hybrid(ozone ~ Temp, air, integrator = "ordered", penalty = "firth")
  expect_identical(odds$penalty, "firth")
  fit <- ask(clusters = 1, threshold = 0.5)
  expect_refused(predict(fit, 1:3), "newdata must be a data frame")
  expect_refused(predict(fit, type = "link"), "^type must be one of")
})

test_that("machines on unscaled columns stop with a warning", {
  skip_without_python()
  # Overlapping classes; one column is a thousand times the other.
  rows <- seq_len(80)
  wide <- data.frame(
    a = sin(rows * 1.7) + 0.3 * (rows %% 2), b = 1000 * cos(rows * 2.3),
    y = factor(rows %% 2)
  )
  scaled <- hybrid(y ~ a + b, wide, clusters = 1, threshold = 0.5, distance_cv = NULL)
  expect_equal(sum(is.na(predict(scaled, type = "prob"))), 0)
  expect_warning(
    hybrid(y ~ a + b, wide, clusters = 1, threshold = 0.5, distance_cv = NULL, scale = FALSE),
    "machines of \\(1\\) stopped after 10000000 steps"
  )
})
