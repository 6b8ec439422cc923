# pwc(): learners, pairs and their coupling, compared with other packages and definitions.

# Closed forms differ only by rounding errors.
EXACT <- 1e-8 # nolint
# Both sides iterate with their own stopping rules.
ITERATED <- 1e-5 # nolint
# Both machines stop at 1e-10, and the regressions are iterated to the last digits; coefficients are
# of the order of 1.
FIRTH <- 1e-8 # nolint

# Probabilities of each pair by another package; `peer(rows, new)` is that of the first class.
expect_pairs <- function(fit, data, peer, tolerance) {
  ours <- predict(fit, type = "pairs")
  labels <- levels(data$Species)
  expect_identical(colnames(ours), pair_names(labels))
  for (i in seq_len(ncol(ours))) {
    both <- strsplit(colnames(ours)[[i]], "/", fixed = TRUE)[[1]]
    theirs <- peer(of_pair(data, "Species", both[[1]], both[[2]]), data)
    expect_equal(unname(ours[, i]), unname(theirs), tolerance = tolerance)
  }
}

test_that("lda and qda are those of MASS by maximum likelihood, on the rows of a pair", {
  skip_without_python()
  skip_without_package("MASS")
  for (name in c("lda", "qda")) {
    method <- getExportedValue("MASS", name)
    expect_pairs(
      pwc(Species ~ ., backwards, name), backwards,
      function(rows, new) predict(method(Species ~ ., rows, method = "mle"), new)$posterior[, 1],
      EXACT
    )
  }
})

test_that("priors are in the order of the levels, and renormalised for a pair", {
  skip_without_python()
  skip_without_package("MASS")
  # Python sorts by bytes, R alphabetically.
  labels <- c("\u00e4nne", "Bea", "anna")
  data <- transform(iris, Species = factor(labels[Species], levels = labels))
  prior <- c(0.6, 0.3, 0.1)
  names(prior) <- labels
  for (name in c("lda", "qda")) {
    method <- getExportedValue("MASS", name)
    fit <- pwc(Species ~ ., data, stats::setNames(list(list(prior = prior)), name))
    expect_pairs(fit, data, function(rows, new) {
      both <- unname(prior[levels(rows$Species)])
      peer <- method(Species ~ ., rows, prior = both / sum(both), method = "mle")
      predict(peer, new)$posterior[, 1]
    }, EXACT)
  }
  # In naive Bayes, prior odds are a factor.
  odds <- function(fit) qlogis(predict(fit, data[51, ], type = "pairs"))
  plain <- pwc(Species ~ Sepal.Length + Sepal.Width, data, "nb")
  moved <- update(plain, prior = prior)
  expect_equal(
    unname(odds(moved) - odds(plain))[1, ], unname(log(prior[c(1, 1, 2)] / prior[c(2, 3, 3)])),
    tolerance = 1e-6
  )
})

test_that("learners have the defaults of the help page", {
  skip_without_python()
  pairs <- function(...) predict(pwc(Species ~ ., iris, ...), type = "pairs")
  expect_identical(pairs("knn"), pairs("knn", k = 5))
  expect_identical(pairs("logistic"), pairs("logistic", cost = 1))
  expect_identical(pairs("tree"), pairs("tree", minsplit = 20, minbucket = 7, maxdepth = 30))
  expect_identical(pairs("qda"), pairs("qda", reg_param = 0))
  expect_identical(
    pairs("svm"),
    pairs("svm", kernel = "radial", cost = 1, gamma = 1 / 4, tolerance = 0.001)
  )
  others <- list(
    c("knn", k = 7), c("logistic", cost = 3), c("tree", minsplit = 10), c("qda", reg_param = 0.5),
    c("svm", cost = 3)
  )
  for (other in others) {
    arguments <- lapply(other[-1], as.numeric)
    expect_false(identical(pairs(other[[1]]), do.call(pairs, c(other[[1]], arguments))))
  }
})

