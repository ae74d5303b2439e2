# Every target works from a fresh clone: it makes .venv and installs what is missing.
PYTHON ?= python3
BIN := $(if $(filter Windows_NT,$(OS)),.venv/Scripts,.venv/bin)
INSTALLED := .venv/.installed

.DEFAULT_GOAL := help
LAB ?=
LAB_INSTALLED := .venv/.lab-installed

.PHONY: help setup demo test coverage test-windows soak check bench lab generate clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(INSTALLED): pyproject.toml tests/old-schemas.txt
	@echo "installing Transom and its tools into .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps -r tests/old-schemas.txt -d .venv/old-schemas
	@touch $@

# The lab's code runs on Linux only; elsewhere the product is checked without it.
LINUX := $(filter Linux,$(shell uname))

$(LAB_INSTALLED): $(INSTALLED) lab/pyproject.toml
	@echo "installing the lab into .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e lab
	@touch $@

.PHONY: lab-machine
lab-machine: $(LAB_INSTALLED)
	@$(BIN)/transom lab doctor >/dev/null 2>&1 || lab/setup.sh

# What only the lab's tests need beside the lab.
.PHONY: test-machine
test-machine: lab-machine
	@command -v fuseiso >/dev/null && command -v chromedriver >/dev/null || tests/setup.sh

setup: $(INSTALLED)  ## make .venv with Transom and everything needed to work on it
	@echo "ready: $(BIN)/transom --help"

demo: $(INSTALLED) $(if $(LAB),lab-machine)  ## the whole story on simulated hosts: no root, seconds; LAB=1 tells it on the lab too
	@$(BIN)/python tools/demo.py
ifneq ($(LAB),)
	@$(BIN)/python tools/demo_lab.py
endif

test: $(INSTALLED) $(if $(LINUX),$(LAB_INSTALLED)) $(if $(LAB),test-machine)  ## unit and contract tests, two minutes; LAB=1 adds the lab's (root)
	$(BIN)/python -m pytest -n auto $(if $(LAB),,-m "not go")
ifneq ($(LAB),)
	$(BIN)/python -m pytest tests/lab -n 3 --dist loadfile --no-loadscope-reorder $(AGAIN)
endif

# Wine loses a process as it begins now and then: such a test is tried again, and listed.
AGAIN := --reruns 1 --only-rerun 'WinError 1359' --only-rerun 'ShellExecuteEx failed: Internal error' -rR

# What changes a host: every branch of it is taken by a test.
COVERED := steps engine.runner engine.undo engine.selection engine.retry kubernetes.upgrade_health

coverage: $(INSTALLED)  ## the steps and the runner of the node program: fails where a test takes not every branch
	$(BIN)/python -m pytest -q -n auto tests/unit/node --cov-branch $(COVERED:%=--cov=transom.node.%) --cov-report=term-missing:skip-covered --cov-fail-under=100

test-windows: $(INSTALLED)  ## on a Windows Server, as administrator: the contract that the lab's stand-ins keep, and the node program's self-test
	$(BIN)/python -m pytest tests/windows

soak: lab-machine  ## fifty power cuts in prepare, join, upgrade and reset of a lab's host: a quarter of an hour, never in CI
	TRANSOM_SOAK_SEEDS=50 $(BIN)/python -m pytest tests/lab/test_power_cuts.py

lab: lab-machine  ## a control plane and two Windows hosts on this machine (Linux, root)
	$(BIN)/transom lab up

check: $(INSTALLED) $(if $(LINUX),$(LAB_INSTALLED))  ## format, lint, types for Linux and Windows, layers, generated files, the lab's C and Go
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --platform linux src tools benchmarks $(if $(LINUX),lab/src tests,tests/contract)
	$(BIN)/mypy --platform win32 src
	$(BIN)/lint-imports
	$(BIN)/python tools/generate.py --check
	$(if $(LINUX),$(BIN)/python tools/native.py)

bench: $(INSTALLED) $(if $(LINUX),$(LAB_INSTALLED)) $(if $(LAB),lab-machine)  ## the figures we promise, as ratios in one run, and the lab's where one can run
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/recipe.py
	$(BIN)/python benchmarks/fleet.py
	$(BIN)/python benchmarks/loader.py
	$(BIN)/python benchmarks/bundle.py
	$(BIN)/python benchmarks/lint.py
	$(BIN)/python benchmarks/verify.py
	$(if $(LINUX),$(BIN)/python benchmarks/lab.py $(if $(LAB),--required))
	$(if $(LINUX),$(BIN)/python benchmarks/node.py $(if $(LAB),--required))

generate: $(INSTALLED)  ## write generated files: compiled facts, schemas, pages
	$(BIN)/python tools/generate.py

.PHONY: kubelet-types
kubelet-types: $(LAB_INSTALLED)  ## the types of KubeletConfiguration for every minor that facts/kubelet_types.toml names (Go)
	$(BIN)/python tools/kubelet_types.py

.PHONY: e2e-lists
e2e-lists: $(LAB_INSTALLED)  ## the names of upstream's tests of one minor, from its own e2e.test: MINOR=1.37 (Go, up to an hour)
	$(BIN)/python tools/e2e_lists.py $(MINOR)

clean:  ## remove everything made here
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
