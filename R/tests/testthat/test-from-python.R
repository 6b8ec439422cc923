# from_python() against the same fit by the R function, and against Python's predictions.

# The same algorithm with columns and rows in another order.
same_algorithm <- 1e-9
# The same coefficients, or the same Python object.
same_numbers <- 1e-10

in_python <- function(name) {
  reticulate::import(name, convert = FALSE)
}

model_of <- function(name) in_python("pwcstats")[[name]]

# All parts but the calls, the bytes, and what has the names of the variables.
expect_same_fit <- function(ours, theirs, but = character()) {
  expect_identical(class(ours), class(theirs))
  expect_setequal(names(ours), names(theirs))
  but <- c(but, "call", "python", "terms", "model", "formula", "design")
  for (part in setdiff(names(theirs), but)) {
    expect_equal(ours[[part]], theirs[[part]], tolerance = same_algorithm, label = part)
  }
  expect_equal(
    unname(as.list(ours$model)), unname(as.list(theirs$model)),
    ignore_attr = TRUE, tolerance = same_numbers
  )
}

as_python <- function(data) {
  reticulate::r_to_py(data)
}

cases <- transform(endometrial, stage = rep(c("b", "a", "c"), length.out = 79L))

test_that("a formula gives the fit of firth()", {
  skip_without_python()
  result <- model_of("FirthLogit")$from_formula(
    "HG ~ EH + C(stage) + np.log(PI + 1)", as_python(cases),
    eval_env = reticulate::py_eval("__import__('patsy').EvalEnvironment([{'np': __import__('numpy')}])")
  )$fit()
  ours <- from_python(result)
  data <- transform(cases, stage = factor(stage))
  theirs <- firth(HG ~ EH + factor(stage) + log(PI + 1), data)
  expect_same_fit(ours, theirs)
  expect_identical(formula(ours), formula(theirs), ignore_formula_env = TRUE)
  new <- data[c(3, 40, 77), ]
  for (type in c("link", "response")) {
    expect_equal(predict(ours, new, type = type), predict(theirs, new, type = type), tolerance = same_algorithm)
  }
  expect_equal(confint(ours), confint(theirs), tolerance = same_algorithm)
  expect_equal(
    confint(ours, method = "profile"), confint(theirs, method = "profile"), tolerance = 1e-6
  )
  expect_equal(anova(ours), anova(theirs), tolerance = same_algorithm, ignore_attr = "heading")
  expect_equal(generics::tidy(ours), generics::tidy(theirs), tolerance = same_algorithm)
  expect_equal(summary(ours)$coefficients, summary(theirs)$coefficients, tolerance = same_algorithm)
  expect_equal(logLik(ours), logLik(theirs), tolerance = same_algorithm)
  expect_equal(nobs(ours), nobs(theirs))
  smaller <- update(ours, . ~ . - EH)
  expect_equal(
    coef(smaller), coef(firth(HG ~ factor(stage) + log(PI + 1), data)), tolerance = same_algorithm
  )
  expect_equal(drop1(ours), drop1(theirs), tolerance = same_algorithm, ignore_attr = "heading")
})

test_that("columns, weights and offsets give the fit of firth()", {
  skip_without_python()
  x <- data.frame(EH = cases$EH, const = 1, "a b" = cases$NV, check.names = FALSE)
  weights <- rep(c(1, 2, 1.5), length.out = 79L)
  offset <- rep(c(0, 0.2), length.out = 79L)
  for (correction in c("none", "flic", "flac")) {
    model <- model_of("FirthLogit")(as_python(cases$HG), as_python(x),
      freq_weights = weights, offset = offset
    )
    result <- if (correction == "none") model$fit() else model$fit(correction = correction)
    ours <- from_python(result)
    theirs <- firth(y ~ EH + `a b`, data.frame(y = cases$HG, x, check.names = FALSE),
      weights = weights, offset = offset, correction = correction
    )
    expect_same_fit(ours, theirs)
    python <- reticulate::py_to_r(result$predict(as_python(x[1:4, ]), offset = offset[1:4]))
    new <- cbind(x[1:4, c("EH", "a b")], offset = offset[1:4])
    expect_equal(
      as.vector(predict(ours, new, type = "response")), as.vector(python), tolerance = same_numbers
    )
  }
})

