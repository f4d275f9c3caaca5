"""A service that runs while it is needed, and the system's Chromium to look at it."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, sync_playwright

from pagekin.server.app import create_app
from pagekin.server.options import ServeOptions

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
LONGEST_START_SECONDS = 120


@contextmanager
def serving(index: Path, options: ServeOptions = ServeOptions()) -> Iterator[str]:  # noqa: B008 (it is frozen)
    """The address of a service for an index, on a port that is free."""
    config = uvicorn.Config(create_app(index, options), host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{_port(server, thread)}"
    finally:
        server.should_exit = True
        thread.join()


def _port(server: uvicorn.Server, thread: threading.Thread) -> int:
    deadline = time.monotonic() + LONGEST_START_SECONDS
    while not server.started:
        assert thread.is_alive() and time.monotonic() < deadline, "the service did not start"
        time.sleep(0.02)
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    assert CHROMIUM is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
