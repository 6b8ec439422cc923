# Robust covariances, compared with a slow reference, with glm() and brglm2, and with separate fits.

# Both sides are arithmetic with the same numbers.
same <- 1e-10
# Our fits stop when the sum of all further steps is below 1e-9 on the scale of linear predictors.
sums_to_zero <- 1e-7
# Central differences with steps of 1e-4 err by about 1e-8.
differences <- 1e-6
# Two fits differ by up to 1e-9 in their linear predictors.
refits <- 1e-6
# glm() and vglm() compute their last covariance one step before the end.
against_others <- 1e-6

# Gradients of the penalised log-likelihood of each row: its likelihood, and half the change of
# log|I| when its information changes with the coefficients, and that of the other rows does not.
row_gradients <- function(loglik, information, beta) {
  gradient <- function(f) {
    vapply(seq_along(beta), function(k) {
      step <- replace(numeric(length(beta)), k, 1e-4)
      (f(beta + step) - f(beta - step)) / 2e-4
    }, 0)
  }
  n <- length(loglik(beta))
  total <- Reduce(`+`, lapply(seq_len(n), function(i) information(beta, i)))
  t(vapply(seq_len(n), function(i) {
    rest <- total - information(beta, i)
    gradient(function(b) {
      loglik(b)[[i]] + as.numeric(determinant(rest + information(b, i))$modulus) / 2
    })
  }, beta))
}

test_works(
  "sandwich", c("estfun()", "bread()", "meat()", "sandwich()"), c("firth()", "firth_multinom()"),
  {
    weights <- rep(c(1, 2, 0.5), length.out = 16)
    fit <- firth(ill ~ x + site, visits, weights = weights, offset = x / 3)
    several <- firth_multinom(grade ~ x + site, visits, weights = weights)
    x <- model.matrix(fit)
    proba <- function(b, k) {
      eta <- cbind(0, x %*% matrix(b, ncol(x)) + if (k == 2L) visits$x / 3 else 0)
      exp(eta) / rowSums(exp(eta))
    }
    check <- function(one, code, k) {
      beta <- if (k == 2L) coef(one) else as.vector(t(coef(one)))
      expected <- row_gradients(
        function(b) weights * log(proba(b, k)[cbind(1:16, code)]),
        function(b, i) {
          p <- proba(b, k)[i, -1]
          weights[[i]] * kronecker(diag(p, k - 1) - tcrossprod(p), tcrossprod(x[i, ]))
        },
        beta
      )
      found <- sandwich::estfun(one)
      expect_identical(dimnames(found), list(rownames(visits), rownames(vcov(one))))
      expect_equal(found, expected, tolerance = differences, ignore_attr = TRUE)
      expect_lt(max(abs(colSums(found))), sums_to_zero)
      v <- vcov(one)
      expect_equal(sandwich::bread(one), 16 * v, tolerance = same)
      expect_equal(sandwich::meat(one), crossprod(found) / 16, tolerance = same)
      robust <- v %*% crossprod(found) %*% v
      expect_equal(sandwich::sandwich(one), robust, tolerance = same)
      expect_equal(sandwich::vcovHC(one, type = "HC0"), robust, tolerance = same)
    }
    check(fit, visits$ill + 1, 2L)
    check(several, as.integer(visits$grade), 3L)
  }
)

