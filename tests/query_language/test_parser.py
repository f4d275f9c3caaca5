"""Texts become trees, or errors that say where."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.errors import QueryError
from pagekin.query_language import parser, tokens
from pagekin.query_language.nodes import (
    Boost,
    Date,
    Editex,
    Either,
    Fuzzy,
    InField,
    Language,
    Like,
    Near,
    Node,
    Phrase,
    Site,
    Sounds,
    Together,
    Wildcard,
    Word,
)
from pagekin.query_language.parser import DEEPEST, MOST_CHARACTERS, MOST_TERMS, parse_query
from pagekin.query_language.periods import period

A, B, C, D = Word("a"), Word("b"), Word("c"), Word("d")
HERE = Site("example.org")

PIECES = [
    *(
        "a",
        "b",
        "AND",
        "OR",
        "NOT",
        "NEAR/2",
        "NEAR/",
        "(",
        ")",
        '"',
        "“",
        "+",
        "-",
        "−",
        "=",
        "*",
        "?",
        "~",
        "~2",
        "^",
    ),
    *("^2", "title:", "url:", "site:", "lang:", "date:", "sounds:", "editex:", "like:", "x:", "/", ".", "..", ":", " "),
    *("2021", "example.org", "e-mail", "東京", "\n", "\0", "\ud800", "&"),
]


def test_examples() -> None:
    assert doctest.testmod(parser).failed == 0
    assert doctest.testmod(tokens).failed == 0


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("Weather", Word("weather")),
        ("=Finding", Word("finding", exact=True)),
        ('"Lord of the Rings"', Phrase(("lord", "of", "the", "rings"))),
        ("“native music”~3", Phrase(("native", "music"), 3)),
        ("»native music«", Phrase(("native", "music"))),
        ('"native"', Word("native")),
        ("java NEAR/5 compiler", Near("java", "compiler", 5)),
        ("Brit*ney", Wildcard("brit*ney")),
        ("*raklion", Wildcard("*raklion")),
        ("reali?ation", Wildcard("reali?ation")),
        ("microsoft~2", Fuzzy("microsoft", 2)),
        ("microsoft~", Fuzzy("microsoft", 1)),
        ("sounds:Tymczak", Sounds("tymczak")),
        ("editex:rodney~3", Editex("rodney", 3)),
        ("editex:rodney", Editex("rodney", 2)),
        ("like:rhodnee", Like("rhodnee")),
        ("site:Example.org", HERE),
        ("site:Bücher.example", Site("xn--bcher-kva.example")),
        ("lang:DE", Language("de")),
        ("lang:OR", Language("or")),
        ("date:2021-03", Date(*period("2021-03"))),
        ("java^3", Boost(Word("java"), 3.0)),
        ('"a b"~2^0.5', Boost(Phrase(("a", "b"), 2), 0.5)),
        ("title:a", InField("title", A)),
        ("Title:=a", InField("title", Word("a", exact=True))),
        ('title:"a b"', InField("title", Phrase(("a", "b")))),
        ("body:sounds:a", InField("body", Sounds("a"))),
        ("anchor:a*", InField("anchor", Wildcard("a*"))),
        ("title:a^2", Boost(InField("title", A), 2.0)),
        ("title:(a^2)", InField("title", Boost(A, 2.0))),
    ],
)
def test_one_term(text: str, node: Node) -> None:
    assert parse_query(text) == node


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("e-mail", ("e", "mail")),
        ("don't", ("don", "t")),
        ("foo/bar", ("foo", "bar")),
        ("http://example.org/", ("http", "example", "org")),
        ("12:30", ("12", "30")),
        ("東京都", ("東京", "京都")),
    ],
)
def test_a_word_that_pages_split_is_a_phrase(text: str, words: tuple[str, ...]) -> None:
    assert parse_query(text) == Phrase(words)


@pytest.mark.parametrize(
    "text", ["C++", "c", "C#", "(c)", "«c»", " c ", "…c!", "~c", "--c", "c ?", "& c", "c ->", "'c'"]
)
def test_punctuation_around_a_word_says_nothing(text: str) -> None:
    assert parse_query(text) == C


@pytest.mark.parametrize(
    "text", ["url:example.org/~jo?a=b", "url:example.org/~jo_(a)*b", "(url:http://example.org/jo a)", "url:x/a:b"]
)
def test_no_sign_has_a_meaning_in_an_address(text: str) -> None:
    assert "Phrase" in repr(parse_query(text))
    assert "Wildcard" not in repr(parse_query(text))


def test_an_address_may_have_brackets_of_its_own() -> None:
    assert parse_query("(url:a/b_(c))") == InField("url", Phrase(("a", "b", "c")))


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("a b c", Together(optional=(A, B, C))),
        ("+a -b c", Together((A,), (C,), (B,))),
        ("a −b", Together((), (A,), (B,))),
        ("a NOT b", Together((), (A,), (B,))),
        ("NOT a", Together(excluded=(A,))),
        ("NOT NOT a", A),
        ("NOT -a", A),
        ("+a", A),
        ("((a))", A),
        ("a AND b", Together((A, B))),
        ("a AND NOT b", Together((A,), (), (B,))),
        ("a AND b AND c", Together((A, B, C))),
        ("a OR b OR c", Either((A, B, C))),
        ("a b OR c", Either((Together(optional=(A, B)), C))),
        ("a AND b OR c", Either((Together((A, B)), C))),
        ("a (b OR c)", Together(optional=(A, Either((B, C))))),
        ("a AND (b OR c)", Together((A, Either((B, C))))),
        ("-(a b)", Together(excluded=(Together(optional=(A, B)),))),
        ("(a OR b)^2", Boost(Either((A, B)), 2.0)),
        ("title:(a OR b)", InField("title", Either((A, B)))),
        ("-a NEAR/2 b c", Together((), (C,), (Near("a", "b", 2),))),
    ],
)
def test_terms_together(text: str, node: Node) -> None:
    assert parse_query(text) == node


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("a AND b c", Together((A, B), (C,))),
        ("a AND b c AND d", Together((A, B, C, D))),
        ("(a AND b) c", Together((Together((A, B)),), (C,))),
        ("((a AND b)) c", Together((Together((A, B)),), (C,))),
        ("(a AND b)^2 c", Together((Boost(Together((A, B)), 2.0),), (C,))),
        ("(+a +b) c", Together(optional=(Together((A, B)), C))),
    ],
)
def test_what_and_joins_is_required(text: str, node: Node) -> None:
    assert parse_query(text) == node


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("a site:example.org", Together((A, HERE))),
        ("a b site:example.org", Together((Together(optional=(A, B)), HERE))),
        ("+a b site:example.org", Together((A, HERE), (B,))),
        ("+site:example.org a", Together((HERE,), (A,))),
        ("a AND site:example.org b", Together((A, HERE), (B,))),
        ("site:example.org lang:de", Together((HERE, Language("de")))),
        ("a (site:example.org OR lang:de)", Together((A, Either((HERE, Language("de")))))),
        ("a (site:example.org AND lang:de)", Together((A, Together((HERE, Language("de")))))),
        ("a (site:example.org OR b)", Together(optional=(A, Either((HERE, B))))),
        ("a (NOT b)", Together((A, Together(excluded=(B,))))),
        ("a -site:example.org", Together((), (A,), (HERE,))),
        ("a site:example.org^2", Together(optional=(A, Boost(HERE, 2.0)))),
    ],
)
def test_filters_are_required_and_words_are_too(text: str, node: Node) -> None:
    assert parse_query(text) == node


@pytest.mark.parametrize(
    ("text", "caret", "said"),
    [
        ("", "^", "expected a word, a phrase or a bracket, found the end"),
        ("&", " ^", "found the end"),
        ("title:(weather OR", "                 ^", "expected a word, a phrase or a bracket, found the end"),
        ("a AND", "     ^", "found the end"),
        ("OR a", "^^", "expected a word, a phrase or a bracket, found OR"),
        ("a AND OR b", "      ^^", "found OR"),
        ("a)", " ^", "found )"),
        ("()", " ^", "found )"),
        ("(a", "  ^", "or ), found the end"),
        ('a "b', "  ^", "expected another quote"),
        ('""', "^^", "expected a word between the quotes"),
        ("titel:a", "^^^^^^", "expected one of title:, body:"),
        ("title: a", "      ^", "right after title:, found a space"),
        ("title:-a", "      ^", "found -"),
        ("title:site:a", "      ^^^^^", "found site:"),
        ("title:a NEAR/5 b", "        ^^^^^^", "title:(a NEAR/5 b)"),
        ("NEAR/5 b", "^^^^^^", "only between two plain words"),
        ("a NEAR/5", "        ^", "expected a word after NEAR/5, found the end"),
        ("e-mail NEAR/5 b", "       ^^^^^^", "only between two plain words"),
        ("a NEAR/x b", "  ^^^^^^", "expected a number, as in NEAR/5"),
        ("a NEAR/0 b", "  ^^^^^^", "expected a number from 1 to 1000"),
        ("a NEAR/2 b NEAR/2 c", "           ^^^^^^", "expected brackets"),
        ("a~4", " ^^", "expected a number from 1 to 3, found ~4"),
        ("a~" + "9" * 5000, " ^", "expected a number from 1 to 3"),
        ("a~x", " ^", "expected a number or a space after ~, found x"),
        ("e-mail~", "      ^", "expected ~ only after"),
        ("a*~1", "  ^^", "without * and ?"),
        ('"a"~2', "   ^^", "a phrase of several words"),
        ("(a)~2", "   ^^", "expected ~ only after"),
        ("a^x", " ^", "expected a number, as 3 or 0.5, after ^, found x"),
        ("a^0", " ^^", "expected a boost from 0.001 to 1000"),
        ("a^2^3", " ^", "expected a number"),
        ("e-m*", "^^^^", "expected a single word with * and ?"),
        ("=e-mail", " ^^^^^^", "expected a single plain word after ="),
        ("=a*", " ^^", "expected a single plain word after ="),
        ("sounds:e-mail", "       ^^^^^^", "expected a single plain word after sounds:"),
        ("sounds:a~2", "        ^^", "expected ~ only after"),
        ("site:http://example.org/", "     ^^^^^^", "expected the name of a site"),
        ("site:example.org:80", "     ^^^^^^", "expected the name of a site"),
        ("lang:german", "     ^^^^^^", "expected a language by its letters"),
        ("date:2021-13", "     ^^^^^^^", "expected a year, month or day"),
        ("date:2022..2021", "     ^^^^^^^", "the earlier first"),
        ("天气 )", "     ^", "found )"),
    ],
)
def test_errors_say_where_and_what(text: str, caret: str, said: str) -> None:
    with pytest.raises(QueryError) as error:
        parse_query(text)
    assert said in str(error.value)
    line = error.value.caret.split("\n")[1]
    assert line.startswith(caret) and said in line
    assert line.index("^") == len(caret) - len(caret.lstrip(" "))


def test_a_long_query_is_refused() -> None:
    parse_query("a".ljust(MOST_CHARACTERS))
    with pytest.raises(QueryError, match="at most 10,000"):
        parse_query("a".ljust(MOST_CHARACTERS + 1))


def test_deep_brackets_are_refused() -> None:
    assert parse_query("(" * DEEPEST + "a" + ")" * DEEPEST) == A
    with pytest.raises(QueryError, match="brackets in one another"):
        parse_query("(" * 4000 + "a" + ")" * 4000)


def test_brackets_side_by_side_are_not_deep() -> None:
    parse_query("(a) " * (DEEPEST + 1))


@pytest.mark.parametrize("term", ["a ", "a-a ", '"a a" ', "a* ", "lang:en "])
def test_many_terms_are_refused(term: str) -> None:
    words = term.count("a") if "lang" not in term else 1
    parse_query(term * (MOST_TERMS // words))
    with pytest.raises(QueryError, match="at most 256 words"):
        parse_query(term * (MOST_TERMS // words + 1))


@pytest.mark.parametrize(
    "piece", ["NOT ", "-", "=", "url:", "url:(", "title:", '"', "a^", "+-", "-=", "a OR ", "http://", "~"]
)
def test_what_is_repeated_without_end_is_read_in_one_pass(piece: str) -> None:
    text = (piece * MOST_CHARACTERS)[:MOST_CHARACTERS]
    with pytest.raises(QueryError):
        parse_query(text)


@settings(deadline=None, max_examples=500)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_query(text)
    except QueryError as error:
        assert "^" in error.caret.split("\n")[1]


def test_reading_a_query_loads_no_kernel() -> None:
    code = (
        "import sys; from pagekin.query_language.parser import parse_query;"
        "parse_query('a site:b'); parse_query('é*'); sys.exit('numba' in sys.modules or 'pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
