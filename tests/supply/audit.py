"""Asks whether a known weakness is in what pagekin depends on; says so and goes on where that cannot be asked.

python tests/supply/audit.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).resolve().parents[2] / "requirements.lock"
SKIPPED = "pip-audit: skipped, the list of known weaknesses cannot be reached from here"


def verdict(report: str) -> tuple[int, str]:
    """A status and a sentence; a mirror that knows no weaknesses lets pip-audit say that there are none.

    >>> verdict('{"dependencies": [{"name": "numpy", "skip_reason": "not found"}]}')[0]
    0
    >>> verdict('{"dependencies": [{"name": "numpy", "version": "1", "vulns": [{"id": "PYSEC-1"}]}]}')
    (1, 'numpy 1 has PYSEC-1')
    """
    try:
        found: list[dict[str, Any]] = json.loads(report)["dependencies"]
    except (ValueError, KeyError):
        return 0, SKIPPED
    asked = [each for each in found if "skip_reason" not in each]
    if not asked:
        return 0, SKIPPED
    weak = [f"{e['name']} {e['version']} has {', '.join(v['id'] for v in e['vulns'])}" for e in asked if e["vulns"]]
    return (
        (1, "\n".join(weak)) if weak else (0, f"pip-audit: no known weakness in {len(asked)} of {len(found)} packages")
    )


def main() -> None:
    """Print the verdict."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--requirement", str(LOCK), "--format", "json"]
    done = subprocess.run([*command, "--timeout", "10"], capture_output=True, text=True, check=False)
    status, said = verdict(done.stdout)
    print(said)
    sys.exit(status)


if __name__ == "__main__":
    main()
