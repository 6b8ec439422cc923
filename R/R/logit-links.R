# The linear predictors of logistic fits and what depends on them: scores of rows, probabilities of
# classes and their standard errors. sandwich, predict(), emmeans and effects use them. A new class
# of fits needs methods for link_designs(), link_scores(), link_proba(), link_slopes() and
# coefficient_terms().

# A list with one matrix for each linear predictor: its derivatives with respect to the
# coefficients, which are in the order of vcov(); `x` is the design matrix of some rows.
link_designs <- function(object, x) {
  UseMethod("link_designs")
}

link_designs.pwcstats_firth <- function(object, x) {
  list(x)
}

link_designs.pwcstats_firth_multinom <- function(object, x) {
  n_links <- nrow(object$coefficients)
  lapply(seq_len(n_links), function(link) kronecker(diag(n_links)[link, , drop = FALSE], x))
}

link_designs.pwcstats_cratio <- function(object, x) {
  n_stages <- length(object$stages)
  lapply(seq_len(n_stages), function(stage) {
    unit <- diag(n_stages)[stage, , drop = FALSE]
    if (object$parallel) {
      cbind(kronecker(x[, 1L, drop = FALSE], unit), x[, -1L, drop = FALSE])
    } else {
      # By term, then by stage.
      kronecker(x, unit)
    }
  })
}

link_designs.pwcstats_adjacent <- link_designs.pwcstats_cratio

# Linear predictors are threshold - slopes.
link_designs.pwcstats_ordered_logit <- function(object, x) {
  n <- length(object$zeta)
  lapply(seq_len(n), function(link) {
    cbind(kronecker(diag(n)[link, , drop = FALSE], x[, 1L]), -x[, -1L, drop = FALSE])
  })
}

# Derivatives of the log-likelihood of each row with respect to its linear predictors, one column
# each. The derivatives of the penalty, tau log|I| with tau = 1/2 for Firth's, are sums over rows as
# well, so each row has a part of them, and the scores of all rows sum to 0 at the estimates.
link_scores <- function(object, designs) {
  UseMethod("link_scores")
}

link_scores.pwcstats_firth <- function(object, designs) {
  trials <- trials_of(object)
  mean <- fitted_rows(object)
  # As for glm(), a row without trials has no residual.
  surplus <- trials$weight * (trials$share - mean)
  as.matrix(surplus + binary_penalty(object, designs[[1L]], trials$weight, mean))
}

# The penalty's part of the score of binary rows: 2 tau h (1/2 - p) with the hat value h.
binary_penalty <- function(object, design, weight, mean) {
  hat <- weight * mean * (1 - mean) * quadratic_forms(design, object$vcov, design)
  2 * first_of(object$tau, 1 / 2) * hat * (1 / 2 - mean)
}

link_scores.pwcstats_firth_multinom <- function(object, designs) {
  baseline_scores(object, designs)
}

# The linear predictors of the classes are sums over the steps below them.
link_scores.pwcstats_adjacent <- function(object, designs) {
  of_classes <- Reduce(`+`, designs, accumulate = TRUE)
  scores <- baseline_scores(object, of_classes, object$penalty != "none")
  scores %*% sums_of_steps(length(designs))
}

# Row k sums the steps up to class k.
sums_of_steps <- function(n) {
  outer(seq_len(n), seq_len(n), `>=`) + 0
}

