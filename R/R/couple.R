#' Couple pairwise probabilities
#'
#' Computes class probabilities from estimates \eqn{r_{ij}}{r[i, j]} of the probability of class i
#' given that the class is i or j.
#'
#' Pairwise estimates are seldom compatible: in general no \eqn{p} has
#' \eqn{p_i / (p_i + p_j) = r_{ij}}{p[i] / (p[i] + p[j]) = r[i, j]} for all pairs. The methods find
#' a \eqn{p} that is close to this. All methods but `"vote"`, `"sum"` and `"bayes"` return the exact
#' \eqn{p} if there is one.
#'
#' \describe{
#'   \item{`"wlw2"`}{The second method of Wu, Lin and Weng, which LIBSVM and \pkg{e1071} use:
#'     minimises
#'     \eqn{\sum_{i \ne j} (r_{ji} p_i - r_{ij} p_j)^2}{sum((r[j, i] p[i] - r[i, j] p[j])^2)},
#'     solved exactly here.}
#'   \item{`"ht"`}{Hastie and Tibshirani: minimises the Kullback-Leibler distance weighted by `n`.
#'     This fits a Bradley-Terry model to \eqn{n_{ij} r_{ij}}{n[i, j] r[i, j]} wins.}
#'   \item{`"wlw1"`}{The first method of Wu, Lin and Weng: the stationary distribution of a Markov
#'     chain.}
#'   \item{`"logit"`}{Weighted least squares on the log-odds: minimises
#'     \eqn{\sum_{i < j} n_{ij} (\log p_i - \log p_j - \mathrm{logit}\, r_{ij})^2}{sum(n[i, j]
#'     (log(p[i]) - log(p[j]) - qlogis(r[i, j]))^2)}. With pairs of linear discriminants the
#'     decision boundaries are linear, as Hastie and Tibshirani suggest in their discussion.}
#'   \item{`"pkpd"`}{Price, Knerr, Personnaz and Dreyfus:
#'     \eqn{1 / (\sum_j 1 / r_{ij} - (K - 2))}{1 / (sum(1 / r[i, ]) - (K - 2))},
#'     normalised.}
#'   \item{`"rv"`}{Refregier and Vallet: solves K - 1 of the equations
#'     \eqn{r_{ji} p_i = r_{ij} p_j}{r[j, i] p[i] = r[i, j] p[j]} exactly. The result depends on
#'     their choice, which `equations` makes; by default they are those of the class with the
#'     largest sum \eqn{\sum_j r_{ij}}{sum(r[i, ])}.}
#'   \item{`"vote"`}{The share of pairs that a class wins; a tie is half a vote for each.}
#'   \item{`"sum"`}{The sums \eqn{\sum_j r_{ij}}{sum(r[i, ])}, normalised.}
#'   \item{`"bayes"`}{The sums weighted by `pair_mass`. It is exact if the weights are the
#'     probabilities that the class is i or j.}
#' }
#'
#' @param r Pairwise probabilities; `r[i, j]` is that of class i against class j. For one sample a
#'   K x K matrix, whose diagonal is ignored; for n samples an n x K x K array; or, with
#'   `condensed = TRUE`, an n x K(K-1)/2 matrix or data frame (a vector for one sample) with the
#'   pairs in the order (1, 2), (1, 3), ..., (1, K), (2, 3), ... To condense a matrix `x` use
#'   `t(x)[lower.tri(x)]`. Do not use `upper.tri()`, which goes column by column and so gives
#'   another order for four or more classes.
#' @param method The coupling method; see Details.
#' @param n Weights of the pairs, for the methods `"ht"` and `"logit"`: a symmetric K x K matrix, a
#'   condensed vector, or one of these for each sample, in the form of `r` (K x K numbers are always
#'   read as a matrix). Weights are non-negative numbers, and only their ratios matter. A weight of
#'   0 means that the pair was not compared; only then may its `r` be missing.
#' @param condensed Is `r` condensed?
#' @param classes Names of the classes in the order of `r`, or a factor with these levels. By
#'   default the names of `r`: its dimension names or, if condensed, its column names if they have
#'   the form `"a/b"`, like the decision values of \pkg{e1071} (whose classes are in the order of
#'   their first appearance). Names that contradict those of `r` are an error.
#' @param pair_mass For `method = "bayes"` only: the probability that the class is i or j, in one of
#'   the shapes of `n`.
#' @param clip All methods but `"vote"`, `"sum"` and `"bayes"` restrict `r` to the range from `clip`
#'   to 1 - `clip`, by default as LIBSVM does. With 0 the result is the exact limit, or an error if
#'   there is none.
#' @param n_jobs Number of threads (-1 for all cores), by default one. The result does not depend on
#'   it.
#' @param return_info Return information on the fit too?
#' @param equations For `method = "rv"` only: which K - 1 equations are solved. A class means those
#'   of its pairs. Pairs such as `c("a/b", "b/c")`, or a matrix with a pair in each of its K - 1
#'   rows, mean these pairs, which must connect all classes. Classes without names are numbers. `r`
#'   may be `NA` for pairs without an equation.
#' @param symmetrize With `TRUE`, `r[i, j]` and `r[j, i]` come from two estimates, as those of rule
#'   learners do (Fuernkranz, 2002), and need not add up to 1. Their mean
#'   `(r[i, j] + 1 - r[j, i]) / 2` is used; `"sum"` then counts the votes of both.
#' @param ... Must be empty, except in calls that are meant for \pkg{kernlab}.
#' @return For one sample a vector of K probabilities, named by class; for n samples an n x K matrix
#'   with the sample names as row names and the classes as column names.
#'
#'   With `return_info = TRUE` a list of class `pwcstats_coupling`: `proba` as above and, for each
#'   sample, `kl`, the weighted Kullback-Leibler distance between `r` and `proba`, `n_iter` and
#'   `converged`. `kl` measures how incompatible the estimates are; it is infinite if `proba` is 0
#'   for a class that `r` does not exclude, as votes may be. There are methods for
#'   [as.data.frame()][pwcstats_coupling] and `tidy()`.
#' @section Function of the same name:
#' \pkg{kernlab} also has a function `couple()`. If \pkg{pwcstats} is attached after \pkg{kernlab},
#' calls with an argument that only the other function has, such as `coupler`, are passed on to it.
#' If \pkg{kernlab} is attached last, write `pwcstats::couple()`.
#' @seealso [install_pwcstats()] for the Python module that does the computations.
#' @references
#' Fuernkranz, J. (2002) Round robin classification. *Journal of Machine Learning Research* **2**,
#' 721--747.
#'
#' Hastie, T. and Tibshirani, R. (1998) Classification by pairwise coupling. *The Annals of
#' Statistics* **26**, 451--471. \doi{10.1214/aos/1028144844}
#'
#' Price, D., Knerr, S., Personnaz, L. and Dreyfus, G. (1995) Pairwise neural network classifiers
#' with probabilistic outputs. *Advances in Neural Information Processing Systems* **7**,
#' 1109--1116.
#'
#' Refregier, P. and Vallet, F. (1991) Probabilistic approach for multiclass classification with
#' neural networks. *ICANN-91*, 1003--1007.
#'
#' Sulzmann, J.-N., Fuernkranz, J. and Huellermeier, E. (2007) On pairwise naive Bayes classifiers.
#' *ECML 2007*, 371--381. \doi{10.1007/978-3-540-74958-5_35}
#'
#' Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004) Probability estimates for multi-class classification
#' by pairwise coupling. *Journal of Machine Learning Research* **5**, 975--1005.
#' @examplesIf pwcstats_available()
#' r <- matrix(c(NA, .9, .4,
#'               .1, NA, .7,
#'               .6, .3, NA), 3, byrow = TRUE)
#' couple(r, "ht", classes = c("a", "b", "c"))
#' couple(r, "ht", return_info = TRUE)
#'
#' # Compatible estimates give the exact probabilities.
#' p <- c(.4, .3, .2, .1)
#' couple(outer(p, p, function(a, b) a / (a + b)))
#'
#' # Several samples: one row for each sample, one column for each pair.
#' r <- cbind("a/b" = c(.9, .2), "a/c" = c(.8, .5), "b/c" = c(.5, .7))
#' couple(r, condensed = TRUE)
#'
#' # Two of the three equations of the first example determine p.
#' r <- c("a/b" = .9, "a/c" = .4, "b/c" = .7)
#' couple(r, "rv", condensed = TRUE, equations = "a")
#' couple(r, "rv", condensed = TRUE, equations = c("a/b", "b/c"))
#'
#' # Weights, and a pair that was never compared.
#' couple(c(.9, NA, .7), "ht", n = c(200, 0, 180), condensed = TRUE)
#'
#' # Pairwise probabilities of a classifier.
#' fit <- pwc(Species ~ ., iris, learners = "svm")
#' couple(predict(fit, iris[c(1, 71, 120), ], type = "pairs"), "ht", condensed = TRUE)
#' @examplesIf pwcstats_available() && requireNamespace("e1071", quietly = TRUE)
#'
#' # The probabilities of e1071, from its decision values and sigmoids. They differ slightly,
#' # because LIBSVM stops its iteration early.
#' model <- e1071::svm(Species ~ ., iris, probability = TRUE)
#' answer <- predict(model, iris[c(1, 71, 120), ], decision.values = TRUE, probability = TRUE)
#' f <- attr(answer, "decision.values")
#' r <- plogis(-sweep(sweep(f, 2, model$probA, "*"), 2, model$probB, "+"))
#' couple(r, condensed = TRUE)
#' attr(answer, "probabilities")
#' @export
couple <- function(r,
                   method = c(
                     "wlw2", "ht", "wlw1", "logit", "pkpd", "rv", "vote", "sum", "bayes"
                   ),
                   n = NULL,
                   condensed = FALSE,
                   classes = NULL,
                   pair_mass = NULL,
                   clip = 1e-7,
                   n_jobs = NULL,
                   return_info = FALSE,
                   equations = NULL,
                   symmetrize = FALSE,
                   ...) {
  call <- full_call()
  other <- other_function("couple", missing(r), call)
  if (!is.null(other)) {
    return(call_other(other, call, parent.frame()))
  }
  refuse_unknown(...)
  force(r)
  method <- first_choice(method)
  check_flag(condensed, "condensed", call)
  check_flag(return_info, "return_info", call)
  check_flag(symmetrize, "symmetrize", call)
  input <- pairwise_input(r, condensed, as_labels(classes), call)
  n <- if (!is.null(n)) as_numbers(n, "n", call)
  pair_mass <- if (!is.null(pair_mass)) as_numbers(pair_mass, "pair_mass", call)
  equations <- if (!is.null(equations)) read_equations(equations, input, call)

  load_python(call)
  ask <- function(r) {
    options <- list(
      method = method,
      n = weights_to_py(n, input),
      condensed = condensed,
      classes = labels_to_py(input$classes),
      pair_mass = weights_to_py(pair_mass, input),
      equations = to_py(equations),
      symmetrize = symmetrize,
      clip = number_to_py(clip),
      n_jobs = count_to_py(n_jobs),
      return_info = return_info
    )
    call_python("couple", list(r), options, call)
  }
  result <- ask_about_pairs(input, ask)
  if (!return_info) {
    return(coupled_from_py(result, input))
  }
  per_sample <- function(x, as = as.vector) {
    stats::setNames(as(array_from_py(x)), input$samples)
  }
  structure(
    class = "pwcstats_coupling",
    method = method,
    list(
      proba = coupled_from_py(result$proba, input),
      kl = per_sample(result$kl),
      n_iter = per_sample(result$n_iter, as.integer),
      converged = per_sample(result$converged)
    )
  )
}

