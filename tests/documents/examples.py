"""Finds and runs the examples of a document, from its first line to its last, in one folder.

- ```console: a line `$ COMMAND` is run, the lines below it are what it prints (on standard output and error).
  `...` stands for anything, and white space does not count.
- ```python with `>>>`: run as a doctest; names last to the end of the document.
- All other blocks are for reading only.

A comment in the line above a block changes how it is run:

- `<!-- needs: PATH (how to get it) -->`   not run where PATH is missing
- `<!-- output varies -->`                 run, but what it prints may differ
- `<!-- status: N -->`                     its last command ends with this status, not with 0
- `<!-- not run: REASON -->`               not run at all

The folder holds, before the first block, `site/` (three pages of HTML), `site.warc.gz` (a sample web) and
`strategies.toml` (two strategies to compare).
"""

from __future__ import annotations

import doctest
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUN = frozenset({"pagekin", "cat", "cut", "head", "ls", "sed", "wc"})
SHOWN_ONLY = frozenset({"apt-get", "cd", "git", "make", "pip", "python", "sudo", "wget"})
LONGEST_SECONDS = 300
_BLOCK = re.compile(r"^(?:<!-- (?P<comment>.*?) -->\n)?```(?P<kind>console|python)\n(?P<text>.*?)^```$", re.M | re.S)
_NEEDS = re.compile(r"needs: (?P<path>\S+) \((?P<advice>.*)\)")
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """One example, with what the comment above it says."""

    line: int
    kind: str
    comment: str
    text: str

    @property
    def is_run(self) -> bool:
        return not self.comment.startswith("not run")

    @property
    def output_varies(self) -> bool:
        return "output varies" in self.comment

    @property
    def status(self) -> int:
        found = re.search(r"status: (\d+)", self.comment)
        return int(found[1]) if found else 0

    @property
    def missing(self) -> str:
        """What it needs and is not here, with how to get it; else empty."""
        found = _NEEDS.search(self.comment)
        if found is None or Path(found["path"]).exists():
            return ""
        return f"needs {found['path']} ({found['advice']})"


@dataclass(frozen=True)
class Command:
    """A command line and what it should print."""

    line: str
    output: str

    @property
    def program(self) -> str:
        return self.line.split()[0]


def blocks(document: str) -> Iterator[Block]:
    """The examples of a document in their order.

    >>> [block.text for block in blocks("```console\\n$ pagekin --version\\n```\\n")]
    ['$ pagekin --version\\n']
    """
    for found in _BLOCK.finditer(document):
        line = document.count("\n", 0, found.start()) + 1
        yield Block(line, found["kind"], found["comment"] or "", found["text"])


def commands(text: str) -> list[Command]:
    """The commands of a console block.

    >>> commands("$ ls\\na\\n$ pagekin demo \\\\\\n    x/\\n")
    [Command(line='ls', output='a\\n'), Command(line='pagekin demo x/', output='')]
    """
    pieces = re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.M)[1:]
    pairs = [piece.partition("\n") for piece in pieces]
    return [Command(" ".join(line.split()), output) for line, _, output in pairs]


def run_console(block: Block, folder: Path, environment: Mapping[str, str]) -> None:
    """Run the commands of a block; AssertionError if one does other than the document says."""
    every = commands(block.text)
    for command in every:
        where = f"line {block.line}: $ {command.line}"
        assert command.program in RUN | SHOWN_ONLY, f"{where}: {command.program} is not known to {__name__}"
        if command.program in SHOWN_ONLY:
            continue
        done = subprocess.run(
            ["sh", "-c", command.line], cwd=folder, env=dict(environment), text=True, timeout=LONGEST_SECONDS,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        expected_status = block.status if command is every[-1] else 0
        assert done.returncode == expected_status, f"{where}: status {done.returncode}\n{done.stdout}"
        if not block.output_varies:
            assert is_alike(command.output, done.stdout), f"{where}: it prints\n{done.stdout}"


def is_alike(expected: str, found: str) -> bool:
    """Whether an output is as expected, white space and what stands for `...` aside.

    >>> is_alike("pages  1 ...\\n", "pages 1\\ntime 2 s\\n")
    True
    """
    return doctest.OutputChecker().check_output(expected, found, _FLAGS)


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Run a block as a doctest in the folder where we are; `names` are those of the document."""
    test = doctest.DocTestParser().get_doctest(block.text, names, f"line {block.line}", None, block.line)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_FLAGS)
    result = runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert result.failed == 0, "".join(said)
