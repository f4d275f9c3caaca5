"""Arrays are written as they are, and what cannot be written is told with its reason."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from pagekin.stores.arrays import put_array, write_array


@pytest.mark.parametrize("shape", [(0,), (5,), (2, 3)])
@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float16])
def test_what_is_written_is_read_back(tmp_path: Path, shape: tuple[int, ...], kind: type) -> None:
    array = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    write_array(tmp_path / "a", array)
    assert np.array_equal(np.fromfile(tmp_path / "a", kind), array.ravel())


def test_every_other_number_is_written_alone(tmp_path: Path) -> None:
    write_array(tmp_path / "a", np.arange(10)[::2])
    assert np.fromfile(tmp_path / "a", np.int64).tolist() == [0, 2, 4, 6, 8]


def test_arrays_follow_one_another_in_an_open_file(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        put_array(file, np.array([1, 2]))
        put_array(file, np.array([3]))
    assert np.fromfile(tmp_path / "a", np.int64).tolist() == [1, 2, 3]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told_as_one() -> None:
    with pytest.raises(OSError, match="No space left") as told:
        write_array(Path("/dev/full"), np.zeros(100_000))
    assert told.value.errno == errno.ENOSPC
