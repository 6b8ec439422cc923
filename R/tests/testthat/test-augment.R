# augment() of all fits, compared with broom's of glm() if possible.

# With the estimates of glm(), the new columns must equal broom's.
as_glm <- function(fit, peer) {
  fit$coefficients <- coef(peer)
  fit$vcov <- vcov(peer)
  fit
}

expect_as_broom <- function(augmented, peer) {
  # broom adds influence measures and a column of row names.
  own <- c(".rownames", ".hat", ".sigma", ".cooksd", ".std.resid")
  expected <- as.data.frame(peer)[setdiff(names(peer), own)]
  expect_equal(as.data.frame(augmented), expected, ignore_attr = "row.names")
}

test_that("augment() after firth() equals broom's after glm()", {
  skip_without_python()
  skip_without_package("broom")
  peer <- glm(vs ~ log(wt) + factor(am), binomial, mtcars)
  fit <- as_glm(firth(vs ~ log(wt) + factor(am), mtcars), peer)
  expect_as_broom(generics::augment(fit), broom::augment(peer))
  ask <- function(augment, x) {
    augment(x, type.predict = "response", type.residuals = "pearson", se_fit = TRUE)
  }
  expect_as_broom(ask(generics::augment, fit), ask(broom::augment, peer))
  new <- data.frame(am = c(0, 1, 1), wt = c(2, NA, 3))
  expect_as_broom(
    generics::augment(fit, newdata = new, se_fit = TRUE),
    broom::augment(peer, newdata = new, se_fit = TRUE)
  )
  # broom has no such residuals.
  raw <- generics::augment(fit, type.residuals = "response", type.predict = "response")
  expect_equal(raw$.resid, raw$vs - raw$.fitted)
})

test_that("trials, weights and offsets are treated as in glm()", {
  skip_without_python()
  skip_without_package("broom")
  visits$n <- 1 + seq_len(16) %% 4
  visits$k <- pmin(visits$n, visits$ill + 1)
  peer <- glm(cbind(k, n - k) ~ x, binomial, visits, weights = n, offset = x / 2)
  fit <- as_glm(firth(cbind(k, n - k) ~ x, visits, weights = n, offset = x / 2), peer)
  ours <- generics::augment(fit, visits)
  theirs <- broom::augment(peer, visits)
  expect_as_broom(ours, theirs)
  # Rows with weight 0 are included.
  fit <- firth(ill ~ x, visits, weights = rep(0:1, c(2, 14)))
  expect_false(anyNA(generics::augment(fit, visits)$.fitted))
})

test_that("rows that the fit left out have NA", {
  skip_without_python()
  skip_without_package("broom")
  visits$x[c(2, 9)] <- NA
  peer <- glm(ill ~ x, binomial, visits)
  fit <- as_glm(firth(ill ~ x, visits), peer)
  augmented <- generics::augment(fit, visits)
  expect_as_broom(augmented[-c(2, 9), ], broom::augment(peer, visits[-c(2, 9), ]))
  expect_true(all(is.na(augmented[c(2, 9), c(".fitted", ".resid")])))
  # Here predictions include these rows already.
  padded <- as_glm(firth(ill ~ x, visits, na.action = na.exclude), peer)
  expect_equal(generics::augment(padded, visits), augmented)
  expect_as_broom(generics::augment(padded), broom::augment(peer))
  part <- generics::augment(firth(ill ~ x, visits, subset = site != "north"), visits)
  expect_identical(is.na(part$.fitted), visits$site == "north" | is.na(visits$x))
})

test_that("rows are matched by name, or without names by order", {
  skip_without_python()
  skip_without_package("generics")
  skip_without_package("tibble")
  rownames(visits) <- letters[1:16]
  fit <- firth(ill ~ x, visits)
  expected <- predict(fit)
  turned <- generics::augment(fit, visits[16:1, ])
  expect_equal(turned$.fitted, unname(rev(expected)))
  expect_identical(rownames(turned), letters[16:1])
  table <- generics::augment(fit, tibble::as_tibble(visits))
  expect_s3_class(table, "tbl_df")
  expect_equal(table$.fitted, unname(expected))
  # The fit has numbers as row names, which the tibble does not have.
  rownames(visits) <- NULL
  sorted <- visits[order(visits$x), ]
  table <- generics::augment(firth(ill ~ x, sorted), tibble::as_tibble(sorted))
  expect_false(is.unsorted(table$.fitted))
  visits$x[[3]] <- NA
  table <- generics::augment(firth(ill ~ x, visits), tibble::as_tibble(visits))
  expect_identical(which(is.na(table$.resid)), 3L)
})

