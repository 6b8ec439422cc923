#' Marginal means, parameters and performance of logistic fits
#'
#' [emmeans::emmeans()], [emmeans::emtrends()] and the other functions of \pkg{emmeans} work with
#' fits by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] and [adjacent_categories()].
#' Tests and intervals use the normal distribution, as [confint()][pwcstats_logit] does.
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
#' | | `"cum.prob"`, `"exc.prob"` | probabilities of classes up to a cut, or above it |
#' | | `"mean.class"` | mean of the numbers 1, 2, ... of the classes |
#' | [ordered_logit()] | `"prob"` (default) | probabilities of the classes |
#' | | `"latent"` | linear predictor minus the mean of the thresholds |
#' | | `"linear.predictor"` | logits of the probabilities up to a threshold, a factor `cut` |
#' | | `"cum.prob"`, `"exc.prob"`, `"mean.class"` | as for [cratio()] |
#' | [adjacent_categories()] | `"prob"` (default) | probabilities of the classes |
#' | | `"linear.predictor"` | log odds of the steps, a factor `step` |
#' | | `"cum.prob"`, `"exc.prob"`, `"mean.class"` | as for [cratio()] |
#'
#' For [ordered_logit()] the modes are those for `polr()` of \pkg{MASS} and `clm()` of
#' \pkg{ordinal}, whose default is `"latent"`.
#'
#' Standard errors of probabilities are by the delta method. The argument `offset` of `emmeans()`
#' has no meaning for probabilities: \pkg{emmeans} adds it to them after our methods have run. Fits
#' to ordered classes with infinite estimates are refused; fit them with `penalty = "firth"`.
#'
#' If coefficients of [firth()] are `NA`, means that need them are `nonEst`, as after `glm()`; fits
#' by [firth_multinom()] with such coefficients are refused.
#'
#' @section Other packages that use marginal means, parameters and likelihoods:
#' - \pkg{effects}: `Effect()`, `allEffects()` and `predictorEffects()`; models of several classes
#'   must have no offset.
#' - \pkg{ggeffects}: `ggemmeans()`. After [firth()] also `ggeffect()`, and `ggpredict()`, which has
#'   no intervals for models that it does not know.
#' - \pkg{parameters}: `model_parameters()`. With `ci_method = "profile"`, p-values are those of
#'   likelihood-ratio tests, too. It also works for fits by [bt()] and [plackett_luce()].
#' - \pkg{performance}: `model_performance()`, and `test_likelihoodratio()`, which gives the tests
#'   of [anova()][anova.pwcstats_logit]. `r2()` is Tjur's after [firth()], and McFadden's after
#'   [cratio()], [ordered_logit()] and [adjacent_categories()] without penalty, which also have
#'   `r2_nagelkerke()` and `r2_coxsnell()`. `r2_efron()` needs a fit by [firth()], and
#'   `check_collinearity()` a fit with one slope for each column, as `vif()` of
#'   [car][pwcstats_car]. `compare_performance()` knows a fixed list of classes and refuses others.
#'   The test that `performance_pcp()` prints compares
#'   likelihoods without their penalties; use [anova()][anova.pwcstats_logit] instead.
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
  refuse_aliased(object, "emmeans() after firth_multinom()", NULL)
  x <- grid_design(object, trms, xlev, grid)
  levels <- named_levels(object)
  if (mode == "prob") {
    designs <- link_designs(object, x)
    scale <- probability_grid(levels, length(designs), proba_from_links(object))
    return(as_basis(object, do.call(rbind, designs), scale, ...))
  }
  # The baseline has logit 0; centring subtracts the mean of all logits.
  n_links <- nrow(object$coefficients)
  centred <- rbind(0, diag(n_links)) - 1 / (n_links + 1L)
  scale <- list(tran = "log", inv.lbl = "e^y", ylevs = levels)
  as_basis(object, kronecker(centred, x), scale, ...)
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
  refuse_infinite_estimates(object, "a standard error", NULL)
  designs <- link_designs(object, grid_design(object, trms, xlev, grid))
  stages <- list(stage = object$stages)
  scale <- switch(mode,
    linear.predictor = list(tran = "logit", inv.lbl = "prob", ylevs = stages),
    stage = probability_grid(stages, length(designs), stages_from_links),
    ordered_grid(object, mode, length(designs))
  )
  as_basis(object, do.call(rbind, designs), scale, ...)
}

#' @exportS3Method emmeans::emm_basis
emm_basis.pwcstats_adjacent <- function(object, # nolint
                                        trms,
                                        xlev,
                                        grid,
                                        mode = c(
                                          "prob", "linear.predictor", "cum.prob", "exc.prob",
                                          "mean.class"
                                        ),
                                        ...) {
  call <- sys.call()
  mode <- check_choice(mode, call)
  refuse_infinite_estimates(object, "a standard error", NULL)
  designs <- link_designs(object, grid_design(object, trms, xlev, grid))
  steps <- list(step = object$stages)
  scale <- switch(mode,
    linear.predictor = list(tran = "log", inv.lbl = "odds", ylevs = steps, offset.mult = 1),
    ordered_grid(object, mode, length(designs), offset = 1)
  )
  as_basis(object, do.call(rbind, designs), scale, ...)
}

