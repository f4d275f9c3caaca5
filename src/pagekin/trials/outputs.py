"""Files that are written when long work is done."""

from __future__ import annotations

import os
from pathlib import Path

from pagekin.errors import SettingsError


def check_writable(path: Path) -> None:
    """Complain of a file that cannot be written before work begins, and not after it."""
    if path.is_dir():
        raise SettingsError(f"{path} is a folder; choose another name")
    if not path.parent.is_dir():
        raise SettingsError(f"{path} cannot be written: there is no folder {path.parent}; choose another name")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise SettingsError(f"{path} cannot be written: it is not allowed here; choose another name")
