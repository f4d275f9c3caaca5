"""The imports say what the tree says: no circles, steps that do not know each other, faces at the bottom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pagekin

ROOT = Path(pagekin.__file__).parent

# Packages of steps: batches in, batches out; no files of ours, no engine, no command.
STEPS = (
    "crawl",
    "scan",
    "bags",
    "signatures",
    "concepts",
    "cocitation",
    "links",
    "duplicates",
    "keywords",
    "evaluation",
)
NOT_FOR_STEPS = ("engines", "stores", "cli", "server", "pipelines", "builder", "query", "sample", "trials")
STEPS_MAY_IMPORT = {
    ("scan", "pagekin.crawl.urls"),  # what a page's address is
    ("scan", "pagekin.crawl.resolve"),  # the same for all links of a batch at once
    ("cocitation", "pagekin.crawl.hosts"),  # what the host and the site of an address are
    ("cocitation", "pagekin.bags.chunk"),  # pages as flat arrays
    ("cocitation", "pagekin.bags.templates"),  # the hash of a run of words
    ("cocitation", "pagekin.bags.terms"),  # what a word is as a term
    ("links", "pagekin.bags.chunk"),  # pages as flat arrays
    ("links", "pagekin.bags.templates"),  # which text a site repeats
    ("duplicates", "pagekin.crawl.hosts"),  # what the host of an address is
    ("duplicates", "pagekin.bags.chunk"),  # pages as flat arrays
    ("duplicates", "pagekin.bags.templates"),  # segments, which are counted to find boilerplate
    ("keywords", "pagekin.crawl.hosts"),  # what the host and the site of an address are
    ("keywords", "pagekin.crawl.urls"),  # the same of one address
    ("keywords", "pagekin.bags.chunk"),  # groups and lists in arrays
    ("evaluation", "pagekin.crawl.urls"),  # which page an address in a truth means
    ("evaluation", "pagekin.crawl.folder"),  # the same for a path in a folder
}
FACES = ("cli", "server")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    return {module_name(path): ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def nodes(tree: ast.AST, top_only: bool) -> Iterator[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING`; with `top_only` also without those in functions."""
    for node in ast.iter_child_nodes(tree):
        skipped = is_for_types_only(node) or (top_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
        if not skipped:
            yield node
            yield from nodes(node, top_only)


def imports(name: str, top_only: bool = False) -> set[str]:
    """The modules that a module imports, those of pagekin by their whole names."""
    found: set[str] = set()
    for node in nodes(modules()[name], top_only):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            base = node.module or ""
            found |= {f"{base}.{a.name}" if f"{base}.{a.name}" in modules() else base for a in node.names}
    return found


def package(name: str) -> str:
    """The part of pagekin that a module stands in."""
    return name.split(".")[1] if "." in name else ""


def test_the_tree_is_read() -> None:
    assert "pagekin.crawl.urls" in imports("pagekin.scan.page")
    assert len(modules()) > 40


def test_no_module_imports_in_a_circle() -> None:
    graph = {name: {i for i in imports(name, top_only=True) if i in modules()} for name in modules()}
    TopologicalSorter(graph).prepare()


def test_no_package_imports_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for name in modules():
        wanted = {package(i) for i in imports(name, top_only=True) if i in modules() and package(i)}
        graph.setdefault(package(name), set()).update(wanted - {package(name)})
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("step", STEPS)
def test_a_step_imports_no_other_step(step: str) -> None:
    others = {
        (step, found)
        for name in modules()
        if package(name) == step
        for found in imports(name)
        if package(found) in STEPS and package(found) != step and found.startswith("pagekin.")
    }
    assert others <= STEPS_MAY_IMPORT


@pytest.mark.parametrize("step", STEPS)
def test_a_step_knows_no_engine_store_or_command(step: str) -> None:
    for name in modules():
        if package(name) == step:
            wrong = {i for i in imports(name) if i.startswith("pagekin.") and package(i) in NOT_FOR_STEPS}
            assert not wrong, f"{name} imports {wrong}"


def users_of(library: str) -> set[str]:
    return {name for name in modules() if any(i.split(".")[0] == library for i in imports(name))}


@pytest.mark.parametrize("library", ["click", "rich"])
def test_only_the_faces_speak_to_a_person(library: str) -> None:
    assert {package(name) for name in users_of(library)} <= set(FACES)


def test_only_the_spark_engine_imports_pyspark() -> None:
    assert all(name.startswith("pagekin.engines.spark.") for name in users_of("pyspark"))


def test_what_only_some_install_is_imported_in_one_place() -> None:
    assert users_of("mcp") <= {"pagekin.agents"}
    assert users_of("psycopg") <= {"pagekin.exports.postgresql"}


def test_nothing_but_the_faces_imports_a_face() -> None:
    for name in modules():
        if package(name) not in FACES:
            assert not {i for i in imports(name) if i.startswith("pagekin.") and package(i) in FACES}, name


def test_tables_settings_and_errors_import_nothing_below_them() -> None:
    for name in ("tables", "errors", "hashing", "settings", "version"):
        own = {i for i in imports(f"pagekin.{name}") if i.startswith("pagekin.")}
        assert own <= {"pagekin.errors", "pagekin.kernels"}, name


def test_every_module_says_what_it_is_for() -> None:
    assert [name for name, tree in modules().items() if not ast.get_docstring(tree)] == []