# The modes of emmeans for clm() of ordinal. The default is another, because functions such as
# ggemmeans() expect probabilities.
#' @exportS3Method emmeans::emm_basis
emm_basis.pwcstats_ordered_logit <- function(object, # nolint
                                             trms,
                                             xlev,
                                             grid,
                                             mode = c(
                                               "prob", "latent", "linear.predictor", "cum.prob",
                                               "exc.prob", "mean.class"
                                             ),
                                             ...) {
  call <- sys.call()
  mode <- check_choice(mode, call)
  refuse_infinite_estimates(object, "a standard error", NULL)
  designs <- link_designs(object, grid_design(object, trms, xlev, grid))
  if (mode == "latent") {
    return(as_basis(object, -Reduce(`+`, designs) / length(designs), list(), ...))
  }
  cuts <- list(cut = names(object$zeta))
  scale <- switch(mode,
    linear.predictor = list(tran = "logit", inv.lbl = "cumprob", ylevs = cuts, offset.mult = -1),
    ordered_grid(object, mode, length(designs), offset = -1)
  )
  as_basis(object, do.call(rbind, designs), scale, ...)
}

grid_design <- function(object, trms, xlev, grid) {
  frame <- stats::model.frame(trms, grid, na.action = stats::na.pass, xlev = xlev)
  stats::model.matrix(trms, frame, contrasts.arg = object$contrasts)
}

# What emm_basis() returns. `x` gives the linear predictors, and `scale` says what they are. emmeans
# passes `misc` and `options`, which are not for vcov().
as_basis <- function(object, x, scale, vcov. = NULL, misc, options, ...) { # nolint
  if (is.null(vcov.)) {
    vcov. <- without_aliased(object)$vcov # nolint
  }
  v <- emmeans::.my.vcov(object, vcov. = vcov., ...)
  nbasis <- matrix(NA)
  if (length(object$aliased)) {
    known <- !is.na(flat_coefficients(object))
    design <- counting_design(object)
    nbasis <- null_basis(design, colnames(design) %in% object$aliased)
    v <- if (nrow(v) == length(known)) v[known, known, drop = FALSE] else v
  }
  lacking <- nrow(x) / first_of(scale$equations, 1L) * first_of(scale$padding, 0L)
  list(
    X = rbind(x, matrix(0, lacking, ncol(x))),
    bhat = unname(flat_coefficients(object)),
    nbasis = nbasis,
    V = v,
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
ordered_grid <- function(object, mode, n_links, offset = NULL) {
  levels <- named_levels(object)
  labels <- levels[[1L]]
  n <- length(labels)
  at_most <- outer(seq_len(n - 1L), seq_len(n), ">=") + 0
  cut <- list(cut = paste(labels[-n], labels[-1L], sep = "|"))
  combine <- function(levels, weights) {
    probability_grid(levels, n_links, proba_from_links(object), weights, mode, offset)
  }
  switch(mode,
    prob = combine(levels, diag(n)),
    cum.prob = combine(cut, at_most),
    exc.prob = combine(cut, 1 - at_most),
    mean.class = combine(levels, t(seq_len(n)))
  )
}

# The part `misc` of a basis whose linear predictors become probabilities.
# levels       classes, stages or cuts, with their name
# n            number of linear predictors for each row of the grid
# from_links   function from the linear predictors of a row to probabilities (`value`) and their
#              derivatives (`slope`)
# combine      matrix of the combinations of probabilities to return
# offset       factor of the offset in the linear predictors; NULL if the model has none
probability_grid <- function(levels,
                             n,
                             from_links,
                             combine = NULL,
                             name = "prob",
                             offset = NULL) {
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
    added <- first_of(object@grid[[".offset."]], numeric(nrow(object@grid)))
    if (is.null(offset) && ".offset." %in% names(object@grid)) {
      abort("this model has no offset.", NULL)
    }
    # It is part of the probabilities; emmeans would add it to them.
    object@grid[[".offset."]] <- NULL
    object@levels[[".offset."]] <- NULL
    object@roles$predictors <- setdiff(object@roles$predictors, ".offset.")
    rows <- matrix(seq_len(nrow(object@linfct)), ncol = n_levels)
    found <- lapply(seq_len(nrow(rows)), function(row) {
      x <- object@linfct[rows[row, seq_len(n)], , drop = FALSE]
      part <- from_links(drop(x %*% object@bhat) + added[[row]])
      part$slope <- part$slope %*% x
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
  scale <- list(ylevs = levels, postGridHook = hook, equations = n, padding = n_levels - n)
  c(scale, if (!is.null(offset)) list(offset.mult = offset))
}

# Probabilities of the classes of a row, and their derivatives.
proba_from_links <- function(object) {
  function(eta) {
    eta <- t(eta)
    proba <- link_proba(object, eta)
    list(value = drop(proba), slope = do.call(rbind, link_slopes(object, eta, proba)))
  }
}

stages_from_links <- function(eta) {
  list(value = stats::plogis(eta), slope = diag(stats::dlogis(eta), length(eta)))
}

without_levels <- function(object, name, rows) {
  object@grid <- object@grid[rows, names(object@grid) != name, drop = FALSE]
  object@levels[[name]] <- NULL
  object@roles$multresp <- character()
  object@misc$famSize <- length(rows)
  object
}
