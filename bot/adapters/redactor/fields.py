"""Secrets that are known by the field they stand in: of a file of settings, a form, a command line.

Patterns are matched with the text in lower case; what is judged is the text as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.adapters.redactor.rule import Rule, Span
from bot.adapters.redactor.values import (
    FUNCTION_WORDS,
    is_placeholder,
    may_be_password,
    may_be_token,
)

_PASSWORD = r"passwor[dt]|passwd|pwd|passphrase|kennwort"
_TOKEN = r"(?:token|secret|api[_-]?key)(?![a-z])"
_NAME = rf"[\w.:-]{{0,40}}(?:{_PASSWORD}|(?P<token>{_TOKEN}))[\w.:-]{{0,20}}"
"""The name of a field that holds a password or a token; the group says which."""

_TRAILING = ".,;:)]}"


def _judge_field(match: re.Match[str], text: str) -> Span | None:
    """Judge what stands in a field by the field's name."""
    start, stop = match.span("value")
    value = text[start:stop]
    if match["token"] is not None:
        return Span(start, stop, "token") if may_be_token(value) else None
    is_one = may_be_password(value, is_assigned=True, is_clause=True)
    return Span(start, stop, "password") if is_one else None


def _judge_login(match: re.Match[str], text: str) -> Span | None:
    """Judge what comes behind a name and the word: "user bob password hunter2"."""
    start, stop = match.span("value")
    while stop > start and text[stop - 1] in _TRAILING:
        stop -= 1
    value = text[start:stop]
    is_one = may_be_password(value, is_assigned=True, is_clause=True)
    if match["machine"] is None:  # "users can password protect it"
        is_one = is_one and not value.isalpha()
    return Span(start, stop, "password") if is_one else None


def _judge_list(match: re.Match[str], text: str) -> Span | None:
    """Judge several in a row: "passwords: one, two"; of words alone it is a sentence."""
    start, stop = match.span("value")
    while stop > start and text[stop - 1] in _TRAILING:
        stop -= 1
    values = re.split(r",\s?", text[start:stop])
    is_one = all(may_be_password(each, is_assigned=True, is_clause=True) for each in values)
    is_said = all(each.isalpha() for each in values)
    return Span(start, stop, "password") if is_one and not is_said else None


def _judge_words(match: re.Match[str], text: str) -> Span | None:
    """Judge a whole clause of words in small letters: a passphrase, or a sentence about one?"""
    words = text[match.start("value") : match.end("value")]
    is_sentence = not words.islower() or FUNCTION_WORDS & set(re.split(r"[ -]", words))
    return None if is_sentence else Span(*match.span("value"), "password")


def _unless_placeholder(kind: str) -> Callable[[re.Match[str], str], Span | None]:
    def judge(match: re.Match[str], text: str) -> Span | None:
        start, stop = match.span("value")
        return None if is_placeholder(text[start:stop]) else Span(start, stop, kind)

    return judge


def _judge_cookies(match: re.Match[str], text: str) -> Span | None:
    pairs = (pair.partition("=") for pair in match["value"].split(";"))
    is_one = any(
        (len(value) >= 16 or "sess" in name) and may_be_token(value.strip())
        for name, _, value in pairs
    )
    return Span(*match.span("value"), "token") if is_one else None


_HINTS = ("passwor", "passwd", "pwd", "passphrase", "kennwort", "token", "secret", "key")

FIELDS: tuple[Rule, ...] = (
    Rule(
        pattern=re.compile(
            rf"<{_NAME}(?:\s[^<>]{{0,200}})?>\s{{0,3}}(?P<value>[^<>\s]{{4,300}})\s{{0,3}}</"
        ),
        judge=_judge_field,
        hints=_HINTS,
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            rf"(?:key|name)\s?=\s?\\{{0,3}}[\"']{_NAME}\\{{0,3}}[\"']\s{{1,5}}value\s?=\s?"
            r"(?P<mark>\\{0,3}[\"'])(?P<value>[^\"'<>\n]{4,300})(?P=mark)"
        ),
        judge=_judge_field,
        hints=_HINTS,
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            rf"name[\"']?:\s{{0,3}}[\"']?{_NAME}[\"']?,?\s{{1,40}}[\"']?value[\"']?:\s{{0,3}}"
            r"[\"']?(?P<value>[^\s\"']{4,300})"
        ),
        judge=_judge_field,
        hints=_HINTS,
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"(?P<machine>(?:machine\s{1,4}\S{1,100}|default)\s{1,10})?"
            r"(?:login|user(?:name)?|benutzer|usuario)[:=]?\s{1,4}[^\s:=]{1,64}\s{1,10}"
            r"(?:and\s|und\s|/\s)?(?:password|passwd|passwort|pass|pwd)\s{1,4}(?P<value>\S{4,300})"
        ),
        judge=_judge_login,
        hints=("pass", "pwd"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"(?:sshpass\s{1,4}(?:-\w\s{1,4}){0,3}-p\s{0,4}"
            r"|(?:mysql|mariadb)[a-z]{0,8}\s[^\n|;&]{0,200}?(?<=\s)-p(?=\S))"
            r"[\"']?(?P<value>[^\s\"']{4,300})"
        ),
        judge=_unless_placeholder("password"),
        hints=("sshpass", "mysql", "mariadb"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"pas{1,3}wor[dt](?:s|er)\s?[:=]\s{0,3}(?P<value>[^\s,]{4,100}(?:,\s?[^\s,]{4,100}){0,9})"
        ),
        judge=_judge_list,
        hints=("words", "wörter"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(r"wifi:(?:[^\n]{0,200}?;)?p:(?P<value>(?:\\.|[^;\n\\]){4,128})"),
        judge=_unless_placeholder("password"),
        hints=("wifi:",),  # as in the codes that telephones read
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}"
            r"(?P<mark>\\{0,3}[\"'])(?P<value>[^\"'\n]{4,300})(?P=mark)"
        ),
        judge=_judge_list,
        hints=("identified",),  # SQL's
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"(?:\s-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"'<]{4,300})"
        ),
        judge=_unless_placeholder("password"),
        hints=("curl", "wget", "http"),
    ),
    Rule(
        pattern=re.compile(
            rf"(?:{_PASSWORD}|mot de passe|contrase[ñn]a|senha)[*_]{{0,2}}\s?[:=][*_]{{0,2}}\s{{1,3}}"
            r"(?P<value>(?:[^\W\d_]{2,12}[ -]){3,7}[^\W\d_]{2,12})(?:[.!][ \t]|[.!]?[ \t]{0,3}(?=\n|$|\\{0,3}\"))"
        ),
        judge=_judge_words,
        hints=("pass", "kennwort", "contrase", "senha"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"cookie:[ \t]{0,3}(?P<value>(?:[\w.-]{1,64}=[^\s;,\\\"']{1,2000}+(?:;[ \t]?)?){1,40})"
        ),
        judge=_judge_cookies,
        hints=("cookie:",),
        is_lowered=True,
    ),
)
