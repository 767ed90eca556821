"""Numbers in text: digits, English and Chinese words, fractions and powers, exact and in linear time."""

from guerdon_plugins.parsing.numbers.locale import NumberLocale, number_locale
from guerdon_plugins.parsing.numbers.quantity import Quantity
from guerdon_plugins.parsing.numbers.scan import quantities

__all__ = ["NumberLocale", "Quantity", "number_locale", "quantities"]
