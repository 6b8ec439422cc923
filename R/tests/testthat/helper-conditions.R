# An error of the package, with these words.
expect_refused <- function(call, words) {
  expect_error(call, words, class = "pwcstats_error")
}
