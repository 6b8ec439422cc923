# The formula of bt(), as in BTm() of BradleyTerry2: ~ .. + x[..] + z + (1 | ..). Its variables have
# one of four kinds:
#
# id       the item itself, by default called ..
# item     x[..], or a column of item_data: one value for each item
# side     a column of the data frames player1 and player2: one value for each side of a contest
# contest  any other variable: one value for each contest, which is that of player1 minus player2
#
# The id is a term for free abilities. Terms with variables of items only are covariates of the
# abilities. All other terms are covariates of the contests.

# formula  the formula, without the response that update() may have added
# terms    its terms without the random effect
# random   whether it has (1 | ..)
# id       name of the item in the formula
# kinds    kind of each variable, by its label
# free     whether abilities are free
# items    labels of the terms that are covariates of the abilities
# contest  labels of the terms that are covariates of the contests
read_formula <- function(formula, id, item_data, sides, only_items, call) {
  if (!inherits(formula, "formula")) {
    abort(sprintf("formula must be a formula such as ~ x, not %s.", kind(formula)), call)
  }
  formula <- stats::formula(formula)
  # update() gives a formula without response the response `.`.
  if (length(formula) == 3L && identical(formula[[2L]], quote(.))) {
    formula[[2L]] <- NULL
  }
  terms <- tryCatch(
    stats::terms(formula, data = item_data),
    error = function(e) abort_covariates(e, call)
  )
  if (attr(terms, "response") == 1L || !is.null(attr(terms, "offset"))) {
    abort("the formula must have no response and no offset, as in ~ x1 + x2.", call)
  }
  random <- random_effect(terms, id, call)
  fixed <- terms[setdiff(seq_along(attr(terms, "term.labels")), random)]
  attr(fixed, "intercept") <- 1L
  variables <- variables_by_label(fixed)
  kinds <- vapply(variables, kind_of_variable, "", id, sides, names(item_data))
  if (only_items) {
    kinds[kinds == "contest"] <- "item"
  }
  found <- list(
    formula = stats::formula(terms), terms = fixed, random = length(random) > 0L, id = id,
    kinds = kinds
  )
  c(found, sort_terms(fixed, kinds, found$random, id, call))
}

abort_covariates <- function(e, call) {
  reason <- sub("\\.$", "", conditionMessage(e))
  abort(sprintf("the covariates cannot be computed: %s.", reason), call)
}

# The index of the term (1 | ..).
random_effect <- function(terms, id, call) {
  labels <- attr(terms, "term.labels")
  bars <- grep("|", labels, fixed = TRUE)
  bars <- Filter(function(i) identical(str2lang(labels[[i]])[[1L]], quote(`|`)), bars)
  wanted <- call("|", 1, as.name(id))
  for (i in bars) {
    if (!identical(str2lang(labels[[i]]), wanted)) {
      abort(
        sprintf(
          "the only random effect of a formula is (%s), one for each item, got (%s).",
          deparse(wanted), labels[[i]]
        ),
        call
      )
    }
  }
  bars
}

# Expressions with + between them.
sum_of <- function(expressions) {
  Reduce(function(a, b) call("+", a, b), expressions)
}

# The variables of terms as expressions, by their labels.
variables_by_label <- function(terms) {
  variables <- as.list(attr(terms, "variables"))[-1L]
  stats::setNames(variables, vapply(variables, label_of, ""))
}

# As model.frame() names the columns.
label_of <- function(expression) {
  paste(deparse(expression, width.cutoff = 500L, backtick = !is.symbol(expression)), collapse = " ")
}

kind_of_variable <- function(variable, id, sides, item_names) {
  used <- all.vars(variable)
  if (identical(variable, as.name(id))) {
    "id"
  } else if (length(indexed_by(variable, id))) {
    "item"
  } else if (any(used %in% c(sides, id))) {
    "side"
  } else if (any(used %in% item_names)) {
    "item"
  } else {
    "contest"
  }
}