test_works(
  "sandwich", c("vcovHC()", "vcovCL()"), "firth()",
  {
    # With many equal rows the penalty vanishes, and all estimators are those of glm().
    large <- visits[rep(1:16, 3), ]
    large$times <- 1e7
    fit <- firth(cbind(ill * times, (1 - ill) * times) ~ x + site, large)
    theirs <- glm(
      cbind(ill * times, (1 - ill) * times) ~ x + site, binomial, large,
      start = numeric(4), control = glm.control(epsilon = 1e-14)
    )
    for (type in c("HC0", "HC1", "HC2", "HC3", "HC4", "HC5")) {
      expect_equal(
        sandwich::vcovHC(fit, type = type), sandwich::vcovHC(theirs, type = type),
        tolerance = against_others, info = type
      )
    }
    id <- rep(1:16, 3)
    for (type in c("HC0", "HC1")) {
      expect_equal(
        sandwich::vcovCL(fit, cluster = id, type = type),
        sandwich::vcovCL(theirs, cluster = id, type = type),
        tolerance = against_others, info = type
      )
    }
    expect_equal(
      sandwich::vcovCL(fit, cluster = ~site), sandwich::vcovCL(theirs, cluster = ~site),
      tolerance = against_others
    )
    # Clustered HC2 warns that our class is not that of glm(), but is right.
    expect_equal(
      suppressWarnings(sandwich::vcovCL(fit, cluster = id, type = "HC2")),
      sandwich::vcovCL(theirs, cluster = id, type = "HC2"),
      tolerance = against_others
    )
    # Rows that were left out, and the default type.
    visits$x[[2]] <- NA
    gap <- firth(ill ~ x + site, visits, na.action = na.exclude)
    expect_true(all(is.na(sandwich::estfun(gap)[2, ])))
    expect_equal(
      sandwich::vcovHC(gap), sandwich::vcovHC(firth(ill ~ x + site, visits[-2, ])),
      tolerance = same
    )
    expect_equal(
      sandwich::vcovCL(gap, cluster = rep(1:8, 2)),
      sandwich::vcovCL(firth(ill ~ x + site, visits[-2, ]), cluster = rep(1:8, 2)[-2]),
      tolerance = same
    )
  }
)

test_works(
  "sandwich", c("estfun()", "sandwich()", "vcovCL()", "vcovHC()"), "cratio()",
  {
    for (direction in c("backward", "forward")) {
      for (penalty in c("none", "firth")) {
        fit <- cratio(grade ~ x + site, visits, direction = direction, penalty = penalty)
        found <- sandwich::estfun(fit)
        code <- as.integer(visits$grade)
        for (stage in fit$stages) {
          k <- match(stage, levels(visits$grade))
          reached <- if (direction == "backward") code <= k else code >= k
          rows <- visits[reached, ]
          apart <- if (penalty == "firth") {
            firth(I(grade == stage) ~ x + site, rows)
          } else {
            glm(I(grade == stage) ~ x + site, binomial, rows, control = list(epsilon = 1e-14))
          }
          names <- paste0(names(coef(apart)), ":", stage)
          expect_equal(
            found[reached, names], sandwich::estfun(apart),
            tolerance = against_others, ignore_attr = TRUE
          )
          expect_true(all(found[!reached, names] == 0))
          expect_equal(
            sandwich::sandwich(fit)[names, names], sandwich::sandwich(apart),
            tolerance = against_others, ignore_attr = TRUE
          )
        }
        expect_lt(max(abs(colSums(found))), sums_to_zero)
      }
    }
    # With common slopes: the stacked rows, clustered by row.
    common <- cratio(grade ~ x, visits, penalty = "firth", parallel = TRUE)
    stacked <- do.call(rbind, lapply(2:3, function(k) {
      rows <- which(code <= k)
      data.frame(row = rows, y = code[rows] == k, stage = factor(k, 2:3), x = visits$x[rows])
    }))
    theirs <- firth(y ~ stage + x - 1, stacked)
    expect_equal(
      sandwich::sandwich(common),
      sandwich::vcovCL(theirs, cluster = stacked$row, cadjust = FALSE),
      tolerance = against_others, ignore_attr = TRUE
    )
    expect_equal(
      sandwich::vcovCL(fit, cluster = 1:16, cadjust = FALSE), sandwich::sandwich(fit),
      tolerance = same
    )
    expect_equal(
      sandwich::vcovHC(fit, type = "HC1"), sandwich::sandwich(fit) * 16 / (16 - 8),
      tolerance = same
    )
    expect_refused(sandwich::vcovHC(fit), "give type = 'HC0' or 'HC1'")
    expect_refused(
      sandwich::vcovHC(fit, type = "HC3"), "type must be one of 'HC', 'HC0', 'HC1', got 'HC3'"
    )
    expect_refused(
      suppressWarnings(sandwich::vcovCL(fit, cluster = ~site, type = "HC3")), "working weights"
    )
    visits$up <- as.integer(visits$grade) + visits$x / 10
    infinite <- suppressWarnings(cratio(grade ~ up, visits))
    expect_refused(sandwich::sandwich(infinite), "fit with penalty = 'firth'")
    expect_refused(
      sandwich::estfun(firth(ill ~ x, visits, correction = "flic")), "correction = 'flic'"
    )
  }
)

