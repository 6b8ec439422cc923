#' Chang's hybrid for ordered classes
#'
#' Fits K - 1 support vector machines, each of which separates a class from the union of the lower
#' classes. An ordinal model of the distances from their decision boundaries, the integrator, gives
#' probabilities (Procedure II of Chang, 2003).
#'
#' A row x has the signed distance \eqn{d_j = f_j(x) / \|w_j\|}{d[j] = f[j](x) / ||w[j]||} from the
#' boundary of machine j: the decision value divided by the length of the normal vector. It is
#' positive on the side of class j. The integrator is by default
#' \deqn{\mathrm{logit}\, P(Y = j \mid Y \le j, x) = \beta_{0j} + \beta_j^\top d}{
#' logit P(Y = j | Y <= j, x) = beta[0j] + beta[j]'d}
#' for all classes j but the lowest, which is the backward model of [cratio()].
#'
#' @inheritParams hybrid
#' @param formula Model formula. The response is an ordered factor or numeric; unused levels are
#'   dropped. Alternatively a matrix instead of `x`, with `data` instead of `y`.
#' @param integrator Continuation ratios, or proportional odds, where the classes differ only in the
#'   threshold.
#' @param penalty Use Firth's penalty if the distances separate the classes, never, or always.
#' @param class_threshold The probability of each class above which `predict(type = "membership")`
#'   counts a row to the class: `"cv"` takes the best threshold for `scoring`, on cross-validated
#'   probabilities; `"prevalence"` counts as many rows to each class as it has; or a number for each
#'   class, in their order or named by class. Predicted classes do not depend on it.
#' @param scoring Score with scikit-learn's name, of each class against all others. For
#'   `"balanced_accuracy"` the best threshold is the share of the class, and for `"accuracy"` 1/2,
#'   if the probabilities are right. For others it is the best one on cross-validated probabilities,
#'   or 1/2 if the folds do not clearly show that it is better.
#' @param threshold_cv Number of folds for the cross-validated probabilities that choose the
#'   thresholds. If they choose nothing, a number other than 5 gives a warning.
#' @param seed Whole number that seeds folds, and draws between equally probable classes. With
#'   `NULL`, folds follow the order of the rows.
#' @return A list of class `pwcstats_ordinal_hybrid`, which inherits from `pwcstats_machines` and
#'   `pwcstats_classifier`, with [methods][pwcstats_machines] and
#'   [predict()][predict.pwcstats_machines]. Its elements are
#'   \item{classes}{The classes from the lowest to the highest.}
#'   \item{coefficients}{Coefficients of the integrator: a vector with names such as
#'     `"(Intercept):class"` and `"distance:class"`; for `"ordered"` the slopes and the
#'     thresholds.}
#'   \item{class_threshold}{The threshold of each class; `NULL` without `class_threshold`.}
#'   \item{norms, distances, aliased, selected, integrator, chain, penalty, learner, svm,
#'     center, scale, distance_cv}{As in [hybrid()].}
#'   \item{nobs, call, terms, model, xlevels, contrasts, na.action, python}{As in [hybrid()].}
#' @seealso [hybrid()] for unordered classes, [cratio()] for the model of the integrator;
#'   [caretModel()], [mlr learners][pwcstats_mlr] and [parsnip engines][pwcstats_parsnip] to tune
#'   them.
#' @references
#' Chang, Y.-C. I. (2003) Boosting SVM classifiers with logistic regression. Technical report,
#' Institute of Statistical Science, Academia Sinica, Taipei.
#' @examplesIf pwcstats_available()
#' air <- transform(
#'   airquality,
#'   ozone = cut(Ozone, c(0, 20, 50, 200), c("low", "middle", "high"), ordered_result = TRUE)
#' )
#' fit <- ordinal_hybrid(ozone ~ Temp + Wind, air)
#' fit
#' table(air$ozone, predict(fit, air))
#' predict(fit, data.frame(Temp = c(60, 95), Wind = 8), type = "prob")
#'
#' # With a threshold for each class, a row may belong to several classes, or to none.
#' cut <- ordinal_hybrid(ozone ~ Temp + Wind, air, class_threshold = "prevalence")
#' table(rowSums(predict(cut, type = "membership")))
#' @export
ordinal_hybrid <- function(formula,
                           data,
                           kernel = c("linear", "radial", "polynomial", "sigmoid"),
                           cost = 1,
                           gamma = NULL,
                           degree = 3,
                           coef0 = 0,
                           tolerance = 0.001,
                           scale = TRUE,
                           integrator = c("cratio", "ordered"),
                           penalty = c("auto", "none", "firth"),
                           select = c("none", "aic", "bic", "lr"),
                           distance_cv = 5,
                           seed = 1,
                           weights,
                           subset,
                           na.action, # nolint
                           contrasts = NULL,
                           x = NULL,
                           y = NULL,
                           class_threshold = "none",
                           scoring = "f1",
                           threshold_cv = 5,
                           learners = "svm") {
  call <- full_call()
  asked <- match.call()
  options <- check_integration(penalty, select, distance_cv, seed, call)
  check_count(threshold_cv, "threshold_cv", call, least = 2)
  check_scoring(scoring, call)
  svm <- list(
    kernel = kernel, cost = cost, gamma = gamma, degree = degree, coef0 = coef0,
    tolerance = tolerance
  )
  machine <- read_machine(learners, svm, asked, call)
  input <- used_rows(classifier_input(formula, asked, parent.frame(), contrasts, scale, call))
  refuse_no_order(input$y, call)
  y <- read_ordered(input$y, input$used, call)
  class_threshold <- read_thresholds(class_threshold, y$labels, call)

  load_python(call)
  refuse_weights(machine, input$weights[input$used], call)
  check_score(scoring, call)
  model <- call_python(
    "OrdinalHybridClassifier",
    list(machine_to_py(machine, input$rows, y$classes, call)),
    c(integration_to_py(options), list(
      integrator = first_choice(integrator),
      class_threshold = thresholds_to_py(class_threshold),
      threshold_cv = count_to_py(threshold_cv),
      scoring = scoring
    )),
    call
  )
  response <- codes_to_py(y$code, y$labels, ordered = TRUE)
  call_bridge(
    model$fit,
    list(design_to_py(input$rows), response),
    list(sample_weight = row_weights_to_py(input$weights[input$used])),
    call
  )
  machines_fit(
    "pwcstats_ordinal_hybrid", machines_from_py(model, input), input, asked,
    c(options[c("distance_cv", "seed")], machine_parts(machine), list(
      classes = y$classes,
      class_threshold = thresholds_from_py(model, y$labels)
    ))
  )
}

# A rule, or numbers named by class.
read_thresholds <- function(given, labels, call) {
  if (is.character(given)) {
    return(check_choice(given, call, c("none", "cv", "prevalence"), name = "class_threshold"))
  }
  if (!is.numeric(given) || length(given) != length(labels) ||
        !is.null(names(given)) && !setequal(names(given), labels)) {
    abort(
      sprintf(
        "class_threshold must be 'none', 'cv', 'prevalence', or a number for each class: %s.",
        quoted(labels)
      ),
      call
    )
  }
  stats::setNames(given, first_of(names(given), labels))
}

thresholds_to_py <- function(x) {
  if (is.character(x)) option_to_py(x) else by_name_to_py(x)
}

# In the order of the classes; Python sorts them alphabetically.
thresholds_from_py <- function(model, labels) {
  if (!is.null(from_py(model$thresholds_))) named_from_py(model$thresholds_)[labels]
}

# cratio() takes two classes without an order, but this method needs one.
refuse_no_order <- function(y, call) {
  if (!is.ordered(y) && !is_number_like(y)) {
    abort(
      sprintf(
        "the response must be an ordered factor, not %s; use ordered(y, levels = c(...)), %s.",
        kind(y), "from the lowest to the highest"
      ),
      call
    )
  }
}
