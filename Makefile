# Everything starts from a fresh clone: the first target that needs it makes .venv and installs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One test process a core, each with one BLAS thread: faster than the other way round.
PYTEST := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest -n auto
# An extra of pyproject.toml, without compiling the core once more.
extra = $(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$(1)'], sep='\n')" | $(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement /dev/stdin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/gpnet/_core/*/*.?pp)

.PHONY: help demo test slow lint bench figures browser clean

help:
	@echo "make demo    install, then run gpnet on a built-in example"
	@echo "make test    install, then run the tests"
	@echo "make slow    the tests that take minutes"
	@echo "make lint    ruff and mypy"
	@echo "make bench   speed and memory, as ratios"
	@echo "make figures the pictures of README and tutorial"
	@echo "make clean   forget the installation and what was built"

demo: $(VENV)/installed
	$(BIN)/gpnet demo

test: $(VENV)/installed browser
	$(PYTEST)

# For the tests of the report, which are skipped where there is none.
browser:
	@sh tests/report/get_browser.sh

slow: $(VENV)/installed
	$(PYTEST) -m slow --dist loadfile

lint: $(VENV)/linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/opponents
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.exact
	$(BIN)/python -m benchmarks.chains

figures: $(VENV)/installed browser
	OPENBLAS_NUM_THREADS=1 $(BIN)/python docs/figures.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python docs/screenshots.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("gpnet needs Python 3.11 or later; found " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	@echo "Installing gpnet into $(VENV) (the core is compiled; a minute or two) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

$(VENV)/linters: $(VENV)/installed
	$(call extra,lint)
	@touch $@

$(VENV)/opponents: $(VENV)/installed
	$(call extra,bench)
	@touch $@

clean:
	rm -rf $(VENV) .node artefacts build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
