# The R package beside the Python calls that it makes, and beside its peers in R, in one process.
#
#     Rscript benchmarks/from_r.R [--quick]
#
# Milliseconds, best of several, taken in turns so that a busy moment of the machine hits all alike. "Python" is the same
# call on the same numbers, timed inside Python; the rest of a call from R is checks and what crosses between the two.
library(pwcstats)

quick <- "--quick" %in% commandArgs(trailingOnly = TRUE)

best <- function(calls, repeats) {
  times <- lapply(calls, function(call) Inf)
  for (turn in seq_len(repeats)) {
    for (name in names(calls)) {
      times[[name]] <- min(times[[name]], calls[[name]]())
    }
  }
  1000 * unlist(times)
}

# Of a call in R.
seconds <- function(call) {
  function() {
    start <- proc.time()[["elapsed"]]
    call()
    # The clock of proc.time() has milliseconds, enough for the calls below.
    proc.time()[["elapsed"]] - start
  }
}

timer <- reticulate::py_run_string(paste(
  "import time, numpy as np, pandas as pd",
  "from sklearn.svm import SVC",
  "from pwcstats import couple, PairwiseClassifier, FirthLogit, BradleyTerry",
  "def timed(call):",
  "    start = time.perf_counter()",
  "    call()",
  "    return time.perf_counter() - start",
  "def of_couple(r, method): return timed(lambda: couple(r, method, condensed=True))",
  "def of_svm(x, y): return timed(lambda: PairwiseClassifier(SVC(gamma=1 / x.shape[1])).fit(x, y))",
  sep = "\n"
))

show <- function(title, table) {
  cat("\n", title, "\n", sep = "")
  print(data.frame(lapply(table, function(x) if (is.numeric(x)) signif(x, 3) else x)), row.names = FALSE)
}

coupling <- function(n, k, method) {
  r <- matrix(runif(n * k * (k - 1) / 2, 0.05, 0.95), n)
  shared <- reticulate::r_to_py(r)
  times <- best(list(
    R = seconds(function() couple(r, method, condensed = TRUE)),
    Python = function() timer$of_couple(shared, method)
  ), if (quick) 3 else 15)
  data.frame(rows = n, classes = k, method, as.list(times), ratio = times[["R"]] / times[["Python"]])
}

set.seed(1)
sizes <- if (quick) 1e4 else c(1e4, 1e5, 1e6)
show("couple()", do.call(rbind, c(
  lapply(sizes, coupling, k = 10, method = "wlw2"),
  lapply(sizes[sizes <= 1e5], coupling, k = 10, method = "ht")
)))

machines <- function(name, package, response, columns) {
  data(list = name, package = package, envir = environment())
  set <- get(name)
  x <- as.matrix(set[columns])
  y <- set[[response]]
  scaled <- reticulate::r_to_py(scale(x))
  times <- best(list(
    pwc = seconds(function() pwc(x, y, "svm")),
    Python = function() timer$of_svm(scaled, as.character(y)),
    e1071 = seconds(function() e1071::svm(x, y, probability = TRUE))
  ), if (quick) 1 else 3)
  data.frame(data = name, rows = nrow(x), classes = nlevels(y), as.list(times))
}

sets <- list(
  machines("Vehicle", "mlbench", "Class", 1:18),
  if (!quick) machines("Vowel", "mlbench", "Class", 2:10),
  if (!quick) machines("Satellite", "mlbench", "classes", 1:36)
)
show("Support vector machines with probabilities", do.call(rbind, sets))
