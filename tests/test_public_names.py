"""What `import pagekin` promises is there, and nothing else is."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pagekin


@pytest.mark.parametrize("name", pagekin.__all__)
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(pagekin, name) is not None


def test_what_is_there_is_promised() -> None:
    code = (
        "import pagekin, types;"
        "print(*[n for n, v in vars(pagekin).items() if n[0] != '_' and not isinstance(v, types.ModuleType)])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    helpers = {"annotations", "import_module", "TYPE_CHECKING", "Any"}
    assert set(found) - helpers <= set(pagekin.__all__)


def test_the_list_is_sorted_and_has_no_name_twice() -> None:
    assert pagekin.__all__ == sorted(set(pagekin.__all__))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        pagekin.nonsense  # noqa: B018


def test_importing_the_package_loads_no_kernel() -> None:
    code = "import sys, pagekin; sys.exit('numba' in sys.modules or 'pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
