# What package insight asks of a model; parameters, performance, ggeffects, modelsummary and report
# ask through it. Methods are only for what its defaults get wrong for our fits.

# insight's own method for a class that it knows, applied to a fit that looks like one.
insight_method <- function(generic, class) {
  utils::getS3method(generic, class, envir = asNamespace("insight"))
}

# Names of the coefficients in insight's columns. With three classes and more, those of
# firth_multinom() have a column for the class, as those of multinom() in nnet.
parameter_columns <- function(x) {
  if (inherits(x, "pwcstats_firth_multinom")) {
    groups <- groups_of_coefficients(x)
    names <- data.frame(Parameter = groups$term, Response = groups$group)
    names <- names[if (nrow(x$coefficients) > 1L) 1:2 else 1L]
  } else {
    names <- data.frame(Parameter = names(x$coefficients))
  }
  names$Parameter <- gsub("`", "", names$Parameter, fixed = TRUE)
  names
}

# A column of numbers for each coefficient, before the column of classes.
parameter_table <- function(x, ...) {
  names <- parameter_columns(x)
  data.frame(names[1L], ..., names[-1L])
}

#' @exportS3Method insight::find_parameters
find_parameters.pwcstats_firth_multinom <- function(x, flatten = FALSE, ...) { # nolint
  terms <- gsub("`", "", colnames(x$coefficients), fixed = TRUE)
  if (flatten) terms else list(conditional = terms)
}

#' @exportS3Method insight::n_parameters
n_parameters.pwcstats_logit <- function(x, ...) { # nolint
  x$df
}

#' @exportS3Method insight::get_parameters
get_parameters.pwcstats_logit <- function(x, ...) { # nolint
  parameter_table(x, Estimate = unname(flat_coefficients(x)))
}

#' @exportS3Method insight::get_statistic
get_statistic.pwcstats_logit <- function(x, ...) { # nolint
  statistic <- coefficient_table(flat_coefficients(x), x$se)[, 3L]
  structure(parameter_table(x, Statistic = unname(statistic)), statistic = "z-statistic")
}

#' @exportS3Method insight::get_statistic
get_statistic.pwcstats_abilities <- function(x, ...) { # nolint
  refuse_no_errors(x)
  statistic <- coefficient_table(x$coefficients, x$se, x$df.inference)[, 3L]
  structure(
    parameter_table(x, Statistic = unname(statistic)),
    statistic = if (is.finite(x$df.inference)) "t-statistic" else "z-statistic"
  )
}

refuse_no_errors <- function(x) {
  if (is.null(x$se)) {
    abort("the fit has no standard errors; fit with cov = 'full' or cov = 'diag'.", NULL)
  }
}

#' @exportS3Method insight::get_df
get_df.pwcstats_logit <- function(x, type = "wald", ...) { # nolint
  degrees_of_type(x, type, Inf)
}

#' @exportS3Method insight::get_df
get_df.pwcstats_abilities <- function(x, type = "wald", ...) { # nolint
  degrees_of_type(x, type, x$df.inference)
}

# Tests and intervals use `wald`, unless the normal distribution or the residual degrees of freedom
# are asked for.
degrees_of_type <- function(x, type, wald) {
  type <- tolower(type)
  known <- list(residual = x$df.residual, model = x$df, normal = Inf)
  if (type %in% names(known)) {
    return(known[[type]])
  }
  others <- c("wald", "any", "analytical", "fit", "profile", "likelihood", "nokr")
  check_choice(type, NULL, c(others, names(known)))
  wald
}

#' @exportS3Method insight::get_loglikelihood
get_loglikelihood.pwcstats_logit <- function(x, ...) { # nolint
  as_loglikelihood(x)
}

#' @exportS3Method insight::get_loglikelihood
get_loglikelihood.pwcstats_abilities <- function(x, ...) { # nolint
  as_loglikelihood(x)
}

as_loglikelihood <- function(x) {
  value <- stats::logLik(x)
  structure(value, per_obs = NA, nall = x$nobs, class = c("logLik", class(x)))
}

#' @exportS3Method insight::model_info
model_info.pwcstats_firth <- function(x, ...) { # nolint
  class(x) <- c(class(x), "glm", "lm")
  insight_method("model_info", "default")(x, ...)
}

#' @exportS3Method insight::model_info
model_info.pwcstats_firth_multinom <- function(x, ...) { # nolint
  info_of_classes(x, "multinom", ...)
}

