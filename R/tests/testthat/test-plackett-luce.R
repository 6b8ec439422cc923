# Plackett-Luce models of rankings.

fruit <- list(
  c("apple", "banana"),
  c("banana", "orange", "pear", "apple"),
  list(c("banana", "orange", "pear"), "apple"),
  c("apple", "banana", "orange"),
  list(c("banana", "orange"), "apple"),
  c("apple", "pear", "orange")
)
# The same rankings as ranks.
fruit_ranks <- rbind(
  c(apple = 1, banana = 2, orange = NA, pear = NA), c(4, 1, 2, 3), c(2, 1, 1, 1), c(1, 2, 3, NA),
  c(2, 1, 1, NA), c(1, NA, 3, 2)
)

# Log-likelihood of rankings without ties, as in the definition.
log_likelihood <- function(ability, orderings) {
  sum(vapply(orderings, function(x) {
    a <- ability[x]
    sum(a - log(rev(cumsum(rev(exp(a))))))
  }, numeric(1)))
}

test_that("lists, ranks and long data give the same fit", {
  skip_without_python()
  fit <- plackett_luce(fruit)
  expect_identical(fit$items, c("apple", "banana", "orange", "pear"))
  expect_identical(names(coef(fit)), c("banana", "orange", "pear", "(tie2)", "(tie3)"))
  expect_equal(coef(plackett_luce(fruit_ranks)), coef(fit))
  expect_equal(coef(plackett_luce(as.data.frame(fruit_ranks))), coef(fit))
  ranked <- structure(replace(fruit_ranks, is.na(fruit_ranks), 0), class = "rankings")
  expect_equal(coef(plackett_luce(ranked)), coef(fit))
  long <- data.frame(
    id = rep(1:6, 4), fruit = rep(colnames(fruit_ranks), each = 6), place = as.vector(fruit_ranks)
  )
  long <- long[!is.na(long$place), ]
  expect_equal(coef(plackett_luce(place ~ fruit | id, long)), coef(fit))
  long$fruit <- factor(long$fruit, rev(colnames(fruit_ranks)))
  expect_identical(plackett_luce(place ~ fruit | id, long)$items, rev(fit$items))
  expect_equal(sum(coef(plackett_luce(fruit, ref = NA))[1:4]), 0)
  last <- plackett_luce(fruit, ref = "pear")
  expect_equal(coef(last)[["apple"]], -coef(fit)[["pear"]])
})

test_that("estimates maximise the likelihood", {
  skip_without_python()
  set.seed(4)
  orderings <- lapply(1:40, function(i) sample(letters[1:5], sample(2:5, 1)))
  fit <- plackett_luce(orderings)
  ability <- abilities(fit)[, "ability"]
  expect_equal(as.numeric(logLik(fit)), log_likelihood(ability, orderings))
  free <- function(x) log_likelihood(stats::setNames(c(0, x), letters[1:5]), orderings)
  best <- optim(numeric(4), function(x) -free(x), method = "BFGS", hessian = TRUE)
  expect_equal(unname(coef(fit)), best$par, tolerance = 1e-3)
  expect_equal(unname(vcov(fit)), solve(best$hessian), tolerance = 1e-3)
  expect_equal(attr(logLik(fit), "df"), 4)
  expect_equal(nobs(fit), 40)
  twice <- plackett_luce(orderings, weights = rep(2, 40))
  expect_equal(coef(twice), coef(fit), tolerance = 1e-8)
  expect_equal(vcov(twice), vcov(fit) / 2, tolerance = 1e-8)
})

