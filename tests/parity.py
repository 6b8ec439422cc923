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
        "BTm warns about fractional wins",
    ),
    "e1071": Agreement(
        'couple(r, "wlw2", condensed=True)',
        'attr(predict(e1071::svm(...), x, probability = TRUE), "probabilities")',
        2e-3,
        "r from its decision values and sigmoids; LIBSVM stops at 0.005 / K; so stopped we get its numbers to 1e-12",
    ),
    "kernlab minpair": Agreement(
        'couple(r, "wlw2")', 'kernlab::couple(r, "minpair"), K = 3', 1e-12, "kernlab is wrong for K >= 4"
    ),
    "kernlab pkpd": Agreement(
        'couple(r, "pkpd")', 'kernlab::couple(r, "pkpd"), K = 3', 1e-12, "kernlab is wrong for K >= 4"
    ),
}

CLASSIFY = {
    "decision values": Agreement(
        "PairwiseClassifier(SVC(gamma=1/p, tol=1e-10)).pairwise_scores(x)",
        'attr(predict(e1071::svm(x, y, tolerance = 1e-10), x, decision.values = TRUE), "decision.values")',
        1e-8,
        "iris, Glass, Vehicle; columns scaled as R does it (ddof=1), pairs of sorted labels",
    ),
    "probabilities": Agreement(
        "couple(1 / (1 + exp(A f + B)), condensed=True), A and B from R",
        'attr(predict(…, probability = TRUE), "probabilities")',
        5e-3,
        "LIBSVM stops at 0.005 / K, in R's order of the classes; so stopped we get its numbers to 1e-8",
    ),
    "E1071SVC": Agreement(
        "pwcstats.r.E1071SVC().decision_function(x), predict_proba(x)",
        "predict(e1071::svm(x, y, probability = TRUE), x, …)",
        1e-12,
        "the same R function, called through rpy2",
    ),
}

HYBRID = {
    "distances": Agreement(
        "HybridClassifier(SVC(kernel=, gamma=1/p, tol=1e-10)).distances(x)",
        'attr(predict(e1071::svm(x, y, …), x, decision.values = TRUE), "decision.values") / ||w||',
        1e-6,
        "iris and Vehicle, linear and radial; ||w||² = a'Ka from e1071's coefs and SV; we see 1e-10",
    ),
    "firth": Agreement(
        'HybridClassifier(…, distance_cv=None, penalty="firth").integrator_',
        'brglm2::brmultinom(y ~ distances, type = "AS_mean")',
        1e-6,
        "brmultinom's own stopping rule",
    ),
    "multinom": Agreement(
        "HybridClassifier(…, distance_cv=None).integrator_",
        "nnet::multinom(y ~ distances)",
        1e-3,
        "its BFGS stops where the likelihood changes in the 15th digit; that agrees to 1e-6",
    ),
}

BRADLEY_TERRY = {
    "baseball": Agreement(
        "BradleyTerry.from_comparisons(df, first=, second=, wins=).fit(ref=)",
        "BradleyTerry2::BTm(cbind(home.wins, away.wins), home.team, away.team)",
        1e-9,
        "baseball; coefficients, standard errors, deviance",
    ),
    "home": Agreement(
        "….fit(order_effect=True, ref=)",
        "BTm(…, ~ team + at.home)",
        1e-9,
        "baseball, ice hockey with games on neutral ice; likelihood-ratio test against anova()",
    ),
    "firth": Agreement(
        '….fit("firth", order_effect=True)',
        "BTm(…, br = TRUE)",
        1e-7,
        "baseball and chameleons; brglm's own iteration stops there",
    ),
    "citations": Agreement("BradleyTerry(wins).fit()", "BTm(cbind(win1, win2), …)", 1e-9, "a matrix"),
    "profile": Agreement(
        '.conf_int(method="profile")',
        "confint(glm(…)) of MASS",
        2e-5,
        "MASS interpolates the profile with a spline; ours are right to 1e-8 against the definition",
    ),
    "icehockey": Agreement(
        '….fit(ties="half", order_effect=True)', "BTm(result, …)", 1e-8, "58 teams; result 0.5 where tied"
    ),
    "chameleons": Agreement(
        '….fit(covariates="ch.res + prop.main", item_data=)', "BTm(formula = ~ ch.res[ID] + prop.main[ID])", 1e-8, ""
    ),
    "quasi": Agreement(
        ".quasi_variances()", "qvcalc::qvcalc(BTabilities(model))", 1e-6, "glm's stopping rule in qvcalc"
    ),
    "sandwich": Agreement(
        '….fit(cov_type="HC0"), "cluster"',
        "sandwich::sandwich(BTm), vcovCL(…, cadjust = FALSE)",
        1e-8,
        'cov_kwds={"use_correction": False}; the default corrects as statsmodels does',
    ),
    "psychotools": Agreement(
        "BradleyTerry(wins).fit()",
        "psychotools::btmodel(SoundQuality$preference)",
        1e-7,
        "its reference is the last item",
    ),
    "davidson": Agreement(
        '….fit(ties="davidson")', "psychotools::btmodel(CEMS preferences)", 1e-7, '"(undecided)" is our "(tie)"'
    ),
    "brat": Agreement("BradleyTerry(wins).fit(ref=)", "VGAM::vglm(Brat(wins) ~ 1, brat(refgp = 1))", 1e-6, "worths"),
    "bratt": Agreement(
        "….tie_parameter()",
        "VGAM::vglm(Brat(wins, ties) ~ 1, bratt(refgp = 1))",
        1e-6,
        "another model of ties; the same among items of equal ability",
    ),
}