# The expressions that are indexed by the item: x in log(x[..]).
indexed_by <- function(expression, id) {
  if (!is.call(expression)) {
    return(list())
  }
  parts <- as.list(expression)
  inside <- unlist(lapply(parts[-1L], indexed_by, id), recursive = FALSE)
  is_index <- identical(parts[[1L]], quote(`[`)) &&
    any(vapply(parts[-(1:2)], identical, logical(1L), as.name(id)))
  c(if (is_index) parts[2L], inside)
}

# Sorts the terms by what they are covariates of.
sort_terms <- function(terms, kinds, random, id, call) {
  labels <- attr(terms, "term.labels")
  used <- lapply(seq_along(labels), function(term) variables_of(terms, term))
  only <- function(kind) vapply(used, function(names) all(kinds[names] == kind), logical(1L))
  # Terms that are part of an interaction, such as a in a * b.
  inside <- function(term) {
    larger <- vapply(used, function(names) all(used[[term]] %in% names), logical(1L))
    any(larger[-term])
  }
  part <- vapply(seq_along(labels), inside, logical(1L))
  of_items <- only("item")
  free <- any(only("id"))
  if (free && random) {
    abort(
      sprintf("free abilities leave nothing for (1 | %s) to explain; leave out %s.", id, id), call
    )
  }
  if (free && any(of_items & !part)) {
    abort(
      sprintf(
        "%s has no effect beside free abilities of all items; leave out %s, or the term %s.",
        labels[of_items & !part][[1L]], id, labels[of_items & !part][[1L]]
      ),
      call
    )
  }
  if (!free && !any(of_items) && !random) {
    abort(
      sprintf(
        "the formula has no term for the abilities; write ~ %s to give each item its own.",
        paste(c(id, labels), collapse = " + ")
      ),
      call
    )
  }
  # What is the same for both sides cancels, unless it has no meaning but that of a difference.
  cancels <- only("contest") & part
  list(
    free = free,
    items = if (!free) labels[of_items],
    contest = labels[!of_items & !only("id") & !cancels]
  )
}

# The variables of the items as a data frame with the items as row names, in which those with
# missing values, and those of `separate`, have reference values. The attribute "separate" names
# them.
item_variables <- function(design, items, levels, item_data, space, separate, call) {
  labels <- names(design$kinds)[design$kinds == "item"]
  if (!length(labels)) {
    return(NULL)
  }
  by_row <- !is.null(item_data)
  rows <- if (by_row) rows_of_items(item_data, "item_data", items, call) else as.list(space)
  levels <- if (by_row) items else levels
  space <- c(stats::setNames(list(factor(items, levels)), design$id), rows)
  environment <- environment(design$formula)
  variables <- variables_by_label(design$terms)[labels]
  for (variable in variables) {
    check_indexed(variable, design$id, space, environment, levels, by_row, call)
  }
  # A formula would make a data frame of the list, whose variables have different lengths.
  terms <- stats::terms(stats::as.formula(call("~", sum_of(variables)), environment))
  frame <- tryCatch(
    stats::model.frame(terms, space, na.action = stats::na.pass),
    error = function(e) abort_covariates(e, call)
  )
  if (nrow(frame) != length(items)) {
    abort(
      sprintf(
        "%s must have a value for each of the %d items, got %d.",
        labels[[1L]], length(items), nrow(frame)
      ),
      call
    )
  }
  # droplevels() would drop contrasts, too.
  unused <- vapply(frame, function(x) is.factor(x) && any(!levels(x) %in% x), logical(1L))
  frame[unused] <- droplevels(frame[unused])
  apart <- !stats::complete.cases(frame) | items %in% separate
  frame[] <- lapply(frame, fill_missing, apart)
  structure(
    frame,
    row.names = items, separate = items[apart],
    variables = values_of_items(variables, design, space, items, levels, by_row)
  )
}

