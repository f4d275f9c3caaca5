"""Damage to an index: every file truncated, emptied, bit-flipped; and an index that a stranger made to do harm."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from children import survived_each
from faults import Fault, Outcome

import pagekin
from pagekin.advice import advise
from pagekin.errors import PagekinError
from pagekin.exports.rows import Choice, RelatedPages
from pagekin.index import Index
from pagekin.query.blocks import BlockReader
from pagekin.query.surroundings import surroundings_of
from pagekin.stores.manifest import NAME, damaged_files, described_files, read_manifest, write_manifest

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
TIMEOUT_SECONDS = 600.0  # for queries, whose code may have to be compiled first
URL, OTHER = "http://kitchen.test/bread-2.html", "http://garden.example/bees-0.html"
QUERIES = (
    "dough oven",
    '"rye loaf"',
    "bre*",
    "dogh~",
    "sounds:flower",
    "editex:dow~3",
    "like:starterr",
    "+bees -wasp",
    "doughh",
    "title:bread",
)


def golden() -> Path:
    """The index that is damaged: the latest that is kept for the tests of formats."""
    return max(GOLDEN.glob("format-*.kin"))


class Damage(NamedTuple):
    """One file of an index, and what is done to it; a stranger gives the manifest new checksums."""

    index: Path
    file: str
    kind: str
    seed: int
    by_stranger: bool = False


# --- questions ----------------------------------------------------------------------------------------------


def questions(index: Index) -> Iterator[tuple[str, Callable[[], Any]]]:
    """All that can be asked, by name."""
    yield "related", lambda: index.related(URL, k=5, explain=True)
    yield "exact", lambda: index.related(OTHER, k=5, exact=True)
    yield "copies", lambda: index.related(OTHER, k=5, copies=True, other_sites=True)
    yield "text", lambda: index.related(text="old boats in the harbour", k=5)
    yield "html", lambda: index.related(html=b"<p>rye bread and honey", k=5)
    yield "about", lambda: index.related(URL, about="dough", k=5)
    yield "authority", lambda: index.related(URL, weights={"links": 1.0, "authority": 0.5}, k=5)
    yield "similarity", lambda: index.similarity(URL, OTHER)
    yield "terms", lambda: index.terms(URL)
    yield "blocks", lambda: BlockReader(*index.scanned(URL)).blocks(index.settings.cocitation)
    yield "surroundings", lambda: surroundings_of(index).portrait(index.page(URL))
    yield "advice", lambda: advise(index, "kitchen.test")
    yield "export", lambda: list(RelatedPages(index, Choice(k=3, host="kitchen.test")))
    for query in QUERIES:
        yield f"search {query}", lambda query=query: index.search(query, k=5, timeout_seconds=TIMEOUT_SECONDS)


def answers(path: Path) -> dict[str, str]:
    """What an index says to all questions, or that it refuses to; an answer from which a part is left out says so."""
    try:
        index = pagekin.open(path)
    except PagekinError as refusal:
        return {"open": f"refused: {refusal}"}
    return {name: _answer(ask) for name, ask in questions(index)}


def _answer(ask: Callable[[], Any]) -> str:
    try:
        answer = ask()
    except PagekinError as refusal:
        return f"refused: {refusal}"
    if getattr(answer, "left_out", ()):
        return f"refused: {answer.left_out}"
    return repr(answer)


# --- damage -------------------------------------------------------------------------------------------------


def _truncated(data: bytearray, dice: random.Random) -> bytes:
    return bytes(data[: dice.randrange(len(data))])


def _flipped(data: bytearray, dice: random.Random) -> bytes:
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def _noise(data: bytearray, dice: random.Random) -> bytes:
    """Random bytes in a random stretch of the file."""
    first = dice.randrange(len(data))
    data[first : first + dice.choice((1, 8, 64, len(data)))] = dice.randbytes(min(len(data) - first, 64))
    return bytes(data)


def _extreme(data: bytearray, dice: random.Random) -> bytes:
    """Numbers that are as large, or as far below zero, as they can be."""
    at = dice.randrange(len(data)) // 8 * 8
    data[at : at + 8] = dice.choice((b"\xff" * 8, b"\x00" * 8, b"\xff" * 7 + b"\x7f", b"\x00" * 7 + b"\x80"))
    return bytes(data)


KINDS: dict[str, Callable[[bytearray, random.Random], bytes]] = {
    "truncated": _truncated,
    "emptied": lambda data, dice: b"",
    "bit-flipped": _flipped,
    "noise": _noise,
    "extreme": _extreme,
}


def do_damage(damage: Damage, folder: Path) -> Path:
    """A damaged copy of an index."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(damage.index, folder)
    path, dice = folder / damage.file, random.Random(repr(damage[1:4]))
    path.write_bytes(KINDS[damage.kind](bytearray(path.read_bytes()), dice))
    if damage.by_stranger:
        _sign(folder)
    return folder