LOGIT = {
    "firth": Agreement(
        "FirthLogit(…).fit()",
        'glm(…, method = "brglmFit", type = "AS_mean") of brglm2',
        1e-6,
        "endometrial, lizards, random data with weights and offsets; coefficients, standard errors, log-likelihood; "
        "brglm2's own stopping rule",
    ),
    "multinomial": Agreement(
        "FirthMNLogit(…).fit()",
        'brglm2::brmultinom(…, type = "AS_mean")',
        1e-6,
        "alligators' food, and separated data; brmultinom's own stopping rule",
    ),
    "ratio": Agreement(
        'ContinuationRatio(…, direction="backward")',
        "VGAM::vglm(…, sratio(reverse = TRUE))",
        1e-6,
        "pneumo; separate and parallel slopes; VGAM's cratio has the opposite signs; standard errors against glm, as "
        "VGAM's are off in the third digit where cells are empty",
    ),
    "forward": Agreement(
        'ContinuationRatio(…, direction="forward")',
        "VGAM::vglm(…, sratio(reverse = FALSE))",
        1e-6,
        "pneumo; separate and parallel slopes",
    ),
    "ordered": Agreement(
        "OrderedLogit(…).fit()",
        "MASS::polr(…)",
        1e-5,
        "housing; polr's optimiser stops at a relative change of the likelihood",
    ),
    "step": Agreement(
        'stepwise(Logit(…), "aic"), "bic"', "step(glm(…))", 1e-9, "birthwt; the same path, AIC at each step"
    ),
}

COMPARE = {
    "t": Agreement(
        "compare.paired_t(a, b)", "t.test(a, b, paired = TRUE)", 1e-10, "three alternatives; with ties and without"
    ),
    "wilcox exact": Agreement(
        "compare.wilcoxon(a, b)", "wilcox.test(a, b, paired = TRUE)", 1e-10, "fewer than 50 pairs without ties"
    ),
    "wilcox normal": Agreement(
        'compare.wilcoxon(a, b, method="asymptotic")',
        "wilcox.test(a, b, paired = TRUE, exact = FALSE)",
        1e-10,
        "ties and zeros; with and without correction. With zeros our pseudomedian and interval keep them, R's do not",
    ),
    "wilcox permutation": Agreement(
        'compare.wilcoxon(a, b, method="exact")',
        "exactRankTests::wilcox.exact(a, b, paired = TRUE)",
        1e-10,
        "ties and zeros, where wilcox.test has no exact p-value",
    ),
    "wilcox pratt": Agreement(
        'compare.wilcoxon(a, b, zeros="pratt")', 'coin::wilcoxsign_test(…, zero.method = "Pratt")', 1e-10, ""
    ),
    "wilcox interval": Agreement(
        "….conf_int, .estimate", "wilcox.test(…, conf.int = TRUE)", 1e-10, "exact; normal ones to uniroot's tolerance"
    ),
    "sign": Agreement("compare.sign(a, b)", "binom.test(sum(d > 0), sum(d != 0))", 1e-10, ""),
    "mcnemar": Agreement(
        "compare.mcnemar(table)", "mcnemar.test(table), binom.test(b, b + c)", 1e-10, "with and without correction"
    ),
    "friedman": Agreement("compare.friedman(scores)", "friedman.test(scores)", 1e-10, "with ties and without"),
    "cochran": Agreement("compare.cochran_q(right)", "friedman.test(right)", 1e-10, "of 0 and 1 they are the same"),
    "tukey": Agreement(
        "compare.nemenyi(scores)",
        "ptukey(sqrt(2) * z, k, Inf, lower.tail = FALSE)",
        2e-8,
        "ptukey is off by up to 1e-8 from 10 methods on; ours are right to 1e-13",
    ),
    "qtukey": Agreement(
        "….critical_difference", "qtukey(0.95, k, Inf) / sqrt(2) * se", 1e-4, "qtukey stops its secant steps at 1e-4"
    ),
    "adjust": Agreement("compare.adjust(p, …)", "p.adjust(p, …)", 1e-14, "also with missing values"),
}
