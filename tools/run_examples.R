# run_examples.R BLOCKS.json: run the R blocks of a document in one session and compare what they print.
#
# Lines that begin with "#>" are the expected output of the expression before them; "..." stands for anything. Other output is
# not compared. Warnings and errors must be expected.
folded <- function(text) trimws(gsub("[[:space:]]+", " ", paste(text, collapse = " ")))

matches <- function(expected, actual) {
  pieces <- strsplit(folded(expected), "...", fixed = TRUE)[[1]]
  pattern <- paste0("^", paste0("\\Q", trimws(pieces), "\\E", collapse = ".*?"), if (grepl("\\.\\.\\.$", folded(expected))) ".*", "$")
  grepl(gsub("\\Q\\E", "", gsub(" *\\.\\*\\? *", ".*?", pattern), fixed = TRUE), folded(actual), perl = TRUE)
}

# What the last expression prints, its warnings and errors, and those of the expressions before it.
run <- function(code, envir) {
  earlier <- said <- character()
  say <- function(text) said <<- c(said, text)
  printed <- utils::capture.output({
    failed <- tryCatch(
      withCallingHandlers(
        for (expression in parse(text = code, keep.source = FALSE)) {
          earlier <- c(earlier, said)
          said <- character()
          cat("\1\n")
          value <- withVisible(eval(expression, envir))
          if (value$visible) print(value$value)
        },
        warning = function(w) {
          say(paste("Warning:", conditionMessage(w)))
          invokeRestart("muffleWarning")
        },
        message = function(m) invokeRestart("muffleMessage")
      ),
      error = function(e) say(paste("Error:", conditionMessage(e)))
    )
  })
  last <- max(c(0, which(printed == "\1")))
  list(printed = printed[seq_along(printed) > last], said = said, earlier = earlier)
}

args <- commandArgs(trailingOnly = TRUE)
blocks <- jsonlite::read_json(args[1])
options(digits = 7, width = 80, cli.num_colors = 1L)
grDevices::pdf(NULL)
envir <- globalenv()
failures <- 0L
for (block in blocks) {
  lines <- unlist(strsplit(block$code, "\n", fixed = TRUE))
  shown <- grepl("^#>", lines)
  # A run of code and the output below it.
  segment <- cumsum(c(TRUE, diff(shown) < 0))
  for (piece in split(seq_along(lines), segment)) {
    code <- lines[piece][!shown[piece]]
    expected <- sub("^#> ?", "", lines[piece][shown[piece]])
    got <- run(code, envir)
    # Errors have a call that documents need not repeat.
    wanted <- sub("^(Error|Warning)( in .*?)?: ", "\\1: ", folded(expected), perl = TRUE)
    actual <- if (length(expected) && grepl("^(Error|Warning)", wanted)) got$said else got$printed
    unexpected <- c(got$earlier, if (!identical(actual, got$said)) got$said)
    if ((length(expected) && !matches(wanted, actual)) || length(unexpected)) {
      failures <- failures + 1L
      cat(block$where, ": ", sep = "")
      cat("this R code\n", paste0("    ", code, "\n"), sep = "")
      if (length(expected)) cat("should print\n", paste0("    ", expected, "\n"), sep = "")
      cat("but printed\n", paste0("    ", c(got$printed, got$earlier, got$said), "\n"), sep = "")
    }
  }
}
quit(status = failures > 0)
