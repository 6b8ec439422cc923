"""The table of R functions that `RClassifier` knows. A new function is a row of `RECIPES`."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["RECIPES", "Recipe"]


@dataclass(frozen=True)
class Recipe:
    """How to fit a classifier of R, and how to ask it for probabilities.

    Attributes
    ----------
    prob : str
        R code of a function of the model and new rows. It returns a matrix with one column for each class.
    args : dict
        Arguments of the fit that probabilities need, or that stop it from printing.
    weights : str, optional
        The argument that takes weights of the rows.
    missing : bool
        Whether the function uses rows with missing values.
    fit : str, optional
        R code of a function of the rows, the classes and arguments, weights too. By default the R function gets the
        formula ``y ~ .`` and a data frame.
    """

    prob: str
    args: dict[str, Any] = field(default_factory=dict)
    weights: str | None = None
    missing: bool = False
    fit: str | None = None


def _predict(arguments: str = "", of: str = "stats", part: str = "") -> str:
    """R code that calls predict() with these arguments, and takes a part of the answer."""
    return f"function(model, x, ...) {of}::predict(model, as.data.frame(x), {arguments}...){part}"


# knn() returns the share of votes of the winner only. So each class stands against the others; ties do not matter.
KNN = """function(model, x) {
  shares <- vapply(levels(model$y), function(level) {
    votes <- do.call(class::knn, c(list(model$x, x, model$y == level, prob = TRUE), model$options))
    share <- attr(votes, "prob")
    ifelse(votes == "TRUE", share, 1 - share)
  }, numeric(nrow(x)))
  matrix(shares, nrow(x))
}"""

RECIPES = {
    "class::knn": Recipe(KNN, fit="function(x, y, ...) list(x = x, y = y, options = list(...))"),
    "e1071::naiveBayes": Recipe(_predict('type = "raw", '), missing=True),
    "e1071::svm": Recipe(
        "function(model, x, ...) "
        'attr(stats::predict(model, as.data.frame(x), probability = TRUE, ...), "probabilities")',
        {"probability": True},
    ),
    "ipred::bagging": Recipe(_predict('type = "prob", '), missing=True),
    "kernlab::ksvm": Recipe(_predict('type = "probabilities", ', of="kernlab"), {"prob.model": True}),
    "MASS::lda": Recipe(_predict(part="$posterior")),
    "MASS::qda": Recipe(_predict(part="$posterior")),
    "nnet::multinom": Recipe(_predict('type = "probs", '), {"trace": False}, weights="weights"),
    "nnet::nnet": Recipe(_predict('type = "raw", '), {"trace": False}, weights="weights"),
    # Its formula does not take all column names.
    "ranger::ranger": Recipe(
        _predict(part="$predictions"),
        {"probability": True},
        weights="case.weights",
        fit="function(x, y, ...) ranger::ranger(x = as.data.frame(x), y = y, ...)",
    ),
    "rpart::rpart": Recipe(_predict('type = "prob", '), {"method": "class"}, weights="weights", missing=True),
}