test_that("models of several classes give the fits of firth_multinom() and cratio()", {
  skip_without_python()
  ordered <- transform(cases, stage = factor(stage, c("b", "a", "c"), ordered = TRUE))
  x <- as.matrix(cases[c("EH", "NV")])
  multinom <- model_of("FirthMNLogit")(cases$stage, as_python(data.frame(const = 1, x)))$fit()
  ours <- from_python(multinom)
  theirs <- firth_multinom(factor(stage) ~ EH + NV, cases)
  expect_same_fit(ours, theirs)
  expect_equal(
    unname(predict(ours, cases[1:5, ], type = "prob")),
    unname(as.matrix(reticulate::py_to_r(multinom$predict())))[1:5, ], tolerance = same_numbers
  )
  expect_equal(
    confint(ours, method = "profile"), confint(theirs, method = "profile"), tolerance = 1e-6
  )

  pd <- in_python("pandas")
  stage <- pd$Categorical(cases$stage, categories = c("b", "a", "c"), ordered = TRUE)
  for (penalty in list(NULL, "firth")) {
    for (parallel in c(FALSE, TRUE)) {
      for (direction in c("backward", "forward")) {
        result <- model_of("ContinuationRatio")(stage, as_python(data.frame(x)),
          penalty = penalty, parallel = parallel, direction = direction
        )$fit()
        ours <- from_python(result)
        theirs <- cratio(stage ~ EH + NV, ordered,
          penalty = if (is.null(penalty)) "none" else penalty, parallel = parallel,
          direction = direction
        )
        expect_same_fit(ours, theirs)
        expect_equal(
          unname(predict(ours, cases[1:5, ], type = "prob")),
          unname(as.matrix(reticulate::py_to_r(result$predict())))[1:5, ], tolerance = same_numbers
        )
      }
    }
  }
})

votes <- transform(battles, result = c(model_a = 1, model_b = 0)[as.character(winner)])
votes$result[is.na(votes$result)] <- 0.5
votes$length <- log(votes$length_a / votes$length_b)

test_that("comparisons give the fits of bt()", {
  skip_without_python()
  model <- model_of("BradleyTerry")$from_comparisons(as_python(battles))
  options <- list(
    list(ties = "davidson", order_effect = TRUE, ref = "Swan", method = "firth"),
    list(ties = "half"),
    list(ties = "rao-kupper", method = "ridge", prior_sd = 0.7, cov = "diag"),
    list(ties = "davidson", method = "ghost", pseudo = 2),
    list(ties = "davidson", cov_type = "HC0")
  )
  counts <- aggregate(
    cbind(wins1 = result == 1, wins2 = result == 0, ties = result == 0.5) ~ model_a + model_b,
    data = votes, FUN = sum
  )
  for (asked in options) {
    ours <- from_python(do.call(model$fit, asked))
    in_r <- c(asked, if (is.null(asked$ref)) list(ref = NA))
    theirs <- do.call(bt, c(
      list(quote(cbind(wins1, wins2, ties)), quote(model_a), quote(model_b), data = counts), in_r
    ))
    # The rows are in another order.
    expect_same_fit(ours, theirs, c("model", "line_row"))
    pair <- data.frame(player1 = "Owl", player2 = "Dove")
    theirs_pair <- data.frame(model_a = "Owl", model_b = "Dove")
    expect_equal(
      predict(ours, pair, type = "prob"), predict(theirs, theirs_pair, type = "prob"),
      tolerance = same_algorithm
    )
  }
  result <- model$fit(ties = "davidson")
  ours <- from_python(result)
  expect_equal(
    unname(predict(ours, pair, type = "prob", outcome = "win")),
    reticulate::py_to_r(result$predict("Owl", "Dove")),
    tolerance = same_numbers
  )
})