def _sign(folder: Path) -> None:
    """Give the manifest the checksums of the files as they are now."""
    fields = json.loads((folder / NAME).read_text("utf-8"))
    fields.pop("blake2b")
    write_manifest(folder, pagekin.stores.manifest.Manifest(**(fields | {"files": described_files(folder)})))


def trial(case: tuple[Damage, Path, dict[str, str]]) -> str:
    """Whether a damaged index was found out: no wrong answer without a word, and the file is named."""
    damage, folder, expected = case
    path = do_damage(damage, folder)
    wrong = [name for name, said in answers(path).items() if said != expected.get(name) and "refused: " not in said]
    if wrong:
        return f"{damage.file} {damage.kind} (seed {damage.seed}): wrong without a word: {', '.join(wrong)}"
    return "" if damage.file in _named(path) else f"{damage.file} {damage.kind}: not named by info --check"


def _named(path: Path) -> str:
    """What `open` or `info --check` say of an index."""
    try:
        return " ".join(damaged_files(path, read_manifest(path)))
    except PagekinError as refusal:
        return str(refusal)


def stranger_trial(case: tuple[Damage, Path, dict[str, str]]) -> str:
    """Whether an index that lies in all that its checksums allow does no more than give wrong answers or none."""
    damage, folder, _ = case
    try:
        answers(do_damage(damage, folder))
    except Exception as fault:
        return f"{damage.file} {damage.kind} (seed {damage.seed}): {fault!r}"
    return ""


def _files(index: Path, with_manifest: bool) -> list[str]:
    named = sorted(path.relative_to(index).as_posix() for path in index.rglob("*") if path.stat().st_size)
    return [name for name in named if (index / name).is_file() and (with_manifest or name != NAME)]


def _cases(kind: str, tries: int, folder: Path, seed: int, by_stranger: bool = False) -> list[Any]:
    """Each file in turn; a new index in each folder, since what was verified is remembered by its file."""
    index = golden()
    expected = answers(index)
    refused = [name for name, said in expected.items() if "refused: " in said]
    assert not refused, f"an index that is whole refuses {refused}"
    files = _files(index, not by_stranger)
    chosen = files if tries >= len(files) else random.Random(seed).sample(files, tries)
    rounds = max(round(tries / len(chosen)), 1)
    damages = [Damage(index, file, kind, seed + number, by_stranger) for number in range(rounds) for file in chosen]
    return [(damage, folder / "damaged.kin", expected) for damage in damages]


def damaged(kind: str) -> Callable[[int, Path, int], Outcome]:
    """Tries one kind of damage on every file."""

    def run(tries: int, folder: Path, seed: int) -> Outcome:
        outcome = Outcome()
        for said in survived_each(trial, _cases(kind, tries, folder, seed)):
            outcome.add(said)
        return outcome

    return run


def made_by_stranger(tries: int, folder: Path, seed: int) -> Outcome:
    """Tries all kinds of damage on every file, with checksums that are right."""
    outcome = Outcome()
    for kind in KINDS:
        for said in survived_each(stranger_trial, _cases(kind, tries // len(KINDS), folder, seed, True)):
            outcome.add(said)
    return outcome


NAMED = "`open` or `info --check` names the file; no answer is wrong without a word, no process ends"
FAULTS = (
    *(Fault("damage", f"a file of an index {kind}", NAMED, 6, 110, damaged(kind)) for kind in list(KINDS)[:3]),
    Fault("damage", "an index made by a stranger", "refused or asked; no process ends", 10, 270, made_by_stranger),
)
