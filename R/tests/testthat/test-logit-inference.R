# hatvalues(), simulate(), profile(), predict() with standard errors, drop1() and add1() for
# logistic fits, compared with glm() and brglm2, numerical derivatives and refits.

# Both sides are arithmetic with the same numbers.
same <- 1e-10
# brglm2 stops at a score of 1e-10.
against_brglm2 <- 1e-6
# Central differences with steps of 1e-5 err by about 1e-10, relative to standard errors of 0.1.
differences <- 1e-7
# Python's bounds are correct to 1e-5 of the fall of the likelihood, and much closer in most cases.
profiles <- 1e-5

bias_reduced <- function(...) {
  do.call(glm, c(
    list(..., family = quote(binomial), method = brglm2::brglmFit), type = "AS_mean",
    epsilon = 1e-10, maxit = 1000
  ))
}

test_that("influence of rows is that of glm() at the same coefficients", {
  skip_without_python()
  skip_without_package("brglm2")
  gaps <- transform(visits, x = replace(x, 3, NA))
  cases <- list(
    list(ill ~ x + site, data = visits),
    list(ill ~ x + site, data = gaps, na.action = quote(na.exclude)),
    list(
      cbind(ill * 3 + 1, 2 - ill) ~ x,
      data = gaps, weights = rep(c(1, 2, 0.5, 3), 4), offset = visits$x / 3
    )
  )
  for (case in cases) {
    ours <- do.call(firth, case)
    theirs <- do.call(bias_reduced, case)
    for (f in list(
      hatvalues, cooks.distance, rstandard, rstudent, dfbeta, dfbetas,
      function(fit) rstandard(fit, type = "pearson"),
      function(fit) influence(fit)[c("hat", "coefficients", "dev.res", "pear.res")],
      function(fit) residuals(fit, "working"), function(fit) weights(fit, "working"),
      function(fit) residuals(fit, "partial")
    )) {
      expect_equal(f(ours), f(theirs), tolerance = against_brglm2)
    }
  }
  # As for glm(), rows of weight 0 are left out.
  weights <- rep(c(1, 2, 0, 3), 4)
  part <- firth(ill ~ x, visits[weights > 0, ], weights = weights[weights > 0])
  expect_equal(hatvalues(firth(ill ~ x, visits, weights = weights)), hatvalues(part))
  expect_refused(hatvalues(firth_multinom(grade ~ x, visits)), "only for fits by firth\\(\\)")
  expect_refused(cooks.distance(cratio(grade ~ x, visits)), "only for fits by firth\\(\\)")
  expect_refused(weights(cratio(grade ~ x, visits), "working"), "working weights")
})

test_that("predict() of firth() has terms and intervals as predict() of glm()", {
  skip_without_python()
  skip_without_package("brglm2")
  gaps <- transform(visits, x = replace(x, 3, NA))
  new <- data.frame(x = c(1, NA, 0), site = c("west", "west", "north"))
  for (formula in list(ill ~ x * site, ill ~ x + site - 1)) {
    ours <- firth(formula, gaps, na.action = na.exclude)
    theirs <- bias_reduced(formula, data = gaps, na.action = quote(na.exclude))
    for (terms in list(NULL, "site", c("site", "x"))) {
      if (!all(terms %in% attr(ours$terms, "term.labels"))) next
      for (rows in list(NULL, new)) {
        get <- function(fit) {
          arguments <- list(fit, type = "terms", terms = terms, se.fit = TRUE)
          found <- do.call(predict, c(arguments, if (!is.null(rows)) list(newdata = rows)))
          # predict() of glm() loses the constant with na.exclude().
          if (is.null(rows)) attr(found$fit, "constant") <- NULL
          found
        }
        expect_equal(get(ours), get(theirs), tolerance = against_brglm2)
      }
    }
    link <- predict(ours, new, se.fit = TRUE)
    bounds <- link$fit + link$se.fit %o% (c(-1, 1) * qnorm(0.95))
    found <- predict(ours, new, interval = "confidence", level = 0.9)
    expect_identical(dimnames(found), list(c("1", "2", "3"), c("fit", "lwr", "upr")))
    expect_equal(unname(found), unname(cbind(link$fit, bounds)), tolerance = same)
    response <- predict(ours, new, "response", interval = "confidence", level = 0.9, se.fit = TRUE)
    expect_equal(response$fit, plogis(found), tolerance = same)
    expect_equal(
      response$se.fit, predict(ours, new, "response", se.fit = TRUE)$se.fit,
      tolerance = same
    )
  }
  fit <- firth(ill ~ x, visits)
  expect_refused(predict(fit, type = "class", interval = "confidence"), "interval needs probab")
  expect_refused(predict(fit, terms = "x"), "for type = 'terms'")
  expect_refused(predict(fit, type = "terms", terms = "zz"), "terms must be among the terms")
  expect_refused(predict(fit, interval = "prediction"), "interval must be one of")
})

