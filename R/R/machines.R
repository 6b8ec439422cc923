# Formulas, options and fits of hybrid() and ordinal_hybrid(). pwc() uses the formulas and machines.

# The machines that users get if they choose no other; these have arguments of their own.
default_learner <- "svm"

# As formula_input(), with the scaled columns for the machines, and their centre and scale.
machine_input <- function(asked, environment, contrasts, scale, call) {
  check_flag(scale, "scale", call)
  input <- formula_input(asked, environment, contrasts, call)
  refuse_offset(input, call)
  refuse_no_classes(input$y, call)
  x <- without_intercept(input$x)
  if (!ncol(x)) {
    abort("the formula gives no columns except the intercept.", call)
  }
  scaling <- scaling_of(x, input$weights, scale)
  c(input, scaling, list(rows = rescale(x, scaling)))
}

# Python gets rows of positive weight only, as pwc() does.
used_rows <- function(input) {
  input$rows <- input$rows[input$used, , drop = FALSE]
  input
}

refuse_no_classes <- function(y, call) {
  if (is.matrix(y)) {
    abort("the response must be the class of each row, not columns.", call)
  }
  fractions <- if (is.numeric(y)) y[which(y != round(y))]
  if (length(fractions)) {
    abort(
      sprintf(
        "the response must be classes, not numbers such as %s; cut() it, or make it a factor.",
        format(fractions[[1L]])
      ),
      call
    )
  }
}

# Machines have their own intercept.
without_intercept <- function(x) {
  x[, attr(x, "assign") != 0L, drop = FALSE]
}

# A weight of 2 is a row that occurs twice. Weights with a mean below 1 cannot be frequencies.
scaling_of <- function(x, weights, scale) {
  used <- weights > 0
  x <- x[used, , drop = FALSE]
  weights <- weights[used]
  total <- sum(weights)
  center <- colSums(x * weights) / total
  n <- max(total, length(weights))
  variance <- colSums(sweep(x, 2L, center)^2 * weights) / total
  spread <- sqrt(variance * if (n > 1) n / (n - 1) else 1)
  varies <- scale & apply(x, 2L, function(column) min(column) < max(column))
  list(center = ifelse(varies, center, 0), scale = ifelse(varies, spread, 1))
}

rescale <- function(x, scaling) {
  sweep(sweep(x, 2L, scaling$center), 2L, scaling$scale, "/")
}

# Arguments of the support vector machines, with e1071's names.
check_svm <- function(kernel, cost, gamma, degree, coef0, tolerance, call) {
  kernel <- check_choice(kernel, call, c("linear", "radial", "polynomial", "sigmoid"))
  check_positive(cost, "cost", call)
  if (!is.null(gamma)) {
    check_positive(gamma, "gamma", call)
  }
  check_count(degree, "degree", call)
  if (!is_one_number(coef0)) {
    abort(sprintf("coef0 must be a number, got %s.", show_value(coef0)), call)
  }
  check_positive(tolerance, "tolerance", call)
  list(
    kernel = kernel, cost = cost, gamma = gamma, degree = degree, coef0 = coef0,
    tolerance = tolerance
  )
}

# The learner of all machines, in a list with its name. `svm` are the arguments of the call for
# support vector machines.
read_machine <- function(learners, svm, asked, call) {
  read <- read_learners(learners, list(), call)
  if (length(read) > 1L) {
    abort(
      sprintf("learners must be one learner, which all machines use, not %s.", quoted(names(read))),
      call
    )
  }
  learner <- read[[1L]]
  by_class <- intersect(names(learner$options), c("prior", "class.weights"))
  if (length(by_class)) {
    abort(
      sprintf(
        "%s of the learner '%s' refers to classes, but the machines separate groups of rows; %s.",
        by_class[[1L]], learner$kind, "leave it out"
      ),
      call
    )
  }
  given <- intersect(names(svm), names(asked))
  refuse_two_lists(learner, given, call)
  is_svm <- learner$kind == default_learner
  odd <- if (!is_svm) setdiff(given, known_learners[[learner$kind]])
  if (length(odd)) {
    abort(
      sprintf(
        "%s is an argument of support vector machines, not of the learner '%s'; leave it out.",
        odd[[1L]], names(read)
      ),
      call
    )
  }
  read[[1L]]$options <- if (is_svm) {
    svm[names(learner$options)] <- learner$options
    do.call(check_svm, c(svm, list(call = call)), quote = TRUE)
  } else {
    c(learner$options, svm[given])
  }
  read
}

machine_to_py <- function(machine, rows, classes, call) {
  learner <- machine[[1L]]
  if (learner$kind == default_learner) {
    svm_to_py(learner$options, ncol(rows), call)
  } else {
    learner_to_py(learner, colnames(rows), classes, call)
  }
}

# What the fit shows of its machines.
machine_parts <- function(machine) {
  is_svm <- machine[[1L]]$kind == default_learner
  list(learner = names(machine), svm = if (is_svm) machine[[1L]]$options)
}

svm_to_py <- function(svm, n_columns, call) {
  svm$gamma <- as.double(first_of(svm$gamma, 1 / n_columns))
  svm$degree <- count_to_py(svm$degree)
  # scikit-learn may refuse integers here.
  numbers <- c("cost", "coef0", "tolerance")
  svm[numbers] <- lapply(svm[numbers], as.double)
  call_bridge(python$bridge$learner, list(default_learner), svm, call)
}

check_integration <- function(penalty, select, distance_cv, seed, call) {
  penalty <- check_choice(penalty, call, c("auto", "none", "firth"))
  select <- check_choice(select, call, c("none", "aic", "bic", "lr"))
  if (length(distance_cv) == 1L && is.na(distance_cv)) {
    distance_cv <- NULL
  }
  if (!is.null(distance_cv)) {
    check_count(distance_cv, "distance_cv", call, least = 2)
  }
  check_seed(seed, call)
  list(penalty = penalty, select = select, distance_cv = distance_cv, seed = seed)
}

integration_to_py <- function(options) {
  list(
    penalty = option_to_py(options$penalty),
    select = option_to_py(options$select),
    distance_cv = count_to_py(options$distance_cv),
    random_state = count_to_py(options$seed)
  )
}

machines_from_py <- function(model, input) {
  norms <- model$norms_
  machines <- labels_from_py(norms$index)
  first <- design_to_py(input$rows, 1L)
  integrator <- from_py(python$bridge$integrator(model))
  list(
    coefficients = integrator_from_py(model$integrator_$params, machines),
    integrator = integrator[[1L]],
    chain = integrator[[2L]],
    norms = stats::setNames(vector_from_py(norms), machines),
    distances = labels_from_py(model$distances(first)$columns),
    aliased = as.character(from_py(model$aliased_)),
    selected = as.character(from_py(model$selected_)),
    penalty = first_of(from_py(model$penalty_), "none"),
    center = input$center,
    scale = input$scale,
    nobs = nrow(input$rows),
    python = freeze(model)
  )
}

# A frame has a column for each group but the first, in the order of the machines.
integrator_from_py <- function(params, machines) {
  # Terms are const or start with d_, and thresholds contain a slash.
  terms <- sub("^const(:|$)", "(Intercept)\\1", labels_from_py(params$index))
  if (from_py(params$ndim) == 2L) {
    with_dimnames(t(matrix_from_py(params)), machines, terms)
  } else {
    stats::setNames(vector_from_py(params), terms)
  }
}

machines_fit <- function(class, found, input, asked, options) {
  formula_fit(c(class, "pwcstats_machines", "pwcstats_classifier"), c(found, options), input, asked)
}
