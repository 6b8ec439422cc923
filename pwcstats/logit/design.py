"""Columns of a design, and sums of their products."""

from collections.abc import Iterator
from functools import cache, cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array

# Numbers in a block of rows, which stays in the cache, and in the products of columns that are kept in memory (16 MB).
BLOCK, MOST_PRODUCTS = 2**16, 2**21


class Design:
    """Columns, and sums of their products over the rows."""

    def __init__(self, x: Array) -> None:
        # Columns are contiguous, because they are longer than rows.
        self.x = np.asfortranarray(x)
        self._blocks = _blocks(*x.shape)

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: kept for name, kept in vars(self).items() if name not in ("products", "outcome_sign", "signed_weight")
        }

    def gram(self, weight: Array) -> Array:
        """X' diag(w) X for each row w of `weight`; a single row must not be negative."""
        if len(weight) == 1:
            return self.single_gram(weight[0])[None]
        sums = (weight[:, rows] @ products.T for rows, products in self._product_blocks())
        return reduce(np.add, sums)[:, pairs(self.x.shape[1])[2]]

    def single_gram(self, weight: Array) -> Array:
        """X' diag(w) X for weights w that are not negative."""
        root, columns = np.sqrt(weight), self.x.T
        if len(self._blocks) == 1:
            scaled = columns * root
            return scaled @ scaled.T
        return reduce(np.add, (z @ z.T for z in (columns[:, rows] * root[rows] for rows in self._blocks)))

    def forms(self, matrices: Array) -> Array:
        """Quadratic forms x'A x of each matrix A and each row x."""
        n, p = self.x.shape
        out = np.empty((len(matrices), n))
        if len(matrices) == 1:
            for rows in self._blocks:
                columns = self.x.T[:, rows]
                np.einsum("ji,ji->i", matrices[0].T @ columns, columns, out=out[0, rows])
            return out
        first, second, _ = pairs(p)
        twice = matrices[:, first, second] + matrices[:, second, first]
        coefficients = np.where(first == second, 0.5 * twice, twice)
        for rows, products in self._product_blocks():
            np.matmul(coefficients, products, out=out[:, rows])
        return out

    def squares(self, root: Array) -> Array:
        """|A x|² for a matrix A and each row x."""
        out = np.empty(len(self.x))
        for rows in self._blocks:
            turned = root @ self.x.T[:, rows]
            turned *= turned
            np.add.reduce(turned, axis=0, out=out[rows])
        return out

    def _product_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Blocks of rows, and the products of their columns (pairs of columns x rows).

        With these, sums and forms for many weights or matrices are one product of matrices.
        """
        n, p = self.x.shape
        n_pairs = p * (p + 1) // 2
        if n * n_pairs <= MOST_PRODUCTS:
            yield slice(0, n), self.products
        else:
            for rows in _blocks(n, n_pairs):
                yield rows, _products(self.x[rows])

    @cached_property
    def products(self) -> Array:
        """Products of all pairs of columns."""
        return _products(self.x)


@cache
def pairs(p: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """First and second column of each pair, and the pair of any two columns."""
    first, second = np.triu_indices(p)
    pair = np.empty((p, p), np.int64)
    pair[first, second] = pair[second, first] = np.arange(len(first))
    return first, second, pair


def _products(x: Array) -> Array:
    """Products of all pairs of columns, in the order of `pairs`."""
    n, p = x.shape
    columns = x.T
    out = np.empty((p * (p + 1) // 2, n))
    start = 0
    for k in range(p):
        np.multiply(columns[k:], columns[k], out=out[start : start + p - k])
        start += p - k
    return out


def _blocks(n: int, width: int) -> list[slice]:
    """Blocks of rows that stay in the cache, if a row has this many numbers."""
    size = max(BLOCK // max(width, 1), 1)
    return [slice(start, start + size) for start in range(0, n, size)]
