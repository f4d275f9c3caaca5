from __future__ import annotations

import pytest

from pagekin.sample.damage import DAMAGES
from pagekin.sample.documents import document
from pagekin.sample.sites import Web

PAGE = document(Web(400, 1).page(3)).body.decode("utf-8", "replace")


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_changes_the_page_a_little(damage) -> None:  # type: ignore[no-untyped-def]
    page = f"<h2>Title</h2>{PAGE}"
    assert damage(page) != page
    assert len(damage(page)) > 0.8 * len(page)
