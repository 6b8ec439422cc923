# Errors and warnings have Python's messages, the user's call, and indices from 1.

test_that("a Python error is an R condition with its message and the user's call", {
  skip_without_python()
  error <- expect_error(couple(example_r, "zz"), class = "pwcstats_error")
  expect_identical(class(error), c("pwcstats_error", "error", "condition"))
  expect_identical(conditionCall(error), quote(couple(example_r, "zz")))
  expect_match(conditionMessage(error), "^method must be one of .*'wlw2'.*'zz'\\.$")
})

test_that("messages name samples and classes, or count from 1", {
  skip_without_python()
  r <- array(rep(example_r, each = 2), c(2, 3, 3))
  r[2, 1, 3] <- NA
  expect_error(couple(r), "\\(1, 3\\).* sample 2\\b", class = "pwcstats_error")
  dimnames(r) <- list(c("s", "t"), NULL, c("x", "y", "z"))
  expect_error(couple(r), "x/z.* sample t\\b", class = "pwcstats_error")
  condensed <- rbind(c(.9, .4, .7), c(.9, NA, .7))
  expect_refused(couple(condensed, condensed = TRUE), "\\(1, 3\\).* sample 2\\b")
  dimnames(condensed) <- list(c("s", "t"), c("x/y", "x/z", "y/z"))
  expect_error(couple(condensed, condensed = TRUE), "x/z.* sample t\\b", class = "pwcstats_error")
})

test_that("wrong input gives Python's messages", {
  skip_without_python()
  expect_refused(couple(c(.9, .4, .7)), "must be K x K .* got 3; ")
  expect_refused(couple(example_r[, 1:2]), "must be K x K .* got 3 x 2; ")
  expect_refused(couple(matrix(.5, 2, 4), condensed = TRUE), "K\\(K-1\\)/2 columns")
  expect_refused(couple(array(.5, c(2, 3, 3, 3))), "must be K x K")
  expect_refused(couple(array(.5, c(3, 3, 2))), "put the samples first")
  expect_refused(couple(array(.5, c(2, 3, 3)), condensed = TRUE), "condensed r")
  expect_refused(couple(matrix(1)), "at least 2 classes")
  expect_refused(couple(example_r, classes = c("a", "b")), "classes must name the 3 classes")
  expect_refused(couple(example_r, classes = c("a", "b", "a")), "classes must be different")
  twice <- matrix(.5, 2, 2, dimnames = list(NULL, c("a", "a")))
  expect_refused(couple(twice), "classes must be different")
  expect_refused(couple(matrix(.4, 3, 3)), "r_ij \\+ r_ji must be 1")
  expect_refused(couple(example_r, "bayes"), "pair_mass")
  expect_refused(
    couple(example_r, "ht", n = 1:2),
    "n must be a 3 x 3 matrix, or a vector of 3 numbers, one for each pair, got a vector of 2"
  )
  expect_refused(couple(example_r, "ht", n = -diag(3) - 1), "n must hold finite numbers >= 0")
  expect_refused(couple(example_r, clip = 2), "clip must be a number")
  expect_refused(couple(example_r, clip = "a"), "clip")
  expect_refused(couple(example_r, clip = NA), "clip must be a number.* got NA")
  expect_refused(couple(example_r, n_jobs = 1.5), "n_jobs must be a whole number.* got 1.5")
  expect_refused(couple(example_r, n_jobs = NA), "n_jobs must be a whole number.* got NA")
  mixed <- cbind(id = 1, "a/b" = .5, "a/c" = .5)
  expect_refused(couple(mixed, condensed = TRUE), "'id' in condensed r does not name a pair")
  swapped <- cbind("a/b" = .5, "a/c" = .5, "c/b" = .5)
  expect_refused(couple(swapped, condensed = TRUE), "needed b/c, got c/b")
  named <- c("a/b" = .9, "a/c" = .4, "b/c" = .7)
  weights <- c("b/c" = 1, "a/b" = 2, "a/c" = 3)
  expect_refused(couple(named, "ht", n = weights, condensed = TRUE), "condensed n must have")
  expect_refused(couple(t(named), "ht", n = t(weights), condensed = TRUE), "condensed n must have")
})

test_that("input without numbers is refused", {
  expect_error(couple("a"), "not character\\.$", class = "pwcstats_error")
  expect_error(couple(matrix("a")), "not character matrix\\.$", class = "pwcstats_error")
  expect_error(couple(factor("a")), "not factor\\.$", class = "pwcstats_error")
  expect_error(couple(NULL), "not NULL\\.$", class = "pwcstats_error")
  expect_error(couple(example_r, n = "a"), "^n must be", class = "pwcstats_error")
  frame <- data.frame(a = 1, b = "x")
  expect_error(couple(frame, condensed = TRUE), "its column 'b' does not", class = "pwcstats_error")
})

