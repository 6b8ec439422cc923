# Expects an error of the package whose message matches.
expect_refused <- function(call, words) {
  expect_error(call, words, class = "pwcstats_error")
}
