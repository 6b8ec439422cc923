"""Fits on a cluster of processes give the same results."""

import distributed
import joblib
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import PairwiseClassifier
from pwcstats.pairwise import plain

pytestmark = pytest.mark.one_environment


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


CLASSIFIERS = {
    "svc": PairwiseClassifier(SVC(), threshold="cv"),
    "candidates": PairwiseClassifier(
        {
            "log": make_pipeline(StandardScaler(), LogisticRegression(max_iter=50, tol=1e-2)),
            "nb": GaussianNB(var_smoothing=0.01),
            "forest": RandomForestClassifier(3),
        },
        random_state=1,
        calibration="sigmoid",
        calibration_cv=3,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("clf", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_a_cluster_gives_the_same_bits(client, clf):
    x, y = load_digits(return_X_y=True)
    x, y = x[:400], y[:400]
    here = clf.fit(x, y)
    want = here.predict_proba(x), here.pairs_.to_csv()
    tasks = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.transition_log))
    with joblib.parallel_config(backend="dask"):
        there = clf.fit(x, y)
    done = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.transition_log))
    assert done > tasks, "nothing ran on the cluster"
    np.testing.assert_array_equal(there.predict_proba(x), want[0])
    assert there.pairs_.to_csv() == want[1]


@pytest.mark.slow
@pytest.mark.usefixtures("client")
def test_the_data_are_sent_once(monkeypatch):
    sent = []

    def count(self, protocol):
        sent.append(self)
        return object.__reduce_ex__(self, protocol)

    monkeypatch.setattr(plain.Shared, "__reduce_ex__", count)
    x, y = load_digits(return_X_y=True)
    with joblib.parallel_config(backend="dask"):
        PairwiseClassifier(LogisticRegression(max_iter=5, tol=1.0)).fit(x[:300], y[:300])
    assert len(sent) == 1
