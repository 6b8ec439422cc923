# Formulas and data, as glm() takes them, for firth(), firth_multinom(), cratio(), ordered_logit(),
# the hybrids and pwc().

# frame      model frame with its terms
# x          design matrix of all rows
# weights    one number for each row
# used       rows whose weight is not 0
formula_input <- function(asked, environment, contrasts, call, intercept = FALSE) {
  frame <- evaluate_formula(asked, environment, call)
  terms <- attr(frame, "terms")
  if (attr(terms, "response") == 0L) {
    abort("formula must have a response on its left, as in y ~ x.", call)
  }
  if (intercept) {
    attr(terms, "intercept") <- 1L
    attr(frame, "terms") <- terms
  }
  if (!nrow(frame)) {
    refuse_no_row(numeric(), call)
  }
  x <- design_of(terms, frame, contrasts, call)
  if (!ncol(x)) {
    abort("the formula gives no columns, not even an intercept.", call)
  }
  check_complete(x, frame, call)
  weights <- read_row_weights(stats::model.weights(frame), nrow(frame), call)
  refuse_no_row(weights, call)
  list(
    frame = frame,
    x = x,
    y = one_column(stats::model.response(frame)),
    weights = weights,
    used = which(weights > 0),
    offset = stats::model.offset(frame)
  )
}

# The variables of the rows, evaluated as in glm().
evaluate_formula <- function(asked, environment, call) {
  if (is.null(asked$formula)) {
    abort("formula must be given, as in y ~ x.", call)
  }
  arguments <- c("formula", "data", "weights", "subset", "na.action", "offset", "clusters")
  ask <- asked[c(1L, match(arguments, names(asked), 0L))]
  ask[[1L]] <- quote(stats::model.frame)
  ask$drop.unused.levels <- TRUE
  flat_columns(tryCatch(eval(ask, environment), error = function(e) abort_as(e, call)), call)
}

# Weights and offsets of one column become vectors; several columns are an error.
flat_columns <- function(frame, call) {
  offsets <- attr(attr(frame, "terms"), "offset")
  for (k in c(offsets, which(names(frame) %in% c("(weights)", "(offset)")))) {
    if (is.matrix(frame[[k]])) {
      what <- if (names(frame)[[k]] == "(weights)") "weights" else "offset"
      if (ncol(frame[[k]]) != 1L) {
        abort(
          sprintf("%s must be one number for each row, got %d columns.", what, ncol(frame[[k]])),
          call
        )
      }
      frame[[k]] <- as.vector(frame[[k]])
    }
  }
  frame
}

design_of <- function(terms, frame, contrasts, call) {
  tryCatch(
    stats::model.matrix(terms, frame, contrasts.arg = contrasts),
    error = function(e) abort_as(e, call)
  )
}

one_column <- function(y) {
  if (is.matrix(y) && ncol(y) == 1L) y[, 1L] else y
}

# Stops at values that are infinite, or missing after na.pass. Python would number rows from 0.
check_complete <- function(x, frame, call) {
  refuse <- function(what, row) {
    abort(
      sprintf(
        "%s is missing or infinite in row %s; leave such rows out, for example with na.omit().",
        what, rownames(frame)[[row]]
      ),
      call
    )
  }
  if (any(!is.finite(x))) {
    first <- which(!is.finite(x), arr.ind = TRUE)[1L, ]
    refuse(sprintf("'%s'", colnames(x)[[first[[2L]]]]), first[[1L]])
  }
  response <- as.matrix(stats::model.response(frame))
  if (anyNA(response)) {
    refuse("the response", which(rowSums(is.na(response)) > 0)[[1L]])
  }
  offset <- stats::model.offset(frame)
  if (any(!is.finite(offset))) {
    refuse("the offset", which(!is.finite(offset))[[1L]])
  }
}

refuse_no_row <- function(weights, call) {
  if (!any(weights > 0)) {
    abort(
      paste(
        "there is no row to fit: the data have no rows, each row has a missing value,",
        "or all weights are 0."
      ),
      call
    )
  }
}

refuse_offset <- function(input, call) {
  if (!is.null(input$offset)) {
    abort("this model has no offset; leave offset() out of the formula.", call)
  }
}

refuse_one_class <- function(seen, call) {
  if (length(seen) < 2L) {
    abort(
      sprintf(
        "the response has only one class with positive weight, '%s'; two are needed.",
        seen[[1L]]
      ),
      call
    )
  }
}

refuse_many_classes <- function(labels, call) {
  if (length(labels) > 2L) {
    abort(
      sprintf(
        "the response has %d classes (%s); use firth_multinom(), or %s as response for two.",
        length(labels), list_some(labels), sprintf("y != \"%s\"", labels[[1L]])
      ),
      call
    )
  }
}