# Scores for the logits of all classes against the first.
baseline_scores <- function(object, designs, penalised = TRUE) {
  weight <- row_weights_used(object)
  p <- fitted_rows(object)
  code <- class_codes(object)
  links <- seq_along(designs)
  observed <- outer(code, links + 1L, `==`)
  observed[is.na(observed)] <- FALSE
  p <- p[, -1L, drop = FALSE]
  if (!penalised) {
    return(weight * (observed - p))
  }
  # Variances and covariances of the estimated linear predictors of a row.
  cov <- function(a, b) quadratic_forms(designs[[a]], object$vcov, designs[[b]])
  diagonal <- vapply(links, function(a) cov(a, a), numeric(nrow(p)))
  diagonal <- matrix(diagonal, nrow(p))
  # Column a: the sum over b of cov(a, b) p[b].
  mixed <- matrix(0, nrow(p), length(links))
  for (a in links) {
    for (b in links) {
      mixed[, a] <- mixed[, a] + cov(a, b) * p[, b]
    }
  }
  # tau times the sum of cov(a, b) times the third cumulants of the outcome.
  penalty <- first_of(object$tau, 1 / 2) * p * (
    diagonal - rowSums(p * diagonal) - 2 * mixed + 2 * rowSums(p * mixed)
  )
  weight * (observed - p + penalty)
}

link_scores.pwcstats_cratio <- function(object, designs) {
  weight <- row_weights_used(object)
  code <- class_codes(object)
  eta <- link_values(object, designs)
  scores <- vapply(seq_along(designs), function(stage) {
    class <- match(object$stages[[stage]], as.character(object$classes))
    reached <- if (object$direction == "backward") code <= class else code >= class
    at_stage <- ifelse(weight > 0 & reached, weight, 0)
    mean <- stats::plogis(eta[, stage])
    score <- ifelse(at_stage > 0, at_stage * ((code == class) - mean), 0)
    if (object$penalty != "none") {
      score <- score + binary_penalty(object, designs[[stage]], at_stage, mean)
    }
    score
  }, numeric(length(code)))
  matrix(scores, length(code))
}

# The probability of a class is the difference F(upper) - F(lower) of the cumulative probabilities
# at the thresholds above and below it.
link_scores.pwcstats_ordered_logit <- function(object, designs) {
  weight <- row_weights_used(object)
  code <- class_codes(object)
  links <- seq_along(designs)
  eta <- link_values(object, designs) - first_of(stats::model.offset(object$model), 0)
  # 1 / (exp(upper - lower) - 1) is 0 for the lowest and the highest class.
  gap <- 1 / expm1(cbind(eta, Inf) - cbind(-Inf, eta))
  upper <- outer(code, links, `==`) * (stats::plogis(-eta) + gap[, links])
  lower <- outer(code, links + 1L, `==`) * (stats::plogis(eta) + gap[, links + 1L])
  score <- upper - lower
  # Rows of weight 0 may have a class that is not in the model.
  score[weight == 0] <- 0
  if (object$penalty != "none") {
    score <- score + cumulative_penalty(object, designs, eta)
  }
  weight * score
}

# The derivatives of 1/2 tr(C W) of each row with respect to its linear predictors, where W is its
# expected information on them, and C the covariance of their estimates, which is held fixed. W is
# the sum over classes of g g' / p, where g has the derivatives of p, the probability of the class.
cumulative_penalty <- function(object, designs, eta) {
  links <- seq_along(designs)
  p <- link_proba(object, eta)
  density <- stats::dlogis(eta)
  # Columns j of g'C: the parts of the thresholds above and below each class.
  cov <- function(a, b) quadratic_forms(designs[[a]], object$vcov, designs[[b]])
  product <- function(class, link) {
    above <- if (class %in% links) density[, class] * cov(class, link) else 0
    below <- if (class > 1L) density[, class - 1L] * cov(class - 1L, link) else 0
    (above - below) / p[, class]
  }
  value <- function(class) {
    above <- if (class %in% links) density[, class] * product(class, class) else 0
    below <- if (class > 1L) density[, class - 1L] * product(class, class - 1L) else 0
    (above - below) / p[, class]
  }
  parts <- vapply(links, function(link) {
    bend <- 2 * (1 - 2 * stats::plogis(eta[, link]))
    slope <- bend * (product(link, link) - product(link + 1L, link))
    density[, link] / 2 * (slope - value(link) + value(link + 1L))
  }, numeric(nrow(p)))
  matrix(parts, nrow(p))
}

# Probabilities of the classes, one column each, for linear predictors `eta`, one column each.
link_proba <- function(object, eta) {
  UseMethod("link_proba")
}

