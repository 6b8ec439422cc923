# Lint the R package by the rules of R/.lintr; anything found is a failure. So is a name that is defined twice: R keeps the
# definition in the later file, without a warning.
is_definition <- function(line) is.call(line) && identical(line[[1L]], quote(`<-`))
defined <- unlist(lapply(list.files("R/R", "[.]R$", full.names = TRUE), function(file) {
  vapply(Filter(is_definition, as.list(parse(file))), function(line) deparse1(line[[2L]]), "")
}))
twice <- unique(defined[duplicated(defined)])
if (length(twice)) {
  cat("Defined twice in R/R:", twice, "\n")
}
found <- lintr::lint_package("R")
print(found)
quit(status = as.integer(length(found) + length(twice) > 0))
