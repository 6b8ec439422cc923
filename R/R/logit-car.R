#' Tests of logistic fits with car and multcomp
#'
#' Methods for `Anova()`, `linearHypothesis()`, `deltaMethod()` and `vif()` of \pkg{car}, and for
#' `glht()` of \pkg{multcomp}.
#'
#' `Anova(test.statistic = "LR")`, the default, computes penalised likelihood-ratio tests. Type III
#' tests each term with all others in the model, as [anova()][anova.pwcstats_logit] does. Type II
#' leaves out the interactions that contain the term: it fits the model without them, and both
#' likelihoods have the penalty of that model. `test.statistic = "Wald"` gives the Wald tests of
#' both types, with any covariance of the coefficients. There are no F tests, because no variance is
#' estimated.
#'
#' Like all terms, those of [firth_multinom()] and [cratio()] are tested for all classes or stages
#' together. The thresholds of [ordered_logit()] are no term and are not tested. Hypotheses and
#' linear functions of single coefficients have the names of [vcov()], such as `"setosa:Petal.Width
#' = 0"`. In `deltaMethod()` put names that contain a colon in backticks, and write `Intercept` for
#' `(Intercept)`.
#'
#' After [firth()] and [firth_multinom()], coefficients may be `NA`, because columns are linear
#' combinations of others. `Anova()` then has likelihood-ratio tests only, and the other functions
#' refuse the fit.
#'
#' `vif()` and `mcp()` in `glht()` use the slopes only. They work after [firth()], [ordered_logit()]
#' and `cratio(parallel = TRUE)`; other fits have several slopes for each column. `glht()` takes a
#' matrix of linear functions, or hypotheses as text, for all of them, and uses the normal
#' distribution.
#'
#' @param mod,model,object A fit by [firth()], [firth_multinom()], [cratio()], [ordered_logit()] or
#'   [adjacent_categories()].
#' @param type `"II"` or `"III"`, or the number.
#' @param test.statistic `"LR"` or `"Wald"`.
#' @param vcov. Covariance matrix of the coefficients or a function that computes it, not for LR
#'   tests.
#' @param hypothesis.matrix,coef.,g. As in \pkg{car}.
#' @param ... Passed to the default methods of \pkg{car} and \pkg{multcomp}.
#' @return As for other models: a data frame of class `anova`; a vector or matrix of inflation
#'   factors; a data frame with an estimate.
#' @examplesIf pwcstats_available() && requireNamespace("car", quietly = TRUE)
#' cars <- transform(mtcars, gear = factor(gear))
#' fit <- firth(am ~ wt * hp + gear, cars)
#' car::Anova(fit)
#' car::Anova(fit, type = "III", test.statistic = "Wald")
#' car::linearHypothesis(fit, "gear4 = gear5")
#' @examplesIf pwcstats_available() && requireNamespace("multcomp", quietly = TRUE)
#'
#' cars <- transform(mtcars, gear = factor(gear))
#' summary(multcomp::glht(firth(am ~ wt + gear, cars), multcomp::mcp(gear = "Tukey")))
#' @name pwcstats_car
NULL

#' @rdname pwcstats_car
#' @exportS3Method car::Anova
Anova.pwcstats_logit <- function(mod, # nolint
                                 type = c("II", "III", 2, 3),
                                 test.statistic = c("LR", "Wald"), # nolint
                                 vcov. = NULL, # nolint
                                 ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(as.character(type), call, c("II", "III", "2", "3"), "type")
  type <- c("II", "III", "II", "III")[match(type, c("II", "III", "2", "3"))]
  test <- check_choice(test.statistic, call)
  if (!length(attr(mod$terms, "term.labels"))) {
    abort("the model has no terms except the intercept, so there is nothing to test.", call)
  }
  if (test == "LR" && !is.null(vcov.)) {
    abort("vcov. is for test.statistic = 'Wald'; a likelihood-ratio test does not use it.", call)
  }
  table <- if (test == "LR") lr_table(mod, type, call) else wald_table(mod, type, vcov., call)
  structure(
    table,
    heading = c(
      sprintf("Analysis of Deviance Table (Type %s tests)\n", type),
      paste("Response:", deparse1(stats::formula(mod)[[2L]]))
    ),
    class = c("anova", "data.frame")
  )
}

lr_table <- function(object, type, call) {
  columns <- term_columns(object)
  every <- colnames(model.matrix.pwcstats_logit(object))
  fit <- thaw(object, call)
  tests <- vapply(seq_along(columns), function(term) {
    containing <- if (type == "II") unlist(columns[containing_terms(object, term)])
    if (!length(containing)) {
      return(term_test(object, fit, columns[[term]], call))
    }
    kept <- setdiff(every, containing)
    without <- refit(object, kept)
    names <- colnames(model.matrix.pwcstats_logit(without))
    term_test(without, thaw(without, call), names[kept %in% columns[[term]]], call)
  }, numeric(3L))
  data.frame(
    "LR Chisq" = tests[2L, ], Df = tests[1L, ], "Pr(>Chisq)" = tests[3L, ],
    check.names = FALSE, row.names = names(columns)
  )
}