# Fits of several classes whose terms, sums of the terms and offsets are easy to check.
fits_of_classes <- function(...) {
  list(
    firth_multinom(grade ~ x * site, ...),
    cratio(grade ~ x + site, penalty = "firth", ...),
    cratio(grade ~ x + site, parallel = TRUE, direction = "forward", penalty = "firth", ...),
    adjacent_categories(grade ~ x + site, penalty = "firth", ...),
    adjacent_categories(grade ~ x + site, penalty = "firth", parallel = TRUE, ...),
    ordered_logit(grade ~ x + site, ...),
    ordered_logit(grade ~ x + site + offset(x / 4), penalty = "firth", ...)
  )
}

test_that("terms of several classes add up to the linear predictors", {
  skip_without_python()
  gaps <- transform(visits, x = replace(x, 3, NA))
  new <- data.frame(x = c(1, NA, 0), site = c("west", "west", "north"), row.names = letters[1:3])
  for (fit in fits_of_classes(gaps, na.action = na.exclude)) {
    for (rows in list(gaps, new, new[1, ], new[0, ])) {
      found <- predict(fit, rows, type = "terms", se.fit = TRUE)
      link <- as.matrix(predict(fit, rows, type = "link"))
      offset <- if (is.null(attr(fit$terms, "offset"))) 0 else rows$x / 4
      parts <- found$fit
      expect_identical(colnames(parts), attr(fit$terms, "term.labels"))
      expect_identical(rownames(parts), rownames(link))
      expect_identical(dim(found$se.fit), dim(parts))
      constant <- rep(unname(attr(parts, "constant")), each = nrow(link))
      sums <- if (length(dim(parts)) == 3) apply(parts, c(1, 3), sum) else rowSums(parts)
      expect_equal(as.vector(link), as.vector(sums) + constant + offset, tolerance = same)
    }
    # The rows of the fit: terms have mean 0, and rows with missing values are filled in.
    own <- predict(fit, type = "terms")
    expect_identical(nrow(own), nrow(visits))
    expect_true(all(is.na(if (length(dim(own)) == 3) own[3, "x", ] else own[3, "x"])))
    means <- apply(own, seq_along(dim(own))[-1], mean, na.rm = TRUE)
    expect_lt(max(abs(means)), same)
  }
  expect_refused(predict(fit, type = "terms", interval = "confidence"), "interval needs probab")
  expect_refused(predict(fit, type = "terms", terms = "zz"), "terms must be among the terms")
  infinite <- suppressWarnings(cratio(ill ~ age, separated))
  expect_refused(predict(infinite, type = "terms"), "needs finite estimates")
})