# Decision values of e1071 for held-out rows of each pair, by its name. Each class has 50 rows in
# five folds, in the order of the rows.
held_out_values <- function(x, y) {
  fold <- rep(rep(1:5, each = 10), nlevels(y))
  held <- lapply(utils::combn(levels(y), 2, simplify = FALSE), function(both) {
    rows <- y %in% both
    value <- numeric(sum(rows))
    for (k in 1:5) {
      train <- rows & fold != k
      peer <- e1071::svm(
        x[train, ], factor(y[train], levels = both),
        scale = FALSE, gamma = 1 / ncol(x), tolerance = 1e-10
      )
      answer <- predict(peer, x[rows & fold == k, ], decision.values = TRUE)
      decisions <- attr(answer, "decision.values")
      value[fold[rows] == k] <- in_order(decisions, paste(both, collapse = "/"))
    }
    data.frame(first = y[rows] == both[[1]], value = value)
  })
  stats::setNames(held, pair_names(levels(y)))
}

expect_sigmoids <- function(fit, lines, tolerance) {
  expect_identical(paste0(fit$pairs$class_i, "/", fit$pairs$class_j), names(lines))
  lines <- do.call(rbind, lines)
  expect_equal(-fit$pairs$sigmoid_b, unname(lines[, 1]), tolerance = tolerance)
  expect_equal(-fit$pairs$sigmoid_a, unname(lines[, 2]), tolerance = tolerance)
}

test_that("sigmoids are Platt's, fitted to cross-validated scores", {
  skip_without_python()
  skip_without_package("e1071")
  fit <- pwc(
    Species ~ Sepal.Length + Sepal.Width, backwards, "svm",
    tolerance = 1e-10, seed = NULL, calibration = "sigmoid"
  )
  lines <- lapply(held_out_values(scale(iris[1:2]), backwards$Species), function(held) {
    # Platt's targets, slightly inside of 0 and 1.
    target <- ifelse(held$first, 51 / 52, 1 / 52)
    coef(glm(target ~ held$value, quasibinomial, control = list(epsilon = 1e-14, maxit = 100)))
  })
  expect_sigmoids(fit, lines, ITERATED)
  expect_identical(fit$temperature, 1)
})

test_that("default sigmoids are Firth's regressions, fitted to cross-validated scores", {
  skip_without_python()
  skip_without_package("e1071")
  skip_without_package("brglm2")
  fit <- pwc(
    Species ~ Sepal.Length + Sepal.Width, backwards, "svm",
    tolerance = 1e-10, seed = NULL
  )
  lines <- lapply(held_out_values(scale(iris[1:2]), backwards$Species), function(held) {
    coef(glm(
      first ~ value, binomial, held,
      method = brglm2::brglm_fit, type = "AS_mean", epsilon = 1e-12, maxit = 1000
    ))
  })
  expect_sigmoids(fit, lines, FIRTH)
  expect_identical(update(fit, calibration = "firth")$pairs, fit$pairs)
})

test_that("a temperature sharpens or flattens the coupled probabilities", {
  skip_without_python()
  fit <- pwc(Species ~ ., backwards, "svm")
  plain <- update(fit, temperature = FALSE)
  expect_identical(plain$temperature, 1)
  expect_false(fit$temperature == 1)
  powers <- predict(plain, type = "prob")^(1 / fit$temperature)
  expect_equal(predict(fit, type = "prob"), powers / rowSums(powers), tolerance = EXACT)
  expect_identical(predict(fit), predict(plain))
  # Learners with probabilities have one on request.
  bayes <- pwc(Species ~ ., backwards, "nb")
  expect_identical(bayes$temperature, 1)
  # Naive Bayes counts dependent columns as if each were new evidence.
  expect_gt(update(bayes, temperature = TRUE)$temperature, 1.2)
  expect_refused(
    update(fit, coupling = "vote", temperature = TRUE),
    "^coupling = 'vote' cannot have a temperature, .* or temperature = FALSE\\.$"
  )
  for (wrong in list("yes", NA, 2, c(TRUE, FALSE), NULL)) {
    expect_refused(
      pwc(Species ~ ., iris, "lda", temperature = wrong),
      "^temperature must be 'auto', TRUE or FALSE, got .+\\.$"
    )
  }
})

