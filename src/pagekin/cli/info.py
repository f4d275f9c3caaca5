"""pagekin info: what is in an index."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from pagekin.cli.text import cocitation_text, duplicates_text, print_facts, print_json, reasons_text, size_text
from pagekin.errors import IndexUnusable
from pagekin.stores.manifest import Manifest, damaged_files, read_manifest

_STORES = {
    "signatures.u32": "signatures",
    "buckets.u32": "inverted",
    "lists.u32": "inverted",
    "bags.u8": "bags",
    "bag_ends.i64": "bags",
}


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Read every file and compare its checksum.")
@click.option("--json", "as_json", is_flag=True, help="The manifest, as one JSON document on standard output.")
def info(index: Path, check: bool, as_json: bool) -> None:
    """Say what is in INDEX, what it was made from, and whether it is whole.

    \b
    Example:
      pagekin info site.kin --check
    """
    manifest = read_manifest(index)
    if check and (damaged := damaged_files(index, manifest)):
        raise IndexUnusable(f"damaged in {index}: {', '.join(damaged)}; build the index again")
    if as_json:
        print_json(dataclasses.asdict(manifest))
    else:
        _print_manifest(index, manifest, check)


def _bytes_per_document(manifest: Manifest) -> str:
    """What a document takes in H (signatures), I (buckets and lists) and the bags."""
    sizes = {"signatures": 0, "inverted": 0, "bags": 0}
    for name, file in manifest.files.items():
        kind = _STORES.get(name.rpartition("/")[2])
        if kind:
            sizes[kind] += file["bytes"]
    documents = max(manifest.counts["bags"], 1)
    parts = ", ".join(f"{kind} {size / documents:.0f}" for kind, size in sizes.items())
    return f"{sum(sizes.values()) / documents:.0f} bytes ({parts})"


def _language_names(codes: list[str]) -> str:
    """The languages whose stop words and stems were used.

    >>> _language_names(["en", "de", ""])
    'en, de and no language'
    """
    known = [code for code in codes if code]
    return f"{', '.join(known)} and no language" if known else "no language"


def _cocitation_facts(manifest: Manifest) -> list[tuple[str, str]]:
    found = manifest.cocitation
    if not found:
        return []
    filtered = reasons_text({name: links for name, links in found["filtered"].items() if links})
    return [("cited together", cocitation_text(found)), ("filtered", f"of links in blocks: {filtered or 'none'}")]


def _print_manifest(index: Path, manifest: Manifest, checked: bool) -> None:
    counts = manifest.counts
    facts = [
        ("index", str(index)),
        ("built", f"{manifest.built_at} by pagekin {manifest.pagekin}, format {manifest.format}"),
        ("from", ", ".join(f"{i['path']} ({size_text(i['bytes'])})" for i in manifest.inputs[:5])),
        ("pages", f"{counts['pages']:,}"),
        ("addresses", f"{counts['urls']:,} known, fetched or linked to"),
        ("links", f"{counts['links']:,}"),
        ("words", f"{counts['words']:,} different ones"),
        ("terms", f"{counts['terms']:,} by the rules of {_language_names(manifest.languages)}"),
        ("bags", f"{counts['bags']:,} by {manifest.strategy_name}"),
        *([("copies", duplicates_text(manifest.duplicates))] if manifest.duplicates else []),
        *_cocitation_facts(manifest),
        *([("rings", f"{counts['rings']:,} of sites that link to one another")] if counts.get("rings") else []),
        ("aliases", f"{counts['aliases']:,} other addresses of pages"),
        (
            "set aside",
            f"{counts['rejected']:,}" + (f" ({reasons_text(manifest.rejected)})" if manifest.rejected else ""),
        ),
        ("size", f"{size_text(manifest.bytes)} in {len(manifest.files)} files"),
        ("a document", _bytes_per_document(manifest)),
    ]
    if checked:
        facts.append(("checked", "every file is as it was written"))
    if len(manifest.inputs) > 5:
        facts.insert(3, ("", f"and {len(manifest.inputs) - 5} more"))
    print_facts(facts)
