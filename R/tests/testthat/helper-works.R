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
