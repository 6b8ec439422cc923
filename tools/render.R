# render.R FILE.Rmd DIRECTORY: execute a vignette; a chunk that fails stops the run.
args <- commandArgs(trailingOnly = TRUE)
dir.create(args[2], recursive = TRUE, showWarnings = FALSE)
rmarkdown::render(args[1], output_dir = normalizePath(args[2]), quiet = TRUE)
