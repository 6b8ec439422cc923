"""Make the data sets arena, battles and classifier_scores, which ship with both packages.

Usage: python tools/make_data.py [--directory pwcstats/datasets/data] [arena] [battles] [classifier_scores]

The votes are simulated; their seed and their parameters are below. `arena_population` computes what a Bradley-Terry
model estimates from very many such votes. The scores are measured, which takes three minutes and needs the packages of
constraints/data.txt. Run tools/make_r_data.R afterwards: it writes the same tables for R.
"""

import argparse
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).parents[1] / "pwcstats" / "datasets" / "data"


# Votes in an arena.

# A few seeds were tried. This one puts the models in the order of ABILITIES, as about 1 in 9 samples does.
SEED = 2
N_USERS = 160
N_VOTES = 3000
# Logarithms of odds, for users who read English. For all users, Hazel is better on average and Birch is worse, see
# BY_LANGUAGE.
ABILITIES = {
    "Alder": 0.35,
    "Birch": 1.10,
    "Cedar": -0.90,
    "Elm": 0.00,
    "Fir": -1.85,
    "Hazel": 0.80,
    "Juniper": -0.35,
    "Larch": 0.15,
    "Maple": 1.60,
    "Oak": -0.65,
    "Rowan": -1.50,
    "Willow": 1.25,
}
# How often an item is shown, compared with the others: two are new.
EXPOSURE = {"Larch": 0.5, "Willow": 0.4}
# The answer that is shown first has an advantage.
ORDER_EFFECT = 0.30
# Davidson's tie parameter, log(nu).
TIE = -0.6
# Standard deviation of the taste of a user for an item. Tastes add noise to the difference of two abilities, so a model
# without tastes estimates values that are about 20 % closer to 0; see arena_population.
TASTE = 0.9
LANGUAGES = {"English": 0.6, "German": 0.25, "Spanish": 0.15}
# What is added to abilities in a language.
BY_LANGUAGE = {("Hazel", "German"): 0.8, ("Birch", "Spanish"): -0.8}


def arena(seed: int = SEED) -> pd.DataFrame:
    """Votes of users with their own tastes, by Davidson's model with an order effect.

    Only uniform and normal numbers are drawn, whose streams do not depend on the version of NumPy.
    """
    rng = np.random.default_rng(seed)
    items = np.array(list(ABILITIES))
    languages = np.array(list(LANGUAGES))
    language = _draw(np.array(list(LANGUAGES.values())), rng.random(N_USERS))
    tastes = TASTE * rng.standard_normal((N_USERS, len(items)))
    abilities = np.array(list(ABILITIES.values())) + tastes
    for (item, spoken), effect in BY_LANGUAGE.items():
        abilities[np.ix_(languages[language] == spoken, items == item)] += effect
    # Every user votes at least once; a few vote often, most of them rarely.
    more = _draw(np.exp(rng.standard_normal(N_USERS)), rng.random(N_VOTES - N_USERS))
    user = np.sort(np.concatenate([np.arange(N_USERS), more]))
    exposure = np.array([EXPOSURE.get(item, 1.0) for item in items])
    pairs = np.argwhere(~np.eye(len(items), dtype=bool))
    first, second = pairs[_draw(exposure[pairs].prod(axis=1), rng.random(N_VOTES))].T
    difference = ORDER_EFFECT + abilities[user, first] - abilities[user, second]
    outcome = _draw_outcome(difference, TIE, rng.random(N_VOTES))
    return pd.DataFrame(
        {
            "user": [f"u{number + 1:03d}" for number in user],
            "language": languages[language[user]],
            "first": items[first],
            "second": items[second],
            "winner": np.array(["first", "second", "tie"])[outcome],
        }
    )


def arena_population() -> pd.Series:
    """What Davidson's model with an order effect estimates from very many votes of very many users.

    The probabilities of the outcomes are averaged over languages and tastes, exactly: the difference of two tastes is
    normal. The model is fitted to these probabilities.
    """
    from pwcstats import BradleyTerry

    points, weights = np.polynomial.hermite_e.hermegauss(60)
    tastes = TASTE * np.sqrt(2.0) * points
    weights = weights / weights.sum()
    rows = []
    for language, share in LANGUAGES.items():
        ability = {item: common + BY_LANGUAGE.get((item, language), 0.0) for item, common in ABILITIES.items()}
        for first, second in permutations(ABILITIES, 2):
            difference = ORDER_EFFECT + ability[first] - ability[second] + tastes
            odds = np.exp([difference / 2, -difference / 2, np.full(len(tastes), TIE)])
            shown = share * EXPOSURE.get(first, 1.0) * EXPOSURE.get(second, 1.0)
            for winner, chance in zip(("first", "second", "tie"), odds / odds.sum(axis=0) @ weights, strict=True):
                rows.append((first, second, winner, shown * chance))
    votes = pd.DataFrame(rows, columns=["first", "second", "winner", "weight"])
    model = BradleyTerry.from_comparisons(
        votes, first="first", second="second", winner="winner", tie="tie", weight="weight"
    )
    return model.fit(ties="davidson", order_effect=True, cov="none").params


