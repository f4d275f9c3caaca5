"""Rows on their way through Spark."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from pagekin.engines.spark import parcels


@given(st.lists(st.integers(-9, 9), max_size=30), st.integers(1, 200), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_what_is_sent_is_received_in_order(values: list[int], size: int, random: st.randoms) -> None:  # type: ignore[valid-type]
    table = pa.table({"value": pa.array(values, pa.int64())})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "PARCEL_BYTES", size)
        batches = [*parcels.sent(3, 1, table), *parcels.sent(3, 0, table)]
    random.shuffle(batches)  # type: ignore[attr-defined]
    came = parcels.received(batches)
    assert {parcel.place for parcel in came} <= {3}
    joined = parcels.joined(came)
    assert (joined["value"].to_pylist() if joined is not None else []) == values * 2
    assert parcels.total_size(came) == sum(len(batch["rows"][0].as_py()) for batch in batches)


def test_nothing_is_sent_of_an_empty_table() -> None:
    assert list(parcels.sent(0, 0, pa.table({"value": pa.array([], pa.int64())}))) == []
    assert parcels.joined([]) is None