test_that("terms of two classes and of the first stage are those of glm()", {
  skip_without_python()
  precise <- function(formula, data) {
    glm(formula, binomial, data, epsilon = 1e-14, maxit = 100)
  }
  new <- data.frame(x = c(1, 0), site = c("west", "north"))
  theirs <- precise(ill ~ x + site, visits)
  ours <- ordered_logit(ill ~ x + site, visits)
  for (rows in list(visits, new)) {
    expected <- predict(theirs, rows, type = "terms", se.fit = TRUE)
    found <- predict(ours, rows, type = "terms", se.fit = TRUE)
    constant <- attr(found$fit, "constant") - ours$zeta[[1]]
    expect_equal(constant, attr(expected$fit, "constant"), tolerance = differences)
    expect_equal(found$fit, expected$fit, tolerance = differences, ignore_attr = "constant")
    expect_equal(found$se.fit, expected$se.fit, tolerance = differences)
    expect_equal(
      predict(ours, rows, type = "terms", terms = c("site", "x")), found$fit[, c("site", "x")],
      ignore_attr = "constant"
    )
  }
  # All rows reach the first of the forward stages.
  theirs <- precise(grade == "none" ~ x + site, visits)
  ours <- cratio(grade ~ x + site, visits, direction = "forward")
  expected <- predict(theirs, new, type = "terms", se.fit = TRUE)
  found <- predict(ours, new, type = "terms", se.fit = TRUE)
  expect_equal(
    attr(found$fit, "constant")[["none"]], attr(expected$fit, "constant"), tolerance = differences
  )
  expect_equal(
    found$fit[, , "none"], expected$fit, tolerance = differences, ignore_attr = "constant"
  )
  expect_equal(found$se.fit[, , "none"], expected$se.fit, tolerance = differences)
})

test_that("intervals of several classes are those of clm(), and symmetric as logits", {
  skip_without_python()
  skip_without_package("ordinal")
  new <- data.frame(x = c(-1, NA, 2), site = c("north", "south", "west"), row.names = letters[1:3])
  clm <- ordinal::clm(
    grade ~ x + site, data = visits, control = ordinal::clm.control(gradTol = 1e-12, maxIter = 200L)
  )
  ours <- predict(
    ordered_logit(grade ~ x + site, visits), new[-2, ], "prob", interval = "confidence", level = 0.9
  )
  theirs <- predict(clm, new[-2, ], type = "prob", interval = TRUE, level = 0.9)
  for (part in c("fit", "lwr", "upr")) {
    expect_equal(ours[, , part], theirs[[part]], tolerance = differences, ignore_attr = TRUE)
  }
  types <- list(
    c("link", "prob"), c("link", "prob", "stage"), c("link", "stage"), c("link", "prob"), "link",
    c("link", "prob", "cumulative"), c("link", "cumulative")
  )
  Map(function(fit, types) {
    for (type in types) {
      plain <- predict(fit, new, type = type, se.fit = TRUE)
      found <- predict(fit, new, type = type, interval = "confidence", level = 0.9, se.fit = TRUE)
      expect_identical(found$se.fit, plain$se.fit)
      scale <- if (type == "link") identity else qlogis
      error <- plain$se.fit / (if (type == "link") 1 else plain$fit * (1 - plain$fit))
      bounds <- array(found$fit, c(length(plain$fit), 3))
      expect_identical(bounds[, 1], as.vector(plain$fit))
      expected <- as.vector(scale(plain$fit)) + as.vector(error) %o% (c(-1, 1) * qnorm(0.95))
      expect_equal(scale(bounds[, -1]), expected, tolerance = same)
      columns <- if (is.matrix(plain$fit)) list(colnames(plain$fit))
      names <- c(list(letters[1:3]), columns, list(c("fit", "lwr", "upr")))
      expect_identical(dimnames(found$fit), names)
      one <- predict(fit, new[1, ], type = type, interval = "confidence", level = 0.9)
      expect_equal(as.vector(one), as.vector(bounds[rep(1:3 == 1, length.out = nrow(bounds)), ]))
      none <- predict(fit, new[0, ], type = type, interval = "confidence")
      expect_identical(dim(none)[-1], dim(found$fit)[-1])
    }
    expect_refused(predict(fit, new, interval = "confidence"), "interval needs probabilities")
    expect_refused(predict(fit, new, "prob", interval = "prediction"), "interval must be one of")
    expect_identical(rownames(as.matrix(predict(fit, new["a", ], "link"))), "a")
  }, fits_of_classes(visits), types)
})

