"""Parameters and tags of a classifier whose parameter `estimator` is one learner or several."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from pwcstats.errors import InputError
from pwcstats.pairwise.checks import refuse_params_of_default, refuse_unknown_candidate
from pwcstats.pairwise.learners import read_candidates


class WithCandidates(BaseEstimator):
    """The learners' parameters, by the names that grid searches use, and what the learners take."""

    estimator: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of this classifier and, with `deep`, of its learners.

        One learner's are called ``estimator__<param>``, a candidate's ``estimator__<name>__<param>``.
        """
        params = super().get_params(deep=deep)
        if deep and isinstance(self.estimator, (list, tuple, dict)):
            for name, learner in self._candidates().items():
                params[f"estimator__{name}"] = learner
                params |= {f"estimator__{name}__{key}": value for key, value in learner.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Any:
        """Set parameters by the names that :meth:`get_params` has."""
        estimator = params.pop("estimator", self.estimator)
        refuse_params_of_default(estimator, params)
        self.estimator = estimator
        if not isinstance(estimator, (list, tuple, dict)):
            return super().set_params(**params)
        inner = {key: value for key, value in params.items() if key.startswith("estimator__")}
        super().set_params(**{key: value for key, value in params.items() if key not in inner})
        candidates = self._candidates()
        for key, value in inner.items():
            name, _, option = key.removeprefix("estimator__").partition("__")
            refuse_unknown_candidate(name, candidates)
            if option:
                candidates[name].set_params(**{option: value})
            else:
                candidates[name] = value
        if any("__" not in key.removeprefix("estimator__") for key in inner):
            self.estimator = candidates
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(learner).input_tags for learner in self._candidates().values()]
        tags.input_tags.sparse = all(tag.sparse for tag in inner)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in inner)
        tags.input_tags.pairwise = any(tag.pairwise for tag in inner)
        return tags

    def _candidates(self) -> dict[str, Any]:
        """Learners by name; none where `estimator` is not what it should be, for fit to say so."""
        try:
            return read_candidates(self.estimator)
        except InputError:
            return {}
