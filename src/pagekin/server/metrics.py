"""What Prometheus is told.

With several worker processes the counts of all are added: each writes its own to a file in the folder that
PROMETHEUS_MULTIPROC_DIR names, and whichever is asked reads them all. What is said of the index is that of the process
that is asked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from pagekin.server.opened import Opened

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The counts of one process."""

    def __init__(self, opened: Opened) -> None:
        own = CollectorRegistry()
        self._registry = CollectorRegistry() if SHARED_FOLDER in os.environ else own
        if self._registry is not own:
            MultiProcessCollector(self._registry)  # type: ignore[no-untyped-call]
        self._registry.register(_IndexFacts(opened))
        names = ("route", "method", "status")
        self.requests = Counter("pagekin_requests", "Requests that were answered.", names, registry=own)
        self.errors = Counter("pagekin_errors", "Answers with a status of 400 or more.", names, registry=own)
        self.seconds = Histogram(
            "pagekin_request_seconds", "How long requests took.", ["route"], registry=own, buckets=_SECONDS
        )
        self.remembered = Counter("pagekin_remembered", "Answers that were given again from memory.", registry=own)
        self.reloads = Counter("pagekin_reloads", "Times that the index was opened anew.", ["result"], registry=own)

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request."""
        self.requests.labels(route, method, status).inc()
        if status >= 400:
            self.errors.labels(route, method, status).inc()
        self.seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)


class _IndexFacts(Collector):
    """The age and size of the open index, when it is asked for."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("pagekin_ready", "Whether an index is open.", int(self._opened.is_open))
        if self._opened.is_open:
            index = self._opened.index
            built = datetime.fromisoformat(index.manifest.built_at)
            age = time.time() - (built if built.tzinfo else built.replace(tzinfo=UTC)).timestamp()
            yield GaugeMetricFamily("pagekin_index_age_seconds", "Since the index was built.", age)
            yield GaugeMetricFamily("pagekin_index_bytes", "The size of the index on disk.", index.manifest.bytes)
            yield GaugeMetricFamily("pagekin_index_documents", "Documents that can be asked for.", len(index))
