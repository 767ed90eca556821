"""What `import guerdon` gives, and what it costs."""

import resource
import subprocess
import sys

import guerdon
import guerdon.advantage
import guerdon.config
import guerdon.ledger

HEAVY = ("torch", "ray", "transformers", "vllm", "skyrl", "peft", "duckdb", "scipy", "pyarrow", "numpy", "PIL", "typer")
"""What importing the contracts must not load: PIL and numpy too, since most plugins need neither."""

REFERENCE = "from pydantic import BaseModel, ConfigDict, Field; import pluggy; type('M', (BaseModel,), {})"
"""The dependencies that the contracts are made of, with one model built, as pydantic imports most of itself then."""

RUNS = 3


def test_exports_are_all_and_all_are_exports():
    imported = {
        name
        for name, value in vars(guerdon).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith(("guerdon", "pluggy"))
    }
    assert imported == set(guerdon.__all__)
    assert sorted(guerdon.__all__) == guerdon.__all__


def test_subpackages_export_what_they_say():
    for package in (guerdon.advantage, guerdon.config, guerdon.ledger):
        assert all(hasattr(package, name) for name in package.__all__)
        assert len(set(package.__all__)) == len(package.__all__)


def test_importing_guerdon_loads_nothing_heavy():
    code = f"import sys, guerdon; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_importing_guerdon_costs_little_more_than_its_dependencies():
    """Holds the import under 0.3 s where the dependencies take 0.2 s; a ratio of CPU times, as machines differ."""
    ours, floor = _least_seconds("import guerdon"), _least_seconds(REFERENCE)
    assert ours < 2 * floor + 0.05, f"import guerdon {ours:.3f} s, its dependencies {floor:.3f} s of CPU"


def _least_seconds(code: str) -> float:
    """The least user CPU time of some fresh interpreters: the least is the one that was disturbed least."""
    spent = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([sys.executable, "-c", code], check=True)
        spent.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(spent)