# Class probabilities: a vector for one sample, otherwise a matrix.
coupled_from_py <- function(x, input) {
  classes <- input$names
  if (input$pairs_named) {
    classes <- labels_from_py(if (input$single) x$index else x$columns)
  }
  if (input$single) {
    return(stats::setNames(vector_from_py(x), classes))
  }
  proba <- matrix_from_py(x)
  if (!is.null(input$samples) || !is.null(classes)) {
    dimnames(proba) <- list(input$samples, classes)
  }
  proba
}

#' @export
print.pwcstats_coupling <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_unknown(...)
  proba <- x$proba
  n <- length(x$kl)
  n_classes <- if (is.matrix(proba)) ncol(proba) else length(proba)
  cat(sprintf(
    "Class probabilities by \"%s\": %d %s, %d classes\n\n",
    attr(x, "method"), n, ngettext(n, "sample", "samples"), n_classes
  ))
  shown <- min(n, 6L)
  print(if (is.matrix(proba)) proba[seq_len(shown), , drop = FALSE] else proba, digits = digits)
  if (n > shown) {
    cat(sprintf("... and %d more\n", n - shown))
  }
  if (n > 0L) {
    cat("\nIncompatibility (weighted Kullback-Leibler distance): ")
    cat(describe_kl(x$kl, digits), "\n", sep = "")
    cat(describe_convergence(x$converged, x$n_iter), "\n", sep = "")
  }
  invisible(x)
}

