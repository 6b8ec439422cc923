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

# What these tests show: for each package the models and the functions. Those that work with all of
# these models come first; the models of the others follow them: "vif() with firth()".
works_table <- function(directory) {
  files <- list.files(directory, "^test-works.*[.]R$", full.names = TRUE)
  lines <- unlist(lapply(files, function(file) as.list(parse(file, keep.source = FALSE))))
  is_test <- function(line) is.call(line) && identical(line[[1L]], quote(test_works))
  rows <- lapply(Filter(is_test, lines), function(line) {
    test <- lapply(as.list(match.call(test_works, line))[c("package", "calls", "models")], eval)
    expand.grid(test, stringsAsFactors = FALSE)
  })
  rows <- do.call(rbind, rows)
  join <- function(x) toString(sort(unique(x), method = "radix"))
  of_package <- function(rows) {
    all <- join(rows$models)
    # Calls that work with the same models share an entry.
    calls <- tapply(rows$models, rows$calls, join)
    entries <- tapply(names(calls), calls, join)
    entries <- entries[order(names(entries) != all, -nchar(names(entries)), method = "radix")]
    others <- ifelse(names(entries) == all, "", paste(" with", names(entries)))
    data.frame(
      package = rows$package[[1L]], models = all,
      functions = paste0(entries, others, collapse = "; ")
    )
  }
  packages <- sort(unique(rows$package), method = "radix")
  rows <- lapply(packages, function(package) of_package(rows[rows$package == package, ]))
  do.call(rbind, rows)
}
