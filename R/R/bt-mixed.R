#' Bradley-Terry fits with random effects
#'
#' If the formula of [bt()] has the term `(1 | ..)`, the ability of an item is a linear function of
#' its covariates plus a random effect, which is normal with mean 0 and standard deviation
#' \eqn{\sigma}{sigma}. [abilities()] and `predict()` then use predictions of the random effects.
#' They are shrunken towards what the covariates say, and the more so the fewer comparisons an item
#' has. Their standard errors are those of the prediction error, given \eqn{\sigma}{sigma}.
#'
#' `random_effects = "laplace"` in [bt()] maximises the Laplace approximation of the likelihood, as
#' `glmer()` of \pkg{lme4} does. `"pql"` is penalised quasi-likelihood, as in `BTm()` of
#' \pkg{BradleyTerry2}. It underestimates \eqn{\sigma}{sigma} and the coefficients if items have few
#' comparisons.
#'
#' @param object,x A fit by [bt()] with random effects.
#' @param level,conf.level Confidence level, by either name.
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `random_effects()` returns a matrix with a row for each item and the columns `effect`,
#'   `s.e.`, `conf.low` and `conf.high`. `variance_component()` returns a list of class `htest`: the
#'   estimate of \eqn{\sigma}{sigma}, its confidence interval, and the likelihood-ratio test of 0.
#'   `ranef()` and `fixef()` of \pkg{nlme} and \pkg{lme4} work, too.
#' @references Breslow, N. E. and Clayton, D. G. (1993) Approximate inference in generalized linear
#'   mixed models. *Journal of the American Statistical Association* **88**, 9--25.
#'   \doi{10.1080/01621459.1993.10594284}
#'
#' Turner, H. and Firth, D. (2012) Bradley-Terry models in R: the BradleyTerry2 package. *Journal of
#' Statistical Software* **48** (9). \doi{10.18637/jss.v048.i09}
#' @examplesIf pwcstats_available()
#' journals <- data.frame(theory = c(2, 0, 1, 3), row.names = rownames(citations))
#' fit <- bt(citations, formula = ~ theory + (1 | ..), item_data = journals)
#' summary(fit)
#' random_effects(fit)
#' variance_component(fit)
#' @export
random_effects <- function(object, ...) {
  UseMethod("random_effects")
}

#' @rdname random_effects
#' @export
random_effects.pwcstats_bt_mixed <- function(object, level = 0.95, ..., conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  effects <- object$random_effects
  bounds <- wald_bounds(effects[, "effect"], effects[, "s.e."], level)
  cbind(effects, with_dimnames(bounds, rownames(effects), c("conf.low", "conf.high")))
}

#' @rdname random_effects
#' @export
variance_component <- function(object, ...) {
  UseMethod("variance_component")
}

#' @rdname random_effects
#' @export
variance_component.pwcstats_bt_mixed <- function(object,
                                                 level = 0.95,
                                                 ...,
                                                 conf.level = level) { # nolint
  call <- sys.call()
  refuse_unknown(...)
  level <- read_level(call)
  result <- call_bridge(thaw(object, call)$variance_component, list(1 - level), list(), call)
  names <- list(estimate = "standard deviation", null = "standard deviation")
  as_htest(result, paste(deparse(object$call), collapse = " "), level, names)
}

#' @exportS3Method nlme::ranef
ranef.pwcstats_bt_mixed <- function(object, ...) { # nolint
  refuse_unknown(...)
  object$random_effects[, "effect"]
}

#' @exportS3Method nlme::fixef
fixef.pwcstats_bt_mixed <- function(object, ...) { # nolint
  refuse_unknown(...)
  object$coefficients
}

# The random effects as plain R data.
mixed_from_py <- function(results) {
  effects <- results$random_effects()
  list(
    sigma = from_py(results$sigma),
    approximation = from_py(results$approximation),
    random_effects = with_dimnames(
      matrix_from_py(effects)[, 1:2, drop = FALSE], labels_from_py(effects$index),
      c("effect", "s.e.")
    )
  )
}

