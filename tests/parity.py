"""What agrees with R, how closely, and why not more closely: used by the tests, printed by the docs."""

from typing import NamedTuple


class Agreement(NamedTuple):
    ours: str
    theirs: str
    tolerance: float
    reason: str


COUPLING = {
    "btm": Agreement(
        'couple(r, "ht", n=n)',
        "BradleyTerry2::BTm(cbind(n * r, n * (1 - r)), a, b)",
        1e-10,
        "BTm warns about fractional wins.",
    ),
    "e1071": Agreement(
        'couple(r, "wlw2", condensed=True)',
        'attr(predict(e1071::svm(...), x, probability = TRUE), "probabilities")',
        2e-3,
        "LIBSVM stops its iteration at 0.005 / K. With the same stopping rule, the numbers agree to 1e-12.",
    ),
    "kernlab minpair": Agreement(
        'couple(r, "wlw2")', 'kernlab::couple(r, "minpair"), K = 3', 1e-12, "kernlab is wrong for four or more classes."
    ),
    "kernlab pkpd": Agreement(
        'couple(r, "pkpd")', 'kernlab::couple(r, "pkpd"), K = 3', 1e-12, "kernlab is wrong for four or more classes."
    ),
}

CLASSIFY = {
    "decision values": Agreement(
        "PairwiseClassifier(SVC(gamma=1/p, tol=1e-10)).pairwise_scores(x)",
        'attr(predict(e1071::svm(x, y, tolerance = 1e-10), x, decision.values = TRUE), "decision.values")',
        1e-8,
        "Data: iris, Glass, Vehicle. Columns are scaled as in R (ddof=1).",
    ),
    "probabilities": Agreement(
        "couple(1 / (1 + exp(A f + B)), condensed=True), A and B from R",
        'attr(predict(…, probability = TRUE), "probabilities")',
        5e-3,
        "LIBSVM stops its iteration at 0.005 / K. With the same stopping rule, the numbers agree to 1e-8.",
    ),
    "E1071SVC": Agreement(
        "pwcstats.r.E1071SVC().decision_function(x), predict_proba(x)",
        "predict(e1071::svm(x, y, probability = TRUE), x, …)",
        1e-12,
        "This is the same R function, called through rpy2.",
    ),
}

HYBRID = {
    "distances": Agreement(
        "HybridClassifier(SVC(kernel=, gamma=1/p, tol=1e-10)).distances(x)",
        'attr(predict(e1071::svm(x, y, …), x, decision.values = TRUE), "decision.values") / ||w||',
        1e-6,
        "Data: iris and Vehicle, linear and radial kernels. The norm of w is computed from e1071's coefs and SV.",
    ),
    "firth": Agreement(
        'HybridClassifier(…, distance_cv=None, penalty="firth").integrator_',
        'brglm2::brmultinom(y ~ distances, type = "AS_mean")',
        1e-6,
        "The tolerance is brmultinom's stopping rule.",
    ),
    "multinom": Agreement(
        "HybridClassifier(…, distance_cv=None).integrator_",
        "nnet::multinom(y ~ distances)",
        1e-3,
        "multinom stops early. The likelihoods agree to 1e-6.",
    ),
}

