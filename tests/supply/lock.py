"""Writes requirements.lock: the versions that are installed here of all that pagekin needs, with their checksums.

python tests/supply/lock.py
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from audit import LOCK
from licences import needed, same

HEAD = """\
# What `pip install --require-hashes -r requirements.lock` installs, with the checksums of the files for CPython 3.11 on
# 64-bit Linux. Written by tests/supply/lock.py.

"""


def checksums(folder: Path) -> dict[str, str]:
    """The checksum of each package that was downloaded, by its name."""
    files = sorted(folder.iterdir())
    return {same(file.name.partition("-")[0]): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def main() -> None:
    """Download what is installed, and write down what came."""
    versions = {name: version(name) for name in needed("pagekin")}
    with tempfile.TemporaryDirectory() as folder:
        asked = [f"{name}=={number}" for name, number in versions.items()]
        download = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            "-d",
            folder,
        ]
        subprocess.run([*download, *asked], check=True)
        sums = checksums(Path(folder))
    rows = [f"{name}=={versions[name]} \\\n    --hash=sha256:{sums[name]}\n" for name in sorted(versions)]
    LOCK.write_text(HEAD + "".join(rows), "utf-8")


if __name__ == "__main__":
    main()
