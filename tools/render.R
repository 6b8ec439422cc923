# render.R FILE.Rmd PAGE.html: execute a vignette; a chunk that fails stops the run.
# The page belongs to the site: it has the site's stylesheet and a way home, and keeps everything else inside.
written <- function(html) {
  file <- tempfile(fileext = ".html")
  writeLines(html, file)
  file
}

# A function, so that the vignette's own variables, which are global, are not these.
render <- function(source, page) {
  dir.create(dirname(page), recursive = TRUE, showWarnings = FALSE)
  around <- rmarkdown::includes(
    # pandoc leaves what is marked as external as it is.
    in_header = written('<link rel="stylesheet" href="../_static/pwcstats.css" data-external="1">'),
    before_body = written(
      '<nav class="home"><a href="../index.html">pwcstats</a> &rsaquo; <a href="index.html">Vignettes</a></nav>'
    )
  )
  format <- rmarkdown::html_document(
    toc = TRUE, toc_depth = 2, theme = NULL, highlight = "tango", mathjax = NULL, pandoc_args = "--mathml", includes = around
  )
  # In a folder of its own: intermediate files come to lie beside the source and the page, where others may be reading.
  folder <- tempfile()
  dir.create(folder)
  file.copy(source, folder)
  made <- rmarkdown::render(
    file.path(folder, basename(source)), format,
    output_file = basename(page), envir = globalenv(), quiet = TRUE
  )
  stopifnot(file.copy(made, page, overwrite = TRUE))
}

# reticulate looks for pyplot's hooks, which no page needs, before each chunk of Python, and takes half a second for it.
if (exists("eng_python_initialize_hooks", asNamespace("reticulate"))) {
  assignInNamespace("eng_python_initialize_hooks", function(...) NULL, "reticulate")
}

args <- commandArgs(trailingOnly = TRUE)
render(args[1], args[2])
