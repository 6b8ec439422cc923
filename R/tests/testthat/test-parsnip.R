# The registration of engines for parsnip. It is not among Debian's packages, so its functions are
# replaced by others of the same arguments that record their calls. The engines were also run with
# parsnip 1.0.4.

recording <- function() {
  calls <- list()
  record <- function(name, arguments) {
    f <- function() {
      given <- as.list(match.call(expand.dots = FALSE))[-1L]
      calls[[length(calls) + 1L]] <<- c(list(name), lapply(given, eval, parent.frame()))
    }
    formals(f) <- stats::setNames(rep(alist(a = ), length(arguments)), arguments) # nolint
    f
  }
  parsnip <- list(
    set_model_engine = record("set_model_engine", c("model", "mode", "eng")),
    set_dependency = record("set_dependency", c("model", "eng", "pkg", "mode")),
    set_model_arg = record(
      "set_model_arg", c("model", "eng", "parsnip", "original", "func", "has_submodel")
    ),
    set_fit = record("set_fit", c("model", "mode", "eng", "value")),
    set_encoding = record("set_encoding", c("model", "mode", "eng", "options")),
    set_pred = record("set_pred", c("model", "mode", "eng", "type", "value")),
    get_from_env = function(items) data.frame(engine = c("kernlab", "liquidSVM"))
  )
  list(parsnip = parsnip, calls = function() calls)
}

registered <- function() {
  recorder <- recording()
  register_engines(recorder$parsnip)
  recorder$calls()
}

# The calls of a function for a model and an engine.
calls_of <- function(name, model, engine) {
  Filter(
    function(call) call[[1]] == name && call$model == model && call$eng == engine, registered()
  )
}

test_that("every model has three engines for classification", {
  made <- Filter(function(call) call[[1]] == "set_model_engine", registered())
  models <- c("svm_linear", "svm_rbf", "svm_poly")
  engines <- c("pwcstats", "pwcstats_hybrid", "pwcstats_ordinal_hybrid")
  expect_setequal(
    vapply(made, function(call) paste(call$model, call$eng, call$mode), ""),
    outer(models, engines, function(a, b) paste(a, b, "classification"))
  )
  for (model in models) {
    for (engine in engines) {
      expect_identical(calls_of("set_dependency", model, engine)[[1]]$pkg, "pwcstats")
      encoding <- calls_of("set_encoding", model, engine)[[1]]$options
      expect_identical(encoding$predictor_indicators, "none")
      types <- vapply(calls_of("set_pred", model, engine), function(call) call$type, "")
      expect_identical(types, c("class", "prob"))
    }
  }
})

test_that("arguments and defaults are those of our functions", {
  known <- list(
    svm_linear = "cost", svm_rbf = c("cost", "gamma"), svm_poly = c("cost", "degree", "gamma")
  )
  kernels <- c(svm_linear = "linear", svm_rbf = "radial", svm_poly = "polynomial")
  for (model in names(known)) {
    for (engine in names(parsnip_engines)) {
      arguments <- calls_of("set_model_arg", model, engine)
      ours <- vapply(arguments, function(call) call$original, "")
      expect_identical(ours, known[[model]])
      expect_true(all(ours %in% options_of(parsnip_engines[[engine]])))
      value <- calls_of("set_fit", model, engine)[[1]]$value
      expect_identical(value$func, c(pkg = "pwcstats", fun = parsnip_engines[[engine]]))
      expect_true(value$func[["fun"]] %in% getNamespaceExports("pwcstats"))
      expect_identical(value$defaults$kernel, kernels[[model]])
      expect_true("weights" %in% value$protect)
      # parsnip has no others.
      expect_identical(value$interface, "formula")
    }
  }
})

test_that("the calls that parsnip makes give our predictions", {
  skip_without_python()
  arguments <- list(cost = 2, gamma = 0.3)
  for (engine in c("pwcstats", "pwcstats_hybrid")) {
    value <- calls_of("set_fit", "svm_rbf", engine)[[1]]$value
    f <- getExportedValue(value$func[["pkg"]], value$func[["fun"]])
    object <- list(
      fit = do.call(f, c(list(Species ~ ., quote(iris)), arguments, value$defaults)),
      lvl = levels(iris$Species)
    )
    direct <- f(Species ~ ., iris, cost = 2, gamma = 0.3, kernel = "radial")
    new_data <- iris[c(1, 71, 120), ]
    for (call in calls_of("set_pred", "svm_rbf", engine)) {
      result <- do.call(call$value$func[["fun"]], lapply(call$value$args, eval, environment()))
      post <- call$value$post
      result <- if (is.null(post)) result else post(result, object)
      if (call$type == "class") {
        expect_identical(result, predict(direct, new_data))
      } else {
        expect_identical(result, as.data.frame(predict(direct, new_data, type = "prob")))
      }
    }
  }
})

test_that("engines are registered once, and both packages load with another parsnip", {
  recorder <- recording()
  recorder$parsnip$get_from_env <- function(items) data.frame(engine = c("kernlab", "pwcstats"))
  register_engines(recorder$parsnip)
  expect_identical(recorder$calls(), list())
  recorder <- recording()
  recorder$parsnip$set_fit <- function(...) stop("unknown")
  expect_message(
    register_engines(recorder$parsnip), "pwcstats has no engines for this version .*: unknown"
  )
  # The hook waits for parsnip.
  said <- run_in_new_r(c(
    "library(pwcstats)",
    "cat(length(getHook(packageEvent('parsnip', 'onLoad'))), isNamespaceLoaded('mlr'))"
  ))
  expect_identical(said, "1 FALSE")
})
