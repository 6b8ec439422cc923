# Functions with our names in other packages, whichever package is attached first.

test_that("no other package has our names except known ones", {
  packages <- c(
    "base", "stats", "graphics", "utils", "methods", "MASS", "nnet", "class", "rpart", "emmeans",
    "effects", "kernlab", "VGAM", "brglm2", "BradleyTerry2", "broom", "generics", "e1071",
    "ggplot2", "psychotools", "qvcalc", "coin"
  )
  for (package in Filter(function(package) requireNamespace(package, quietly = TRUE), packages)) {
    both <- intersect(getNamespaceExports("pwcstats"), getNamespaceExports(package))
    known <- vapply(both, function(name) package %in% same_names[[name]], logical(1))
    expect_identical(both[!known], character(), info = package)
  }
})

# Calls of both functions, whichever is found first; `ours` is our prefix.
checks <- function(ours) {
  sprintf(
    c(
      "wins <- matrix(c(0, 7, 5, 3, 0, 6, 4, 8, 0), 3, dimnames = rep(list(c('a', 'b', 'c')), 2))",
      "means <- emmeans(lm(breaks ~ tension, warpbreaks), 'tension')",
      "stopifnot(nrow(as.data.frame(contrast(means, 'pairwise'))) == 3)",
      "stopifnot(inherits(compare_items(bt(wins), 'a', 'b'), 'htest'))",
      "p <- c(.9, .4, .7)",
      "stopifnot(identical(couple(p, coupler = 'pkpd'), kernlab::couple(p, coupler = 'pkpd')))",
      "stopifnot(identical(couple(probin = p), kernlab::couple(p)))",
      "stopifnot(abs(sum(%scouple(p, 'ht', condensed = TRUE)) - 1) < 1e-8)",
      "lungs <- transform(pneumo, let = log(exposure.time))",
      "fit <- function(family) coef(vglm(cbind(normal, mild, severe) ~ let, family, lungs))",
      "stopifnot(identical(fit(cratio), fit(VGAM::cratio)))",
      "theirs <- VGAM::cratio(link = 'probitlink', parallel = TRUE)",
      "stopifnot(identical(fit(cratio(link = 'probitlink', parallel = TRUE)), fit(theirs)))",
      "stopifnot(inherits(%scratio(gear ~ wt, mtcars, penalty = 'firth'), 'pwcstats_cratio'))",
      "stopifnot(inherits(%sdetect_separation(am ~ wt, mtcars), 'pwcstats_separation'))",
      "stopifnot(inherits(stepAIC(firth(am ~ wt, mtcars), trace = 0), 'pwcstats_firth'))",
      "cat('all is well\n')"
    ),
    ours
  )
}

attach_all <- c(
  "library(emmeans)", "library(kernlab)", "library(VGAM)", "library(brglm2)", "library(MASS)"
)

test_that("functions of other packages work if pwcstats is attached later", {
  skip_without_python()
  for (package in c("emmeans", "kernlab", "VGAM", "brglm2", "MASS")) skip_without_package(package)
  said <- run_in_new_r(c(attach_all, "library(pwcstats)", checks("")))
  expect_identical(said[length(said)], "all is well")
})

test_that("our functions work by full name if masked, and a message says so", {
  skip_without_python()
  for (package in c("emmeans", "kernlab", "VGAM", "brglm2", "MASS")) skip_without_package(package)
  said <- run_in_new_r(c("library(pwcstats)", attach_all, checks("pwcstats::")))
  expect_identical(said[length(said)], "all is well")
  for (name in names(same_names)) {
    expect_match(said, sprintf("write pwcstats::%s\\(\\) for ours", name), all = FALSE)
  }
})

test_that("glm(method = ) finds the function of detectseparation", {
  # It installs a package, if only into a temporary library, which is not for CRAN's machines.
  skip_on_cran()
  # In place of the package, which may not be installed: what glm() passes, and a result to know.
  source <- file.path(tempfile(), "detectseparation")
  library <- tempfile()
  on.exit(unlink(c(dirname(source), library), recursive = TRUE))
  dir.create(file.path(source, "R"), recursive = TRUE)
  dir.create(library)
  writeLines(c("Package: detectseparation", "Version: 0.1"), file.path(source, "DESCRIPTION"))
  writeLines("export(detect_separation)", file.path(source, "NAMESPACE"))
  arguments <- c(
    "x, y, weights, start, etastart, mustart, offset, family, control, intercept, singular.ok"
  )
  code <- sprintf("detect_separation <- function(%s) stop('theirs, ', nrow(x), ' rows')", arguments)
  writeLines(code, file.path(source, "R", "code.R"))
  utils::install.packages(source, library, repos = NULL, type = "source", quiet = TRUE)
  said <- run_in_new_r(c(
    sprintf("library(detectseparation, lib.loc = '%s')", library),
    "suppressMessages(library(pwcstats))",
    "ask <- function(...) cat(tryCatch(glm(...), error = conditionMessage), '\n')",
    "ask(am ~ wt, binomial, mtcars, method = 'detect_separation')",
    "ask(am ~ wt, binomial, mtcars, method = detect_separation)",
    "cat(tryCatch(detect_separation(data = mtcars), error = conditionMessage), '\n')"
  ))
  expect_identical(said, c(
    "theirs, 32 rows ", "theirs, 32 rows ", "formula must be given, as in y ~ x. "
  ))
})

test_that("without the other package, a call of its function gives our error", {
  said <- run_in_new_r(c(
    "library(pwcstats)",
    "for (f in list(function() cratio(), function() couple(coupler = 'ht'))) {",
    "  cat(tryCatch(f(), error = conditionMessage), '\n')",
    "}",
    "stopifnot(!any(c('VGAM', 'kernlab') %in% loadedNamespaces()))"
  ))
  expect_identical(said, c(
    "formula must be given, as in y ~ x. ",
    "couple() has no argument 'coupler'; it has 'method', 'n', 'condensed', 'classes', 'pair_mass', 'clip', 'n_jobs', 'return_info', 'equations', 'symmetrize'. " # nolint
  ))
})
