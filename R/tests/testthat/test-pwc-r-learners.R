# R learners in pwc(): their arguments, results and errors.

# The same numbers after conversion to Python and back.
EXACT <- 1e-8 # nolint

ask <- function(learners, ...) {
  pwc(Species ~ ., backwards, learners, ...)
}

constant <- function(model, x) rep(0.5, nrow(x))

by_prob <- function(prob) list(bad = list(fit = function(x, y) 1, prob = prob))

by_fit <- function(fit) list(bad = list(fit = fit, prob = constant))

lda_of_r <- list(
  fit = function(x, y) MASS::lda(x, y, method = "mle"),
  prob = function(model, x) predict(model, x)$posterior
)

glm_of_r <- list(
  fit = function(x, y, weights = rep(1, nrow(x))) {
    glm(y ~ ., binomial, data.frame(y = y, x), weights = weights)
  },
  prob = function(model, x) predict(model, data.frame(x), type = "response")
)

test_that("lda of MASS as a function is lda by name", {
  skip_without_python()
  skip_without_package("MASS")
  for (coupling in c("wlw2", "bayes")) {
    mine <- ask(lda_of_r, coupling = coupling)
    named <- ask("lda", coupling = coupling)
    for (type in c("pairs", "prob", "decision", "votes")) {
      expect_equal(predict(mine, type = type), predict(named, type = type), tolerance = EXACT)
    }
  }
  # Without setosa, where probabilities round to 1.
  near <- function(learner) ask(learner, calibration = "sigmoid", threshold = "cv")$pairs[1, -4]
  expect_equal(near(lda_of_r), near("lda"), tolerance = EXACT)
  # Levels that look like Python's True and False.
  odd <- backwards
  levels(odd$Species) <- c("TRUE", "NA", "FALSE")
  expect_equal(
    predict(pwc(Species ~ ., odd, lda_of_r), type = "prob"),
    predict(pwc(Species ~ ., odd, "lda"), type = "prob"),
    tolerance = EXACT
  )
})

test_that("columns of probabilities are matched by name", {
  skip_without_python()
  skip_without_package("e1071")
  # Its columns are in the order of first appearance, here alphabetical.
  fit <- ask(list(
    fit = function(x, y) e1071::svm(x, y, probability = TRUE),
    prob = function(model, x) attr(predict(model, x, probability = TRUE), "probabilities")
  ))
  expect_gt(mean(predict(fit) == backwards$Species), 0.95)
  expect_gt(mean(predict(fit, type = "pairs")[101:150, "virginica/setosa"]), 0.9)
  # Without names they are in the order of the levels.
  first <- list(fit = function(x, y) 1, prob = function(model, x) cbind(rep(0.9, nrow(x)), 0.1))
  expect_equal(unname(predict(ask(first), type = "pairs")[1, ]), rep(0.9, 3))
  frame <- list(fit = first$fit, prob = function(model, x) {
    stats::setNames(data.frame(rep(0.2, nrow(x)), 0.8), model)
  })
  frame$fit <- function(x, y) rev(levels(y))
  expect_equal(unname(predict(ask(frame), type = "pairs")[1, ]), rep(0.8, 3))
})

test_that("a vector is the probability of the second level, as from glm()", {
  skip_without_python()
  two <- droplevels(subset(backwards, Species != "setosa"))
  w <- rep(1:2, 50)
  for (weights in list(rep(1, 100), w)) {
    formula <- Species ~ Sepal.Length + Sepal.Width
    fit <- pwc(formula, two, glm_of_r, weights = weights, scale = FALSE)
    peer <- glm(formula, binomial, cbind(two, w = weights), weights = w)
    expect_identical(levels(two$Species)[[2]], "versicolor")
    expect_equal(
      predict(fit, type = "prob")[, "versicolor"], fitted(peer),
      tolerance = EXACT
    )
  }
  column <- list(fit = function(x, y) 1, prob = function(model, x) matrix(0.2, nrow(x), 1))
  expect_equal(unname(predict(ask(column), type = "pairs")[1, ]), rep(0.8, 3))
})