test_that("rankings of two items are paired comparisons", {
  skip_without_python()
  games <- small_games()
  orderings <- Map(c, games$winner, games$loser)
  fit <- plackett_luce(unname(orderings))
  pairs <- bt(small_wins)
  expect_equal(coef(fit), coef(pairs), tolerance = 1e-8)
  expect_equal(vcov(fit), vcov(pairs), tolerance = 1e-8)
  expect_equal(confint(fit, method = "profile"), confint(pairs, method = "profile"))
  expect_equal(rank_intervals(fit), rank_intervals(pairs))
  expect_equal(quasi_variances(fit), quasi_variances(pairs), tolerance = 1e-6)
  expect_equal(pairs(fit), pairs(pairs), tolerance = 1e-8)
  clustered <- suppressWarnings(plackett_luce(unname(orderings), cluster = rep(1:11, 3)))
  robust <- suppressWarnings(bt(1, winner, loser, games, cluster = rep(1:11, 3)))
  expect_equal(vcov(clustered), vcov(robust), tolerance = 1e-8)
  firth <- plackett_luce(unname(orderings), method = "firth")
  expect_equal(coef(firth), coef(bt(small_wins, method = "firth")), tolerance = 1e-7)
  ghost <- plackett_luce(unname(orderings), method = "ghost")
  expect_equal(coef(ghost), coef(bt(small_wins, method = "ghost")), tolerance = 1e-7)
  # Ties of two items are Davidson's.
  tied <- lapply(seq_len(nrow(tied_games)), function(i) {
    both <- c(tied_games$first[[i]], tied_games$second[[i]])
    switch(as.character(tied_games$result[[i]]), "1" = both, "0" = rev(both), list(both))
  })
  davidson <- bt(result, first, second, tied_games, ties = "davidson")
  expect_equal(unname(coef(plackett_luce(tied))), unname(coef(davidson)), tolerance = 1e-8)
})

test_that("ties of psychotools' paired comparisons have the same estimates", {
  skip_without_python()
  skip_without_package("psychotools")
  set.seed(3)
  pairs <- which(upper.tri(diag(4)), arr.ind = TRUE)
  answers <- matrix(sample(c(-1, 0, 1), 240, TRUE, c(.3, .25, .45)), 40)
  theirs <- psychotools::btmodel(
    psychotools::paircomp(answers, labels = letters[1:4]),
    undecided = TRUE, ref = "a", epsilon = 1e-14
  )
  items <- matrix(letters[pairs], ncol = 2)
  orderings <- lapply(seq_along(answers), function(i) {
    both <- items[col(answers)[[i]], ]
    switch(answers[[i]] + 2, rev(both), list(both), both)
  })
  ours <- plackett_luce(orderings)
  expect_equal(unname(coef(ours)), unname(coef(theirs)), tolerance = 1e-8)
  expect_equal(unname(vcov(ours)), unname(vcov(theirs)), tolerance = 1e-6)
})

test_that("fits have the methods of models", {
  skip_without_python()
  skip_without_package("qvcalc")
  fit <- plackett_luce(fruit)
  expect_output(print(fit), "Plackett-Luce model by maximum likelihood: 4 items, 6 rankings")
  expect_output(print(summary(fit)), "logarithms of the tie parameters")
  expect_equal(confint(fit)["pear", 2], coef(fit)[["pear"]] + qnorm(.975) * sqrt(vcov(fit)[3, 3]))
  expect_equal(AIC(fit), 10 - 2 * as.numeric(logLik(fit)))
  tidy <- generics::tidy(fit, conf.int = TRUE)
  expect_identical(tidy$term, names(coef(fit)))
  expect_identical(generics::glance(fit)$nobs, 6)
  expect_equal(
    qvcalc::qvcalc(fit)$qvframe$quasiVar, quasi_variances(fit)$quasiVar,
    tolerance = 1e-4
  )
  board <- as.data.frame(leaderboard(fit, "elo"))
  expect_equal(mean(board$rating), 1000)
  expect_equal(board$games[board$item == "apple"], 6)
  expect_refused(leaderboard(fit, by = ~x), "by needs paired comparisons")
  test <- anova(fit)
  expect_s3_class(test, "anova")
  expect_equal(test$Df, 3)
  expect_equal(compare_items(fit, "pear", "apple")$p.value, coef(summary(fit))["pear", 4])
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(rownames(plot(fit))[[1]], "banana")
})

