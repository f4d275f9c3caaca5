"""The files for running the service elsewhere name what there is: options, paths and files of the project."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from pagekin.cli.serve import serve

ROOT = Path(__file__).resolve().parents[1]
UNIT = ROOT / "deploy" / "pagekin.service"
KEYWORDS = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "VOLUME", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each on one line."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.M).replace("\\\n", " ")
    pairs = [line.partition(" ") for line in text.splitlines() if line.strip()]
    return [(keyword, rest.strip()) for keyword, _, rest in pairs]


def known_options() -> set[str]:
    return {name for parameter in serve.params for name in parameter.opts}


def given_options(words: list[str]) -> set[str]:
    return {word for word in words if word.startswith("--")}


def test_the_dockerfile_has_instructions_only() -> None:
    assert {keyword for keyword, _ in instructions()} <= KEYWORDS


def test_the_image_does_not_run_as_root() -> None:
    users = [rest for keyword, rest in instructions() if keyword == "USER"]
    assert users and users[-1] != "root"


def test_what_is_copied_into_the_image_is_here() -> None:
    copied = [rest.split()[:-1] for keyword, rest in instructions() if keyword == "COPY" and "--from" not in rest]
    assert all((ROOT / name).exists() for names in copied for name in names)


def test_the_image_gives_options_that_there_are() -> None:
    words = [
        w for keyword, rest in instructions() if keyword in ("ENTRYPOINT", "CMD") for w in re.findall('"(.*?)"', rest)
    ]
    assert given_options(words) and given_options(words) <= known_options()


def test_the_unit_gives_options_that_there_are() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(UNIT, "utf-8")
    words = shlex.split(unit["Service"]["ExecStart"])
    assert words[1] == "serve"
    assert given_options(words) and given_options(words) <= known_options()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    text = UNIT.read_text("utf-8")
    command = re.search(r"^ExecStart=(\S+)", text, re.M)
    assert command
    there = tmp_path / "pagekin.service"
    there.write_text(text.replace(command[1], "/bin/true"), "utf-8")  # pagekin need not be installed here
    done = subprocess.run(["systemd-analyze", "verify", str(there)], capture_output=True, text=True, check=False)
    assert not [line for line in done.stderr.splitlines() if "pagekin.service" in line]
