"""A service under faults: clients that stall, giant headers, a thousand connections, a reload, an index deleted."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from damages import GOLDEN, URL, golden
from faults import Fault, Outcome

SERVE = [sys.executable, "-c", "from pagekin.cli.serve import serve; serve()"]
TOKEN = "a token of the tests"
ASKED = f"api/related?url={URL}&k=5"
LONGEST_SECONDS = 300
CONNECTIONS = 1000
STALLED = 200


class Service:
    """A service that runs, and what it answers when nothing is wrong."""

    def __init__(self, process: subprocess.Popen[str], address: str, log: Path) -> None:
        self.process, self.address, self.log = process, address, log
        self.port = int(address.rstrip("/").rpartition(":")[2])
        self.expected: list[bytes] = []

    def ask(self, target: str = ASKED, method: str = "GET") -> tuple[int, bytes]:
        """The status and the body of an answer."""
        headers = {"Authorization": f"Bearer {TOKEN}"} if method == "POST" else {}
        request = urllib.request.Request(self.address + target, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=LONGEST_SECONDS) as response:
                return response.status, _untimed(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def wrong(self, target: str = ASKED) -> str:
        """What is wrong with an answer: one that is busy says so, and is asked again."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < deadline:
            try:
                status, body = self.ask(target)
            except OSError as error:
                return f"no answer: {error}"
            if status == 200:
                return "" if body in self.expected else f"a wrong answer: {body[:200]!r}"
            if status != 503 or "error" not in json.loads(body):
                return f"{status}: {body[:200]!r}"
            time.sleep(0.2)
        return "busy without end"


def _untimed(body: bytes) -> bytes:
    """An answer without how long it took."""
    return re.sub(rb'"took_ms":[0-9.e-]+', b"", body)


@contextmanager
def serving(index: Path, log: Path) -> Iterator[Service]:
    """A service of an index, on a port that is free."""
    environment = {**os.environ, "PAGEKIN_TOKEN": TOKEN}
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*SERVE, str(index), "--port", "0"], stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        )
    assert process.stdout is not None
    try:
        service = Service(process, process.stdout.readline().split()[-1], log)
        deadline = time.monotonic() + LONGEST_SECONDS
        while service.ask("healthz")[0] != 200:
            assert time.monotonic() < deadline and process.poll() is None, log.read_text("utf-8")
            time.sleep(0.1)
        service.expected = [service.ask()[1]]
        yield service
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()


