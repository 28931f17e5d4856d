"""Financial numbers and numbers of identity cards: by their check digits, or by what is said."""

from __future__ import annotations

import re

from bot.adapters.redactor.rule import Rule, Span, whole

_CARD_RANGES: tuple[tuple[str, str, tuple[int, ...]], ...] = (  # first, last prefix; lengths
    ("4", "4", (16, 19)),  # Visa
    ("51", "55", (16,)),  # Mastercard
    ("2221", "2720", (16,)),
    ("34", "34", (15,)),  # American Express
    ("37", "37", (15,)),
    ("6011", "6011", (16, 19)),  # Discover
    ("644", "659", (16, 19)),
    ("300", "305", (14,)),  # Diners Club
    ("36", "36", (14,)),
    ("38", "39", (14, 16)),
    ("3528", "3589", (16,)),  # JCB
    ("62", "62", (16, 17, 18, 19)),  # UnionPay
    ("2200", "2204", (16,)),  # Mir
    ("5018", "5038", (16,)),  # Maestro
    ("5893", "5893", (16,)),
    ("6304", "6304", (16,)),
    ("6759", "6763", (16,)),
    ("60", "60", (16,)),  # RuPay
    ("81", "82", (16,)),
)
"""Source: ISO/IEC 7812 issuer ranges as the networks publish them. A longer number that has the
right check digit by chance (one in ten: times, ids of platforms) mostly begins otherwise."""

_IBANS = """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20
    EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30
    KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24
    PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22
    VG24 XK20"""
_IBAN_LENGTHS = {each[:2]: int(each[2:]) for each in _IBANS.split()}
"""Source: the IBAN registry of SWIFT, release 99."""

_CARD_SHAPES = ("4444", "44443", "465", "464")
"""Lengths of the groups in which people write card numbers."""

_BETWEEN = r"[ \u00a0\u2009\u202f._\u2010-\u2015-]"
"""What people put between the groups of a number."""

_CARD_WORDS = (
    "card",
    "karte",
    "carte",
    "tarjeta",
    "carta",
    "cartão",
    "карт",
    "卡",
    "カード",
    "카드",
)
_NEAR_CHARS = 40

_BEGINS = r"(?<![A-Za-z0-9_])(?<![A-Za-z0-9][.-])"
_ENDS = r"(?![A-Za-z0-9_])(?![.-][A-Za-z0-9])"


def has_luhn_digit(digits: str) -> bool:
    """Check a number by Luhn's digit, its last."""
    doubled = sum(int("0246813579"[int(digit)]) for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[::-2]))) % 10 == 0


def card_number_in(written: str) -> int:
    """Say how much of a text, from its first digit on, is a card number: its characters, or 0.

    Issuer, length, groups and check digit are looked at. What comes behind, such as the month of
    expiry, may look like one more group.
    """
    groups = list(re.finditer(r"\d+", written))
    for count in range(len(groups), 0, -1):
        if count == 1 or "".join([str(len(each[0])) for each in groups[:count]]) in _CARD_SHAPES:
            digits = "".join([each[0] for each in groups[:count]])
            if _is_card_number(digits if digits.isascii() else _in_ascii(digits)):
                return groups[count - 1].end()
    return 0


def _is_card_number(digits: str) -> bool:
    return (
        len(set(digits)) > 1
        and has_luhn_digit(digits)
        and any(
            first <= digits[: len(first)] <= last and len(digits) in lengths
            for first, last, lengths in _CARD_RANGES
        )
    )


def _in_ascii(digits: str) -> str:
    return "".join(str(int(each)) for each in digits)


def is_iban(plain: str) -> bool:
    """Check an account number without spaces by ISO 13616's remainder."""
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


