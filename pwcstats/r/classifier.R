# A model leaves R as serialized bytes, and no R object outlives a call, as for e1071.
local({
  # The formula's environment is the global one, and the data are a name in the call: so the model does not hold them twice.
  fit_formula <- function(fun, x, y, options) {
    data <- as.data.frame(x)
    target <- utils::tail(make.unique(c(names(data), "y")), 1L)
    data[[target]] <- y
    formula <- stats::reformulate(".", as.name(target), env = globalenv())
    # As if the user had called it: many functions look for others where they are called from.
    eval(as.call(c(list(str2lang(fun), formula, data = quote(data)), options)), list(data = data), globalenv())
  }

  as_function <- function(code, what) {
    expressions <- tryCatch(
      parse(text = code, keep.source = FALSE),
      error = function(e) stop(sprintf("%s is no R code: %s", what, conditionMessage(e)), call. = FALSE)
    )
    f <- eval(expressions, new.env(parent = globalenv()))
    if (!is.function(f)) stop(sprintf("%s must be the R code of a function", what))
    f
  }

  takes_weights <- function(fit) "weights" %in% names(formals(args(as_function(fit, "fit_code"))))

  # Missing values of an array are NaN.
  with_names <- function(x, columns) {
    if (is.data.frame(x)) return(x)
    x[is.nan(x)] <- NA
    dimnames(x) <- list(NULL, columns)
    x
  }

  fit <- function(fun, code, prob_code, weights_name, x, columns, y, weights, options, seed) {
    # An error in it would come after the fit, which may take long.
    as_function(prob_code, "prob_code")
    x <- with_names(x, columns)
    if (!is.null(weights_name)) {
      if (!is.null(weights)) options[[weights_name]] <- weights
    } else if (!is.null(code) && takes_weights(code)) {
      options$weights <- if (is.null(weights)) rep(1, nrow(x)) else weights
    }
    model <- seeded(seed, if (is.null(code)) {
      fit_formula(fun, x, y, options)
    } else {
      do.call(as_function(code, "fit_code"), c(list(quote(x), quote(y)), options))
    })
    serialize(model, NULL)
  }

  prob <- function(rds, code, x, columns, options, seed) {
    model <- unserialize(rds)
    x <- with_names(x, columns)
    p <- seeded(seed, do.call(as_function(code, "prob_code"), c(list(quote(model), quote(x)), options)))
    if (is.data.frame(p)) p <- as.matrix(p)
    if (!is.numeric(p)) stop(sprintf("prob_code must return probabilities, not %s", class(p)[[1L]]))
    list(
      p = if (is.matrix(p)) matrix(as.double(p), nrow(p)) else as.double(p),
      labels = if (is.matrix(p)) colnames(p) else if (nrow(x) == 1L) names(p)
    )
  }

  list(fit = fit, prob = prob, takes_weights = takes_weights)
})
