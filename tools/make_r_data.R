# Write the data sets of pwcstats/datasets/data for the R package. Run it in the main folder after a CSV file has changed:
# Rscript tools/make_r_data.R
folder <- file.path("pwcstats", "datasets", "data")
read <- function(name, ...) {
  utils::read.csv(file.path(folder, paste0(name, ".csv")), check.names = FALSE, ...)
}

wins <- as.matrix(read("citations", row.names = 1))
names(dimnames(wins)) <- c("cited", "citing")
citations <- as.table(wins)

endometrial <- read("endometrial")

arena <- read("arena")
models <- sort(unique(c(arena$first, arena$second)))
arena$user <- factor(arena$user)
arena$language <- factor(arena$language)
arena$first <- factor(arena$first, levels = models)
arena$second <- factor(arena$second, levels = models)

battles <- read("battles")
models <- sort(unique(c(battles$model_a, battles$model_b)))
battles$user <- factor(battles$user)
battles$language <- factor(battles$language)
battles$model_a <- factor(battles$model_a, levels = models)
battles$model_b <- factor(battles$model_b, levels = models)

# The classifiers and the data sets in the order in which they appear.
classifier_scores <- read("classifier_scores")
for (column in c("method", "dataset")) {
  labels <- classifier_scores[[column]]
  classifier_scores[[column]] <- factor(labels, levels = unique(labels))
}

for (name in sub("[.]csv$", "", list.files(folder, "[.]csv$"))) {
  save(list = name, file = file.path("R", "data", paste0(name, ".rda")), version = 2, compress = "xz")
}