test_that("one column has the probabilities of the level in its name", {
  skip_without_python()
  skip_without_package("MASS")
  both <- predict(ask(lda_of_r), type = "pairs")
  for (k in 1:2) {
    one <- list(
      fit = lda_of_r$fit,
      prob = function(model, x) predict(model, x)$posterior[, k, drop = FALSE]
    )
    expect_equal(predict(ask(one), type = "pairs"), both, tolerance = EXACT)
  }
})

test_that("functions get named columns, a factor with two levels, and weights", {
  skip_without_python()
  skip_without_package("rpart")
  seen <- list(
    fit = function(x, y, weights) list(x = x, y = y, weights = weights),
    prob = function(model, x) {
      stopifnot(
        is.matrix(x), is.double(x), identical(colnames(x), c("Sepal.Length", "Petal.Width")),
        identical(colnames(model$x), colnames(x)), is.factor(model$y),
        nlevels(model$y) == 2, length(model$y) == nrow(model$x),
        # In the order of the response's levels.
        !is.unsorted(match(levels(model$y), c("virginica", "versicolor", "setosa"))),
        identical(model$weights, rep(1, nrow(x_of(model)))) ||
          identical(model$weights, rep(c(1, 3), nrow(x_of(model)) / 2))
      )
      rep(if (all(model$weights == 1)) 0.4 else 0.3, nrow(x))
    }
  )
  x_of <- function(model) model$x
  environment(seen$prob) <- list2env(list(x_of = x_of))
  formula <- Species ~ Sepal.Length + Petal.Width
  plain <- pwc(formula, backwards, seen)
  expect_equal(predict(plain, backwards[1, ], type = "pairs")[[1]], 0.6)
  weighted <- pwc(formula, backwards, seen, weights = rep(c(1, 3), 75))
  expect_equal(predict(weighted, backwards[1, ], type = "pairs")[[1]], 0.7)
  # rpart treats weights as repeated rows.
  tree <- list(
    fit = function(x, y, weights = rep(1, nrow(x))) {
      data <- data.frame(y = y, x)
      data$w <- weights
      rpart::rpart(y ~ . - w, data, weights = w, minsplit = 2, maxdepth = 1, xval = 0)
    },
    prob = function(model, x) predict(model, data.frame(x, w = 1))
  )
  w <- rep(1:3, 50)
  a <- pwc(formula, backwards, tree, weights = w, scale = FALSE)
  b <- pwc(formula, backwards[rep(1:150, w), ], tree, scale = FALSE)
  expect_equal(
    predict(a, backwards, type = "prob"), predict(b, backwards, type = "prob"),
    tolerance = EXACT
  )
})

test_that("results that are not probabilities are refused, with learner and pair", {
  skip_without_python()
  where <- "^bad failed on the pair setosa/versicolor: its function prob must return "
  refused <- function(prob, words) expect_refused(ask(by_prob(prob)), paste0(where, words))
  refused(function(model, x) matrix(1 / 3, nrow(x), 3), "1 prob.* 1 x 2, not 1 x 3")
  refused(function(model, x) numeric(), "1 probabilities, or a matrix of 1 x 2, not 0")
  range <- "probabilities that sum to 1 in each row"
  refused(function(model, x) rep(NA_real_, nrow(x)), range)
  refused(function(model, x) rep(NaN, nrow(x)), range)
  refused(function(model, x) rep(1.2, nrow(x)), range)
  refused(function(model, x) rep(-0.2, nrow(x)), range)
  refused(function(model, x) matrix(0.4, nrow(x), 2), range)
  refused(function(model, x) rep("a", nrow(x)), "numbers, not character")
  refused(function(model, x) factor(rep("a", nrow(x))), "numbers, not factor")
  refused(function(model, x) NULL, "numbers, not NULL")
  refused(function(model, x) list(0.5), "numbers, not list")
  refused(function(model, x) rep(TRUE, nrow(x)), "numbers, not logical")
  refused(
    function(model, x) cbind(a = rep(0.5, nrow(x)), b = 0.5),
    "columns named versicolor and setosa, not a and b"
  )
  # The fit predicts one row, so the error comes later.
  short <- ask(by_prob(function(model, x) 0.5))
  error <- expect_error(
    predict(short), "pair setosa/versicolor cannot predict: .* return 150 prob.*, not 1$",
    class = "pwcstats_error"
  )
  expect_identical(conditionCall(error)[[1]], quote(predict.pwcstats_pwc))
  # Rounding errors are accepted.
  near <- ask(by_prob(function(model, x) rep(1 + 1e-12, nrow(x))))
  expect_true(all(predict(near, type = "pairs") < 1e-6))
})

