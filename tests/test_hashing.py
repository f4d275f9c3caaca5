"""Hashes are the same everywhere and for ever; an index depends on it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.hashing import hash_bytes, hash_lanes, hash_lower, hash_text, mixed, signed


def _bytes(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(text.encode(), np.uint8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 5551297587756739249),
        ("a", 972973422576969904),
        ("weather", 3838101092754047453),
        ("12345678", -5621679446560949512),
        ("internationalisation", -8032093519224064615),
        ("日本", -4331800052486047420),
        ("http://example.org/", -975057931886874697),
    ],
)
def test_hash_is_what_it_was(text: str, expected: int) -> None:
    assert hash_text(text) == expected


@given(st.text(max_size=40))
@settings(deadline=None)
def test_kernel_agrees_with_python(text: str) -> None:
    data = _bytes(text)
    assert hash_bytes(data, 0, len(data)) == hash_text(text)


@given(st.text(max_size=10), st.text(max_size=30), st.text(max_size=10))
@settings(deadline=None)
def test_kernel_reads_no_more_than_its_span(before: str, text: str, behind: str) -> None:
    start = len(before.encode())
    assert hash_bytes(_bytes(before + text + behind), start, start + len(text.encode())) == hash_text(text)


@given(st.text(st.characters(max_codepoint=127), max_size=40))
@settings(deadline=None)
def test_kernel_lowers_ascii(text: str) -> None:
    data = _bytes(text)
    assert hash_lower(data, 0, len(data)) == hash_text(text.lower())


def test_kernel_lowers_nothing_beyond_ascii() -> None:
    data = _bytes("É")
    assert hash_lower(data, 0, len(data)) == hash_text("É")


@given(st.text(st.characters(min_codepoint=1), min_size=1, max_size=40))
@settings(deadline=None)
def test_kernel_over_lanes_agrees(text: str) -> None:
    data = text.encode("utf-8", "replace")
    lanes = np.frombuffer(b"in front" + data + b"\0" * (-len(data) % 8), np.uint64)
    assert hash_lanes(lanes, 1, len(lanes)) == hash_text(data.decode())


@given(st.text(max_size=40))
@settings(deadline=None)
def test_hash_is_a_signed_number_of_64_bits(text: str) -> None:
    assert -(1 << 63) <= hash_text(text) < 1 << 63


def test_words_of_eight_bytes_or_fewer_do_not_collide() -> None:
    words = {"".join(letters) for size in range(5) for letters in product("abcdefghij0é", repeat=size)}
    words |= {word + "tail" for word in words if len(word.encode()) <= 4}
    assert len({hash_text(word) for word in words}) == len(words)


def test_step_of_a_hash_can_be_undone() -> None:
    """Why short texts do not collide: each step maps the numbers of 64 bits one to one."""
    inverse = pow(0xD6E8FEB86659FD93, -1, 1 << 64)
    for number in (0, 1, 0xFFFFFFFFFFFFFFFF, 0x0123456789ABCDEF):
        state = mixed(42, number)
        state ^= state >> 32
        assert (state * inverse % (1 << 64)) ^ 42 == number


def test_signed_keeps_the_bits() -> None:
    assert [signed(number) for number in (0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)] == [
        0, 1, (1 << 63) - 1, -(1 << 63), -1,
    ]  # fmt: skip