def _connected(service: Service, sent: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", service.port), timeout=LONGEST_SECONDS)
    client.sendall(sent)
    return client


def _asked_meanwhile(service: Service, tries: int, outcome: Outcome) -> None:
    for _ in range(tries):
        outcome.add(service.wrong())


def stalled(tries: int, folder: Path, seed: int) -> Outcome:
    """Clients that begin a request and say no more; they are sent away in the end."""
    outcome = Outcome()
    with serving(golden(), folder / "log") as service, ExitStack() as clients:
        head = f"GET /{ASKED} HTTP/1.1\r\nHost: x\r\nX-Slow: ".encode()
        posted = (
            b"POST /api/related HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"
        )
        waiting = [clients.enter_context(_connected(service, (head, b"", posted)[n % 3])) for n in range(STALLED)]
        _asked_meanwhile(service, tries, outcome)
        left = sum(not _is_sent_away(client) for client in waiting)
        outcome.add(f"{left} stalled clients are still connected" if left else "")
    return outcome


def _is_sent_away(client: socket.socket) -> bool:
    """Whether the service ends the connection within a minute, by an answer or without."""
    client.settimeout(60)
    try:
        while client.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def giant_headers(tries: int, folder: Path, seed: int) -> Outcome:
    """Heads of requests that are too large, in one header or in many."""
    outcome = Outcome()
    heads = (b"X: " + b"a" * (4 << 20), b"X: y\r\n" * 500_000, b"Cookie: " + b"a=b;" * 500_000)
    with serving(golden(), folder / "log") as service:
        for number in range(tries):
            client = _connected(service, b"")
            with client:
                said = _refusal(client, b"GET / HTTP/1.1\r\nHost: x\r\n" + heads[number % len(heads)])
            outcome.add(service.wrong() or ("" if said.startswith(b"HTTP/1.1 4") or not said else repr(said[:80])))
    return outcome


def _refusal(client: socket.socket, sent: bytes) -> bytes:
    """What the service says; it may have closed the connection before all was sent."""
    try:
        client.sendall(sent)
        return client.recv(1000)
    except OSError:
        return b""


def many_connections(tries: int, folder: Path, seed: int) -> Outcome:
    """A thousand clients that ask at the same time."""
    outcome = Outcome()
    with serving(golden(), folder / "log") as service:
        request = f"GET /{ASKED} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        for _ in range(tries):
            with ExitStack() as clients:
                asked = [clients.enter_context(_connected(service, b"")) for _ in range(CONNECTIONS)]
                for client in asked:
                    client.sendall(request)
                wrong = [said for said in (_answered(service, client) for client in asked) if said]
            outcome.add(f"{len(wrong)} of {CONNECTIONS}: {wrong[0]}" if wrong else service.wrong())
    return outcome


def _answered(service: Service, client: socket.socket) -> str:
    data = b""
    while block := client.recv(1 << 16):
        data += block
    head, _, body = data.partition(b"\r\n\r\n")
    if head.startswith(b"HTTP/1.1 503") and b'"error"' in body:
        return service.wrong()  # it was busy, and said so
    return "" if head.startswith(b"HTTP/1.1 200") and _untimed(body) in service.expected else f"{data[:200]!r}"


def _under_load(service: Service, act: Callable[[], None], tries: int) -> Iterator[str]:
    """What is wrong with each of some answers, which are asked for until something is done, and while it is."""
    with ThreadPoolExecutor(5) as threads:
        yield from threads.map(lambda n: service.wrong(f"{ASKED}&offset={n % 2}"), range(tries // 2))
        done = threads.submit(act)
        yield from threads.map(lambda n: service.wrong(f"{ASKED}&offset={n % 2}"), range(tries - tries // 2))
        done.result()


def reloaded(tries: int, folder: Path, seed: int) -> Outcome:
    """Another index takes the place of the one that answers, while many ask."""
    outcome = Outcome()
    shutil.copytree(golden(), folder / "a.kin")
    older = sorted(GOLDEN.glob("format-*.kin"))[-2]
    with serving(folder / "a.kin", folder / "log") as service:
        service.expected = [service.ask(f"{ASKED}&offset={n}")[1] for n in range(2)]
        with serving(older, folder / "other.log") as other:
            service.expected += [other.ask(f"{ASKED}&offset={n}")[1] for n in range(2)]

        def replace() -> None:
            (folder / "a.kin").rename(folder / "old.kin")
            shutil.copytree(older, folder / "a.kin")
            assert json.loads(service.ask("admin/reload", "POST")[1])["changed"]

        for said in _under_load(service, replace, tries):
            outcome.add(said)
        outcome.add("" if service.ask()[1] == service.expected[2] else "the old index answers after a reload")
    return outcome


def deleted(tries: int, folder: Path, seed: int) -> Outcome:
    """The index is removed under the service; a reload is refused, and works when there is one again."""
    outcome = Outcome()
    shutil.copytree(golden(), folder / "a.kin")
    with serving(folder / "a.kin", folder / "log") as service:
        service.expected = [service.ask(f"{ASKED}&offset={n}")[1] for n in range(2)]
        for said in _under_load(service, lambda: shutil.rmtree(folder / "a.kin"), tries):
            outcome.add(said)
        status, body = service.ask("admin/reload", "POST")
        outcome.add("" if status == 409 and b"the old index goes on to answer" in body else f"{status} {body!r}")
        outcome.add(service.wrong())
        shutil.copytree(golden(), folder / "a.kin")
        outcome.add("" if service.ask("admin/reload", "POST")[0] == 200 else "no recovery")
        outcome.add(service.wrong())
    return outcome


RIGHT = "every other request has its right answer"
FAULTS = (
    Fault("service", f"{STALLED} clients that stall", f"{RIGHT}; they are sent away", 10, 100, stalled),
    Fault("service", "giant headers", f"refused; {RIGHT}", 3, 15, giant_headers),
    Fault("service", f"{CONNECTIONS:,} connections at once", "answered, or told to wait", 1, 5, many_connections),
    Fault("service", "a reload in the middle of load", "an answer is of the one or the other", 30, 300, reloaded),
    Fault("service", "an index deleted under it", f"{RIGHT}; a reload is refused, and works later", 30, 300, deleted),
)
