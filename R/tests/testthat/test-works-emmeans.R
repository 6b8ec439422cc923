# The references have the same coefficients and covariance, so only rounding differs.
tolerance <- 1e-10
# The references are glm() fits with their own coefficients, which agree with ours to about 1e-9,
# and differences over 0.001 of a range, which multiply rounding errors by 1000.
tolerance_fits <- 1e-7
# Tukey p-values of pairs are integrals to about 1e-9.
from_p_values <- 1e-6

test_works(
  "emmeans",
  c("emmeans()", "pairs()", "contrast()", "emtrends()", "regrid()", "joint_tests()"), "firth()",
  {
    fits <- list(
      firth(hot ~ Wind * month, days),
      firth(hot ~ Wind + month, days, weights = count),
      firth(hot ~ Wind + month, days, offset = shift),
      firth(hot ~ log(Wind) + month + offset(shift), days, contrasts = list(month = "contr.sum")),
      firth(cbind(ncases, ncontrols) ~ agegp + tobgp, esoph)
    )
    for (fit in fits) {
      other <- like_glm(fit)
      factor <- all.vars(formula(fit))[[3L]]
      same <- function(call) {
        # One model has an interaction, which emmeans notes.
        suppressMessages(expect_equal(
          numbers(call(fit)), numbers(call(other, vcov. = vcov(fit))), tolerance = tolerance
        ))
      }
      same(function(...) emmeans::emmeans(..., specs = factor))
      same(function(...) emmeans::emmeans(..., specs = factor, type = "response", weights = "prop"))
      same(function(...) pairs(emmeans::emmeans(..., specs = factor), type = "response"))
      same(function(...) emmeans::contrast(emmeans::emmeans(..., specs = factor), "eff"))
      same(function(...) emmeans::regrid(emmeans::emmeans(..., specs = factor)))
      same(function(...) emmeans::joint_tests(emmeans::ref_grid(...)))
    }
    same <- function(call) {
      expect_equal(
        numbers(call(fits[[1L]])), numbers(call(like_glm(fits[[1L]]), vcov. = vcov(fits[[1L]]))),
        tolerance = tolerance
      )
    }
    same(function(...) emmeans::emmeans(..., ~ month | Wind, at = list(Wind = c(6, 12))))
    same(function(...) emmeans::emtrends(..., ~month, var = "Wind"))
    # Wald intervals as those of confint().
    slope <- firth(hot ~ Wind, days)
    trend <- as.data.frame(emmeans::emtrends(slope, ~1, var = "Wind"))
    expect_equal(
      unlist(trend[c("asymp.LCL", "asymp.UCL")], use.names = FALSE),
      unname(confint(slope)["Wind", ]), tolerance = tolerance
    )
  }
)

test_works(
  "emmeans", c("emmeans()", "pairs()", "contrast()", "emtrends()"), "firth_multinom()",
  {
    for (fit in list(
      firth_multinom(ozone ~ Temp + month, days),
      firth_multinom(ozone ~ Temp + month, days, weights = count),
      firth_multinom(factor(hot) ~ Wind + month, days)
    )) {
      other <- if (nrow(coef(fit)) > 1L) like_multinom(fit) else like_glm(fit)
      if (inherits(other, "glm")) {
        # With two classes, as a logistic regression.
        logits <- emmeans::emmeans(fit, "month", mode = "latent", by = "class")
        difference <- numbers(emmeans::contrast(logits, "revpairwise", by = "month"))
        direct <- numbers(emmeans::emmeans(other, "month", vcov. = vcov(fit)))
        expect_equal(difference[, 1:2], direct[, 1:2], tolerance = tolerance)
        next
      }
      for (mode in c("prob", "latent")) {
        same <- function(call) {
          expect_equal(
            numbers(call(fit, mode = mode)),
            numbers(call(other, mode = mode, vcov. = vcov(fit), df = Inf)), tolerance = tolerance
          )
        }
        same(function(...) emmeans::emmeans(..., ~ ozone | month))
        same(function(...) emmeans::emmeans(..., ~ozone, at = list(Temp = c(70, 90)), by = "Temp"))
        same(function(...) pairs(emmeans::emmeans(..., ~ ozone | month)))
        same(function(...) emmeans::contrast(emmeans::emmeans(..., ~ month | ozone), "eff"))
        same(function(...) emmeans::emtrends(..., ~ozone, var = "Temp"))
        same(function(...) emmeans::emmeans(..., ~ozone, nuisance = "month"))
      }
    }
    grid <- expand.grid(month = levels(days$month), Temp = c(70, 85))
    fit <- firth_multinom(ozone ~ Temp + month, days)
    found <- emmeans::emmeans(fit, ~ month * Temp * ozone, at = list(Temp = c(70, 85)))
    expect_equal(
      as.data.frame(found)$prob, as.vector(predict(fit, grid, "prob")), tolerance = tolerance
    )
  }
)

