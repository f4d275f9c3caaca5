"""The files of an index as they are now, whatever comes to stand in their place.

An index reads some of its files by name when it is asked. A build with `--force` puts new files under these names and
removes the old ones, and answers would be a mixture of both. So all files are opened at once, and the index is read
through a folder of links to what is open, which Linux has under /proc.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_OPEN_FILES = Path("/proc/self/fd")
_TRIES = 5


class Held:
    """An index that is read from `folder`, until it is let go."""

    def __init__(self, path: Path) -> None:
        self.folder = path
        self._files: list[int] = []
        self._links: Path | None = None
        if _OPEN_FILES.is_dir():
            self._hold(path)

    def _hold(self, path: Path) -> None:
        """Where there are too many files to have open, or no place for links, files are read where they stand."""
        try:
            for _ in range(_TRIES):
                self._link(path)
                if self._is_one(path):
                    return
                self.let_go()
        except OSError:
            self.let_go()
        self.folder = path

    def _link(self, path: Path) -> None:
        self._links = Path(tempfile.mkdtemp(prefix="pagekin-"))
        for file in sorted(path.rglob("*")):
            link = self._links / file.relative_to(path)
            link.parent.mkdir(parents=True, exist_ok=True)
            if file.is_dir():
                link.mkdir(exist_ok=True)
            else:
                self._files.append(os.open(file, os.O_RDONLY))
                link.symlink_to(f"/proc/{os.getpid()}/fd/{self._files[-1]}")
        self.folder = self._links

    def _is_one(self, path: Path) -> bool:
        """Whether no file was replaced while they were opened."""
        links = (link for link in self.folder.rglob("*") if link.is_symlink())
        return all(os.path.samestat(link.stat(), (path / link.relative_to(self.folder)).stat()) for link in links)

    def let_go(self) -> None:
        """Close the files."""
        if self._links is not None:
            shutil.rmtree(self._links, ignore_errors=True)  # before its numbers of files can mean others
        for file in self._files:
            os.close(file)
        self._files, self._links = [], None
