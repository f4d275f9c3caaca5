from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = ("damage", "dice", "language", "responses", "sites", "warc_writer")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(import_module(f"pagekin.sample.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
