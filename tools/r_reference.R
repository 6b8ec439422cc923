# r_reference.R PACKAGE FOLDER: the help pages of an R package as HTML, and their examples with what they print as Markdown.
#
# r_reference.py calls this and makes pages for the site of it. An example that fails stops the run.
args <- commandArgs(trailingOnly = TRUE)
package <- normalizePath(args[1])
dir.create(args[2], showWarnings = FALSE)
folder <- normalizePath(args[2])
pages <- lapply(list.files(file.path(package, "man"), "[.]Rd$", full.names = TRUE), tools::parse_Rd)
texts <- function(rd, tag) {
  found <- Filter(function(part) attr(part, "Rd_tag") == tag, rd)
  vapply(found, function(part) trimws(gsub("[[:space:]]+", " ", paste(unlist(part), collapse = ""))), "")
}

library(pwcstats)
setwd(folder)
set.seed(1)
knitr::render_markdown()
knitr::opts_knit$set(progress = FALSE, verbose = FALSE)
knitr::opts_chunk$set(
  error = FALSE, collapse = TRUE, comment = "#>", dev = "svg", fig.width = 7, fig.height = 4.2, message = FALSE
)
options(digits = 4, width = 90)

# Every alias leads to the page that has it.
links <- unlist(lapply(unname(pages), function(rd) {
  aliases <- texts(rd, "\\alias")
  stats::setNames(rep(paste0(texts(rd, "\\name"), ".html"), length(aliases)), aliases)
}))

about <- lapply(pages, function(rd) {
  name <- texts(rd, "\\name")
  title <- texts(rd, "\\title")
  # Links to the help of other packages are left out.
  suppressWarnings(tools::Rd2HTML(
    rd, file.path(folder, paste0(name, ".html")),
    package = "pwcstats", Links = links, Links2 = c(none = NA_character_)
  ))
  code <- tempfile(fileext = ".R")
  tools::Rd2ex(rd, code, commentDontrun = TRUE, commentDonttest = FALSE)
  examples <- if (file.exists(code)) readLines(code, encoding = "UTF-8") else character()
  start <- grep("^### \\*\\* Examples", examples)
  if (length(start)) {
    examples <- examples[-seq_len(start)]
    examples <- examples[!grepl("^## (End\\(|Not run:|Don't (run|show):)", examples)]
    # roxygen's @examplesIf writes these lines around an example.
    examples <- examples[!grepl("\\(if \\(|\\}\\) # examplesIf|withAutoprint\\(\\{|DONTSHOW|\\(interactive\\(\\)\\)", examples)]
    knitr::opts_chunk$set(fig.path = paste0("figures/", name, "-"))
    alt <- paste0("Figure of the example: ", title)
    knitr::knit_hooks$set(plot = function(x, options) paste0("\n.. image:: ", x, "\n   :alt: ", alt, "\n   :class: plot\n\n"))
    source <- c("```{r}", trimws(paste(examples, collapse = "\n")), "```")
    made <- knitr::knit(text = source, quiet = TRUE, envir = new.env(parent = globalenv()))
    writeLines(made, file.path(folder, paste0(name, ".examples")))
  }
  list(name = name, title = title, aliases = texts(rd, "\\alias"), keywords = texts(rd, "\\keyword"))
})
jsonlite::write_json(unname(about), file.path(folder, "about.json"), auto_unbox = FALSE)
