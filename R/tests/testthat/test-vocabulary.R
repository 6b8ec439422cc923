# Messages of the module refer to parameters, values and functions; R has its own names for them.

# The message of an InputError with references in R, such as "{arg('maxiter')} must be ...".
in_r <- function(source) {
  load_python(NULL)
  code <- paste(
    "from pwcstats.errors import InputError, arg, code, quoted, value",
    "def refuse():",
    sprintf("    raise InputError(f'''%s''')", source),
    sep = "\n"
  )
  refuse <- reticulate::py_run_string(code, local = FALSE, convert = FALSE)$refuse
  error <- tryCatch(call_bridge(refuse, list(), list(), quote(f(x))), error = identity)
  expect_identical(conditionCall(error), quote(f(x)))
  conditionMessage(error)
}

test_that("parameters have R's names", {
  skip_without_python()
  expect_identical(in_r("{arg('maxiter')} is 0."), "maxit is 0.")
  expect_identical(in_r("{arg('random_state')} is -1."), "seed is -1.")
  expect_identical(in_r("{arg('endog')} and {arg('exog')}."), "the response and the model matrix.")
  expect_identical(in_r("{arg('freq_weights')} is 0."), "weights is 0.")
  expect_identical(in_r("{arg('n_clusters')} is 9."), "clusters is 9.")
  expect_identical(in_r("{arg('clip')} is 2."), "clip is 2.")
})

test_that("values are written as in R", {
  skip_without_python()
  expect_identical(in_r("got {value(None)}."), "got NULL.")
  expect_identical(in_r("{value(True)} or {value(False)}."), "TRUE or FALSE.")
  expect_identical(in_r("got {value(float('nan'))}."), "got NA.")
  expect_identical(in_r("got {value(-float('inf'))}."), "got -Inf.")
  expect_identical(in_r("got {value(2.0)}, {value(0.1)}, {value(1e-7)}."), "got 2, 0.1, 1e-07.")
  expect_identical(in_r("got {value('zz')}."), "got 'zz'.")
  expect_identical(in_r("got {value(['a', 'b'])}."), "got c('a', 'b').")
  expect_identical(in_r("got {value([1.0, None])}."), "got c(1, NULL).")
  expect_identical(in_r("the pair {value(('a', 'b'))}."), "the pair a/b.")
})

test_that("settings are written as in a call in R", {
  skip_without_python()
  expect_identical(in_r("use {arg('method', 'firth')}."), "use method = 'firth'.")
  expect_identical(in_r("use {arg('order_effect', True)}."), "use order_effect = TRUE.")
  expect_identical(in_r("use {arg('calibration', None)}."), "use calibration = 'none'.")
  expect_identical(in_r("use {arg('weights', None)}."), "use pair_weights = 'equal'.")
  expect_identical(in_r("use {arg('random_state', None)}."), "use seed = NULL.")
  expect_identical(in_r("use {arg('error_score', float('nan'))}."), "use error_score = NA.")
  expect_identical(in_r("use {arg('alpha', 0.1)}."), "use level = 0.9.")
  expect_identical(in_r("use {arg('correction', False)}."), "use correct = FALSE.")
  expect_identical(in_r("use {arg('correction', 'flic')}."), "use correction = 'flic'.")
})

test_that("functions have R's names, and calls are written as in R", {
  skip_without_python()
  expect_identical(in_r("use {code('contrast')}."), "use compare_items().")
  expect_identical(in_r("use {code('FirthMNLogit')}."), "use firth_multinom().")
  expect_identical(in_r("use {code('compare_methods')}."), "use compare_methods().")
  expect_identical(in_r("use {code('.to_numpy()')}."), "use unname().")
  expect_identical(in_r("use {code(\"conf_int(method='t')\")}."), "use confint(method = 't').")
  expect_identical(
    in_r("call {code(\"compare_methods(scores, rows='folds')\")}."),
    "call compare_methods(scores, rows = 'folds')."
  )
  expect_identical(in_r("use {code('KFold')}."), "use KFold.")
})

test_that("warnings and notes have R's names", {
  skip_without_python()
  load_python(NULL)
  functions <- reticulate::py_run_string(paste(
    "import warnings",
    "from pwcstats.errors import ConvergenceWarning, Message, arg",
    "def warns(): warnings.warn(f\"raise {arg('maxiter')}.\", ConvergenceWarning)",
    "notes = [Message(f\"see {arg('exog')}\"), 'plain']",
    sep = "\n"
  ), convert = FALSE)
  expect_warning(
    call_bridge(functions$warns, list(), list(), quote(f(x))), "^raise maxit\\.$",
    class = "pwcstats_warning"
  )
  expect_identical(notes_from_py(functions$notes), c("see the model matrix", "plain"))
  expect_identical(notes_from_py(list()), character())
})

test_that("every function that messages may name exists", {
  skip_without_python()
  load_python(NULL)
  vocabulary <- reticulate::import_from_path(
    "pwcstats_vocabulary", system.file("python", package = "pwcstats")
  )
  names <- unlist(vocabulary$`_FUNCTIONS`)
  ours <- sub("\\(.*", "", grep("^[a-z_0-9]+\\(", names, value = TRUE))
  known <- unlist(lapply(c("pwcstats", "stats", "base", "graphics"), getNamespaceExports))
  expect_identical(setdiff(ours, known), character())
})
