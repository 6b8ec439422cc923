# stepwise() compared with step(), and with anova() in each step.

# Both are sums of the same likelihoods, up to rounding errors.
same <- 1e-7

set.seed(36)
trial <- data.frame(
  x = rnorm(150), z = rnorm(150), u = rnorm(150), v = rnorm(150),
  dose = factor(sample(c("a", "b", "c"), 150, TRUE)),
  sex = factor(sample(c("f", "m"), 150, TRUE)),
  n = sample(1:3, 150, TRUE)
)
score <- with(trial, x + (1 + 1.5 * z) * (sex == "m") + 1.2 * (dose == "b")) + rlogis(150)
trial$ill <- as.numeric(score > 0)
trial$grade <- cut(score, c(-Inf, -1, 1, Inf), c("low", "mid", "top"), ordered_result = TRUE)

# Sums of each other, so that a dropped term becomes useful again.
set.seed(360)
sums <- data.frame(a = rnorm(60), b = rnorm(60), e = rnorm(60))
sums$s <- sums$a + sums$b + rnorm(60, sd = 0.3)
sums$t <- sums$a - sums$e + rnorm(60, sd = 0.3)
sums$r <- sums$s + sums$t + rnorm(60, sd = 0.3)
sums$y <- as.numeric(sums$a + sums$b - sums$e + rlogis(60) > 0)

odd <- setNames(trial[c("ill", "x", "z", "u", "sex")], c("ill", "a:b", "a", "b", "the sex"))
kinds <- transform(trial, sex = sex == "f", dose = factor(dose, letters), n = as.integer(n))

fits <- function() {
  list(
    firth = firth(ill ~ sex * z + x + u + v + dose, trial),
    weighted = firth(ill ~ z * sex + u + x:u + x + dose, trial, weights = n, offset = v / 2),
    counts = firth(cbind(n - 1 + ill, 1 - ill) ~ x + u + v + sex * z + offset(v / 3), trial),
    multinom = firth_multinom(grade ~ x + z * sex + u + dose, trial, weights = n),
    ratio = cratio(grade ~ x * u + z * sex + v, trial),
    ratio_firth = cratio(grade ~ x + z + dose + v, trial, penalty = "firth", weights = n),
    parallel = cratio(grade ~ x + z * sex + dose + v, trial, parallel = TRUE, direction = "forward")
  )
}

labels_of <- function(fit) attr(terms(fit), "term.labels")

# a:b and b:a are the same.
sides_of <- function(fit) {
  vapply(strsplit(labels_of(fit), ":"), function(side) paste(sort(side), collapse = ":"), "")
}

# The fit without some terms.
without <- function(fit, dropped) {
  update(fit, as.formula(paste(c(". ~ .", dropped), collapse = " - ")))
}

# step() with the same start and the same terms to choose from.
peer_step <- function(fit, direction, k = 2, lower = "1") {
  labels <- labels_of(fit)
  start <- if (direction == "forward") without(fit, setdiff(labels, lower)) else fit
  scope <- list(lower = reformulate(lower), upper = reformulate(labels))
  step(start, scope, direction = direction, trace = 0, k = k)
}

# Selection by tests as a loop of anova() over all models.
peer_tests <- function(fit, direction, enter, remove) {
  labels <- labels_of(fit)
  inside <- if (direction == "forward") character() else labels
  p_of <- function(term, among) anova(without(fit, setdiff(labels, among)))[term, "Pr(>Chi)"]
  path <- data.frame(step = "", p = NA_real_)
  repeat {
    now <- without(fit, setdiff(labels, inside))
    may_go <- if (direction != "forward") drop.scope(now)
    may_come <- if (direction != "backward") add.scope(now, fit)
    go <- vapply(may_go, p_of, numeric(1), inside)
    come <- vapply(may_come, function(term) p_of(term, c(inside, term)), numeric(1))
    if (any(go > remove)) {
      term <- names(which.max(go))
      path <- rbind(path, data.frame(step = paste("-", term), p = go[[term]]))
      inside <- setdiff(inside, term)
    } else if (any(come < enter)) {
      term <- names(which.min(come))
      path <- rbind(path, data.frame(step = paste("+", term), p = come[[term]]))
      inside <- c(inside, term)
    } else {
      return(list(path = path, inside = inside))
    }
  }
}

