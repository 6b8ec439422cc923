library(testthat)
library(pwcstats)

test_check("pwcstats")
