"""The command line as a whole: help, version, statuses, what it loads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pagekin.cli import COMMANDS, commands
from pagekin.version import VERSION

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(command: str) -> None:
    result = CliRunner().invoke(commands, [command, "--help"])
    assert result.exit_code == 0
    assert "Example:\n" in result.output
    assert f"  pagekin {command}" in result.output


def test_the_help_lists_every_command_with_a_sentence() -> None:
    result = CliRunner().invoke(commands, ["--help"])
    assert "Example:\n" in result.output
    lines = [line.split(maxsplit=1) for line in result.output.partition("Commands:\n")[2].splitlines() if line]
    assert [line[0] for line in lines] == list(COMMANDS)
    assert all(line[1] for line in lines)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_sentence(command: str) -> None:
    for parameter in commands.get_command(None, command).params:  # type: ignore[arg-type, union-attr]
        if parameter.param_type_name == "option":
            assert parameter.help, parameter.name  # type: ignore[attr-defined]


def test_the_version_is_told(pagekin: Run) -> None:
    done = pagekin("--version")
    assert (done.returncode, done.stdout) == (0, f"pagekin, version {VERSION}\n")


@pytest.mark.parametrize("arguments", [["nonsense"], ["build"], ["build", "x"], ["info", "--nonsense"], []])
def test_wrong_use_ends_with_status_2(pagekin: Run, arguments: list[str]) -> None:
    done = pagekin(*arguments)
    assert done.returncode == 2
    assert "Usage: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"], ["info", "INDEX"]])
def test_quick_commands_do_not_load_the_kernels(index: Path, arguments: list[str]) -> None:
    given = [str(index) if argument == "INDEX" else argument for argument in arguments]
    code = (
        "import sys; from pagekin.cli import commands\n"
        f"commands.main({given!r}, standalone_mode=False)\n"
        "sys.exit(3 if 'numba' in sys.modules else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False)
    assert done.returncode == 0


def test_a_closed_pipe_is_no_fault(index: Path) -> None:
    code = "from pagekin.cli import main; main()"
    command = f"'{sys.executable}' -c '{code}' info '{index}' | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
