import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.format.string_formats import FORMATS, MAX_LENGTH, has_format

GOOD = {
    "date": ["2024-02-29", "0001-01-01"],
    "time": ["23:59:60Z", "00:00:00z", "12:30:00.123+05:30", "12:30:00-23:59"],
    "date-time": ["2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5-01:00"],
    "duration": ["P1D", "P1Y2M3D", "PT1H", "P1DT12H", "P3W", "PT36M"],
    "email": ["a@b.c", "first.last+tag@example.com", "x@localhost"],
    "hostname": ["example.com", "a", "a-b.c1", "xn--bcher-kva.example"],
    "ipv4": ["0.0.0.0", "255.255.255.255"],
    "ipv6": ["::1", "2001:db8::8a2e:370:7334", "::ffff:192.0.2.1"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "ABCDEFAB-CDEF-ABCD-EFAB-CDEFABCDEFAB"],
    "uri": ["http://example.com/a?b=c#d", "mailto:a@b.c", "urn:isbn:0451450523", "http://[::1]:80/", "http://a.b/%20"],
    "uri-reference": ["/a/b", "", "#x", "http://example.com"],
    "json-pointer": ["", "/a", "/a~1b/0", "//"],
}
BAD = {
    "date": [
        "2024-02-30",
        "2023-02-29",
        "20240229",
        "2024-2-9",
        "2024-02-29 ",
        "２０２４-02-09",
        "",
        "0000-01-01",
        "2024-W01-1",
    ],
    "time": ["24:00:00Z", "12:60:00Z", "12:00:00", "12:00Z", "12:00:00+24:00", "12:00:61Z", "12:00:00.Z"],
    "date-time": ["2024-02-30T12:00:00Z", "2024-02-29 12:00:00Z", "2024-02-29T12:00:00", "2024-02-29", "2024-02-29T"],
    "duration": ["P", "PT", "1D", "P1", "P1DT", "P1H", "P-1D", "P1.5D"],
    "email": ["@", "a@", "@b.c", "a b@c.d", "a@b..c", "a@-b.c", ".a@b.c", "a..b@c.d", "a@b.c ", "a@b@c.d ", "猫@b.c"],
    "hostname": ["", "-a", "a-", "a..b", "a_b", "a" * 64, "a." * 127 + "ab", "a b", "例え.jp"],
    "ipv4": ["256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 ", "１.2.3.4"],
    "ipv6": ["12345::", "1::2::3", "::1%eth0", "1.2.3.4", ":::"],
    "uuid": [
        "123e4567e89b12d3a456426614174000",
        "123e4567-e89b-12d3-a456-42661417400g",
        "{123e4567-e89b-12d3-a456-426614174000}",
    ],
    "uri": [
        "/a/b",
        "example.com",
        "http://a b",
        "http:",
        ":x",
        "http://[::1",
        "http://a:b/",
        "1http://a",
        "http://ä.de",
        "a:%zz",
    ],
    "uri-reference": ["a b", "\\", "%", "http://a:99999/"],
    "json-pointer": ["a", "/~", "/~2", "#/a"],
}


def test_every_format_has_good_and_bad_examples():
    assert set(GOOD) == set(BAD) == set(FORMATS)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in GOOD.items() for text in texts])
def test_accepts(name, text):
    assert has_format(name, text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts])
def test_refuses(name, text):
    assert not has_format(name, text)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_very_long_string_has_no_format(name):
    assert not has_format(name, "a" * (MAX_LENGTH + 1))


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(text=st.text(max_size=50) | st.text(alphabet="0123456789-:.TZ/@a%[]PYMDHS~", max_size=50))
def test_any_string_is_judged_without_an_exception(name, text):
    assert has_format(name, text) in (True, False)