test_that("an error in a function names the learner and the pair", {
  skip_without_python()
  error <- expect_error(
    ask(by_fit(function(x, y) stop("no luck"))),
    "^bad failed on the pair setosa/versicolor: no luck \\(With error_score = NA ",
    class = "pwcstats_error"
  )
  expect_identical(conditionCall(error)[[1]], quote(pwc))
  picky <- function(x, y) if ("virginica" %in% levels(y)) stop("not these") else 1
  expect_refused(ask(by_fit(picky)), "^bad .* setosa/virginica: not these")
  late <- ask(by_prob(function(model, x) if (nrow(x) > 1) stop("too many") else 0.5))
  expect_refused(predict(late), "cannot predict: too many$")
  # A jump through Python's frames must not break them.
  jump <- function() {
    withRestarts(ask(by_fit(function(x, y) invokeRestart("away"))), away = function() "jumped")
  }
  expect_error(jump(), class = "pwcstats_error")
  expect_identical(levels(predict(ask(shares))), levels(backwards$Species))
})

test_that("an interrupt in a function interrupts pwc()", {
  skip_without_python()
  stopped <- function(...) {
    stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  }
  answer <- tryCatch(
    ask(by_fit(stopped), error_score = NA),
    interrupt = function(e) "interrupted", error = function(e) "error"
  )
  expect_identical(answer, "interrupted")
  late <- ask(by_prob(function(model, x) {
    if (nrow(x) == 1) {
      return(0.5)
    }
    stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  }))
  answer <- tryCatch(
    predict(late),
    interrupt = function(e) "interrupted", error = function(e) "error"
  )
  expect_identical(answer, "interrupted")
})

