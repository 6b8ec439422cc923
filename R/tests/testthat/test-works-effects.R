# The references have the same coefficients and covariance, so only rounding differs. effects looks
# for the data of a fit in the global environment, so the fits use data sets of R.
tolerance <- 1e-8

same_effects <- function(first, second) {
  values <- function(x) {
    table <- as.data.frame(x)
    if (is.data.frame(table)) table <- list(table)
    numbers_of <- function(part) unname(as.matrix(part[vapply(part, is.numeric, NA)]))
    lapply(unname(unclass(table)), numbers_of)
  }
  expect_equal(values(first), values(second), tolerance = tolerance)
}

test_works(
  "effects", c("Effect()", "allEffects()", "predictorEffects()"), "firth()",
  {
    fits <- list(
      firth(case ~ age + education, infert),
      firth(am ~ wt, mtcars, weights = carb),
      firth(cbind(ncases, ncontrols) ~ agegp + tobgp, esoph)
    )
    for (fit in fits) {
      other <- like_glm(fit)
      variance <- function(...) vcov(fit)
      predictor <- all.vars(formula(fit)[[3L]])[[1L]]
      same_effects(
        effects::Effect(predictor, fit), effects::Effect(predictor, other, vcov. = variance)
      )
      same_effects(effects::allEffects(fit), effects::allEffects(other, vcov. = variance))
      same_effects(
        effects::predictorEffects(fit), effects::predictorEffects(other, vcov. = variance)
      )
    }
    # An effect is a prediction with the other columns at their means.
    x <- model.matrix(fits[[1L]])
    row <- c(1, 30, colMeans(x)[3:4])
    found <- effects::Effect("age", fits[[1L]], xlevels = list(age = c(30, 40)))
    found <- as.data.frame(found)[1L, ]
    link <- sum(row * coef(fits[[1L]]))
    width <- stats::qnorm(0.975) * sqrt(drop(row %*% vcov(fits[[1L]]) %*% row))
    expect_equal(
      unlist(found[c("fit", "lower", "upper")], use.names = FALSE),
      stats::plogis(link + c(0, -width, width)), tolerance = tolerance
    )
  }
)

test_works(
  "effects", c("Effect()", "allEffects()", "predictorEffects()"), "firth_multinom()",
  {
    fit <- firth_multinom(ozone ~ Temp + month, days)
    other <- like_multinom(fit)
    variance <- function(...) vcov(fit)
    same <- function(...) {
      same_effects(
        effects::Effect(..., mod = fit), effects::Effect(..., mod = other, vcov. = variance)
      )
    }
    same("month")
    same(c("month", "Temp"), xlevels = 3)
    same("Temp", se = list(level = 0.9, type = "scheffe"), xlevels = list(Temp = c(70, 80)))
    same_effects(effects::allEffects(fit), effects::allEffects(other, vcov. = variance))
    same_effects(effects::predictorEffects(fit), effects::predictorEffects(other, vcov. = variance))
    expect_refused(effects::Effect("Temp", fit, latent = TRUE), "leave out latent")
    without <- effects::Effect("Temp", fit, se = FALSE)
    expect_null(without$se.prob)
    expect_equal(without$prob, effects::Effect("Temp", fit)$prob, tolerance = tolerance)
    twice <- effects::Effect("month", fit, vcov. = 4 * vcov(fit))
    expect_equal(twice$se.prob, 2 * effects::Effect("month", fit)$se.prob, tolerance = tolerance)
  }
)

test_works(
  "effects", c("Effect()", "allEffects()", "predictorEffects()"), "cratio()",
  {
    skip_without_package("emmeans")
    levels <- list(Temp = c(70, 85))
    for (parallel in c(FALSE, TRUE)) {
      fit <- cratio(ozone ~ Temp + month, days, penalty = "firth", parallel = parallel)
      found <- effects::Effect(c("month", "Temp"), fit, xlevels = levels)
      # All predictors are focal, so that the rows are those of emmeans, which other tests check.
      direct <- as.data.frame(emmeans::emmeans(fit, ~ month * Temp * ozone, at = levels))
      expect_equal(as.vector(found$prob), direct$prob, tolerance = tolerance)
      expect_equal(as.vector(found$se.prob), direct$SE, tolerance = tolerance)
      scale <- direct$prob * (1 - direct$prob)
      expect_equal(
        as.vector(found$lower.prob),
        stats::plogis(stats::qlogis(direct$prob) - stats::qnorm(0.975) * direct$SE / scale),
        tolerance = tolerance
      )
      expect_equal(
        unname(found$prob), unname(predict(fit, found$x, "prob")),
        tolerance = tolerance, ignore_attr = TRUE
      )
      # Other predictors are at their means.
      means <- c(1, 80, colMeans(model.matrix(fit))[-(1:2)])
      n <- length(fit$stages)
      at_means <- if (parallel) {
        coef(fit)[seq_len(n)] + sum(coef(fit)[-seq_len(n)] * means[-1L])
      } else {
        drop(matrix(coef(fit), n) %*% means)
      }
      q <- stats::plogis(at_means)
      expect_equal(
        unname(effects::Effect("Temp", fit, xlevels = list(Temp = c(80, 90)))$prob[1L, ]),
        unname(c((1 - q[1]) * (1 - q[2]), q[1] * (1 - q[2]), q[2])), tolerance = tolerance
      )
      every <- effects::allEffects(fit, xlevels = levels)
      same_effects(every[["Temp"]], effects::Effect("Temp", fit, xlevels = levels))
      focal <- effects::predictorEffects(fit, ~month)
      same_effects(focal[["month"]], effects::Effect("month", fit))
    }
  }
)

test_works(
  "effects", c("Effect()", "allEffects()", "predictorEffects()"), "ordered_logit()",
  {
    skip_without_package("MASS")
    fit <- ordered_logit(ozone ~ Temp + month, days)
    other <- MASS::polr(ozone ~ Temp + month, days, Hess = TRUE)
    other$coefficients <- coef(fit)[-(1:2)]
    other$zeta <- fit$zeta
    # In the order of polr().
    order <- c(3:7, 1:2)
    variance <- function(...) vcov(fit)[order, order]
    same <- function(...) {
      same_effects(
        effects::Effect(..., mod = fit), effects::Effect(..., mod = other, vcov. = variance)
      )
    }
    same("month")
    same(c("month", "Temp"), xlevels = 3)
    same("Temp", se = list(level = 0.9, type = "scheffe"), xlevels = list(Temp = c(70, 80)))
    same_effects(effects::allEffects(fit), effects::allEffects(other, vcov. = variance))
    same_effects(effects::predictorEffects(fit), effects::predictorEffects(other, vcov. = variance))
    shifted <- ordered_logit(ozone ~ Temp + offset(shift), days)
    expect_refused(effects::Effect("Temp", shifted), "use emmeans\\(\\)")
  }
)

test_that("effects refuses infinite estimates", {
  skip_without_python()
  skip_without_package("effects")
  fit <- suppressWarnings(cratio(grade ~ age, grades))
  expect_error(effects::Effect("age", fit), "the data are separated; fit with penalty = 'firth'")
})
