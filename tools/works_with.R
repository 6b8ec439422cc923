# Write the table "Works with" of the R vignette from the tests that show it. Run it in the main folder after a call of
# test_works() has changed: Rscript tools/works_with.R
source("R/tests/testthat/helper-works.R")
table <- works_table("R/tests/testthat")
utils::write.csv(table, "R/inst/works-with.csv", row.names = FALSE)
