"""FLIC and FLAC: Firth's logistic regression with predictions that are right on average (Puhr et al. 2017)."""

from typing import TYPE_CHECKING

import numpy as np

from pwcstats._arrays import Array
from pwcstats.logit.likelihood import MultinomialLikelihood, Point

if TYPE_CHECKING:
    from pwcstats.logit.firth import FirthLogit


def flic(model: "FirthLogit", beta: Array, _: Point) -> tuple[Array, Array]:
    """Intercept by maximum likelihood, the other coefficients as they are."""
    likelihood = model._make_likelihood(False)
    held = np.arange(len(beta)) != model._constant
    point = likelihood.maximise(beta, held).point
    corrected = np.where(held, beta, likelihood.beta(point.params))
    return corrected, likelihood.cov(point)


def flac(model: "FirthLogit", beta: Array, point: Point) -> tuple[Array, Array]:
    """Maximum likelihood on the data and their pseudo-observations, which have an indicator of their own.

    Firth's penalty is as good as a second and a third copy of the data, one of them with the other outcome, with half
    the leverages as weights.
    """
    likelihood = model._likelihood
    p = point.probability[:, 0]
    leverage = likelihood.weight * p * (1.0 - p) * np.einsum(
        "ij,jk,ik->i", likelihood.root, np.linalg.inv(point.information), likelihood.root
    )  # fmt: skip
    x = model.exog[model._weight > 0.0]
    augmented = MultinomialLikelihood(
        np.column_stack([np.tile(x, (3, 1)), np.repeat([0.0, 1.0, 1.0], len(x))]),
        np.concatenate([likelihood.code, likelihood.code, 1 - likelihood.code]),
        np.concatenate([likelihood.weight, leverage / 2.0, leverage / 2.0]),
        np.tile(likelihood.offset, 3),
        2,
        False,
        [*model.exog_names, "pseudo-observations"],
    )
    corrected = augmented.maximise(np.append(beta, 0.0)).point
    return augmented.beta(corrected.params)[:-1], augmented.cov(corrected)[:-1, :-1]


CORRECTIONS = {"flic": flic, "flac": flac}