BRADLEY_TERRY = {
    "baseball": Agreement(
        "BradleyTerry.from_comparisons(df, first=, second=, wins=).fit(ref=)",
        "BradleyTerry2::BTm(cbind(home.wins, away.wins), home.team, away.team)",
        1e-9,
        "Data: baseball. Coefficients, standard errors and deviance.",
    ),
    "home": Agreement(
        "….fit(order_effect=True, ref=)",
        "BTm(…, ~ team + at.home)",
        1e-9,
        "Data: baseball, and ice hockey with games on neutral ice. The likelihood-ratio test is compared with anova().",
    ),
    "firth": Agreement(
        '….fit("firth", order_effect=True)',
        "BTm(…, br = TRUE)",
        1e-7,
        "Data: baseball and chameleons. The tolerance is brglm's stopping rule.",
    ),
    "citations": Agreement("BradleyTerry(wins).fit()", "BTm(cbind(win1, win2), …)", 1e-9, "The input is a matrix."),
    "profile": Agreement(
        '.conf_int(method="profile")',
        "confint(glm(…)) of MASS",
        2e-5,
        "MASS interpolates the profile by a spline. Ours agree with the definition to 1e-8.",
    ),
    "icehockey": Agreement('….fit(ties="half", order_effect=True)', "BTm(result, …)", 1e-8, "58 teams; a tie is 0.5."),
    "chameleons": Agreement(
        '….fit(covariates="ch.res + prop.main", item_data=)', "BTm(formula = ~ ch.res[ID] + prop.main[ID])", 1e-8, ""
    ),
    "contest": Agreement(
        '….fit(contest=["home", "rest"]), also with covariates of items',
        "BTm(…, ~ team + home + rest), ~ prev.wins.2 + ch.res[ID] + prop.main[ID]",
        1e-10,
        "Data: football with days of rest that are made up, and chameleons. Coefficients.",
    ),
    "contest se": Agreement(
        "….bse of the same fits",
        "sqrt(diag(vcov(BTm(…))))",
        2e-7,
        "glm() computes standard errors from the last step but one. At its final coefficients, they agree to 1e-10.",
    ),
    "contest firth": Agreement(
        '….fit("firth", contest=["home", "rest"])', "BTm(…, br = TRUE)", 1e-10, "Stopping rule of brglm: 1e-12."
    ),
    "rao-kupper": Agreement(
        '….fit(ties="rao-kupper", contest="home + rest")',
        'ordinal::clm(ordered(result) ~ x, threshold = "symmetric2")',
        1e-10,
        'Their threshold is our "(tie)", log theta. Coefficients, standard errors and log-likelihood.',
    ),
    "quasi": Agreement(
        ".quasi_variances()",
        "qvcalc::qvcalc(BTabilities(model))",
        1e-6,
        "The tolerance is glm's stopping rule in qvcalc.",
    ),
    "residuals": Agreement(
        ".resid(kind)",
        "residuals(BTm, type = kind)",
        1e-8,
        "Data: baseball, chameleons and weighted games with ties as half a win.",
    ),
    "grouped residuals": Agreement(
        '.resid("working", by="item")',
        'residuals(BTm, type = "grouped")',
        1e-6,
        "glm keeps the weights of its last iteration but one.",
    ),
    "contrasts": Agreement(
        ".contrasts(adjust)",
        "summary(multcomp::glht(…), test = adjusted(type))",
        1e-9,
        "Data: citations and baseball. Shaffer's method is another one there.",
    ),
    "max-t": Agreement(
        '.contrasts("max-t")',
        'summary(multcomp::glht(…), test = adjusted("single-step")), confint(…)',
        5e-3,
        "Both integrate at random: ours with 10 000 draws, theirs to 1e-3.",
    ),
    "sandwich": Agreement(
        '….fit(cov_type="HC0"), "cluster"',
        "sandwich::sandwich(BTm), vcovCL(…, cadjust = FALSE)",
        1e-8,
        'With cov_kwds={"use_correction": False}. The default corrects as statsmodels does.',
    ),
    "psychotools": Agreement(
        "BradleyTerry(wins).fit()",
        "psychotools::btmodel(SoundQuality$preference)",
        1e-7,
        "The reference there is the last item.",
    ),
    "davidson": Agreement(
        '….fit(ties="davidson")', "psychotools::btmodel(CEMS preferences)", 1e-7, 'Their "(undecided)" is our "(tie)".'
    ),
    "brat": Agreement(
        "BradleyTerry(wins).fit(ref=)", "VGAM::vglm(Brat(wins) ~ 1, brat(refgp = 1))", 1e-6, "Worths are compared."
    ),
    "bratt": Agreement(
        "….tie_parameter()",
        "VGAM::vglm(Brat(wins, ties) ~ 1, bratt(refgp = 1))",
        1e-6,
        "A different model of ties, which is the same among items of equal ability.",
    ),
}

BRADLEY_TERRY_MIXED = {
    "flatlizards": Agreement(
        "….fit(covariates=, item_data=) with missing covariates",
        "BTm(formula = ~ throat.PC1[..] + …, data = flatlizards)",
        1e-5,
        "Where BTm's estimate of an item's own ability goes to infinity, ours is infinite, and BTm's other estimates "
        "depend on where it stops.",
    ),
    "pql": Agreement(
        '….fit(covariates=, random_effects="pql")',
        "BTm(formula = ~ … + (1 | ..))",
        1e-8,
        "Data: flatlizards, chameleons, baseball, and simulated. Coefficients, standard errors, standard deviation and "
        "predictions. BTm's own stopping rule is 1e-6.",
    ),
    "laplace": Agreement(
        '….fit(covariates=, random_effects="laplace")',
        "lme4::mkGlmerDevfun(…), nAGQ = 1, with Z made of differences",
        1e-5,
        "Data: chameleons, baseball, and simulated. The tolerance is the stopping rule of lme4's optimiser.",
    ),
    "laplace_se": Agreement(
        '….fit(random_effects="laplace").bse',
        "optimHess of lme4's deviance",
        3e-5,
        "lme4's deviance is differentiated numerically, at the end of its optimiser.",
    ),
    "loglik": Agreement('….fit(random_effects="laplace").llf', "lme4's deviance / -2", 1e-6, ""),
}

