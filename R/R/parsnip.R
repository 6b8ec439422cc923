#' Engines for parsnip
#'
#' If \pkg{parsnip} is loaded, `svm_linear()`, `svm_rbf()` and `svm_poly()` have the engine
#' `"pwcstats"`, which fits [pwc()] with the learner `"svm"`, and the engines `"pwcstats_hybrid"`
#' and `"pwcstats_ordinal_hybrid"`, which fit [hybrid()] and [ordinal_hybrid()]. All have the mode
#' `"classification"`, and predict classes and probabilities:
#' ```
#' library(parsnip)
#' library(pwcstats)
#' spec <- svm_rbf("classification", "pwcstats", cost = 10)
#' fitted <- fit(spec, Species ~ ., data = iris)
#' predict(fitted, iris, type = "prob")
#' ```
#'
#' `cost` and `degree` have the names of the functions; `rbf_sigma` of `svm_rbf()` and
#' `scale_factor` of `svm_poly()` are `gamma`. Other arguments go to `set_engine()`:
#' `set_engine("pwcstats", coupling = "ht", calibration = "sigmoid")`. All engines take case
#' weights.
#'
#' Columns are centred and scaled by the functions themselves. If a recipe does this, set
#' `scale = FALSE`.
#'
#' @seealso [caretModel()] and [mlr learners][pwcstats_mlr] for other frameworks.
#' @name pwcstats_parsnip
NULL

# parsnip's names of the arguments, with ours, and the parameters of dials.
parsnip_models <- list(
  svm_linear = list(kernel = "linear", arguments = c(cost = "cost")),
  svm_rbf = list(kernel = "radial", arguments = c(cost = "cost", rbf_sigma = "gamma")),
  svm_poly = list(
    kernel = "polynomial",
    arguments = c(cost = "cost", degree = "degree", scale_factor = "gamma")
  )
)

parsnip_engines <- c(
  pwcstats = "pwc", pwcstats_hybrid = "hybrid", pwcstats_ordinal_hybrid = "ordinal_hybrid"
)

# Registers all engines; `parsnip` is its namespace. Another version of parsnip may refuse them, but
# both packages should load.
register_engines <- function(parsnip) {
  # pwcstats was loaded a second time.
  if ("pwcstats" %in% parsnip$get_from_env("svm_rbf")$engine) {
    return(invisible())
  }
  tryCatch(
    register_all(parsnip),
    error = function(e) {
      packageStartupMessage(
        "pwcstats has no engines for this version of parsnip: ", conditionMessage(e)
      )
    }
  )
}

register_all <- function(parsnip) {
  for (model in names(parsnip_models)) {
    for (engine in names(parsnip_engines)) {
      register_engine(model, engine, parsnip)
    }
  }
}

register_engine <- function(model, engine, parsnip) {
  mode <- "classification"
  name <- parsnip_engines[[engine]]
  known <- parsnip_models[[model]]
  parsnip$set_model_engine(model, mode, engine)
  parsnip$set_dependency(model, engine, "pwcstats", mode)
  for (argument in names(known$arguments)) {
    parsnip$set_model_arg(
      model, engine, argument, known$arguments[[argument]],
      func = list(pkg = "dials", fun = argument), has_submodel = FALSE
    )
  }
  parsnip$set_fit(model, mode, engine, value = list(
    interface = "formula",
    protect = c("formula", "data", "weights"),
    func = c(pkg = "pwcstats", fun = name),
    defaults = c(if (name == "pwc") list(learners = "svm"), list(kernel = known$kernel))
  ))
  # The functions code factors as in glm().
  parsnip$set_encoding(model, mode, engine, options = list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
    allow_sparse_x = FALSE
  ))
  ask <- function(type, post) {
    list(
      pre = NULL,
      post = post,
      func = c(fun = "predict"),
      args = list(object = quote(object$fit), newdata = quote(new_data), type = type)
    )
  }
  parsnip$set_pred(model, mode, engine, "class", ask("class", NULL))
  parsnip$set_pred(model, mode, engine, "prob", ask("prob", function(result, object) {
    as.data.frame(all_classes(result, object$lvl))
  }))
}
