# What every call of R from Python needs.
local({
  # A learner may use R's random number generator; its state must not change for others.
  seeded <- function(seed, expr) {
    if (is.null(seed)) return(expr)
    global <- globalenv()
    before <- global$.Random.seed
    on.exit(if (is.null(before)) rm(".Random.seed", envir = global) else assign(".Random.seed", before, global))
    set.seed(seed, kind = "default", normal.kind = "default", sample.kind = "default")
    expr
  }

  # Errors and warnings are returned as values.
  caught <- function(f, packages, arguments) {
    for (package in packages) if (!requireNamespace(package, quietly = TRUE)) return(list(missing = package))
    messages <- character()
    note <- function(w) {
      messages <<- c(messages, conditionMessage(w))
      invokeRestart("muffleWarning")
    }
    tryCatch(
      list(value = withCallingHandlers(do.call(f, arguments), warning = note), warnings = messages),
      error = function(e) list(error = conditionMessage(e))
    )
  }

  environment()
})
