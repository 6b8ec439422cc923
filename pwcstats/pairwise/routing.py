"""Metadata routing: where sample weights, groups and other metadata of a fit go."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing

from pwcstats.errors import PwcWarning, arg, warn
from pwcstats.pairwise.learners import last_step, weight_parameter


class Routed(NamedTuple):
    """Parameters of each candidate's fit, of the two splitters, and of the scorer."""

    fits: dict[str, dict[str, Any]]
    selection_splitter: dict[str, Any]
    calibration_splitter: dict[str, Any]
    scorer: dict[str, Any]


# The parts besides candidates that may request metadata, and by which method.
_PARTS = {"selection_splitter": "split", "calibration_splitter": "split", "scorer": "score"}


def make_router(clf: Any, candidates: Mapping[str, Any]) -> MetadataRouter:
    """The router: learners request metadata of fit; splitters and the scorer do if they are objects that can."""
    router = MetadataRouter(owner=clf).add_self_request(clf)
    fit = MethodMapping().add(caller="fit", callee="fit")
    router.add(method_mapping=fit, **{f"estimator__{name}": learner for name, learner in candidates.items()})
    for (name, callee), part in zip(_PARTS.items(), (clf.selection_cv, clf.calibration_cv, clf.scoring), strict=True):
        if hasattr(part, "get_metadata_routing"):
            router.add(method_mapping=MethodMapping().add(caller="fit", callee=callee), **{name: part})
    return router


def route(clf: Any, candidates: Mapping[str, Any], sample_weight: Any, fit_params: dict[str, Any]) -> Routed:
    """Route by requests if scikit-learn's routing is enabled; else groups go to splitters, the rest to all learners."""
    if _routing_enabled():
        given = fit_params if sample_weight is None else {**fit_params, "sample_weight": sample_weight}
        routed = process_routing(clf, "fit", **given)
        fits = {name: dict(routed[f"estimator__{name}"].fit) for name in candidates}
        # Do not use `in`: if nothing was given, scikit-learn's result has an entry for every name, and `in` never ends.
        return Routed(fits, *(dict(routed.get(name, {}).get(method, {})) for name, method in _PARTS.items()))
    rest = dict(fit_params)
    groups = {"groups": rest.pop("groups")} if "groups" in rest else {}
    fits = {name: dict(rest) for name in candidates}
    if sample_weight is not None:
        for name, learner in candidates.items():
            key = weight_parameter(learner)
            if key is not None:
                fits[name].setdefault(key, np.asarray(sample_weight, dtype=np.float64))
            else:
                # A warning, not its text: users' filters are compared with the rendered message.
                warning = PwcWarning(
                    f"{name} ({type(last_step(learner)).__name__}) takes no {arg('sample_weight')}, so its fits ignore "
                    "the weights; they count only in the weights of pairs, sigmoids and thresholds. Choose learners "
                    "that take weights."
                )
                warn(warning)
    return Routed(fits, groups, groups, {})
