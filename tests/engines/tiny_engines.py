"""Engines whose runs and ranges hold a few rows, so that small tables are cut as large ones are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagekin.engines.local import LocalEngine

if TYPE_CHECKING:
    from pagekin.engines.spark import SparkEngine


@dataclass
class TinyLocal(LocalEngine):
    """Runs and ranges of so many bytes."""

    share_bytes: int = 200
    workers: int = 1

    def share(self, parts: int) -> int:
        return self.share_bytes


def tiny_spark(share_bytes: int = 200, **settings: str) -> SparkEngine:
    """The same on Spark."""
    from pagekin.engines.spark import SparkEngine

    class TinySpark(SparkEngine):
        def share(self, parts: int) -> int:
            return share_bytes

    return TinySpark(settings=settings)
