# What R says about Bradley-Terry models with random effects. Usage: Rscript bradley_terry_mixed.R out.json
suppressPackageStartupMessages({
  library(jsonlite)
  library(BradleyTerry2)
  library(lme4)
})
set.seed(1993)
quiet <- suppressWarnings
columns <- function(data) lapply(data, function(x) if (is.factor(x)) as.character(x) else x)
# The default stops at 1e-6.
tight <- BradleyTerry2:::glmmPQL.control(maxiter = 500, IWLSiter = 100, tol = 1e-12)

quasi <- function(fit) {
  fixed <- fit$varFix
  list(
    term = colnames(fixed), coef = unname(coef(fit)[seq_len(ncol(fixed))]), se = unname(sqrt(diag(fixed))),
    sigma = fit$sigma, sigma_se = if (fit$sigma > 0) sqrt(fit$varSigma) else 0, converged = fit$converged,
    random = unname(c(attr(coef(fit), "random")))
  )
}

# Differences of indicators: 1 for the first item, -1 for the second.
differences <- function(first, second) {
  columns <- function(item) outer(as.integer(item), seq_along(levels(item)), "==") * 1
  structure(columns(first) - columns(second), dimnames = list(NULL, levels(first)))
}

# lme4 has no formula for Z, so its matrices are replaced before the deviance function is made.
laplace <- function(x, z, won) {
  # A constant response is refused, so every other contest is written from the other side.
  side <- rep(c(1, -1), length.out = length(won))
  y <- ifelse(side > 0, won, 1 - won)
  x <- x * side
  z <- z * side
  # Two items stand for the grouping factor, until Z is replaced.
  frame <- data.frame(y = y, group = factor(rep(1:2, length.out = length(y))))
  control <- glmerControl(check.scaleX = "ignore", tolPwrss = 1e-13)
  parsed <- glFormula(y ~ 0 + x + (1 | group), data = frame, family = binomial, control = control)
  effects <- parsed$reTrms
  k <- ncol(z)
  effects$Zt <- as(t(z), "CsparseMatrix")
  effects$Lambdat <- as(as(Matrix::Diagonal(k), "generalMatrix"), "CsparseMatrix")
  effects$Lind <- rep(1L, k)
  effects$theta <- 1
  effects$lower <- 0
  effects$Gp <- c(0L, k)
  deviance <- mkGlmerDevfun(parsed$fr, parsed$X, effects, binomial(), control = control)
  first_stage <- optimizeGlmer(deviance)
  deviance <- updateGlmerDevfun(deviance, effects)
  at <- optimizeGlmer(deviance, stage = 2)$par
  for (again in 1:5) {
    at <- nlminb(
      at, deviance, lower = c(0, rep(-Inf, ncol(x))),
      control = list(rel.tol = 1e-15, x.tol = 1e-13, eval.max = 1e4, iter.max = 1e4)
    )$par
  }
  cov <- if (at[1] > 1e-6) 2 * solve(optimHess(at, deviance)) else NULL
  # The last call leaves the conditional modes behind.
  loglik <- -deviance(at) / 2
  list(
    sigma = at[1], coef = at[-1], loglik = loglik, random = environment(deviance)$pp$b(1),
    se = if (!is.null(cov)) sqrt(diag(cov))[-1], sigma_se = if (!is.null(cov)) sqrt(cov[1, 1])
  )
}

# Flat lizards, as published: lizards 96 and 99 have missing covariates, and lizard 96 has never lost.
shape <- c("throat.PC1", "throat.PC3", "head.length", "SVL")
whiting <- ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..]
won <- rep(1, nrow(flatlizards$contests))
fixed <- quiet(BTm(won, winner, loser, whiting, data = flatlizards, control = glm.control(epsilon = 1e-14, maxit = 15)))
flat <- list(
  winner = as.character(flatlizards$contests$winner), loser = as.character(flatlizards$contests$loser),
  items = levels(flatlizards$contests$winner), covariates = columns(flatlizards$predictors[shape]),
  fixed = list(
    term = names(coef(fixed)), coef = unname(coef(fixed)), se = unname(sqrt(diag(vcov(fixed)))), aic = AIC(fixed),
    deviance = deviance(fixed)
  ),
  pql = quasi(quiet(BTm(won, winner, loser, update(whiting, ~ . + (1 | ..)), data = flatlizards, control = tight)))
)

