"""What tasks of Spark have read from its shuffle, as Spark itself counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def largest_tasks(spark: SparkSession) -> dict[str, int]:
    """The most bytes that came to one task of each step, in all jobs so far."""
    context = spark.sparkContext
    tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
    largest: dict[str, int] = {}
    for job in tracker.getJobIdsForGroup(None):
        step, info = store.job(job).description().get(), tracker.getJobInfo(job)
        reads = [size for stage in (info.stageIds if info else ()) for size in _read_bytes(store, stage)]
        largest[step] = max(largest.get(step, 0), *reads)
    return largest


def _read_bytes(store: Any, stage: int) -> list[int]:
    tasks = store.taskList(stage, 0, 1 << 20)
    reads = [tasks.apply(place).taskMetrics().get().shuffleReadMetrics() for place in range(tasks.size())]
    return [read.localBytesRead() + read.remoteBytesRead() for read in reads]
