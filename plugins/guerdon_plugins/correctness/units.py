"""Units of measure and currencies: their names, and conversion through pint."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pint import UnitRegistry

_ALIASES: dict[str, str] = {
    alias: unit
    for unit, aliases in {
        "meter": "m meter meters metre metres 米 公尺",
        "kilometer": "km kilometer kilometers kilometre kilometres kms 千米 公里",
        "centimeter": "cm centimeter centimeters centimetre centimetres cms 厘米 公分",
        "millimeter": "mm millimeter millimeters millimetre millimetres 毫米",
        "micrometer": "µm μm um micron microns 微米",
        "nanometer": "nm 纳米",
        "inch": "inch inches 英寸",
        "foot": "ft foot feet 英尺",
        "yard": "yd yard yards 码",
        "mile": "mi mile miles 英里",
        "gram": "g gram grams gm gms 克",
        "kilogram": "kg kilogram kilograms kgs kilo kilos 千克 公斤",
        "milligram": "mg milligram milligrams 毫克",
        "microgram": "µg μg ug mcg 微克",
        "metric_ton": "t tonne tonnes 吨",
        "pound": "lb lbs 磅",
        "ounce": "oz ounce ounces 盎司",
        "second": "s sec secs second seconds 秒",
        "minute": "min mins minute minutes 分钟",
        "hour": "h hr hrs hour hours 小时 个小时",
        "day": "day days 天 日",
        "week": "week weeks wk wks 周 星期 个星期",
        "month": "month months 个月",
        "year": "year years yr yrs 年",
        "millisecond": "ms millisecond milliseconds 毫秒",
        "liter": "l L liter liters litre litres 升",
        "milliliter": "ml mL milliliter milliliters millilitre millilitres cc 毫升",
        "degC": "°C ℃ celsius centigrade degC 摄氏度",
        "degF": "°F ℉ fahrenheit degF 华氏度",
        "kelvin": "K kelvin kelvins",
        "degree": "° deg degree degrees 度",
        "radian": "rad rads radian radians 弧度",
        "volt": "V volt volts 伏 伏特",
        "ampere": "A amp amps ampere amperes 安 安培",
        "watt": "W watt watts 瓦 瓦特",
        "kilowatt": "kW kilowatt kilowatts 千瓦",
        "ohm": "Ω Ω ohm ohms 欧 欧姆",
        "hertz": "Hz hertz 赫兹",
        "newton": "N newton newtons 牛 牛顿",
        "joule": "J joule joules 焦 焦耳",
        "pascal": "Pa pascal pascals 帕",
        "kilowatt_hour": "kWh 千瓦时 度电",
        "kilometer / hour": "km/h kph kmh 千米每小时 公里每小时",
        "mile / hour": "mph",
        "meter / second": "m/s 米每秒",
        "meter ** 2": "平方米 sqm",
        "foot ** 2": "sqft",
        "kilometer ** 2": "平方公里 平方千米",
        "centimeter ** 2": "平方厘米",
        "meter ** 3": "立方米",
        "centimeter ** 3": "立方厘米",
        "hectare": "ha hectare hectares 公顷",
        "acre": "acre acres 英亩",
        "currency:USD": "$ US$ USD usd dollar dollars 美元 美金",
        "currency:EUR": "€ EUR eur euro euros 欧元",
        "currency:GBP": "£ GBP gbp sterling 英镑",
        "currency:CNY": "元 CNY RMB 人民币 块 yuan",
        "currency:JPY": "JPY yen 日元",
        "currency:INR": "₹ INR rupee rupees Rs 卢比",
        "currency:¥": "¥",
    }.items()
    for alias in aliases.split()
}
"""Names to pint's names. Symbols are told apart by letter case, words are not."""

_NAMES_OF_POUND = ("pound", "pounds")
_HAN = "|".join(sorted((name for name in _ALIASES if not name.isascii() and name[0] > "\u2e80"), key=len, reverse=True))
_POWER = r"(?:\^?\{?\u2060{0,6}([23])\}?(?![0-9.])|([²³])|[ ](squared|cubed))?"
_WORD = rf"(?:{_HAN}|°[ ]?[CF](?![A-Za-z])|US\$|[$€£¥₹℃℉°Ω]|[µμ]?[A-Za-z]{{1,20}})"
_FACTOR = rf"(?:(square|sq\.?|cubic|cu\.?)[ ])?({_WORD}){_POWER}"
_PHRASE = re.compile(
    rf"[ \u00a0\u2009\u2060-]{{0,16}}{_FACTOR}(?:[ \u2060]{{0,3}}(/|(?<![A-Za-z])per(?![A-Za-z])|每|·|\*)[ \u2060]{{0,3}}{_FACTOR})?", re.IGNORECASE
)
_QUOTES = {"'": "foot", "′": "foot", '"': "inch", "″": "inch"}
_NEVER = frozenset("a i in at as am us are is it do so no or to on of be by per and the for an my me we he if up pm out all ad bc cat has".split())
"""English words that are also symbols of units; after a number they are words."""


