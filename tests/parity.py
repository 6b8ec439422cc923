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
