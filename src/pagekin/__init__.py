"""pagekin finds the pages related to a page, in any crawl of the web, and says why.

>>> import pagekin
>>> pagekin.build("site/", "site.kin")  # doctest: +SKIP
>>> pagekin.open("site.kin").terms("http://site/")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagekin.errors import (
    CrawlError,
    ExportFailed,
    IndexUnusable,
    PagekinError,
    QueryError,
    QueryTimeout,
    ServerFailed,
    SettingsError,
    StepFailed,
    TargetExists,
    ThesaurusError,
    TruthError,
    UnknownPage,
)
from pagekin.settings import Settings, read_settings
from pagekin.version import VERSION as __version__

if TYPE_CHECKING:
    from pagekin.builder import BuildSummary, build
    from pagekin.evaluation.results import Evaluation
    from pagekin.evaluation.strategies import Contender
    from pagekin.index import Index
    from pagekin.index import open_index as open
    from pagekin.query.records import Answer, PageTerms, Related, Term
    from pagekin.query.search import SearchAnswer
    from pagekin.trials.evaluate import Truth, evaluate
    from pagekin.trials.tune import Tuned, tune

__all__ = [
    "Answer",
    "BuildSummary",
    "Contender",
    "CrawlError",
    "Evaluation",
    "ExportFailed",
    "Index",
    "IndexUnusable",
    "PageTerms",
    "PagekinError",
    "QueryError",
    "QueryTimeout",
    "Related",
    "SearchAnswer",
    "ServerFailed",
    "Settings",
    "SettingsError",
    "StepFailed",
    "TargetExists",
    "Term",
    "ThesaurusError",
    "Truth",
    "TruthError",
    "Tuned",
    "UnknownPage",
    "__version__",
    "build",
    "evaluate",
    "open",
    "read_settings",
    "tune",
]

# Loaded when first used: they bring the compiled kernels, which take half a second to load.
_LATER = {
    "Answer": ("pagekin.query.records", "Answer"),
    "BuildSummary": ("pagekin.builder", "BuildSummary"),
    "Contender": ("pagekin.evaluation.strategies", "Contender"),
    "Evaluation": ("pagekin.evaluation.results", "Evaluation"),
    "Index": ("pagekin.index", "Index"),
    "PageTerms": ("pagekin.query.records", "PageTerms"),
    "Related": ("pagekin.query.records", "Related"),
    "SearchAnswer": ("pagekin.query.search", "SearchAnswer"),
    "Term": ("pagekin.query.records", "Term"),
    "Truth": ("pagekin.trials.evaluate", "Truth"),
    "Tuned": ("pagekin.trials.tune", "Tuned"),
    "build": ("pagekin.builder", "build"),
    "evaluate": ("pagekin.trials.evaluate", "evaluate"),
    "open": ("pagekin.index", "open_index"),
    "tune": ("pagekin.trials.tune", "tune"),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'pagekin' has no attribute {name!r}")
    module, attribute = _LATER[name]
    return getattr(import_module(module), attribute)
