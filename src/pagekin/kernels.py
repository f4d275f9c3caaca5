"""How the functions that run per byte or per word are compiled.

numba counts references to every array that is passed to a function, with atomic instructions, also where the
function only looks at it. A scanner of many small functions spent nine tenths of its time on that. A *kernel*
owns no memory: it is handed all the arrays it works on, so it needs no counting.
"""

from __future__ import annotations

from numba import njit

kernel = njit(cache=True, _nrt=False)
inlined_kernel = njit(cache=True, _nrt=False, forceinline=True)