test_that("predictions are probabilities to be the best", {
  skip_without_python()
  fit <- plackett_luce(fruit)
  found <- predict(fit, c("banana", "apple"), se.fit = TRUE)
  a <- exp(abilities(fit)[c("banana", "apple"), 1])
  tie <- exp(coef(fit)[["(tie2)"]]) * sqrt(prod(a))
  expect_equal(found$fit, a / (sum(a) + tie))
  expect_identical(names(found$se.fit), c("banana", "apple"))
  sets <- list(c("banana", "apple"), c("pear", "apple", "orange"))
  both <- predict(fit, sets)
  expect_equal(both[[1]], found$fit)
  expect_length(both[[2]], 3)
  expect_lt(sum(predict(fit)), 1)
  answer <- ask_elsewhere(fit, "predict(fit, c('banana', 'apple'), se.fit = TRUE)")
  expect_equal(answer, found)
  expect_refused(predict(fit, "apple"), "at least 2 different items")
  expect_refused(predict(fit, c("apple", "kiwi")), "kiwi")
})

test_that("items that always come last need a penalty, or are left out", {
  skip_without_python()
  orderings <- list(c("ann", "bob", "cy"), c("bob", "ann", "cy"), c("ann", "cy"))
  expect_refused(plackett_luce(orderings), "cy never ranked above .*method = 'firth'")
  for (method in c("firth", "ghost")) {
    expect_true(all(is.finite(coef(plackett_luce(orderings, method = method)))))
  }
  expect_true(plackett_luce(orderings, method = "ridge", prior_sd = 1)$converged)
  expect_warning(
    part <- plackett_luce(orderings, largest = TRUE), "1 item of 3",
    class = "pwcstats_warning"
  )
  expect_identical(part$left_out, "cy")
  # Unranked items may have come last.
  top <- list(c("a", "b"), c("b", "a"), "c", c("a", "c"), c("c", "b"))
  expect_false(isTRUE(all.equal(
    coef(plackett_luce(top)), coef(plackett_luce(top, unranked = "last"))
  )))
})

test_that("wrong rankings are refused with their names", {
  skip_without_python()
  expect_refused(plackett_luce(list(c("a", "b"), c("b", "a", "b"))), "^ranking 2 names b twice")
  expect_refused(plackett_luce(list(x = c("a", "b"), y = character())), "^ranking y has no item")
  expect_refused(plackett_luce(list(c("a", NA))), "^ranking 1 has a missing item")
  expect_refused(plackett_luce(rbind(c(a = 1, b = 0))), "above 0.* row 1 has 0 for b")
  expect_refused(plackett_luce(rbind(c(a = NA, b = NA_real_))), "^row 1 ranks no item")
  expect_refused(plackett_luce("a"), "^rankings must be a matrix of ranks, .* not character")
  expect_refused(plackett_luce(fruit, fruit), "^data needs a formula")
  races <- data.frame(race = c(1, 1, 2, 2), who = c("x", "y", "y", "x"), place = c(1, 2, 1, NA))
  expect_refused(plackett_luce(place ~ who, races), "must be position ~ item \\| ranking")
  expect_refused(plackett_luce(place ~ who | race, races), "^row 4 has no place")
  expect_refused(plackett_luce(who ~ who | race, races), "^who must be numbers, not character")
  expect_refused(plackett_luce(nothing ~ who | race, races), "'nothing' not found")
  expect_refused(plackett_luce(fruit, weights = 1:3), "each of the 6 rankings, got 3")
  expect_refused(plackett_luce(fruit, method = "zz"), "^method must be one of")
  expect_refused(plackett_luce(fruit, cov_type = "cluster"), "needs cluster")
  expect_refused(plackett_luce(fruit, ref = "kiwi"), "^ref must be one of the items .*'kiwi'")
  apart <- list(c("a", "b"), c("b", "a"), c("c", "d"), c("d", "c"))
  expect_refused(plackett_luce(apart), "connect")
})
