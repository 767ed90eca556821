"""One root, standard bases, and errors that survive a process boundary."""

import pickle

import pytest

from guerdon import errors

ALL = [value for value in vars(errors).values() if isinstance(value, type)]
STANDARD = {
    "ConfigError": ValueError,
    "PluginError": ImportError,
    "DataError": ValueError,
    "ScoringError": RuntimeError,
    "UnavailableError": ConnectionError,
    "LedgerError": OSError,
    "RunError": RuntimeError,
    "BundleError": ValueError,
}


def test_every_error_is_listed_with_the_standard_one_it_also_is():
    assert {cls.__name__ for cls in ALL} == {"GuerdonError", *STANDARD}
    for cls in ALL[1:]:
        assert issubclass(cls, errors.GuerdonError)
        assert issubclass(cls, STANDARD[cls.__name__])


@pytest.mark.parametrize("cls", ALL)
def test_pickles_with_its_message_and_notes(cls):
    error = cls("rewards.answer.weight: found -1; give 0 or more")
    error.add_note("seen in step 3")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls
    assert str(again) == str(error)
    assert again.args == error.args
    assert again.__notes__ == ["seen in step 3"]


@pytest.mark.parametrize("cls", ALL)
def test_has_no_init_of_its_own_and_says_what_it_is_for(cls):
    assert "__init__" not in vars(cls)
    assert cls.__doc__