# The variables from which those of the items are computed, as a data frame with a row for each
# item: x of log(x[..]). NULL if the items index something that is no variable, as in d$x[..].
values_of_items <- function(variables, design, space, items, levels, by_row) {
  indexed <- unlist(lapply(variables, indexed_by, design$id))
  if (!all(vapply(indexed, is.name, logical(1L)))) {
    return(NULL)
  }
  columns <- setdiff(unlist(lapply(variables, all.vars)), design$id)
  names <- if (by_row) intersect(columns, names(space)) else vapply(indexed, as.character, "")
  values <- lapply(stats::setNames(nm = unique(unname(names))), function(name) {
    x <- eval(as.name(name), space, environment(design$formula))
    if (by_row) x else if (is.matrix(x)) x[match(items, levels), ] else x[match(items, levels)]
  })
  structure(values, class = "data.frame", row.names = items)
}

# x in x[..] must have one value for each item, in the order of the levels.
check_indexed <- function(variable, id, space, environment, levels, by_row, call) {
  for (expression in indexed_by(variable, id)) {
    absent <- if (by_row) setdiff(all.vars(expression), names(space))
    if (length(absent)) {
      abort(sprintf("'%s' is not a column of item_data.", absent[[1L]]), call)
    }
    x <- tryCatch(eval(expression, space, environment), error = function(e) {
      abort_covariates(e, call)
    })
    if (NROW(x) != length(levels)) {
      abort(
        sprintf(
          "%s must have a value for each of the %d items, in the order of their levels, got %d.",
          label_of(expression), length(levels), NROW(x)
        ),
        call
      )
    }
  }
}

fill_missing <- function(x, rows) {
  if (is.matrix(x)) {
    x[rows, ] <- 0
  } else if (is.factor(x)) {
    x[rows] <- levels(x)[[1L]]
  } else if (is.character(x)) {
    x[rows] <- sort(unique(x))[[1L]]
  } else {
    x[rows] <- 0
  }
  x
}

# Covariates of the abilities as a matrix with one row for each item. It is missing for items that
# have an ability of their own, as in BTm().
ability_columns <- function(design, values, call) {
  if (!length(design$items)) {
    return(NULL)
  }
  z <- tryCatch(covariate_columns(design, values), error = function(e) abort_covariates(e, call))
  z[attr(values, "separate"), ] <- NA
  structure(z, assign = NULL, contrasts = NULL, term = NULL)
}

# The columns of the covariates of the items for some values of the variables. The attribute "term"
# has the label of each column's term. `contrasts` are those of an earlier matrix.
covariate_columns <- function(design, values, contrasts = NULL) {
  terms <- terms_with(design$terms, design$items)
  z <- stats::model.matrix(terms, structure(values, terms = terms), contrasts)
  structure(
    z[, -1L, drop = FALSE],
    term = attr(terms, "term.labels")[attr(z, "assign")[-1L]], contrasts = attr(z, "contrasts")
  )
}

terms_with <- function(terms, labels) {
  terms[match(labels, attr(terms, "term.labels"))]
}

