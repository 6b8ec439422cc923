# The formula of bt(), its update, and the selection of terms.

items <- data.frame(
  size = c(2.9, 1.2, 3.4, 0.3), kind = factor(c("p", "q", "q", "p")), age = c(3, 1, 4, 1),
  row.names = c("c", "a", "b", "d")
)
# Four items in a league.
league <- function() {
  pairs <- t(utils::combn(letters[1:4], 2))
  data.frame(
    one = factor(pairs[, 1], letters[1:4]), two = factor(pairs[, 2], letters[1:4]),
    w1 = c(4, 5, 3, 6, 2, 3), w2 = c(3, 2, 5, 2, 4, 3), row.names = paste0("g", 1:6)
  )
}

test_that("the fourth argument may be a formula or the data", {
  skip_without_python()
  games <- league()
  fit <- bt(cbind(w1, w2), one, two, data = games)
  expect_identical(bt(cbind(w1, w2), one, two, games)$call, fit$call)
  expect_identical(coef(bt(cbind(w1, w2), one, two, games)), coef(fit))
  expect_identical(coef(bt(cbind(w1, w2), one, two, ~.., games)), coef(fit))
  expect_identical(coef(bt(cbind(w1, w2), one, two, NULL, games)), coef(fit))
  half <- bt(result, first, second, tied_games, "half", TRUE)
  expect_identical(half$ties, "half")
  expect_identical(names(half$call)[5:7], c("data", "ties", "order_effect"))
  call_it <- function(...) bt(cbind(w1, w2), one, two, ...)
  expect_identical(coef(call_it(games)), coef(fit))
  error <- expect_refused(bt(3, one, two, games), "outcome must be 1")
  expect_identical(conditionCall(error), quote(bt(3, one, two, games)))
})

test_that("covariates of the items may be columns of item_data or indexed by the items", {
  skip_without_python()
  games <- league()
  fit <- bt(cbind(w1, w2), one, two, ~ size + kind, games, item_data = items)
  expect_identical(names(coef(fit)), c("size", "kindq"))
  by_covariates <- bt(cbind(w1, w2), one, two, games, covariates = ~ size + kind, item_data = items)
  expect_identical(coef(by_covariates), coef(fit))
  in_order <- items[letters[1:4], ]
  by_index <- bt(cbind(w1, w2), one, two, ~ size[..] + kind[..], list(games, in_order))
  expect_identical(names(coef(by_index)), c("size[..]", "kind[..]q"))
  expect_equal(unname(coef(by_index)), unname(coef(fit)))
  expect_equal(abilities(by_index), abilities(fit))
  expect_equal(unname(predict(by_index)), unname(predict(fit)))
  indexed <- bt(cbind(w1, w2), one, two, ~ size[..] + kind[..], games, item_data = items)
  expect_equal(coef(indexed), coef(by_index))
  # A variable may stand where bt() is called, and the items may have another name.
  height <- in_order$size
  team <- bt(cbind(w1, w2), one, two, ~ height[team], games, id = "team")
  expect_equal(unname(coef(team)), unname(coef(update(fit, ~size))))
  wins <- bt(small_wins, formula = ~ size + kind, item_data = items)
  expect_identical(coef(wins), coef(bt(small_wins, covariates = ~ size + kind, item_data = items)))
})

test_that("items without covariates have an ability of their own", {
  skip_without_python()
  games <- league()
  gaps <- transform(items, age = c(NA, 1, 4, 2))
  fit <- bt(cbind(w1, w2), one, two, ~age, games, item_data = gaps)
  expect_identical(names(coef(fit)), c("c", "age"))
  named <- bt(cbind(w1, w2), one, two, ~age, games,
    item_data = transform(gaps, age = c(9, 1, 4, 2)), separate.ability = "c"
  )
  expect_equal(coef(named), coef(fit))
  expect_equal(abilities(named), abilities(fit))
  expect_refused(update(named, separate.ability = "z"), "separate.ability must be items, got 'z'")
  expect_refused(bt(small_wins, separate.ability = "a"), "needs a formula with covariates")
})

