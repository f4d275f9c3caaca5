"""From the text of a query to its tree, by recursive descent.

    query    = run { "OR" run }
    run      = chain { chain }                    a wish for all of them, the more the better ("ANDish")
    chain    = part { "AND" part }                all of these are required
    part     = { "NOT" } [ "+" | "-" ] operand [ "^" number ]
    operand  = "(" query ")" | phrase | word | word "NEAR/" number word | name ":" value

Two things are more than a wish without a sign that says so:

- a chain in brackets that stands in a run: `(a AND b) c` requires both of the first and wishes for the third;
- a filter, which says nothing of words: `site:`, `lang:`, `date:`, and brackets with nothing but these or what is
  excluded. `a b site:c` requires the site, and a page still has to have one of the words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pagekin.errors import QueryError
from pagekin.query_language.caret import query_fault
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
from pagekin.query_language.periods import period
from pagekin.query_language.tokens import FILTERS, SIMILAR, Kind, Token, tokens
from pagekin.query_language.words import LONGEST_WORD, WILD, page_pattern, page_words

MOST_CHARACTERS = 10_000
MOST_TERMS = 256
DEEPEST = 50  # brackets in brackets
MOST_EDITS, USUAL_EDITS = 3, 1
MOST_EDITEX, USUAL_EDITEX = 6, 2  # to replace a letter by one of another group costs 2
MOST_APART = 1000  # words, in a phrase with slop or for NEAR
LEAST_BOOST, MOST_BOOST = 0.001, 1000.0

OPERAND = "a word, a phrase or a bracket"

_HOST = re.compile(r"[0-9a-z._-]+|\[[0-9a-f:.]+\]")
_LANGUAGE = re.compile("[A-Za-z]{2,3}")
_PLAIN_WORDS = re.compile(f"[0-9a-z]{{1,{LONGEST_WORD}}}(?: [0-9a-z]{{1,{LONGEST_WORD}}}){{0,{MOST_TERMS - 1}}}")


# What a part is in the run that it stands in.
_Mark = Literal[
    "wished",
    "required",  # by a `+`
    "joined",  # by AND: required, also from within brackets
    "filter",
    "excluded",
]


class _Part(NamedTuple):
    mark: _Mark
    node: Node


def parse_query(text: str) -> Node:
    """The tree of a query; QueryError if it cannot be read.

    >>> parse_query("java -script")
    Together(required=(), optional=(Word(text='java', exact=False),), excluded=(Word(text='script', exact=False),))
    """
    if len(text) > MOST_CHARACTERS:
        raise QueryError(f"the query has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read")
    if _PLAIN_WORDS.fullmatch(text):
        return _plain_words(text)
    return _Parser(text).query()


def _plain_words(text: str) -> Node:
    """What the parser makes of words without any sign, which most queries are, in a tenth of its time."""
    words = tuple(map(Word, text.split(" ")))
    return Together((), words) if len(words) > 1 else words[0]


def _of_run(parts: Sequence[_Part], is_chain: bool) -> _Part:
    """A run as one part."""
    if len(parts) == 1 and (mark := parts[0].mark) != "excluded":
        return _Part("wished", parts[0].node) if mark == "required" else parts[0]
    marks = {part.mark for part in parts}
    if marks <= {"filter", "excluded"}:
        return _Part("filter", _together(parts))
    return _Part("joined" if is_chain else "wished", _together(parts))


def _together(parts: Sequence[_Part]) -> Together:
    marks = {part.mark for part in parts}
    required = _nodes(parts, "required", "joined", "filter")
    wished, excluded = _nodes(parts, "wished"), _nodes(parts, "excluded")
    if wished and "filter" in marks and not marks & {"required", "joined"}:
        return Together((wished[0] if len(wished) == 1 else Together((), wished), *required), (), excluded)
    return Together(required, wished, excluded)


def _nodes(parts: Sequence[_Part], *marks: _Mark) -> tuple[Node, ...]:
    return tuple(part.node for part in parts if part.mark in marks)


class _Parser:
    """Reads one query; `token` is the piece that comes next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = self.terms = 0
        self._tokens = tokens(text)
        self.token = next(self._tokens)

    def query(self) -> Node:
        node = self._either().node
        if self.token.kind != "end":
            raise self._fault(self.token, f"expected {OPERAND}, AND, OR or the end")
        return node

    # --- how parts are put together ---------------------------------------------------------------------------

    def _either(self) -> _Part:
        runs = [self._run()]
        while self._taken("or"):
            runs.append(self._run())
        if len(runs) == 1:
            return runs[0]
        is_filter = all(run.mark == "filter" for run in runs)
        return _Part("filter" if is_filter else "wished", Either(tuple(run.node for run in runs)))

    def _run(self) -> _Part:
        chains = [self._chain()]
        while self.token.kind not in ("or", "close", "end"):
            chains.append(self._chain())
        return _of_run([part for chain in chains for part in chain], is_chain=len(chains) == 1)

    def _chain(self) -> list[_Part]:
        parts = [self._part()]
        while self._taken("and"):
            parts.append(self._part())
        if len(parts) == 1:
            return parts
        kept = ("excluded", "filter")
        return [part if part.mark in kept else part._replace(mark="joined") for part in parts]

    def _part(self) -> _Part:
        if self.token.is_plain:
            return self._plain_word()
        is_excluded = is_required = False
        while self._taken("not"):
            is_excluded = not is_excluded
        if self._taken("plus"):
            is_required = True
        elif self._taken("minus"):
            is_excluded = not is_excluded
        mark, node = self._plain_word() if self.token.is_plain else self._boosted(self._operand())
        if is_excluded:
            return _Part("excluded", node)
        return _Part("required" if is_required else mark, node)

    def _plain_word(self) -> _Part:
        """The same as `_boosted` and all that it calls make of a plain word, in a third of the time."""
        self._count(self.token, 1)
        word = Word(self._take().text)
        return _Part("wished", self._near(word) if self.token.kind == "near" else word)

    def _boosted(self, part: _Part) -> _Part:
        if self.token.kind == "tilde":
            raise self._fault(self.token, "expected ~ only after a word, a phrase or editex:word")
        if self.token.kind != "boost":
            return part
        token = self._take()
        factor = float(token.text)
        if not LEAST_BOOST <= factor <= MOST_BOOST:
            raise self._fault(token, f"expected a boost from {LEAST_BOOST:g} to {MOST_BOOST:g}")
        mark = "wished" if part.mark == "filter" else part.mark  # to count for more is a wish
        return _Part(mark, Boost(part.node, factor))

    def _operand(self) -> _Part:
        if self.token.kind == "open":
            return self._bracket()
        if self.token.kind == "name":
            return self._named(self._take())
        node = self._wordlike()
        if self.token.kind == "near":
            node = self._near(node)
        return _Part("wished", node)

    def _bracket(self) -> _Part:
        opening = self._take()
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._fault(opening, f"expected at most {DEEPEST} brackets in one another")
        inside = self._either()
        if not self._taken("close"):
            raise self._fault(self.token, f"expected {OPERAND}, AND, OR or )")
        self.depth -= 1
        return inside

    # --- words ------------------------------------------------------------------------------------------------

    def _wordlike(self) -> Node:
        if self.token.kind == "quoted":
            return self._phrase()
        if self.token.kind == "exact":
            self._take()
            return Word(self._one_word("after ="), exact=True)
        if self.token.kind == "bare":
            return self._bare()
        if self.token.kind == "near":
            raise self._fault(self.token, "expected NEAR only between two plain words")
        raise self._fault(self.token, f"expected {OPERAND}")

    def _phrase(self) -> Node:
        token = self._take()
        words = page_words(token.text)
        if not words:
            where = "in the address" if token.kind == "address" else "between the quotes"
            raise self._fault(token, f"expected a word {where}")
        self._count(token, len(words))
        if self.token.kind == "tilde" and len(words) == 1:
            raise self._fault(self.token, "expected ~ only after a phrase of several words, or a word without quotes")
        slop = self._number_behind_tilde(0, 0, MOST_APART) if self.token.kind == "tilde" else 0
        return Phrase(tuple(words), slop) if len(words) > 1 else Word(words[0])

    def _bare(self) -> Node:
        token = self.token
        if any(sign in token.text for sign in WILD):
            return self._wildcard()
        words = page_words(token.text)
        self._count(token, len(words))
        self._take()
        if len(words) > 1:
            return Phrase(tuple(words))
        if self.token.kind == "tilde":
            return Fuzzy(words[0], self._number_behind_tilde(USUAL_EDITS, 1, MOST_EDITS))
        return Word(words[0])

    def _wildcard(self) -> Node:
        token = self._take()
        self._count(token, 1)
        pattern = page_pattern(token.text)
        if not pattern:
            raise self._fault(token, "expected a single word with * and ?")
        if self.token.kind == "tilde":
            raise self._fault(self.token, "expected ~ only after a word without * and ?")
        return Wildcard(pattern)

    def _near(self, first: Node) -> Node:
        token = self._take()
        distance = self._number(token, token.text, 1, MOST_APART)
        if self.token.kind != "bare":
            raise self._fault(self.token, f"expected a word after NEAR/{distance}")
        second = self._bare()
        for node in (first, second):
            if not isinstance(node, Word) or node.exact:
                raise self._fault(token, "expected NEAR only between two plain words")
        if self.token.kind in ("near", "boost"):
            raise self._fault(self.token, "expected brackets around what NEAR joins before more is said of it")
        assert isinstance(first, Word) and isinstance(second, Word)
        return Near(first.text, second.text, distance)

    def _one_word(self, where: str) -> str:
        token = self.token
        words = page_words(token.text) if token.kind == "bare" else []
        if len(words) != 1 or any(sign in token.text for sign in WILD):
            raise self._fault(token, f"expected a single plain word {where}")
        self._count(token, 1)
        self._take()
        return words[0]

    # --- names with a colon -----------------------------------------------------------------------------------

    def _named(self, name: Token) -> _Part:
        self._check_value_follows(name)
        if name.text in FILTERS:
            return _Part("filter", self._filter(name.text))
        if name.text in SIMILAR:
            return _Part("wished", self._similar(name.text))
        mark, node = self._in_field()
        if self.token.kind == "near":
            raise self._fault(self.token, f"expected brackets, as in {name.text}:(a NEAR/5 b)")
        return _Part(mark, InField(name.text, node))

    def _check_value_follows(self, name: Token) -> None:
        if self.token.first == name.last:
            return
        behind = self.text[name.last : name.last + 1]
        found = "the end" if not behind else "a space" if behind.isspace() else behind
        wanted = "a value" if name.text in FILTERS else "a word" if name.text in SIMILAR else OPERAND
        message = f"expected {wanted} right after {name.text}:, found {found}"
        raise query_fault(self.text, name.last, name.last, message)

    def _in_field(self) -> _Part:
        if self.token.kind == "open":
            return self._bracket()
        if self.token.kind == "name" and self.token.text in SIMILAR:
            return self._named(self._take())
        if self.token.kind == "address":
            return _Part("wished", self._phrase())
        return _Part("wished", self._wordlike())

    def _similar(self, name: str) -> Node:
        word = self._one_word(f"after {name}:")
        if name == "sounds":
            return Sounds(word)
        if name == "like":
            return Like(word)
        if self.token.kind != "tilde":
            return Editex(word, USUAL_EDITEX)
        return Editex(word, self._number_behind_tilde(USUAL_EDITEX, 0, MOST_EDITEX))

    def _filter(self, name: str) -> Node:
        token = self._take()
        if token.kind != "bare":
            raise self._fault(token, f"expected a value right after {name}:")
        self._count(token, 1)
        if name == "site":
            return Site(self._host(token))
        if name == "date":
            return self._date(token)
        if not _LANGUAGE.fullmatch(token.text):
            raise self._fault(token, "expected a language by its letters, as en or de")
        return Language(token.text.lower())

    def _host(self, token: Token) -> str:
        host = canonical_host(token.text)
        if not host:
            raise self._fault(token, "expected the name of a site or a host, as example.org")
        return host

    def _date(self, token: Token) -> Date:
        try:
            return Date(*period(token.text))
        except ValueError:
            message = "expected a year, month or day, as 2021-03, or two with .. between, the earlier first"
            raise self._fault(token, message) from None

    # --- tokens and numbers -----------------------------------------------------------------------------------

    def _take(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.token = next(self._tokens)
        return token

    def _taken(self, kind: Kind) -> bool:
        if self.token.kind != kind:
            return False
        self._take()
        return True

    def _count(self, token: Token, words: int) -> None:
        self.terms += words
        if self.terms > MOST_TERMS:
            raise self._fault(token, f"expected at most {MOST_TERMS} words in a query")

    def _number_behind_tilde(self, usual: int, least: int, most: int) -> int:
        token = self._take()
        return self._number(token, token.text, least, most) if token.text else usual

    def _number(self, token: Token, digits: str, least: int, most: int) -> int:
        digits = digits.lstrip("0") or "0"
        if len(digits) > len(str(most)) or not least <= int(digits) <= most:
            raise self._fault(token, f"expected a number from {least} to {most}")
        return int(digits)

    def _fault(self, token: Token, expected: str) -> QueryError:
        found = self.text[token.first : token.last]
        shortened = found if len(found) <= 30 else found[:29] + "…"
        return query_fault(self.text, token.first, token.last, f"{expected}, found {shortened or 'the end'}")


def canonical_host(text: str) -> str:
    """A host as the addresses of pages spell it; empty if it is none.

    >>> canonical_host("Bücher.example."), canonical_host("http://example.org/")
    ('xn--bcher-kva.example', '')
    """
    import ada_url

    if any(sign in text for sign in "/\\?#@%") or re.search("[^:]:[0-9]*$", text):
        return ""
    try:
        host: str = ada_url.URL(f"http://{text.rstrip('.')}/").hostname
    except ValueError:
        return ""
    return host if _HOST.fullmatch(host) else ""
