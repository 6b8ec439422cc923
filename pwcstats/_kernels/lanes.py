"""Vectors of one number per sample (lanes): kernels compute `LANES` samples at once.

``x = load(block, row)`` reads a row of a C-ordered (rows, LANES) array, and ``store(block, row, x)`` writes it.
``+ - * /``, ``min`` and ``max`` work lane by lane, also with plain numbers. The compiler keeps such vectors in vector
registers. (It would vectorise few loops over lanes, because it must assume that a store to one array changes another.)
Lanes do not depend on each other, so that the result of a sample is bit-identical whatever the other samples are.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, models, overload, register_model

LANES = 16

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
# x * y + z may be rounded once, which is faster and at least as accurate.
_FUSED = ("contract",)


def compiled(function: Any) -> Any:
    """Compile a function without the GIL and with IEEE division; cache it on disk if possible."""
    try:
        return njit(nogil=True, cache=True, error_model="numpy")(function)
    except RuntimeError:  # numba has no writable folder
        return njit(nogil=True, error_model="numpy")(function)


class _Lanes(types.Type):
    def __init__(self) -> None:
        super().__init__(name=f"Lanes({LANES})")


_lanes = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _VECTOR)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of a row, from the first two arguments (array, row)."""
    array_type, row_type = signature.args[:2]
    data = context.make_array(array_type)(context, builder, arguments[0]).data
    row = context.cast(builder, arguments[1], row_type, types.intp)
    first = builder.mul(row, ir.Constant(row.type, LANES))
    return builder.bitcast(builder.gep(data, [first]), _VECTOR.as_pointer())


def _check_rows(array: Any) -> None:
    if not (
        isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C" and array.dtype == types.float64
    ):
        raise TypeError(f"lanes are rows of C-ordered 2-d float64 arrays, not of {array}")


@intrinsic
def load(_context, array, row):
    """Row of a (rows, LANES) array."""
    _check_rows(array)

    def generate(context, builder, signature, arguments):
        return builder.load(_pointer(context, builder, signature, arguments), align=8)

    return _lanes(array, row), generate


@intrinsic
def store(_context, array, row, value):
    """Write lanes to a row of a (rows, LANES) array."""
    _check_rows(array)

    def generate(context, builder, signature, arguments):
        builder.store(arguments[2], _pointer(context, builder, signature, arguments), align=8)
        return context.get_dummy_value()

    return types.void(array, row, _lanes), generate


@intrinsic
def splat(_context, number):
    """The same number in all lanes."""

    def generate(context, builder, signature, arguments):
        scalar = context.cast(builder, arguments[0], signature.args[0], types.float64)
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        index = ir.IntType(32)
        one = builder.insert_element(nothing, scalar, ir.Constant(index, 0))
        return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(index, LANES), [0] * LANES))

    return _lanes(number), generate


@intrinsic
def where_positive(_context, test, yes, no):
    """`yes` in the lanes where `test` > 0, else `no`."""

    def generate(_context, builder, _signature, arguments):
        test, yes, no = arguments
        return builder.select(builder.fcmp_ordered(">", test, ir.Constant(_VECTOR, [0.0] * LANES)), yes, no)

    return _lanes(_lanes, _lanes, _lanes), generate


@intrinsic
def any_positive(_context, test):
    """Whether some lane is > 0."""

    def generate(_context, builder, _signature, arguments):
        positive = builder.fcmp_ordered(">", arguments[0], ir.Constant(_VECTOR, [0.0] * LANES))
        bits = builder.bitcast(positive, ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(_lanes), generate


@intrinsic
def rounded_product(_context, a, b):
    """Product that is rounded before it is used, for numbers that must cancel exactly."""
    return _lanes(_lanes, _lanes), lambda _context, builder, _signature, arguments: builder.fmul(*arguments)


def _register(symbol: Any, instruction: Callable[[Any, Any, Any], Any]) -> None:
    """Make an operator work on lanes, and on lanes and a number."""

    @intrinsic
    def apply(_context, a, b):
        return _lanes(a, b), lambda _context, builder, _signature, arguments: instruction(builder, *arguments)

    @overload(symbol)
    def choose(a, b):
        if a is _lanes and b is _lanes:
            return lambda a, b: apply(a, b)
        if a is _lanes and isinstance(b, types.Number):
            return lambda a, b: apply(a, splat(b))
        if b is _lanes and isinstance(a, types.Number):
            return lambda a, b: apply(splat(a), b)
        return None


_register(operator.add, lambda builder, a, b: builder.fadd(a, b, flags=_FUSED))
_register(operator.sub, lambda builder, a, b: builder.fsub(a, b, flags=_FUSED))
_register(operator.mul, lambda builder, a, b: builder.fmul(a, b, flags=_FUSED))
_register(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))
_register(min, lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))
_register(max, lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))


@compiled
def empty_rows(n_rows):
    """A (n_rows, LANES) array whose rows start at a cache line: a load across two lines would take twice as long."""
    line = 8
    buffer = np.empty(n_rows * LANES + line)
    skip = (-(buffer.ctypes.data // 8)) % line
    return buffer[skip : skip + n_rows * LANES].reshape((n_rows, LANES))


@compiled
def add_products(a, out, out_step, n_out, factor, factor_step, term, term_step, term_out_step, n_terms):
    """a[out + i out_step] += sum_m a[factor + m factor_step] a[term + m term_step + i term_out_step], i < n_out.

    This is the innermost loop of every elimination. Four results at a time share each factor that is loaded.
    """
    four = n_out - n_out % 4
    for i in range(0, four, 4):
        x0 = load(a, out + i * out_step)
        x1 = load(a, out + (i + 1) * out_step)
        x2 = load(a, out + (i + 2) * out_step)
        x3 = load(a, out + (i + 3) * out_step)
        for m in range(n_terms):
            f = load(a, factor + m * factor_step)
            first = term + m * term_step + i * term_out_step
            x0 = x0 + f * load(a, first)
            x1 = x1 + f * load(a, first + term_out_step)
            x2 = x2 + f * load(a, first + 2 * term_out_step)
            x3 = x3 + f * load(a, first + 3 * term_out_step)
        store(a, out + i * out_step, x0)
        store(a, out + (i + 1) * out_step, x1)
        store(a, out + (i + 2) * out_step, x2)
        store(a, out + (i + 3) * out_step, x3)
    for i in range(four, n_out):
        x = load(a, out + i * out_step)
        for m in range(n_terms):
            x = x + load(a, factor + m * factor_step) * load(a, term + m * term_step + i * term_out_step)
        store(a, out + i * out_step, x)
