from ipaddress import ip_address

import pytest

from bot.adapters.fetcher import decode, is_public


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"],
)
def test_public_addresses(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1"),
        *("203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "fe80::1"),
        *("fe80::1%1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1", "2001:db8::1", "100::1"),
        *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::"),
        *("2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001::1", "2001:20::1", "5f00::1", "3fff::1"),
        *("192.0.0.8", "192.0.0.9", "192.0.0.170", "::ffff:192.0.0.9", "64:ff9b::c000:9"),
    ],
)
def test_everything_else_is_not(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    ("body", "declared", "expected"),
    [
        ("é".encode(), None, "é"),
        ("é".encode(), "utf-8", "é"),
        (b"\xe9 \x80", "iso-8859-1", "é €"),
        (b'<meta charset="windows-1251">\xef', None, '<meta charset="windows-1251">п'),
        (b"<meta content='x; charset=koi8-r'>\xd0", None, "<meta content='x; charset=koi8-r'>п"),
        ('<?xml encoding="shift_jis"?>日'.encode("cp932"), None, '<?xml encoding="shift_jis"?>日'),
        ("é".encode("utf-8-sig"), "iso-8859-1", "é"),
        ("é".encode("utf-16"), "utf-8", "é"),
        ("中".encode("gb18030"), "gb2312", "中"),
        (b"a\xffb", "utf-8", "a\ufffdb"),
        (b"abc-", "punycode", "abc-"),
        (b"abc", "zlib", "abc"),
        (b"abc", "no such thing", "abc"),
        (b"abc", "\0", "abc"),
        (b"", None, ""),
    ],
)
def test_characters_are_read_as_the_page_says(
    body: bytes, declared: str | None, expected: str
) -> None:
    assert expected == decode(body, declared, is_html=True)
