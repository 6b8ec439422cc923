#' Proportional odds for ordered classes
#'
#' Fits the cumulative logit \eqn{\mathrm{logit}\, P(Y \le j) = \zeta_j - x^\top \beta}{logit P(Y <=
#' j) = zeta[j] - x'beta} for all classes j but the highest, with increasing thresholds
#' \eqn{\zeta_j}{zeta[j]}, by maximum likelihood or with Jeffreys' penalty. A positive slope makes
#' high classes more likely.
#'
#' Signs, estimates and standard errors of maximum likelihood are those of `polr()` in \pkg{MASS}
#' and `clm()` in \pkg{ordinal}. The coefficients are the thresholds and then the slopes, as in
#' `clm()`.
#'
#' If the data are separated, maximum likelihood estimates are infinite. A warning names the
#' columns, the estimates are `Inf` or `-Inf` (`NaN` if the sign is not determined), their standard
#' errors are `Inf`, and predictions are the limits. `penalty = "firth"` gives finite estimates: it
#' maximises the log-likelihood plus half the log determinant of the expected information of
#' thresholds and slopes. For two classes this is [firth()]. For more classes the model is not an
#' exponential family, so that the estimate is not the one that removes the first-order bias; that
#' of Kosmidis (2014) solves other equations. The weights of each class between the lowest and the
#' highest must add up to more than 1/2; otherwise the penalised likelihood has no maximum.
#'
#' @inheritParams firth
#' @param formula Model formula. The response is an ordered factor or numeric; with two classes it
#'   may be any factor. The thresholds replace the intercept.
#' @param penalty Maximum likelihood, or Jeffreys' penalty.
#' @return A list of class `pwcstats_ordered_logit`. It has the usual [methods][pwcstats_logit] of a
#'   model, and [predict()][predict.pwcstats_ordered_logit]. Its elements are
#'   \item{coefficients, vcov, se}{Thresholds, with names such as `"low|mid"`, and slopes; their
#'     covariance and standard errors, from the observed information or, with the penalty, from the
#'     expected one.}
#'   \item{zeta}{The thresholds.}
#'   \item{loglik, penalized_loglik}{Log-likelihood, which AIC and BIC use, and the penalised
#'     log-likelihood.}
#'   \item{deviance, df.residual, df, nobs}{Minus twice the log-likelihood; residual degrees of
#'     freedom; number of coefficients; number of rows, or the sum of their weights.}
#'   \item{classes}{The classes in their order.}
#'   \item{penalty}{The option of the call.}
#'   \item{separated}{Whether some estimates are infinite because the data are separated.}
#'   \item{converged, iter, reason, call, terms, model, xlevels, contrasts, na.action, python}{As in
#'     [firth()].}
#' @seealso [cratio()] for continuation ratios, [adjacent_categories()] for each class against the
#'   class below it, [firth_multinom()] for unordered classes.
#' @references
#' Kosmidis, I. (2014) Improved estimation in cumulative link models. *Journal of the Royal
#' Statistical Society: Series B* **76**, 169--196. \doi{10.1111/rssb.12025}
#'
#' McCullagh, P. (1980) Regression models for ordinal data. *Journal of the Royal Statistical
#' Society: Series B* **42**, 109--142. \doi{10.1111/j.2517-6161.1980.tb01109.x}
#' @examplesIf pwcstats_available()
#' air <- transform(
#'   airquality,
#'   ozone = cut(Ozone, c(0, 20, 50, 200), c("low", "middle", "high"), ordered_result = TRUE)
#' )
#' fit <- ordered_logit(ozone ~ Temp + Wind, air)
#' summary(fit)
#' anova(fit)
#' predict(fit, data.frame(Temp = c(60, 95), Wind = 8), type = "prob")
#' @examplesIf pwcstats_available() && requireNamespace("MASS", quietly = TRUE)
#'
#' # Counts as weights.
#' ordered_logit(Sat ~ Infl + Cont, MASS::housing, weights = Freq, penalty = "firth")
#' @export
ordered_logit <- function(formula,
                          data,
                          weights,
                          subset,
                          na.action, # nolint
                          offset,
                          contrasts = NULL,
                          penalty = c("none", "firth"),
                          maxit = 200) {
  call <- full_call()
  asked <- match.call()
  penalty <- check_choice(penalty, call)
  input <- formula_input(asked, parent.frame(), contrasts, call, intercept = TRUE)
  used <- input$used
  y <- read_ordered(input$y, used, call)

  load_python(call)
  # The intercept is included: otherwise Python would take another constant column for it.
  model <- call_python(
    "OrderedLogit",
    list(codes_to_py(y$code, y$labels, ordered = TRUE), design_to_py(input$x, used)),
    list(
      penalty = option_to_py(penalty),
      freq_weights = row_weights_to_py(input$weights[used]),
      offset = if (!is.null(input$offset)) numbers_to_py(input$offset[used]),
      aliased = "raise"
    ),
    call
  )
  results <- call_bridge(model$fit, list(), list(maxiter = count_to_py(maxit)), call)
  n_classes <- length(y$labels)
  zeta <- paste(y$labels[-n_classes], y$labels[-1L], sep = "|")
  names <- c(zeta, colnames(input$x)[-1L])
  order <- thresholds_first(length(zeta), length(names))
  found <- logit_from_py(
    results,
    coefficients = stats::setNames(vector_from_py(results$params)[order], names),
    vcov = with_dimnames(
      matrix_from_py(results$cov_params())[order, order, drop = FALSE], names, names
    ),
    nobs = sum(input$weights)
  )
  found$separated <- from_py(results$separated)
  found$zeta <- found$coefficients[zeta]
  options <- list(penalty = penalty, classes = y$classes)
  logit_fit("pwcstats_ordered_logit", found, input, asked, options)
}

