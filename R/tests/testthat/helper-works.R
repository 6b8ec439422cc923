# Tests that other packages work with our models. The vignette's table "Works with" is made from
# their arguments by tools/works_with.R, so `package`, `calls` and `models` are literal strings.
# package    name of the other package
# calls      its functions that the test calls, such as c("emmeans()", "contrast()")
# models     our functions whose fits it calls them with, such as c("firth()", "bt()")
test_works <- function(package, calls, models, code) {
  title <- sprintf("%s: %s with %s", package, toString(calls), toString(models))
  test <- bquote(test_that(.(title), {
    skip_without_python()
    skip_without_package(.(package))
    .(substitute(code))
  }))
  eval(test, parent.frame())
}

# What these tests show: for each package the calls, and the models with which they work.
works_table <- function(directory) {
  files <- list.files(directory, "^test-works.*[.]R$", full.names = TRUE)
  lines <- unlist(lapply(files, function(file) as.list(parse(file, keep.source = FALSE))))
  is_test <- function(line) is.call(line) && identical(line[[1L]], quote(test_works))
  rows <- lapply(Filter(is_test, lines), function(line) {
    test <- lapply(as.list(match.call(test_works, line))[c("package", "calls", "models")], eval)
    expand.grid(test, stringsAsFactors = FALSE)
  })
  rows <- do.call(rbind, rows)
  # Calls that work with the same models share a row.
  join <- function(x) toString(sort(unique(x), method = "radix"))
  rows <- stats::aggregate(models ~ calls + package, rows, join)
  rows <- stats::aggregate(calls ~ models + package, rows, join)
  rows <- rows[order(rows$package, rows$models, method = "radix"), c("package", "calls", "models")]
  data.frame(rows, row.names = NULL)
}
