# Shapes and names of the result follow from the input.

classes <- c("x", "y", "z")

stacked <- function() {
  r <- array(NA_real_, c(2, 3, 3))
  r[1, , ] <- example_r
  r[2, , ] <- t(example_r)
  r
}

test_that("a matrix gives a vector, named as its columns or rows", {
  skip_without_python()
  plain <- couple(example_r)
  expect_null(attributes(plain))
  expect_length(plain, 3)
  for (names in list(list(classes, classes), list(NULL, classes), list(classes, NULL))) {
    r <- example_r
    dimnames(r) <- names
    expect_identical(couple(r), setNames(plain, classes))
  }
})

test_that("rows in another order than the columns are put in order", {
  skip_without_python()
  r <- example_r
  dimnames(r) <- list(classes, classes)
  expect_equal(couple(r[c(3, 1, 2), ]), couple(r))
})

test_that("an array gives a matrix with the names of samples and classes", {
  skip_without_python()
  r <- stacked()
  plain <- couple(r)
  expect_identical(dim(plain), c(2L, 3L))
  expect_null(dimnames(plain))
  expect_equal(plain[1, ], couple(example_r))
  dimnames(r) <- list(c("s", "t"), NULL, classes)
  expect_identical(dimnames(couple(r)), list(c("s", "t"), classes))
  dimnames(r) <- list(c("s", "s"), classes, NULL)
  expect_identical(dimnames(couple(r)), list(c("s", "s"), classes))
  expect_equal(unname(couple(r)), plain)
})

test_that("a condensed matrix gives a matrix, with classes from columns named a/b", {
  skip_without_python()
  r <- t(apply(stacked(), 1, condense))
  plain <- couple(r, condensed = TRUE)
  expect_equal(plain, couple(stacked()))
  expect_null(dimnames(plain))
  dimnames(r) <- list(c("s", "t"), c("x/y", "x/z", "y/z"))
  expect_identical(dimnames(couple(r, condensed = TRUE)), list(c("s", "t"), classes))
  colnames(r) <- c("V1", "V2", "V3")
  expect_identical(dimnames(couple(r, condensed = TRUE)), list(c("s", "t"), NULL))
})

test_that("a condensed vector gives a vector", {
  skip_without_python()
  r <- condense(example_r)
  expect_equal(couple(r, condensed = TRUE), couple(example_r))
  names(r) <- c("x/y", "x/z", "y/z")
  expect_equal(couple(r, condensed = TRUE), setNames(couple(example_r), classes))
})

test_that("data frames are accepted, and automatic row names are dropped", {
  skip_without_python()
  r <- data.frame(t(condense(example_r)))
  expect_null(dimnames(couple(r, condensed = TRUE)))
  row.names(r) <- "first"
  expect_identical(rownames(couple(r, condensed = TRUE)), "first")
  p <- c(x = .5, y = .3, z = .2)
  expect_equal(couple(as.data.frame(pairs_of(p))), p)
})

test_that("classes are names or the levels of a factor", {
  skip_without_python()
  expect_named(couple(example_r, classes = c("a", "b", "c")), c("a", "b", "c"))
  shuffled <- c("b", "a", "c")
  expect_named(couple(example_r, classes = factor("b", levels = shuffled)), shuffled)
  condensed <- rbind(condense(example_r))
  expect_identical(colnames(couple(condensed, condensed = TRUE, classes = 1:3)), c("1", "2", "3"))
  expect_identical(colnames(couple(stacked(), classes = classes)), classes)
})

test_that("classes that contradict the names of r are refused", {
  skip_without_python()
  refused <- function(call) {
    expect_error(call, "labelled by the classes .*, but classes says", class = "pwcstats_error")
  }
  r <- example_r
  dimnames(r) <- list(classes, classes)
  refused(couple(r, classes = rev(classes)))
  expect_equal(couple(r, classes = classes), couple(r))
  condensed <- rbind(condense(example_r))
  colnames(condensed) <- c("x/y", "x/z", "y/z")
  refused(couple(condensed, condensed = TRUE, classes = rev(classes)))
  rownames(condensed) <- "s"
  refused(couple(condensed, condensed = TRUE, classes = rev(classes)))
  many <- stacked()
  dimnames(many) <- list(NULL, classes, classes)
  refused(couple(many, classes = rev(classes)))
})

