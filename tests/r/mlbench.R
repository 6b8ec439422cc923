# What R's mlbench holds. Usage: Rscript mlbench.R out.json
suppressPackageStartupMessages(library(jsonlite))
data(LetterRecognition, Satellite, Vehicle, Vowel, package = "mlbench")

# All features are whole numbers, so that a row has one spelling and a sum has no rounding; Vowel's are thousandths, and
# its speakers a factor.
contents <- function(data, class, unit = 1) {
  speaker <- vapply(data, is.factor, NA) & names(data) != class
  data[speaker] <- lapply(data[speaker], function(x) as.integer(as.character(x)))
  whole <- names(data) != class & !speaker
  data[whole] <- lapply(data[whole], function(x) round(x * unit))
  features <- data[names(data) != class]
  rows <- do.call(paste, c(lapply(features, as.integer), list(as.character(data[[class]])), sep = ","))
  list(
    features = names(features), sums = unname(colSums(features)), classes = as.list(table(data[[class]])),
    md5 = md5(rows), md5_sorted = md5(sort(rows, method = "radix"))
  )
}
md5 <- function(lines) {
  file <- tempfile()
  on.exit(unlink(file))
  connection <- file(file, "wb")
  writeLines(lines, connection)
  close(connection)
  unname(tools::md5sum(file))
}

answer <- list(
  versions = list(R = as.character(getRversion()), mlbench = as.character(packageVersion("mlbench"))),
  letter = contents(LetterRecognition, "lettr"),
  satimage = contents(Satellite, "classes"),
  vehicle = contents(Vehicle, "Class"),
  vowel_mlbench = contents(Vowel, "Class", 1000)
)
write_json(answer, commandArgs(TRUE)[1], digits = NA, auto_unbox = TRUE)
