# Right and wrong answers, against R's own tests.

# Both sides compute closed forms in double precision.
exactly <- 1e-10

answers <- list(
  a = c(1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0),
  b = c(1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0),
  c = c(1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1)
)
counts <- rbind(c(59, 6), c(16, 80))

test_that("McNemar's test in large samples is mcnemar.test()", {
  skip_without_python()
  for (correct in c(TRUE, FALSE)) {
    for (table in list(counts, t(counts), rbind(c(10, 4), c(4, 8)))) {
      found <- mcnemar_pair(table, method = "asymptotic", correct = correct)
      peer <- mcnemar.test(table, correct = correct)
      expect_equal(found$statistic, peer$statistic, tolerance = exactly)
      expect_equal(found$parameter, peer$parameter)
      expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    }
  }
})

test_that("McNemar's exact test is binom.test(), and mid-p halves the observed probability", {
  skip_without_python()
  for (side in sides) {
    found <- mcnemar_pair(counts, alternative = side)
    peer <- binom.test(6, 22, alternative = side)
    expect_equal(found$statistic, c("a alone right" = 6))
    expect_equal(found$p.value, peer$p.value, tolerance = exactly)
    half <- dbinom(6, 22, 0.5) / if (side == "two.sided") 1 else 2
    found <- mcnemar_pair(counts, method = "mid-p", alternative = side)
    expect_equal(found$p.value, peer$p.value - half, tolerance = exactly)
  }
  expect_equal(without_names(found$estimate), (6 - 16) / 161)
})

test_that("the interval has the differences that the score test does not reject", {
  skip_without_python()
  found <- mcnemar_pair(counts, conf.level = 0.9)
  # Tango's statistic, with the restricted maximum likelihood estimate.
  score <- function(delta) {
    linear <- (2 * 161 - 6 + 16) * delta - 22
    share <- (sqrt(linear^2 + 8 * 161 * 16 * delta * (1 - delta)) - linear) / (4 * 161)
    (6 - 16 - 161 * delta) / sqrt(161 * (2 * share + delta * (1 - delta)))
  }
  # The bounds are found by iteration, up to rounding errors.
  expect_equal(score(without_names(found$conf.int)), qnorm(c(0.95, 0.05)), tolerance = 1e-8)
})

test_that("answers, predictions and tables give the same result", {
  skip_without_python()
  found <- mcnemar_pair(answers$a, answers$b, alternative = "greater")
  same <- c("statistic", "p.value", "conf.int", "estimate")
  a <- answers$a == 1
  b <- answers$b == 1
  expect_equal(mcnemar_pair(a, b, alternative = "greater")[same], found[same])
  # table() has FALSE first.
  expect_equal(mcnemar_pair(table(a, b), alternative = "greater")[same], found[same])
  expect_equal(
    mcnemar_pair(table(answers$a, answers$b), alternative = "greater")[same], found[same]
  )
  expect_equal(mcnemar_pair(table(!a, !b)[2:1, 2:1])$estimate, -found$estimate)
  plain <- unclass(table(a, b))[2:1, 2:1]
  dimnames(plain) <- NULL
  expect_equal(mcnemar_pair(plain, alternative = "greater")[same], found[same])

  truth <- factor(rep(c("x", "y"), 10))
  other <- c(x = "y", y = "x")[as.character(truth)]
  predicted <- lapply(list(a, b), function(right) ifelse(right, as.character(truth), other))
  by_name <- mcnemar_pair(predicted[[1]], predicted[[2]], truth, alternative = "greater")
  expect_equal(by_name[same], found[same])
  # Other levels, in another order.
  as_factor <- lapply(predicted, factor, levels = c("z", "y", "x"))
  by_level <- mcnemar_pair(as_factor[[1]], as_factor[[2]], truth, alternative = "greater")
  expect_equal(by_level[same], found[same])
  numbers <- lapply(predicted, function(x) c(x = 1L, y = 2L)[x])
  by_number <- mcnemar_pair(
    numbers[[1]], numbers[[2]], as.double(truth),
    alternative = "greater"
  )
  expect_equal(by_number[same], found[same])
})