test_that("warnings in functions are warnings of pwc()", {
  skip_without_python()
  loud <- by_fit(function(x, y) {
    warning("mind the gap")
    1
  })
  said <- character()
  fit <- withCallingHandlers(ask(loud), warning = function(w) {
    said <<- c(said, class(w)[[1]], conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  # Once, not for each pair.
  expect_identical(said, c("pwcstats_warning", "mind the gap"))
  expect_s3_class(fit, "pwcstats_pwc")
  caught <- tryCatch(ask(loud), warning = identity)
  expect_identical(conditionMessage(caught), "mind the gap")
  expect_identical(conditionCall(caught)[[1]], quote(pwc))
  old <- options(warn = 2)
  on.exit(options(old))
  # Otherwise it would be an error of the learner.
  expect_error(ask(loud), "converted from warning\\) mind the gap")
  options(old)
  asked <- ask(by_prob(function(model, x) {
    if (nrow(x) > 1) warning("so many")
    rep(0.5, nrow(x))
  }))
  expect_warning(predict(asked), "^so many$", class = "pwcstats_warning")
  expect_identical(suppressWarnings(predict(asked))[[1]], backwards$Species[[101]])
})

test_that("error_score uses other learners, or the shares of the classes", {
  skip_without_python()
  picky <- by_fit(function(x, y) if ("setosa" %in% levels(y)) stop("nope") else 1)
  expect_warning(
    fit <- ask(c(list("nb"), picky), error_score = NA), "failed on 2 of 3 pairs, where others",
    class = "pwcstats_warning"
  )
  expect_identical(fit$pairs$learner, rep("nb", 3))
  expect_identical(fit$pairs$cv_score_bad, c(0.5, NA, NA))
  expect_identical(fit$pairs$error, c("", "bad: nope", "bad: nope"))
  expect_warning(fit <- ask(picky, error_score = NA), "classes' shares of the rows are used")
  expect_identical(fit$pairs$learner, c("bad", "prior", "prior"))
  expect_equal(unname(predict(fit, type = "pairs")[1, ]), rep(0.5, 3))
  expect_output(print(fit), "bad \\(1 pair\\), prior \\(2 pairs\\)")
  # A number is a score, and may be better than others.
  expect_warning(fit <- ask(c(list("nb"), picky), error_score = 0.25), "others are used")
  expect_identical(fit$pairs$cv_score_bad, c(0.5, 0.25, 0.25))
  expect_refused(
    ask(by_fit(function(x, y) stop("never")), error_score = NA), "failed on all 3 pairs.*: never"
  )
})

test_that("set.seed() makes R learners reproducible, and n_jobs is refused", {
  skip_without_python()
  draws <- list(fit = function(x, y) runif(1), prob = function(model, x) rep(model, nrow(x)))
  seeded <- function(seed) {
    set.seed(seed)
    predict(ask(draws), type = "pairs")
  }
  expect_identical(seeded(1), seeded(1))
  expect_false(identical(seeded(1), seeded(2)))
  # R's random numbers, pair by pair in alphabetical order: those of the
  # second level, which is Python's first.
  set.seed(1)
  pairs <- c("versicolor/setosa", "virginica/setosa", "virginica/versicolor")
  expect_equal(unname(seeded(1)[1, pairs]), 1 - {
    set.seed(1)
    runif(3)
  })
  for (n_jobs in list(2, -1, "a", NA, c(1, 1))) {
    expect_refused(ask(draws, n_jobs = n_jobs), "runs in this R, .*; leave n_jobs out")
  }
  expect_identical(ask(shares, n_jobs = 1)$pairs, ask(shares)$pairs)
})

test_that("functions keep captured variables in a new session", {
  skip_without_python()
  make <- function(share) {
    helper <- function(n) rep(share, n)
    list(fit = function(x, y) levels(y), prob = function(model, x) helper(nrow(x)))
  }
  fit <- ask(list(mine = make(0.3)))
  expect_equal(unname(predict(fit, type = "pairs")[1, ]), rep(0.7, 3))
  code <- "list(predict(fit, type = 'pairs'), predict(fit, iris[7, ], type = 'prob'))"
  there <- ask_elsewhere(fit, code)
  expect_identical(there[[1]], predict(fit, type = "pairs"))
  expect_identical(there[[2]], predict(fit, iris[7, ], type = "prob"))
})

test_that("the environment of a function is saved once, not for each pair", {
  skip_without_python()
  # Not a sequence, which R would save in compact form.
  around <- seq_len(5e5) + 0.5
  size <- length(serialize(around, NULL))
  line <- list(
    # Its formula refers to the frame of the function, and that to its parent.
    fit = function(x, y) lm(y ~ ., data.frame(y = as.integer(y) - 1.5, x)),
    prob = function(model, x) plogis(predict(model, data.frame(x)))
  )
  fit <- ask(line)
  expect_gt(length(fit$python), size)
  expect_lt(length(fit$python), 1.5 * size)
  # And it exists when the model needs it.
  finds <- list(
    fit = function(x, y) y ~ around,
    prob = function(model, x) rep(get("around", environment(model))[[4]] / 10, nrow(x))
  )
  expect_equal(unname(predict(ask(finds), type = "pairs")[1, ]), rep(0.55, 3))
})
