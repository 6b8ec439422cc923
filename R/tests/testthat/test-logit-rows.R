# Weights and offsets of the logit models.

shifted <- transform(visits, times = rep(c(1, 2, 0, 3), 4), shift = sin(seq_len(16)))

test_that("a table of one column is a column of weights or an offset", {
  skip_without_python()
  flat <- firth(ill ~ x, shifted, weights = times, offset = shift)
  fit <- firth(ill ~ x, shifted, weights = cbind(times), offset = cbind(shift))
  expect_identical(coef(fit), coef(flat))
  expect_identical(predict(fit, shifted[1:3, ]), predict(flat, shifted[1:3, ]))
  expect_identical(fitted(fit), fitted(flat))
  expect_identical(
    coef(firth(ill ~ x + offset(cbind(shift)), shifted)),
    coef(firth(ill ~ x, shifted, offset = shift))
  )
  expect_identical(
    coef(ordered_logit(grade ~ x, shifted, offset = cbind(shift))),
    coef(ordered_logit(grade ~ x, shifted, offset = shift))
  )
})

test_that("tables of several columns are refused", {
  skip_without_python()
  two <- cbind(shifted$times, 1)
  expect_refused(firth(ill ~ x, shifted, weights = two), "^weights must be one number for each row")
  for (model in list(firth, ordered_logit, adjacent_categories)) {
    expect_refused(model(grade != "bad" ~ x, shifted, offset = two), "^offset must be .* got 2 col")
  }
  for (model in list(firth_multinom, cratio, ordered_logit, adjacent_categories)) {
    expect_refused(model(grade ~ x, shifted, weights = two), "^weights must be .* got 2 columns")
  }
})
