"""Character references (`&eacute;`, `&#233;`), as the HTML standard decodes them (13.2.5.72 to 13.2.5.80)."""

from __future__ import annotations

import html.entities
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.hashing import SEED, hash_step, mixed, signed
from pagekin.kernels import i64, kernel

SLOTS = 1 << 13
LONGEST_LEGACY = 6  # of the names that are known without their semicolon, as in `&copy`


class References(NamedTuple):
    """An open-addressed table from the hash of a name to the one or two characters it stands for."""

    name: NDArray[np.int64]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    windows_1252: NDArray[np.int32]


def _name_hash(name: str) -> int:
    state = int(SEED)
    for byte in name.encode():
        state = mixed(state, byte)
    return signed(state)


@cache
def references() -> References:
    """The table of the standard's 2,231 names, made once in a process."""
    name = np.zeros(SLOTS, np.int64)
    first, second = np.zeros(SLOTS, np.int32), np.zeros(SLOTS, np.int32)
    for text, value in html.entities.html5.items():
        hashed = _name_hash(text)
        slot = hashed & (SLOTS - 1)
        while name[slot]:
            slot = (slot + 1) & (SLOTS - 1)
        name[slot], first[slot] = hashed, ord(value[0])
        second[slot] = ord(value[1]) if len(value) > 1 else 0
    high = [ord(bytes([code]).decode("cp1252", "replace")) for code in range(0x80, 0xA0)]
    windows_1252 = [code if code != 0xFFFD else 0x80 + i for i, code in enumerate(high)]
    return References(name, first, second, np.array(windows_1252, np.int32))


@kernel
def _slot(name: NDArray[np.int64], hashed: int) -> int:
    slot = hashed & (SLOTS - 1)
    while name[slot] != 0:
        if name[slot] == hashed:
            return slot
        slot = (slot + 1) & (SLOTS - 1)
    return -1


@kernel
def _is_alphanumeric(byte: int) -> bool:
    return 48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122


@kernel
def _numeric(text: NDArray[np.uint8], i: int, end: int, windows_1252: NDArray[np.int32]) -> tuple[int, int, int]:
    """The reference whose '#' stands before `i`."""
    base, number = 10, i
    if i < end and (text[i] | 32) == 120:
        base = 16
        i += 1
    start, code = i, 0
    while i < end:
        byte = i64(text[i])
        if 48 <= byte <= 57:
            digit = byte - 48
        elif base == 16 and 97 <= (byte | 32) <= 102:
            digit = (byte | 32) - 87
        else:
            break
        code = min(code * base + digit, 0x110000)
        i += 1
    if i == start:
        return -1, 0, number - 1
    if i < end and text[i] == 59:
        i += 1
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        code = 0xFFFD
    elif 0x80 <= code < 0xA0:
        code = i64(windows_1252[code - 0x80])
    return code, 0, i


@kernel
def decode_reference(
    text: NDArray[np.uint8], i: int, end: int, table: References, in_attribute: bool
) -> tuple[int, int, int]:
    """The characters that the reference whose '&' stands before `i` means (-1: none), and where it ends."""
    if i < end and text[i] == 35:
        return _numeric(text, i + 1, end, table.windows_1252)
    state = SEED
    j = i
    while j < end and j - i < 32 and _is_alphanumeric(text[j]):
        state = hash_step(state, text[j])
        j += 1
    if j < end and text[j] == 59:
        slot = _slot(table.name, i64(hash_step(state, 59)))
        if slot >= 0:
            return i64(table.first[slot]), i64(table.second[slot]), j + 1
    state, found, after = SEED, -1, i
    for k in range(i, min(j, i + LONGEST_LEGACY)):
        state = hash_step(state, text[k])
        slot = _slot(table.name, i64(state))
        if slot >= 0:
            found, after = slot, k + 1
    if found < 0 or (in_attribute and after < end and (text[after] == 61 or _is_alphanumeric(text[after]))):
        return -1, 0, i
    return i64(table.first[found]), i64(table.second[found]), after
