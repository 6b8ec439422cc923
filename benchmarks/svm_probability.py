"""Class probabilities of support vector machines: ours, LIBSVM's, and scikit-learn's calibrations, on new rows.

    python benchmarks/svm_probability.py [--quick] [--choose] [--splits N] [--jobs N] [--json FILE]

Data: 18 real sets, one of them texts, and 6 simulations with a known posterior, each with 100, 400 and 2,000 training
rows as far as it allows; a smaller set is used with two thirds of its rows. Columns are standardised by the training
rows, texts become tf-idf. There are 500 test rows, or half as many as training rows if that is more, or what is left.
The halves were fixed before the study: of the sorted names, every second set chooses, and the others confirm. Results
of three confirming sets (documents, segment, vehicle) were seen before the choice was final.

Learners: `SVC()`; for texts `LinearSVC()`. "ours" is `PairwiseClassifier(learner)`, "LIBSVM" is
`SVC(probability=True)`; for texts "Platt" is `PairwiseClassifier(LinearSVC(), calibration="sigmoid")`, which is
LIBSVM's method for another machine. "sigmoid", "isotonic" and "temperature" are `CalibratedClassifierCV` with this
method and its defaults. It needs five rows of each class; there is no number where it fails.

Scores: log loss (probabilities below 1e-15 count as this), Brier score (sum over classes), calibration error (of the
most probable class: 15 bins of equal width; mean over rows of the distance of accuracy and mean probability of the
bin), accuracy, and the Kullback-Leibler distance from a known posterior. Differences of log loss are tested by the
corrected resampled t-test (Nadeau and Bengio 2003), on simulated data by the paired t-test, as their splits are
independent. Holm's method adjusts for the number of sets and sizes.

The second table is about gradient boosting (`HistGradientBoostingClassifier`), directly and in pairs.

With --choose, all candidates are compared on the choosing half instead, from the same held-out scores of all pairs.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _probability_methods import pair_scores, probabilities
from _probability_sets import CHOOSING, CONFIRMING, TEXTS, make_problem, sizes_of
from joblib import Parallel, delayed, parallel_config
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.svm import SVC, LinearSVC

from pwcstats import PairwiseClassifier
from pwcstats.compare import adjust, corrected_resampled_t, paired_t

SPLITS = 10
N_BINS, SMALLEST = 15, 1e-15
SIGNIFICANT = 0.05
PEERS = ("sigmoid", "isotonic", "temperature")
# Gradient boosting takes long in many pairs.
BOOSTED = ("contraceptive", "dermatology", "iris", "newthyroid", "satimage", "segment", "vehicle", "wine")
BOOSTED_SIZES, BOOSTED_SPLITS = (100, 400), 3
QUICK, QUICK_BOOSTED, QUICK_SPLITS = ("digits", "iris", "dermatology", "vehicle", "wine"), ("iris", "vehicle"), 3
CELL = ["half", "set", "n"]
SCORES = ["log loss", "Brier", "calibration error", "accuracy", "KL"]


def svm_for(problem):
    return LinearSVC() if sparse.issparse(problem.x) else SVC()


def machines(problem):
    """The ways to probabilities of a support vector machine."""
    learner = svm_for(problem)
    ways = {"ours": PairwiseClassifier(learner)}
    if isinstance(learner, SVC):
        ways["LIBSVM"] = SVC(probability=True, random_state=problem.split)
    else:
        ways["Platt"] = PairwiseClassifier(learner, calibration="sigmoid")
    return ways | {method: CalibratedClassifierCV(learner, method=method) for method in PEERS}


def boosters(_):
    """Gradient boosting, directly and in pairs."""
    learner = HistGradientBoostingClassifier(random_state=0)
    return {
        "direct": learner,
        "direct, temperature": CalibratedClassifierCV(learner, method="temperature"),
        "pairs": PairwiseClassifier(learner),
        "pairs, temperature": PairwiseClassifier(learner, temperature=True),
        "pairs, Firth and temperature": PairwiseClassifier(learner, calibration="firth"),
    }


def scores(proba, problem):
    """The scores of the probabilities of the test rows."""
    truth, rows = problem.truth, np.arange(len(problem.truth))
    top = proba.max(axis=1)
    right = proba.argmax(axis=1) == truth
    bins = pd.DataFrame({"gap": right - top}).groupby(np.minimum((top * N_BINS).astype(int), N_BINS - 1))["gap"]
    log_p = np.log(np.maximum(proba, SMALLEST))
    found = {
        "log loss": -log_p[rows, truth].mean(),
        "Brier": ((proba - np.eye(proba.shape[1])[truth]) ** 2).sum(axis=1).mean(),
        "calibration error": bins.sum().abs().sum() / len(truth),
        "accuracy": right.mean(),
    }
    if problem.posterior is not None:
        true = problem.posterior
        found["KL"] = (true * (np.log(np.maximum(true, SMALLEST)) - log_p)).sum(axis=1).mean()
    return found


def fitted(ways, problem):
    """Probabilities of the test rows by each way that does not fail."""
    for way, model in ways.items():
        try:
            yield way, model.fit(problem.x, problem.y).predict_proba(problem.new)
        except ValueError:
            # CalibratedClassifierCV needs as many rows of each class as it has folds.
            if not isinstance(model, CalibratedClassifierCV) or np.bincount(problem.y).min() >= 5:
                raise


def candidates(problem):
    """Probabilities of the test rows by each candidate."""
    return probabilities(pair_scores(svm_for(problem), problem)).items()


KINDS = {
    "machines": lambda problem: fitted(machines(problem), problem),
    "boosters": lambda problem: fitted(boosters(problem), problem),
    "candidates": candidates,
}


def run(kind, name, n, split):
    """Rows of scores of one split."""
    problem = make_problem(name, n, split)
    if problem is None:
        return []
    half = "choosing" if name in CHOOSING else "confirming"
    about = {"half": half, "set": name, "n": n, "split": split, "test_fraction": problem.test_fraction}
    with warnings.catch_warnings():
        # Of probability=True, which scikit-learn 1.9 deprecates; of few rows in a class; of LinearSVC's iterations.
        warnings.simplefilter("ignore")
        return [{**about, "way": way, **scores(proba, problem)} for way, proba in KINDS[kind](problem)]


def run_all(kind, names, n_splits, n_jobs, sizes=None):
    """A frame of the scores of all splits."""
    # The longest first, so that no core is idle at the end.
    tasks = sorted(((n, name) for name in names for n in sizes_of(name) if sizes is None or n in sizes), reverse=True)
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        found = Parallel()(delayed(run)(kind, name, n, split) for n, name in tasks for split in range(n_splits))
    return pd.DataFrame([row for rows in found for row in rows]).sort_values([*CELL, "split"], kind="stable")


def tests(table, peer):
    """For each set and size: mean differences, ours - peer, and p-values, which Holm's method adjusts in each half.

    The "uncorrected" p-values ignore that the splits of a set overlap, and are too small.
    """
    rows = {}
    for cell, scored in table.groupby(CELL):
        row = rows[cell] = {}
        fraction = scored["test_fraction"].iloc[0]
        for score in ("log loss", "accuracy"):
            both = scored.pivot(index="split", columns="way", values=score).reindex(columns=["ours", peer]).dropna()
            if len(both) < 2:
                continue
            gaps = both["ours"] - both[peer]
            if np.ptp(gaps) <= 1e-12:
                # Few splits may have equal differences, for which there is no t-test.
                continue
            plain = paired_t(both["ours"], both[peer])
            # The draws of a simulation are independent.
            test = corrected_resampled_t(both["ours"], both[peer], test_fraction=fraction) if fraction else plain
            row |= {score: test.estimate, f"{score} p": test.p_value, f"{score} uncorrected p": plain.p_value}
    found = pd.DataFrame.from_dict(rows, orient="index").rename_axis(CELL).dropna()
    for column in found.filter(regex=" p$"):
        found[column] = found.groupby("half")[column].transform(adjust)
    return found


def of_sets(table, score):
    """Mean score of each way on each set, the sizes weighted equally."""
    means = table.pivot_table(index=CELL, columns="way", values=score)
    return means.dropna(axis=1, how="all").groupby(["half", "set"]).mean()


def counted(tested, score="log loss"):
    """On how many sets and sizes ours is lower and higher, and how many of the differences are significant."""
    sure = tested[f"{score} p"] < SIGNIFICANT
    lower, higher = tested[score] < 0, tested[score] > 0
    anyway = (higher & (tested[f"{score} uncorrected p"] < SIGNIFICANT)).sum()
    return (
        f"{score} lower on {lower.sum()} of {len(tested)} (significantly on {(lower & sure).sum()}), higher on "
        f"{higher.sum()} (significantly on {(higher & sure).sum()}; by the uncorrected test on {anyway})"
    )


def print_answers(table):
    """What the study was to find out."""
    rbf, texts = table[~table["set"].isin(TEXTS)], table[table["set"].isin(TEXTS)]
    print("Ours against each peer, by sets and sizes\n")
    for peer in ("LIBSVM", *PEERS):
        for half, tested in tests(rbf, peer).groupby("half"):
            print(f"SVC, {half} half, ours - {peer}: {counted(tested)}.")
            if peer == "LIBSVM":
                print(f"SVC, {half} half, ours - {peer}: {counted(tested, 'accuracy')}.")
                for score in ("log loss", "accuracy"):
                    ours, theirs = of_sets(rbf, score).loc[half, ["ours", peer]].mean()
                    print(
                        f"SVC, {half} half: mean {score} of all sets {ours:.4f}, LIBSVM's {theirs:.4f}: "
                        f"{100 * (ours / theirs - 1):+.1f} %."
                    )
    for peer in ("Platt", *PEERS) if len(texts) else ():
        for (_, name, n), row in tests(texts, peer).iterrows():
            print(f"LinearSVC, {name}, n = {n}, ours - {peer}: {row['log loss']:+.3f}, p = {row['log loss p']:.2g}.")


def print_means(table):
    """Log loss of all sets and sizes, and means of all scores over the sets of each half."""
    losses = table.pivot_table(index=CELL, columns="way", values="log loss")[table["way"].unique()]
    print(f"log loss\n\n{losses.to_string(float_format='{:.3f}'.format, na_rep='-')}\n")
    # Means of all ways over the same splits: those where no way fails.
    n_ways = table.groupby([*CELL, "split"])["way"].transform("nunique")
    full = table[n_ways == table["way"].nunique()]
    summary = pd.concat(
        {score: of_sets(full, score).groupby("half").mean() for score in SCORES if score in table}, names=["score"]
    )[losses.columns]
    print(f"means over sets, of the splits where no way fails\n\n{summary.to_string(float_format='{:.4f}'.format)}\n")


def print_candidates(table):
    """The candidates, the best first: relative to Platt's log loss, and means."""
    losses = table.pivot_table(index=CELL, columns="way", values="log loss")
    complete = losses.dropna()
    found = pd.DataFrame(
        {
            "log loss / Platt's": np.exp(np.log(complete.div(complete["Platt"], axis=0)).mean()),
            **{
                score: table.pivot_table(index=CELL, columns="way", values=score).reindex(complete.index).mean()
                for score in SCORES
                if score in table
            },
        }
    )
    found["best on"] = losses.idxmin(axis=1).value_counts().reindex(found.index, fill_value=0)
    found = found.sort_values("log loss / Platt's")
    print(f"{len(complete)} sets and sizes; the ratio is a geometric mean, the scores are means\n")
    print(found.to_string(float_format="{:.4f}".format), end="\n\n")
    print(f"log loss\n\n{losses.T.to_string(float_format='{:.3f}'.format, na_rep='-')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="five small sets and three splits")
    parser.add_argument("--choose", action="store_true", help="compare all candidates on the choosing half")
    parser.add_argument("--splits", type=int, help=f"number of splits ({SPLITS})")
    parser.add_argument("--jobs", type=int, default=-1, help="number of processes (all cores)")
    parser.add_argument("--json", type=Path, help="write the scores of all splits here too")
    options = parser.parse_args()
    n_splits = options.splits or (QUICK_SPLITS if options.quick else SPLITS)
    names = QUICK if options.quick else (*CHOOSING, *CONFIRMING)
    if options.choose:
        names = [name for name in names if name in CHOOSING]
        written = {"candidates": run_all("candidates", names, n_splits, options.jobs)}
        print_candidates(written["candidates"])
    else:
        svm = run_all("machines", names, n_splits, options.jobs)
        print(f"{n_splits} splits. Support vector machines, RBF kernel\n")
        print_means(svm[~svm["set"].isin(TEXTS)])
        if svm["set"].isin(TEXTS).any():
            print("Linear support vector machines, texts\n")
            print_means(svm[svm["set"].isin(TEXTS)])
        boosted = QUICK_BOOSTED if options.quick else BOOSTED
        trees = run_all("boosters", boosted, min(n_splits, BOOSTED_SPLITS), options.jobs, BOOSTED_SIZES)
        print("Gradient boosting\n")
        print_means(trees)
        print_answers(svm)
        written = {"machines": svm, "boosters": trees}
    if options.json:
        kept = {kind: json.loads(table.to_json(orient="records")) for kind, table in written.items()}
        options.json.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