test_that("names of variables need not be valid in R", {
  skip_without_python()
  games <- transform(league(), rain = c(1, 0, 1, 1, 0, 2))
  names <- c("my size", "my kind", "age")
  odd <- stats::setNames(games, c("one", "two", "w1", "w2", "my rain"))
  call_it <- function(formula, data, items) {
    played <- list(quote(cbind(w1, w2)), quote(one), quote(two))
    do.call(bt, c(played, list(formula, data, item_data = items)))
  }
  for (case in list(
    list(~ size + kind + rain, ~ `my size` + `my kind` + `my rain`),
    list(~ size[..] + size[..]:rain, ~ `my size`[..] + `my size`[..]:`my rain`),
    list(~ .. + rain, ~ .. + `my rain`)
  )) {
    plain <- call_it(case[[1L]], games, items)
    fit <- call_it(case[[2L]], odd, stats::setNames(items, names))
    expect_equal(unname(coef(fit)), unname(coef(plain)), tolerance = 1e-12)
    expect_equal(unname(vcov(fit)), unname(vcov(plain)), tolerance = 1e-12)
    expect_equal(abilities(fit), abilities(plain), tolerance = 1e-12)
    expect_equal(unname(drop1(fit)$AIC), drop1(plain)$AIC, tolerance = 1e-12)
  }
  expect_identical(names(coef(fit))[[4L]], "`my rain`")
})

test_that("formulas without a meaning are refused", {
  skip_without_python()
  games <- transform(league(), rain = c(1, 0, 1, 1, 0, 2))
  fit <- function(...) bt(cbind(w1, w2), one, two, ..., data = games, item_data = items)
  expect_refused(fit(~ (1 | team)), "the only random effect of a formula is \\(1 \\| \\.\\.\\)")
  expect_refused(fit(w1 ~ size), "must have no response")
  expect_refused(fit(~ size + offset(age)), "no offset")
  expect_refused(fit(~ .. + size), "size has no effect beside free abilities")
  expect_refused(fit(~rain), "no term for the abilities; write ~ \\.\\. \\+ rain to give")
  expect_refused(fit(~1), "no term for the abilities")
  expect_refused(fit(~ nothing[..]), "'nothing' is not a column of item_data")
  expect_refused(fit(~size, covariates = ~age), "give only one of them")
  short <- 1:3
  expect_refused(
    bt(cbind(w1, w2), one, two, ~ short[..], games), "^short .* each of the 4 items, .* got 3"
  )
  expect_refused(bt(small_wins, formula = "size"), "^formula must be a formula .*, not character")
  expect_refused(fit(~size, id = 1), "^id must be the name")
  expect_refused(fit(~.., ref = "a", refcat = "b"), "two names of one argument")
  expect_refused(fit(~size, br = TRUE, method = "mle"), "br = TRUE is method = 'firth'")
  expect_refused(bt(player1 = games, player2 = games), "must have a column '\\.\\.'")
})

test_that("update changes the formula or the covariates", {
  skip_without_python()
  games <- league()
  fit <- bt(cbind(w1, w2), one, two, ~ size + kind, games, item_data = items)
  small <- update(fit, . ~ . - kind)
  expect_identical(names(coef(small)), "size")
  expect_identical(deparse(formula(small)), "~size")
  expect_identical(names(coef(update(fit, ~age))), "age")
  expect_identical(names(coef(update(fit, formula = ~age))), "age")
  old <- bt(cbind(w1, w2), one, two, games, covariates = ~ size + kind, item_data = items)
  expect_identical(coef(update(old, . ~ . - kind)), coef(small))
  expect_identical(names(coef(update(fit, covariates = ~age))), "age")
  free <- update(fit, formula = NULL, item_data = NULL)
  expect_identical(names(coef(free)), c("b", "c", "d"))
  expect_identical(names(coef(update(free, ref = "b"))), c("a", "c", "d"))
  expect_identical(update(fit, ~age, evaluate = FALSE)$formula, ~age, ignore_attr = TRUE)
})