test_that("standard errors of probabilities follow from numerical derivatives", {
  skip_without_python()
  new <- data.frame(x = c(1, NA, -0.5), site = c("west", "west", "north"), row.names = letters[1:3])
  cratios <- expand.grid(
    direction = c("backward", "forward"), parallel = c(TRUE, FALSE), stringsAsFactors = FALSE
  )
  fits <- c(
    list(firth_multinom(grade ~ x + site, visits)),
    Map(
      function(direction, parallel) {
        cratio(
          grade ~ x + site, visits,
          direction = direction, parallel = parallel, penalty = "firth"
        )
      },
      cratios$direction, cratios$parallel
    )
  )
  # Probabilities from coefficients in the order of vcov(), by the formulas of the models.
  by_formula <- function(fit, x, beta) {
    classes <- as.character(fit$classes)
    if (inherits(fit, "pwcstats_firth_multinom")) {
      eta <- x %*% matrix(beta, ncol(x))
      odds <- cbind(1, exp(eta))
      return(list(link = eta, prob = odds / rowSums(odds)))
    }
    n <- length(fit$stages)
    slopes <- if (fit$parallel) {
      rbind(beta[seq_len(n)], matrix(beta[-seq_len(n)], ncol(x) - 1, n))
    } else {
      matrix(beta, ncol(x), n, byrow = TRUE)
    }
    eta <- x %*% slopes
    stage <- plogis(eta)
    forward <- fit$direction == "forward"
    prob <- matrix(1, nrow(x), n + 1)
    for (class in seq_len(n + 1)) {
      for (k in seq_len(n)) {
        its_class <- if (forward) k else k + 1
        if (its_class == class) prob[, class] <- prob[, class] * stage[, k]
        passed <- if (forward) its_class < class else its_class > class
        if (passed) prob[, class] <- prob[, class] * (1 - stage[, k])
      }
    }
    list(link = eta, stage = stage, prob = prob)
  }
  for (fit in fits) {
    x <- model.matrix(fit)[c(3, 3, 1), ]
    x[, "x"] <- c(1, NA, -0.5)
    beta <- if (is.matrix(coef(fit))) as.vector(t(coef(fit))) else coef(fit)
    for (type in names(by_formula(fit, x, beta))) {
      found <- predict(fit, new, type = type, se.fit = TRUE)
      expect_identical(found$fit, predict(fit, new, type = type))
      expect_identical(dimnames(found$se.fit), dimnames(found$fit))
      at <- function(b) as.vector(by_formula(fit, x, b)[[type]])
      expect_equal(as.vector(found$fit), at(beta), tolerance = same)
      jacobian <- vapply(seq_along(beta), function(k) {
        step <- replace(numeric(length(beta)), k, 1e-5)
        (at(beta + step) - at(beta - step)) / 2e-5
      }, at(beta))
      expected <- sqrt(rowSums((jacobian %*% vcov(fit)) * jacobian))
      expect_equal(as.vector(found$se.fit), expected, tolerance = differences, info = type)
    }
  }
  expect_refused(predict(fits[[1]], se.fit = TRUE), "a class has no standard error")
  visits$up <- as.integer(visits$grade) + visits$x / 10
  infinite <- suppressWarnings(cratio(grade ~ up, visits))
  expect_refused(predict(infinite, type = "prob", se.fit = TRUE), "penalty = 'firth'")
  # Two classes, by firth().
  two <- firth_multinom(factor(ill) ~ x + site, visits)
  expect_equal(
    predict(two, type = "prob", se.fit = TRUE)$se.fit[, "1"],
    predict(firth(ill ~ x + site, visits), type = "response", se.fit = TRUE)$se.fit,
    tolerance = 1e-7
  )
})