LOGIT = {
    "firth": Agreement(
        "FirthLogit(…).fit()",
        'glm(…, method = "brglmFit", type = "AS_mean") of brglm2',
        1e-6,
        "Data: endometrial, lizards, and random data with weights and offsets. Coefficients, standard errors and "
        "log-likelihood. The tolerance is brglm2's stopping rule.",
    ),
    "multinomial": Agreement(
        "FirthMNLogit(…).fit()",
        'brglm2::brmultinom(…, type = "AS_mean")',
        1e-6,
        "Data: alligators, and separated data. The tolerance is brmultinom's stopping rule.",
    ),
    "ratio": Agreement(
        'ContinuationRatio(…, direction="backward")',
        "VGAM::vglm(…, sratio(reverse = TRUE))",
        1e-6,
        "Data: pneumo, with separate and parallel slopes. VGAM's cratio has the opposite signs. Standard errors are "
        "compared with glm, because VGAM's differ in the third digit if cells are empty.",
    ),
    "forward": Agreement(
        'ContinuationRatio(…, direction="forward")',
        "VGAM::vglm(…, sratio(reverse = FALSE))",
        1e-6,
        "Data: pneumo, with separate and parallel slopes.",
    ),
    "ordered": Agreement(
        "OrderedLogit(…).fit()",
        "MASS::polr(…)",
        1e-6,
        "Data: housing, and random data with weights and offsets. The tolerance is the stopping rule of polr's "
        "optimiser.",
    ),
    "clm": Agreement(
        "OrderedLogit(…).fit(), .get_prediction(…)",
        "ordinal::clm(…), predict(…, se.fit = TRUE, interval = TRUE)",
        1e-8,
        "Random data with weights and offsets. Coefficients, standard errors, log-likelihood, and probabilities with "
        "their standard errors and intervals.",
    ),
    "clm profile": Agreement(
        'OrderedLogit(…).fit().conf_int(method="profile")',
        "confint(clm(…))",
        1e-4,
        "clm interpolates the profile by a spline. Ours agree with the definition to 1e-6.",
    ),
    "acat": Agreement(
        "AdjacentCategories(…).fit()",
        "VGAM::vglm(…, acat())",
        1e-6,
        "Random data with weights and offsets, with separate and parallel slopes. Coefficients, standard errors, "
        "log-likelihood and probabilities. The tolerance is vglm's stopping rule.",
    ),
    "bracl": Agreement(
        'AdjacentCategories(…, penalty="firth").fit()',
        'brglm2::bracl(…, type = "AS_mean")',
        1e-6,
        "Random data with weights, with separate and parallel slopes. bracl has the opposite signs. With separate "
        "slopes, its vcov() gives covariances between steps to the wrong pairs of terms; variances agree.",
    ),
    "step": Agreement(
        'stepwise(Logit(…), "aic"), "bic"',
        "step(glm(…))",
        1e-9,
        "Data: birthwt. The path is the same, with the same AIC at each step.",
    ),
}

COMPARE = {
    "t": Agreement(
        "compare.paired_t(a, b)", "t.test(a, b, paired = TRUE)", 1e-10, "All three alternatives, with and without ties."
    ),
    "wilcox exact": Agreement(
        "compare.wilcoxon(a, b)", "wilcox.test(a, b, paired = TRUE)", 1e-10, "Fewer than 50 pairs, without ties."
    ),
    "wilcox normal": Agreement(
        'compare.wilcoxon(a, b, method="asymptotic")',
        "wilcox.test(a, b, paired = TRUE, exact = FALSE)",
        1e-10,
        "With ties and zeros, with and without correction. Our pseudomedian and interval keep zeros, R's drop them.",
    ),
    "wilcox permutation": Agreement(
        'compare.wilcoxon(a, b, method="exact")',
        "exactRankTests::wilcox.exact(a, b, paired = TRUE)",
        1e-10,
        "With ties and zeros, for which wilcox.test has no exact p-value.",
    ),
    "wilcox pratt": Agreement(
        'compare.wilcoxon(a, b, zeros="pratt")', 'coin::wilcoxsign_test(…, zero.method = "Pratt")', 1e-10, ""
    ),
    "wilcox interval": Agreement(
        "….conf_int, .estimate",
        "wilcox.test(…, conf.int = TRUE)",
        1e-10,
        "Exact intervals. Normal ones agree to the tolerance of uniroot.",
    ),
    "sign": Agreement("compare.sign(a, b)", "binom.test(sum(d > 0), sum(d != 0))", 1e-10, ""),
    "mcnemar": Agreement(
        "compare.mcnemar(table)", "mcnemar.test(table), binom.test(b, b + c)", 1e-10, "With and without correction."
    ),
    "friedman": Agreement("compare.friedman(scores)", "friedman.test(scores)", 1e-10, "With and without ties."),
    "cochran": Agreement(
        "compare.cochran_q(right)", "friedman.test(right)", 1e-10, "For scores of 0 and 1 the two tests are the same."
    ),
    "tukey": Agreement(
        "compare.nemenyi(scores)",
        "ptukey(sqrt(2) * z, k, Inf, lower.tail = FALSE)",
        2e-8,
        "For 10 or more methods, ptukey is off by up to 1e-8. Ours are exact to 1e-13.",
    ),
    "qtukey": Agreement(
        "….critical_difference", "qtukey(0.95, k, Inf) / sqrt(2) * se", 1e-4, "qtukey stops its iteration at 1e-4."
    ),
    "adjust": Agreement("compare.adjust(p, …)", "p.adjust(p, …)", 1e-14, "Also with missing values."),
}
