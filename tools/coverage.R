# coverage.R PERCENT: run the testthat suite of R/ and ask how much of the package's code it has run. In a complete
# environment nothing may be skipped, and as in the Python tests a warning that no test expects is a failure.
least <- as.numeric(commandArgs(trailingOnly = TRUE)[[1]])
outcome <- tempfile(fileext = ".rds")
tests <- bquote({
  found <- testthat::test_local(
    .(normalizePath("R")),
    load_package = "installed", reporter = "check", stop_on_failure = FALSE
  )
  saveRDS(as.data.frame(found)[c("test", "failed", "skipped", "error", "warning", "result")], .(outcome))
})
coverage <- covr::package_coverage("R", type = "none", code = deparse(tests), quiet = TRUE, clean = FALSE)
results <- if (file.exists(outcome)) readRDS(outcome) else data.frame()
stopifnot("no R tests were found" = nrow(results) > 0)
trouble <- results$failed > 0 | results$skipped | results$error | results$warning > 0
if (any(trouble)) {
  for (expectation in unlist(results$result[trouble], recursive = FALSE)) {
    if (!inherits(expectation, "expectation_success")) message(format(expectation), "\n")
  }
  stop("R tests that failed, were skipped or have warnings: ", paste(results$test[trouble], collapse = "; "))
}
print(coverage)
if (covr::percent_coverage(coverage) < least) {
  stop(sprintf("the tests run %.1f %% of the code, less than %g %%", covr::percent_coverage(coverage), least))
}
