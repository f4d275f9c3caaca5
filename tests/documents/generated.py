"""The documents that are made from the code: run this file to write them, the tests compare them.

python tests/documents/generated.py
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa

from pagekin import tables
from pagekin.pipelines import KEPT, SCHEMAS
from pagekin.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "python tests/documents/generated.py"
NOTE = f"<!-- Made by `{COMMAND}` from the code; a test compares it. Do not edit. -->"


TABLES_BEGIN = f"""# The tables

{NOTE}

Every table that passes between steps has a schema in `src/pagekin/tables.py`. The tables marked *kept* are in
a finished index (see [the index on disk](index.md)); the others live only while it is built.

- Ids (`page`, `site_id`, `word`, `term`) are signed 64-bit hashes of texts. The id of a page is the hash of
  its canonical URL without the scheme.
- A list column holds one list a row. Columns whose names share their first word (`link_page`, `link_first`)
  have lists of one length, whose entries at one place belong together.
- Positions count the words of a page from 0. A span goes from its first word to the one behind its last.
- No column may be null.
"""

SETTINGS_BEGIN = f"""# The settings

{NOTE}

All settings have defaults. Change them in a TOML file, given with `--settings FILE`, or one by one with
`--set SECTION.KEY=VALUE`, which comes last and wins:

```toml
[strategy]
window = "topical"
template_pages = 5
```

```console
$ pagekin build site/ -o site.kin --set strategy.window=topical --set strategy.template_pages=5
index ...
```

A name that does not exist, or a value that cannot be, is refused with the allowed ones:

<!-- status: 2 -->
```console
$ pagekin build site/ -o other.kin --set strategy.stemming=lancaster
pagekin: --set: strategy.stemming cannot be 'lancaster': allowed are nostem, stem, stopstem
```

The settings that an index was built with stand in its `manifest.json`, with their digest. What each setting
of the strategy does is explained in [bags](steps/bags.md).
"""


def tables_document() -> str:
    """docs/formats/tables.md."""
    lines = [TABLES_BEGIN]
    for name, schema in _schemas():
        lines += [f"## {name}", "", *_stands_in(schema), "| column | type | what it holds |", "|---|---|---|"]
        lines += [f"| `{field.name}` | {_type_name(field.type)} | {_sentence(field)} |" for field in schema]
        lines.append("")
    lines += ["## The kinds of break", "", *_wrapped_doc(tables.Break), "", "| bit | kind |", "|---|---|"]
    lines += [f"| {kind.value} | `{kind.name}` |" for kind in tables.Break]
    return "\n".join(lines) + "\n"


def _schemas() -> Iterator[tuple[str, pa.Schema]]:
    """What the readers give to the scan, and what stands in the tables of a build."""
    for name, value in vars(tables).items():
        if value is tables.CAPTURES or any(value is schema for schema in SCHEMAS.values()):
            yield name, value


def _stands_in(schema: pa.Schema) -> list[str]:
    """In which tables of the pipeline rows of this kind stand; kept ones are marked."""
    names = [name for name, other in SCHEMAS.items() if other is schema]
    marked = [f"`{name}` (kept)" if name in (*KEPT, "rejected") else f"`{name}`" for name in names]
    return [f"Tables of a build with these columns: {', '.join(marked)}.", ""] if marked else []


def _type_name(type_: pa.DataType) -> str:
    return f"list of {type_.value_type}" if pa.types.is_list(type_) else str(type_)


def _sentence(field: pa.Field) -> str:
    return _cell(field.metadata[b"what"].decode())


def _cell(text: str) -> str:
    """Text that can stand in a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def _wrapped_doc(thing: Any) -> list[str]:
    return [" ".join((thing.__doc__ or "").split())]


def settings_document() -> str:
    """docs/settings.md."""
    lines = [SETTINGS_BEGIN]
    for section in dataclasses.fields(Settings):
        lines += _section(section.name, getattr(Settings(), section.name))
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(name: str, section: Any) -> list[str]:
    types = get_type_hints(type(section))
    head = ["| key | type | default | what it means |", "|---|---|---|---|"]
    lines = [f"## [{name}]", "", *_wrapped_doc(section), "", *head]
    for field in dataclasses.fields(section):
        what, type_name = _cell(field.metadata["what"]), types[field.name].__name__
        lines.append(f"| `{field.name}` | {type_name} | `{_toml(getattr(section, field.name))}` | {what} |")
    return [*lines, ""]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


DOCUMENTS = {
    "docs/formats/tables.md": tables_document,
    "docs/settings.md": settings_document,
}


def main() -> None:
    """Write all of them."""
    for path, document in DOCUMENTS.items():
        (ROOT / path).write_text(document(), "utf-8")
        print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
