# Covariates of the items as a numeric matrix with one row for each item, or NULL.

read_covariates <- function(covariates, item_data, items, call) {
  if (is.null(covariates)) {
    if (!is.null(item_data)) {
      abort("item_data needs a formula; give it as covariates.", call)
    }
    return(NULL)
  }
  if (inherits(covariates, "formula")) {
    if (is.null(item_data)) {
      abort("covariates is a formula, so item_data is needed, with the items as row names.", call)
    }
    return(covariates_of(covariates, rows_of_items(item_data, "item_data", items, call), call))
  }
  if (is.character(covariates)) {
    abort("covariates must be a formula such as ~ x1 + x2, a matrix or a data frame.", call)
  }
  if (!is.null(item_data)) {
    abort("item_data is only for covariates that are a formula; leave it out.", call)
  }
  if (is.data.frame(covariates)) {
    return(covariates_of(~., rows_of_items(covariates, "covariates", items, call), call))
  }
  covariate_matrix(as_numbers(covariates, "covariates", call), items, call)
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
covariates_of <- function(formula, data, call) {
  wrong <- function(e) {
    reason <- sub("\\.$", "", conditionMessage(e))
    abort(sprintf("the covariates cannot be computed: %s.", reason), call)
  }
  terms <- tryCatch(stats::terms(formula, data = data), error = wrong)
  if (attr(terms, "response") == 1L || !is.null(attr(terms, "offset"))) {
    abort("covariates must be a formula without response and offset, such as ~ x1 + x2.", call)
  }
  attr(terms, "intercept") <- 1L
  tryCatch(
    {
      data <- droplevels(data)
      frame <- stats::model.frame(terms, data, na.action = stats::na.pass)
      stats::model.matrix(terms, frame)[, -1L, drop = FALSE]
    },
    error = wrong
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