test_that("nb has normal densities with the divisor n", {
  skip_without_python()
  density_of <- function(rows, new) {
    log_density <- rep(log(nrow(rows)), nrow(new))
    for (column in names(iris)[1:4]) {
      center <- mean(rows[[column]])
      spread <- sqrt(mean((rows[[column]] - center)^2))
      log_density <- log_density + dnorm(new[[column]], center, spread, log = TRUE)
    }
    log_density
  }
  # scikit-learn adds 1e-9 of the largest variance.
  expect_pairs(pwc(Species ~ ., backwards, "nb"), backwards, function(rows, new) {
    parts <- lapply(split(rows, rows$Species), density_of, new)
    plogis(parts[[1]] - parts[[2]])
  }, 1e-6)
})

test_that("knn has the shares of the nearest rows, like class::knn()", {
  skip_without_python()
  skip_without_package("class")
  set.seed(3)
  data <- data.frame(Species = factor(rep(c("b", "c", "a"), 30), levels = c("c", "b", "a")))
  data$u <- rnorm(90) + as.integer(data$Species) / 2
  data$v <- rnorm(90)
  expect_pairs(
    pwc(Species ~ ., data, "knn", k = 7, scale = FALSE), data,
    function(rows, new) {
      peer <- class::knn(rows[-1], new[names(rows)[-1]], rows$Species, k = 7, prob = TRUE)
      share <- attr(peer, "prob")
      ifelse(peer == levels(rows$Species)[[1]], share, 1 - share)
    }, EXACT
  )
})

test_that("logistic minimises the penalised deviance, and is close to glm() for large cost", {
  skip_without_python()
  data <- subset(scaled_iris(), Species != "setosa")
  data$Species <- droplevels(data$Species)
  x <- cbind(1, as.matrix(data[1:4]))
  y <- data$Species == "virginica"
  loss <- function(beta) {
    0.5 * sum(beta[-1]^2) + 0.5 * sum(log1p(exp(ifelse(y, -1, 1) * x %*% beta)))
  }
  best <- optim(numeric(5), loss, method = "BFGS", control = list(reltol = 1e-14, maxit = 1000))
  fit <- pwc(Species ~ ., data, "logistic", cost = 0.5, scale = FALSE)
  expect_equal(
    unname(predict(fit, type = "pairs")[, 1]), unname(drop(plogis(x %*% best$par))),
    tolerance = ITERATED
  )
  glm_fit <- glm(y ~ x - 1, family = binomial, control = list(epsilon = 1e-14, maxit = 100))
  fit <- pwc(Species ~ ., data, "logistic", cost = 1e9, scale = FALSE)
  expect_equal(unname(predict(fit, type = "pairs")[, 1]), unname(fitted(glm_fit)), tolerance = 1e-4)
})

test_that("tree is rpart's without pruning", {
  skip_without_python()
  skip_without_package("rpart")
  set.seed(5)
  labels <- c("c", "b", "a")
  data <- data.frame(Species = factor(sample(rev(labels), 300, TRUE), levels = labels))
  data$u <- rnorm(300) + as.integer(data$Species)
  data$v <- rnorm(300) * as.integer(data$Species)
  expect_pairs(
    pwc(Species ~ ., data, "tree", minsplit = 30, maxdepth = 4), data,
    function(rows, new) {
      # Splits are greedy, so a split may have no gain.
      peer <- rpart::rpart(
        Species ~ ., rows,
        minsplit = 30, minbucket = 10, maxdepth = 4, cp = -1, xval = 0, maxsurrogate = 0
      )
      predict(peer, new)[, 1]
    }, EXACT
  )
})

test_that("probabilities are those of couple(), for any order of the levels", {
  skip_without_python()
  for (coupling in c("wlw2", "ht", "wlw1", "logit", "pkpd", "rv", "vote", "sum")) {
    fit <- pwc(Species ~ ., backwards[-(1:20), ], c("lda", "nb"), coupling = coupling)
    n <- if (coupling %in% c("ht", "logit")) fit$pairs$n
    r <- predict(fit, type = "pairs")
    proba <- predict(fit, type = "prob")
    # Large log-odds count in this coupling, so the classifier clips less. Here pairs are turned
    # round, and 1 - r has six digits at this clip.
    clip <- if (coupling == "logit") 1e-10 else 1e-7
    expected <- couple(r, coupling, n = n, condensed = TRUE, clip = clip)
    expect_equal(proba, expected, tolerance = if (coupling == "logit") 1e-5 else EXACT)
    weighted <- if (is.null(n)) coupling else paste0(coupling, ", pairs weighted by rows")
    expect_output(print(fit), weighted, fixed = TRUE)
    expect_identical(colnames(proba), levels(backwards$Species))
    expect_identical(predict(fit), factor(
      levels(backwards$Species)[max.col(proba, "first")],
      levels = levels(backwards$Species)
    ))
  }
  expect_identical(fit$pairs$n, c(100, 80, 80))
  equal <- update(fit, coupling = "ht", pair_weights = "equal")
  expect_equal(
    predict(equal, type = "prob"),
    couple(predict(equal, type = "pairs"), "ht", condensed = TRUE),
    tolerance = EXACT
  )
})