# Python has the slopes first.
thresholds_first <- function(n_thresholds, n_coefficients) {
  n_slopes <- n_coefficients - n_thresholds
  c(n_slopes + seq_len(n_thresholds), seq_len(n_slopes))
}

#' @rdname predict.pwcstats_logit
#' @export
predict.pwcstats_ordered_logit <- function(object,
                                           newdata = NULL,
                                           type = c(
                                             "class", "prob", "link", "cumulative", "probs",
                                             "response", "terms"
                                           ),
                                           se.fit = FALSE, # nolint
                                           na.action = stats::na.pass, # nolint
                                           terms = NULL,
                                           interval = c("none", "confidence"),
                                           level = 0.95,
                                           ...) {
  call <- sys.call()
  refuse_unknown(...)
  type <- check_choice(type, call)
  interval <- check_choice(interval, call)
  columns <- list(
    prob = as.character(object$classes), cumulative = names(object$zeta), linear = "link"
  )
  predict_ordinal(
    object, newdata, type, se.fit, na.action, terms, interval, level, columns, call
  )
}

# Predictions by Python, which computes the limits for infinite estimates and takes offsets.
# `columns` has the names of the columns of each kind of predictions.
predict_ordinal <- function(object, newdata, type, se.fit, na.action, terms, # nolint
                            interval, level, columns, call) {
  check_flag(se.fit, "se.fit", call)
  check_level(level, "level", call)
  check_prediction(type, se.fit, interval, terms, call)
  rows <- rows_of_design(object, newdata, na.action, call)
  if (type == "terms") {
    found <- predict_terms(object, rows, terms, call)
    return(if (se.fit) found else found$fit)
  }
  offset <- rep_len(rows$offset, nrow(rows$x))
  known <- which(rowSums(is.na(cbind(rows$x, offset))) == 0)
  which <- c(link = "linear", cumulative = "cumulative")[type]
  which <- if (is.na(which)) "prob" else which[[1L]]
  columns <- columns[[which]]
  is_vector <- identical(columns, "link")
  padded <- function(found) {
    values <- matrix(
      NA_real_, nrow(rows$x), length(columns),
      dimnames = list(rownames(rows$x), columns)
    )
    values[known, ] <- found
    # A single row would lose its name.
    vector <- if (is_vector) stats::setNames(values[, 1L], rownames(values))
    stats::napredict(rows$na_action, first_of(vector, values))
  }
  ask <- function(method) {
    options <- list(which = which, offset = numbers_to_py(offset[known]))
    call_bridge(thaw(object, call)[[method]], list(design_to_py(rows$x, known)), options, call)
  }
  wants_errors <- se.fit || interval != "none"
  if (!length(known)) {
    fit <- se <- link <- link_se <- padded(numeric())
  } else if (wants_errors) {
    found <- ask("get_prediction")
    fit <- padded(matrix_from_py(found$predicted))
    se <- padded(matrix_from_py(found$se))
    link <- padded(matrix_from_py(found$link))
    link_se <- padded(matrix_from_py(found$link_se))
  } else {
    found <- ask("predict")
    fit <- padded(if (is_vector) vector_from_py(found) else matrix_from_py(found))
  }
  if (interval == "confidence") {
    # Python's logits are precise if a probability rounds to 0 or 1.
    bounds <- with_bounds(link, link_se, TRUE, level, Inf)
    if (type != "link") {
      bounds[] <- stats::plogis(bounds)
    }
    fit <- replace(bounds, seq_along(fit), fit)
  }
  if (wants_errors) {
    return(if (se.fit) list(fit = fit, se.fit = se) else fit)
  }
  # Like polr(), predicted classes have no names.
  if (type == "class") object$classes[most_probable(fit)] else fit
}
