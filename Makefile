# On a fresh machine: `make demo` crawls the sample site, `make test` runs every test.
# Requires only Python 3.11 or newer and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
COLLECTED := $(VENV)/.collected

# Programs of tests start in a third less time where Python may keep compiled modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test ready chaos lint types unit programs browser services schema locale reference docs docs-pictures figures sources sources-data console-pictures fuzz-walk clean

demo: $(READY)
	@$(BIN)/exemplar demo

# What apt-get installs comes beside the packages, and beside lint, types and the collection of the tests.
test:
	@$(MAKE) --no-print-directory -j4 lint types unit

ready: $(READY)
	@:

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(READY)
	$(BIN)/mypy

# Six processes on two cores, because many tests wait; the tests of one file run in one process, long files first. A few
# tests that fail are run once more, alone.
unit: programs $(COLLECTED)
	$(BIN)/pytest -n 6 --dist loadfile --no-loadscope-reorder || { test $$? = 1 && $(BIN)/python -m tests.failed_again; }

# Compiles what is imported once in a new environment; otherwise each of the six processes would do it.
$(COLLECTED): $(READY)
	@$(BIN)/pytest --collect-only -qq > /dev/null || true
	@touch $(COLLECTED)

# One after the other: apt-get allows only one of itself.
programs:
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory services

# Tests that render pages need Chromium; where it cannot be installed they are skipped with a reason. They use its headless
# shell, which needs about half of the CPU time; tests of what a page must not reach use both.
browser:
	@test -n "$$EXEMPLAR_CHROMIUM" && command -v "$$EXEMPLAR_CHROMIUM" > /dev/null && exit 0; \
	missing="chromium fonts-wqy-microhei"; \
	for name in chromium chromium-browser google-chrome-stable google-chrome; do \
		command -v "$$name" > /dev/null && missing=; \
	done; \
	command -v chromium-headless-shell > /dev/null && shell= || shell=chromium-headless-shell; \
	test -n "$$missing$$shell" || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq; then \
		apt-cache show $$shell > /dev/null 2>&1 || shell=; \
		test -z "$$missing$$shell" || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			$$missing $$shell > /dev/null; \
	fi || true

# Tests of outputs need servers, which they start themselves; where these cannot be installed the tests are skipped with
# a reason. policy-rc.d keeps the packages from starting services of the system.
services:
	@missing=; \
	for pair in initdb:postgresql mariadbd:mariadb-server sshd:openssh-server redis-server:redis-server promtool:prometheus; do \
		PATH="$$PATH:/usr/sbin:$$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')" command -v "$${pair%:*}" > /dev/null \
			|| missing="$$missing $${pair#*:}"; \
	done; \
	test -n "$$missing" || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		if [ ! -e /usr/sbin/policy-rc.d ]; then \
			trap 'rm -f /usr/sbin/policy-rc.d' EXIT; \
			printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d; \
		fi; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			$$missing > /dev/null; \
	fi || true

# The long form of tests/chaos: hours.
chaos: $(READY)
	$(BIN)/python -m tests.chaos --seeds 1-30 --pages 350 --kills 20
	$(BIN)/python -m tests.chaos --seeds 31-60 --pages 350 --kills 40 --faults kill-,stop-
	$(BIN)/python -m tests.chaos --seeds 61-70 --pages 350 --kills 20 --faults kill- --within 15
	$(BIN)/python -m tests.chaos.stepwise --seeds 0-399
	$(BIN)/python -m tests.chaos.mutations

schema: $(READY)
	$(BIN)/python -m docs.site.task_schema

# Adds missing messages to the Chinese catalogues of the command line and of the console, and compiles them. New texts get
# an empty translation, which a test refuses.
locale: $(READY)
	$(BIN)/python -m tests.console.catalogues

# The generated pages of docs/reference/, after a change of a key, a field, a command or a public name of `extractors`.
reference: $(READY)
	$(BIN)/python -m docs.site.reference

# The documentation site, with the pictures that `make docs-pictures` took; nothing is fetched.
docs: $(READY)
	$(BIN)/python -m docs.site build/docs --pictures build/docs-pictures

# Pictures of the console, of a report and of the terminal, from the real program and the sample site.
docs-pictures: $(READY) browser
	$(BIN)/python -m docs.site.pictures build/docs-pictures

figures: $(READY)
	$(BIN)/python -m tests.site.figures

# The tables and figures of the five sources from stored pages in DATA, as $(SOURCES)/index.html, in about ten minutes.
SOURCES ?= build/sources
sources: sources-data $(READY)
	$(BIN)/python -m evaluation.sources "$(DATA)" "$(SOURCES)"

sources-data:
	@test -d "$(DATA)" || { test -n "$(DATA)" && echo "$(DATA) is no folder" || echo "no DATA is given"; \
		echo "Run make sources DATA=FOLDER, where FOLDER has sets/ and sites/ of stored pages (evaluation/data.py)."; \
		exit 1; } >&2

# Pictures of each page of the console, in both languages, light and dark, into FOLDER.
FOLDER ?= build/console-pictures
console-pictures: $(READY) browser
	$(BIN)/python -m docs.site.console_pictures $(FOLDER)

# The compiled walk under the address sanitizer, for SECONDS, on mutated pages of our own. Requires gcc with libasan.
SECONDS ?= 300
FUZZ := build/fuzz
fuzz-walk: $(READY)
	rm -rf $(FUZZ)
	CFLAGS="-fsanitize=address -fno-omit-frame-pointer -g -O1" $(BIN)/python setup.py -q build --build-base $(FUZZ)/temp --build-lib $(FUZZ)/lib
	PYTHONPATH="$(CURDIR)/$(FUZZ)/lib:$(CURDIR)" PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
		LD_PRELOAD="$$($(or $(CC),cc) -print-file-name=libasan.so)" \
		$(BIN)/python -P -m evaluation.same_walk --seconds $(SECONDS) --seed "$$(date +%s)"

# A newer pip chooses and installs the packages in half the time of the one that comes with Python 3.11. It would compile
# all modules; a quarter of them is ever imported.
$(READY): pyproject.toml constraints.txt setup.py $(wildcard extractors/*/*.pyx)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is required; run make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -qq --disable-pip-version-check --upgrade 'pip>=25,<27' || true
	$(BIN)/pip install -qq --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	@touch $(READY)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f $(addprefix extractors/,*/compiled_*.so */compiled_*.c */*/compiled_*.so)
