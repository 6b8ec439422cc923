"""Weighted graph Laplacians: solution of equations, inverse, and diagonal of the inverse.

The information about abilities is the Laplacian L of the comparison graph, where each pair is weighted by its variance.
L is singular, because only differences of abilities are identified. "The solution" is the one that sums to 0, and "the
inverse" is the Moore–Penrose inverse.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from pwcstats import _native
from pwcstats._kernels.blas import threads_for

Array = NDArray[np.float64]
Solve = Callable[[Array], Array]

# Up to this many items, a Cholesky factorisation is faster than conjugate gradients.
DENSE_ITEMS = 300
# Long thin graphs need more steps than this. For them, sparse elimination has little fill-in and is faster.
CG_STEPS = 1500
# If a graph has more items than this and is not thin, sparse elimination would need too much memory.
THIN_ITEMS, THIN_DEGREE = 10_000, 4
# Number of right-hand sides that are solved together: one cache line for each item.
BLOCK = _native.MOST_COLUMNS
# Below this reciprocal condition number, a Cholesky factor may have fewer than six correct digits in the weakest link.
# Elimination without subtraction is then better; it takes a few seconds for this many items.
ILL_CONDITIONED, SUBTRACTION_FREE_ITEMS = 1e-10, 1000
# For more items: below this reciprocal condition number, a factor may have fewer than three correct digits.
USELESS = 1e-13


class NotDefiniteError(ArithmeticError):
    """The Laplacian is singular to working precision on vectors that sum to 0."""


class Graph:
    """A comparison graph as lists of neighbours. Each method takes the weights of the pairs."""

    def __init__(self, first: NDArray[np.int32], second: NDArray[np.int32], n_items: int) -> None:
        self.first, self.second, self.n_items = first, second, n_items
        # The neighbours of item i are at start[i]..start[i + 1] - 1, beside the pairs in which they met i.
        self.start = np.empty(n_items + 1, np.int32)
        self.neighbour, self.pair = np.empty((2, 2 * len(first)), np.int32)
        _native.find_neighbours(first, second, self.start, self.neighbour, self.pair)
        # Allocated once: to allocate this much memory in every step would take longer than to fill it.
        self._edge = np.empty(2 * len(first))

    def _degrees(self, weight: Array) -> Array:
        """Sum of the weights of each item's pairs."""
        out = np.zeros(self.n_items)
        _native.add_to_items(self.first, self.second, weight, False, out)
        return out

    def _grounded(self, weight: Array) -> tuple[Array, Array, int]:
        """L without the row and column of one item, the ground, scaled to a unit diagonal; the scale; and the ground.

        The ground is the item of largest degree. The scaled matrix is then well conditioned, unless a whole group of
        items is joined to the rest by small weights only.
        """
        degree = self._degrees(weight)
        if not (degree.min() > 0.0 and degree.max() < np.inf):
            raise NotDefiniteError
        ground = int(degree.argmax())
        scale = 1.0 / np.sqrt(degree)
        out = np.eye(self.n_items - 1)
        _native.subtract_weights(self.first, self.second, weight, scale, ground, out)
        return out, _without(scale, ground), ground

    def _factor(self, weight: Array) -> tuple[Array, Array, int]:
        """Cholesky factor of the grounded Laplacian, its scale, and the ground; it must be well conditioned."""
        matrix, scale, ground = self._grounded(weight)
        # The diagonal is 1 and all other entries are negative, so this is the largest sum of absolute values.
        norm = 2.0 - float(matrix.sum(axis=0).min())
        factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
        least = ILL_CONDITIONED if self.n_items <= SUBTRACTION_FREE_ITEMS else USELESS
        if failed or lapack.dpocon(factor, norm, uplo="L")[0] < least:
            raise NotDefiniteError
        return factor, scale, ground

    def solver(self, weight: Array, tolerance: float) -> Solve:
        """A function that solves L x = b - mean(b) for b of shape (n_items,) or (n_items, m).

        It must not be used after the next call of this method, because both use the same memory for the weights.
        """
        if self.n_items <= DENSE_ITEMS:
            return self._dense_solver(weight)
        edge = np.take(weight, self.pair, out=self._edge, mode="clip")
        diagonal = self._degrees(weight)
        if not np.all(diagonal > 0.0):
            raise NotDefiniteError

        def solve(b: Array) -> Array:
            # The sum may differ from 0 by rounding; then L x = b would have no solution.
            columns = b.reshape(self.n_items, -1)
            columns = columns - columns.mean(axis=0)
            x = np.zeros(columns.shape)

            def block(first: int) -> bool:
                part = np.ascontiguousarray(columns[:, first : first + BLOCK])
                answer = np.zeros_like(part)
                done = _native.conjugate_gradients(
                    self.start, self.neighbour, edge, diagonal, part, tolerance, CG_STEPS, answer
                )
                x[:, first : first + BLOCK] = answer
                return done

            starts = range(0, columns.shape[1], BLOCK)
            if len(starts) == 1:
                done = block(0)
            else:
                with ThreadPoolExecutor() as pool:
                    done = all(pool.map(block, starts))
            if not done:
                if self.n_items > THIN_ITEMS and len(weight) > THIN_DEGREE * self.n_items:
                    raise NotDefiniteError
                x = self._eliminate(weight, columns)
            x -= x.mean(axis=0)
            return x.reshape(b.shape)

        return solve

    def _eliminate(self, weight: Array, b: Array) -> Array:
        """Solve by sparse factorisation, with the first item as ground."""
        n = self.n_items
        i, j = self.first, self.second
        rows, columns = np.concatenate([i, j, i, j]), np.concatenate([j, i, i, j])
        entries = np.concatenate([-weight, -weight, weight, weight])
        laplacian = coo_array((entries, (rows, columns)), shape=(n, n)).tocsc()
        try:
            factor = splu(laplacian[1:, 1:], permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0)
        except RuntimeError:
            raise NotDefiniteError from None
        x = np.zeros(b.shape)
        x[1:] = factor.solve(b[1:])
        return x

    def _dense_solver(self, weight: Array) -> Solve:
        try:
            with threads_for(self.n_items):
                factor, scale, ground = self._factor(weight)
        except NotDefiniteError:
            inverse, _ = self._inverse_without_subtraction(weight)
            return lambda b: inverse @ b
        column = scale[:, None]

        def solve(b: Array) -> Array:
            columns = b.reshape(self.n_items, -1)
            x = np.zeros(columns.shape)
            kept = _without(columns - columns.mean(axis=0), ground)
            with threads_for(len(factor)):
                solution, _ = lapack.dpotrs(factor, column * kept, lower=1)
            solution *= column
            x[:ground], x[ground + 1 :] = solution[:ground], solution[ground:]
            x -= x.mean(axis=0)
            return x.reshape(b.shape)

        return solve

    def inverse(self, weight: Array) -> tuple[Array, float]:
        """Moore–Penrose inverse, and the log determinant of L without one row and column (no matter which)."""
        try:
            with threads_for(self.n_items):
                factor, scale, ground = self._factor(weight)
                log_determinant = 2.0 * float(np.log(np.diagonal(factor)).sum() - np.log(scale).sum())
                inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        except NotDefiniteError:
            return self._inverse_without_subtraction(weight)
        inverse = inverse.T
        _native.mirror(inverse)
        inverse *= scale
        inverse *= scale[:, None]
        return _centred(inverse, ground), log_determinant

    def _inverse_without_subtraction(self, weight: Array) -> tuple[Array, float]:
        """`inverse` for weights of very different sizes.

        Eliminating item k from the graph joins its neighbours i and j by w_ik w_kj / sum_l w_kl (the star-mesh
        transform, or the elimination of Grassmann, Taksar and Heyman). Only positive numbers are added, multiplied and
        divided, so every entry has a small relative error, however small the weights are.
        """
        n = self.n_items
        if n > SUBTRACTION_FREE_ITEMS:
            raise NotDefiniteError
        joined = np.zeros((n, n))
        np.add.at(joined, (self.first, self.second), weight)
        joined += joined.T
        total = np.empty(n - 1)
        upper = np.eye(n - 1)
        for k in range(n - 1):
            row = joined[k, k + 1 :]
            total[k] = row.sum()
            if not (np.isfinite(total[k]) and total[k] > 0.0):
                raise NotDefiniteError
            share = row / total[k]
            joined[k + 1 :, k + 1 :] += row[:, None] * share
            upper[k, k + 1 :] = -share[:-1]
        half, _ = lapack.dtrtri(upper, unitdiag=1)
        return _centred((half / total) @ half.T, n - 1), float(np.log(total).sum())

    def diagonal_of_inverse(
        self, weight: Array, tolerance: float, n_draws: int, seed: int | None, ref: int | None
    ) -> tuple[Array, Array, Array]:
        """Estimate the diagonal of the inverse by random projections: estimates, their standard errors, and gaps.

        With L = D - A and 1'G = 0, G = D⁻¹ Π + D⁻¹ A Π D⁻¹ + D⁻¹ A G A D⁻¹, where Π subtracts the mean. Only the last
        term must be estimated, and it is small if items have many comparisons. For random signs e, g = B' W^½ e has
        covariance L, so x = G g has covariance G, and D⁻¹ A x = x - D⁻¹ g has the covariance of the last term.

        With `ref`, the gaps are the mean squares of x - x[ref], which estimate the variances of these differences. For
        items near `ref` they are better than the estimates that follow from the diagonal.
        """
        n = self.n_items
        solve = self.solver(weight, tolerance)
        degree = self._degrees(weight)
        total, squares, gaps = np.zeros((3, n))
        root = np.sqrt(weight)
        rng = np.random.default_rng(seed)
        for first in range(0, n_draws, 4 * BLOCK):
            columns = np.zeros((min(4 * BLOCK, n_draws - first), n))
            for column in columns:
                positive = rng.integers(0, 2, len(root), dtype=np.int8)
                _native.add_to_items(self.first, self.second, root * (2 * positive - 1), True, column)
            g = np.ascontiguousarray(columns.T)
            x = solve(g)
            y = (x - g / degree[:, None]) ** 2
            if ref is not None:
                gaps += ((x - x[ref]) ** 2).sum(axis=1)
            total += y.sum(axis=1)
            squares += (y**2).sum(axis=1)
        mean = total / n_draws
        spread = np.sqrt(np.maximum(squares / n_draws - mean**2, 0.0) / (n_draws - 1))
        return (1.0 - 2.0 / n) / degree + mean, spread, gaps / n_draws