test_that("pairs are weighted by a matrix, in the order of the levels or by name", {
  skip_without_python()
  own <- matrix(c(0, 5, 1, 5, 0, 9, 1, 9, 0), 3)
  fit <- pwc(Species ~ ., backwards, "logistic", coupling = "ht", pair_weights = own)
  r <- predict(fit, type = "pairs")
  expected <- couple(r, "ht", condensed = TRUE, n = own)
  expect_equal(predict(fit, type = "prob"), expected, tolerance = EXACT)
  expect_gt(max(abs(expected - couple(r, "ht", condensed = TRUE))), 1e-3)
  labels <- levels(backwards$Species)
  named <- with_dimnames(own, labels, labels)
  expect_identical(fit$pair_weights, named)
  for (weights in list(named[c(2, 3, 1), 3:1], as.data.frame(named), named * 7L)) {
    again <- update(fit, pair_weights = weights)
    expect_equal(predict(again, type = "prob"), expected, tolerance = EXACT)
  }
  logit <- predict(update(fit, coupling = "logit"), type = "prob")
  expected <- couple(r, "logit", condensed = TRUE, n = own, clip = 1e-10)
  expect_equal(logit, expected, tolerance = EXACT)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), type = "prob"), predict(fit, type = "prob"))
  expect_output(print(fit), "Coupling: +ht, pairs weighted by pair_weights\n")
  expect_s3_class(summary(fit), "summary.pwcstats_pwc")
})

test_that("weights of pairs that do not fit are refused", {
  skip_without_python()
  ask <- function(weights, coupling = "ht") {
    pwc(Species ~ ., iris, "lda", coupling = coupling, pair_weights = weights)
  }
  own <- matrix(c(0, 5, 1, 5, 0, 9, 1, 9, 0), 3)
  expect_refused(ask(own, "wlw2"), "^only coupling = 'ht' or coupling = 'logit' uses weights")
  expect_refused(ask(own[1:2, 1:2]), "^pair_weights must be 'counts', 'equal' or a 3 x 3 matrix")
  expect_refused(ask(1:3), "^pair_weights must be 'counts', 'equal' or a 3 x 3 matrix")
  expect_refused(ask(own + upper.tri(own)), "^pair_weights must be symmetric, got 6.0 and 5.0")
  expect_refused(ask(own * (own > 1 & own < 9)), "pair_weights leaves .* without a compared pair")
  expect_refused(ask(with_dimnames(own, letters[1:3], letters[1:3])), "labelled by the classes")
  expect_refused(ask(list(1)), "^pair_weights must be a numeric")
})

test_that("bayes weights pairs by learners of both classes against the rest", {
  skip_without_python()
  skip_without_package("MASS")
  fit <- pwc(Species ~ ., backwards, "lda", coupling = "bayes")
  r <- predict(fit, type = "pairs")
  mass <- vapply(strsplit(colnames(r), "/", fixed = TRUE), function(both) {
    peer <- MASS::lda(backwards[1:4], backwards$Species %in% both, method = "mle")
    predict(peer, backwards[1:4])$posterior[, "TRUE"]
  }, numeric(150))
  expect_equal(
    predict(fit, type = "prob"), couple(r, "bayes", pair_mass = mass, condensed = TRUE),
    tolerance = EXACT
  )
})