# Estimates and standard errors of rows, from separate logistic regressions of the stages.
by_stages <- function(direction, grid) {
  last <- if (direction == "backward") 3L else 1L
  logit_of <- function(data, success) {
    data$y <- as.integer(data$ozone) == success
    stats::predict(stats::glm(y ~ Temp + Wind, stats::binomial, data,
      control = list(epsilon = 1e-14)
    ), grid, se.fit = TRUE)
  }
  all <- logit_of(days, last)
  rest <- logit_of(days[as.integer(days$ozone) != last, ], 2L)
  p <- stats::plogis(all$fit)
  q <- stats::plogis(rest$fit)
  dp <- stats::dlogis(all$fit) * all$se.fit
  dq <- stats::dlogis(rest$fit) * rest$se.fit
  value <- cbind((1 - p) * (1 - q), (1 - p) * q, p)
  se <- cbind(
    sqrt(((1 - q) * dp)^2 + ((1 - p) * dq)^2), sqrt((q * dp)^2 + ((1 - p) * dq)^2), dp
  )
  order <- if (last == 3L) 1:3 else 3:1
  list(
    value = value[, order], se = se[, order], logits = cbind(rest$fit, all$fit)[, order[order < 3]],
    logit_se = cbind(rest$se.fit, all$se.fit)[, order[order < 3]]
  )
}

test_works(
  "emmeans", "ref_grid()", "cratio()",
  {
    at <- list(Temp = c(70, 80, 90), Wind = c(6, 12))
    grid <- expand.grid(at)
    for (direction in c("backward", "forward")) {
      fit <- cratio(ozone ~ Temp + Wind, days, direction = direction)
      rows <- function(mode) as.data.frame(summary(emmeans::ref_grid(fit, at = at, mode = mode)))
      expected <- by_stages(direction, grid)
      check <- function(mode, value, se) {
        table <- rows(mode)
        expect_equal(table[[ncol(table) - 2L]], as.vector(value), tolerance = tolerance_fits)
        expect_equal(table$SE, as.vector(se), tolerance = tolerance_fits)
      }
      check("prob", expected$value, expected$se)
      check("linear.predictor", expected$logits, expected$logit_se)
      check(
        "stage", stats::plogis(expected$logits), stats::dlogis(expected$logits) * expected$logit_se
      )
      # Of the lowest and of the highest class.
      check(
        "cum.prob", cbind(expected$value[, 1L], 1 - expected$value[, 3L]), expected$se[, c(1L, 3L)]
      )
      check(
        "exc.prob", cbind(1 - expected$value[, 1L], expected$value[, 3L]), expected$se[, c(1L, 3L)]
      )
      expect_equal(
        rows("mean.class")$mean.class, as.vector(expected$value %*% 1:3), tolerance = tolerance_fits
      )
      expect_identical(levels(rows("cum.prob")$cut), c("low|middle", "middle|high"))
      expect_identical(levels(rows("stage")$stage), fit$stages)
    }
  }
)