def inverse_and_determinant(matrix: Array) -> tuple[Array, float]:
    """Inverse of a positive definite matrix and its log determinant; the matrix is overwritten."""
    # A C-ordered symmetric matrix equals its transpose, so LAPACK can work in place on the Fortran view.
    with threads_for(len(matrix)):
        factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
        if failed:
            raise NotDefiniteError
        log_determinant = 2.0 * float(np.log(np.diagonal(factor)).sum())
        inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    _native.mirror(inverse.T)
    return inverse.T, log_determinant


def _without(x: Array, row: int) -> Array:
    return np.concatenate([x[:row], x[row + 1 :]])


def _centred(grounded: Array, ground: int) -> Array:
    """The Moore–Penrose inverse of L, from the inverse of L without the row and column `ground`."""
    if not np.isfinite(grounded).all():
        raise NotDefiniteError
    n = len(grounded) + 1
    out = np.zeros((n, n))
    before, after = slice(None, ground), slice(ground + 1, None)
    for rows, source in ((before, slice(None, ground)), (after, slice(ground, None))):
        for columns, origin in ((before, slice(None, ground)), (after, slice(ground, None))):
            out[rows, columns] = grounded[source, origin]
    mean = out.mean(axis=0)
    out -= mean
    out -= (mean - mean.mean())[:, None]
    return out
