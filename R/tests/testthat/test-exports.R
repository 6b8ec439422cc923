# Exported functions are tested, and have a help page with an example.

test_that("every exported function is called in a test", {
  files <- list.files(test_path("."), "^test-.*[.]R$", full.names = TRUE)
  # In the text, because some are called in a new session.
  text <- paste(unlist(lapply(files, readLines)), collapse = "\n")
  called <- function(name) grepl(paste0("\\b", name, "\\("), text)
  exported <- getNamespaceExports("pwcstats")
  expect_identical(Filter(Negate(called), exported), character())
})

test_that("every exported function has a help page with an example", {
  pages <- tools::Rd_db("pwcstats")
  tags <- function(page) vapply(page, attr, "", "Rd_tag")
  aliases <- lapply(pages, function(page) vapply(page[tags(page) == "\\alias"], paste, ""))
  with_example <- vapply(pages, function(page) "\\examples" %in% tags(page), logical(1))
  shown <- unlist(aliases[with_example])
  expect_identical(setdiff(getNamespaceExports("pwcstats"), shown), character())
})