test_works(
  "sandwich", c("estfun()", "bread()", "sandwich()", "vcovCL()", "vcovHC()"), "ordered_logit()",
  {
    skip_without_package("ordinal")
    data <- transform(visits, o = sin(1:16), w = rep(c(1, 2, 0.5, 3), 4))
    fit <- ordered_logit(grade ~ x + site, data, weights = w)
    clm <- ordinal::clm(
      grade ~ x + site,
      data = data, weights = w,
      control = ordinal::clm.control(gradTol = 1e-12, maxIter = 200L)
    )
    expect_equal(sandwich::estfun(fit), sandwich::estfun(clm), tolerance = same)
    expect_equal(sandwich::bread(fit), sandwich::bread(clm), tolerance = same)
    expect_equal(sandwich::sandwich(fit), sandwich::sandwich(clm), tolerance = same)
    expect_equal(
      sandwich::vcovCL(fit, cluster = data$site), sandwich::vcovCL(clm, cluster = data$site),
      tolerance = same
    )
    expect_equal(
      sandwich::vcovHC(fit, type = "HC1"), sandwich::sandwich(clm) * 16 / (16 - 5), tolerance = same
    )
    # The estimating functions of sandwich for clm() leave out the offset and have no penalty. These
    # are derivatives of w log p + 1/2 tr(V I) of each row, with the inverse information V fixed.
    x <- model.matrix(fit)[, -1L]
    derivatives <- function(f, at, step) {
      vapply(seq_along(at), function(k) {
        f_at <- function(h) f(replace(at, k, at[[k]] + h * step))
        (8 * (f_at(1) - f_at(-1)) - (f_at(2) - f_at(-2))) / (12 * step)
      }, f(at))
    }
    proba <- function(theta, o) {
      below <- plogis(outer(-drop(x %*% theta[3:5]) - o, theta[1:2], `+`))
      cbind(below, 1) - cbind(0, below)
    }
    information <- function(theta, o, weight) {
      Reduce(`+`, lapply(1:3, function(class) {
        slope <- derivatives(function(t) proba(t, o)[, class], theta, 1e-4)
        crossprod(slope * sqrt(weight / proba(theta, o)[, class]))
      }))
    }
    y <- cbind(1:16, as.integer(data$grade))
    unit <- diag(16)
    for (penalty in c("none", "firth")) {
      other <- update(fit, . ~ . + offset(o), penalty = penalty)
      found <- sandwich::estfun(other)
      v <- (penalty == "firth") * vcov(other)
      rows <- vapply(1:16, function(i) {
        drop(derivatives(function(theta) {
          data$w[[i]] * log(proba(theta, data$o)[y][[i]]) +
            sum(v * information(theta, data$o, data$w[[i]] * unit[i, ])) / 2
        }, coef(other), 1e-3))
      }, numeric(5))
      # Differences of steps of 1e-3.
      expect_equal(unname(found), t(unname(rows)), tolerance = 1e-7)
      expect_lt(max(abs(colSums(found))), sums_to_zero)
      v <- vcov(other)
      expect_equal(sandwich::sandwich(other), v %*% crossprod(found) %*% v, tolerance = same)
    }
    # V is the inverse of the information, so these are the derivatives of the penalised likelihood.
    expect_equal(
      unname(v), solve(information(coef(other), data$o, data$w)), tolerance = 1e-7
    )
    two <- ordered_logit(factor(ill) ~ x + site, data, penalty = "firth", weights = w)
    binary <- sandwich::estfun(firth(ill ~ x + site, data, weights = w))
    expect_equal(
      unname(sandwich::estfun(two)), unname(binary %*% diag(c(-1, 1, 1, 1))),
      tolerance = against_others
    )
    # A class that has only rows of weight 0.
    data$grade <- factor(replace(as.character(data$grade), 3, "worst"),
      c(levels(data$grade), "worst"), ordered = TRUE
    )
    gone <- ordered_logit(grade ~ x, data, weights = replace(w, 3, 0), penalty = "firth")
    without <- ordered_logit(grade ~ x, data[-3, ], weights = w, penalty = "firth")
    expect_equal(unname(sandwich::estfun(gone)[3, ]), c(0, 0, 0))
    expect_equal(
      sandwich::estfun(gone)[-3, ], sandwich::estfun(without), tolerance = against_others
    )
  }
)

test_works(
  "sandwich", "estfun()", c("firth()", "cratio()"),
  {
    # brglm2 uses the scores without the penalty, whose part h (1/2 - p) x is the difference.
    skip_without_package("brglm2")
    fit <- firth(ill ~ x + site, visits)
    theirs <- glm(
      ill ~ x + site, binomial, visits,
      method = brglm2::brglmFit, type = "AS_mean", epsilon = 1e-10, maxit = 1000
    )
    penalty <- hatvalues(theirs) * (1 / 2 - fitted(theirs)) * model.matrix(theirs)
    expect_equal(
      sandwich::estfun(fit), sandwich::estfun(theirs) + penalty,
      tolerance = against_others, ignore_attr = TRUE
    )
    # VGAM has expected information, but the same scores.
    skip_without_package("VGAM")
    stages <- cratio(grade ~ x, visits, parallel = TRUE)
    vglm <- VGAM::vglm(
      grade ~ x, VGAM::sratio(reverse = TRUE, parallel = TRUE), visits,
      control = VGAM::vglm.control(epsilon = 1e-14)
    )
    expect_equal(coef(stages), coef(vglm), tolerance = against_others, ignore_attr = TRUE)
    link_scores <- VGAM::weights(vglm, type = "working", deriv.arg = TRUE)$deriv
    x <- model.matrix(stages)[, "x"]
    expect_equal(
      sandwich::estfun(stages), cbind(link_scores, x * rowSums(link_scores)),
      tolerance = against_others, ignore_attr = TRUE
    )
  }
)

test_works(
  "sandwich", "vcovBS()", c("firth()", "firth_multinom()", "cratio()", "ordered_logit()"),
  {
    twice <- rbind(visits, transform(visits, x = x / 2, ill = 1 - ill))
    twice$times <- rep(1:2, 16)
    fits <- list(
      firth(ill ~ log(x + 3) + site, twice, offset = x / 3),
      firth_multinom(grade ~ poly(x, 2), twice, subset = x > -2),
      cratio(grade ~ x, twice, parallel = TRUE, penalty = "firth", weights = times),
      ordered_logit(grade ~ x, twice, penalty = "firth", weights = times, offset = x / 3)
    )
    # The same samples, fitted as rows instead of weights.
    again <- list(
      function(i, x) firth(twice$ill[i] ~ x[i, -1], offset = twice$x[i] / 3),
      function(i, x) firth_multinom(subset(twice, x > -2)$grade[i] ~ x[i, -1]),
      function(i, x) {
        cratio(
          twice$grade[i] ~ x[i, -1],
          parallel = TRUE, penalty = "firth", weights = twice$times[i]
        )
      },
      function(i, x) {
        ordered_logit(
          twice$grade[i] ~ x[i, -1],
          penalty = "firth", weights = twice$times[i], offset = twice$x[i] / 3
        )
      }
    )
    for (k in seq_along(fits)) {
      fit <- fits[[k]]
      design <- model.matrix(fit)
      set.seed(1)
      found <- sandwich::vcovBS(fit, R = 4)
      set.seed(1)
      estimates <- replicate(4, {
        refitted <- coef(again[[k]](sample.int(nrow(design), replace = TRUE), design))
        if (is.matrix(refitted)) as.vector(t(refitted)) else refitted
      })
      expect_equal(found, cov(t(estimates)), tolerance = refits, ignore_attr = TRUE)
      expect_identical(dimnames(found), dimnames(vcov(fit)))
    }
    # Clusters are drawn in the order of their first rows.
    id <- rep(4:1, each = 8)
    set.seed(3)
    found <- sandwich::vcovBS(fits[[2]], cluster = id[twice$x > -2], R = 4)
    set.seed(3)
    design <- model.matrix(fits[[2]])
    rows <- split(seq_len(nrow(design)), -id[twice$x > -2])
    estimates <- replicate(4, {
      drawn <- unlist(rows[sample.int(4, replace = TRUE)])
      as.vector(t(coef(again[[2]](drawn, design))))
    })
    expect_equal(found, cov(t(estimates)), tolerance = refits, ignore_attr = TRUE)
    set.seed(2)
    # One of the sites may be missing.
    expect_warning(
      by_site <- sandwich::vcovBS(fits[[1]], cluster = ~site, R = 12), "samples are left out"
    )
    expect_true(all(is.finite(by_site)))
    expect_refused(sandwich::vcovBS(fits[[1]], cluster = 1:3), "each of the 32 rows")
  }
)