test_that("AIC and BIC make the steps of step()", {
  skip_without_python()
  moved <- character()
  every <- expand.grid(direction = c("both", "forward", "backward"), criterion = c("aic", "bic"))
  every[] <- lapply(every, as.character)
  models <- fits()
  for (name in names(models)) {
    fit <- models[[name]]
    # Both and AIC, forward and BIC; all six would take long.
    ask <- if (name == "firth") every else every[c(1, 5), ]
    for (i in seq_len(nrow(ask))) {
      criterion <- ask$criterion[[i]]
      ours <- stepwise(fit, criterion, ask$direction[[i]])
      theirs <- peer_step(fit, ask$direction[[i]], if (criterion == "aic") 2 else log(nobs(fit)))
      expect_equal(ours$anova, theirs$anova, tolerance = same, ignore_attr = "heading")
      expect_setequal(sides_of(ours), sides_of(theirs))
      expect_equal(AIC(ours), AIC(theirs), tolerance = same)
      expect_identical(class(ours), class(fit))
      last <- ours$path[nrow(ours$path), ]
      value <- if (criterion == "aic") AIC(ours) else BIC(ours)
      expect_equal(last$criterion, value, tolerance = same)
      expect_equal(last$logLik, as.numeric(logLik(ours)), tolerance = same)
      expect_identical(last$df, attr(logLik(ours), "df"))
      expect_identical(last$terms, paste(labels_of(ours), collapse = " + "))
      moved <- c(moved, ours$path$step)
    }
  }
  # Interactions and factors were added and dropped.
  expect_true(all(c("+ sex:z", "- x:u", "+ dose", "- dose") %in% moved))
})

test_that("a dropped term may be added again", {
  skip_without_python()
  fit <- firth(y ~ a + b + e + s + t + r, sums)
  ours <- stepwise(fit)
  expect_true(all(c("- b", "+ b") %in% ours$path$step))
  expect_equal(
    ours$anova, peer_step(fit, "both")$anova,
    tolerance = same, ignore_attr = "heading"
  )
  ours <- stepwise(fit, "lr", enter = 0.15, remove = 0.16)
  expect_true(all(c("- b", "+ b") %in% ours$path$step))
  expect_identical(ours$path$step, peer_tests(fit, "both", 0.15, 0.16)$path$step)
  expect_false("+ b" %in% stepwise(fit, direction = "backward")$path$step)
})

test_that("tests are those of anova(), with levels to enter and to remove", {
  skip_without_python()
  moved <- character()
  ways <- list(
    firth = c("forward", "backward"), weighted = "backward", multinom = "forward",
    ratio = "backward", ratio_firth = c("forward", "backward")
  )
  models <- fits()
  for (name in names(ways)) {
    fit <- models[[name]]
    for (direction in ways[[name]]) {
      level <- if (direction == "forward") 0.05 else 0.2
      ours <- stepwise(fit, "lr", direction, enter = level, remove = level)
      theirs <- peer_tests(fit, direction, level, level)
      expect_identical(ours$path$step, theirs$path$step)
      expect_equal(ours$path$criterion, theirs$path$p, tolerance = 1e-6)
      expect_setequal(labels_of(ours), theirs$inside)
      expect_identical(ours$anova[["Pr(>Chi)"]], ours$path$criterion)
      moved <- c(moved, ours$path$step)
    }
  }
  expect_gt(length(unique(moved)), 8)
})

test_that("the selected fit is an ordinary fit with its path", {
  skip_without_python()
  fit <- fits()$weighted
  chosen <- stepwise(fit, "bic", "forward")
  expect_identical(names(chosen$path), c("step", "criterion", "logLik", "df", "terms"))
  expect_identical(chosen$path$step[[1]], "")
  expect_identical(chosen$path$terms[[1]], "1")
  expect_identical(chosen$path$terms[[2]], sub("+ ", "", chosen$path$step[[2]], fixed = TRUE))
  again <- firth(formula(chosen), trial, weights = n, offset = v / 2)
  expect_equal(coef(chosen), coef(again), tolerance = same)
  expect_equal(vcov(chosen), vcov(again), tolerance = same)
  expect_identical(chosen$call$weights, quote(n))
  expect_identical(chosen$call$offset, quote(v / 2))
  expect_output(print(chosen), "firth\\(formula = ill ~ ")
  expect_null(update(chosen, . ~ .)$path)
  # An offset in the formula is kept, even if all terms are dropped.
  offset <- firth(ill ~ u + offset(v / 3), trial)
  bare <- stepwise(offset, "bic")
  expect_equal(coef(bare), coef(firth(ill ~ 1, trial, offset = v / 3)), tolerance = same)
})