test_that("simulate() draws as simulate() of glm()", {
  skip_without_python()
  skip_without_package("brglm2")
  labelled <- transform(visits, state = factor(ifelse(ill == 1, "ill", "well")), n = rep(2:5, 4))
  for (formula in list(ill ~ x, state ~ x, cbind(n * ill, n - n * ill) ~ x, ill > 0 ~ x)) {
    ours <- firth(formula, labelled)
    theirs <- bias_reduced(formula, data = labelled)
    found <- simulate(ours, 3, seed = 5)
    expected <- simulate(theirs, 3, seed = 5)
    expect_equal(lapply(found, as.numeric), lapply(expected, as.numeric))
    expect_identical(row.names(found), row.names(expected))
    expect_identical(attr(found, "seed"), attr(expected, "seed"))
    expect_identical(names(found), names(expected))
  }
  expect_type(found$sim_1, "logical")
  expect_identical(levels(simulate(firth(state ~ x, labelled))$sim_1), c("ill", "well"))
  # With the rows that na.exclude() left out.
  labelled$x[[3]] <- NA
  for (formula in list(ill ~ x, state ~ x, cbind(n * ill, n - n * ill) ~ x)) {
    gap <- firth(formula, labelled, na.action = na.exclude)
    found <- simulate(gap, 2, seed = 5)
    expected <- simulate(firth(formula, labelled[-3, ]), 2, seed = 5)
    expect_identical(row.names(found), row.names(labelled))
    expect_true(all(is.na(as.matrix(found)[3, ])))
    expect_identical(as.matrix(found[-3, ]), as.matrix(expected))
  }
  expect_identical(case.names(gap), row.names(labelled)[-3])
  expect_identical(variable.names(gap), c("(Intercept)", "x"))
  expect_identical(labels(gap), "x")
  weighted <- firth(ill ~ x, visits, weights = rep(0:1, 8))
  expect_identical(case.names(weighted), row.names(visits)[c(FALSE, TRUE)])
  # Without a seed, the state of the generator is the attribute, and it moves on.
  set.seed(1)
  state <- .Random.seed
  expect_identical(attr(simulate(ours), "seed"), state)
  expect_false(identical(.Random.seed, state))
  expect_refused(simulate(firth(ill ~ x, visits, weights = rep(1:2, 8))), "weights other than 1")
  expect_refused(simulate(ours, nsim = 0), "nsim must be")
})

test_that("simulate() draws classes with their probabilities", {
  skip_without_python()
  fits <- list(
    firth_multinom(grade ~ x, visits), cratio(grade ~ x, visits),
    cratio(as.integer(grade) ~ x, visits, direction = "forward"),
    ordered_logit(grade ~ x + offset(x / 3), visits),
    adjacent_categories(grade ~ x + offset(x / 3), visits)
  )
  for (fit in fits) {
    drawn <- simulate(fit, nsim = 4000, seed = 3)
    response <- model.response(model.frame(fit))
    expect_identical(class(drawn$sim_1), class(response))
    expect_identical(levels(drawn$sim_1), levels(response))
    proba <- fitted(fit)
    for (class in colnames(proba)) {
      share <- rowMeans(vapply(drawn, function(y) as.character(y) == class, logical(16)))
      error <- sqrt(proba[, class] * (1 - proba[, class]) / 4000)
      # The largest of 192 deviations; 4.5 standard errors have a probability of 1e-5 each.
      expect_lt(max(abs(share - proba[, class]) / error), 4.5)
    }
    expect_s3_class(update(fit, drawn$sim_2 ~ .), class(fit)[[1]])
  }
})

