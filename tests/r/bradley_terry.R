# What R says about Bradley-Terry models. Usage: Rscript bradley_terry.R out.json
suppressPackageStartupMessages({
  library(jsonlite)
  library(BradleyTerry2)
  library(psychotools)
  library(qvcalc)
  library(sandwich)
  library(VGAM)
})
data(SoundQuality, package = "psychotools")
set.seed(1952)
# glm's own stopping rule leaves 1e-8 of the deviance; go on until nothing changes.
tight <- glm.control(epsilon = 1e-14, maxit = 100)
quiet <- suppressWarnings

estimates <- function(fit) {
  table <- coef(summary(fit))
  list(
    term = rownames(table), coef = unname(table[, 1]), se = unname(table[, 2]),
    deviance = deviance(fit), df_residual = df.residual(fit)
  )
}
columns <- function(data) lapply(data, function(x) if (is.factor(x)) as.character(x) else x)

# Baseball, Agresti's table; home advantage.
plain <- BTm(cbind(home.wins, away.wins), home.team, away.team, data = baseball, id = "team", control = tight)
home <- baseball
home$home.team <- data.frame(team = baseball$home.team, at.home = 1)
home$away.team <- data.frame(team = baseball$away.team, at.home = 0)
at_home <- BTm(cbind(home.wins, away.wins), home.team, away.team, ~ team + at.home, data = home, id = "team", control = tight)
reduced <- BTm(cbind(home.wins, away.wins), home.team, away.team, ~ team + at.home, data = home, id = "team", br = TRUE,
               control.brglm = brglm::brglm.control(br.epsilon = 1e-12, br.maxit = 1000))
likelihood_ratio <- anova(plain, at_home, test = "Chisq")
quasi <- qvcalc(BTabilities(at_home))

# Citations, a matrix.
counts <- countsToBinomial(citations)
cited <- BTm(cbind(win1, win2), player1, player2, data = counts, id = "journal", control = tight)

# Ice hockey: half a win for each side of a tie, home ice where there was one.
ice <- quiet(BTm(result, visitor, opponent, id = "team", data = icehockey, control = tight))
level <- quiet(BTm(
  result, data.frame(team = visitor, home.ice = 0), data.frame(team = opponent, home.ice = home.ice),
  ~ team + home.ice, id = "team", data = icehockey, control = tight
))

# Chameleons: abilities by covariates.
lizards <- quiet(BTm(
  player1 = winner, player2 = loser, formula = ~ ch.res[ID] + prop.main[ID], id = "ID", data = chameleons, control = tight
))
lizards_reduced <- quiet(BTm(
  player1 = winner, player2 = loser, formula = ~ ch.res[ID] + prop.main[ID], id = "ID", data = chameleons, br = TRUE,
  control.brglm = brglm::brglm.control(br.epsilon = 1e-12, br.maxit = 1000)
))

# Sandwich covariances: one row a game, games clustered.
games <- data.frame(
  first = factor(sample(letters[1:6], 200, replace = TRUE), letters[1:6]),
  second = factor(sample(letters[1:6], 200, replace = TRUE), letters[1:6]), voter = sample(20, 200, replace = TRUE)
)
games <- games[games$first != games$second, ]
games$won <- rbinom(nrow(games), 1, plogis((as.integer(games$first) - as.integer(games$second)) / 4))
each <- BTm(won, first, second, data = games, id = "item", control = tight)

# psychotools: sound quality without ties, and Davidson's model of the schools that students preferred.
sound <- btmodel(SoundQuality$preference, epsilon = 1e-14, maxit = 100)
sound_counts <- summary(SoundQuality$preference)
choices <- CEMS$preferences
schools <- c("London", "Paris", "Milano", "St.Gallen", "Barcelona", "Stockholm")
stopifnot(as.character(choices$school1[1:3]) == schools[c(1, 1, 2)], as.character(choices$school2[15]) == schools[6])
preferred <- paircomp(matrix(choices$win1 - choices$win2, ncol = 15, byrow = TRUE), labels = schools)
davidson <- btmodel(preferred, epsilon = 1e-14, maxit = 100)
told <- choices[!is.na(choices$win1), c("student", "school1", "school2", "win1", "win2", "tied")]

