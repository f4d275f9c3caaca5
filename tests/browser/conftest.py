"""A browser that is watched, services for a sample web and for hostile pages, and axe, which judges accessibility."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.sample import write_sample
from pagekin.settings import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

AXE = "axe-core@4"
NPM_SECONDS = 60
Opens = Callable[..., "Page"]


@pytest.fixture(scope="module")  # while Playwright runs, nothing else in the process can run an event loop
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    pytest.importorskip("playwright.sync_api", reason="no Playwright here: pip install playwright")
    from .serving import CHROMIUM, chromium

    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with chromium() as browser:
        yield browser


@pytest.fixture
def opens(browser: Browser) -> Iterator[Opens]:
    """Opens pages in a fresh browser; at the end nothing may have gone wrong on any of them."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def open_page(address: str, **how: Any) -> Page:
        contexts.append(browser.new_context(**how))
        page = contexts[-1].new_page()
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("console", lambda said: faults.append(said.text) if is_fault(said.type, said.text) else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def is_fault(kind: str, text: str) -> bool:
    """Whether a line of the console tells of a fault; that a page was answered with 404 is none."""
    return kind == "error" and "Failed to load resource" not in text


def built(crawl: Path, index: Path) -> Path:
    pagekin.build(crawl, index, Settings(), engine=LocalEngine(1))
    return index


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a sample web."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, 150)
    return built(folder / "sample.warc.gz", folder / "sample.kin")


@pytest.fixture(scope="module")
def service(browser: Browser, sample: Path) -> Iterator[str]:
    """The address of a service for the sample web."""
    from .serving import serving

    with serving(sample) as address:
        yield address


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe, fetched once."""
    cache = Path(os.environ.get("PAGEKIN_DATA") or Path.home() / ".cache" / "pagekin-test-data") / "axe"
    if not cache.exists():
        _fetch_axe(tmp_path_factory.mktemp("axe"), cache)
    return (cache / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def _fetch_axe(beside: Path, cache: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm here to fetch axe-core with: apt-get install npm")
    command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(beside), AXE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=NPM_SECONDS)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm could not fetch axe-core in {NPM_SECONDS} seconds")
    if done.returncode:
        pytest.skip("npm could not fetch axe-core; is there a network?")
    cache.parent.mkdir(parents=True, exist_ok=True)
    if not cache.exists():
        shutil.copytree(beside, cache, dirs_exist_ok=True)