test_that("Cochran's Q is Friedman's test of 0 and 1", {
  skip_without_python()
  right <- do.call(cbind, answers)
  found <- cochran_q(right)
  peer <- friedman.test(right)
  expect_equal(without_names(found$statistic), without_names(peer$statistic), tolerance = exactly)
  expect_equal(found$parameter, peer$parameter)
  expect_equal(found$p.value, peer$p.value, tolerance = exactly)
  expect_equal(cochran_q(right == 1)$p.value, found$p.value)
  expect_equal(cochran_q(as.data.frame(right == 1))$p.value, found$p.value)
  # For two methods it is McNemar's test.
  expect_equal(
    without_names(cochran_q(right[, 1:2])$statistic),
    without_names(mcnemar_pair(right[, 1], right[, 2], NULL, "asymptotic", FALSE)$statistic)
  )
  truth <- rep(c("x", "y"), 10)
  predicted <- ifelse(right == 1, truth, "z")
  expect_equal(cochran_q(predicted, truth)$p.value, found$p.value)
  frame <- data.frame(lapply(as.data.frame(predicted), factor))
  expect_equal(cochran_q(frame, factor(truth))$p.value, found$p.value)
  expect_output(print(found), "Cochran's Q test\n\ndata:  right\nQ = [0-9.]+, df = 2, p-value")
})

test_that("results print like other tests", {
  skip_without_python()
  expect_output(
    print(mcnemar_pair(counts, method = "asymptotic")),
    "McNemar's test.*continuity.*\ndata:  counts\nMcNemar's chi-squared = [0-9.]+, df = 1, p-value"
  )
  expect_output(
    print(mcnemar_pair(answers$a, answers$a)),
    "data:  answers\\$a and answers\\$a\na alone right = 0, p-value = 1.*note: .*the same cases"
  )
})

test_that("wrong answers are refused in R's terms", {
  skip_without_python()
  a <- answers$a
  expect_refused(mcnemar_pair(replace(a, 4, 2), a), "^a must .* got 2 in position 4; .* truth\\.$")
  expect_refused(mcnemar_pair(a, replace(a, 4, NA)), "^b must say .* got NA in position 4;")
  expect_refused(mcnemar_pair(c("x", "y"), c("x", "x")), "^a must say .* got character;")
  # Codes of a factor are not answers.
  expect_refused(cochran_q(data.frame(a = factor(1), b = factor(1))), "^answers must say")
  expect_refused(cochran_q(cbind(a, 3)), "^answers must say .* row 1 and column 2;")
  expect_refused(mcnemar_pair(a, a[-1]), "got 20 and 19 answers")
  expect_refused(mcnemar_pair(a, a, a[-1]), "^a must have a prediction .* 19 cases of truth")
  expect_refused(mcnemar_pair(a, replace(a, 1, NA), a), "^b must not have missing values")
  expect_refused(mcnemar_pair(a, a, replace(a, 1, NA)), "^truth must not have missing values")
  expect_refused(mcnemar_pair(a, a, rep("x", 20)), "no prediction in a is one of .*truth \\(x\\)")
  expect_refused(mcnemar_pair(a, a, list(1)), "^truth must be a vector")
  expect_refused(mcnemar_pair(counts, truth = a), "^truth needs")
  expect_refused(mcnemar_pair(counts[, 1]), "a must be a 2 x 2 table of counts")
  expect_refused(mcnemar_pair(counts / 7), "a must be a 2 x 2 table of counts")
  expect_refused(mcnemar_pair(replace(counts, 2, NA)), "a must be a 2 x 2 table of counts")
  expect_refused(cochran_q(a), "^answers must be a table")
  expect_refused(mcnemar_pair(a, a, method = "zz"), "^method must be one of 'exact'")
  expect_refused(mcnemar_pair(a, a, correct = 1), "^correct must be TRUE or FALSE")
})

test_that("tables are read by their labels", {
  skip_without_python()
  a <- rep(c(TRUE, TRUE, FALSE, FALSE), c(5, 9, 2, 4))
  b <- rep(c(TRUE, FALSE, TRUE, FALSE), c(5, 9, 2, 4))
  want <- mcnemar_pair(a, b)
  expect_equal(mcnemar_pair(table(a, b))$estimate, want$estimate)
  expect_equal(mcnemar_pair(table(a, b)[2:1, ])$estimate, want$estimate)
  expect_equal(mcnemar_pair(table(a * 1, b * 1))$estimate, want$estimate)
  named <- table(factor(a, labels = c("no", "yes")), factor(b, labels = c("no", "yes")))
  expect_refused(mcnemar_pair(named), "got no and yes; for predictions give truth")
})

test_that("the classes may be a one-dimensional array, as from Python", {
  skip_without_python()
  truth <- c("x", "y", "x", "y")
  a <- c("x", "x", "x", "y")
  found <- mcnemar_pair(a, truth, truth = array(truth))
  expect_equal(found$p.value, mcnemar_pair(a, truth, truth = truth)$p.value)
})
