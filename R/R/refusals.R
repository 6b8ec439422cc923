# Generic functions of R that are not defined for a class, and what to use instead. The default
# methods would return NULL or fail with an error about something else. Generic functions of other
# packages have methods in the file of that package.
refusals <- list(
  list(
    class = "pwcstats_classifier",
    generics = c(
      "residuals", "rstandard", "rstudent", "cooks.distance", "hatvalues", "influence", "dfbeta",
      "dfbetas", "sigma"
    ),
    message = "a classifier has no residuals; fitted() has the probabilities of its rows."
  ),
  list(
    class = "pwcstats_classifier",
    generics = c(
      "logLik", "deviance", "df.residual", "extractAIC", "anova", "add1", "drop1", "profile"
    ),
    message = paste(
      "a classifier has no likelihood; compare_methods() compares classifiers by their scores on",
      "test data."
    )
  ),
  list(
    class = "pwcstats_classifier",
    generics = c(
      "family", "alias", "dummy.coef", "effects", "proj", "qr", "kappa", "se.contrast",
      "model.tables", "TukeyHSD"
    ),
    message = "a classifier has no linear predictor; summary() describes the fit."
  ),
  list(
    class = "pwcstats_classifier",
    generics = "simulate",
    message = paste(
      "a classifier is no model of the data; draw classes with the probabilities of",
      "predict(fit, newdata, type = 'prob')."
    )
  ),
  list(
    class = "pwcstats_pwc",
    generics = c("coef", "vcov", "confint"),
    message = "learners of pairs have no common coefficients; tidy() and summary() have the pairs."
  ),
  list(
    class = "pwcstats_logit",
    generics = "residuals",
    message = "residuals are defined only for fits by firth(); fitted() has probabilities."
  ),
  list(
    class = "pwcstats_logit",
    generics = "family",
    message = "only fits by firth() have a family; models of several classes have none."
  ),
  list(
    class = "pwcstats_bt_mixed",
    generics = "deviance",
    message = "a fit with random effects has no deviance; use logLik() or AIC()."
  ),
  list(
    class = "pwcstats_bt_mixed",
    generics = "df.residual",
    message = "a fit with random effects has no residual degrees of freedom; use logLik() or AIC()."
  ),
  list(
    class = "pwcstats_abilities",
    generics = "sigma",
    message = "abilities have no residual variance; summary(fit) has their standard errors."
  ),
  list(
    class = "pwcstats_pl",
    generics = c(
      "residuals", "fitted", "family", "model.matrix", "formula", "terms", "case.names",
      "hatvalues", "cooks.distance", "influence", "rstandard", "rstudent"
    ),
    message = paste(
      "this function is not defined for rankings, which have no single response; use predict()."
    )
  )
)

# Called by .onLoad().
register_refusals <- function() {
  for (refusal in refusals) {
    for (generic in refusal$generics) {
      method <- refusing(refusal$message)
      # From there, generic functions of base are found, too.
      registerS3method(generic, refusal$class, method, envir = asNamespace("stats"))
    }
  }
}

refusing <- function(message) {
  force(message)
  function(...) abort(message, sys.call())
}