#' @rdname random_effects
#' @param digits Number of significant digits.
#' @export
print.pwcstats_bt_mixed <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  print_call(x)
  cat(describe_model(x), "\n\n", sep = "")
  if (length(x$coefficients)) {
    cat("Fixed effects:\n")
    print(format(x$coefficients, digits = digits), quote = FALSE)
  }
  cat(describe_missing(x), "\n", describe_sigma(x, digits), "\n", sep = "")
  cat(describe_marginal(x, digits), "\n", sep = "")
  if (!x$converged) {
    cat(describe_iterations(x), "\n", sep = "")
  }
  invisible(x)
}

#' @rdname random_effects
#' @export
summary.pwcstats_bt_mixed <- function(object, ...) {
  refuse_unknown(...)
  call <- sys.call()
  test <- result_from_py(call_bridge(thaw(object, call)$variance_component, list(), list(), call))
  kept <- c(
    "call", "items", "nobs", "covariates", "ref", "method", "approximation", "sigma", "loglik",
    "df", "converged", "iter", "na.action", "is_ranking"
  )
  structure(
    class = "summary.pwcstats_bt_mixed",
    c(object[kept], list(
      coefficients = coefficient_table(object$coefficients, object$se),
      variance_component = test[c("estimate", "std_error", "statistic", "p_value", "conf_int")],
      aic = stats::AIC(object)
    ))
  )
}

#' @export
print.summary.pwcstats_bt_mixed <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(..., .also = coefmat_names())
  print_call(x)
  cat(describe_model(x), "\n\n", sep = "")
  if (nrow(x$coefficients)) {
    cat("Fixed effects:\n")
    stats::printCoefmat(x$coefficients, digits = digits, ...)
    cat("\n")
  }
  test <- x$variance_component
  cat("Random effects:\n", describe_sigma(x, digits), sep = "")
  if (length(test$conf_int)) {
    bounds <- format(test$conf_int, digits = digits)
    cat(sprintf(", 95 %% confidence interval %s to %s", bounds[[1L]], bounds[[2L]]))
  }
  cat(sprintf(
    "\nLikelihood-ratio test of 0: %s, p-value: %s\n",
    format(test$statistic, digits = digits), format.pval(test$p_value, digits = digits)
  ))
  cat(describe_missing(x), "\n", describe_marginal(x, digits), "\n", sep = "")
  cat("AIC: ", format(x$aic, digits = max(4L, digits + 1L)), "\n", sep = "")
  cat(describe_iterations(x), "\n\n", sep = "")
  invisible(x)
}

describe_sigma <- function(x, digits) {
  sprintf("Standard deviation of the random effects: %s", format(x$sigma, digits = digits))
}

describe_marginal <- function(x, digits) {
  sprintf("Log-likelihood (Laplace): %s", format(x$loglik, digits = max(5L, digits + 1L)))
}

# Variances of links, from the joint covariance of fixed and random effects.
mixed_link_variance <- function(object, rows, x, call) {
  fit <- thaw(object, call)
  home <- if (object$order_effect) rows$home else rep(0, nrow(rows))
  used <- !is.na(rows$player1) & !is.na(rows$player2) & !is.na(home)
  if (!is.null(x)) {
    used <- used & stats::complete.cases(x)
  }
  variance <- rep(NA_real_, nrow(rows))
  # The side that is at home goes first.
  turned <- home < 0
  first <- as.character(ifelse(turned, as.character(rows$player2), as.character(rows$player1)))
  second <- as.character(ifelse(turned, as.character(rows$player1), as.character(rows$player2)))
  for (neutral in c(TRUE, FALSE)) {
    some <- which(used & (home == 0) == neutral)
    if (!length(some)) {
      next
    }
    contest <- if (!is.null(x)) to_py(x[some, , drop = FALSE] * ifelse(turned, -1, 1)[some])
    options <- list(outcome = "link", neutral = neutral, contest = contest, se = TRUE)
    sides <- list(labels_to_py(first[some]), labels_to_py(second[some]))
    variance[some] <- matrix_from_py(call_bridge(fit$predict, sides, options, call))[, 2L]^2
  }
  variance
}
