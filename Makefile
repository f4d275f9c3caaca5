# Two commands do everything on a machine that has Python 3.11 or newer, pip and make:
#   make demo    make its own environment, install, run the demonstration
#   make test    the same with what the tests need, run every test

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test check bench clean

demo: $(VENV)/installed
	$(BIN)/pagekin demo demo

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/installed-test
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

bench: $(VENV)/installed-test
	$(BIN)/python benchmarks/scan.py
	$(BIN)/python benchmarks/bags.py
	$(BIN)/python benchmarks/index.py
	$(BIN)/python benchmarks/build.py
	$(BIN)/python benchmarks/concepts.py
	$(BIN)/python benchmarks/segmentation.py
	$(BIN)/python benchmarks/cocitation.py
	$(BIN)/python benchmarks/duplicates.py
	$(BIN)/python benchmarks/keywords.py
	$(BIN)/python benchmarks/vocabulary.py
	$(BIN)/python benchmarks/pruning.py
	$(BIN)/python benchmarks/topk.py
	$(BIN)/python benchmarks/serve.py

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("pagekin needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; say make PYTHON=python3.12, or the like") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/installed-test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@ $(VENV)/installed

clean:
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -r {} +