test_that("integers and logicals are numbers", {
  skip_without_python()
  wins <- matrix(c(NA, TRUE, TRUE, FALSE, NA, TRUE, FALSE, FALSE, NA), 3, byrow = TRUE)
  expect_equal(couple(wins, "vote"), c(2, 1, 0) / 3)
  expect_equal(couple(wins + 0L, "vote"), c(2, 1, 0) / 3)
  mixed <- data.frame(a = TRUE, b = 1L, c = .75)
  expect_equal(couple(mixed, "vote", condensed = TRUE), rbind(c(2, 1, 0) / 3))
})

test_that("two classes, one sample and no sample keep their shapes", {
  skip_without_python()
  expect_equal(couple(.3, condensed = TRUE), c(.3, .7))
  expect_equal(couple(c("a/b" = .3), condensed = TRUE), c(a = .3, b = .7))
  expect_equal(couple(matrix(.3), condensed = TRUE, classes = c("a", "b")), cbind(a = .3, b = .7))
  expect_identical(dim(couple(stacked()[1, , , drop = FALSE])), c(1L, 3L))
  expect_identical(dim(couple(stacked()[0, , , drop = FALSE])), c(0L, 3L))
  expect_identical(dim(couple(matrix(0, 0, 3), condensed = TRUE)), c(0L, 3L))
})

test_that("named weights are put in the order of the classes", {
  skip_without_python()
  r <- example_r
  dimnames(r) <- list(classes, classes)
  n <- matrix(c(0, 5, 9, 5, 0, 2, 9, 2, 0), 3, dimnames = list(classes, classes))
  expect_equal(couple(r, "ht", n = n[c(2, 3, 1), c(2, 3, 1)]), couple(r, "ht", n = n))
  expect_equal(couple(unname(r), "ht", n = n), unname(couple(r, "ht", n = n)))
})

test_that("return_info adds information on each sample", {
  skip_without_python()
  r <- stacked()
  dimnames(r) <- list(c("s", "t"), NULL, classes)
  info <- couple(r, "ht", return_info = TRUE)
  expect_s3_class(info, "pwcstats_coupling")
  expect_named(info, c("proba", "kl", "n_iter", "converged"))
  expect_identical(info$proba, couple(r, "ht"))
  p <- info$proba["s", ]
  upper <- upper.tri(example_r)
  mu <- pairs_of(p)[upper]
  r_upper <- example_r[upper]
  kl <- sum(r_upper * log(r_upper / mu) + (1 - r_upper) * log((1 - r_upper) / (1 - mu)))
  expect_equal(info$kl[["s"]], kl, tolerance = 1e-9)
  expect_identical(info$converged, c(s = TRUE, t = TRUE))
  expect_type(info$n_iter, "integer")
})

test_that("the result of return_info prints", {
  skip_without_python()
  r <- stacked()
  dimnames(r) <- list(c("s", "t"), NULL, classes)
  many <- capture.output(out <- withVisible(print(couple(r, "ht", return_info = TRUE))))
  expect_false(out$visible)
  expect_match(many[[1]], "\"ht\": 2 samples, 3 classes", fixed = TRUE)
  expect_match(many, "distance): median .*, largest .* \\(sample [st]\\)$", all = FALSE)
  expect_match(many, "^Converged", all = FALSE)
  one <- capture.output(print(couple(example_r, return_info = TRUE)))
  expect_match(one[[1]], "1 sample, 3 classes", fixed = TRUE)
  long <- couple(r[rep(1, 10), , ], return_info = TRUE)
  expect_match(capture.output(print(long)), "and 4 more", all = FALSE)
  long$converged[2] <- FALSE
  expect_match(capture.output(print(long)), "Not converged: 1 of 10 samples", all = FALSE)
})

test_that("Python writes into a new R matrix, and refuses a copy", {
  skip_without_python()
  load_python(NULL)
  source <- to_py(matrix(1:6 + 0, 2))
  expect_identical(matrix_from_py(source), matrix(1:6 + 0, 2))
  expect_false(from_py(python$bridge$fill(source$copy(), source)))
})

test_that("missing values of pairs without weight give no warning", {
  skip_without_python()
  expect_silent(p <- couple(c(.9, NA, .7), "ht", n = c(200, 0, 180), condensed = TRUE))
  expect_equal(p, c(63, 7, 3) / 73, tolerance = 1e-6)
})
