# The table "Works with" of the vignette, and the tests from which it is made.

test_that("the table of the vignette is that of the tests", {
  # R CMD check runs the installed tests, beside the installed package.
  stored <- utils::read.csv(system.file("works-with.csv", package = "pwcstats"))
  expect_identical(stored, works_table(test_path()))
})
