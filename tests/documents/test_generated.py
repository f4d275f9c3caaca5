"""The documents made from the code say what the code says."""

from __future__ import annotations

import pytest

from .generated import COMMAND, DOCUMENTS, ROOT


@pytest.mark.parametrize("path", DOCUMENTS)
def test_document_is_what_the_code_says(path: str) -> None:
    assert (ROOT / path).read_text("utf-8") == DOCUMENTS[path](), f"{path} is old; write it with: {COMMAND}"