test_that("augment() adds the class and the probability of each class", {
  skip_without_python()
  skip_without_package("generics")
  air$Wind[[4]] <- NA
  formula <- ozone ~ Temp + Wind
  fits <- list(
    firth_multinom(formula, air), cratio(formula, air, na.action = na.exclude),
    ordinal_hybrid(formula, air)
  )
  for (fit in fits) {
    new <- data.frame(Temp = c(60, NA, 95), Wind = 8)
    augmented <- generics::augment(fit, newdata = new)
    columns <- c("Temp", "Wind", ".fitted", ".prob.low", ".prob.middle", ".prob.high")
    expect_named(augmented, columns)
    expect_identical(augmented$.fitted, predict(fit, new))
    expect_identical(unname(as.matrix(augmented[4:6])), unname(predict(fit, new, type = "prob")))
    expect_identical(is.na(augmented$.prob.low), c(FALSE, TRUE, FALSE))
    augmented <- generics::augment(fit, air)
    expect_identical(names(augmented)[1:7], names(air))
    used <- !is.na(air$ozone) & !is.na(air$Wind)
    expect_identical(is.na(augmented$.fitted), !used)
    expect_equal(augmented$.prob.high[used], unname(predict(fit, air[used, ], type = "prob")[, 3]))
    augmented <- generics::augment(fit)
    expect_identical(names(augmented)[1:3], c("ozone", "Temp", "Wind"))
    expect_identical(dim(augmented), c(sum(used), 7L))
    # The result must not look like a model frame.
    expect_null(attr(augmented, "terms"))
  }
})

test_that("the class of a hybrid depends on its threshold", {
  skip_without_python()
  skip_without_package("generics")
  fit <- hybrid(kind ~ Petal.Length, flowers, clusters = 1, threshold = 0.2)
  augmented <- generics::augment(fit, flowers)
  called <- ifelse(augmented$.prob.versicolor > 0.2, "versicolor", "other")
  expect_identical(as.character(augmented$.fitted), called)
  expect_false(all(called == ifelse(augmented$.prob.versicolor > 0.5, "versicolor", "other")))
})

test_that("augment() adds the probability that the first player wins", {
  skip_without_python()
  skip_without_package("generics")
  fit <- bt(small_wins)
  augmented <- generics::augment(fit)
  expect_identical(augmented[names(fit$model)], fit$model)
  expect_equal(augmented$.fitted, unname(fitted(fit)))
  new <- data.frame(player1 = c("a", NA), player2 = "b")
  expect_equal(generics::augment(fit, newdata = new)$.fitted, c(fitted(fit)[[1]], NA))
  games <- tied_games
  games$first[[2]] <- NA
  tied <- bt(result, first, second, games, ties = "davidson")
  augmented <- generics::augment(tied, games)
  expect_named(
    augmented, c(names(games), ".fitted", ".prob.win", ".prob.tie", ".prob.loss", ".resid")
  )
  expect_equal(unname(as.matrix(augmented[-2, 5:7])), unname(fitted(tied)))
  expect_identical(augmented$.fitted, augmented$.prob.win)
  expect_identical(which(is.na(augmented$.fitted)), 2L)
})

test_that("rows that are not in the fit are refused", {
  skip_without_python()
  skip_without_package("generics")
  fit <- firth(ill ~ x, visits)
  expect_refused(generics::augment(fit, visits[1:9, ]), "rows of the fit, which used 16, got 9")
  expect_refused(generics::augment(fit, rbind(visits, visits)), "got 32 rows; .* as newdata")
  expect_refused(generics::augment(fit, 1:16), "^data must be a data frame, not integer")
  expect_refused(generics::augment(fit, newdata = 1:3), "^newdata must be a data frame")
  expect_refused(generics::augment(fit, type.predict = "class"), "^type.predict must be one of")
  expect_refused(generics::augment(fit, se_fit = NA), "^se_fit must be TRUE or FALSE")
  expect_refused(generics::augment(bt(small_wins), small_games()), "which used 3, got 33")
  error <- tryCatch(generics::augment(fit, newdata = data.frame(z = 1)), error = identity)
  expect_s3_class(error, "pwcstats_error")
  expect_match(deparse(conditionCall(error))[[1]], "^augment")
})

test_that("a saved fit works without its data", {
  skip_without_python()
  skip_without_package("generics")
  gone <- visits
  fit <- cratio(grade ~ x, gone, penalty = "firth")
  elsewhere <- ask_elsewhere(fit, "generics::augment(fit)")
  expect_equal(elsewhere, generics::augment(fit), ignore_attr = TRUE)
})

test_that("shuffled and omitted rows are matched in tibbles and data frames", {
  skip_without_python()
  skip_without_package("generics")
  skip_without_package("tibble")
  set.seed(1)
  air <- transform(airquality[sample(153), ], hot = as.integer(Temp > 79))
  sets <- list(frame = air, tibble = tibble::as_tibble(air))
  for (made in sets) {
    fit <- firth(hot ~ Ozone, made)
    expected <- unname(predict(fit, made))
    for (asked in sets) {
      added <- generics::augment(fit, asked)
      expect_equal(added$.fitted, expected)
      expect_identical(is.na(added$.fitted), is.na(air$Ozone))
    }
  }
  # In another order, rows are matched by name; without names they are refused.
  sorted <- air[order(air$Ozone), ]
  fit <- firth(hot ~ Ozone, air)
  expect_equal(generics::augment(fit, sorted)$.fitted, unname(predict(fit, sorted)))
  expect_refused(generics::augment(fit, tibble::as_tibble(sorted)), "other values; give others as")
})