# Covariates of the contests as a matrix with one row for each. `players` are two data frames with
# the id and the variables of each side, `values` the variables of the items. With an order effect,
# which is an intercept, factors have contrasts. Without it they have a column for each level,
# unless they differ between the sides. `coding` has the levels and contrasts of an earlier matrix;
# that of this matrix is an attribute.
contest_columns <- function(design, players, values, space, order_effect, call, coding = NULL) {
  labels <- attr(design$terms, "term.labels")
  used <- lapply(seq_along(labels), function(term) variables_of(design$terms, term))
  wanted <- labels %in% design$contest
  same <- wanted & vapply(used, function(names) all(design$kinds[names] == "contest"), logical(1L))
  sided <- wanted & !same
  # The coding of an interaction depends on the other terms. Free abilities have many columns.
  needs_id <- any(design$id %in% unlist(used[sided]))
  context <- any(sided) & (labels != design$id | needs_id)
  sides <- lapply(players, side_variables, design, labels[same | context], values, space, call)
  sides <- match_levels(sides, coding$levels, call)
  columns <- function(side, labels, intercept) {
    model_columns(design$terms, labels, intercept, sides[[side]], coding$contrasts, call)
  }
  of_contest <- if (any(same)) columns(1L, labels[same], order_effect)
  of_sides <- if (any(sided)) lapply(1:2, columns, labels[context], TRUE)
  x <- cbind(of_contest, if (any(sided)) of_sides[[1L]] - of_sides[[2L]])
  # Each column's term, if it is wanted from this matrix.
  term <- c(
    match(attr(of_contest, "term"), replace(labels, !same, NA)),
    match(attr(of_sides[[1L]], "term"), replace(labels, !sided, NA))
  )
  x <- x[, order(term, na.last = NA), drop = FALSE]
  structure(
    x,
    coding = list(
      terms = stats::setNames(labels[sort(term)], colnames(x)),
      levels = Filter(Negate(is.null), lapply(sides[[1L]], levels)),
      contrasts = c(attr(of_contest, "contrasts"), attr(of_sides[[1L]], "contrasts"))
    )
  )
}

# The columns of some terms; the attribute "term" has the label of each column's term.
model_columns <- function(terms, labels, intercept, variables, contrasts, call) {
  terms <- terms_with(terms, labels)
  attr(terms, "intercept") <- as.integer(intercept)
  frame <- structure(
    variables,
    class = "data.frame", row.names = seq_len(NROW(variables[[1L]])), terms = terms
  )
  contrasts <- contrasts[intersect(names(contrasts), names(variables_by_label(terms)))]
  x <- tryCatch(
    stats::model.matrix(terms, frame, contrasts),
    error = function(e) abort_covariates(e, call)
  )
  structure(x, term = c("", labels)[attr(x, "assign") + 1L])
}

# The variables of one side of each contest, by their labels.
side_variables <- function(player, design, labels, values, space, call) {
  n <- nrow(player)
  space <- c(as.list(player), as.list(space))
  variables <- variables_by_label(terms_with(design$terms, labels))
  evaluate <- function(label) {
    if (design$kinds[[label]] == "item") {
      row <- match(as.character(player[[design$id]]), rownames(values))
      return(values[[label]][row])
    }
    x <- tryCatch(
      eval(variables[[label]], space, environment(design$formula)),
      error = function(e) abort_covariates(e, call)
    )
    # A name such as length is always found.
    if (is.function(x)) {
      abort(sprintf("the covariates cannot be computed: object '%s' not found.", label), call)
    }
    if (NROW(x) != n) {
      abort(
        sprintf(
          "%s must have a value for each of the %d rows, got %d; write %s[%s] for values of items.",
          label, n, NROW(x), label, design$id
        ),
        call
      )
    }
    if (is.character(x)) factor(x) else x
  }
  lapply(stats::setNames(nm = names(variables)), evaluate)
}

# Both sides with the same levels of factors, those of `known` if given.
match_levels <- function(sides, known, call) {
  for (label in names(sides[[1L]])) {
    levels <- lapply(sides, function(side) levels(side[[label]]))
    if (!length(unlist(levels))) {
      next
    }
    wanted <- if (is.null(known)) Reduce(union, levels) else known[[label]]
    unknown <- setdiff(unlist(levels), wanted)
    if (length(unknown)) {
      abort(sprintf("%s has the level '%s', which is not in the fit.", label, unknown[[1L]]), call)
    }
    for (side in names(sides)) {
      if (!identical(levels[[side]], wanted)) {
        sides[[side]][[label]] <- factor(as.character(sides[[side]][[label]]), wanted)
      }
    }
  }
  sides
}
