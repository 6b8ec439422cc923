# Write a data set of a package as CSV files. Usage: Rscript from_r.R package set directory
# Uses base R only. Factors are written as integer codes; levels.csv has their levels.
arguments <- commandArgs(TRUE)
package <- arguments[1]
set <- arguments[2]
directory <- arguments[3]

# from_r.py reads this status as "the package is not installed".
if (!nzchar(system.file(package = package))) quit(status = 3)

# data() only warns if there is no such data set.
options(warn = 2)
found <- new.env()
utils::data(list = set, package = package, envir = found)
data <- found[[set]]

# psychotools has a matrix with one row per subject and one column per pair, of 1 and -1. This makes one row per
# comparison, sorted by subject. If it is known which item was presented first (ordered.pref), that one is `first`.
compared <- function(data) {
  paired <- intersect(c("ordered.pref", "preference"), names(data))
  choices <- unclass(data[[paired[1]]])
  items <- attr(choices, "labels")
  pairs <- matrix(as.integer(unlist(strsplit(colnames(choices), ":"))), 2)
  cell <- which(!is.na(choices), arr.ind = TRUE)
  cell <- cell[order(cell[, "row"], (cell[, "col"] - 1) %% choose(length(items), 2)), ]
  chosen <- choices[cell]
  stopifnot(chosen %in% c(-1, 1))
  side <- function(number) structure(number, levels = items, class = "factor")
  first <- pairs[1, cell[, "col"]]
  second <- pairs[2, cell[, "col"]]
  tables <- list(
    comparisons = data.frame(
      subject = cell[, "row"], first = side(first), second = side(second),
      winner = side(ifelse(chosen == 1, first, second)), row.names = NULL
    ),
    subjects = data[setdiff(names(data), c("ordered.pref", "preference"))]
  )
  about_items <- attr(choices, "covariates")
  if (is.null(about_items)) return(tables)
  row.names(about_items) <- items
  c(tables, list(items = about_items))
}

# The first table is the main one.
tables <- if (set == "chameleons") {
  c(list(contests = data.frame(winner = data$winner$ID, loser = data$loser$ID)), data)
} else if (!is.data.frame(data)) {
  data
} else if ("preference" %in% names(data)) {
  compared(data)
} else {
  list(frame = data)
}

# 17 digits represent every double exactly.
plain <- function(x) {
  if (is.factor(x)) return(as.integer(x))
  if (is.double(x)) return(ifelse(is.na(x), NA, sprintf("%.17g", x)))
  x
}
save <- function(table, name) {
  file <- file.path(directory, paste0(name, ".csv"))
  utils::write.csv(table, file, na = "", fileEncoding = "UTF-8", row.names = name != "levels")
}
codebook <- list(data.frame(table = character(), column = character(), ordered = logical(), level = character()))
for (name in names(tables)) {
  table <- tables[[name]]
  for (column in names(table)[vapply(table, is.factor, NA)]) {
    values <- table[[column]]
    codebook <- c(codebook, list(data.frame(
      table = name, column = column, ordered = is.ordered(values), level = levels(values)
    )))
  }
  table[] <- lapply(table, plain)
  save(table, name)
}
save(do.call(rbind, codebook), "levels")
