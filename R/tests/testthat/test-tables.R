# Choices that R shows in its signatures are those of Python.

# The choices of a formal argument.
choices <- function(f, argument) {
  eval(formals(f)[[argument]])
}

# Object of a Python module.
from_module <- function(module, name) {
  reticulate::import(paste0("pwcstats.", module))[[name]]
}

# The strings that the type of a Python parameter lists; None is "none" in R.
typed <- function(f, parameter) {
  typing <- reticulate::import("typing", convert = FALSE)
  hint <- reticulate::py_get_item(f$"__annotations__", parameter)
  strings <- function(type) {
    members <- from_py(reticulate::import_builtins(convert = FALSE)$list(typing$get_args(type)))
    unlist(lapply(members, function(member) {
      if (is.character(member)) {
        member
      } else if (reticulate::py_str(member) == "<class 'NoneType'>") {
        "none"
      } else {
        strings(member)
      }
    }))
  }
  strings(hint)
}

# A function or class of the module, or a method of a class.
python_function <- function(...) {
  load_python(NULL)
  Reduce(function(object, name) object[[name]], c(...), python$pwcstats)
}

test_that("couplings are those of Python", {
  skip_without_python()
  methods <- unlist(from_module("coupling", "METHODS"))
  expect_setequal(choices(couple, "method"), methods)
  expect_setequal(choices(pwc, "coupling"), methods)
})

test_that("tests and adjustments are those of Python", {
  skip_without_python()
  tests <- unlist(from_module("compare", "TESTS"))
  for (f in list(compare_methods, winners)) {
    expect_setequal(choices(f, "test"), tests)
  }
  adjustments <- unlist(from_module("compare", "ADJUSTMENTS"))
  for (f in list(compare_methods, winners, rank_tests)) {
    expect_setequal(choices(f, "adjust"), adjustments)
  }
  expect_setequal(choices(adjust_p, "method"), adjustments)
  same <- function(f, name, argument) {
    found <- typed(python_function("compare", name), argument)
    expect_setequal(choices(f, argument), found)
  }
  same(friedman_ranks, "friedman", "statistic")
  same(wilcoxon_pair, "wilcoxon", "zeros")
  same(wilcoxon_pair, "wilcoxon", "method")
  same(mcnemar_pair, "mcnemar", "method")
})

test_that("options of Bradley-Terry fits are those of Python", {
  skip_without_python()
  fit <- python_function("BradleyTerry", "fit")
  for (name in c("method", "ties", "cov")) {
    expect_setequal(choices(bt, name), typed(fit, name))
  }
  # None is the default in Python, and "cluster" if there are clusters in R.
  expect_setequal(choices(bt, "cov_type"), setdiff(typed(fit, "cov_type"), "none"))
  expect_setequal(names(outcome_models), choices(bt, "ties"))
  rankings <- python_function("PlackettLuce", "fit")
  expect_setequal(choices(plackett_luce, "method"), typed(rankings, "method"))
  board <- python_function("BradleyTerryResults", "leaderboard")
  expect_setequal(choices(leaderboard.pwcstats_abilities, "scale"), typed(board, "scale"))
  expect_setequal(choices(bt, "random_effects"), setdiff(typed(fit, "random_effects"), "none"))
  goodness <- python_function("bradley_terry", "goodness", "goodness_of_fit")
  for (name in c("statistic", "p_value")) {
    expect_setequal(choices(goodness_of_fit.pwcstats_bt, name), typed(goodness, name))
  }
})

test_that("options of leaderboards, residuals and rankings are those of Python", {
  skip_without_python()
  expect_setequal(
    choices(leaderboard.pwcstats_abilities, "scale"),
    names(from_module("bradley_terry.leaderboard", "SCALES"))
  )
  adjustments <- unlist(from_module("compare", "ADJUSTMENTS"))
  expect_setequal(choices(pairs.pwcstats_abilities, "adjust"), c(adjustments, "max-t"))
  residuals <- "bradley_terry.residuals"
  expect_setequal(
    choices(residuals.pwcstats_bt, "type"), c(names(from_module(residuals, "KINDS")), "grouped")
  )
  expect_setequal(
    choices(residuals.pwcstats_bt, "by"), names(from_module(residuals, "GROUPINGS"))
  )
  fit <- python_function("PlackettLuce", "fit")
  expect_setequal(choices(plackett_luce, "method"), typed(fit, "method"))
  expect_setequal(choices(plackett_luce, "cov_type"), setdiff(typed(fit, "cov_type"), "none"))
  read <- python_function("PlackettLuce", "from_orderings")
  expect_setequal(choices(plackett_luce, "unranked"), typed(read, "unranked"))
})

test_that("options of logistic fits are those of Python", {
  skip_without_python()
  ratio <- python_function("ContinuationRatio", "__init__")
  expect_setequal(choices(cratio, "direction"), typed(ratio, "direction"))
  expect_setequal(choices(cratio, "penalty"), typed(ratio, "penalty"))
  odds <- python_function("OrderedLogit", "__init__")
  expect_setequal(choices(ordered_logit, "penalty"), typed(odds, "penalty"))
  steps <- python_function("AdjacentCategories", "__init__")
  expect_setequal(choices(adjacent_categories, "penalty"), typed(steps, "penalty"))
  expect_setequal(
    choices(stepwise, "direction"), typed(python_function("stepwise"), "direction")
  )
})

test_that("options of classifiers are those of Python", {
  skip_without_python()
  start <- function(name) python_function(name, "__init__")
  for (name in c("threshold", "calibration")) {
    expect_setequal(choices(pwc, name), typed(start("PairwiseClassifier"), name))
  }
  for (name in c("penalty", "select")) {
    expect_setequal(choices(hybrid, name), typed(start("HybridClassifier"), name))
    expect_setequal(choices(ordinal_hybrid, name), typed(start("OrdinalHybridClassifier"), name))
  }
  expect_setequal(choices(hybrid, "split"), names(from_module("hybrid.groups", "SPLITS")))
  table <- from_module("hybrid.integrators", "INTEGRATORS")
  ordered <- vapply(table, function(integrator) integrator$ordered, logical(1L))
  expect_setequal(choices(hybrid, "integrator"), names(table)[!ordered])
  expect_setequal(choices(ordinal_hybrid, "integrator"), names(table)[ordered])
})