# Chameleons: an ability of the contest (wins in the last two fights), with and without.
items <- chameleons$predictors[c("ch.res", "prop.main")]
before <- chameleons$winner$prev.wins.2 - chameleons$loser$prev.wins.2
z <- differences(chameleons$winner$ID, chameleons$loser$ID)
x <- z %*% as.matrix(items)
chameleon <- list(
  winner = as.character(chameleons$winner$ID), loser = as.character(chameleons$loser$ID),
  winner_wins = chameleons$winner$prev.wins.2, loser_wins = chameleons$loser$prev.wins.2,
  items = levels(chameleons$winner$ID), covariates = columns(items),
  published = quasi(quiet(BTm(
    player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID), id = "ID",
    data = chameleons,
    control = tight
  ))),
  pql = quasi(quiet(BTm(
    player1 = winner, player2 = loser, formula = ~ ch.res[ID] + prop.main[ID] + (1 | ID), id = "ID", data = chameleons,
    control = tight
  ))),
  contest = laplace(cbind(before, x), z, rep(1, nrow(x))),
  laplace = laplace(x, z, rep(1, nrow(x)))
)

# Baseball with home advantage: the teams are a sample of all teams.
home <- baseball
home$home.team <- data.frame(team = baseball$home.team, at.home = 1)
home$away.team <- data.frame(team = baseball$away.team, at.home = 0)
games <- baseball[rep(seq_len(nrow(baseball)), baseball$home.wins + baseball$away.wins), ]
home_won <- unlist(Map(function(a, b) rep(1:0, c(a, b)), baseball$home.wins, baseball$away.wins))
league <- list(
  data = columns(baseball),
  pql = quasi(quiet(BTm(
    cbind(home.wins, away.wins), home.team, away.team, ~ at.home + (1 | team), id = "team", data = home,
    control = tight
  ))),
  laplace = laplace(matrix(1, nrow(games)), differences(games$home.team, games$away.team), home_won)
)

# Simulated items with two covariates on very different scales.
k <- 30
traits <- data.frame(age = rnorm(k, 40, 10), mass = rnorm(k, 3e5, 1e5))
ability <- 0.05 * traits$age - 4e-6 * traits$mass + rnorm(k, 0, 0.8)
names <- sprintf("item%02d", 1:k)
pairs <- t(replicate(300, sample(k, 2)))
result <- rbinom(300, 1, plogis(ability[pairs[, 1]] - ability[pairs[, 2]]))
first <- factor(names[pairs[, 1]], names)
second <- factor(names[pairs[, 2]], names)
zs <- differences(first, second)
xs <- zs %*% as.matrix(traits)
# lme4's optimisers need covariates of one scale.
scale <- apply(xs, 2, sd)
scaled <- laplace(sweep(xs, 2, scale, "/"), zs, result)
scaled$coef <- scaled$coef / scale
scaled$se <- scaled$se / scale
simulated <- list(
  first = as.character(first), second = as.character(second), result = result, items = names,
  covariates = columns(traits),
  pql = quasi(quiet(BTm(
    result, first, second, ~ age[..] + mass[..] + (1 | ..),
    data = list(contests = data.frame(result, first, second), traits = traits),
    control = tight
  ))),
  only = quasi(quiet(BTm(result, first, second, ~ 0 + (1 | ..), data = data.frame(result, first, second), control = tight))),
  laplace = scaled
)

answer <- list(
  versions = c(R = as.character(getRversion()), sapply(
    c("BradleyTerry2", "lme4"), function(package) as.character(packageVersion(package))
  )) |> as.list(),
  flatlizards = flat, chameleons = chameleon, baseball = league, simulated = simulated
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, auto_unbox = TRUE)