link_proba.pwcstats_firth_multinom <- function(object, eta) {
  eta <- cbind(numeric(nrow(eta)), eta)
  # Subtracting the largest avoids overflow.
  largest <- max.col(eta, ties.method = "first")
  odds <- exp(eta - eta[cbind(seq_along(largest), largest)])
  odds / rowSums(odds)
}

link_proba.pwcstats_adjacent <- function(object, eta) {
  link_proba.pwcstats_firth_multinom(object, eta %*% t(sums_of_steps(ncol(eta))))
}

link_proba.pwcstats_cratio <- function(object, eta) {
  classes <- seq_along(object$classes)
  stages <- match(object$stages, as.character(object$classes))
  # A class ends the chain at its own stage, after it has passed the stages before.
  passes <- outer(stages, classes, if (object$direction == "backward") ">" else "<")
  log_yes <- stats::plogis(eta, log.p = TRUE)
  log_no <- stats::plogis(-eta, log.p = TRUE)
  exp(log_yes %*% outer(stages, classes, "==") + log_no %*% passes)
}

link_proba.pwcstats_ordered_logit <- function(object, eta) {
  # F(upper) - F(lower), precise in the tails.
  upper <- cbind(eta, Inf)
  lower <- cbind(-Inf, eta)
  stats::plogis(upper) * stats::plogis(-lower) * -expm1(lower - upper)
}

# A list with one matrix for each class: derivatives of its probability with respect to the linear
# predictors. `eta` has the linear predictors, `proba` the probabilities of the classes.
link_slopes <- function(object, eta, proba) {
  UseMethod("link_slopes")
}

link_slopes.pwcstats_firth_multinom <- function(object, eta, proba) {
  rest <- proba[, -1L, drop = FALSE]
  lapply(seq_len(ncol(proba)), function(class) {
    own <- matrix(seq_len(ncol(rest)) + 1L == class, nrow(rest), ncol(rest), byrow = TRUE)
    proba[, class] * (own - rest)
  })
}

link_slopes.pwcstats_adjacent <- function(object, eta, proba) {
  sums <- sums_of_steps(ncol(eta))
  lapply(link_slopes.pwcstats_firth_multinom(object, eta, proba), function(slopes) slopes %*% sums)
}

link_slopes.pwcstats_cratio <- function(object, eta, proba) {
  classes <- match(object$stages, as.character(object$classes))
  backward <- object$direction == "backward"
  p <- stats::plogis(eta)
  lapply(seq_len(ncol(proba)), function(class) {
    # A class has its own stage, and has passed those before it.
    passed <- if (backward) classes > class else classes < class
    share <- sweep(-p, 2L, passed, `*`) + sweep(1 - p, 2L, classes == class, `*`)
    proba[, class] * share
  })
}

link_slopes.pwcstats_ordered_logit <- function(object, eta, proba) {
  links <- seq_len(ncol(eta))
  density <- stats::dlogis(eta)
  lapply(seq_len(ncol(proba)), function(class) {
    sweep(density, 2L, (links == class) - (links == class - 1L), `*`)
  })
}

# The number of the term of each coefficient, 0 for intercepts, in the order of vcov(). Thresholds
# have -1: that all of them are 0 is not a hypothesis, because they increase.
coefficient_terms <- function(object) {
  UseMethod("coefficient_terms")
}

coefficient_terms.pwcstats_firth <- function(object) {
  attr(model.matrix.pwcstats_logit(object), "assign")
}

coefficient_terms.pwcstats_firth_multinom <- function(object) {
  rep(attr(model.matrix.pwcstats_logit(object), "assign"), nrow(object$coefficients))
}

coefficient_terms.pwcstats_cratio <- function(object) {
  assign <- attr(model.matrix.pwcstats_logit(object), "assign")
  n_stages <- length(object$stages)
  if (object$parallel) c(rep(0L, n_stages), assign[-1L]) else rep(assign, each = n_stages)
}

coefficient_terms.pwcstats_adjacent <- coefficient_terms.pwcstats_cratio