test_works(
  "emmeans", c("emmeans()", "pairs()", "emtrends()"), "cratio()",
  {
    grid <- expand.grid(Temp = c(70, 85), month = levels(days$month))
    for (direction in c("backward", "forward")) {
      for (parallel in c(FALSE, TRUE)) {
        fit <- cratio(
          ozone ~ Temp + month, days,
          direction = direction, parallel = parallel, penalty = "firth"
        )
        found <- emmeans::emmeans(fit, ~ Temp * month * ozone, at = list(Temp = c(70, 85)))
        p <- predict(fit, grid, "prob")
        expect_equal(as.data.frame(found)$prob, as.vector(p), tolerance = tolerance)
        # Averages of rows, and of differences between classes.
        means <- as.data.frame(emmeans::emmeans(found, ~ ozone | Temp))
        averages <- rbind(colMeans(p[grid$Temp == 70, ]), colMeans(p[grid$Temp == 85, ]))
        expect_equal(means$prob, as.vector(t(averages)), tolerance = tolerance)
        shown <- emmeans::emmeans(found, ~ ozone | Temp)
        pairwise <- as.data.frame(pairs(shown))
        expect_equal(
          pairwise$estimate[1:3], unname(averages[1L, c(1, 1, 2)] - averages[1L, c(2, 3, 3)]),
          tolerance = tolerance
        )
        score <- as.data.frame(emmeans::emmeans(fit, ~Temp,
          mode = "mean.class", at = list(Temp = c(70, 85))
        ))
        expect_equal(score$mean.class, drop(averages %*% 1:3), tolerance = tolerance)
        # The variance of a mean of classes, from the covariance of the probabilities.
        weights <- kronecker(t(1:3), diag(2L))
        by_class <- emmeans::emmeans(found, ~ Temp * ozone)
        expect_equal(
          score$SE, sqrt(diag(weights %*% vcov(by_class) %*% t(weights))), tolerance = tolerance
        )
        trend <- as.data.frame(emmeans::emtrends(fit, ~ozone, var = "Temp"))
        centre <- data.frame(Temp = mean(days$Temp), month = levels(days$month))
        ahead <- function(h) colMeans(predict(fit, transform(centre, Temp = Temp + h), "prob"))
        # emtrends() itself takes the difference over 0.001 of the range.
        h <- 0.001 * diff(range(days$Temp))
        expect_equal(
          trend$Temp.trend, unname((ahead(h) - ahead(0)) / h), tolerance = tolerance_fits
        )
      }
    }
  }
)

