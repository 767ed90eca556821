"""Coverage-guided fuzzing of the plugins: ``python -m benchmarks.fuzz_atheris -atheris_runs=N``."""

import sys

import atheris

with atheris.instrument_imports(include=["guerdon_plugins"]):
    import guerdon_plugins  # noqa: F401  # here, so that it is instrumented

from benchmarks.fuzz import PLUGINS
from benchmarks.fuzz_judge import Tally, aims, judge
from benchmarks.fuzz_mutate import seeds

AIMS = aims(seeds(), PLUGINS)


def test_one(data: bytes) -> None:
    """Score one input by every plugin; raise where something does not hold."""
    provider = atheris.FuzzedDataProvider(data)
    picks = [provider.ConsumeIntInRange(0, len(AIMS[plugin]) - 1) for plugin in PLUGINS]
    text = provider.ConsumeUnicode(provider.remaining_bytes())
    tally = Tally()
    for plugin, pick in zip(PLUGINS, picks, strict=True):
        judge(AIMS[plugin][pick], text, tally)
    if tally.faults:
        raise AssertionError(tally.faults[0].encode("utf-8", "backslashreplace").decode())


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one)
    atheris.Fuzz()