coefficient_terms.pwcstats_ordered_logit <- function(object) {
  c(rep(-1L, length(object$zeta)), attr(model.matrix.pwcstats_logit(object), "assign")[-1L])
}

# Whether all linear predictors have the same slopes, one for each column of the design matrix.
has_common_slopes <- function(object) {
  assign <- attr(model.matrix.pwcstats_logit(object), "assign")
  sum(coefficient_terms(object) > 0L) == sum(assign > 0L)
}

# The coefficients of each linear predictor, one for each column of the design matrix, and their
# covariance. The linear predictors of ordered_logit() are those of the classes above a threshold.
linear_predictors <- function(object, v = object$vcov) {
  columns <- colnames(model.matrix.pwcstats_logit(object))
  sign <- if (inherits(object, "pwcstats_ordered_logit")) -1 else 1
  equations <- lapply(link_designs(object, diag(length(columns))), function(map) {
    list(
      coefficients = stats::setNames(drop(sign * map %*% flat_coefficients(object)), columns),
      vcov = with_dimnames(map %*% v %*% t(map), columns, columns)
    )
  })
  stats::setNames(equations, first_of(object$stages, rownames(object$coefficients)))
}

# The fit as one of firth(), with one linear predictor: the first. For functions of other packages
# that need one coefficient for each column and use the slopes only.
one_equation <- function(object, v = object$vcov) {
  first <- linear_predictors(object, v)[[1L]]
  parts <- c("coefficients", "vcov", "se")
  object[parts] <- c(first, list(sqrt(diag(first$vcov))))
  class(object) <- c("pwcstats_firth", "pwcstats_logit")
  object
}

# Linear predictors without the offset, one column each.
link_values <- function(object, designs) {
  estimate <- flat_coefficients(object)
  values <- vapply(designs, function(z) as.vector(z %*% estimate), numeric(nrow(designs[[1L]])))
  matrix(values, nrow(designs[[1L]]))
}

# Standard errors of linear predictors.
link_errors <- function(object, designs) {
  variance <- vapply(
    designs, function(z) quadratic_forms(z, object$vcov, z), numeric(nrow(designs[[1L]]))
  )
  sqrt(matrix(variance, nrow(designs[[1L]])))
}

# Standard errors of the probabilities of the classes, by the delta method.
probability_errors <- function(object, designs, eta, proba) {
  errors <- vapply(link_slopes(object, eta, proba), function(slopes) {
    gradient <- Reduce(`+`, lapply(seq_along(designs), function(k) slopes[, k] * designs[[k]]))
    quadratic_forms(gradient, object$vcov, gradient)
  }, numeric(nrow(proba)))
  sqrt(matrix(errors, nrow(proba)))
}

# Scores of the rows of the fit, one column for each coefficient.
row_scores <- function(object) {
  designs <- link_designs(object, model.matrix.pwcstats_logit(object))
  scores <- link_scores(object, designs)
  parts <- lapply(seq_along(designs), function(link) scores[, link] * designs[[link]])
  with_dimnames(Reduce(`+`, parts), rownames(object$model), names(object$se))
}

# Shares of successes and weights, which count the trials of each row.
trials_of <- function(object) {
  frame <- object$model
  counts <- read_binary(one_column(stats::model.response(frame)), NULL)$counts
  n <- rowSums(counts)
  list(
    # As in glm() if there are no trials.
    share = ifelse(n > 0, counts[, 1L] / n, 0),
    weight = n * row_weights_used(object)
  )
}

row_weights_used <- function(object) {
  frame <- object$model
  read_row_weights(stats::model.weights(frame), nrow(frame), NULL)
}

# Fitted probabilities without the rows that na.exclude() adds.
fitted_rows <- function(object) {
  object$na.action <- NULL
  fitted.pwcstats_logit(object)
}

# Numbers of the classes of the rows; NA if a class has only rows of weight 0.
class_codes <- function(object) {
  response <- one_column(stats::model.response(object$model))
  match(as.character(response), as.character(object$classes))
}