test_that("profile() agrees with the profile intervals and can be drawn", {
  skip_without_python()
  skip_without_package("MASS")
  fits <- list(
    firth(HG ~ NV + PI + EH, endometrial),
    firth(ill ~ x + site, visits, weights = rep(1:2, 8), offset = x / 3),
    firth_multinom(grade ~ x, visits),
    cratio(grade ~ x + site, visits),
    cratio(grade ~ x + site, visits, parallel = TRUE, penalty = "firth", direction = "forward"),
    ordered_logit(grade ~ x + site, visits),
    ordered_logit(grade ~ x, visits, penalty = "firth", offset = x / 3),
    adjacent_categories(grade ~ x, visits, penalty = "firth", offset = x / 3),
    adjacent_categories(grade ~ x, visits, parallel = TRUE)
  )
  for (fit in fits) {
    curves <- profile(fit, alpha = 0.05, n_points = 8)
    bounds <- confint(fit, method = "profile")
    estimate <- if (is.matrix(coef(fit))) as.vector(t(coef(fit))) else coef(fit)
    expect_s3_class(curves, c("profile.glm", "profile"))
    expect_identical(names(curves), rownames(bounds))
    for (name in names(curves)) {
      curve <- curves[[name]]
      expect_equal(curve$z, qnorm(0.975) * (-8:8) / 8, tolerance = same)
      expect_equal(curve$par.vals[9, ], estimate, tolerance = same, ignore_attr = TRUE)
      expect_equal(
        unname(curve$par.vals[c(1, 17), name]), unname(bounds[name, ]),
        tolerance = profiles
      )
    }
    expect_equal(confint(curves), bounds, tolerance = same)
    expect_equal(
      confint(curves, 2, level = 0.8), confint(fit, 2, level = 0.8, method = "profile"),
      tolerance = same
    )
    # MASS joins its splines by straight lines.
    interpolate <- utils::getS3method("confint", "profile.glm", envir = asNamespace("MASS"))
    expect_equal(interpolate(profile(fit)), bounds, tolerance = 0.01, ignore_attr = TRUE)
    # The panels have the names of the coefficients; PostScript escapes parentheses.
    written <- gsub("([()])", "\\\\\\1", names(curves))
    for (f in list(plot, pairs)) expect_written(written, draw(function() f(curves))$page)
  }
  # A spline through the points agrees between them.
  curve <- profile(fits[[2]], n_points = 40)$x
  found <- stats::spline(curve$z, curve$par.vals[, "x"], xout = qnorm(c(0.025, 0.975)))$y
  expect_equal(found, confint(fits[[2]], "x", method = "profile")[1, ], tolerance = profiles,
    ignore_attr = TRUE
  )
  expect_named(profile(fits[[1]], which = "NV"), "NV")
  expect_refused(profile(fits[[1]], which = "zz"), "which must be among the coefficients")
  expect_refused(profile(fits[[1]], alpha = 2), "alpha must be a number between 0 and 1")
})

test_that("profile() agrees with refits", {
  skip_without_python()
  check <- function(fit, refit) {
    curve <- profile(fit, which = "x", n_points = 3)$x
    for (row in c(1, 5)) {
      b <- curve$par.vals[row, "x"]
      fixed <- refit(b * visits$x)
      others <- setdiff(colnames(curve$par.vals), "x")
      expect_equal(
        2 * as.numeric(logLik(fit) - logLik(fixed)), curve$z[[row]]^2,
        tolerance = 1e-5
      )
      expect_equal(curve$par.vals[row, others], coef(fixed)[others], tolerance = 1e-4)
    }
  }
  # cratio() of two classes is glm(), where a fixed coefficient is an offset.
  visits$state <- factor(visits$ill)
  ours <- cratio(state ~ x + site, visits, parallel = TRUE)
  theirs <- function(o) {
    fit <- glm(ill ~ site, binomial, visits, offset = o, control = list(epsilon = 1e-14))
    names(fit$coefficients)[[1]] <- "(Intercept):1"
    fit
  }
  check(ours, theirs)
  check(
    ordered_logit(grade ~ x + site, visits),
    function(o) ordered_logit(grade ~ site, visits, offset = o)
  )
})

