# Covariates of the items: a formula, a matrix or a data frame.

# The formula of the abilities, or NULL. `sides` are variables of the sides of a contest; with
# `only_items` there are only variables of items.
read_design <- function(structure, sides, only_items, call) {
  formula <- structure$formula
  covariates <- structure$covariates
  item_data <- structure$item_data
  if (!is.null(formula) && !is.null(covariates)) {
    abort("formula and covariates both describe the abilities; give only one of them.", call)
  }
  if (inherits(covariates, "formula")) {
    if (is.null(item_data)) {
      abort("covariates is a formula, so item_data is needed, with the items as row names.", call)
    }
    formula <- covariates
    only_items <- TRUE
  }
  if (!is.null(item_data)) {
    check_item_data(formula, covariates, item_data, call)
  }
  if (is.null(formula)) {
    return(NULL)
  }
  read_formula(formula, structure$id, item_data, if (!only_items) sides, only_items, call)
}

check_item_data <- function(formula, covariates, item_data, call) {
  if (!is.null(covariates) && is.null(formula)) {
    abort("item_data is only for covariates that are a formula; leave it out.", call)
  }
  if (is.null(formula)) {
    abort("item_data needs a formula, such as ~ x for its column x.", call)
  }
  if (!is.data.frame(item_data)) {
    abort(
      sprintf(
        "item_data must be a data frame with the items as row names, not %s.", kind(item_data)
      ),
      call
    )
  }
}

check_separate <- function(separate, input, call) {
  if (length(separate) && !length(input$design$items)) {
    abort("separate.ability needs a formula with covariates of the items.", call)
  }
  unknown <- setdiff(separate, input$items)
  if (length(unknown)) {
    abort(sprintf("separate.ability must be items, got '%s'.", unknown[[1L]]), call)
  }
}

# A numeric matrix with one row for each item, or NULL.
read_covariates <- function(structure, input, values, call) {
  if (!is.null(input$design)) {
    return(ability_columns(input$design, values, call))
  }
  covariates <- structure$covariates
  if (is.null(covariates)) {
    return(NULL)
  }
  if (is.character(covariates)) {
    abort("covariates must be a formula such as ~ x1 + x2, a matrix or a data frame.", call)
  }
  if (is.data.frame(covariates)) {
    return(covariates_of(rows_of_items(covariates, "covariates", input$items, call), call))
  }
  covariate_matrix(as_numbers(covariates, "covariates", call), input$items, call)
}

# The matrix that multiplies the coefficients to give the abilities: items without covariates have a
# column of their own.
with_own_columns <- function(z) {
  if (!anyNA(z)) {
    return(z)
  }
  own <- rowSums(is.na(z)) > 0
  columns <- outer(rownames(z), rownames(z)[own], "==") + 0
  z[own, ] <- 0
  with_dimnames(cbind(columns, z), rownames(z), c(rownames(z)[own], colnames(z)))
}

rows_of_items <- function(x, name, items, call) {
  if (!is.data.frame(x)) {
    abort(
      sprintf("%s must be a data frame with the items as row names, not %s.", name, kind(x)),
      call
    )
  }
  as.data.frame(x)[match_items(rownames(x), name, items, call), , drop = FALSE]
}

match_items <- function(rows, name, items, call) {
  lacking <- setdiff(items, rows)
  if (length(lacking)) {
    abort(
      sprintf(
        "%s must have a row for each item; its row names lack %s.", name,
        quoted(utils::head(lacking, 8L))
      ),
      call
    )
  }
  match(items, rows)
}

# The intercept is removed at the end, so that a factor has one column fewer than levels.
covariates_of <- function(data, call) {
  tryCatch(
    {
      frame <- stats::model.frame(~., droplevels(data), na.action = stats::na.pass)
      stats::model.matrix(~., frame)[, -1L, drop = FALSE]
    },
    error = function(e) abort_covariates(e, call)
  )
}

covariate_matrix <- function(x, items, call) {
  rows <- dimnames(x)[[1L]]
  if (!length(dim(x)) %in% 1:2 || (is.null(rows) && nrow(x) != length(items))) {
    abort(
      sprintf(
        "covariates must have one row for each of the %d items, got %s.",
        length(items), extent(x)
      ),
      call
    )
  }
  columns <- if (length(dim(x)) == 2L) colnames(x)
  x <- matrix(x, nrow(x))
  colnames(x) <- first_of(columns, paste0("x", seq_len(ncol(x))))
  if (is.null(rows)) x else x[match_items(rows, "covariates", items, call), , drop = FALSE]
}
