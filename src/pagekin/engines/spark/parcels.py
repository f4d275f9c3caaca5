"""How rows travel through Spark: as *parcels*, Arrow batches with an address.

Spark would take rows apart into a format of its own and put them together again on the other side. A parcel is one row
to it: the place where it goes, who sent it, and some bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa
from pyspark import TaskContext

PARCEL_BYTES = 4 << 20  # of a parcel, about, before it is compressed
PARCELS = pa.schema([("place", pa.int32()), ("sender", pa.int32()), ("part", pa.int32()), ("rows", pa.binary())])
TYPES = "place int, sender int, part int, rows binary"  # the same for Spark


class Parcel(NamedTuple):
    """Rows that arrived; those of one sender come in the order of their parts."""

    place: int
    sender: int
    part: int
    size: int  # in bytes, on its way
    rows: pa.Table


def packed(rows: pa.Table) -> bytes:
    """A table as bytes."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as stream:
        stream.write_table(rows.combine_chunks())
    data: bytes = sink.getvalue().to_pybytes()
    return data


def unpacked(data: bytes) -> pa.Table:
    """What was packed."""
    with pa.ipc.open_stream(data) as stream:
        return stream.read_all()


def sent(place: int, sender: int, rows: pa.Table) -> Iterator[pa.RecordBatch]:
    """A table as rows for Spark, none of them too large."""
    size = max(PARCEL_BYTES * rows.num_rows // max(rows.nbytes, 1), 1)
    for part, start in enumerate(range(0, rows.num_rows, size)):
        columns = [[place], [sender], [part], [packed(rows.slice(start, size))]]
        yield pa.record_batch([pa.array(c, t) for c, t in zip(columns, PARCELS.types, strict=True)], schema=PARCELS)


def received(batches: Iterable[pa.RecordBatch]) -> list[Parcel]:
    """The parcels that came to one place, in an order that does not depend on which came first."""
    parcels = [
        Parcel(place, sender, part, len(data), unpacked(data))
        for batch in batches
        for place, sender, part, data in zip(*(batch[name].to_pylist() for name in PARCELS.names), strict=True)
    ]
    return sorted(parcels, key=lambda parcel: (parcel.sender, parcel.part))


def total_size(parcels: Iterable[Parcel]) -> int:
    """How many bytes have travelled."""
    return sum(parcel.size for parcel in parcels)


def joined(parcels: Iterable[Parcel]) -> pa.Table | None:
    """All rows in one table; None if there are none."""
    tables = [parcel.rows for parcel in parcels]
    return pa.concat_tables(tables) if tables else None


def this_place() -> int:
    """The place that a worker works at, if what it does there follows the sending at once."""
    context = TaskContext.get()
    assert context is not None
    return context.partitionId()
