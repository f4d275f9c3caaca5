"""Functions run in processes of their own, which may die: by a signal, by a fault of memory, or too slowly."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from typing import Any

LONGEST_SECONDS = 300.0
_PRELOADED = ["pagekin.stores.vocabulary_store", "pagekin.advice", "warmed"]

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(_PRELOADED)


def begun(function: Callable[..., Any], *arguments: Any) -> Any:
    """A process that runs a function."""
    process = _context.Process(target=function, args=arguments)
    process.start()
    return process


def ended(process: Any, seconds: float = LONGEST_SECONDS) -> int | str:
    """How a process ended: its status, negative for a signal; one that goes on for too long is killed."""
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        return "no end"
    status: int = process.exitcode
    return status


def survived_each(trial: Callable[[Any], str], cases: Sequence[Any], seconds: float = 120.0) -> Iterator[str]:
    """What a trial says of each case, nothing if all is well; of a case that ends the process, how it did.

    Many cases share a process; the one at which it dies is the guilty one, and another process goes on behind it.
    """
    at = 0
    while at < len(cases):
        ours, theirs = _context.Pipe(duplex=False)
        process = begun(_try_all, trial, cases[at:], theirs)
        theirs.close()
        while at < len(cases):
            try:
                said = ours.recv() if ours.poll(seconds) else None
            except EOFError:
                said = None
            if said is None:
                process.kill() if process.is_alive() and not ours.poll() else None
                yield f"the process ended with {ended(process, 5)}"
                at += 1
                break
            yield said
            at += 1
        ended(process)
        ours.close()


def _try_all(trial: Callable[[Any], str], cases: Sequence[Any], told: Any) -> None:
    for case in cases:
        told.send(trial(case))
