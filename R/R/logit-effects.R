# Effects of predictors, for package effects. After firth() its default method computes them from
# our coefficients and covariance. For several classes, it has methods that expect fits by nnet and
# MASS. The one for multinom() finds the rows of the design matrix, which do not depend on the
# model; the probabilities are ours.

#' @exportS3Method effects::Effect
Effect.pwcstats_logit <- function(focal.predictors, # nolint
                                  mod,
                                  ...,
                                  vcov. = stats::vcov) { # nolint
  refuse_aliased(mod, "Effect()", NULL)
  if (inherits(mod, "pwcstats_firth")) {
    return(NextMethod())
  }
  if (!is.null(stats::model.offset(mod$model))) {
    abort("the methods of effects for several classes have no offset; use emmeans().", sys.call())
  }
  if ("latent" %in% ...names()) {
    abort("Effect() returns probabilities of the classes of this fit; leave out latent.", NULL)
  }
  refuse_infinite_estimates(mod, "a standard error", NULL)
  columns <- colnames(model.matrix.pwcstats_logit(mod))
  rows <- mod
  rows$lev <- as.character(mod$classes)
  # With coefficients 0 and covariance 1, its intervals give the normal or Scheffe quantile.
  rows$coefficients <- matrix(
    0, length(mod$classes) - 1L, length(columns), dimnames = list(NULL, columns)
  )
  method <- utils::getS3method("Effect", "multinom", envir = asNamespace("effects"))
  result <- method(focal.predictors, rows, ..., vcov. = diag(length(rows$coefficients)))
  mod$vcov <- if (is.function(vcov.)) vcov.(mod) else vcov.
  designs <- link_designs(mod, result$model.matrix)
  eta <- link_values(mod, designs)
  proba <- link_proba(mod, eta)
  se <- probability_errors(mod, designs, eta, proba)
  set_probabilities(result, proba, se, if (!is.null(mod$zeta)) mod$df)
}

# The numbers of an effect of class `effpoly`, which has intervals on the scale of the logit. Cells
# without data remain NA. Scheffe's intervals are those for `df` coefficients, by default one for
# each column of the design matrix, as after multinom().
set_probabilities <- function(result, prob, se, df = NULL) {
  prob[is.na(result$prob)] <- NA
  scale <- prob * (1 - prob)
  values <- list(prob = prob, logit = stats::qlogis(prob))
  if (!is.null(result$se.logit)) {
    # A row of zeros has no standard error.
    quantile <- max((result$upper.logit - result$logit) / result$se.logit, na.rm = TRUE)
    level <- result$confidence.level
    if (!is.null(df) && quantile > stats::qnorm((1 + level) / 2) + 1e-6) {
      quantile <- sqrt(stats::qchisq(level, df))
    }
    lower <- values$logit - quantile * se / scale
    upper <- values$logit + quantile * se / scale
    values <- c(values, list(
      se.prob = se, se.logit = se / scale,
      lower.logit = lower, upper.logit = upper,
      lower.prob = stats::plogis(lower), upper.prob = stats::plogis(upper)
    ))
  }
  for (name in names(values)) {
    result[[name]][] <- values[[name]]
  }
  result
}

# Comparisons and rankings have no data frame of predictors, which effects needs.
refuse_effects <- function() {
  abort(
    "effects needs predictors of single rows; use emmeans::emmeans(fit, ~ x) or abilities(fit).",
    NULL
  )
}

#' @exportS3Method effects::Effect
Effect.pwcstats_abilities <- function(focal.predictors, mod, ...) { # nolint
  refuse_effects()
}

#' @exportS3Method effects::allEffects
allEffects.pwcstats_abilities <- function(mod, ...) { # nolint
  refuse_effects()
}

#' @exportS3Method effects::predictorEffects
predictorEffects.pwcstats_abilities <- function(mod, ...) { # nolint
  refuse_effects()
}
