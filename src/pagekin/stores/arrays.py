"""Arrays as files of their bare numbers.

Of a disk that is full, numpy's own `tofile` says only how much it could not write, and not why.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray


def put_array(file: BinaryIO, array: NDArray[Any]) -> None:
    """Write the numbers of an array to an open file."""
    file.write(np.ascontiguousarray(array).data)


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write the numbers of an array as a file."""
    with path.open("wb") as file:
        put_array(file, array)


def mapped_array(path: Path, kind: type[np.generic]) -> NDArray[Any]:
    """The numbers of a file, mapped into memory; an empty file cannot be."""
    return np.memmap(path, kind, "r").view(np.ndarray) if path.stat().st_size else np.empty(0, kind)
