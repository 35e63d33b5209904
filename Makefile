# Everything runs with functions/venv, which `make setup` makes from PYTHON.
PYTHON ?= python3
RUN := functions/venv/bin/python
ARGS ?=

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup demo test pythons adoption chaos emulators registry check format bench eval seed wheel lock clean

help:  ## Show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 18

setup:  ## Install what is missing, into functions/venv and node_modules
	@$(PYTHON) -m dev.setup

demo: setup  ## See Rollcall at work, offline
	@$(RUN) -m dev.demo $(ARGS)

test: setup  ## Run all tests; ARGS="-k name" runs some
	@$(RUN) -m dev.test $(ARGS)

pythons: setup  ## Run the unit tests on every other Python from 3.11 to 3.14 that is here; ARGS=--short some
	@$(RUN) -m dev.pythons $(ARGS)

adoption: setup  ## Try the wheel in apps outside of this tree, with packages from the registries
	@$(RUN) -m pytest tests/adoption -p no:cacheprovider -o tmp_path_retention_policy=failed $(ARGS)

chaos: setup  ## Try to break it: kill, race, forge (CHAOS_SEED repeats)
	@$(RUN) -m tests.chaos

emulators: setup  ## Run the emulators, with data, until Ctrl-C
	@$(RUN) -m dev.emulators

seed: setup  ## Load the data sets into the emulators that run
	@$(RUN) -m dev.emulators seed

registry: setup  ## See and change the live registry: ARGS="list", ARGS="doctor"
	@cd functions && venv/bin/python -m rollcall registry $(ARGS)

check: setup  ## Look for mistakes without running anything
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	cd functions && venv/bin/python -m rollcall rules --check
	cd functions && venv/bin/python -m rollcall check
	node_modules/.bin/tsc -p clients/js --noEmit
	node_modules/.bin/tsc -p clients/web

format: setup  ## Put the code into its usual form, and write what is made of it
	$(RUN) -m ruff check --fix-only
	$(RUN) -m ruff format
	$(RUN) -m dev.wire_types
	$(RUN) -m dev.doc_tables
	$(RUN) -m dev.guarded_files
	cd functions && venv/bin/python -m rollcall rules
	node_modules/.bin/tsc -p clients/js

bench: setup  ## Measure speed and cost
	@$(RUN) -m tests.benchmarks $(ARGS)

eval: setup  ## Measure how well questions are answered; POOL= QUERIES= over other tools, EMBEDDER= by meaning too
	@$(RUN) -m $(if $(POOL)$(QUERIES),tests.evals.tool_search,tests.evals) $(ARGS)

wheel:  ## Build the library's wheel into dist/
	@$(PYTHON) -m dev.wheel

lock: setup  ## Renew the lock files
	@$(RUN) -m dev.lock

clean:  ## Remove what was installed and written
	rm -rf functions/venv node_modules .rollcall dist
	rm -rf {,functions/}.{mypy,pytest,ruff}_cache .hypothesis
	rm -f firebase.offset-*.json *-debug.log
