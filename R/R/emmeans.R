#' Marginal means of logistic fits
#'
#' [emmeans::emmeans()], [emmeans::emtrends()] and the other functions of \pkg{emmeans} work with
#' fits by [firth()], [firth_multinom()] and [cratio()]. Tests and intervals use the normal
#' distribution, as [confint()][pwcstats_logit] does.
#'
#' After [firth()] estimates are on the scale of the logit, and `type = "response"` gives
#' probabilities, as after `glm()`. The argument `mode` selects the estimates of the other models.
#' The classes are a factor with the name of the response, or `class` if the response is an
#' expression such as `factor(gear)`.
#'
#' | model | `mode` | estimates |
#' |---|---|---|
#' | [firth_multinom()] | `"prob"` (default) | probabilities of the classes |
#' | | `"latent"` | logits of the classes, centred so that they sum to 0 |
#' | [cratio()] | `"prob"` (default) | probabilities of the classes |
#' | | `"linear.predictor"` | logits of the stages, a factor `stage` |
#' | | `"stage"` | probabilities of the stages |
#' | | `"cum.prob"`, `"exc.prob"` | probabilities to be at most in a class, or above it, a factor `cut` |
#' | | `"mean.class"` | mean of the numbers 1, 2, ... of the classes |
#'
#' Standard errors of probabilities are by the delta method. Fits by [cratio()] with infinite
#' estimates are refused; fit them with `penalty = "firth"`.
#'
#' @seealso [predict()][predict.pwcstats_logit] for predictions of single rows.
#' @examplesIf pwcstats_available() && requireNamespace("emmeans", quietly = TRUE)
#' fit <- firth(am ~ wt + factor(cyl), mtcars)
#' emmeans::emmeans(fit, ~cyl, type = "response")
#'
#' air <- transform(
#'   airquality,
#'   ozone = cut(Ozone, c(0, 20, 50, 200), c("low", "middle", "high"), ordered_result = TRUE)
#' )
#' days <- cratio(ozone ~ Temp + Wind, air)
#' emmeans::emmeans(days, ~ ozone | Temp, at = list(Temp = c(70, 90)))
#' emmeans::emmeans(days, ~Temp, mode = "mean.class", at = list(Temp = c(70, 90)))
#' @name pwcstats_emmeans
NULL

#' @exportS3Method emmeans::recover_data
recover_data.pwcstats_logit <- function(object, frame = object$model, ...) { # nolint
  trms <- stats::delete.response(object$terms)
  emmeans::recover_data(object$call, trms, object$na.action, frame = frame, ...)
}

#' @exportS3Method emmeans::emm_basis
emm_basis.pwcstats_firth <- function(object, trms, xlev, grid, ...) { # nolint
  x <- grid_design(object, trms, xlev, grid)
  as_basis(object, x, emmeans::.std.link.labels(stats::binomial(), list()), ...)
}

#' @exportS3Method emmeans::emm_basis
emm_basis.pwcstats_firth_multinom <- function(object, # nolint
                                              trms,
                                              xlev,
                                              grid,
                                              mode = c("prob", "latent"),
                                              ...) {
  call <- sys.call()
  mode <- check_choice(mode, call)
  x <- grid_design(object, trms, xlev, grid)
  n <- nlevels(object$classes)
  levels <- named_levels(object)
  if (mode == "prob") {
    logits <- kronecker(diag(n - 1L), x)
    return(as_basis(object, logits, probability_grid(levels, n - 1L, softmax_from_logits), ...))
  }
  # The baseline has logit 0; centring subtracts the mean of all logits.
  centred <- rbind(0, diag(n - 1L)) - 1 / n
  misc <- list(tran = "log", inv.lbl = "e^y", ylevs = levels)
  as_basis(object, kronecker(centred, x), misc, ...)
}

#' @exportS3Method emmeans::emm_basis
emm_basis.pwcstats_cratio <- function(object, # nolint
                                      trms,
                                      xlev,
                                      grid,
                                      mode = c(
                                        "prob", "linear.predictor", "stage", "cum.prob",
                                        "exc.prob", "mean.class"
                                      ),
                                      ...) {
  call <- sys.call()
  mode <- check_choice(mode, call)
  if (!all(is.finite(object$se))) {
    abort(
      paste(
        "marginal means need finite estimates, but a stage is separated;",
        "fit with penalty = 'firth'."
      ),
      call
    )
  }
  n <- length(object$stages)
  x <- stage_design(grid_design(object, trms, xlev, grid), n, object$parallel)
  if (mode == "linear.predictor") {
    misc <- list(tran = "logit", inv.lbl = "prob", ylevs = list(stage = object$stages))
  } else if (mode == "stage") {
    misc <- probability_grid(list(stage = object$stages), n, stages_from_logits)
  } else {
    misc <- ordered_grid(object, mode, n, classes_from_stages(n, object$direction))
  }
  as_basis(object, x, misc, ...)
}

grid_design <- function(object, trms, xlev, grid) {
  frame <- stats::model.frame(trms, grid, na.action = stats::na.pass, xlev = xlev)
  stats::model.matrix(trms, frame, contrasts.arg = object$contrasts)
}

# The logits of all stages, one stage after the other.
stage_design <- function(x, n, parallel) {
  one <- function(stage) {
    unit <- as.double(seq_len(n) == stage)
    if (parallel) {
      cbind(kronecker(x[, 1L], t(unit)), x[, -1L, drop = FALSE])
    } else {
      # Coefficients are ordered by term.
      kronecker(x, t(unit))
    }
  }
  do.call(rbind, lapply(seq_len(n), one))
}

