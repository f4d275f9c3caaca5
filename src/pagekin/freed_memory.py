"""What becomes of memory that is freed.

By default the C library of Linux gives large pieces back to the system at once, and asks for them anew a moment later.
To get a page of new memory takes far longer than to fill it: a build that works on arrays of some megabytes spent a
tenth of its time so. Arrow has an allocator of its own, which does the same, and of which a worker was found to keep
300 MB that nothing else could use.
"""

from __future__ import annotations

import ctypes

import pyarrow as pa

MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1  # the numbers of these options in malloc.h of glibc
LARGE_BYTES = 64 << 20  # pieces from this size on still go back at once
KEPT_BYTES = 256 << 20  # and so does what lies free beyond this, at the end


def keep_freed_memory() -> None:
    """Have this process use freed memory again, Arrow's too; where the C library is another, it is left to that."""
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        options = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # no such function, or no such way to look for it
        return
    options(MMAP_THRESHOLD, LARGE_BYTES)
    options(TRIM_THRESHOLD, KEPT_BYTES)
