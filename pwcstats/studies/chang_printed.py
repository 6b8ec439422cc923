"""Chang (2003): the numbers in print."""

import numpy as np

__all__ = [
    "COUNTS", "OVERLAP", "PAPER_1", "PAPER_2", "PAPER_3", "PAPER_4", "PAPER_5", "SCORES", "called_positive",
]  # fmt: skip

# Here the groups overlap so much that the threshold decides.
OVERLAP = 1.0

# Of 800 negative and 200 positive test cases.
COUNTS = ("true negatives", "false positives", "false negatives", "true positives", "accuracy (%)")
# Table 1: the counts and the accuracy, by d and method.
PAPER_1 = {
    (0.5, "hybrid"): (659, 141, 150, 50, 70.9),
    (0.5, "SVM R"): (765, 35, 195, 5, 77.0),
    (0.5, "SVM L"): (800, 0, 200, 0, 80.0),
    (1.0, "hybrid"): (710, 90, 147, 53, 76.3),
    (1.0, "SVM R"): (779, 21, 185, 15, 79.4),
    (1.5, "hybrid"): (710, 90, 100, 100, 81.0),
    (1.5, "SVM R"): (769, 31, 147, 26, 79.5),
    (2.0, "hybrid"): (741, 59, 50, 150, 89.1),
    (2.0, "SVM R"): (750, 50, 68, 132, 88.2),
    (3.0, "hybrid"): (788, 12, 13, 187, 97.5),
    (3.0, "SVM R"): (794, 6, 18, 182, 97.6),
    (4.0, "hybrid"): (798, 2, 2, 198, 99.6),
    (4.0, "SVM R"): (799, 1, 2, 198, 99.7),
    (4.5, "hybrid"): (800, 0, 1, 199, 99.9),
    (4.5, "SVM R"): (800, 0, 2, 198, 99.8),
}
# Table 2: the same with k-means clusters. (In print false negatives come before false positives.)
PAPER_2 = {
    (0.5, "hybrid k=3"): (708, 92, 168, 32, 74.0),
    (0.5, "hybrid k=4"): (711, 89, 164, 36, 74.7),
    (0.5, "hybrid k=5"): (691, 109, 159, 41, 73.2),
    (1.0, "hybrid k=3"): (682, 118, 137, 63, 74.5),
    (1.0, "hybrid k=4"): (668, 132, 121, 79, 74.7),
    (1.0, "hybrid k=5"): (658, 142, 136, 64, 72.2),
    (1.5, "hybrid k=3"): (704, 96, 96, 104, 80.8),
    (1.5, "hybrid k=4"): (715, 85, 86, 114, 82.9),
    (1.5, "hybrid k=5"): (708, 92, 92, 108, 81.6),
    (2.0, "hybrid k=3"): (739, 61, 65, 135, 87.4),
    (2.0, "hybrid k=4"): (739, 61, 60, 140, 87.9),
    (2.0, "hybrid k=5"): (736, 64, 56, 144, 88.0),
    (3.0, "hybrid k=3"): (777, 23, 23, 177, 95.4),
    (3.0, "hybrid k=4"): (784, 16, 15, 185, 96.9),
    (3.0, "hybrid k=5"): (785, 15, 14, 186, 97.1),
    (4.0, "hybrid k=3"): (794, 6, 5, 195, 98.9),
    (4.0, "hybrid k=4"): (799, 1, 1, 199, 99.8),
    (4.0, "hybrid k=5"): (799, 1, 0, 200, 99.9),
}
SCORES = ("accuracy", "precision", "recall", "F")
# Table 3, by d and group.
PAPER_3 = {
    (0.5, 0): (0.802, 0.506, 0.420, 0.459),
    (0.5, 1): (0.513, 0.268, 0.830, 0.405),
    (0.5, 2): (0.351, 0.218, 0.870, 0.349),
    (0.5, 3): (0.719, 0.245, 0.195, 0.217),
    (0.5, 4): (0.815, 0.506, 0.420, 0.459),
    (2.0, 0): (0.954, 0.881, 0.890, 0.886),
    (2.0, 1): (0.877, 0.671, 0.755, 0.711),
    (2.0, 2): (0.862, 0.642, 0.700, 0.670),
    (2.0, 3): (0.873, 0.657, 0.765, 0.707),
    (2.0, 4): (0.945, 0.901, 0.815, 0.856),
    (4.0, 0): (0.991, 0.980, 0.975, 0.977),
    (4.0, 1): (0.978, 0.932, 0.960, 0.946),
    (4.0, 2): (0.980, 0.946, 0.955, 0.951),
    (4.0, 3): (0.984, 0.947, 0.975, 0.961),
    (4.0, 4): (0.991, 0.970, 0.985, 0.978),
}
# Table 4, of ten folds: true and false positives, false and true negatives (positive is benign), and the accuracy,
# which is called precision there.
PAPER_4 = (
    (35, 0, 1, 21, 0.983),
    (35, 1, 1, 20, 0.965),
    (36, 1, 0, 20, 0.983),
    (36, 1, 0, 20, 0.983),
    (36, 0, 0, 21, 1.000),
    (36, 0, 0, 21, 1.000),
    (33, 2, 2, 19, 0.927),
    (35, 0, 0, 21, 1.000),
    (35, 0, 0, 22, 1.000),
    (36, 1, 0, 21, 0.983),
)
# Table 5: digits in rows, what they were taken for in columns.
PAPER_5 = np.array(
    [
        [349, 0, 8, 0, 0, 0, 0, 0, 6, 0],
        [0, 353, 9, 0, 1, 0, 0, 1, 0, 0],
        [0, 2, 362, 0, 0, 0, 0, 0, 0, 0],
        [0, 3, 0, 331, 0, 0, 0, 0, 0, 2],
        [0, 3, 0, 0, 361, 0, 0, 0, 0, 0],
        [0, 1, 0, 5, 0, 328, 0, 0, 0, 1],
        [1, 0, 0, 0, 0, 0, 335, 0, 0, 0],
        [0, 18, 0, 0, 2, 0, 2, 342, 0, 0],
        [1, 0, 0, 0, 0, 2, 0, 0, 333, 0],
        [0, 4, 0, 0, 0, 0, 0, 2, 1, 329],
    ]
)


def called_positive(d: float, method: str) -> int:
    """How many test cases the paper's hybrid calls positive; 0 where it has no such row."""
    row = (PAPER_1 | PAPER_2).get((d, method), (0,) * 5)
    return int(row[1] + row[3])