test_works(
  "emmeans", c("ref_grid()", "emmeans()", "pairs()", "emtrends()"), "ordered_logit()",
  {
    skip_without_package("ordinal")
    fit <- ordered_logit(ozone ~ Temp + month, days)
    clm <- like_clm(fit)
    at <- list(Temp = c(70, 85))
    sorted <- function(model, mode) {
      table <- as.data.frame(emmeans::ref_grid(model, at = at, mode = mode))
      keys <- intersect(c("Temp", "month", "ozone", "cut"), names(table))
      table <- table[do.call(order, unname(table[keys])), ]
      estimate <- setdiff(names(table), c(keys, "SE", "df"))
      list(lapply(table[keys], as.character), table[[estimate]], table$SE)
    }
    modes <- c("prob", "latent", "linear.predictor", "cum.prob", "exc.prob", "mean.class")
    for (mode in modes) {
      expect_equal(sorted(fit, mode), sorted(clm, mode), tolerance = tolerance_fits, info = mode)
      means <- function(model) {
        emmeans::emmeans(model, ~month, mode = mode, at = list(Temp = 75))
      }
      by <- function(model) {
        if (mode %in% c("latent", "mean.class")) return(means(model))
        name <- if (mode == "prob") "ozone" else "cut"
        emmeans::emmeans(model, c("month", name), mode = mode, at = list(Temp = 75))
      }
      for (table in list(by, function(model) pairs(by(model)))) {
        expect_equal(
          numbers(table(fit)), numbers(table(clm)), tolerance = from_p_values, info = mode
        )
      }
    }
    trend <- function(fitted, ...) numbers(emmeans::emtrends(fitted, ..., var = "Temp"))
    expect_equal(
      trend(fit, ~month, mode = "latent"), trend(clm, ~month, mode = "latent"),
      tolerance = tolerance_fits
    )
    cumulative <- trend(clm, ~cut, mode = "cum.prob")
    expect_equal(trend(fit, ~cut, mode = "cum.prob"), cumulative, tolerance = tolerance_fits)
    # emmeans itself stops at trends of the classes of clm().
    expect_equal(cumsum(trend(fit, ~ozone)[1:2, 1L]), cumulative[, 1L], tolerance = tolerance_fits)
    # emmeans itself stops for probabilities of clm() fits with an offset.
    for (shifted in list(
      ordered_logit(ozone ~ Temp + offset(Wind / 10), days),
      ordered_logit(ozone ~ Temp, days, offset = Wind / 10, penalty = "firth")
    )) {
      grid <- data.frame(Temp = at$Temp, Wind = mean(days$Wind))
      expected <- predict(shifted, grid, "prob", se.fit = TRUE)
      found <- as.data.frame(emmeans::emmeans(shifted, ~ Temp * ozone, at = at))
      expect_equal(found$prob, as.vector(expected$fit), tolerance = tolerance_fits)
      expect_equal(found$SE, as.vector(expected$se.fit), tolerance = tolerance_fits)
      sums <- as.data.frame(emmeans::emmeans(shifted, ~Temp, at = at, mode = "mean.class"))
      expect_equal(sums$mean.class, unname(drop(expected$fit %*% 1:3)), tolerance = tolerance_fits)
      cuts <- as.data.frame(
        emmeans::emmeans(shifted, ~ Temp * cut, at = at, mode = "linear.predictor")
      )
      expect_equal(
        stats::plogis(cuts$emmean), as.vector(predict(shifted, grid, "cumulative")),
        tolerance = tolerance_fits
      )
    }
    top <- transform(visits, g = as.numeric(grade == "bad" & x > 0))
    apart <- suppressWarnings(ordered_logit(grade ~ x + g, top))
    expect_error(emmeans::emmeans(apart, ~x), "fit with penalty = 'firth'")
  }
)

test_that("a covariance of the user is used", {
  skip_without_python()
  skip_without_package("emmeans")
  fit <- cratio(ozone ~ Temp + month, days, penalty = "firth")
  base <- numbers(emmeans::emmeans(fit, ~ ozone | month))
  for (given in list(4 * vcov(fit), function(object, ...) 4 * vcov(object))) {
    found <- numbers(emmeans::emmeans(fit, ~ ozone | month, vcov. = given))
    expect_equal(found[, 2L], 2 * base[, 2L], tolerance = tolerance)
  }
})

test_that("emmeans refuses what it could not compute", {
  skip_without_python()
  skip_without_package("emmeans")
  fit <- suppressWarnings(cratio(grade ~ age, grades))
  expect_error(emmeans::emmeans(fit, ~grade), "the data are separated; fit with penalty = 'firth'")
  finite <- update(fit, penalty = "firth")
  expect_equal(sum(as.data.frame(emmeans::emmeans(finite, ~grade))$prob), 1, tolerance = tolerance)
  expect_error(
    emmeans::emmeans(finite, ~grade, at = list(grade = "low")), "at cannot select levels of 'grade'"
  )
  expect_error(emmeans::emmeans(finite, ~grade, N.sim = 10), "N.sim")
  expect_error(emmeans::ref_grid(finite, offset = 1), "no offset")
  expect_error(emmeans::emmeans(finite, ~grade, mode = "latent"), "mode must be one of 'prob'")
})
