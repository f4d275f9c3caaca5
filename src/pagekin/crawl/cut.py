"""Parts of pages that are left out: whatever matches a CSS selector.

Our scanner knows no tree, so lexbor (through resiliparse) parses the page, and writes what is left of it. It does so
in a process of its own, with limits, because a page can be made to harm it: it takes time that grows with the square
of the depth (22 s for 100,000 div in one another), and dies of templates in one another (a segmentation fault at
200,000). Such a page ends that process and is set aside; the next page gets a new one.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from types import TracebackType
from typing import BinaryIO, Self, cast

from pagekin.errors import StepFailed

# 16 MiB of paragraphs of one word take 3 s and 0.8 GiB; a page that needs much more is no page.
CPU_SECONDS = 10.0
MEMORY_BYTES = 2 << 30
_SIZE = struct.Struct("<q")
_UNCHANGED = -1


class Uncut(Exception):
    """A page that could not be parsed within the limits; its text says what happened."""


class Cutter:
    """Takes what matches a selector out of pages, whatever they hold.

    >>> with Cutter("ul.related, .ad") as cutter:
    ...     cutter.without(b"<p>bees<ul class=related><li>wasps</ul>")
    b'<html><head></head><body><p>bees</p></body></html>'
    """

    def __init__(self, selector: str, cpu_seconds: float = CPU_SECONDS) -> None:
        self.selector = selector
        self.cpu_seconds = cpu_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def without(self, html: bytes) -> bytes:
        """The page, in UTF-8, without what matches; the same bytes if nothing does; Uncut if it cannot be parsed."""
        process = self._process or self._start()
        try:
            _send(_pipe(process.stdin), html)
            size = _received_size(_pipe(process.stdout))
            return html if size == _UNCHANGED else _received(_pipe(process.stdout), size)
        except (EOFError, BrokenPipeError):
            raise Uncut(self._cause(self._end())) from None
        except BaseException:
            self._end()  # the answer to this page must not be taken for that to the next
            raise

    def _start(self) -> subprocess.Popen[bytes]:
        # In a group of its own, so that Ctrl-C ends us and not the parser alone, which would blame the page.
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pagekin.crawl.cut", str(self.cpu_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            process_group=0,
        )
        try:
            _send(_pipe(process.stdin), self.selector.encode())
            _received_size(_pipe(process.stdout))
        except (EOFError, BrokenPipeError):
            status = self._end()
            raise StepFailed(f"crawl.cut = {self.selector!r}: the parser did not start (status {status})") from None
        return process

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(BrokenPipeError):
            _pipe(process.stdin).close()
        try:
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
        finally:
            _pipe(process.stdout).close()

    def _cause(self, status: int) -> str:
        if status == -signal.SIGPROF:
            return f"the parser took more than {self.cpu_seconds:g} s"
        if status < 0:
            return f"the parser was ended by signal {-status} ({signal.strsignal(-status)})"
        return f"the parser failed, or needed more than {MEMORY_BYTES >> 30} GiB"


def _without(html: bytes, selector: str) -> bytes | None:
    """What `Cutter.without` says, unprotected; None if nothing matches."""
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(html.decode("utf-8", "replace"))
    # An element comes once for each selector of a list that it matches, and to remove it twice is an error.
    found = dict.fromkeys(tree.document.query_selector_all(selector))
    # From the last to the first: so none stands in one that is gone already.
    for element in reversed(found):
        element.decompose()
    return str(tree).encode("utf-8", "replace") if found else None


def _serve(cpu_seconds: float) -> None:
    """The other process: is told the selector, then answers page after page until there are no more."""
    pages, answers = sys.stdin.buffer, sys.stdout.buffer
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, even amid C
    _limit_memory()
    selector = _received(pages, _received_size(pages)).decode()
    _without(b"", selector)
    _answer(answers, None)
    while True:
        try:
            size = _received_size(pages)
        except EOFError:
            return
        html = _received(pages, size)
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        left = _without(html, selector)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _answer(answers, left)


def _limit_memory() -> None:
    import resource  # which not every system has, and only this process needs

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    with suppress(ValueError, OSError):  # systems that know no such limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _answer(file: BinaryIO, left: bytes | None) -> None:
    if left is None:
        file.write(_SIZE.pack(_UNCHANGED))
        file.flush()
    else:
        _send(file, left)


def _send(file: BinaryIO, data: bytes) -> None:
    file.write(_SIZE.pack(len(data)))
    file.write(data)
    file.flush()


def _received_size(file: BinaryIO) -> int:
    return cast(int, _SIZE.unpack(_received(file, _SIZE.size))[0])


def _received(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _pipe(file: object) -> BinaryIO:
    return cast(BinaryIO, file)


if __name__ == "__main__":
    _serve(float(sys.argv[1]))
