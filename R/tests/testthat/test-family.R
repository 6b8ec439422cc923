# family(), weights() and formula() equal those of glm(), as other packages expect.

# brglm2 stops at a score of 1e-6.
tolerance <- 1e-5

test_that("family() is that of the model", {
  skip_without_python()
  expect_identical(family(firth(am ~ wt, mtcars))[1:2], binomial()[1:2])
  expect_refused(family(firth_multinom(gear ~ wt, mtcars)), "models of several classes have none")
  expect_refused(family(cratio(gear ~ wt, mtcars, penalty = "firth")), "several classes have none")
  wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3)
  expect_identical(family(bt(wins))$link, "logit")
  ties <- matrix(c(0, 1, 2, 1, 0, 1, 2, 1, 0), 3)
  expect_refused(family(bt(wins, tied = ties, ties = "davidson")), "three outcomes")
})

test_that("weights() are the prior weights of glm()", {
  skip_without_python()
  data <- transform(mtcars, times = rep(0:3, 8))
  data$wt[[3]] <- NA
  calls <- list(
    quote(firth(am ~ wt, data = data)),
    quote(firth(am ~ wt, data = data, weights = times)),
    quote(firth(cbind(am, carb) ~ wt, data = data)),
    quote(firth(cbind(am, carb) ~ wt, data = data, weights = times, na.action = na.exclude)),
    quote(firth(am ~ wt, data = data, weights = times, subset = hp > 100))
  )
  for (call in calls) {
    ours <- eval(call)
    call[[1]] <- quote(glm)
    call$family <- quote(binomial)
    expect_equal(weights(ours), weights(eval(call)), info = deparse1(call))
  }
  expect_refused(weights(ours, type = "zz"), "type must be one of 'prior', 'working'")
  several <- firth_multinom(gear ~ wt, data, weights = times)
  expect_equal(unname(weights(several)), data$times[-3])
  stages <- cratio(gear ~ wt, data, weights = times, penalty = "firth")
  expect_equal(weights(stages), weights(several))
  flowers <- transform(iris, times = rep(1:3, 50))
  pairs <- pwc(Species ~ Petal.Width, flowers, learners = "nb", weights = times)
  expect_equal(unname(weights(pairs)), flowers$times)
  expect_equal(unname(weights(pwc(Species ~ ., iris, learners = "lda"))), rep(1, 150))
})

test_that("weights() of a Bradley-Terry fit are those of BTm()", {
  skip_without_python()
  skip_without_package("BradleyTerry2")
  data(baseball, package = "BradleyTerry2", envir = environment())
  ours <- bt(cbind(home.wins, away.wins), home.team, away.team, data = baseball)
  theirs <- BradleyTerry2::BTm(
    cbind(home.wins, away.wins), home.team, away.team,
    data = baseball
  )
  expect_equal(unname(weights(ours)), unname(weights(theirs)[weights(theirs) > 0]))
})

test_that("formula() is a formula", {
  skip_without_python()
  expect_identical(formula(firth(am ~ wt, mtcars)), am ~ wt)
  expect_named(attributes(formula(firth(am ~ wt, mtcars))), c("class", ".Environment"))
  cars <- mtcars[c("am", "wt", "hp")]
  expect_equal(formula(firth(am ~ ., cars)), am ~ wt + hp)
  expect_equal(formula(cratio(gear ~ wt, mtcars, penalty = "firth")), gear ~ wt)
})

test_that("package effects reports probabilities only for models that it supports", {
  skip_without_python()
  skip_without_package("effects")
  skip_without_package("brglm2")
  # effects looks for the data where the call is evaluated.
  assign("cars", transform(mtcars, gear = factor(gear), times = rep(1:2, 16)), globalenv())
  on.exit(rm("cars", envir = globalenv()))
  ours <- firth(am ~ wt * qsec + gear, cars, weights = times)
  theirs <- glm(
    am ~ wt * qsec + gear, binomial, cars,
    weights = times, method = brglm2::brglmFit, type = "AS_mean"
  )
  found <- as.data.frame(effects::Effect(c("wt", "gear"), ours))
  expect_true(all(found$fit > 0 & found$fit < 1))
  expect_equal(
    found, as.data.frame(effects::Effect(c("wt", "gear"), theirs)),
    tolerance = tolerance
  )
  expect_equal(
    lapply(effects::allEffects(ours), as.data.frame),
    lapply(effects::allEffects(theirs), as.data.frame),
    tolerance = tolerance
  )
  # A numeric response would look like that of lm().
  others <- list(
    firth_multinom(carb ~ wt, mtcars), cratio(carb ~ wt, mtcars, penalty = "firth")
  )
  for (fit in others) {
    found <- effects::Effect("wt", fit, xlevels = list(wt = c(2, 3)))
    p <- predict(fit, data.frame(wt = c(2, 3)), type = "prob")
    expect_equal(unname(found$prob), unname(p), tolerance = tolerance)
  }
})