test_that("kept terms stay, however they are given", {
  skip_without_python()
  fit <- fits()$firth
  expect_false("u" %in% labels_of(stepwise(fit, "bic")))
  for (direction in c("both", "forward")) {
    theirs <- peer_step(fit, direction, log(nobs(fit)), lower = "u")
    for (keep in list("u", ~u, ill ~ u)) {
      ours <- stepwise(fit, "bic", direction, keep = keep)
      expect_true("u" %in% labels_of(ours))
      expect_equal(ours$anova, theirs$anova, tolerance = same, ignore_attr = "heading")
    }
  }
  # An interaction in either order, with its main effects.
  noise <- firth(ill ~ x + u * n, trial)
  expect_identical(labels_of(stepwise(noise, "bic")), "x")
  for (keep in list("u:n", "n:u", ~ n:u, ~ n * u, c("u:n", "u"))) {
    for (direction in c("backward", "forward")) {
      kept <- labels_of(stepwise(noise, "bic", direction, keep = keep))
      expect_identical(kept, c("x", "u", "n", "u:n"))
    }
  }
  expect_identical(labels_of(stepwise(fit, keep = labels_of(fit))), labels_of(fit))
  expect_identical(stepwise(fit, keep = ~1)$path, stepwise(fit)$path)
})

test_that("formulas of all kinds keep their terms", {
  skip_without_python()
  expect_as_step <- function(fit) {
    ours <- stepwise(fit)
    # model.matrix() warns of contrasts of absent factors, also during the search.
    theirs <- suppressWarnings(peer_step(fit, "both"))
    expect_equal(ours$anova, theirs$anova, tolerance = same, ignore_attr = "heading")
    expect_equal(coef(ours), coef(theirs), tolerance = 1e-6)
    expect_gt(nrow(ours$path), 1)
  }
  # Colons that are not interactions.
  expect_as_step(firth(ill ~ stats::poly(x, 2) + base::cos(u) + v:base::sin(u) + v, trial))
  expect_as_step(firth(ill ~ ., odd))
  expect_as_step(firth(
    ill ~ x + u + dose + sex * z, trial,
    contrasts = list(sex = "contr.sum"), subset = x < 1.5
  ))
  expect_as_step(firth(ill ~ 0 + dose + x + u, trial))
  expect_as_step(cratio(grade ~ 0 + dose + x + u, trial))
  expect_as_step(firth(ill ~ sex + dose + n + x, kinds, weights = replace(n, 1:9, 0)))
  expect_identical(labels_of(stepwise(firth(ill ~ 0 + x, trial), "bic")), "x")
  expect_identical(labels_of(stepwise(firth(ill ~ u, trial), "bic")), character())
  skip_without_package("tibble")
  expect_as_step(firth(ill ~ x + u + dose, tibble::as_tibble(trial)))
})

test_that("the data may be local to a function", {
  skip_without_python()
  select <- function(rows) {
    here <- trial[rows, ]
    fit <- firth(ill ~ x + u + v, here, weights = n)
    stepwise(fit, "bic")
  }
  expect_identical(nobs(select(1:120)), 120L)
})

test_that("more than ten classes keep their order", {
  skip_without_python()
  many <- transform(trial, kind = factor(rep(1:11, length.out = 150)))
  fit <- firth_multinom(kind ~ x + u, many)
  ours <- stepwise(fit, keep = "x")
  expect_equal(coef(ours), coef(update(fit, . ~ x)), tolerance = same)
  expect_equal(ours$path$logLik[[2]], as.numeric(logLik(ours)), tolerance = same)
})

test_that("terms whose coding would change are refused", {
  skip_without_python()
  cells <- firth(ill ~ 0 + dose + sex + x + u, trial)
  expect_refused(stepwise(cells), "the coding of 'sex' depends .* intercept .* use step\\(\\)\\.$")
  ours <- stepwise(cells, keep = "dose")
  theirs <- step(cells, list(lower = ~ 0 + dose, upper = formula(cells)), trace = 0)
  expect_equal(ours$anova, theirs$anova, tolerance = same, ignore_attr = "heading")
  slopes <- firth(ill ~ x:sex + x:dose, trial)
  expect_refused(stepwise(slopes), "the coding of 'x:dose'")
})

