# Tables of coefficients for package parameters, with the numbers of confint() and tidy().

# datawizard cannot refit our classes, and parameters would show the coefficients as they are.
#' @exportS3Method parameters::standardize_parameters
standardize_parameters.pwcstats_logit <- function(model, ...) { # nolint
  refuse_standardize()
}

#' @exportS3Method parameters::standardize_parameters
standardize_parameters.pwcstats_abilities <- function(model, ...) { # nolint
  refuse_standardize()
}

refuse_standardize <- function() {
  abort("coefficients cannot be standardised; use scale() in the formula of the fit.", NULL)
}

#' @exportS3Method parameters::equivalence_test
equivalence_test.pwcstats_logit <- function(x, ...) { # nolint
  refuse_equivalence_test()
}

#' @exportS3Method parameters::equivalence_test
equivalence_test.pwcstats_abilities <- function(x, ...) { # nolint
  refuse_equivalence_test()
}

refuse_equivalence_test <- function() {
  abort("equivalence_test() does not know this class; use confint(fit, level = 0.9).", NULL)
}

#' @exportS3Method parameters::model_parameters
model_parameters.pwcstats_logit <- function(model, # nolint
                                            ci = 0.95,
                                            ci_method = NULL,
                                            ...,
                                            standardize = NULL) {
  if (!is.null(standardize)) {
    refuse_standardize()
  }
  known <- if (inherits(model, "pwcstats_firth_multinom")) "multinom" else "default"
  if (known == "multinom") {
    # With several levels, parameters would keep the rows of one class only; it would ignore vcov.
    if (length(ci) > 1L) {
      abort("after firth_multinom() there is only one ci at a time.", NULL)
    }
    if (!is.null(list(...)$vcov)) {
      abort("after firth_multinom() leave out vcov; give it to ci() and p_value().", NULL)
    }
  }
  method <- utils::getS3method("model_parameters", known, envir = asNamespace("parameters"))
  result <- method(model, ci = ci, ci_method = ci_method, ...)
  if (identical(ci_method, "profile")) {
    tests <- tidy.pwcstats_logit(model, conf.method = "profile")
    names(result)[names(result) == "z"] <- "Chi2"
    result$Chi2 <- tests$statistic[match_parameters(result, model)]
    result$df_error <- NULL
    # Its footnote says that p-values are from Wald tests.
    attr(result, "ci_method") <- NULL
  }
  as_parameters(result, substitute(model), "z-statistic")
}

#' @exportS3Method parameters::model_parameters
model_parameters.pwcstats_abilities <- function(model, ..., standardize = NULL) { # nolint
  if (!is.null(standardize)) {
    refuse_standardize()
  }
  method <- utils::getS3method("model_parameters", "default", envir = asNamespace("parameters"))
  statistic <- attr(get_statistic.pwcstats_abilities(model), "statistic")
  as_parameters(method(model, ...), substitute(model), statistic)
}

as_parameters <- function(result, name, statistic) {
  attr(result, "object_name") <- insight::safe_deparse_symbol(name)
  attr(result, "test_statistic") <- statistic
  # As after glm(), no title above a single table.
  attr(result, "no_caption") <- is.null(result$Response)
  result
}

# Rows may have been selected by `keep` and `drop`.
match_parameters <- function(table, model) {
  names <- parameter_columns(model)
  match(do.call(paste, table[names(names)]), do.call(paste, names))
}

#' @exportS3Method parameters::ci
ci.pwcstats_logit <- function(x, # nolint
                              ci = 0.95,
                              method = NULL,
                              vcov = NULL,
                              vcov_args = NULL,
                              ...) {
  method <- check_ci_method(method, vcov)
  se <- errors_of(x, vcov, vcov_args)
  intervals_of_parameters(x, ci, function(level) {
    if (method == "profile") {
      confint.pwcstats_logit(x, level = level, method = "profile")
    } else {
      wald_bounds(flat_coefficients(x), se, level)
    }
  })
}

#' @exportS3Method parameters::ci
ci.pwcstats_abilities <- function(x, ci = 0.95, method = NULL, vcov = NULL, ...) { # nolint
  refuse_other_vcov(vcov)
  method <- check_ci_method(method)
  intervals_of_parameters(x, ci, function(level) {
    confint.pwcstats_abilities(x, level = level, method = method)
  })
}

# "normal" is a name of the Wald intervals.
check_ci_method <- function(method, vcov = NULL) {
  method <- tolower(first_of(method, "wald"))
  check_choice(method, NULL, c("wald", "normal", "profile"))
  if (method == "profile" && !is.null(vcov)) {
    abort("profile intervals do not use a covariance matrix; leave out vcov.", NULL)
  }
  if (method == "normal") "wald" else method
}

intervals_of_parameters <- function(x, ci, bounds_at) {
  one <- function(level) {
    bounds <- unname(bounds_at(level))
    parameter_table(x, CI = level, CI_low = bounds[, 1L], CI_high = bounds[, 2L])
  }
  do.call(rbind, lapply(ci, one))
}

# Standard errors from the covariance of the fit, a matrix, a function, or a name that insight
# knows.
errors_of <- function(x, vcov, vcov_args = NULL) {
  if (is.null(vcov)) {
    return(x$se)
  }
  if (is.function(vcov)) {
    vcov <- do.call(vcov, c(list(x), vcov_args))
  } else if (is.character(vcov)) {
    vcov <- insight::get_varcov(x, vcov = vcov, vcov_args = vcov_args)
  }
  stats::setNames(sqrt(diag(vcov)), names(x$se))
}

refuse_other_vcov <- function(vcov) {
  if (!is.null(vcov)) {
    abort("give the covariance in the call of the fit, as cov_type and cluster; not as vcov.", NULL)
  }
}

#' @exportS3Method parameters::standard_error
standard_error.pwcstats_logit <- function(model, vcov = NULL, vcov_args = NULL, ...) { # nolint
  parameter_table(model, SE = unname(errors_of(model, vcov, vcov_args)))
}

#' @exportS3Method parameters::standard_error
standard_error.pwcstats_abilities <- function(model, vcov = NULL, ...) { # nolint
  refuse_other_vcov(vcov)
  refuse_no_errors(model)
  parameter_table(model, SE = unname(model$se))
}

#' @exportS3Method parameters::p_value
p_value.pwcstats_logit <- function(model, # nolint
                                   method = NULL,
                                   vcov = NULL,
                                   vcov_args = NULL,
                                   ...) {
  p <- if (check_ci_method(method, vcov) == "profile") {
    tidy.pwcstats_logit(model, conf.method = "profile")$p.value
  } else {
    coefficient_table(flat_coefficients(model), errors_of(model, vcov, vcov_args))[, 4L]
  }
  parameter_table(model, p = unname(p))
}

#' @exportS3Method parameters::p_value
p_value.pwcstats_abilities <- function(model, vcov = NULL, ...) { # nolint
  refuse_other_vcov(vcov)
  refuse_no_errors(model)
  parameter_table(model, p = tidy.pwcstats_abilities(model)$p.value)
}

#' @exportS3Method parameters::degrees_of_freedom
degrees_of_freedom.pwcstats_logit <- function(model, method = "wald", ...) { # nolint
  get_df.pwcstats_logit(model, first_of(method, "wald"))
}

#' @exportS3Method parameters::degrees_of_freedom
degrees_of_freedom.pwcstats_abilities <- function(model, method = "wald", ...) { # nolint
  get_df.pwcstats_abilities(model, first_of(method, "wald"))
}
