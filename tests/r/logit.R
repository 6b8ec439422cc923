# What R says about bias-reduced, multinomial and ordinal logits. Usage: Rscript logit.R out.json
suppressPackageStartupMessages({
  library(jsonlite)
  library(brglm2)
  library(VGAM)
  library(MASS)
  library(ordinal)
})
set.seed(1993)
quiet <- suppressWarnings
# On completely separated data its full steps may go round in circles.
tight <- list(epsilon = 1e-12, maxit = 10000, slowit = 0.3)
columns <- function(data) lapply(data, function(x) if (is.factor(x)) as.character(x) else x)

firth <- function(formula, data, w = rep(1, nrow(data))) {
  data$w <- w
  fit <- quiet(glm(formula, binomial, data, weights = w, method = "brglmFit", type = "AS_mean", control = tight))
  stopifnot(fit$converged)
  table <- coef(summary(fit))
  list(term = rownames(table), coef = unname(table[, 1]), se = unname(table[, 2]), loglik = as.numeric(logLik(fit)))
}

# Endometrial cancer (Heinze and Schemper 2002): NV separates.
# The standard errors of infinite estimates grow with every step of the fit.
se_after <- function(steps) {
  fit <- quiet(glm(HG ~ NV + PI + EH, binomial, endometrial, control = glm.control(1e-300, steps)))
  coef(summary(fit))[, 2]
}
endometrial_ml <- coef(summary(glm(HG ~ PI + EH, binomial, endometrial, control = glm.control(1e-14, 100))))

# Random data, separated ones among them.
random <- lapply(1:12, function(k) {
  n <- 20 + 5 * k
  data <- data.frame(x1 = rnorm(n), x2 = rexp(n), x3 = rbinom(n, 1, 0.3), w = rpois(n, 2) + 0.5 * (k %% 2))
  # Every third one is separated completely, every third one in x3 alone.
  slope <- if (k %% 3 == 0) 200 else 1
  data$y <- as.numeric(slope * (data$x1 - data$x2 + 1) + rlogis(n) > 0)
  if (k %% 3 == 1) data$y[data$x3 == 1] <- 1
  data$off <- rnorm(n) / 2
  list(
    data = data, plain = firth(y ~ x1 + x2 + x3, data),
    weighted = firth(y ~ x1 + x2 + x3 + offset(off), data, data$w)
  )
})

# Alligators' food: a table with zeros, five classes.
choice <- brmultinom(foodchoice ~ size + lake, alligators, freq, type = "AS_mean", ref = 1,
                     control = list(epsilon = 1e-10, maxit = 1000))
choice_se <- sqrt(diag(vcov(choice)))

# Separated multinomial data.
three <- data.frame(x1 = rnorm(40), x2 = rnorm(40))
three$y <- factor(cut(three$x1, c(-Inf, -0.5, 0.6, Inf), c("a", "b", "c")))
separated <- brmultinom(y ~ x1 + x2, three, type = "AS_mean", ref = 1, control = list(epsilon = 1e-10, maxit = 1000))

# Ordinal models of miners' lungs and of tenants' satisfaction.
# VGAM's standard errors are off in the third digit where cells are empty: these are glm's, of the stages.
stages <- list(
  backward = with(pneumo, list(yes = c(mild, severe), no = c(normal, normal + mild))),
  forward = with(pneumo, list(yes = c(normal, mild), no = c(mild + severe, severe)))
)
glm_se <- function(direction, parallel) {
  data <- data.frame(
    stages[[direction]], stage = gl(2, nrow(pneumo)), x = rep(log(pneumo$exposure.time), 2)
  )
  formula <- if (parallel) cbind(yes, no) ~ 0 + stage + x else cbind(yes, no) ~ 0 + stage + stage:x
  unname(coef(summary(glm(formula, binomial, data, control = glm.control(1e-14, 100))))[, 2])
}
ordinal <- function(family, direction = NULL, parallel = FALSE) {
  fit <- quiet(vglm(cbind(normal, mild, severe) ~ log(exposure.time), family, pneumo, epsilon = 1e-12, maxit = 100))
  list(coef = unname(coef(fit)), term = names(coef(fit)), loglik = logLik(fit), fitted = unname(fitted(fit)),
       se = if (!is.null(direction)) glm_se(direction, parallel))
}
satisfied <- polr(Sat ~ Infl + Type + Cont, housing, weights = Freq, Hess = TRUE,
                  control = list(reltol = 1e-15, maxit = 1000))
people <- housing[rep(seq_len(nrow(housing)), housing$Freq), 1:4]
step_full <- glm(low ~ age + lwt + factor(race) + smoke + ptl + ht + ui + ftv, binomial, birthwt,
                 control = glm.control(1e-14, 100))
stepped <- step(step_full, trace = 0)
stepped_bic <- step(step_full, trace = 0, k = log(nrow(birthwt)), direction = "backward")

