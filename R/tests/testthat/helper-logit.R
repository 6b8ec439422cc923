# Overlapping classes and a factor; tests add missing values.
visits <- data.frame(
  x = c(0.3, -1.2, 0.8, 1.9, -0.4, 0.1, -2.0, 1.1, 0.6, -0.7, 1.4, -0.2, 0.9, -1.5, 0.2, 2.1),
  site = factor(rep(c("north", "south", "west"), length.out = 16)),
  ill = c(0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1),
  grade = factor(
    c(
      "mild", "none", "mild", "bad", "bad", "bad", "none", "mild", "bad", "mild", "none", "none",
      "bad", "mild", "none", "none"
    ),
    levels = c("none", "mild", "bad"), ordered = TRUE
  )
)

# Nobody under 40 is ill.
separated <- data.frame(
  age = c(22, 28, 31, 35, 39, 41, 46, 52, 60), ill = c(0, 0, 0, 0, 0, 1, 1, 1, 1)
)

# Data from a package, without attaching it.
data_of <- function(name, package) {
  space <- new.env()
  utils::data(list = name, package = package, envir = space)
  space[[name]]
}

standard_errors <- function(fit) {
  unname(sqrt(diag(vcov(fit))))
}

# Results of a saved fit in a new session; `code` makes a list from `fit`.
ask_elsewhere <- function(fit, code) {
  file <- tempfile(fileext = ".rds")
  answer <- tempfile(fileext = ".rds")
  on.exit(unlink(c(file, answer)))
  saveRDS(fit, file)
  said <- run_in_new_r(c(
    "library(pwcstats)",
    sprintf("fit <- readRDS(%s)", deparse(file)),
    sprintf("saveRDS(%s, %s)", code, deparse(answer))
  ))
  expect_identical(said, character())
  readRDS(answer)
}
