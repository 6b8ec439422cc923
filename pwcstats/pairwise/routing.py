"""Where sample weights, groups and other metadata of a fit go."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing
from sklearn.utils.validation import has_fit_parameter

from pwcstats.pairwise.checks import no_weights

PARTS = {"selection_splitter": "split", "calibration_splitter": "split", "scorer": "score"}


class Routed(NamedTuple):
    """Parameters of each candidate's fit, of the two splitters, and of the scorer."""

    fits: dict[str, dict[str, Any]]
    selection_splitter: dict[str, Any]
    calibration_splitter: dict[str, Any]
    scorer: dict[str, Any]


def make_router(clf: Any, candidates: dict[str, Any]) -> MetadataRouter:
    """Learners ask for metadata of fit; splitters and the scorer do where they are objects that can ask."""
    router = MetadataRouter(owner=clf).add_self_request(clf)
    fit = MethodMapping().add(caller="fit", callee="fit")
    router.add(method_mapping=fit, **{_place(name): learner for name, learner in candidates.items()})
    for (name, callee), part in zip(PARTS.items(), (clf.selection_cv, clf.calibration_cv, clf.scoring), strict=True):
        if hasattr(part, "get_metadata_routing"):
            router.add(method_mapping=MethodMapping().add(caller="fit", callee=callee), **{name: part})
    return router


def route(clf: Any, candidates: dict[str, Any], sample_weight: Any, fit_params: dict[str, Any]) -> Routed:
    """By requests where scikit-learn's routing is enabled; else groups to splitters, and the rest to all learners."""
    if _routing_enabled():
        given = fit_params if sample_weight is None else {**fit_params, "sample_weight": sample_weight}
        routed = process_routing(clf, "fit", **given)
        fits = {name: dict(routed[_place(name)].fit) for name in candidates}
        # `in` would not end: what comes back where nothing is given has an answer for every name.
        return Routed(fits, *(dict(routed.get(name, {}).get(method, {})) for name, method in PARTS.items()))
    rest = dict(fit_params)
    groups = {"groups": rest.pop("groups")} if "groups" in rest else {}
    fits = {name: dict(rest) for name in candidates}
    if sample_weight is not None:
        for name, learner in candidates.items():
            if has_fit_parameter(learner, "sample_weight"):
                fits[name]["sample_weight"] = np.asarray(sample_weight, dtype=np.float64)
            else:
                warnings.warn(no_weights(name, learner), UserWarning, stacklevel=3)
    return Routed(fits, groups, groups, {})


def _place(name: str) -> str:
    """A candidate's name that no other part has."""
    return f"estimator__{name}"
