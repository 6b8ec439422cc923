# Lint the R package by the rules of R/.lintr; anything found is a failure.
found <- lintr::lint_package("R")
print(found)
quit(status = as.integer(length(found) > 0))
