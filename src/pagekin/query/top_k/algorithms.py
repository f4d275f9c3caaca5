"""The algorithms by their names; all give the same answer, and differ in what they ask for it."""

from __future__ import annotations

from pagekin.query.top_k.combined import combined_algorithm
from pagekin.query.top_k.no_random_access import no_random_access
from pagekin.query.top_k.parallel_threshold import parallel_threshold
from pagekin.query.top_k.parallel_upper import parallel_upper
from pagekin.query.top_k.source_types import typed_threshold_algorithm
from pagekin.query.top_k.threshold import threshold_algorithm
from pagekin.query.top_k.upper import upper

ALGORITHMS = {
    "TA": threshold_algorithm,
    "NRA": no_random_access,
    "CA": combined_algorithm,
    "typed TA": typed_threshold_algorithm,
    "Upper": upper,
}
PARALLEL_ALGORITHMS = {"pTA": parallel_threshold, "pUpper": parallel_upper}
