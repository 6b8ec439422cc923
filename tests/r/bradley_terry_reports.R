# What R says about residuals and contrasts of Bradley-Terry models. Usage: Rscript bradley_terry_reports.R out.json
suppressPackageStartupMessages({
  library(jsonlite)
  library(BradleyTerry2)
  library(multcomp)
})
set.seed(1994)
tight <- glm.control(epsilon = 1e-14, maxit = 100)
quiet <- suppressWarnings
columns <- function(data) lapply(data, function(x) if (is.factor(x)) as.character(x) else x)

residuals_of <- function(fit) {
  kinds <- c("pearson", "deviance", "response", "working")
  found <- lapply(setNames(kinds, kinds), function(kind) unname(residuals(fit, type = kind)))
  grouped <- residuals(fit, type = "grouped")
  c(found, list(grouped = as.numeric(grouped), weights = as.numeric(attr(grouped, "weights"))))
}

# Counts of wins, with home advantage.
home <- baseball
home$home.team <- data.frame(team = baseball$home.team, at.home = 1)
home$away.team <- data.frame(team = baseball$away.team, at.home = 0)
league <- BTm(cbind(home.wins, away.wins), home.team, away.team, ~ team + at.home, data = home, id = "team", control = tight)

# One row for each contest, abilities by covariates.
lizards <- quiet(BTm(
  player1 = winner, player2 = loser, formula = ~ ch.res[ID] + prop.main[ID], id = "ID", data = chameleons, control = tight
))

# Ties as half a win, and weights.
games <- data.frame(
  first = factor(sample(letters[1:6], 120, replace = TRUE), letters[1:6]),
  second = factor(sample(letters[1:6], 120, replace = TRUE), letters[1:6])
)
games <- games[games$first != games$second, ]
games$result <- sample(c(0, 0.5, 1), nrow(games), replace = TRUE)
games$weight <- round(runif(nrow(games), 0.5, 3), 2)
size <- data.frame(size = rnorm(6), row.names = letters[1:6])
weighted <- quiet(BTm(
  result, first, second, ~ size[item], id = "item", data = list(games = games, items = size), weights = games$weight,
  control = tight
))

# All pairs, and all against the first item.
counts <- countsToBinomial(citations)
cited <- BTm(cbind(win1, win2), player1, player2, data = counts, id = "journal", control = tight)
pairs <- t(combn(nrow(citations), 2))
all_pairs <- matrix(0, nrow(pairs), nrow(citations))
all_pairs[cbind(seq_len(nrow(pairs)), pairs[, 1])] <- 1
all_pairs[cbind(seq_len(nrow(pairs)), pairs[, 2])] <- -1
tested <- function(linear, parameters) {
  fit <- glht(parameters, linfct = linear)
  # (multcomp's "Shaffer" uses the correlations, too, so it is another method.)
  by <- c("single-step", "holm", "bonferroni", "hochberg", "hommel", "BH", "BY", "none")
  summaries <- lapply(setNames(by, by), function(name) summary(fit, test = adjusted(name))$test)
  interval <- confint(fit)$confint
  list(
    estimate = unname(summaries$none$coefficients), se = unname(summaries$none$sigma),
    p = lapply(summaries, function(x) as.numeric(x$pvalues)),
    low = unname(interval[, 2]), high = unname(interval[, 3])
  )
}
# Coefficients of the first item are fixed at 0, so it is left out.
free <- parm(coef(cited), vcov(cited))
chosen <- parm(coef(league), vcov(league))
teams <- length(coef(league)) - 1
versus <- cbind(diag(teams), 0)

answer <- list(
  versions = c(R = as.character(getRversion()), sapply(
    c("BradleyTerry2", "multcomp"), function(package) as.character(packageVersion(package))
  )) |> as.list(),
  baseball = c(list(data = columns(baseball)), residuals_of(league)),
  chameleons = c(list(
    winner = as.character(chameleons$winner$ID), loser = as.character(chameleons$loser$ID),
    names = levels(chameleons$winner$ID), ch.res = chameleons$predictors$ch.res, prop.main = chameleons$predictors$prop.main
  ), residuals_of(lizards)),
  weighted = c(list(data = columns(games), size = size$size), residuals_of(weighted)),
  contrasts = list(
    items = rownames(citations), wins = unclass(unname(citations)),
    all_pairs = tested(all_pairs[, -1], free), versus = tested(versus, chosen)
  )
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, auto_unbox = TRUE)
