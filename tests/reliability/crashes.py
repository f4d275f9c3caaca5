"""Builds that are ended: whatever ends one, `--resume` gives the index that an undisturbed build gives."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from children import LONGEST_SECONDS, begun, ended
from faults import Fault, Outcome

from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.errors import PagekinError
from pagekin.sample import write_sample
from pagekin.stores.manifest import read_manifest

PAGES = 30
SPLIT = ["crawl.split_bytes=20000"]
PAGEKIN = [sys.executable, "-c", "from pagekin.cli import main; main()"]
_SEGMENT = re.compile(rb"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")  # tantivy draws their names


def fingerprint(index: Path) -> dict[str, str]:
    """The checksum of every file but for what differs in any two builds: when it was, and the names of segments."""
    found = {}
    for path in sorted(path for path in index.rglob("*") if path.is_file()):
        name = _SEGMENT.sub(b"segment", path.relative_to(index).as_posix().encode()).decode()
        data = path.read_bytes()
        if path.suffix == ".json":
            data = _without_names(data)
        found[name] = hashlib.blake2b(data, digest_size=8).hexdigest()
    return found


def _without_names(data: bytes) -> bytes:
    document = json.loads(_SEGMENT.sub(b"segment", data))
    if isinstance(document, dict) and "built_at" in document:
        files = {_file: file["blake2b"] for _file, file in document["files"].items() if not _file.endswith(".json")}
        document |= {"built_at": "", "blake2b": "", "files": files}
    if isinstance(document, list):
        document.sort()
    return json.dumps(document, sort_keys=True).encode()


def differences(index: Path, expected: dict[str, str]) -> str:
    """The files in which an index is not what was expected."""
    found = fingerprint(index)
    names = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
    return f"differs in {', '.join(names)}" if names else ""


class Crawl:
    """A small web, and what an undisturbed build makes of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write_sample(folder, PAGES)
        self.warc = folder / "sample.warc.gz"
        begun_at = time.monotonic()
        self.build(folder / "whole.kin")
        self.seconds = time.monotonic() - begun_at
        self.expected = fingerprint(folder / "whole.kin")

    def build(self, target: Path, *options: str) -> None:
        """Build in a process of its own, to the end."""
        status = ended(begun(build_index, self.warc, target, options))
        assert status == 0, f"a build ended with {status}"

    def resumed(self, target: Path) -> str:
        """What is wrong with the index of a build that goes on, unless it had put its index in place already."""
        try:
            self.build(target, "resume", *(["force"] if target.exists() else []))
        except AssertionError as fault:
            return f"not resumed: {fault}"
        left = [path.name for path in target.parent.iterdir() if path.name.startswith(f"{target.name}.")]
        return differences(target, self.expected) or (f"left behind: {left}" if left else "")


def build_index(crawl: Path, target: Path, options: tuple[str, ...]) -> None:
    """What a process of a build does."""
    from pagekin.settings import read_settings

    os.setsid()
    named = {option: True for option in options}
    build(crawl, target, read_settings(None, SPLIT), engine=LocalEngine(workers=1, memory=64 << 20), **named)


