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
        1e-6,
        "both iterate to machine precision; BTm warns about fractional wins",
    ),
    "e1071": Agreement(
        'couple(r, "wlw2", condensed=True)',
        'attr(predict(e1071::svm(...), x, probability = TRUE), "probabilities")',
        2e-3,
        "LIBSVM stops its iteration at 0.005 / K; ours is the exact minimum",
    ),
    "kernlab minpair": Agreement('couple(r, "wlw2")', 'kernlab::couple(r, "minpair"), K = 3', 1e-6, "wrong for K >= 4"),
    "kernlab pkpd": Agreement('couple(r, "pkpd")', 'kernlab::couple(r, "pkpd"), K = 3', 1e-6, "wrong for K >= 4"),
}
