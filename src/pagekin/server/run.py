"""The service as processes: one, or several workers that listen at one socket and a parent that looks after them."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import FrameType

from pagekin.errors import PagekinError, SettingsError
from pagekin.server.logs import set_up_logs
from pagekin.server.options import ServeOptions

log = logging.getLogger("pagekin.server")

BACKLOG = 2048  # connections that may wait
PAUSE_SECONDS = 1.0  # before a worker that has died is replaced
GRACE_SECONDS = 5.0  # for requests to end, beyond what each may take


def serve(path: Path, options: ServeOptions, say: Callable[[str], None]) -> None:
    """Answer requests until told to stop; `say` is told the address, whose port may have been left to be chosen."""
    with listening_socket(options.host, options.port) as listening:
        # One of several workers listens only when its index is open: until then the others answer.
        options = replace(options, port=listening.getsockname()[1], open_later=options.workers == 1)
        say(address(options))
        if options.workers == 1:
            work(path, options, listening)
        else:
            with tempfile.TemporaryDirectory(prefix="pagekin-metrics-") as folder:
                os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
                _Workers(path, options, listening).run()


def address(options: ServeOptions) -> str:
    """Where the service is found.

    >>> address(ServeOptions(host="::1", port=80))
    'http://[::1]:80/'
    """
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"http://{host}:{options.port}/"


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that accepts connections already; they wait until somebody answers."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(f"cannot listen at {host} port {port}: {reason}; give another --host or --port") from None
    return listening


def work(path: Path, options: ServeOptions, listening: socket.socket) -> None:
    """Answer requests in this process."""
    import uvicorn

    from pagekin.server.app import create_app
    from pagekin.server.connections import PromptProtocol, allow_open_files
    from pagekin.server.joined import create_joined_app

    set_up_logs(options.plain_logs)
    allow_open_files()
    config = uvicorn.Config(
        create_joined_app(options) if options.join else create_app(path, options),
        http=PromptProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        forwarded_allow_ips=options.proxies,
        timeout_graceful_shutdown=round(options.timeout_seconds + GRACE_SECONDS),
    )
    uvicorn.Server(config).run(sockets=[listening])


def _work(path: Path, options: ServeOptions, listening: socket.socket) -> None:
    try:
        with suppress(KeyboardInterrupt):  # a terminal interrupts the workers as well
            work(path, options, listening)
    except PagekinError as fault:
        log.error("not begun", extra={"fields": {"error": str(fault)}})
        sys.exit(2)


class _Workers:
    """The parent: begins workers, passes signals on, and replaces those that die."""

    def __init__(self, path: Path, options: ServeOptions, listening: socket.socket) -> None:
        self._arguments = (path, options, listening)
        self._count = options.workers
        self._workers: list[SpawnProcess] = []
        self._is_stopping = False
        set_up_logs(options.plain_logs)

    def run(self) -> None:
        """Until told to stop, and all workers have ended."""
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, self._stop)
        signal.signal(signal.SIGHUP, self._pass_on)
        while not self._is_stopping:
            while len(self._workers) < self._count and not self._is_stopping:
                self._begin()
            wait([worker.sentinel for worker in self._workers], PAUSE_SECONDS)
            self._bury()
        for worker in self._workers:
            worker.join()

    def _begin(self) -> None:
        """Begin a worker in which SIGHUP waits until it listens for it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
        worker = get_context("spawn").Process(target=_work, args=self._arguments)
        worker.start()
        self._workers.append(worker)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])

    def _bury(self) -> None:
        dead = [worker for worker in self._workers if not worker.is_alive()]
        if dead and not self._is_stopping:
            log.error("worker died", extra={"fields": {"status": [worker.exitcode for worker in dead]}})
            time.sleep(PAUSE_SECONDS)
        self._workers = [worker for worker in self._workers if worker not in dead]

    def _tell(self, number: int) -> None:
        for worker in self._workers:
            if worker.pid is not None and worker.is_alive():
                os.kill(worker.pid, number)

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        self._tell(number)

    def _stop(self, number: int, _: FrameType | None) -> None:
        self._is_stopping = True
        self._tell(signal.SIGTERM)
