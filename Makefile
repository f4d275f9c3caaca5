# Two commands do everything on a machine that has Python 3.11 or newer, pip and make:
#   make demo    make its own environment, install, run the demonstration
#   make test    the same with what the tests need, run every test
# And one that takes hours:
#   make bench   every benchmark, beside what others do; writes docs/performance.md and docs/evaluation/peers.md

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PEERS ?= .venv-peers

.PHONY: demo test check bench soak clean

demo: $(VENV)/installed
	$(BIN)/pagekin demo demo

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/installed-test
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/python tests/supply/audit.py

soak: $(VENV)/installed-test
	$(BIN)/python tests/reliability/soak.py

# BENCH=--quick for smaller sizes; the documents are written from what was measured
bench: $(VENV)/installed-test $(PEERS)/installed
	$(BIN)/python benchmarks/run_all.py $(BENCH)

$(PEERS)/installed: benchmarks/peers/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -e . -r benchmarks/peers/requirements.txt
	touch $@

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
