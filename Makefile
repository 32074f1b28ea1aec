# demo, test, build, check, lab: nothing else to learn.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test build check lab bench

$(VENV)/.course: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.course
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,gpu]'
	touch $@

demo: $(VENV)/.course
	$(BIN)/python -m autograde demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest

build: $(VENV)/.course
	$(BIN)/python -m tools.authoring build

check: $(VENV)/.dev
	$(BIN)/ruff format --check autograde tools tests nbgrader_config.py
	$(BIN)/ruff check autograde tools tests nbgrader_config.py
	$(BIN)/mypy
	$(BIN)/python -m tools.authoring check

# Formgrader calls alembic by its bare name; in a container the user is often root.
# make lab COURSE=demo-course shows the demo's class.
COURSE ?= .
lab: $(VENV)/.course
	cd "$(COURSE)" && PATH="$(CURDIR)/$(BIN):$$PATH" jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root)

bench: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks
