# The numbers are elements of the fit or of a glm() with the same coefficients.
tolerance <- 1e-10

info_of <- function(fit) {
  info <- insight::model_info(fit)
  names(info)[vapply(info, isTRUE, NA)]
}

test_works(
  "insight",
  c(
    "get_parameters()", "get_statistic()", "get_varcov()", "get_df()", "get_loglikelihood()",
    "model_info()", "get_predicted()", "get_data()"
  ), "firth()",
  {
    # A missing value that glm() and firth() leave out.
    data <- days
    data$Wind[4] <- NA
    fit <- firth(hot ~ Wind + month, data)
    other <- like_glm(fit)
    expect_identical(insight::get_parameters(fit)$Parameter, names(coef(fit)))
    expect_equal(insight::get_parameters(fit)$Estimate, unname(coef(fit)))
    statistic <- insight::get_statistic(fit)
    expect_equal(statistic$Statistic, unname(coef(fit)) / standard_errors(fit))
    expect_identical(attr(statistic, "statistic"), "z-statistic")
    expect_equal(insight::get_varcov(fit), vcov(fit))
    expect_identical(insight::get_df(fit), Inf)
    expect_identical(insight::get_df(fit, "residual"), df.residual(other))
    expect_identical(insight::get_df(fit, "model"), fit$df)
    expect_error(insight::get_df(fit, "satterthwaite"), "type must be one of")
    likelihood <- insight::get_loglikelihood(fit)
    expect_equal(as.numeric(likelihood), fit$loglik)
    expect_equal(attr(likelihood, "df"), attr(logLik(other), "df"))
    expect_identical(insight::n_parameters(fit), fit$df)
    expect_identical(insight::n_obs(fit), insight::n_obs(other))
    expect_identical(info_of(fit), info_of(other))
    grouped <- firth(cbind(ncases, ncontrols) ~ agegp, esoph)
    expect_identical(info_of(grouped), info_of(like_glm(grouped)))
    expect_identical(insight::link_inverse(fit)(1), stats::plogis(1))
    expect_identical(insight::link_function(fit)(0.7), stats::qlogis(0.7))
    expect_identical(insight::find_predictors(fit), insight::find_predictors(other))
    expect_identical(insight::find_response(fit), "hot")
    expect_equal(insight::find_formula(fit), insight::find_formula(other), ignore_attr = TRUE)
    expect_equal(
      insight::get_data(fit, source = "frame"), insight::get_data(other, source = "frame"),
      ignore_attr = TRUE
    )
    expect_equal(insight::get_residuals(fit), residuals(fit))

    new <- data.frame(Wind = c(8, 12), month = factor("7", levels(days$month)))
    found <- insight::get_predicted(fit, data = new, ci = 0.9)
    expected <- predict(fit, new, se.fit = TRUE)
    expect_equal(as.numeric(found), unname(stats::plogis(expected$fit)), tolerance = tolerance)
    bounds <- stats::plogis(expected$fit + expected$se.fit %o% stats::qnorm(c(0.05, 0.95)))
    intervals <- attr(found, "ci_data")
    expect_equal(
      unname(as.matrix(intervals[c("CI_low", "CI_high")])), unname(bounds), tolerance = tolerance
    )
    expect_equal(
      intervals$SE, unname(predict(fit, new, "response", se.fit = TRUE)$se.fit),
      tolerance = tolerance
    )
    expect_identical(
      names(as.data.frame(found)),
      names(as.data.frame(insight::get_predicted(other, data = new, ci = 0.9)))
    )
    link <- insight::get_predicted(fit, data = new, predict = "link", ci = 0.9)
    expect_equal(as.numeric(link), unname(expected$fit), tolerance = tolerance)
    expect_equal(attr(link, "ci_data")$SE, unname(expected$se.fit), tolerance = tolerance)
    classes <- insight::get_predicted(fit, data = new, predict = "classification")
    expect_equal(as.numeric(classes), predict(fit, new, "class"), ignore_attr = TRUE)
    expect_error(insight::get_predicted(fit, predict = "classification", ci = 0.9), "leave out ci")
  }
)