test_that("flags are TRUE or FALSE", {
  expect_error(couple(example_r, condensed = NA), "^condensed must be", class = "pwcstats_error")
  expect_error(couple(example_r, return_info = 1), "^return_info must be", class = "pwcstats_error")
})

test_that("messages of checks in R show what came", {
  refused <- function(check, x, ...) {
    conditionMessage(expect_error(check(x, ..., call = NULL), class = "pwcstats_error"))
  }
  expect_identical(refused(check_flag, NA, "scale"), "scale must be TRUE or FALSE, got NA.")
  expect_identical(refused(check_flag, "yes", "scale"), "scale must be TRUE or FALSE, got 'yes'.")
  expect_identical(
    refused(check_level, 95, "level"), "level must be a number between 0 and 1, got 95."
  )
  expect_identical(
    refused(check_choice, c("b", NA), choices = c("a", "c"), name = "type"),
    "type must be one of 'a', 'c', got c('b', NA)."
  )
  expect_identical(
    refused(check_count, 1.5, "grid", least = 2),
    "grid must be a whole number of at least 2, got 1.5."
  )
  expect_identical(refused(check_seed, 2^31), "seed must be at most 2147483647, got 2147483648.")
  expect_identical(refused(check_positive, -1, "cost"), "cost must be a number above 0, got -1.")
  expect_identical(show_value(NULL), "NULL")
  expect_identical(show_value(character()), "character(0)")
  expect_identical(show_value(c(a = 0.1, b = 2L)), "c(0.1, 2)")
  expect_identical(show_value(1:20), "c(1, 2, 3, 4, 5, 6, 7, 8, ...)")
  expect_identical(show_value(iris), "data.frame")
  expect_identical(show_value(iris$Species), "factor")
  expect_identical(show_value(diag(2)), "double matrix")
  expect_identical(show_value(mean), "function")
})

test_that("warnings of the module are R warnings each time, others are left to Python", {
  skip_without_python()
  load_python(NULL)
  reticulate::py_run_string(paste(
    "import warnings",
    "from pwcstats.errors import ConvergenceWarning",
    "def warning_function():",
    "    warnings.warn('It stopped.', ConvergenceWarning)",
    "    warnings.warn('It stopped.', ConvergenceWarning)",
    "    warnings.warn('It will change.', FutureWarning)",
    "    return 1",
    sep = "\n"
  ))
  warns <- reticulate::import_main(convert = FALSE)$warning_function
  for (i in 1:2) {
    said <- reticulate::py_capture_output(
      warning <- tryCatch(call_bridge(warns, list(), list(), quote(f(x))), warning = identity),
      type = "stderr"
    )
    expect_identical(class(warning), c("pwcstats_warning", "warning", "condition"))
    expect_identical(conditionMessage(warning), "It stopped.")
    expect_identical(conditionCall(warning), quote(f(x)))
    expect_match(said, "FutureWarning: It will change.", fixed = TRUE)
  }
  # Once for each call, even if Python repeats it.
  count <- 0
  reticulate::py_capture_output(type = "stderr", withCallingHandlers(
    call_bridge(warns, list(), list(), quote(f(x))),
    warning = function(w) {
      count <<- count + 1
      tryInvokeRestart("muffleWarning")
    }
  ))
  expect_identical(count, 1)
})

test_that("an unexpected exception shows its type and hides the traceback", {
  skip_without_python()
  load_python(NULL)
  fails <- reticulate::import_builtins(convert = FALSE)$int
  error <- tryCatch(call_bridge(fails, list("one"), list(), quote(f(x))), error = identity)
  expect_s3_class(error, "pwcstats_error")
  expect_match(conditionMessage(error), "^ValueError: [^\n]*'one'$")
  expect_match(error$traceback, "Traceback")
})

# Without a signal: reticulate before 1.37 may lose a real one, or crash.
test_that("an interrupt in Python reaches R as an interrupt", {
  skip_without_python()
  load_python(NULL)
  interrupted <- function(f) {
    tryCatch(
      call_bridge(f, list(), list(), NULL),
      interrupt = function(e) "interrupted", error = function(e) "error"
    )
  }
  # As Python raises it, and as a failure in reticulate's signal handler.
  python_code <- c(
    "def stopped(): raise KeyboardInterrupt",
    "space = {'__name__': 'rpytools.signals'}",
    "exec('def failed(): raise RuntimeError', space)",
    "failed = space['failed']",
    "def wrong(): raise RuntimeError"
  )
  functions <- reticulate::py_run_string(paste(python_code, collapse = "\n"), convert = FALSE)
  expect_identical(interrupted(functions$stopped), "interrupted")
  expect_identical(interrupted(functions$failed), "interrupted")
  expect_identical(interrupted(functions$wrong), "error")
})