wald_table <- function(object, type, given, call) {
  refuse_aliased(object, "Anova(test.statistic = 'Wald')", call)
  v <- covariance(object, given, call)
  term_of <- coefficient_terms(object)
  statistic <- function(terms) {
    tested <- term_of %in% terms
    if (any(tested)) wald_statistic(object, names(object$se)[tested], v) else 0
  }
  labels <- attr(object$terms, "term.labels")
  terms <- seq_along(labels)
  # As in car, only type III tests the intercept.
  if (type == "III" && any(term_of == 0L)) {
    terms <- c(0L, terms)
    labels <- c("(Intercept)", labels)
  }
  chisq <- vapply(terms, function(term) {
    # The part of the term that is uncorrelated with those that contain it.
    containing <- if (type == "II") containing_terms(object, term)
    statistic(c(term, containing)) - statistic(containing)
  }, 0)
  df <- vapply(terms, function(term) sum(term_of == term), 0L)
  data.frame(
    Df = df, Chisq = chisq, "Pr(>Chisq)" = stats::pchisq(chisq, df, lower.tail = FALSE),
    check.names = FALSE, row.names = labels
  )
}

# Numbers of the terms that contain all variables of a term, and others.
containing_terms <- function(object, term) {
  variables <- lapply(seq_along(attr(object$terms, "term.labels")), function(other) {
    variables_of(object$terms, other)
  })
  contains <- vapply(variables, function(used) all(variables[[term]] %in% used), NA)
  setdiff(which(contains), term)
}

#' @rdname pwcstats_car
#' @exportS3Method car::linearHypothesis
linearHypothesis.pwcstats_logit <- function(model, # nolint
                                            hypothesis.matrix, # nolint
                                            ...,
                                            coef. = flat_coefficients(model)) { # nolint
  refuse_aliased(model, "a linear hypothesis", sys.call())
  refuse_infinite_estimates(model, "a linear hypothesis", sys.call())
  force(coef.)
  NextMethod(coef. = coef.)
}

#' @rdname pwcstats_car
#' @exportS3Method car::deltaMethod
deltaMethod.pwcstats_logit <- function(object, g., vcov. = NULL, ...) { # nolint
  call <- sys.call()
  refuse_aliased(object, "the delta method", call)
  refuse_infinite_estimates(object, "the delta method", call)
  estimate <- flat_coefficients(object)
  v <- covariance(object, vcov., call)
  names(estimate) <- sub("(Intercept)", "Intercept", names(estimate), fixed = TRUE)
  car::deltaMethod(estimate, g., vcov. = v, ...)
}

#' @rdname pwcstats_car
#' @exportS3Method car::vif
vif.pwcstats_logit <- function(mod, ...) { # nolint
  refuse_aliased(mod, "vif()", sys.call())
  refuse_separate_slopes(mod, "vif()", "fit one of them by firth()", sys.call())
  if (inherits(mod, "pwcstats_firth")) NextMethod() else car::vif(one_equation(mod), ...)
}

refuse_separate_slopes <- function(object, what, instead, call) {
  refuse_infinite_estimates(object, what, call)
  if (!has_common_slopes(object)) {
    abort(
      sprintf(
        "%s needs one slope for each column, and this model has several, for its %s; %s.",
        what, if (inherits(object, "pwcstats_cratio")) "stages" else "classes", instead
      ),
      call
    )
  }
}

#' @rdname pwcstats_car
#' @exportS3Method multcomp::modelparm
modelparm.pwcstats_logit <- function(model, # nolint
                                     coef. = flat_coefficients, # nolint
                                     vcov. = NULL, # nolint
                                     ...) {
  call <- sys.call()
  refuse_aliased(model, "glht()", call)
  refuse_infinite_estimates(model, "glht()", call)
  v <- covariance(model, vcov., call)
  # The linear functions of mcp() have the columns of the design matrix, not the coefficients.
  columns <- colnames(parent.frame()$linfct)
  if (!identical(columns, names(model$se)) &&
        identical(columns, colnames(model.matrix.pwcstats_logit(model)))) {
    refuse_separate_slopes(model, "mcp()", "use emmeans::emmeans() and pairs()", call)
    first <- one_equation(model, v)
    coef. <- first$coefficients # nolint
    v <- first$vcov
  }
  NextMethod(coef. = coef., vcov. = v)
}