# Proportional odds with weights and an offset, by both packages.
odds <- data.frame(x1 = rnorm(80), x2 = rexp(80), off = rnorm(80) / 2, w = rpois(80, 2) + 0.5)
odds$y <- cut(odds$x1 - odds$x2 + odds$off + rlogis(80), c(-Inf, -2, -1, 0.5, Inf), c("a", "b", "c", "d"),
              ordered_result = TRUE)
precise <- clm.control(gradTol = 1e-12, maxIter = 200)
weighted_clm <- quiet(clm(y ~ x1 + x2 + offset(off), data = odds, weights = w, control = precise))
weighted_polr <- quiet(polr(y ~ x1 + x2 + offset(off), odds, weights = w, Hess = TRUE,
                            control = list(reltol = 1e-15, maxit = 1000)))
plain_clm <- clm(y ~ x1 + x2, data = odds, control = precise)
new_odds <- data.frame(x1 = c(-1, 0, 2), x2 = c(0.1, 1, 3))
found_odds <- predict(plain_clm, new_odds, type = "prob", se.fit = TRUE, interval = TRUE)

# Adjacent categories of the same data. VGAM takes the offset of each step.
step_offsets <- matrix(odds$off, nrow(odds), 3)
adjacent <- function(parallel) {
  ml <- quiet(do.call(vglm, list(
    y ~ x1 + x2, acat(parallel = parallel), odds, weights = odds$w, offset = step_offsets, epsilon = 1e-12, maxit = 100
  )))
  firth <- quiet(bracl(y ~ x1 + x2, data = odds, weights = w, parallel = parallel, type = "AS_mean",
                       epsilon = 1e-12, maxit = 1000))
  list(
    ml = list(coef = unname(coef(ml)), se = unname(sqrt(diag(vcov(ml)))), loglik = logLik(ml),
              fitted = unname(fitted(ml))),
    firth = list(coef = unname(coef(firth)), se = unname(sqrt(diag(vcov(firth)))), loglik = as.numeric(logLik(firth)))
  )
}

answer <- list(
  versions = c(R = as.character(getRversion()), sapply(
    c("brglm2", "VGAM", "MASS", "ordinal"), function(package) as.character(packageVersion(package))
  )) |> as.list(),
  endometrial = list(
    data = columns(endometrial), firth = firth(HG ~ NV + PI + EH, endometrial),
    se_ratios = unname(se_after(20) / se_after(10)), ml = unname(endometrial_ml[, 1:2])
  ),
  lizards = list(
    data = columns(lizards),
    firth = firth(cbind(grahami, opalinus) ~ height + diameter + light + time, lizards)
  ),
  random = random,
  alligators = list(
    data = columns(alligators), coef = unname(coef(choice)), classes = rownames(coef(choice)),
    term = colnames(coef(choice)), se = unname(choice_se), se_term = names(choice_se),
    fitted = unname(fitted(choice)), loglik = as.numeric(logLik(choice))
  ),
  three = list(data = columns(three), coef = unname(coef(separated)), se = unname(sqrt(diag(vcov(separated))))),
  pneumo = list(
    data = columns(pneumo),
    backward = ordinal(sratio(reverse = TRUE), "backward"), forward = ordinal(sratio(), "forward"),
    backward_parallel = ordinal(sratio(reverse = TRUE, parallel = TRUE), "backward", TRUE),
    forward_parallel = ordinal(sratio(parallel = TRUE), "forward", TRUE),
    cratio = ordinal(cratio()), cratio_reverse = ordinal(cratio(reverse = TRUE))
  ),
  housing = list(
    data = columns(people), coef = unname(coef(satisfied)), zeta = unname(satisfied$zeta),
    term = names(coef(satisfied)), se = unname(sqrt(diag(vcov(satisfied)))), loglik = as.numeric(logLik(satisfied))
  ),
  odds = list(
    data = columns(odds),
    weighted = list(
      clm = unname(coef(weighted_clm)), se = unname(sqrt(diag(vcov(weighted_clm)))),
      polr = unname(c(weighted_polr$zeta, coef(weighted_polr))), loglik = as.numeric(logLik(weighted_clm))
    ),
    plain = list(
      clm = unname(coef(plain_clm)), confint = unname(confint(plain_clm)), new = columns(new_odds),
      fit = unname(found_odds$fit), se = unname(found_odds$se.fit), low = unname(found_odds$lwr),
      high = unname(found_odds$upr)
    ),
    adjacent = list(separate = adjacent(FALSE), parallel = adjacent(TRUE))
  ),
  birthwt = list(
    data = columns(birthwt), terms = attr(terms(stepped), "term.labels"), aic = AIC(stepped),
    path = stepped$anova$Step, path_aic = stepped$anova$AIC, bic_terms = attr(terms(stepped_bic), "term.labels")
  )
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, auto_unbox = TRUE)
