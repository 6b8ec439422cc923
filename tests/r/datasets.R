# What R says of the sets that pwcstats.datasets takes from its packages, and fits of those that no other script fits.
# Usage: Rscript datasets.R out.json
suppressPackageStartupMessages({
  library(jsonlite)
  library(BradleyTerry2)
  library(psychotools)
})
data(SoundQuality, GermanParties2009, FirstNames, package = "psychotools")
data(endometrial, lizards, package = "brglm2")
quiet <- suppressWarnings

contents <- function(data) {
  list(rows = nrow(data), names = I(row.names(data)), columns = lapply(data, function(x) list(
    class = class(x)[1], levels = levels(x), values = if (is.factor(x)) as.character(x) else x
  )))
}
pairs <- c("preference", "ordered.pref")
subjects <- function(data) contents(data[setdiff(names(data), pairs)])
choices <- function(data) lapply(data[intersect(pairs, names(data))], function(x) list(
  items = attr(x, "labels"), pairs = colnames(as.matrix(x)), choices = unname(as.matrix(x)),
  counts = unname(as.matrix(summary(x))), covariates = if (!is.null(covariates(x))) contents(covariates(x))
))

# The ties of football as halves of a win for each; flat lizards by what is known of their throats, as Whiting et al. have
# them: BTm gives the two lizards without throats abilities of their own, so their contests are left out.
tight <- glm.control(epsilon = 1e-14, maxit = 100)
half <- quiet(BTm((result + 1) / 2, home, away, data = football, id = "team", control = tight))
known <- row.names(flatlizards$predictors)[!is.na(flatlizards$predictors$throat.PC1)]
both <- with(flatlizards$contests, winner %in% known & loser %in% known)
throats <- BTm(rep(1, sum(both)), winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..],
               data = list(contests = flatlizards$contests[both, ], predictors = flatlizards$predictors), control = tight)
worth <- function(preference) estimates(btmodel(preference, epsilon = 1e-14, maxit = 100))
estimates <- function(fit) {
  term <- names(coef(fit))[!is.na(coef(fit))]
  list(term = term, coef = unname(coef(fit)[term]), se = unname(sqrt(diag(vcov(fit)))[term]))
}

answer <- list(
  tables = list(
    baseball = list(frame = contents(baseball)),
    citations = list(frame = contents(as.data.frame.matrix(citations))),
    flatlizards = lapply(flatlizards, contents),
    icehockey = list(frame = contents(icehockey)),
    chameleons = lapply(chameleons, contents),
    football = list(frame = contents(football)),
    CEMS = lapply(CEMS, contents),
    SoundQuality = list(subjects = subjects(SoundQuality)),
    GermanParties2009 = list(subjects = subjects(GermanParties2009)),
    FirstNames = list(subjects = subjects(FirstNames)),
    endometrial = list(frame = contents(endometrial)),
    lizards = list(frame = contents(lizards))
  ),
  citations = names(dimnames(citations)),
  choices = list(
    SoundQuality = choices(SoundQuality), GermanParties2009 = choices(GermanParties2009), FirstNames = choices(FirstNames)
  ),
  fits = list(
    football = estimates(half), flatlizards = estimates(throats),
    SoundQuality = worth(SoundQuality$preference), GermanParties2009 = worth(GermanParties2009$preference),
    FirstNames = worth(FirstNames$preference)
  )
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, na = "null", null = "null", auto_unbox = TRUE)
