# Time that R adds to the Python module.

# R passes a matrix and receives one; this took 1.3 to 1.5 times as long as in Python.
# Times are processor times, which other processes do not affect.
MOST_TIMES <- 2 # nolint

test_that("couple() takes at most twice as long as in Python", {
  skip_if_not(must_run_all(), "times are measured with everything there")
  set.seed(13)
  r <- matrix(runif(1e5 * 45, 0.05, 0.95), 1e5)
  load_python(NULL)
  code <- reticulate::py_run_string(paste(
    "import time, pwcstats",
    "def seconds(r):",
    "    start = time.process_time()",
    "    pwcstats.couple(r, 'wlw2', condensed=True)",
    "    return time.process_time() - start",
    sep = "\n"
  ))
  same <- reticulate::r_to_py(r)
  in_r <- function() {
    # Garbage from before must not be collected here.
    gc()
    start <- sum(proc.time()[1:2])
    couple(r, "wlw2", condensed = TRUE)
    sum(proc.time()[1:2]) - start
  }
  # The first call imports modules.
  code$seconds(same)
  in_r()
  # The best of several alternating runs.
  times <- vapply(1:12, function(turn) c(r = in_r(), python = code$seconds(same)), numeric(2))
  best <- apply(times, 1, min)
  expect_lt(best[["r"]] / best[["python"]], MOST_TIMES)
})
