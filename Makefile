# Every target sets itself up: a Python 3.12+ is found, an environment made and filled from the lock file.
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
EXPORT := RAY_USAGE_STATS_ENABLED=0 HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false

.PHONY: demo test bounds check format lock clean setup

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh $(VENV)
	@touch $@

demo: $(STAMP)
	@$(EXPORT) $(VENV)/bin/guerdon demo

# What starts Ray, trains, or is about deadlines has the machine for itself; the rest runs in four processes, which wait half of the time.
ALONE := tests/core/scoring tests/e2e tests/trainer/jobs tests/trainer/doctor

test: $(STAMP)
	@$(EXPORT) $(PY) -m pytest -q -n 4 --dist loadfile $(ALONE:%=--ignore=%)
	@$(EXPORT) $(PY) -m pytest -q $(ALONE)

bounds: $(STAMP)
	@$(EXPORT) $(PY) -m pytest -q -m bounds

check: $(STAMP)
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports

format: $(STAMP)
	@$(VENV)/bin/ruff check --fix-only .
	@$(VENV)/bin/ruff format .

lock: $(STAMP)
	@sh scripts/lock.sh $(VENV)

clean:
	rm -rf $(VENV) dist