k <- 5
wins <- matrix(rpois(k * k, 6) + 1, k, dimnames = list(LETTERS[1:k], LETTERS[1:k]))
diag(wins) <- NA
brat_fit <- vglm(Brat(wins) ~ 1, brat(refgp = 1), epsilon = 1e-12)
# VGAM's ties are another model (alpha0, whoever meets); among equals, as in this circle, it is Davidson's.
circle <- matrix(c(NA, 40, 60, 60, NA, 40, 40, 60, NA), 3, byrow = TRUE, dimnames = list(letters[1:3], letters[1:3]))
circle_ties <- 0 * circle + 5
bratt_fit <- vglm(Brat(circle, circle_ties) ~ 1, bratt(refgp = 1, i0 = 0.1), epsilon = 1e-12)

# Profile-likelihood intervals of a small league.
profile <- quiet(suppressMessages(confint(glm(
  cbind(win1, win2) ~ 0 + model.matrix(cited)[, ], family = binomial, data = counts, control = tight
))))

answer <- list(
  versions = c(R = as.character(getRversion()), sapply(
    c("BradleyTerry2", "brglm", "psychotools", "qvcalc", "sandwich", "VGAM"),
    function(package) as.character(packageVersion(package))
  )) |> as.list(),
  baseball = list(
    data = columns(baseball), plain = estimates(plain), home = estimates(at_home),
    firth = list(
      term = names(coef(reduced)), coef = unname(coef(reduced)), se = unname(sqrt(diag(vcov(reduced)))),
      deviance = deviance(reduced), df_residual = df.residual(reduced)
    ),
    lr = list(statistic = likelihood_ratio$Deviance[2], p = likelihood_ratio$`Pr(>Chi)`[2]),
    quasi_variance = quasi$qvframe$quasiVar, quasi_items = rownames(quasi$qvframe),
    abilities = unname(BTabilities(at_home)[, 1]), abilities_se = unname(BTabilities(at_home)[, 2])
  ),
  citations = list(
    items = rownames(citations), wins = unclass(unname(citations)), fit = estimates(cited),
    profile_low = unname(profile[, 1]), profile_high = unname(profile[, 2])
  ),
  icehockey = list(data = columns(icehockey[c("visitor", "opponent", "result", "home.ice")]),
                   plain = estimates(ice), home = estimates(level)),
  chameleons = list(
    winner = as.character(chameleons$winner$ID), loser = as.character(chameleons$loser$ID),
    items = levels(chameleons$winner$ID), ch.res = chameleons$predictors$ch.res,
    prop.main = chameleons$predictors$prop.main, fit = estimates(lizards),
    firth = list(term = names(coef(lizards_reduced)), coef = unname(coef(lizards_reduced)),
                 se = unname(sqrt(diag(vcov(lizards_reduced)))))
  ),
  sandwich = list(
    data = columns(games), coef = unname(coef(each)),
    hc0 = unname(sqrt(diag(sandwich::sandwich(each)))),
    cluster = unname(sqrt(diag(vcovCL(each, cluster = games$voter, type = "HC0", cadjust = FALSE))))
  ),
  sound = list(
    pairs = rownames(sound_counts), counts = unname(as.matrix(sound_counts)), items = labels(SoundQuality$preference),
    coef = unname(coef(sound)), term = names(coef(sound)), se = unname(sqrt(diag(vcov(sound)))),
    loglik = as.numeric(logLik(sound))
  ),
  schools = list(
    data = columns(told), items = schools, coef = unname(coef(davidson)), term = names(coef(davidson)),
    se = unname(sqrt(diag(vcov(davidson)))), loglik = as.numeric(logLik(davidson))
  ),
  brat = list(wins = unname(wins), worth = unname(Coef(brat_fit)), loglik = logLik(brat_fit)),
  bratt = list(wins = unname(circle), ties = unname(circle_ties), worth = unname(Coef(bratt_fit)))
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, auto_unbox = TRUE)