test_works(
  "insight",
  c(
    "get_parameters()", "get_statistic()", "get_varcov()", "get_df()", "get_loglikelihood()",
    "model_info()", "get_predicted()", "get_residuals()"
  ), c("firth_multinom()", "cratio()", "ordered_logit()"),
  {
    fit <- firth_multinom(ozone ~ Temp + month, days)
    other <- like_multinom(fit)
    expect_identical(insight::find_parameters(fit), insight::find_parameters(other))
    expect_identical(
      insight::get_parameters(fit)[-2L], insight::get_parameters(other)[-2L], ignore_attr = TRUE
    )
    expect_equal(
      insight::get_parameters(fit)$Estimate, insight::get_parameters(other)$Estimate,
      tolerance = tolerance
    )
    expect_equal(
      insight::get_statistic(fit)$Statistic, as.vector(t(coef(fit))) / standard_errors(fit)
    )
    expect_setequal(info_of(fit), setdiff(info_of(other), "is_binomial"))
    # Two classes have no column for the class, as with nnet.
    two <- firth_multinom(factor(hot) ~ Wind, days)
    expect_identical(names(insight::get_parameters(two)), c("Parameter", "Estimate"))

    ordered <- cratio(ozone ~ Temp + month, days)
    odds <- ordered_logit(ozone ~ Temp + month, days)
    for (x in list(ordered, odds)) {
      expect_equal(insight::get_parameters(x)$Estimate, unname(coef(x)))
      expect_identical(insight::get_parameters(x)$Parameter, names(coef(x)))
      expect_equal(insight::get_statistic(x)$Statistic, unname(coef(x)) / standard_errors(x))
      expect_true("is_ordinal" %in% info_of(x))
    }
    for (x in list(fit, ordered, odds)) {
      p <- predict(x, type = "prob")
      found <- insight::get_predicted(x)
      expect_equal(found$Predicted, as.vector(p), tolerance = tolerance)
      expect_identical(found$Response, rep(colnames(p), each = nrow(p)))
      expect_equal(
        unname(insight::get_residuals(x)),
        unname(outer(as.character(days$ozone), colnames(p), "==") - p), tolerance = tolerance
      )
      expect_identical(
        as.character(insight::get_predicted(x, predict = "classification")),
        as.character(predict(x, type = "class"))
      )
      expect_error(insight::get_predicted(x, ci = 0.95), "emmeans\\(\\) has intervals")
      expect_identical(insight::get_df(x), Inf)
      expect_identical(insight::n_parameters(x), x$df)
      expect_equal(as.numeric(insight::get_loglikelihood(x)), x$loglik)
      expect_equal(insight::get_varcov(x), vcov(x))
      expect_identical(insight::link_inverse(x)(1), stats::plogis(1))
    }
    expect_equal(
      unname(insight::get_residuals(fit)),
      unname(outer(as.character(days$ozone), other$lev, "==") - predict(other, days, "probs")),
      tolerance = tolerance
    )
  }
)

test_works(
  "insight",
  c(
    "get_parameters()", "get_statistic()", "get_varcov()", "get_df()", "get_loglikelihood()"
  ), c("bt()", "plackett_luce()"),
  {
    rankings <- rbind(c(a = 1, b = 2, c = 3), c(2, 1, 3), c(3, 2, 1), c(1, 3, 2))
    for (fit in list(bt(citations), plackett_luce(rankings))) {
      expect_equal(insight::get_parameters(fit)$Estimate, unname(coef(fit)))
      expect_equal(insight::get_statistic(fit)$Statistic, unname(coef(fit)) / standard_errors(fit))
      expect_equal(insight::get_varcov(fit), vcov(fit))
      expect_identical(insight::get_df(fit), Inf)
      expect_identical(insight::get_df(fit, "residual"), fit$df.residual)
      expect_equal(as.numeric(insight::get_loglikelihood(fit)), fit$loglik)
    }
  }
)
