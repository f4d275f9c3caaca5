"""pagekin finds the pages related to a page, in any crawl of the web, and says why.

>>> import pagekin
>>> pagekin.build("site/", "site.kin")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagekin.errors import (
    CrawlError,
    IndexUnusable,
    PagekinError,
    SettingsError,
    StepFailed,
    TargetExists,
    UnknownPage,
)
from pagekin.settings import Settings, read_settings
from pagekin.version import VERSION as __version__

if TYPE_CHECKING:
    from pagekin.builder import BuildSummary, build

__all__ = [
    "BuildSummary",
    "CrawlError",
    "IndexUnusable",
    "PagekinError",
    "Settings",
    "SettingsError",
    "StepFailed",
    "TargetExists",
    "UnknownPage",
    "__version__",
    "build",
    "read_settings",
]

# Loaded when first used: they bring the compiled kernels, which take half a second to load.
_LATER = {"build": "pagekin.builder", "BuildSummary": "pagekin.builder"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'pagekin' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
