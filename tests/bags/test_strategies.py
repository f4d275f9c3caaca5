"""All strategies of the paper can be named in a settings file and built."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from pagekin.cli import commands
from pagekin.settings import Strategy, read_settings

from .strategies import PAPER


def toml(strategy: Strategy) -> str:
    """A strategy as it stands in a settings file."""
    values = dataclasses.asdict(strategy).items()
    return "[strategy]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in values) + "\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages that link to one another and elsewhere."""
    folder = tmp_path_factory.mktemp("site")
    for name, other in (("one", "two"), ("two", "three"), ("three", "one")):
        html = (
            f"<html lang=en><title>{name} river</title><h2>Waters</h2><ul><li>a lake, <a href={other}.html>{other}</a>"
        )
        (folder / f"{name}.html").write_text(f"{html}<li><a href=http://far.test/>the sea</a></ul>", "utf-8")
    return folder


@pytest.mark.parametrize("name", PAPER)
def test_a_strategy_is_built_from_a_settings_file(name: str, site: Path, tmp_path: Path) -> None:
    settings, index = tmp_path / "settings.toml", tmp_path / "site.kin"
    settings.write_text(toml(PAPER[name]), "utf-8")
    options = ["-o", str(index), "--settings", str(settings), "--workers", "1", "--json"]
    done = CliRunner().invoke(commands, ["build", str(site), *options])
    assert done.exit_code == 0, done.output
    assert sum(pq.read_metadata(part).num_rows for part in (index / "bags").glob("*.parquet")) >= 3


def test_a_settings_file_gives_the_strategy_that_was_written(tmp_path: Path) -> None:
    for strategy in PAPER.values():
        (tmp_path / "settings.toml").write_text(toml(strategy), "utf-8")
        assert read_settings(tmp_path / "settings.toml").strategy == strategy


def test_one_choice_can_be_made_on_the_command_line() -> None:
    assert read_settings(None, ["strategy.window=topical"]).strategy == Strategy(window="topical")
    assert read_settings(None, ["strategy.window=8"]).strategy == Strategy(window="8")


def test_names_of_strategies_are_readable() -> None:
    names = {strategy.name for strategy in PAPER.values()}
    assert "anchor-topical stem dist sqrt jaccard" in names
    assert "0.3*content+2*anchor32+0.1*links stem dist nmdf jaccard" in names