# What emm_basis() returns. `x` gives the linear predictors, and `scale` says what they are. emmeans
# passes `misc` and `options`, which are not for vcov().
as_basis <- function(object, x, scale, vcov. = NULL, misc, options, ...) { # nolint
  if (is.null(vcov.)) {
    vcov. <- object$vcov # nolint
  }
  lacking <- nrow(x) / first_of(scale$equations, 1L) * first_of(scale$padding, 0L)
  list(
    X = rbind(x, matrix(0, lacking, ncol(x))),
    bhat = unname(flat_coefficients(object)),
    nbasis = matrix(NA),
    V = emmeans::.my.vcov(object, vcov. = vcov., ...),
    dffun = function(k, dfargs) Inf,
    dfargs = list(),
    misc = scale[setdiff(names(scale), c("equations", "padding"))]
  )
}

# The response as emmeans names it.
named_levels <- function(object) {
  response <- stats::formula(object)[[2L]]
  name <- if (is.symbol(response)) as.character(response) else "class"
  stats::setNames(list(as.character(object$classes)), name)
}

# Modes of ordered classes: linear combinations of their probabilities.
ordered_grid <- function(object, mode, equations, from_logits) {
  levels <- named_levels(object)
  labels <- levels[[1L]]
  n <- length(labels)
  at_most <- outer(seq_len(n - 1L), seq_len(n), ">=") + 0
  cut <- list(cut = paste(labels[-n], labels[-1L], sep = "|"))
  switch(mode,
    prob = probability_grid(levels, equations, from_logits),
    cum.prob = probability_grid(cut, equations, from_logits, at_most, mode),
    exc.prob = probability_grid(cut, equations, from_logits, 1 - at_most, mode),
    mean.class = probability_grid(levels, equations, from_logits, t(seq_len(n)), mode)
  )
}

# The part `misc` of a basis whose linear predictors become probabilities.
# levels       classes, stages or cuts, with their name
# equations    number of linear predictors for each row of the grid
# from_logits  function from a vector of linear predictors to probabilities and their derivatives
# combine      matrix of the combinations of probabilities to return
probability_grid <- function(levels, equations, from_logits, combine = NULL, name = "prob") {
  n_levels <- length(levels[[1L]])
  hook <- function(object, N.sim, ...) { # nolint
    if (!missing(N.sim)) {
      abort("simulation (N.sim) is not available for these probabilities.", NULL)
    }
    if (!identical(as.character(object@levels[[names(levels)]]), levels[[1L]])) {
      abort(
        sprintf("at cannot select levels of '%s'; select rows of the result.", names(levels)), NULL
      )
    }
    if (".offset." %in% names(object@grid)) {
      abort("this model has no offset.", NULL)
    }
    rows <- matrix(seq_len(nrow(object@linfct)), ncol = n_levels)
    found <- lapply(seq_len(nrow(rows)), function(row) {
      x <- object@linfct[rows[row, seq_len(equations)], , drop = FALSE]
      part <- from_logits(drop(x %*% object@bhat))
      part <- list(value = part$value, slope = part$slope %*% x)
      if (is.null(combine)) part else lapply(part, function(values) combine %*% values)
    })
    if (name == "mean.class") {
      object <- without_levels(object, names(levels), rows[, 1L])
    }
    # One row for each level and row of the grid; rows of the grid vary fastest.
    by_level <- order(sequence(lengths(lapply(found, `[[`, "value"))))
    slope <- do.call(rbind, lapply(found, `[[`, "slope"))[by_level, , drop = FALSE]
    object@V <- slope %*% tcrossprod(object@V, slope)
    object@bhat <- unlist(lapply(found, `[[`, "value"))[by_level]
    object@linfct <- diag(length(object@bhat))
    object@misc[c("postGridHook", "tran", "tran2", "inv.lbl")] <- NULL
    object@misc$estName <- name
    object
  }
  list(
    ylevs = levels, postGridHook = hook, equations = equations, padding = n_levels - equations
  )
}

without_levels <- function(object, name, rows) {
  object@grid <- object@grid[rows, names(object@grid) != name, drop = FALSE]
  object@levels[[name]] <- NULL
  object@roles$multresp <- character()
  object@misc$famSize <- length(rows)
  object
}

softmax_from_logits <- function(logits) {
  logits <- c(0, logits)
  odds <- exp(logits - max(logits))
  p <- odds / sum(odds)
  list(value = p, slope = (diag(p) - outer(p, p))[, -1L, drop = FALSE])
}

stages_from_logits <- function(logits) {
  list(value = stats::plogis(logits), slope = diag(stats::dlogis(logits), length(logits)))
}

# A class ends the chain at its own stage, after it has passed the stages before.
classes_from_stages <- function(n, direction) {
  class <- seq_len(n + 1L)
  stage <- if (direction == "backward") seq_len(n) + 1L else seq_len(n)
  ends <- outer(class, stage, "==")
  passes <- outer(class, stage, if (direction == "backward") "<" else ">")
  function(logits) {
    log_yes <- stats::plogis(logits, log.p = TRUE)
    log_no <- stats::plogis(-logits, log.p = TRUE)
    p <- drop(exp(ends %*% log_yes + passes %*% log_no))
    reaches <- ends + passes
    list(value = p, slope = p * (ends - reaches * rep(exp(log_yes), each = n + 1L)))
  }
}
