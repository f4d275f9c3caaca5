"""All settings: one frozen dataclass a step, read from one TOML file and from `--set KEY=VALUE`.

A field's metadata holds what a person may want to know (`what`) and, where not every value is allowed, a
function that raises ValueError with the allowed ones (`check`).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

from pagekin.errors import SettingsError

MIB = 1 << 20


def setting(default: Any, what: str, check: Callable[[Any], None] | None = None) -> Any:
    """A field of a settings class, with a sentence for the person who sets it."""
    return field(default=default, metadata={"what": what, "check": check})


def one_of(*allowed: str) -> Callable[[Any], None]:
    """A check that refuses all but these values."""

    def check(value: Any) -> None:
        if value not in allowed:
            raise ValueError(f"allowed are {', '.join(allowed)}")

    return check


def at_least(least: float) -> Callable[[Any], None]:
    """A check that refuses what is smaller."""

    def check(value: Any) -> None:
        if not value >= least:
            raise ValueError(f"it must be {least} or more")

    return check


@dataclass(frozen=True)
class CrawlSettings:
    """How crawl files are read."""

    base_url: str = setting("", "the URL of a folder of HTML; by default http://FOLDER-NAME/")
    max_page_bytes: int = setting(16 * MIB, "larger pages are set aside", at_least(1))
    max_inflation: int = setting(1024 * MIB, "a record that inflates to more is left unread", at_least(1))
    split_bytes: int = setting(32 * MIB, "how much of an input one task reads", at_least(1))


@dataclass(frozen=True)
class Settings:
    """All sections, as they stand in a settings file."""

    crawl: CrawlSettings = CrawlSettings()

    @property
    def digest(self) -> str:
        """A short name for these settings: equal settings, equal digest."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def read_settings(path: Path | None = None, assignments: Iterable[str] = ()) -> Settings:
    """The defaults, changed by a TOML file and then by `section.key=value` assignments."""
    settings = Settings()
    if path is not None:
        settings = _changed(settings, _toml(path), str(path))
    for assignment in assignments:
        settings = _changed(settings, _assigned(assignment), "--set")
    return settings


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not a TOML file: {error}") from None


def _assigned(assignment: str) -> Mapping[str, Any]:
    name, equals, text = assignment.partition("=")
    section, dot, key = name.strip().partition(".")
    if not equals or not dot:
        raise SettingsError(f"--set {assignment}: expected SECTION.KEY=VALUE, such as crawl.split_bytes=1000000")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    return {section: {key: value}}


def _changed(settings: Settings, sections: Mapping[str, Any], where: str) -> Settings:
    changes = {}
    for name, values in sections.items():
        section = getattr(settings, name, None)
        if not dataclasses.is_dataclass(section) or not isinstance(values, Mapping):
            known = ", ".join(f.name for f in dataclasses.fields(settings))
            raise SettingsError(f"{where}: there is no section {name!r}; there are {known}")
        changes[name] = _changed_section(section, name, values, where)
    return dataclasses.replace(settings, **changes)


def _changed_section(section: Any, name: str, values: Mapping[str, Any], where: str) -> Any:
    fields = {f.name: f for f in dataclasses.fields(section)}
    types = get_type_hints(type(section))
    for key, value in values.items():
        if key not in fields:
            raise SettingsError(f"{where}: there is no {name}.{key}; there are {', '.join(fields)}")
        value = _typed(value, types[key], f"{where}: {name}.{key}")
        check = fields[key].metadata.get("check")
        try:
            if check is not None:
                check(value)
        except ValueError as error:
            raise SettingsError(f"{where}: {name}.{key} cannot be {value!r}: {error}") from None
        section = dataclasses.replace(section, **{key: value})
    return section


def _typed(value: Any, type_: Any, what: str) -> Any:
    if type_ is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type_ is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if type(value) is not type_:
        raise SettingsError(f"{what} cannot be {value!r}: expected {type_.__name__}")
    return value
