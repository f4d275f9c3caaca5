"""Where the next byte of a kind stands, eight bytes a step.

Most of a page is passed over: scripts, comments, the values of attributes that say nothing. To look at eight bytes in
one number, numba must be told to load them from an address that is no multiple of eight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, u64

_ONES: int = u64(0x0101010101010101)
_HIGHS: int = u64(0x8080808080808080)


def _primitive(generator: Callable[..., Any]) -> Callable[..., Any]:
    """An operation that is given in the compiler's own language; its first parameter is not passed by callers."""
    made: Callable[..., Any] = intrinsic(generator)
    return made


@_primitive
def _eight_bytes(typing: Any, array: Any, at: Any) -> Any:
    """The eight bytes of an array from `at` on as one number, the first the lowest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        proxy = cgutils.create_struct_proxy(signature.args[0])  # type: ignore[no-untyped-call]
        structure = proxy(context, builder, value=arguments[0])
        place = builder.bitcast(builder.gep(structure.data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return types.uint64(array, types.int64), generate


@_primitive
def _trailing_zeros(typing: Any, number: Any) -> Any:
    """How many of the lowest bits of a number that is not 0 are 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@inlined_kernel
def next_byte(text: NDArray[np.uint8], i: int, end: int, byte: int) -> int:
    """The position of the next such byte, or the end."""
    pattern = u64(byte) * _ONES
    while i + 8 <= end:
        lane = _eight_bytes(text, i) ^ pattern
        zero = (lane - _ONES) & ~lane & _HIGHS  # its lowest bit is that of the first byte that is 0 now
        if zero != 0:
            return i + i64(_trailing_zeros(zero) >> u64(3))
        i += 8
    while i < end and text[i] != byte:
        i += 1
    return i