# counts     numbers of successes and failures, one row each
# classes    failure and success, as the response has them
# constant   logarithm of the binomial coefficient of each row, which glm() includes
read_binary <- function(y, call) {
  if (is.matrix(y)) {
    return(read_trials(y, call))
  }
  y <- if (is.character(y)) as.factor(y) else y
  if (is.factor(y)) {
    labels <- levels(y)
    refuse_many_classes(labels, call)
    classes <- if (length(labels) == 1L) c(labels, paste("not", labels)) else labels
    classes <- factor(classes, levels = classes)
    success <- as.integer(y) > 1L
  } else if (is_number_like(y)) {
    classes <- two_numbers(y, call)
    success <- y == classes[[2L]]
  } else {
    abort(
      sprintf(
        "the response must be 0 and 1, logical, character, a factor or %s, not %s.",
        "cbind(successes, failures)", kind(y)
      ),
      call
    )
  }
  list(
    counts = cbind(as.double(success), as.double(!success)),
    classes = classes,
    constant = numeric(length(y))
  )
}

# Failure and success of a logical or numeric response: 0 and 1, or two other whole numbers.
two_numbers <- function(y, call) {
  if (is.logical(y)) {
    return(c(FALSE, TRUE))
  }
  labels <- sort(unique(as.vector(y)))
  if (all(labels %in% c(0, 1))) {
    return(c(0, 1))
  }
  odd <- labels[labels != round(labels)]
  if (length(odd)) {
    abort(
      sprintf(
        "the response must be 0 or 1, got %s; give shares as cbind(successes, failures).",
        format(odd[[1L]])
      ),
      call
    )
  }
  if (length(labels) > 2L) {
    abort(
      sprintf(
        "the response must have two classes, got %s; use firth_multinom(), %s.", list_some(labels),
        "or cbind(successes, failures) for counts"
      ),
      call
    )
  }
  refuse_one_class(labels, call)
  labels
}

read_trials <- function(y, call) {
  if (!is_number_like(y) || ncol(y) != 2L) {
    abort(
      sprintf(
        "a response with columns must have two of numbers, successes and failures, got %s.",
        if (is_number_like(y)) ncol(y) else kind(y)
      ),
      call
    )
  }
  check_amounts(y, "the response", "successes and failures must be", call)
  labels <- rev(first_of(colnames(y), c("success", "failure")))
  # cbind() names only what is a variable by itself.
  if (anyDuplicated(labels) || !all(nzchar(labels))) {
    labels <- c("failure", "success")
  }
  list(
    counts = matrix(as.double(y), ncol = 2L),
    classes = factor(labels, levels = labels),
    constant = lgamma(rowSums(y) + 1) - rowSums(lgamma(y + 1))
  )
}

# The response of the used rows as a factor without unused levels.
read_classes <- function(y, used, call) {
  if (is.matrix(y)) {
    abort(
      "the response must be a factor, not columns; give one row for each class, and weights.",
      call
    )
  }
  y <- droplevels(as.factor(y)[used])
  refuse_one_class(levels(y), call)
  y
}

# The same for ordered classes; `classes` have the type of y.
read_ordered <- function(y, used, call) {
  code <- read_classes(y, used, call)
  if (!is.ordered(code) && !is_number_like(y) && nlevels(code) > 2L) {
    abort(
      sprintf(
        "the response must be an ordered factor, not %s; %s.", kind(y),
        "use factor(y, levels = c(...), ordered = TRUE), from the lowest to the highest"
      ),
      call
    )
  }
  classes <- if (is_number_like(y)) {
    sort(unique(as.vector(y)[used]))
  } else {
    factor(levels(code), levels = levels(code), ordered = is.ordered(code))
  }
  list(code = as.integer(code), labels = levels(code), classes = classes)
}

logit_fit <- function(class, found, input, asked, options) {
  formula_fit(c(class, "pwcstats_logit"), c(found, options), input, asked)
}

# A fit from Python's results and what R's methods need.
formula_fit <- function(class, parts, input, asked) {
  terms <- attr(input$frame, "terms")
  structure(
    class = class,
    c(parts, list(
      terms = terms,
      model = input$frame,
      xlevels = if (!is.null(terms)) stats::.getXlevels(terms, input$frame),
      contrasts = attr(input$x, "contrasts"),
      na.action = attr(input$frame, "na.action"),
      call = if (is.null(terms)) columns_asked(asked, asked) else asked
    ))
  )
}

# Results that the three models share. `constant` is added to log-likelihoods.
logit_from_py <- function(results, coefficients, vcov, nobs, constant = 0) {
  loglik <- from_py(results$llf_unpenalized) + constant
  list(
    coefficients = coefficients,
    vcov = vcov,
    se = stats::setNames(sqrt(diag(vcov)), rownames(vcov)),
    loglik = loglik,
    penalized_loglik = from_py(results$llf) + constant,
    deviance = -2 * loglik,
    df.residual = nobs - nrow(vcov),
    df = nrow(vcov),
    nobs = nobs,
    converged = from_py(results$converged),
    iter = from_py(results$n_iter),
    reason = from_py(results$reason),
    python = freeze(results)
  )
}