#' Coupled probabilities as data frames
#'
#' @param x A result of [couple()] with `return_info = TRUE`.
#' @param row.names,optional,stringsAsFactors As in [as.data.frame()].
#' @param ... Must be empty; a misspelt argument is an error.
#' @return `as.data.frame()` returns a row for each sample, with a column of probabilities for each
#'   class, and `kl`, `n_iter` and `converged`. `tidy()` from \pkg{generics} (re-exported by
#'   \pkg{broom}) returns a row for each sample and class: `sample`, `class`, the probability as
#'   `estimate`, `kl`, `n.iter` and `converged`. Samples and classes without names are numbered.
#' @examplesIf pwcstats_available()
#' r <- cbind("a/b" = c(.9, .2), "a/c" = c(.8, .5), "b/c" = c(.5, .7))
#' found <- couple(r, condensed = TRUE, return_info = TRUE)
#' as.data.frame(found)
#' @examplesIf pwcstats_available() && requireNamespace("generics", quietly = TRUE)
#' generics::tidy(found)
#' @name pwcstats_coupling
NULL

#' @rdname pwcstats_coupling
#' @export
as.data.frame.pwcstats_coupling <- function(x, # nolint
                                            row.names = NULL, # nolint
                                            optional = FALSE,
                                            ...,
                                            stringsAsFactors = FALSE) { # nolint
  refuse_unknown(...)
  proba <- coupled_matrix(x)
  # Names of samples may be duplicated, row names may not.
  data.frame(
    proba,
    kl = unname(x$kl), n_iter = unname(x$n_iter), converged = unname(x$converged),
    row.names = first_of(row.names, if (!anyDuplicated(names(x$kl))) names(x$kl)),
    check.names = FALSE, stringsAsFactors = stringsAsFactors
  )
}

