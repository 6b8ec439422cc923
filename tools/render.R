# render.R FILE.Rmd PAGE.html: execute a vignette; a chunk that fails stops the run.
# The page belongs to the site: it has the site's stylesheet and a way home, and keeps everything else inside.
args <- commandArgs(trailingOnly = TRUE)
dir.create(dirname(args[2]), recursive = TRUE, showWarnings = FALSE)

# pandoc leaves what is marked as external as it is.
head <- tempfile(fileext = ".html")
writeLines('<link rel="stylesheet" href="../_static/pwcstats.css" data-external="1">', head)
home <- tempfile(fileext = ".html")
writeLines('<nav class="home"><a href="../index.html">pwcstats</a> &rsaquo; <a href="index.html">Vignettes</a></nav>', home)

page <- rmarkdown::html_document(
  toc = TRUE, toc_depth = 2, theme = NULL, highlight = "tango", mathjax = NULL, pandoc_args = "--mathml",
  includes = rmarkdown::includes(in_header = head, before_body = home)
)
# Intermediate files apart: sources may be read by others at the same time.
rmarkdown::render(
  args[1], page,
  output_file = basename(args[2]), output_dir = normalizePath(dirname(args[2])), intermediates_dir = tempfile(), quiet = TRUE
)