def is_chinese_id(text: str) -> bool:
    """Check an identity number of 18 places by the digit of GB 11643."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(text[:17], weights, strict=True))
    return "10X98765432"[total % 11] == text[17].upper()


def _judge_card(match: re.Match[str], text: str) -> Span | None:
    length = card_number_in(match[0])
    if "\n" in match[0][:length]:  # a table of numbers has many that look so
        before = text[max(0, match.start() - _NEAR_CHARS) : match.start()].lower()
        if not any(word in before for word in _CARD_WORDS):
            return None
    return Span(match.start(), match.start() + length, "card") if length else None


def _judge_iban(match: re.Match[str], text: str) -> Span | None:
    """Read as many places as the country has; what follows may be another word."""
    length = _IBAN_LENGTHS.get(match[0][:2].upper(), 0)
    places = [place for place, each in enumerate(match[0]) if each.isalnum()][:length]
    if not length or len(places) < length:
        return None
    stop = match.start() + places[-1] + 1
    if text[stop : stop + 1].isascii() and text[stop : stop + 1].isalnum():
        return None
    is_one = is_iban("".join(match[0][place] for place in places))
    return Span(match.start(), stop, "account") if is_one else None


def _judge_chinese_id(match: re.Match[str], text: str) -> Span | None:
    return Span(match.start(), match.end(), "id") if is_chinese_id(match[0]) else None


def _said(words: str, digits: str, kind: str, hints: str) -> Rule:
    """Make a rule of what is said before a number, up to a few signs between them."""
    link = (
        r"(?:[\"'*_]{0,3}\s{0,2}(?:is|ist|est|es|è|é|是|为|は|은|는|:|=|#|：)?\s{0,2}[\"'*_]{0,3})"
    )
    return Rule(
        pattern=re.compile(rf"(?:{words}){link}({digits})(?![\w])", re.ASCII),
        judge=whole(kind),
        hints=tuple(hints.split()),
        is_lowered=True,
    )


NUMBERS: tuple[Rule, ...] = (
    Rule(
        pattern=re.compile(
            rf"{_BEGINS}(?:\d{{14,19}}"
            rf"|\d{{4}}(?:(?:{_BETWEEN}| ?\r?\n ?)\d{{3,6}}){{2,4}}){_ENDS}"
        ),
        judge=_judge_card,
    ),
    Rule(
        pattern=re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9]){11,30}+"),
        judge=_judge_iban,
    ),
    Rule(
        pattern=re.compile(
            r"(?<![A-Za-z0-9])[1-9]\d{5}(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d\d{3}[\dXx]"
            r"(?![A-Za-z0-9])",
            re.ASCII,
        ),
        judge=_judge_chinese_id,
    ),
    _said(
        r"(?:credit|debit|bank|visa|master)[ -]?card (?:number|no\.?|nr\.?)|card number"
        r"|kartennummer|numéro de (?:ma )?carte|número de (?:mi |la )?tarjeta"
        r"|numero (?:della )?carta|número do (?:meu )?cartão|номер карты"
        r"|卡号|卡號|カード番号|카드 ?번호",
        rf"\d(?:{_BETWEEN}?\d){{11,18}}",
        "card",
        "card karte carte tarjeta carta cartão карты 卡 カード 카드",
    ),
    _said(
        r"cvv2?|cvc2?|(?<![a-z])cvn|security code|prüfnummer|安全码|セキュリティコード",
        r"\d{3,4}",
        "card",
        "cvv cvc cvn code prüf 安全码 セキュ",
    ),
    _said(
        r"bank account(?: (?:number|no\.?|nr\.?))?|account (?:number|no\.?|nr\.?)"
        r"|routing (?:number|no\.?)|sort code|kontonummer|bankleitzahl|numéro de compte"
        r"|número de (?:mi )?cuenta|número da (?:minha )?conta|numero di conto|номер сч[её]та"
        r"|银行账[号户]|账号|口座番号|계좌 ?번호",
        r"\d(?:[ -]?\d){5,19}",
        "account",
        "account routing code konto bankl compte cuenta conta conto сч 账 口座 계좌",
    ),
    _said(
        r"ssn|social security (?:number|no\.?)|social security",
        r"\d{3}[- ]?\d\d[- ]?\d{4}",
        "id",
        "ssn social",
    ),
)
