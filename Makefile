# Everything starts from a fresh clone: the first target that needs it makes .venv and installs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One test process a core, each with one BLAS thread: faster than the other way round.
PYTEST := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist loadgroup
# Tests whose numbers may depend on the processor, and kernels of OpenBLAS that every x86-64 with
# AVX2 can run; `make test` itself runs under the one that OpenBLAS chooses.
NUMERICAL := tests/gp tests/scores tests/golden tests/stats
KERNELS := Haswell Nehalem
# Of the slow tests those that tell most in few minutes: samplers against exact probabilities on real
# tables, runs that are killed and resumed, evidence against grids.
TELLING := tests/samplers/test_real_tables.py tests/cli/test_interruptions.py tests/gp tests/samplers/test_exact.py
# An extra of pyproject.toml, without compiling the core once more.
extra = $(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$(1)'], sep='\n')" | $(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement /dev/stdin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/gpnet/_core/*/*.?pp)

# Pythons of their own, whose gpnet has a core that checks itself: see `make sanitize`.
SANITIZED := build/sanitize
# What threads share of the core: bases and Gram blocks of a model, tables of samplers, chains.
THREADED := tests/core/test_misuse_chains.py tests/score_table/test_table.py tests/scores/test_model_cache.py tests/samplers/test_samplers.py

.PHONY: help demo test numerical telling slow coverage lint bench campaign matrix sanitize sanitize-threads docs wheels figures browser clean

help:
	@echo "make demo       install, then run gpnet on a built-in example"
	@echo "make test       install, then run the tests"
	@echo "make numerical  the numerical tests under other kernels of OpenBLAS"
	@echo "make telling    the slow tests that tell most"
	@echo "make slow       all tests that take minutes"
	@echo "make coverage   which lines the tests of make test run"
	@echo "make lint       ruff and mypy"
	@echo "make bench      speed and memory, as ratios"
	@echo "make campaign   an hour of odd tables, kills, damaged files and full disks"
	@echo "make matrix     the tests under every Python that is found, and the oldest dependencies"
	@echo "make sanitize   the core with checks of addresses and undefined behaviour, g++ only"
	@echo "make sanitize-threads   the core with checks of what threads share, g++ only"
	@echo "make docs       the documentation site, in build/site"
	@echo "make wheels     wheels in dist/, for every Python 3.11 to 3.13 that is found"
	@echo "make figures    the pictures of README and tutorial"
	@echo "make clean      forget the installation and what was built"

demo: $(VENV)/installed
	$(BIN)/gpnet demo

test: $(VENV)/installed browser
	$(PYTEST)

# For the tests of the report, which are skipped where there is none.
browser:
	@sh tests/report/get_browser.sh

numerical: $(VENV)/installed
	for kernel in $(KERNELS); do OPENBLAS_CORETYPE=$$kernel $(PYTEST) --durations=3 $(NUMERICAL) || exit 1; done

telling: $(VENV)/installed
	$(PYTEST) -m slow --dist loadfile $(TELLING)

coverage: $(VENV)/installed browser
	$(PYTEST) --cov=gpnet --cov-report=term:skip-covered --cov-report=html:artefacts/coverage

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

# MINUTES and SEED may be given; the table that it prints is that of docs/reliability.md.
MINUTES ?= 60
SEED ?= 0
campaign: $(VENV)/installed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m campaign --minutes $(MINUTES) --seed $(SEED)

matrix: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/python -m campaign.matrix $(MATRIX_TESTS)

# Leaks are not looked for: the interpreter has its own. Left out is what counts memory, which the
# sanitizer holds back on purpose.
sanitize: $(SANITIZED)/address/installed
	$(call refresh,address,__asan_init)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 LD_PRELOAD="$(call library,libasan.so) $(call library,libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SANITIZED)/address/venv/bin/python -m pytest -n auto tests/samplers tests/gp tests/core \
	    --deselect tests/gp/test_fast.py::test_evaluations_leave_no_memory_behind

# Data races, in what several threads do at once. Fixed addresses, as the sanitizer asks for.
sanitize-threads: $(SANITIZED)/thread/installed
	$(call refresh,thread,__tsan_init)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 LD_PRELOAD="$(call library,libtsan.so) $(call library,libstdc++.so)" \
	TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=tests/core/threads.supp" \
	setarch -R $(SANITIZED)/thread/venv/bin/python -m pytest -p no:xdist $(THREADED)

# A compiler's own library: linked into the core, and yet needed before all else; libstdc++ so that
# exceptions are caught.
library = $(shell $(CXX) -print-file-name=$(1))
# Changed Python files are copied to where the package lies; and the checks are really there.
refresh = tar -C src --exclude='*.so' --exclude='__pycache__' -cf - gpnet | tar -C "$$(cat $<)" -xf - && nm -D "$$(cat $<)"/gpnet/_core/_baseline*.so | grep -q $(2)
sanitizer_of = $(if $(filter thread,$(1)),thread,address$(comma)undefined)
comma := ,

# Its file tells where the package lies.
$(SANITIZED)/%/installed: $(SOURCES)
	@echo "Installing gpnet with checks into $(SANITIZED)/$* (some minutes) ..."
	$(PYTHON) -m venv $(SANITIZED)/$*/venv
	CXX=$(CXX) $(SANITIZED)/$*/venv/bin/python -m pip install --quiet --disable-pip-version-check \
	    --config-settings=cmake.build-type=Debug \
	    --config-settings='cmake.define.GPNET_SANITIZE=$(call sanitizer_of,$*)' '.[test]'
	$(SANITIZED)/$*/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))' > $@

# Fails at any warning: a link or an anchor that leads nowhere, a page that is not in the menu.
docs: $(VENV)/installed
	$(BIN)/mkdocs build --strict
	@echo "build/site/index.html: open it in a browser"

wheels: $(VENV)/installed
	$(call extra,wheels)
	$(BIN)/python -m campaign.wheels

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
