# The text on a page.
draw <- function(code) {
  file <- tempfile(fileext = ".ps")
  on.exit(unlink(file))
  # Kerning would break words apart.
  grDevices::postscript(file, useKerning = FALSE)
  result <- tryCatch(code(), finally = grDevices::dev.off())
  list(result = result, page = paste(readLines(file), collapse = ""))
}

expect_written <- function(words, page) {
  for (word in words) {
    expect_true(grepl(word, page, fixed = TRUE), label = word)
  }
}

# What was drawn, recorded from functions of graphics: points (x, y, pch, col), segments
# (x0, y0, x1, y1, col), text (x, y, label), names beside axes, and lines across (v, h).
record_drawing <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  result <- code()
  calls <- lapply(grDevices::recordPlot()[[1L]], function(entry) entry[[2L]])
  of <- function(name) {
    chosen <- vapply(calls, function(args) identical(args[[1L]]$name, name), logical(1L))
    lapply(calls[chosen], function(args) args[-1L])
  }
  joined <- function(name, read) do.call(rbind, lapply(of(name), read))
  list(
    result = result,
    points = joined("C_plotXY", function(args) {
      if (length(args[[1L]]$x)) {
        data.frame(x = args[[1L]]$x, y = args[[1L]]$y, pch = args[[3L]], col = args[[5L]])
      }
    }),
    segments = joined("C_segments", function(args) {
      data.frame(x0 = args[[1L]], y0 = args[[2L]], x1 = args[[3L]], y1 = args[[4L]], col = args$col)
    }),
    text = joined("C_text", function(args) {
      data.frame(x = args[[1L]]$x, y = args[[1L]]$y, label = args[[2L]])
    }),
    names = joined("C_axis", function(args) {
      if (is.character(args[[3L]])) data.frame(at = args[[2L]], label = args[[3L]])
    }),
    across = lapply(of("C_abline"), function(args) list(h = args[[3L]], v = args[[4L]]))
  )
}
