# Run the testthat suite of R/ on the installed package. In a complete environment nothing may be skipped.
results <- as.data.frame(testthat::test_local("R", load_package = "installed", reporter = "check"))
stopifnot("no R tests were found" = nrow(results) > 0)
if (any(results$skipped)) {
  stop("skipped R tests: ", paste(results$test[results$skipped], collapse = "; "))
}
