"""How the functions that run per byte or per word are compiled.

numba counts references to every array that is passed to a function, with atomic instructions, also where the
function only looks at it. A scanner of many small functions spent five sixths of its time on that. A *kernel*
owns no memory: it is handed all the arrays it works on, so it needs no counting. Nor does it touch any object of
Python, so that other threads go on while it runs.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

# What numba takes for conversions and mypy for functions that give an int: kernels compute with machine integers.
i64 = cast(Callable[[Any], int], np.int64)
u64 = cast(Callable[[Any], int], np.uint64)

_KEPT_VERSIONS = 4
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}


def _code_folder() -> Path:
    """A folder for compiled code that is named after the sources of all kernels."""
    sources = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        text = path.read_bytes()
        if b"kernel" in text:
            sources.update(text)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pagekin"
    return caches / f"kernels-{sources.hexdigest()}"


def _keep_code() -> None:
    """Have numba keep compiled code in that folder; that of the oldest versions is removed.

    numba itself compiles a kernel anew when the file it stands in has changed, but not when one that it calls has:
    after a change of `hashing.py`, kernels that were compiled before went on to hash in the old way.
    """
    try:
        folder = _code_folder()
        folder.mkdir(parents=True, exist_ok=True)
        versions = sorted(folder.parent.glob("kernels-*"), key=lambda version: version.stat().st_mtime)
    except (OSError, RuntimeError):
        return  # no home, or one that cannot be written: numba then keeps it where it can
    setattr(numba.config, "CACHE_DIR", str(folder))  # noqa: B010, mypy knows no attribute of that module
    for version in versions[:-_KEPT_VERSIONS]:
        shutil.rmtree(version, ignore_errors=True)


if not os.environ.get("NUMBA_CACHE_DIR"):
    _keep_code()


def kernel(function: Function) -> Function:
    """Compile a function that works on arrays it is given and makes none."""
    compiled: Function = njit(**_OPTIONS)(function)
    return compiled


def inlined_kernel(function: Function) -> Function:
    """Compile one that is put into its callers, so that its arguments need not be passed."""
    compiled: Function = njit(**_OPTIONS, forceinline=True)(function)
    return compiled


def merged_kernel(function: Function) -> Function:
    """Make one a part of its caller before that is compiled, so that it is not compiled by itself as well.

    For the long functions that are called from one place. Much inlined in this way runs slower, though: 16 % when
    all was.
    """
    compiled: Function = njit(**_OPTIONS, inline="always")(function)
    return compiled


def python_twin(compiled: Function) -> Function:
    """The plain Python function that a kernel was compiled from."""
    twin: Function = compiled.py_func  # type: ignore[attr-defined]
    return twin


def compiled_before(compiled: Callable[..., Any]) -> bool:
    """Whether an earlier run left the machine code of a kernel on disk."""
    folder, name = Path(compiled._cache.cache_path), compiled.__name__  # type: ignore[attr-defined]
    return any(folder.glob(f"*.{name}-*.nbi"))
