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
  # Comparisons may be in another order.
  if (is.null(theirs$line_row)) {
    expect_equal(
      unname(as.list(ours$model)), unname(as.list(theirs$model)),
      ignore_attr = TRUE, tolerance = same_numbers
    )
  }
}

as_python <- function(data) {
  reticulate::r_to_py(data)
}

cases <- transform(endometrial, stage = rep(c("b", "a", "c"), length.out = 79L))

test_that("a formula gives the fit of firth()", {
  skip_without_python()
  result <- model_of("FirthLogit")$from_formula(
    "HG ~ EH + C(stage) + np.log(PI + 1)", as_python(cases),
    eval_env = in_python("patsy")$EvalEnvironment(list(list(np = in_python("numpy"))))
  )$fit()
  ours <- from_python(result)
  data <- transform(cases, stage = factor(stage))
  theirs <- firth(HG ~ EH + factor(stage) + log(PI + 1), data)
  expect_same_fit(ours, theirs)
  expect_identical(formula(ours), formula(theirs), ignore_formula_env = TRUE)
  new <- data[c(3, 40, 77), ]
  for (type in c("link", "response")) {
    expect_equal(
      predict(ours, new, type = type), predict(theirs, new, type = type), tolerance = same_algorithm
    )
  }
  expect_equal(confint(ours), confint(theirs), tolerance = same_algorithm)
  expect_equal(
    confint(ours, method = "profile"), confint(theirs, method = "profile"),
    tolerance = same_algorithm
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

test_that("the weight of the penalty comes along", {
  skip_without_python()
  x <- as_python(data.frame(const = 1, EH = cases$EH))
  expect_same_fit(
    from_python(model_of("FirthLogit")(as_python(cases$HG), x, tau = 0.2)$fit()),
    firth(HG ~ EH, cases, tau = 0.2)
  )
  expect_same_fit(
    from_python(model_of("FirthMNLogit")(cases$stage, x, tau = 0)$fit()),
    firth_multinom(factor(stage) ~ EH, cases, tau = 0)
  )
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
    confint(ours, method = "profile"), confint(theirs, method = "profile"),
    tolerance = same_algorithm
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
      steps <- model_of("AdjacentCategories")(stage, as_python(data.frame(x)),
        penalty = penalty, parallel = parallel, offset = as_python(cases$PI / 10)
      )$fit()
      expect_same_fit(from_python(steps), adjacent_categories(stage ~ EH + NV, ordered,
        penalty = if (is.null(penalty)) "none" else penalty, parallel = parallel, offset = PI / 10
      ))
    }
    odds <- model_of("OrderedLogit")(stage, as_python(data.frame(x)), penalty = penalty)$fit()
    expect_same_fit(from_python(odds), ordered_logit(stage ~ EH + NV, ordered,
      penalty = if (is.null(penalty)) "none" else penalty
    ))
  }
})

test_that("proportional odds give the fit of ordered_logit(), which can be updated", {
  skip_without_python()
  ordered <- transform(
    cases,
    stage = factor(stage, c("b", "a", "c"), ordered = TRUE), number = match(stage, c("b", "a", "c"))
  )
  x <- as.matrix(cases[c("EH", "NV")])
  weights <- rep(c(1, 2, 1.5), length.out = 79L)
  offset <- rep(c(0, 0.2), length.out = 79L)
  pd <- in_python("pandas")
  stage <- pd$Categorical(cases$stage, categories = c("b", "a", "c"), ordered = TRUE)
  for (penalty in list(NULL, "firth")) {
    in_r <- if (is.null(penalty)) "none" else penalty
    result <- model_of("OrderedLogit")(stage, as_python(data.frame(x)),
      penalty = penalty, freq_weights = weights, offset = offset
    )$fit()
    ours <- from_python(result)
    theirs <- ordered_logit(stage ~ EH + NV, ordered,
      weights = weights, offset = offset, penalty = in_r
    )
    expect_same_fit(ours, theirs)
    expect_equal(
      unname(predict(ours, type = "prob")),
      unname(as.matrix(reticulate::py_to_r(result$predict()))), tolerance = same_numbers
    )
    expect_equal(
      coef(update(ours, . ~ . - NV)), coef(update(theirs, . ~ . - NV)), tolerance = same_algorithm
    )
  }
  # Numbers as classes, and a formula, which is kept.
  result <- model_of("OrderedLogit")$from_formula(
    "number ~ EH + C(HG)", as_python(ordered[c("number", "EH", "HG")]),
    eval_env = -1L
  )$fit()
  ours <- from_python(result)
  expect_identical(format(formula(ours)), "number ~ EH + factor(HG)")
  theirs <- ordered_logit(number ~ EH + factor(HG), ordered)
  expect_equal(coef(ours), coef(theirs), tolerance = same_algorithm)
  expect_identical(predict(ours), as.numeric(predict(theirs)))
  expect_equal(
    confint(ours, method = "profile"), confint(theirs, method = "profile"),
    tolerance = same_algorithm
  )
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
    expect_same_fit(ours, theirs, "line_row")
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
    predict(ours, pair, type = "prob")[[1L, "win"]],
    reticulate::py_to_r(result$predict("Owl", "Dove")),
    tolerance = same_numbers
  )
})

