"""JSON lines are read back by a plain reader of lines and of JSON."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import given

from pagekin.exports.json_lines import json_lines
from pagekin.exports.rows import PageRow

from .texts import ROWS


def test_a_line_is_an_object_of_the_promised_keys(rows: list[PageRow]) -> None:
    first = json.loads(next(json_lines(rows)))
    assert list(first) == ["url", "title", "related"]
    assert first["related"] == [{"rank": 1, "url": "http://b.test/", "title": "tab\tline\nend \\N", "score": 0.75}]


def test_a_page_without_relatives_has_a_line(rows: list[PageRow]) -> None:
    assert json.loads(list(json_lines(rows))[2]) == {"url": "http://c.test/?x=1", "title": "", "related": []}


@given(ROWS)
def test_whatever_is_written_is_read_back_line_by_line(rows: list[PageRow]) -> None:
    lines = "".join(json_lines(rows)).splitlines()
    as_read = [
        dataclasses.asdict(row) | {"related": [dataclasses.asdict(near) for near in row.related]} for row in rows
    ]
    assert [json.loads(line) for line in lines] == as_read
