"""The same query with less in it: nothing twice, and no brackets that say nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pagekin.query_language.nodes import Boost, Date, Either, InField, Language, Node, Site, Together


def simplified(node: Node) -> Node:
    """A tree that matches the same pages, without what is there twice or stands in brackets of its own.

    >>> from pagekin.query_language.parser import parse_query
    >>> from pagekin.query_language.printing import query_text
    >>> query_text(simplified(parse_query("+(+a +(b OR (c OR b))) d (e d)")))
    '+a +(b OR c) d e'
    """
    match node:
        case Boost(inner, factor):
            return simplified(inner) if factor == 1 else Boost(simplified(inner), factor)
        case InField(field, inner):
            return _in_field(field, simplified(inner))
        case Either(nodes):
            return _either([simplified(inner) for inner in nodes])
        case Together(required, optional, excluded):
            return _together(
                [simplified(inner) for inner in required],
                [simplified(inner) for inner in optional],
                [simplified(inner) for inner in excluded],
            )
        case _:
            return node


def _in_field(field: str, inner: Node) -> Node:
    """What says where to look itself, or looks at no field, needs no field around it."""
    return inner if isinstance(inner, InField | Site | Language | Date) else InField(field, inner)


def _distinct(nodes: Iterable[Node]) -> tuple[Node, ...]:
    return tuple(dict.fromkeys(nodes))


def _either(nodes: list[Node]) -> Node:
    parts = _distinct(part for node in nodes for part in (node.nodes if isinstance(node, Either) else (node,)))
    return parts[0] if len(parts) == 1 else Either(parts)


def _together(required: list[Node], optional: list[Node], excluded: list[Node]) -> Node:
    parts = _Parts([], [part for node in optional for part in _wishes(node)], [])
    for node in required:
        parts.require(node)
    if required and not parts.required and parts.optional:
        # Without anything required, a page would have to match one of the wishes.
        parts = _Parts([Together((), (), _distinct(parts.excluded))], parts.optional, [])
    parts.excluded += [part for node in excluded for part in _alternatives(node)]
    return parts.node()


@dataclass
class _Parts:
    """What will be a Together."""

    required: list[Node]
    optional: list[Node]
    excluded: list[Node]

    def require(self, node: Node) -> None:
        """Add what a required node requires, wishes for and excludes."""
        if not isinstance(node, Together) or not (node.required or node.excluded):
            self.required.append(node)
            return
        self.excluded += node.excluded
        if node.required:
            for part in node.required:
                self.require(part)
            self.optional += node.optional
        elif node.optional:
            self.require(_Parts([], list(node.optional), []).node())

    def node(self) -> Node:
        required, excluded = _distinct(self.required), _distinct(self.excluded)
        optional = tuple(node for node in _distinct(self.optional) if node not in required)
        if len(required) == 1 and not optional and len(wishes := _wishes(required[0])) > 1:
            required, optional = (), wishes
        if len(required) + len(optional) == 1 and not excluded:
            return (*required, *optional)[0]
        return Together(required, optional, excluded)


def _wishes(node: Node) -> tuple[Node, ...]:
    """What is wished for: to wish for some of several is to wish for each."""
    if isinstance(node, Together) and node.optional and not node.required and not node.excluded:
        return node.optional
    return (node,)


def _alternatives(node: Node) -> tuple[Node, ...]:
    """The nodes of which a page matches one or more if it matches this."""
    parts = node.nodes if isinstance(node, Either) else _wishes(node)
    if parts == (node,):
        return parts
    return tuple(alternative for part in parts for alternative in _alternatives(part))
