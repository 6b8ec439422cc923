# knit.R SOURCE.Rmd VALUES.json OUTPUT.md: run the R chunks of a vignette; a chunk that fails stops the run.
#
# vignettes.py calls this in a folder of its own. Chunks are written between markers, with their labels. Python chunks are not
# run: vignettes.py puts what its notebook shows in their place. py("expression") returns a value of the notebook.
args <- commandArgs(trailingOnly = TRUE)
set.seed(1)

py <- local({
  values <- jsonlite::read_json(args[2], simplifyVector = TRUE)
  function(expression) {
    stopifnot("the notebook has no such value; write the expression as one literal string" = expression %in% names(values))
    values[[expression]]
  }
})

knitr::render_markdown()
knitr::opts_knit$set(progress = FALSE, verbose = FALSE)
knitr::opts_chunk$set(
  error = FALSE, collapse = TRUE, comment = "#>", dev = "svg", fig.width = 7, fig.height = 4.2, fig.path = "figures/"
)
options(digits = 4, width = 90)

# Errors and warnings are long sentences.
wrapped <- function(hook) {
  force(hook)
  function(x, options) hook(paste0(strwrap(gsub("(^|\n)#> ", " ", x), 88, prefix = "#> "), "\n", collapse = ""), options)
}
knitr::knit_hooks$set(
  error = wrapped(knitr::knit_hooks$get("error")),
  warning = wrapped(knitr::knit_hooks$get("warning")),
  message = wrapped(knitr::knit_hooks$get("message")),
  plot = function(x, options) {
    alt <- options$fig.alt
    if (is.null(alt)) stop("the chunk ", options$label, " draws a picture: describe it in fig.alt")
    # Not in backticks, which knitr would take for a block of code.
    paste0("\n:::{image} ", x, "\n:alt: ", alt[min(options$fig.cur, length(alt))], "\n:class: plot\n:::\n")
  },
  chunk = local({
    plain <- knitr::knit_hooks$get("chunk")
    function(x, options) paste0("\n<!--chunk ", options$label, "-->\n", plain(x, options), "\n<!--end-->\n")
  })
)
knitr::knit_engines$set(python = function(options) "")

invisible(knitr::knit(args[1], args[3], quiet = TRUE, envir = globalenv(), encoding = "UTF-8"))
