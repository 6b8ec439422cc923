# What R says about contest covariates and Rao and Kupper's ties. Usage: Rscript contests.R out.json
suppressPackageStartupMessages({
  library(jsonlite)
  library(BradleyTerry2)
  library(ordinal)
})
set.seed(1967)
tight <- glm.control(epsilon = 1e-14, maxit = 100)
tight_br <- brglm::brglm.control(br.epsilon = 1e-12, br.maxit = 1000)
columns <- function(data) lapply(data, function(x) if (is.factor(x)) as.character(x) else x)
estimates <- function(fit) {
  list(term = names(coef(fit)), coef = unname(coef(fit)), se = unname(sqrt(diag(vcov(fit)))),
       deviance = deviance(fit), df_residual = df.residual(fit))
}

# Football: one row for each game, in random order of the two teams; days of rest are made up.
games <- subset(football, season == "2011-12")
swap <- runif(nrow(games)) < 0.5
games <- data.frame(
  team1 = ifelse(swap, as.character(games$away), as.character(games$home)),
  team2 = ifelse(swap, as.character(games$home), as.character(games$away)),
  home = ifelse(swap, -1, 1),
  rest1 = rpois(nrow(games), 3), rest2 = rpois(nrow(games), 3),
  result = ifelse(swap, -1, 1) * games$result
)
teams <- sort(unique(games$team1))
decided <- games[games$result != 0, ]
side <- function(data, k) {
  data.frame(team = factor(data[[paste0("team", k)]], levels = teams),
             home = c(0.5, -0.5)[k] * data$home, rest = data[[paste0("rest", k)]])
}
won <- decided$result > 0
first <- side(decided, 1)
second <- side(decided, 2)
fit <- BTm(won, first, second, ~ team + home + rest, id = "team", control = tight)
reduced <- BTm(won, first, second, ~ team + home + rest, id = "team", br = TRUE, control.brglm = tight_br)

# Covariates of the animals and of the contests.
lizards <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID], id = "ID",
               data = chameleons, control = tight)

# Rao and Kupper's model is a cumulative logit model whose two thresholds differ in sign only.
differences <- sapply(teams[-1], function(team) (games$team1 == team) - (games$team2 == team))
x <- cbind(differences, home = games$home, rest = games$rest1 - games$rest2)
tied <- clm(ordered(result) ~ x, data = data.frame(result = games$result, x = I(x)), threshold = "symmetric2",
            control = clm.control(gradTol = 1e-10, maxIter = 200))

answer <- list(
  versions = list(R = as.character(getRversion()), BradleyTerry2 = as.character(packageVersion("BradleyTerry2")),
                  ordinal = as.character(packageVersion("ordinal"))),
  football = list(data = columns(games), teams = teams, fit = estimates(fit), firth = estimates(reduced)),
  chameleons = list(
    winner = as.character(chameleons$winner$ID), loser = as.character(chameleons$loser$ID),
    wins_winner = chameleons$winner$prev.wins.2, wins_loser = chameleons$loser$prev.wins.2,
    items = levels(chameleons$winner$ID), ch.res = chameleons$predictors$ch.res,
    prop.main = chameleons$predictors$prop.main, fit = estimates(lizards)
  ),
  rao_kupper = list(coef = unname(coef(tied)), se = unname(sqrt(diag(vcov(tied)))), loglik = as.numeric(logLik(tied)),
                    term = names(coef(tied)))
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, auto_unbox = TRUE)
