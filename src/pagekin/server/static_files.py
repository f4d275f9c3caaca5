"""The style sheet, scripts and pictures of the web pages: small files, held in memory, each known by its digest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

MEDIA_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_DIGEST_BYTES = 6


@dataclass(frozen=True)
class StaticFile:
    """A file that is the same for everybody."""

    name: str
    body: bytes
    media_type: str
    digest: str


@cache
def static_files() -> dict[str, StaticFile]:
    """All such files by their names; what is not among them cannot be asked for."""
    folder = files("pagekin.server") / "static"
    return {path.name: _static_file(path.name, path.read_bytes()) for path in folder.iterdir() if _is_static(path.name)}


def _is_static(name: str) -> bool:
    return name.rpartition(".")[2] in MEDIA_TYPES


def _static_file(name: str, body: bytes) -> StaticFile:
    digest = hashlib.blake2b(body, digest_size=_DIGEST_BYTES).hexdigest()
    return StaticFile(name, body, MEDIA_TYPES[name.rpartition(".")[2]], digest)
