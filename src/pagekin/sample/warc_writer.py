"""Writes WARC/1.1 files: one gzip member a record, the same bytes for the same records.

The gzip header is written here, because Python's has the time and the system in it.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from base64 import b32encode
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO
from uuid import NAMESPACE_URL, uuid5

GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
LEVEL = 4
HTTP_RESPONSE = "application/http; msgtype=response"
HTTP_REQUEST = "application/http; msgtype=request"


@dataclass(frozen=True)
class Record:
    """A record before it is written; `head` and `payload` together are its block."""

    kind: str
    date: str
    url: str = ""
    content_type: str = HTTP_RESPONSE
    head: bytes = b""
    payload: bytes = b""
    more: dict[str, str] = field(default_factory=dict)


class WarcWriter:
    """One WARC file, open for writing."""

    def __init__(self, path: Path, name: str) -> None:
        self.records = 0
        self._name = name
        self._file: BinaryIO = path.open("wb")

    def __enter__(self) -> WarcWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, record: Record) -> None:
        """Add one record."""
        self._file.write(gzip_member(_serialised(record, f"{self._name}/{self.records}")))
        self.records += 1


def gzip_member(data: bytes) -> bytes:
    """The data as one gzip member without time or system."""
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b"".join((
        GZIP_HEADER, deflate.compress(data), deflate.flush(), struct.pack("<II", zlib.crc32(data), len(data)),
    ))  # fmt: skip


def payload_digest(payload: bytes) -> str:
    """A digest in the form that WARC headers use.

    >>> payload_digest(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return "sha1:" + b32encode(hashlib.sha1(payload, usedforsecurity=False).digest()).decode()


def _serialised(record: Record, name: str) -> bytes:
    block = record.head + record.payload
    lines = [
        "WARC/1.1",
        f"WARC-Type: {record.kind}",
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, name)}>",
        f"WARC-Date: {record.date}",
        *([f"WARC-Target-URI: {record.url}"] if record.url else []),
        *([f"WARC-Payload-Digest: {payload_digest(record.payload)}"] if record.kind == "response" else []),
        f"WARC-Block-Digest: {payload_digest(block)}",
        *(f"{key}: {value}" for key, value in record.more.items()),
        f"Content-Type: {record.content_type}",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"
