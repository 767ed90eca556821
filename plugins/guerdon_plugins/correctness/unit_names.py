"""Names of units and currencies, as a table."""

from guerdon_plugins.parsing.listed import listed

ALIASES: dict[str, str] = {
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
        "currency:cent": "cent cents ¢ 美分",
        "currency:penny": "pence penny",
    }.items()
    for alias in listed(aliases)
}
"""Names to pint's names. Symbols are told apart by letter case, words are not."""


PREFIXED = frozenset(
    listed(
        """meter gram second ampere kelvin mole candela hertz newton pascal joule watt coulomb volt farad ohm siemens
        weber tesla henry lumen lux becquerel gray sievert liter electron_volt bar byte bit calorie watt_hour parsec"""
    )
)
"""Units that take prefixes; pint would also read "cats" as centi-technical-atmospheres."""

COUNTED = frozenset(
    listed(
        """cup point count turn dot pixel rod chain link hand barrel drop stick tick slug barn grain league line stone
        bag box can face bottle"""
    )
)
"""Units that more often are the things counted."""

WORDS = frozenset(
    listed(
        """a i in at as am us are is it do so no or to on of be by per and the for an my me we he if up pm out all ad bc
        cat has"""
    )
)
"""English words that are also symbols of units; after a number they are words."""