test_that("drop1, add1 and step select terms by AIC", {
  skip_without_python()
  games <- league()
  fit <- bt(cbind(w1, w2), one, two, ~ size + age, games, item_data = items)
  expect_equal(extractAIC(fit), c(2, AIC(fit)))
  expect_equal(extractAIC(fit, k = log(nobs(fit))), c(2, BIC(fit)))
  dropped <- drop1(fit, test = "Chisq")
  expect_identical(rownames(dropped), c("<none>", "size", "age"))
  smaller <- update(fit, . ~ . - age)
  expect_equal(dropped["age", "AIC"], AIC(smaller))
  expect_equal(dropped["age", "Pr(>Chi)"], anova(smaller, fit)[["Pr(>Chi)"]][[2]])
  added <- add1(smaller, ~ . + age, test = "Chisq")
  expect_equal(added["age", "AIC"], AIC(fit))
  chosen <- step(fit, trace = 0)
  expect_lte(AIC(chosen), AIC(fit))
  expect_s3_class(chosen, "pwcstats_bt")
  old <- bt(cbind(w1, w2), one, two, games, covariates = ~ size + age, item_data = items)
  expect_equal(step(old, trace = 0)$loglik, chosen$loglik)
  # Free abilities are not dropped.
  free <- bt(cbind(w1, w2), one, two, games)
  expect_identical(rownames(drop1(free)), "<none>")
  expect_identical(coef(step(free, trace = 0)), coef(free))
  firth <- update(fit, method = "firth")
  expect_refused(drop1(firth, test = "Chisq"), "method = 'mle'")
  expect_refused(add1(update(firth, ~size), ~ . + age, test = "Chisq"), "method = 'mle'")
  expect_refused(drop1(fit, tset = "Chisq"), "did you mean 'test'")
})

test_that("standard errors of predictions are from the delta method", {
  skip_without_python()
  fit <- bt(result, first, second, tied_games, ties = "davidson", order_effect = TRUE)
  found <- predict(fit, se.fit = TRUE)
  expect_identical(names(found), c("fit", "se.fit", "residual.scale"))
  expect_identical(found$fit, predict(fit))
  expect_identical(dimnames(found$se.fit), dimnames(found$fit))
  # By differences.
  moved <- function(term, by) {
    other <- fit
    other$coefficients[[term]] <- other$coefficients[[term]] + by
    if (term %in% rownames(other$abilities)) {
      other$abilities[term, 1] <- other$abilities[term, 1] + by
    }
    as.vector(predict(other))
  }
  slope <- vapply(names(coef(fit)), function(term) {
    (moved(term, 1e-5) - moved(term, -1e-5)) / 2e-5
  }, numeric(30))
  expect_equal(
    as.vector(found$se.fit), sqrt(rowSums(slope %*% vcov(fit) * slope)),
    tolerance = 1e-8
  )
  pair <- data.frame(player1 = "x", player2 = c("y", NA))
  link <- predict(fit, pair, type = "link", se.fit = TRUE)
  expect_identical(names(link$se.fit), c("1", "2"))
  expect_identical(is.na(unname(link$se.fit)), c(FALSE, TRUE))
  plain <- bt(small_wins)
  expect_equal(
    predict(plain, data.frame(player1 = "b", player2 = "a"), "link", se.fit = TRUE)$se.fit[["1"]],
    compare_items(plain, "b", "a")$stderr
  )
  expect_refused(predict(fit, type = "class", se.fit = TRUE), "se.fit needs type")
  expect_refused(predict(bt(small_wins, cov = "none"), se.fit = TRUE), "cov = 'full'")
})

test_that("a fit with a formula can be saved", {
  skip_without_python()
  games <- league()
  fit <- bt(cbind(w1, w2), one, two, ~ log(size), games, item_data = items)
  new <- data.frame(player1 = "a", player2 = c("b", "d"))
  answer <- ask_elsewhere(fit, paste(
    "list(predict(fit, data.frame(player1 = 'a', player2 = c('b', 'd')), se.fit = TRUE),",
    "formula(fit))"
  ))
  expect_equal(answer[[1]], predict(fit, new, se.fit = TRUE))
  expect_identical(deparse(answer[[2]]), "~log(size)")
})