test_that("sigmoids and thresholds belong to the scores of their pair", {
  skip_without_python()
  fit <- pwc(Species ~ ., backwards, "svm")
  f <- predict(fit, type = "decision")
  a <- rep(fit$pairs$sigmoid_a, each = 150)
  b <- rep(fit$pairs$sigmoid_b, each = 150)
  expect_equal(predict(fit, type = "pairs"), 1 / (1 + exp(a * f + b)), tolerance = EXACT)
  expect_true(any(fit$pairs$sigmoid_b != 0))
  expect_identical(predict(fit, type = "link"), f)
  moved <- pwc(Species ~ Sepal.Length + Sepal.Width, backwards, "nb", threshold = "train")
  d <- predict(update(moved, threshold = "none"), type = "decision")
  t <- rep(moved$pairs$threshold, each = 150)
  expect_equal(predict(moved, type = "pairs"), plogis(d - t), tolerance = EXACT)
  expect_true(any(moved$pairs$threshold != 0))
  # On the rows of the fit a threshold has no more errors than 0.
  for (i in 1:3) {
    both <- unlist(moved$pairs[i, c("class_i", "class_j")])
    rows <- backwards$Species %in% both
    first <- backwards$Species[rows] == both[[1]]
    errors <- function(threshold) sum((d[rows, i] > threshold) != first)
    expect_lte(errors(moved$pairs$threshold[[i]]), errors(0))
  }
})

test_that("each pair has the learner with the best score, or the first of equals", {
  skip_without_python()
  skip_without_package("MASS")
  fit <- pwc(Species ~ ., backwards, c("nb", "lda"), seed = NULL)
  scores <- fit$pairs[c("cv_score_nb", "cv_score_lda")]
  expect_identical(fit$pairs$learner, c("nb", "lda")[max.col(scores, "first")])
  expect_identical(fit$pairs$learner, c("lda", "nb", "nb"))
  # Stratified folds in the order of the rows.
  fold <- rep(rep(1:3, 3), c(17, 17, 16, 17, 16, 17, 16, 17, 17))
  rows <- of_pair(transform(backwards, fold = fold), "Species", "virginica", "versicolor")
  right <- vapply(1:3, function(k) {
    held <- rows$fold == k
    peer <- MASS::lda(rows[!held, 1:4], rows$Species[!held])
    mean(predict(peer, rows[held, 1:4])$class == rows$Species[held])
  }, 0)
  expect_equal(fit$pairs$cv_score_lda[[1]], mean(right), tolerance = EXACT)
})

test_that("votes count pairs", {
  skip_without_python()
  fit <- pwc(Species ~ ., backwards, "lda")
  r <- predict(fit, type = "pairs")
  votes <- cbind(
    virginica = (r[, 1] > 0.5) + (r[, 2] > 0.5),
    versicolor = (r[, 1] < 0.5) + (r[, 3] > 0.5),
    setosa = (r[, 2] < 0.5) + (r[, 3] < 0.5)
  )
  expect_equal(predict(fit, type = "votes"), votes)
})

test_that("the same seed gives the same numbers for any n_jobs", {
  skip_without_python()
  fit <- pwc(Species ~ ., iris, c("svm", "tree"), seed = 4)
  again <- pwc(Species ~ ., iris, c("svm", "tree"), seed = 4, n_jobs = 2)
  other <- pwc(Species ~ ., iris, c("svm", "tree"), seed = 5)
  expect_identical(fit$pairs, again$pairs)
  expect_identical(predict(fit, type = "prob"), predict(again, type = "prob"))
  expect_false(identical(fit$pairs, other$pairs))
})

test_that("a weight of 2 repeats a row, and 0 drops it", {
  skip_without_python()
  w <- rep(c(2, 1, 0), 50)
  for (name in c("nb", "logistic", "svm")) {
    # Without sigmoids, which would have other folds.
    raw <- list(calibration = "none", coupling = "vote")
    if (name == "svm") {
      raw$tolerance <- 1e-10
    }
    weighted <- do.call(pwc, c(list(Species ~ ., iris, name, weights = w), raw))
    repeated <- do.call(pwc, c(list(Species ~ ., iris[rep(1:150, w), ], name), raw))
    expect_equal(weighted[c("center", "scale")], repeated[c("center", "scale")], tolerance = EXACT)
    expect_equal(
      predict(weighted, iris, type = "decision"), predict(repeated, iris, type = "decision"),
      tolerance = 1e-6
    )
    expect_identical(weighted$pairs$n, repeated$pairs$n)
  }
  expect_identical(nobs(weighted), 100L)
})
