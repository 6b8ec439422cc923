"""How messages of pwcstats refer to parameters, values and functions in R."""

import ast

from pwcstats.errors import Vocabulary

_PARAMETERS = {
    "C": "cost",
    "X": "the model matrix",
    "alpha": "level",
    "categories": "the levels of the response",
    "class_weight": "class.weights",
    "contest": "formula",
    "cov_kwds": "cluster",
    "endog": "the response",
    "estimator": "learners",
    "exog": "the model matrix",
    "freq_weights": "weights",
    "groups": "cluster",
    "maxiter": "maxit",
    "n_clusters": "clusters",
    "n_neighbors": "k",
    "pos_label": "positive",
    "priors": "prior",
    "random_state": "seed",
    "sample_weight": "weights",
    "tol": "tolerance",
    "weight": "weights",
    # Only PairwiseClassifier has a parameter of this name.
    "weights": "pair_weights",
    "wins": "outcome",
    "y": "the response",
    "y_true": "truth",
}
# Parameters of one function, by its name in Python, that have another name in R.
_OF_FUNCTION = {
    "from_pairwise": {"r": "outcome"},
    "from_orderings": {"orderings": "rankings"},
}
# Values that R writes differently for some parameters.
_VALUES = {
    ("alternative", "'two-sided'"): "'two.sided'",
    ("calibration", "None"): "'none'",
    ("correction", "None"): "'none'",
    ("kernel", "'poly'"): "'polynomial'",
    ("kernel", "'rbf'"): "'radial'",
    ("penalty", "None"): "'none'",
    ("ref", "None"): "NA",
    ("select", "None"): "'none'",
    ("threshold", "None"): "'none'",
    ("weights", "None"): "'equal'",
}
_CONSTANTS = {"None": "NULL", "True": "TRUE", "False": "FALSE", "nan": "NA", "inf": "Inf", "-inf": "-Inf"}
# Functions with the same name in both languages.
_SAME = (
    "abilities",
    "bayes_correlated_t",
    "bayes_signed_rank",
    "cochran_q",
    "compare_methods",
    "comparison_intervals",
    "corrected_resampled_t",
    "couple",
    "cv5x2_f",
    "cv5x2_t",
    "detect_separation",
    "goodness_of_fit",
    "leaderboard",
    "nemenyi",
    "predict",
    "quasi_variances",
    "random_effects",
    "rank_tests",
    "stepwise",
    "summary",
    "variance_component",
    "winners",
)
_FUNCTIONS = {name: f"{name}()" for name in _SAME} | {
    "AdjacentCategories": "adjacent_categories()",
    "BradleyTerry": "bt()",
    "ContinuationRatio": "cratio()",
    "FirthLogit": "firth()",
    "FirthMNLogit": "firth_multinom()",
    "HybridClassifier": "hybrid()",
    "OrderedLogit": "ordered_logit()",
    "OrdinalHybridClassifier": "ordinal_hybrid()",
    "PairwiseClassifier": "pwc()",
    "PlackettLuce": "plackett_luce()",
    "RLearner": "R learner",
    "adjust": "adjust_p()",
    "conf_int": "confint()",
    "contrasts": "pairs()",
    "contrast": "compare_items()",
    "friedman": "friedman_ranks()",
    "from_comparisons": "bt(outcome, player1, player2)",
    "from_formula": "a formula",
    "largest": "largest = TRUE",
    "model.largest()": "largest = TRUE",
    "lr_test": "anova()",
    "simulate": "simulate()",
    "resid": "residuals()",
    "mcnemar": "mcnemar_pair()",
    "decision_function": "decision values",
    "predict_proba": "probabilities",
    "paired_t": "t.test(paired = TRUE)",
    "pairs_": "fit$pairs",
    "pairs_['error']": "fit$pairs$error",
    "parallel_test": "anova()",
    "pvalues": "anova()",
    "ranks": "rank_intervals()",
    "rename_axis('case')": "in a column case",
    "reset_index(drop=True)": "unname()",
    "scores.rename_axis('case')": "in a column case",
    "sign": "sign_pair()",
    ".to_numpy()": "unname()",
    "to_numpy": "unname()",
    "wald_test": "a Wald test with vcov()",
    "wilcoxon": "wilcoxon_pair()",
}


class RVocabulary(Vocabulary):
    """The names that the R package has for what messages refer to, with those of the function that R calls."""

    def __init__(self, function=None):
        self._parameters = _PARAMETERS | _OF_FUNCTION.get(getattr(function, "__name__", None), {})

    def parameter(self, name):
        """Name of a parameter, or what R has in its place."""
        return self._parameters.get(name, name)

    def setting(self, name, value):
        """A setting such as ``method = 'firth'``."""
        if name == "alpha":
            return f"level = {1.0 - float(value):.15g}"
        if name == "correction" and value in ("True", "False"):
            # The continuity correction of a test. Firth's models have a correction of the intercept.
            name = "correct"
        return f"{self.parameter(name)} = {_VALUES.get((name, value)) or self.literal(value)}"

    def literal(self, value):
        """A value as R writes it: numbers without ``.0``, lists as ``c(...)``, pairs of classes as ``a/b``."""
        if value in _CONSTANTS:
            return _CONSTANTS[value]
        try:
            x = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return value
        if isinstance(x, (int, float)):
            return f"{x:.15g}"
        if isinstance(x, tuple) and len(x) == 2:
            return "/".join(map(str, x))
        if isinstance(x, (list, tuple)):
            return f"c({', '.join(self.literal(repr(item)) for item in x)})"
        return value

    def function(self, name):
        """A function as ``name()``, or a call with its arguments as settings."""
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        try:
            call = ast.parse(name, mode="eval").body
        except SyntaxError:
            return name
        if not isinstance(call, ast.Call):
            return name
        function = ast.unparse(call.func)
        args = [self.literal(ast.unparse(arg)) for arg in call.args]
        args += [self.setting(keyword.arg, ast.unparse(keyword.value)) for keyword in call.keywords]
        return f"{_FUNCTIONS.get(function, function).removesuffix('()')}({', '.join(args)})"