#' @rdname pwcstats_coupling
#' @exportS3Method generics::tidy
tidy.pwcstats_coupling <- function(x, ...) { # nolint
  refuse_unknown(...)
  proba <- coupled_matrix(x)
  sample <- rep(seq_len(nrow(proba)), each = ncol(proba))
  data.frame(
    sample = first_of(names(x$kl), as.character(seq_len(nrow(proba))))[sample],
    class = rep(colnames(proba), nrow(proba)),
    estimate = as.vector(t(proba)),
    kl = unname(x$kl)[sample],
    n.iter = unname(x$n_iter)[sample],
    converged = unname(x$converged)[sample]
  )
}

# A matrix, also for a single sample, with a name for each class.
coupled_matrix <- function(x) {
  proba <- x$proba
  classes <- if (is.matrix(proba)) colnames(proba) else names(proba)
  if (!is.matrix(proba)) {
    proba <- matrix(proba, 1L)
  }
  with_dimnames(proba, NULL, first_of(classes, as.character(seq_len(ncol(proba)))))
}

describe_kl <- function(kl, digits) {
  if (length(kl) == 1L) {
    return(format(kl[[1L]], digits = digits))
  }
  worst <- which.max(kl)
  label <- if (is.null(names(kl))) worst else names(kl)[worst]
  sprintf(
    "median %s, largest %s (sample %s)",
    format(stats::median(kl), digits = digits), format(kl[[worst]], digits = digits), label
  )
}

describe_convergence <- function(converged, n_iter) {
  n <- length(converged)
  if (all(converged)) {
    sprintf("Converged, iterations: %d", max(n_iter))
  } else {
    sprintf("Not converged: %d of %d %s", sum(!converged), n, ngettext(n, "sample", "samples"))
  }
}
