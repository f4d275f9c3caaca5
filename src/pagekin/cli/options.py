"""Options that several commands have: how crawl files are read, and with how much of the machine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pagekin.errors import SparkUnusable
from pagekin.settings import Settings, read_settings

if TYPE_CHECKING:
    from pagekin.engines.local import LocalEngine
    from pagekin.engines.protocol import Observer
    from pagekin.engines.spark import SparkEngine

Command = TypeVar("Command", bound=Callable[..., Any])

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class _Size(click.ParamType[int]):
    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", str(value).strip().lower())
        if not match:
            self.fail(f"{value!r} is no size; give one such as 500M or 2G", param, ctx)
        return int(float(match[1]) * _UNITS[match[2]])


SIZE = _Size()


FILE = click.Path(path_type=Path)
_CRAWL = (
    click.option("--settings", "settings_file", metavar="FILE", type=FILE, help="Settings in TOML."),
    click.option(
        "--set", "assignments", metavar="KEY=VALUE", multiple=True, help="One setting, such as crawl.base_url=http://x/."
    ),
    click.option("--base-url", metavar="URL", help="The address of a folder of HTML; by default http://FOLDER-NAME/."),
    click.option("--cut", "cuts", metavar="SELECTOR", multiple=True, help="Leave out what matches, as ul.related."),
    click.option("--stopwords", metavar="FILE", help="Your own stop words, in place of those by language."),
)  # fmt: skip
_WORK = (
    click.option("--workers", metavar="N", type=click.IntRange(min=1), help="Processes; by default one a core."),
    click.option(
        "--memory", metavar="SIZE", type=SIZE, default="1G", show_default=True, help="What they may use, about."
    ),
)  # fmt: skip

_SPARK = (
    click.option(
        "--engine", type=click.Choice(["local", "spark"]), default="local", show_default=True,
        help="What does the work: this machine, or Apache Spark.",
    ),
    click.option("--master", metavar="URL", help="Where Spark is, such as spark://host:7077; by default here."),
)  # fmt: skip
SPARK_SETTING = "spark."


def crawl_options(command: Command) -> Command:
    """How crawl files are read: the arguments of `given_settings`."""
    return _decorated(command, _CRAWL)


def work_options(command: Command) -> Command:
    """How much of the machine is used: the first two arguments of `local_engine`."""
    return _decorated(command, _WORK)


def _decorated(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def given_settings(
    settings_file: Path | None,
    assignments: tuple[str, ...],
    base_url: str | None,
    cuts: tuple[str, ...],
    stopwords: str | None,
    base: Settings | None = None,
) -> Settings:
    """The defaults, or other settings, changed by what the crawl options say."""
    given = [f"crawl.base_url={base_url}"] if base_url else []
    given += [f"crawl.cut={', '.join(cuts)}"] if cuts else []
    given += [f"strategy.stop_words={Path(stopwords).absolute()}"] if stopwords else []
    own = [assignment for assignment in assignments if not assignment.startswith(SPARK_SETTING)]
    return read_settings(settings_file, [*own, *given], base)


def spark_options(command: Command) -> Command:
    """What runs the steps: the first two arguments of `spark_engine`."""
    return _decorated(command, _SPARK)


def local_engine(workers: int | None, memory: int, observer: Observer, kernel: Callable[..., Any]) -> LocalEngine:
    """The engine of this machine; says so if a kernel that the command needs has to be compiled first."""
    from pagekin.engines.local import LocalEngine  # loads the compiled kernels, which help does not need
    from pagekin.freed_memory import keep_freed_memory
    from pagekin.kernels import compiled_before

    keep_freed_memory()
    if not compiled_before(kernel):
        click.echo("pagekin: first use of this on the machine; compiling takes up to a minute, once", err=True)
    return LocalEngine(workers or os.cpu_count() or 1, memory, observer)


def spark_settings(assignments: tuple[str, ...]) -> dict[str, str]:
    """The settings of Spark among assignments such as spark.executor.memory=4g."""
    own = [assignment for assignment in assignments if assignment.startswith(SPARK_SETTING)]
    for assignment in own:
        if "=" not in assignment:
            raise click.UsageError(f"--set {assignment}: expected spark.KEY=VALUE, such as spark.executor.memory=4g")
    return dict(assignment.split("=", 1) for assignment in own)


def spark_engine(
    engine: str, master: str | None, assignments: tuple[str, ...], memory: int, observer: Observer
) -> SparkEngine | None:
    """The engine of a cluster, if it is asked for; SparkUnusable if it is not installed."""
    settings = spark_settings(assignments)
    if engine != "spark":
        if master or settings:
            raise click.UsageError("--master and --set spark.… are for --engine spark")
        return None
    try:
        from pagekin.engines.spark import SparkEngine
    except ImportError as error:
        raise SparkUnusable(f"--engine spark needs {error.name}: pip install 'pagekin[spark]'") from None
    return SparkEngine(master or "", memory, settings, observer)
