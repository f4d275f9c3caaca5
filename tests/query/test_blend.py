"""What counts how much: by the settings, as asked for, and without what fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.errors import SettingsError
from pagekin.query.blend import asked_blend, check_listing, settled_blend, without
from pagekin.settings import SimilaritySettings

ALL = ("text", "concepts", "words", "cocitation", "links", "authority")


def test_the_defaults_are_the_shares_of_the_settings() -> None:
    settings = SimilaritySettings()
    blend = settled_blend(settings, ALL, about=False)
    assert blend["links"] == pytest.approx(settings.linked)
    assert sum(blend.values()) == pytest.approx(1)
    assert "words" not in blend and "authority" not in blend


def test_what_an_index_lacks_counts_for_the_text() -> None:
    assert settled_blend(SimilaritySettings(), ("text",), about=False) == {"text": 1.0}


def test_words_to_be_about_take_their_share() -> None:
    assert settled_blend(SimilaritySettings(keywords=0.5), ("text",), about=True) == {"text": 0.5, "keywords": 0.5}


def test_weights_that_are_asked_for_add_up_to_1() -> None:
    assert asked_blend({"text": 3, "links": 1, "words": 0}, ALL, False, Path("a.kin")) == {"text": 0.75, "links": 0.25}


@pytest.mark.parametrize(
    ("weights", "about", "said"),
    [
        ({"txt": 1.0}, False, "no source 'txt'"),
        ({"text": -1.0, "links": 2.0}, False, "must not be negative"),
        ({"text": 0.0}, False, "at least one"),
        ({"words": 1.0}, False, "a.kin has no words; build it again with --set words.dimensions=256"),
        ({"text": 1.0}, True, "keywords=1"),
        ({"keywords": 1.0}, False, "do not weigh keywords"),
    ],
)
def test_weights_that_cannot_be(weights: dict[str, float], about: bool, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        asked_blend(weights, ("text", "links"), about, Path("a.kin"))


def test_what_is_left_out_is_shared_by_the_others() -> None:
    assert without({"text": 0.5, "links": 0.25, "concepts": 0.25}, "text") == {"links": 0.5, "concepts": 0.5}


def test_authority_alone_finds_nothing() -> None:
    with pytest.raises(SettingsError, match="finds none"):
        check_listing({"authority": 1.0})
