#' Bradley-Terry and Plackett-Luce fits in emmeans and multcomp
#'
#' `emmeans(fit, ~ player)` of package \pkg{emmeans} are the abilities of the items, with which
#' `pairs()`, `contrast()`, `plot()`, `pwpp()` and `cld()` of \pkg{multcomp} work. The factor is
#' always called `player`; its levels are the items of [bt()] or [plackett_luce()].
#'
#' The reference item has ability 0 without a standard error. With `ref = NA`, abilities sum to 0,
#' and each has a standard error. Comparisons are the same, and equal those of
#' [pairs()][pairs.pwcstats_abilities] and [compare_items()]. After a fit with clusters they use the
#' t distribution. After random effects, abilities are predictions, and standard errors those of
#' prediction errors. Abilities have no other scale, so `type = "response"` has no effect; the
#' probability that one item beats another is `plogis()` of their difference.
#'
#' If the formula of the fit has covariates of the items, the default `mode = "covariates"` has
#' these as variables instead: `emmeans(fit, ~ x, at = list(x = 1:3))` are abilities at these
#' values, where an ability of 0 is the mean of the items, as in [abilities()]. With random effects,
#' they are those of an item whose random effect is 0. `mode = "items"` has the factor `player` in
#' this case, too. Covariates of the contests and the order effect do not change abilities, so they
#' are no variables here.
#'
#' Tests of several hypotheses at once, by `joint_tests()` and by `summary(glht(...), test =
#' Ftest())`, reject too often if there are few clusters: they ignore that the covariance of few
#' clusters varies. With 14 clusters and 7 hypotheses, a test at level 0.05 rejects about 30 % of
#' true hypotheses. Use `linearHypothesis()` of \pkg{car}, see [bt_inference], which corrects for
#' this.
#'
#' `glht(fit, linfct)` of \pkg{multcomp} tests combinations of coefficients. For comparisons of all
#' items write `glht(fit, emmeans::emm(pairwise ~ player))`; `mcp()` needs a model with a factor.
#'
#' @param object,model A fit by [bt()] or [plackett_luce()].
#' @param mode `"items"` or `"covariates"`, see Details; an argument of `emmeans()` and
#'   `ref_grid()`.
#' @param coef.,vcov.,df As in `modelparm()` of \pkg{multcomp}; by default those of the fit.
#' @param ... Further arguments of \pkg{emmeans}, which have no effect.
#' @return What these generic functions return for other models.
#' @examplesIf pwcstats_available() && requireNamespace("emmeans", quietly = TRUE)
#' fit <- bt(citations)
#' abilities <- emmeans::emmeans(fit, ~player)
#' abilities
#' pairs(abilities, adjust = "none")
#'
#' journals <- data.frame(theory = c(2, 0, 1, 3), row.names = rownames(citations))
#' by_theory <- bt(citations, formula = ~theory, item_data = journals)
#' emmeans::emmeans(by_theory, ~theory, at = list(theory = c(0, 3)))
#' emmeans::emmeans(by_theory, ~player, mode = "items")
#' @name bt_emmeans
NULL

#' @rdname bt_emmeans
#' @exportS3Method emmeans::recover_data
recover_data.pwcstats_abilities <- function(object, mode = NULL, ...) { # nolint
  call <- sys.call()
  data <- tryCatch(
    if (grid_mode(object, mode, call) == "items") {
      data.frame(player = factor(object$items, levels = object$items))
    } else {
      attr(object$item_values, "variables")
    },
    # emmeans() replaces errors by its own, but shows a text.
    pwcstats_error = conditionMessage
  )
  if (is.null(data)) {
    return("emmeans() needs covariates of the items that are variables, as in ~ x[..].")
  }
  if (is.character(data)) {
    return(data)
  }
  terms <- stats::terms(stats::reformulate(sprintf("`%s`", names(data))))
  emmeans::recover_data(object$call, terms, na.action = NULL, data = data)
}

#' @rdname bt_emmeans
#' @usage NULL
#' @exportS3Method emmeans::emm_basis
emm_basis.pwcstats_abilities <- function(object, trms, xlev, grid, mode = NULL, ...) { # nolint
  call <- sys.call()
  basis <- if (grid_mode(object, mode, call) == "covariates") {
    list(X = grid_slopes(object, grid), V = vcov.pwcstats_abilities(object))
  } else {
    # Predictions of random effects are no coefficients.
    is_mixed <- inherits(object, "pwcstats_bt_mixed")
    map <- if (is_mixed) diag(length(object$items)) else ability_map(object)
    list(
      X = map[match(grid$player, object$items), , drop = FALSE],
      V = if (is_mixed) ability_vcov(object, call) else vcov.pwcstats_abilities(object),
      bhat = if (is_mixed) object$abilities[, "ability"]
    )
  }
  list(
    X = unname(basis$X), bhat = unname(first_of(basis$bhat, object$coefficients)),
    nbasis = matrix(NA), V = unname(basis$V),
    dffun = function(k, dfargs) dfargs$df, dfargs = list(df = object$df.inference), misc = list()
  )
}

# The variables of the reference grid.
grid_mode <- function(object, mode, call) {
  has_covariates <- length(object$design$items) > 0L
  if (is.null(mode)) {
    return(if (has_covariates) "covariates" else "items")
  }
  check_choice(mode, call, c("items", "covariates"))
  if (mode == "covariates" && !has_covariates) {
    abort("mode = 'covariates' needs a formula with covariates of the items.", call)
  }
  mode
}

# The derivatives of abilities by the coefficients, for values of the covariates of the items.
grid_slopes <- function(object, grid) {
  design <- object$design
  known <- object$item_values
  # In x[..], each row of the grid is an item.
  space <- c(as.list(grid), stats::setNames(list(seq_len(nrow(grid))), design$id))
  frame <- stats::model.frame(
    attr(known, "terms"), space,
    na.action = stats::na.pass, xlev = Filter(Negate(is.null), lapply(known, levels_of))
  )
  # Logical variables became numbers in the fit.
  frame[] <- lapply(frame, fill_missing, rep(FALSE, nrow(grid)))
  z <- covariate_columns(design, frame, attr(covariate_columns(design, known), "contrasts"))
  slope <- matrix(
    0, nrow(grid), length(object$coefficients),
    dimnames = list(NULL, names(object$coefficients))
  )
  slope[, colnames(z)] <- z
  centre <- colMeans(object$item_matrix)
  kept <- intersect(names(centre), colnames(slope))
  slope[, kept] <- sweep(slope[, kept, drop = FALSE], 2L, centre[kept])
  slope
}

levels_of <- function(x) {
  if (is.character(x)) sort(unique(x)) else levels(x)
}

#' @rdname bt_emmeans
#' @exportS3Method multcomp::modelparm
modelparm.pwcstats_abilities <- function(model, coef., vcov., df = NULL, ...) { # nolint
  # 0 is the normal distribution.
  if (is.null(df)) {
    df <- if (is.finite(model$df.inference)) model$df.inference else 0
  }
  NextMethod(df = df)
}
