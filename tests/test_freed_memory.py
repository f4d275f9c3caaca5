"""Memory that is freed is used again, where the C library is one that can be told so."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

ROUNDS, PIECE = 8, 32 << 20
PROGRAM = f"""
import resource
from pagekin.freed_memory import keep_freed_memory
keep_freed_memory()
b"x" * {PIECE}
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({ROUNDS}):
    b"x" * {PIECE}
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def new_pages(program: str) -> int:
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_a_piece_that_was_freed_is_taken_again() -> None:
    without = PROGRAM.replace("keep_freed_memory()\nb", "b")
    assert new_pages(PROGRAM) < new_pages(without) / ROUNDS