def _draw(weights: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Indices that are drawn with these weights."""
    return np.searchsorted(np.cumsum(weights) / weights.sum(), uniform, side="right")


def _draw_outcome(difference: np.ndarray, tie: float, uniform: np.ndarray) -> np.ndarray:
    """Outcomes by Davidson's model: 0 if the first item wins, 1 if the second does, 2 for a tie."""
    odds = np.exp(np.column_stack([difference / 2, -difference / 2, np.full(len(difference), tie)]))
    return (uniform[:, None] > np.cumsum(odds, axis=1) / odds.sum(axis=1, keepdims=True)).sum(axis=1)


# Battles of answers that differ in length.

# 25 seeds were tried. With this one, Wren wins most of its votes, and a model with lengths puts the other nine models
# in the order of STRENGTHS, as about 1 in 5 samples does.
BATTLES_SEED = 8
N_BATTLES = 4000
N_VOTERS = 250
# Logarithms of odds between answers of the same length, for users who read English.
STRENGTHS = {
    "Crane": -0.20,
    "Dove": -0.90,
    "Eagle": 0.80,
    "Finch": -0.50,
    "Heron": 0.55,
    "Owl": 1.00,
    "Parrot": 0.30,
    "Raven": 0.20,
    "Swan": 0.00,
    "Wren": 0.40,
}
# Wren is new.
BATTLES_EXPOSURE = {"Wren": 0.006}
# Typical length of an answer, compared with the other models.
LENGTHS = {"Parrot": 2.2, "Owl": 0.7}
# What a longer answer adds: this number times the log ratio of the lengths.
LENGTH_EFFECT = 0.8
POSITION_EFFECT = 0.25
BATTLES_TIE = -0.5
BATTLES_TASTE = 0.8
# The share of ties that users call "both bad".
BOTH_BAD = 0.35
BATTLES_BY_LANGUAGE = {("Heron", "German"): 0.8, ("Raven", "Spanish"): -0.8}


def battles(seed: int = BATTLES_SEED) -> pd.DataFrame:
    """Votes in the form of public arena files, with the lengths of both answers."""
    rng = np.random.default_rng(seed)
    items = np.array(list(STRENGTHS))
    languages = np.array(list(LANGUAGES))
    language = _draw(np.array(list(LANGUAGES.values())), rng.random(N_VOTERS))
    strengths = np.array(list(STRENGTHS.values())) + BATTLES_TASTE * rng.standard_normal((N_VOTERS, len(items)))
    for (item, spoken), effect in BATTLES_BY_LANGUAGE.items():
        strengths[np.ix_(languages[language] == spoken, items == item)] += effect
    activity = np.exp(0.8 * rng.standard_normal(N_VOTERS))
    user = np.concatenate([np.arange(N_VOTERS), _draw(activity, rng.random(N_BATTLES - N_VOTERS))])
    user = user[np.argsort(rng.random(N_BATTLES), kind="stable")]
    exposure = np.array([BATTLES_EXPOSURE.get(item, 1.0) for item in items])
    pairs = np.argwhere(~np.eye(len(items), dtype=bool))
    first, second = pairs[_draw(exposure[pairs].prod(axis=1), rng.random(N_BATTLES))].T
    # Some questions need longer answers than others.
    question = 0.5 * rng.standard_normal(N_BATTLES)
    typical = 200.0 * np.array([LENGTHS.get(item, 1.0) for item in items])
    length_a, length_b = (
        np.round(typical[item] * np.exp(question + 0.4 * rng.standard_normal(N_BATTLES))).astype(int)
        for item in (first, second)
    )
    difference = strengths[user, first] - strengths[user, second]
    difference += POSITION_EFFECT + LENGTH_EFFECT * np.log(length_a / length_b)
    outcome = _draw_outcome(difference, BATTLES_TIE, rng.random(N_BATTLES))
    outcome += (outcome == 2) & (rng.random(N_BATTLES) < BOTH_BAD)
    return pd.DataFrame(
        {
            "user": [f"u{number + 1:03d}" for number in user],
            "language": languages[language[user]],
            "model_a": items[first],
            "model_b": items[second],
            "winner": np.array(["model_a", "model_b", "tie", "tie (bothbad)"])[outcome],
            "length_a": length_a,
            "length_b": length_b,
        }
    )


# Scores of classifiers.

DATASETS = [
    "breast_cancer",
    "digits",
    "iris",
    "letter",
    "penbased",
    "satimage",
    "segment",
    "vehicle",
    "vowel",
    "wine",
]


def classifier_scores() -> pd.DataFrame:
    """Accuracies of five classifiers on ten data sets, in two repeats of five folds."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    from pwcstats import benchmark

    methods = {
        "lda": LinearDiscriminantAnalysis(),
        "bayes": GaussianNB(),
        "svm": make_pipeline(StandardScaler(), SVC()),
        "forest": RandomForestClassifier(),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    }
    scores = benchmark(methods, DATASETS, repeats=2, cv=5)
    scores = scores[["method", "dataset", "repeat", "fold", "score"]]
    return scores.assign(repeat=scores["repeat"] + 1, fold=scores["fold"] + 1, score=scores["score"].round(4))


MAKERS = {"arena": arena, "battles": battles, "classifier_scores": classifier_scores}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", type=Path, default=DATA)
    parser.add_argument("name", nargs="*", choices=list(MAKERS), default=list(MAKERS))
    options = parser.parse_args()
    for name in options.name:
        MAKERS[name]().to_csv(options.directory / f"{name}.csv", index=False, lineterminator="\n")