test_works(
  "sandwich", c("vcovHC()", "vcovBS()"), c("firth()", "firth_multinom()", "cratio()"),
  {
    # Rows of weight 0 change nothing.
    visits$times <- rep(c(1, 2, 0, 3), 4)
    visits$group <- rep(1:8, each = 2)
    some <- visits[visits$times > 0, ]
    pairs <- list(
      list(
        firth(ill ~ poly(x, 2), visits, weights = times),
        firth(ill ~ poly(visits$x, 2)[visits$times > 0, ], some, weights = times)
      ),
      list(
        firth_multinom(grade ~ x, visits, weights = times),
        firth_multinom(grade ~ x, some, weights = times)
      ),
      list(cratio(grade ~ x, visits, weights = times), cratio(grade ~ x, some, weights = times))
    )
    types <- c("HC0", "HC1", "HC2", "HC3", "HC4", "HC4m", "HC5", "const")
    for (pair in pairs) {
      is_firth <- inherits(pair[[1]], "pwcstats_firth")
      for (type in if (is_firth) types else types[1:2]) {
        expect_equal(
          sandwich::vcovHC(pair[[1]], type = type), sandwich::vcovHC(pair[[2]], type = type),
          tolerance = refits, ignore_attr = TRUE, info = type
        )
      }
      expect_equal(
        sandwich::vcovCL(pair[[1]], cluster = visits$group),
        sandwich::vcovCL(pair[[2]], cluster = some$group),
        tolerance = refits, ignore_attr = TRUE
      )
      drawn <- lapply(1:2, function(k) {
        set.seed(1)
        suppressWarnings(sandwich::vcovBS(pair[[k]], R = 5))
      })
      expect_equal(drawn[[1]], drawn[[2]], tolerance = refits, ignore_attr = TRUE)
      for (type in c("HC1", "HC2", "HC3")) {
        expect_refused(
          sandwich::vcovCL(pair[[1]], cluster = visits$group, type = type), "rows of weight 0"
        )
      }
      expect_refused(sandwich::sandwich(pair[[1]], adjust = TRUE), "rows of weight 0")
      # Only the options of sandwich count.
      type <- "HC3"
      expect_identical(nrow(sandwich::estfun(pair[[1]])), 16L)
    }
  }
)

test_works(
  "sandwich", c("sandwich()", "vcovHC()", "vcovCL()", "vcovBS()"),
  c("firth()", "firth_multinom()", "cratio()"),
  {
    warned <- function(code) {
      caught <- character()
      withCallingHandlers(code, pwcstats_warning = function(w) {
        caught <<- c(caught, conditionMessage(w))
        invokeRestart("muffleWarning")
      })
      caught
    }
    infinite <- function(columns) {
      sprintf("are infinite \\(%s\\); use anova\\(fit\\)", columns)
    }
    # One warning for each covariance, which names the columns.
    fit <- firth(HG ~ NV + PI + EH, endometrial)
    for (f in list(sandwich::sandwich, sandwich::vcovHC, sandwich::vcovCL)) {
      said <- warned(f(fit))
      expect_length(said, 1L)
      expect_match(said, infinite("NV"))
    }
    expect_match(warned(sandwich::vcovBS(fit, R = 2)), infinite("NV"), all = FALSE)
    counts <- firth(cbind(c(0, 3, 4), c(5, 2, 1)) ~ factor(1:3))
    expect_match(warned(sandwich::sandwich(counts)), infinite("\\(Intercept\\), .*"))
    # Rows of weight 0 may separate, or not.
    rows <- data.frame(
      x = c(0, 0, 0, 0, 1, 1, 1), y = c(0, 1, 0, 1, 1, 1, 0), w = c(1, 1, 1, 1, 1, 1, 0)
    )
    expect_match(warned(sandwich::sandwich(firth(y ~ x, rows, weights = w))), infinite("x"))
    expect_identical(warned(sandwich::sandwich(firth(y ~ x, rows))), character())
    species <- firth_multinom(Species ~ Petal.Length, iris)
    expect_match(
      warned(sandwich::sandwich(species)), infinite("\\(Intercept\\), Petal.Length")
    )
    # The stages of cratio(), whose slopes may be common.
    visits$high <- as.numeric(visits$x > 0.5 & visits$grade == "none")
    for (direction in c("backward", "forward")) {
      for (parallel in c(TRUE, FALSE)) {
        overlap <- cratio(
          grade ~ x, visits, penalty = "firth", parallel = parallel, direction = direction
        )
        expect_identical(warned(sandwich::sandwich(overlap)), character())
      }
    }
    first <- cratio(grade ~ high, visits, penalty = "firth", direction = "forward", parallel = TRUE)
    expect_match(warned(sandwich::sandwich(first)), infinite("high"))
    by_age <- cratio(grade ~ age, grades, penalty = "firth")
    expect_match(warned(sandwich::sandwich(by_age)), infinite("\\(Intercept\\):mid, .*age:high"))
  }
)