test_that("covariates, clusters and random effects give the fits of bt()", {
  skip_without_python()
  model <- model_of("BradleyTerry")$from_comparisons(as_python(votes))
  result <- model$fit(
    ties = "davidson", order_effect = TRUE, cov_type = "cluster",
    cov_kwds = list(groups = "user"), contest = list("length")
  )
  ours <- from_python(result)
  theirs <- bt(result, model_a, model_b, ~ .. + length, votes,
    ties = "davidson", order_effect = TRUE, cluster = user, ref = NA
  )
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = same_algorithm)
  expect_equal(unname(vcov(ours)), unname(vcov(theirs)), tolerance = same_algorithm)
  expect_equal(ours$df.inference, theirs$df.inference)
  expect_equal(unname(confint(ours)), unname(confint(theirs)), tolerance = same_algorithm)

  size <- c(1.5, 0.3, 2, 1, 0, 0.7, 1.1, NA, 0.4, 0.9)
  items <- data.frame(size = size, row.names = levels(battles$model_a))
  for (random in c(FALSE, TRUE)) {
    asked <- list(ties = if (random) "half" else "davidson", covariates = "size")
    if (random) {
      items$size[[8L]] <- 0.5
      asked$random_effects <- TRUE
    }
    asked$item_data <- as_python(items)
    asked$eval_env <- -1L
    ours <- from_python(do.call(model$fit, asked))
    formula <- if (random) ~ size + (1 | ..) else ~size
    theirs <- bt(result, model_a, model_b, formula, votes, ties = asked$ties, item_data = items)
    expect_equal(ours$abilities, theirs$abilities, tolerance = same_algorithm)
    expect_equal(coef(ours), coef(theirs), tolerance = same_algorithm)
  }
})

test_that("wins give the fit of bt(), which can be updated", {
  skip_without_python()
  wins <- as_python(as.data.frame.matrix(citations))
  ours <- from_python(model_of("BradleyTerry")(wins)$fit(ref = "JASA"))
  theirs <- bt(citations, ref = "JASA")
  expect_same_fit(ours, theirs)
  expect_equal(
    confint(ours, method = "profile"), confint(theirs, method = "profile"),
    tolerance = same_algorithm
  )
  expect_equal(
    coef(update(ours, ref = NA)), coef(bt(citations, ref = NA)), tolerance = same_numbers
  )
  path <- withr::local_tempfile(fileext = ".rds")
  saveRDS(ours, path)
  again <- update(readRDS(path), method = "firth")
  expect_equal(coef(again), coef(update(theirs, method = "firth")), tolerance = same_numbers)
})

orderings <- list(
  c("a", "b", "c"), c("b", "c", "d", "a"), list(c("b", "c"), "a", "d"), c("a", "b", "d"),
  c("c", "a"), c("d", "c", "b"), c("d", "a")
)

test_that("rankings give the fit of plackett_luce()", {
  skip_without_python()
  weights <- c(1, 2, 1, 1, 3, 1, 1)
  rankings <- reticulate::py_eval(
    paste(
      "[['a', 'b', 'c'], ['b', 'c', 'd', 'a'], [('b', 'c'), 'a', 'd'],",
      "['a', 'b', 'd'], ['c', 'a'], ['d', 'c', 'b'], ['d', 'a']]"
    ),
    convert = FALSE
  )
  model <- model_of("PlackettLuce")$from_orderings(rankings, weight = weights)
  for (method in c("mle", "firth", "ghost")) {
    ours <- from_python(model$fit(method = method, ref = "c"))
    expect_same_fit(ours, plackett_luce(orderings, weights = weights, method = method, ref = "c"))
  }
  expect_equal(
    unname(predict(ours, c("a", "d"))),
    as.vector(reticulate::py_to_r(model$fit(method = "ghost")$predict(list("a", "d")))),
    tolerance = same_numbers
  )
})