def _fresh(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name / "a.kin"


# --- kill -9 ------------------------------------------------------------------------------------------------


def killed(tries: int, folder: Path, seed: int) -> Outcome:
    """Builds that are killed at moments drawn from the time that one takes; some are killed again while they go on."""
    crawl, dice, outcome = Crawl(folder), random.Random(seed), Outcome()
    for number in range(tries):
        target = _fresh(folder, f"killed-{number}")
        for options in ((), ("resume",))[: 1 + (number % 3 == 0)]:
            _kill_after(begun(build_index, crawl.warc, target, options), dice.uniform(0, crawl.seconds))
        outcome.add(_told(f"killed, try {number}", crawl.resumed(target)))
        shutil.rmtree(target.parent)
    return outcome


def _kill_after(process: object, seconds: float) -> None:
    process.join(seconds)  # type: ignore[attr-defined]
    process.kill()  # type: ignore[attr-defined]
    process.join()  # type: ignore[attr-defined]


def _told(what: str, wrong: str) -> str:
    return f"{what}: {wrong}" if wrong else ""


def replacing_killed(tries: int, folder: Path, seed: int) -> Outcome:
    """Builds that would replace an index, killed: the old index is as it was, or the new one is whole."""
    crawl, dice, outcome = Crawl(folder), random.Random(seed), Outcome()
    write_sample(folder / "other", PAGES // 2, seed=7)
    for number in range(tries):
        target = _fresh(folder, f"replaced-{number}")
        assert ended(begun(build_index, folder / "other" / "sample.warc.gz", target, ())) == 0
        before = fingerprint(target)
        _kill_after(begun(build_index, crawl.warc, target, ("force",)), dice.uniform(0, 1.1 * crawl.seconds))
        outcome.add(_told(f"replaced, try {number}", _old_or_new(crawl, target, before)))
        shutil.rmtree(target.parent)
    return outcome


def _old_or_new(crawl: Crawl, target: Path, before: dict[str, str]) -> str:
    """Between two renames the old index stands in the folder of the build, from where the next build takes it."""
    standing = target if target.exists() else target.with_name("a.kin.building") / "replaced"
    if fingerprint(standing) not in (before, crawl.expected):
        return "neither the old index nor the new one stands there"
    crawl.build(target, "resume", "force")
    return differences(target, crawl.expected)


# --- by the command, with workers ---------------------------------------------------------------------------


@contextlib.contextmanager
def _command(crawl: Crawl, target: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    arguments = ["build", str(crawl.warc), "-o", str(target), "--memory", "64M", "--set", *SPLIT, *options]
    process = subprocess.Popen(
        [*PAGEKIN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _work_begun(target: Path, process: subprocess.Popen[str], marks: int) -> bool:
    """Waits until so many tasks of a build are done, or it has ended."""
    done, deadline = target.with_name("a.kin.building") / "done", time.monotonic() + LONGEST_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if done.is_dir() and len(list(done.iterdir())) >= marks:
            return True
        time.sleep(0.01)
    return False


def interrupted(tries: int, folder: Path, seed: int) -> Outcome:
    """Ctrl-C, which reaches every process of a terminal."""
    crawl, dice, outcome = Crawl(folder), random.Random(seed), Outcome()
    for number in range(tries):
        target = _fresh(folder, f"interrupted-{number}")
        with _command(crawl, target, "--workers", "2") as process:
            _work_begun(target, process, dice.randrange(40))
            os.killpg(process.pid, signal.SIGINT)
            _, said = process.communicate(timeout=LONGEST_SECONDS)
        fine = process.returncode in (130, 0) and "Traceback" not in said
        wrong = crawl.resumed(target) if process.returncode else differences(target, crawl.expected)
        outcome.add(_told(f"interrupted, try {number}", wrong if fine else f"{process.returncode}: {said}"))
        shutil.rmtree(target.parent)
    return outcome


def worker_killed(tries: int, folder: Path, seed: int) -> Outcome:
    """One of two workers is killed, as the system does when memory runs out."""
    crawl, dice, outcome = Crawl(folder), random.Random(seed), Outcome()
    for number in range(tries):
        target = _fresh(folder, f"worker-{number}")
        with _command(crawl, target, "--workers", "2") as process:
            _work_begun(target, process, dice.randrange(30))
            is_killed = _kill_a_worker(process.pid)
            _, said = process.communicate(timeout=LONGEST_SECONDS)
        fine = not is_killed or ("a worker process was ended" in said and process.returncode == 2)
        wrong = crawl.resumed(target) if process.returncode else differences(target, crawl.expected)
        outcome.add(
            _told(f"worker killed, try {number}", wrong if fine else f"ended with {process.returncode}: {said}")
        )
        shutil.rmtree(target.parent)
    return outcome


def _kill_a_worker(parent: int) -> bool:
    """Workers are spawned: their command says so. The one that tracks resources is no worker."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < deadline:
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                command = (path / "cmdline").read_bytes()
                status = (path / "stat").read_text().rpartition(")")[2].split()
                if int(status[1]) == parent and b"spawn_main" in command and status[0] != "Z":
                    os.kill(int(path.name), signal.SIGKILL)
                    return True
        if not Path(f"/proc/{parent}").exists() or Path(f"/proc/{parent}/stat").read_text().split()[2] == "Z":
            return False
        time.sleep(0.01)
    return False


# --- disks and files ----------------------------------------------------------------------------------------


def disk_full(tries: int, folder: Path, seed: int) -> Outcome:
    """A file system that has no room left at some moment of a build, and then has."""
    crawl, dice, outcome = Crawl(folder), random.Random(seed), Outcome()
    used = _peak_bytes(crawl, folder)
    for number in range(tries):
        disk = folder / f"disk-{number}"
        disk.mkdir()
        with _small_disk(disk, dice.randrange(used // 20, used)) as enlarge:
            status = ended(begun(_build_and_tell, crawl.warc, disk / "a.kin", disk.with_suffix(".said")))
            said = disk.with_suffix(".said").read_text("utf-8")
            fine = status == 0 and (not said or "No space left on device" in said or "full" in said)
            enlarge()
            wrong = crawl.resumed(disk / "a.kin") if said else differences(disk / "a.kin", crawl.expected)
        outcome.add(_told(f"full disk, try {number}", wrong if fine else f"ended with {status}: {said}"))
    return outcome


def _peak_bytes(crawl: Crawl, folder: Path) -> int:
    """About as much as a build needs: what stays, and the tables in between."""
    return 3 * read_manifest(folder / "whole.kin").bytes


def _build_and_tell(crawl: Path, target: Path, told: Path) -> None:
    told.write_text("", "utf-8")
    try:
        build_index(crawl, target, ())
    except PagekinError as fault:
        told.write_text(str(fault), "utf-8")


@contextlib.contextmanager
def _small_disk(folder: Path, size: int) -> Iterator[Callable[[], None]]:
    """A tmpfs of a size, which may be enlarged."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
    try:
        yield lambda: subprocess.run(["mount", "-o", "remount,size=1G", str(folder)], check=True)  # type: ignore[misc]
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def file_limit(tries: int, folder: Path, seed: int) -> Outcome:
    """Files that may not grow beyond a size, for those who may not mount a small disk."""
    crawl, dice, outcome = Crawl(folder), random.Random(seed), Outcome()
    largest = max(path.stat().st_size for path in (folder / "whole.kin").rglob("*") if path.is_file())
    for number in range(tries):
        target = _fresh(folder, f"limit-{number}")
        told = folder / f"limit-{number}.said"
        status = ended(begun(_build_limited, crawl.warc, target, told, dice.randrange(1000, largest)))
        said = told.read_text("utf-8")
        wrong = crawl.resumed(target) if said else differences(target, crawl.expected)
        fine = status == 0 and (not said or "File too large" in said)
        outcome.add(_told(f"limited files, try {number}", wrong if fine else f"ended with {status}: {said}"))
        shutil.rmtree(target.parent)
    return outcome


def _build_limited(crawl: Path, target: Path, told: Path, most: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    told.write_text("", "utf-8")
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        build_index(crawl, target, ())
    except PagekinError as fault:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        told.write_text(str(fault), "utf-8")


def input_gone(tries: int, folder: Path, seed: int) -> Outcome:
    """An input that vanishes while it is read, and comes back."""
    crawl, dice, outcome = Crawl(folder), random.Random(seed), Outcome()
    for number in range(tries):
        target = _fresh(folder, f"gone-{number}")
        hidden, told = crawl.warc.with_suffix(".hidden"), folder / f"gone-{number}.said"
        process = begun(_build_and_tell, crawl.warc, target, told)
        process.join(dice.uniform(0, crawl.seconds / 2))
        crawl.warc.rename(hidden)
        status = ended(process)
        hidden.rename(crawl.warc)
        said = told.read_text("utf-8") if told.exists() else ""
        wrong = _without_the_input(crawl, target, status, said)
        outcome.add(_told(f"input gone, try {number}", wrong))
        shutil.rmtree(target.parent)
    return outcome


def _without_the_input(crawl: Crawl, target: Path, status: int | str, said: str) -> str:
    """A build that lost its input says so and goes on when it is back; one that had read it does not mind."""
    if status != 0:
        return f"ended with {status}"
    if said:
        return "" if "sample.warc.gz" in said and not crawl.resumed(target) else f"said {said!r}, and is not resumed"
    return differences(target, crawl.expected)


def _can_mount() -> bool:
    return os.geteuid() == 0 and shutil.which("mount") is not None and _mounts()


def _mounts() -> bool:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
        return done.returncode == 0 and subprocess.run(["umount", folder], capture_output=True).returncode == 0


SAME = "`--resume` gives the same index, file by file"
FULL = (
    Fault("crash", "a disk that is full", f"told in a sentence; {SAME} once there is room", 1, 8, disk_full)
    if _can_mount()
    else Fault("crash", "a file that may not grow", f"told in a sentence; {SAME}", 1, 8, file_limit)
)
FAULTS = (
    Fault("crash", "a build killed (-9) at a random moment", SAME, 2, 50, killed),
    Fault("crash", "a build killed that replaces an index", "the old index, or the new", 1, 6, replacing_killed),
    Fault("crash", "Ctrl-C", f"status 130, no trace of a fault; {SAME}", 1, 4, interrupted),
    Fault("crash", "a worker killed", f"told in a sentence; {SAME}", 1, 4, worker_killed),
    FULL,
    Fault("crash", "an input file that vanishes", f"told in a sentence; {SAME} once it is back", 1, 8, input_gone),
)
