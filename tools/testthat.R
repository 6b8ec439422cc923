# Run the testthat suite of R/ on the installed package. In a complete environment nothing may be skipped, and as in the
# Python tests a warning that no test expects is a failure.
results <- as.data.frame(testthat::test_local("R", load_package = "installed", reporter = "check"))
stopifnot("no R tests were found" = nrow(results) > 0)
trouble <- results$skipped | results$warning > 0
if (any(trouble)) {
  stop("R tests skipped or with warnings: ", paste(results$test[trouble], collapse = "; "))
}