test_that("classifiers predict what they predict in Python", {
  skip_without_python()
  x <- iris[1:4]
  named <- as_python(x)
  bare <- reticulate::r_to_py(unname(as.matrix(x)))
  species <- as.character(iris$Species)
  species <- reticulate::r_to_py(species)
  for (name in c("PairwiseClassifier", "HybridClassifier", "OrdinalHybridClassifier")) {
    y <- if (name == "OrdinalHybridClassifier") as_python(as.integer(iris$Species)) else species
    for (rows in list(named, bare)) {
      result <- model_of(name)(random_state = 1L)$fit(rows, y)
      fit <- from_python(result)
      columns <- if (identical(rows, named)) names(x) else paste0("x", 1:4)
      new <- stats::setNames(x[c(1, 71, 120), ], columns)
      theirs <- reticulate::py_to_r(result$predict_proba(rows))[c(1, 71, 120), ]
      expect_equal(unname(predict(fit, new, type = "prob")), theirs, tolerance = same_numbers)
      expect_identical(
        as.character(predict(fit, new)),
        as.character(reticulate::py_to_r(result$predict(rows)))[c(1, 71, 120)]
      )
      expect_equal(nobs(fit), 150)
      expect_output(print(fit), "150")
      expect_error(fitted(fit), "does not keep the rows", class = "pwcstats_error")
      expect_error(update(fit, seed = 2), "does not keep the rows", class = "pwcstats_error")
      expect_error(formula(fit), class = "pwcstats_error")
      expect_error(predict(fit, new[-1L]), class = "pwcstats_error")
    }
  }
})

test_that("comparisons of methods and couplings are those of R", {
  skip_without_python()
  ours <- from_python(in_python("pwcstats.compare")$compare_methods(as_python(classifier_scores)))
  theirs <- compare_methods(classifier_scores)
  parts <- setdiff(names(theirs), c("call", "omnibus", "scores"))
  expect_equal(unclass(ours)[parts], unclass(theirs)[parts], tolerance = same_numbers)
  expect_equal(ours$omnibus$p.value, theirs$omnibus$p.value)

  r <- rbind(c(.9, .4, .7), c(.6, .8, .7))
  ours <- from_python(model_of("couple")(r, "ht",
    condensed = TRUE, classes = c("a", "b", "c"), return_info = TRUE
  ))
  theirs <- couple(r, "ht", condensed = TRUE, classes = c("a", "b", "c"), return_info = TRUE)
  for (part in names(theirs)) {
    expect_equal(unname(ours[[part]]), unname(theirs[[part]]), tolerance = same_numbers)
  }
})

test_that("what R has no class for is refused", {
  skip_without_python()
  expect_error(from_python(1), "must be a Python object", class = "pwcstats_error")
  expect_error(
    from_python(reticulate::py_eval("{}", convert = FALSE)), "no class for .* dict",
    class = "pwcstats_error"
  )
  stuck <- model_of("FirthLogit")(as_python(cases$HG), as_python(data.frame(const = 1, cases[1:3])))
  suppressWarnings(result <- stuck$fit(maxiter = 2L))
  expect_false(from_python(result)$converged)
})

test_that("a classifier that needs rpy2 says where to install it", {
  skip_without_python()
  said <- run_in_new_r(c(
    "sys <- reticulate::import('sys', convert = FALSE)",
    "reticulate::py_set_item(sys$modules, 'rpy2', NULL)",
    "learner <- charToRaw('cpwcstats.r.classifier\\nRClassifier\\n.')",
    "tryCatch(pwcstats::from_python(learner), error = function(e) cat(conditionMessage(e), '\\n'))"
  ), RETICULATE_PYTHON = reticulate::py_config()$python)
  expect_match(paste(said, collapse = " "), "needs rpy2.*; install rpy2 in R's Python\\.")
  expect_error(from_python(as.raw(1:9)), "fit it again", class = "pwcstats_error")
})

test_that("R in Python refuses to start Python", {
  here <- sprintf("current_pid=%d:sys.executable=/usr/bin/python3", Sys.getpid())
  expect_error(refuse_rpy2(NULL, here), "rpy2", class = "pwcstats_error")
  expect_silent(refuse_rpy2(NULL, "current_pid=1:sys.executable=/usr/bin/python3"))
  expect_silent(refuse_rpy2(NULL, ""))
})