test_that("other rows than those of the search are refused", {
  skip_without_python()
  gone <- transform(trial, u = replace(u, 3:5, NA))
  fit <- firth(ill ~ x + u, gone)
  expect_refused(
    stepwise(fit, "bic"), "has 150 rows without missing values, and the search had 147; .*na.omit"
  )
  # Kept variables may have missing values.
  same_rows <- stepwise(fit, "bic", keep = "u")
  expect_identical(nobs(same_rows), 147L)
  complete <- na.omit(gone)
  expect_identical(nobs(stepwise(firth(ill ~ x + u, complete), "bic")), 147L)
  changed <- trial
  fit <- firth(ill ~ x + u, changed)
  changed$x[[1]] <- 9
  expect_refused(stepwise(fit, "bic"), "^the data have changed .*; fit it again")
  changed <- trial[-1, ]
  expect_refused(stepwise(fit, "bic"), "^the data have changed")
  rm(changed)
  expect_refused(stepwise(fit, "bic"), "object 'changed' not found\\); call it where")
})

test_that("a saved fit is searched in another process", {
  skip_without_python()
  fit <- firth(ill ~ x + u + dose, trial, weights = n, offset = v)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(trial, file)
  ask <- sprintf("{trial <- readRDS(%s); stepwise(fit, 'bic')$path}", deparse(file))
  expect_equal(ask_elsewhere(fit, ask), stepwise(fit, "bic")$path)
})

test_that("separation gives one warning", {
  skip_without_python()
  apart <- transform(trial, grade = replace(grade, dose == "c" & grade == "top", "mid"))
  suppressWarnings(fit <- cratio(grade ~ x + u + v + dose, apart))
  said <- character()
  chosen <- withCallingHandlers(stepwise(fit), pwcstats_warning = function(w) {
    said <<- c(said, conditionMessage(w))
    expect_identical(conditionCall(w)[[1]], quote(stepwise))
    invokeRestart("muffleWarning")
  })
  expect_true("dose" %in% labels_of(chosen))
  expect_match(said, "separation", all = FALSE)
  expect_identical(anyDuplicated(said), 0L)
  theirs <- suppressWarnings(step(fit, trace = 0))
  expect_equal(chosen$anova, theirs$anova, tolerance = same, ignore_attr = "heading")
})

test_that("wrong arguments are refused in one sentence", {
  skip_without_python()
  fit <- firth(ill ~ x + u, trial)
  expect_refused(stepwise(lm(ill ~ x, trial)), "^object must be a fit by .*, not lm\\.$")
  expect_refused(stepwise(firth(ill ~ 1, trial)), "no terms except .* nothing to select")
  for (correction in c("flic", "flac")) {
    corrected <- update(fit, correction = correction)
    expect_refused(stepwise(corrected), "got correction = 'fl.c'; select without correction")
  }
  expect_refused(stepwise(fit, "cp"), "^criterion must be one of 'aic', 'bic', 'lr'")
  expect_refused(stepwise(fit, direction = "up"), "^direction must be one of")
  expect_refused(stepwise(fit, "lr", enter = 5), "^enter must be a number between 0 and 1")
  expect_refused(stepwise(fit, "lr", remove = NA), "^remove must be a number between 0 and 1")
  expect_refused(stepwise(fit, "lr", enter = 0.2), "^remove must not be below enter")
  expect_refused(stepwise(fit, max_steps = 0), "^max_steps must be a whole number")
  expect_refused(stepwise(fits()$firth, "bic", max_steps = 1), "did not end after 1 step; raise")
  expect_refused(stepwise(fit, keep = "zz"), "^keep must be some of the terms 'x', 'u', got 'zz'")
  expect_refused(stepwise(fit, keep = ~ x:u), "got 'x:u'\\.$")
  expect_refused(stepwise(fit, keep = ~.), "'\\.' in formula")
  expect_refused(stepwise(fit, keep = 1), "^keep must be names of terms or .*, not numeric")
  expect_refused(stepwise(firth(ill ~ 0 + x, trial), "bic", "forward"), "keep a term\\.$")
  error <- expect_refused(stepwise(fit, "cp"), "criterion")
  expect_identical(conditionCall(error)[[1]], quote(stepwise))
})