test_that("estimating functions have the weight of the penalty", {
  skip_without_python()
  skip_without_package("sandwich")
  for (tau in c(0.2, 1.5)) {
    fits <- list(
      firth(am ~ wt + hp, mtcars, weights = rep(1:2, 16), tau = tau),
      firth_multinom(factor(gear) ~ mpg, mtcars, tau = tau)
    )
    for (fit in fits) {
      scores <- sandwich::estfun(fit)
      expect_lt(max(abs(colSums(scores) * fit$se)), 1e-6)
      expect_gt(max(abs(scores)), 0.1)
    }
  }
  plain <- glm(am ~ wt + hp, binomial, mtcars, epsilon = 1e-14)
  expect_equal(
    sandwich::sandwich(firth(am ~ wt + hp, mtcars, tau = 0)), sandwich::sandwich(plain),
    tolerance = 1e-5
  )
})

test_that("the robust covariances of Python are those of sandwich", {
  skip_without_python()
  skip_without_package("sandwich")
  set.seed(2)
  clinic <- rep(1:25, each = 4)
  data <- data.frame(x = rnorm(100), z = rnorm(100)^2)
  latent <- data$x + rnorm(25)[clinic] + rlogis(100)
  data$y <- as.numeric(latent > 0)
  data$grade <- cut(latent, c(-Inf, -0.5, 1, Inf), c("low", "mid", "high"), ordered_result = TRUE)
  fits <- list(
    firth(y ~ x + z, data), firth(y ~ x + z, data, tau = 0.2), firth(y ~ x + z, data, tau = 0),
    firth_multinom(grade ~ x + z, data), cratio(grade ~ x + z, data),
    cratio(grade ~ x + z, data, penalty = "firth", direction = "forward"),
    cratio(grade ~ x + z, data, penalty = "firth", parallel = TRUE),
    ordered_logit(grade ~ x + z, data), ordered_logit(grade ~ x + z, data, penalty = "firth"),
    adjacent_categories(grade ~ x + z, data),
    adjacent_categories(grade ~ x + z, data, penalty = "firth", parallel = TRUE)
  )
  groups <- reticulate::r_to_py(list(groups = as.array(clinic)))
  python_cov <- function(fit, ...) {
    found <- reticulate::py_to_r(pwcstats:::thaw(fit, NULL)$model$fit(...)$cov_params())
    order <- pwcstats:::python_order(fit)
    unname(as.matrix(found)[order, order])
  }
  for (fit in fits) {
    same <- function(...) expect_equal(..., tolerance = 1e-6, ignore_attr = TRUE)
    same(python_cov(fit, cov_type = "HC0"), sandwich::sandwich(fit))
    same(python_cov(fit, cov_type = "HC1"), sandwich::sandwich(fit, adjust = TRUE))
    clustered <- python_cov(fit, cov_type = "cluster", cov_kwds = groups)
    # (n - 1) / (n - k) and g / (g - 1), as type = "HC1" of vcovCL().
    suppressWarnings(same(clustered, sandwich::vcovCL(fit, clinic, type = "HC1")))
  }
})