@dataclass(frozen=True, slots=True)
class UnitAt:
    """A unit and where it ends."""

    unit: str
    """As pint spells it, or ``currency:CODE``."""
    end: int


def unit_after(text: str, position: int) -> UnitAt | None:
    """Read the unit that stands right after a number."""
    if text[position : position + 1] in _QUOTES:
        return UnitAt(_QUOTES[text[position]], position + 1)
    match = _PHRASE.match(text, position)
    if match is None:
        return None
    first = _factor(match[1], match[2], match[3] or match[4] or match[5], text[match.end(2) : match.end(2) + 12])
    if first is None:
        return None
    second = _factor(match[7], match[8], match[9] or match[10] or match[11], "") if match[6] else None
    if second is None:
        ends = [match.end(group) for group in (2, 3, 4, 5) if match[group]]
        return UnitAt(first, _closed(text, max(ends)))
    operator = "*" if match[6] in "·*" else "/"
    return UnitAt(f"{first} {operator} {second}", _closed(text, match.end()))


def _closed(text: str, end: int) -> int:
    return end + 1 if text[end : end + 1] == "}" and "^{" in text[max(0, end - 10) : end] else end


def currency_before(text: str, position: int) -> str | None:
    """Read the currency sign that stands right before a number (and its sign)."""
    head = text[max(0, position - 12) : position].rstrip(" \u2060")
    for sign in ("US$", "USD", "EUR", "GBP", "CNY", "RMB", "JPY", "INR", "Rs", "$", "€", "£", "¥", "₹"):
        if head.endswith(sign):
            return _ALIASES[sign]
    return None


def _factor(prefix: str | None, word: str, power: str | None, rest: str) -> str | None:
    name = unit_name(word)
    if name is None or (word == "in" and rest[:2].strip(" .,;)") != ""):
        return None
    if prefix:
        power = "3" if prefix.lower().startswith("cu") else "2"
    exponent = {"²": "2", "³": "3", "squared": "2", "cubed": "3"}.get((power or "").lower(), power)
    return f"{name} ** {exponent}" if exponent else name


def unit_name(word: str) -> str | None:
    """Return pint's name of a unit word, or None if it names no unit."""
    word = word.replace(" ", "")
    if word.lower() in _NAMES_OF_POUND:
        return "pound"
    if word == "in":
        return "inch"
    if known := _ALIASES.get(word) or (_ALIASES.get(word.lower()) if len(word) > 2 else None):
        return known
    if word.lower() in _NEVER or not word.isascii() or not word.isalpha() or len(word) < 2:
        return None
    return _pint_name(word)


_PREFIXED = frozenset("meter gram second ampere kelvin mole candela hertz newton pascal joule watt coulomb volt farad ohm siemens weber tesla henry lumen lux becquerel gray sievert liter electron_volt bar byte bit calorie watt_hour parsec".split())
"""Units that take prefixes; pint would also read "cats" as centi-technical-atmospheres."""
_COUNTED = frozenset("cup point count turn dot pixel rod chain link hand barrel drop stick tick slug barn grain league line stone bag box can face bottle".split())
"""Units that more often are the things counted."""


@lru_cache(maxsize=1024)
def _pint_name(word: str) -> str | None:
    for prefix, name, _ in registry().parse_unit_name(word):
        if name not in _COUNTED and (not prefix or name in _PREFIXED):
            return prefix + name
    return None


@lru_cache(maxsize=1)
def registry() -> "UnitRegistry[float]":
    """Load pint's registry, once a process; it takes about a second."""
    import pint

    return pint.UnitRegistry(cache_folder=None)


@lru_cache(maxsize=1024)
def _linear(source: str, target: str) -> tuple[float, float] | None:
    """Return (factor, offset) of a conversion; None between different dimensions."""
    if source.startswith("currency:") or target.startswith("currency:"):
        return None
    units = registry()
    try:
        zero, one = (float(units.convert(x, source, target)) for x in (0.0, 1.0))
    except Exception:
        return None
    return one - zero, zero


def convert(value: Fraction, source: str, target: str) -> Fraction | None:
    """Express a value in another unit; None where the dimensions differ.

    Degrees without a scale are those of the target; ¥ is yuan or yen, a pound money or mass.
    """
    if source == target or (source == "degree" and target in ("degC", "degF")):
        return value
    if {source, target} in ({"currency:¥", "currency:CNY"}, {"currency:¥", "currency:JPY"}, {"pound", "currency:GBP"}):
        return value
    linear = _linear(source, target)
    return None if linear is None else value * Fraction(linear[0]) + Fraction(linear[1])
