# Tables of coefficients for package parameters, with the numbers of confint() and tidy().

#' @exportS3Method parameters::model_parameters
model_parameters.pwcstats_logit <- function(model, ci_method = NULL, ...) { # nolint
  known <- if (inherits(model, "pwcstats_firth_multinom")) "multinom" else "default"
  method <- utils::getS3method("model_parameters", known, envir = asNamespace("parameters"))
  result <- method(model, ci_method = ci_method, ...)
  if (identical(ci_method, "profile") && "z" %in% names(result)) {
    # p-values and intervals are those of the likelihood-ratio tests.
    tests <- tidy.pwcstats_logit(model, conf.method = "profile")
    names(result)[names(result) == "z"] <- "Chi2"
    result$Chi2 <- tests$statistic[match_parameters(result, model)]
    result$df_error <- NULL
  }
  attr(result, "object_name") <- insight::safe_deparse(substitute(model))
  result
}

# Rows may have been selected by `keep` and `drop`.
match_parameters <- function(table, model) {
  names <- parameter_columns(model)
  match(do.call(paste, table[names(names)]), do.call(paste, names))
}

#' @exportS3Method parameters::ci
ci.pwcstats_logit <- function(x, ci = 0.95, method = "wald", vcov = NULL, ...) { # nolint
  if (!is.null(vcov)) {
    return(NextMethod())
  }
  intervals_of_parameters(x, ci, method, confint.pwcstats_logit)
}

#' @exportS3Method parameters::ci
ci.pwcstats_abilities <- function(x, ci = 0.95, method = "wald", ...) { # nolint
  intervals_of_parameters(x, ci, method, confint.pwcstats_abilities)
}

intervals_of_parameters <- function(x, ci, method, confint) {
  method <- tolower(first_of(method, "wald"))
  check_choice(method, NULL, c("wald", "normal", "profile"))
  one <- function(level) {
    bounds <- confint(x, level = level, method = if (method == "normal") "wald" else method)
    parameter_table(x, CI = level, CI_low = unname(bounds[, 1L]), CI_high = unname(bounds[, 2L]))
  }
  do.call(rbind, lapply(ci, one))
}

#' @exportS3Method parameters::standard_error
standard_error.pwcstats_logit <- function(model, vcov = NULL, ...) { # nolint
  if (!is.null(vcov)) {
    return(NextMethod())
  }
  parameter_table(model, SE = unname(model$se))
}

#' @exportS3Method parameters::standard_error
standard_error.pwcstats_abilities <- function(model, ...) { # nolint
  refuse_no_errors(model)
  parameter_table(model, SE = unname(model$se))
}

#' @exportS3Method parameters::p_value
p_value.pwcstats_logit <- function(model, method = NULL, vcov = NULL, ...) { # nolint
  if (!is.null(vcov)) {
    return(NextMethod())
  }
  method <- tolower(first_of(method, "wald"))
  check_choice(method, NULL, c("wald", "normal", "profile"))
  tests <- tidy.pwcstats_logit(model, conf.method = if (method == "normal") "wald" else method)
  parameter_table(model, p = tests$p.value)
}

#' @exportS3Method parameters::p_value
p_value.pwcstats_abilities <- function(model, method = "wald", ...) { # nolint
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