# Ordered classes.
#' @exportS3Method insight::model_info
model_info.pwcstats_logit <- function(x, ...) { # nolint
  x$method <- "logistic"
  info_of_classes(x, "polr", ...)
}

# insight calls models of several classes binomial too. Functions for two classes, such as
# performance_pcp(), would then take the numbers of the classes for 0 and 1.
info_of_classes <- function(x, class, ...) {
  class(x) <- c(class(x), class)
  info <- insight_method("model_info", class)(x, ...)
  info$is_binomial <- FALSE
  info
}

#' @exportS3Method insight::link_function
link_function.pwcstats_logit <- function(x, ...) { # nolint
  stats::binomial()$linkfun
}

#' @exportS3Method insight::link_inverse
link_inverse.pwcstats_logit <- function(x, ...) { # nolint
  stats::binomial()$linkinv
}

#' @exportS3Method insight::get_predicted
get_predicted.pwcstats_abilities <- function(x, ...) { # nolint
  abort("the fit has no single response; use predict(fit, interval = 'confidence').", NULL)
}

#' @exportS3Method insight::get_predicted
get_predicted.pwcstats_firth <- function(x, # nolint
                                         data = NULL,
                                         predict = c(
                                           "expectation", "response", "link", "classification"
                                         ),
                                         ci = NULL,
                                         verbose = TRUE,
                                         ...) {
  call <- sys.call()
  refuse_unknown(...)
  predict <- check_choice(predict, call)
  values <- predict.pwcstats_firth(x, data, "link", se.fit = TRUE)
  inverse <- if (predict == "link") identity else stats::plogis
  result <- if (predict == "classification") {
    predict.pwcstats_firth(x, data, "class")
  } else {
    inverse(values$fit)
  }
  attributes <- list(data = first_of(data, x$model), ci = ci, predict = predict)
  if (!is.null(ci)) {
    if (predict == "classification") {
      abort("a class has no confidence interval; leave out ci.", call)
    }
    check_level(ci, "ci", call)
    bounds <- inverse(wald_bounds(values$fit, values$se.fit, ci))
    slope <- if (predict == "link") 1 else stats::dlogis(values$fit)
    attributes$ci_data <- data.frame(
      SE = values$se.fit * slope, CI_low = bounds[, 1L], CI_high = bounds[, 2L], row.names = NULL
    )
  }
  attributes(result) <- c(attributes(result), Filter(Negate(is.null), attributes))
  structure(result, class = c("get_predicted", attr(result, "class")))
}

#' @exportS3Method insight::get_predicted
get_predicted.pwcstats_logit <- function(x, # nolint
                                         data = NULL,
                                         predict = c("expectation", "classification"),
                                         ci = NULL,
                                         verbose = TRUE,
                                         ...) {
  call <- sys.call()
  refuse_unknown(...)
  predict <- check_choice(predict, call)
  if (!is.null(ci)) {
    abort("emmeans() has intervals of the probabilities of several classes; leave out ci.", call)
  }
  # The grid of ggpredict(), which expects one number for each row.
  if (!is.null(attr(data, "constant.values"))) {
    abort("ggpredict() cannot show several classes; use ggemmeans().", NULL)
  }
  insight_method("get_predicted", "multinom")(x, predict, data)
}

# As residuals() of multinom() and polr() would be: 1 for the class of the row and 0 for the others,
# minus the probabilities.
#' @exportS3Method insight::get_residuals
get_residuals.pwcstats_logit <- function(x, type = "response", ...) { # nolint
  if (inherits(x, "pwcstats_firth")) {
    return(NextMethod())
  }
  check_choice(type, sys.call(), "response")
  observed <- as.character(one_column(stats::model.response(x$model)))
  x$na.action <- NULL
  outer(observed, as.character(x$classes), "==") - fitted.pwcstats_logit(x)
}

# compare_performance() and the tests of package performance collect their models with
# ellipsis_info(), which knows only the classes of a fixed list.
#' @exportS3Method insight::ellipsis_info
ellipsis_info.pwcstats_logit <- function(objects, ...) { # nolint
  refuse_comparison()
}

#' @exportS3Method insight::ellipsis_info
ellipsis_info.pwcstats_abilities <- function(objects, ...) { # nolint
  refuse_comparison()
}

refuse_comparison <- function() {
  abort(
    paste(
      "the functions of easystats that compare models do not know this class;",
      "use anova(small, large) for a test, and AIC(first, second) or model_performance(fit)."
    ),
    NULL
  )
}
