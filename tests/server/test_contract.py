"""What OpenAPI says is so: questions made from it by chance, good and bad, bring no fault and no other answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import positive_data_acceptance

from pagekin.server.app import create_app
from pagekin.server.options import ServeOptions

EXAMPLES = 25  # of each route
DESCRIPTION = create_app(Path("none.kin"), ServeOptions(open_later=True)).openapi()

schema = schemathesis.openapi.from_dict(DESCRIPTION)


@pytest.fixture(scope="module")
def address(serving: Callable[..., Any], index: Path) -> Iterator[str]:
    """Where the service is."""
    with serving(index) as running:
        yield running.address


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_a_route_keeps_its_contract(case: Case, address: str) -> None:
    # A query or a weight of the right form may still mean nothing, and is answered with 400.
    case.call_and_validate(base_url=address, excluded_checks=[positive_data_acceptance])