test_that("drop1() and add1() have the tests of anova()", {
  skip_without_python()
  fits <- list(
    firth(ill ~ x + site, visits, weights = rep(1:2, 8), offset = x / 3, subset = x > -2),
    firth_multinom(grade ~ x + site, visits, weights = rep(1:2, 8)),
    cratio(grade ~ x + site, visits, penalty = "firth", parallel = TRUE),
    ordered_logit(grade ~ x + site, visits, penalty = "firth", offset = x / 3),
    ordered_logit(grade ~ x + site, visits, weights = rep(1:2, 8)),
    adjacent_categories(grade ~ x + site, visits, penalty = "firth", offset = x / 3),
    adjacent_categories(grade ~ x + site, visits, parallel = TRUE, weights = rep(1:2, 8))
  )
  for (fit in fits) {
    expected <- anova(fit)
    dropped <- drop1(fit, test = "Chisq")
    expect_identical(names(dropped), c("Df", "AIC", "LRT", "Pr(>Chi)"))
    expect_equal(dropped$LRT[-1], expected$Deviance, tolerance = same)
    expect_equal(dropped[["Pr(>Chi)"]][-1], expected[["Pr(>Chi)"]], tolerance = same)
    expect_equal(drop1(fit, ~site, test = "LRT")$LRT, c(NA, expected["site", "Deviance"]))
    small <- update(fit, . ~ . - site)
    added <- add1(small, . ~ . + site + I(x^2), test = "LRT")
    expect_equal(added["site", "LRT"], expected["site", "Deviance"], tolerance = same)
    square <- anova(small, update(small, . ~ . + I(x^2)))
    expect_equal(added["I(x^2)", "LRT"], square$Deviance[[2]], tolerance = same)
    expect_equal(added["I(x^2)", "Df"], square$Df[[2]])
    expect_equal(added["site", "AIC"], AIC(fit), tolerance = 1e-8)
  }
  # Without penalty, as for glm().
  ours <- cratio(factor(ill) ~ x + site, visits)
  theirs <- glm(ill ~ x + site, binomial, visits, control = list(epsilon = 1e-14))
  expect_equal(
    drop1(ours, test = "Chisq")$LRT, drop1(theirs, test = "Chisq")$LRT,
    tolerance = 1e-8
  )
  crossed <- firth(ill ~ x * site, visits)
  expect_identical(rownames(drop1(crossed, test = "Chisq")), c("<none>", "x:site"))
  expect_refused(drop1(crossed, ~x, test = "Chisq"), "'x' is not defined")
  expect_refused(drop1(crossed, test = "F"), "test must be one of 'none', 'Chisq', 'LRT'")
  skip_without_package("MASS")
  expect_refused(MASS::dropterm(fits[[1]], test = "Chisq"), "use drop1\\(fit, test = 'Chisq'\\)")
  expect_refused(MASS::addterm(fits[[1]], ~ . + x, test = "Chisq"), "use add1\\(fit")
  expect_equal(MASS::dropterm(fits[[1]])$AIC, drop1(fits[[1]])$AIC)
  expect_equal(
    MASS::dropterm(ours, test = "Chisq")$LRT, drop1(ours, test = "Chisq")$LRT,
    tolerance = 1e-7
  )
})

test_that("drop1() says that a model needs columns", {
  skip_without_python()
  expect_refused(drop1(firth(ill ~ x - 1, visits), test = "Chisq"), "use anova\\(fit\\)")
  expect_identical(rownames(drop1(firth(ill ~ x, visits))), c("<none>", "x"))
})

test_that("update() and step() keep weights, subset and offset", {
  skip_without_python()
  skip_without_package("brglm2")
  visits$times <- rep(1:2, 8)
  ours <- firth(ill ~ x + site, visits, weights = times, subset = x > -1.5, offset = x / 3)
  theirs <- bias_reduced(
    ill ~ x + site,
    data = visits, weights = quote(times), subset = quote(x > -1.5), offset = quote(x / 3)
  )
  for (change in list(. ~ . - x, . ~ . + I(x^2), log(ill + 1) > 0 ~ .)) {
    expect_equal(
      coef(update(ours, change)), coef(update(theirs, change)),
      tolerance = against_brglm2
    )
  }
  expect_equal(
    coef(update(ours, subset = NULL, weights = NULL)),
    coef(firth(ill ~ x + site, visits, offset = x / 3)),
    tolerance = same
  )
  aic <- vapply(
    list(ill ~ 1, ill ~ x, ill ~ site, ill ~ x + site),
    function(formula) AIC(update(theirs, formula)), 0
  )
  expect_equal(AIC(step(ours, trace = 0)), min(aic), tolerance = against_brglm2)
})
