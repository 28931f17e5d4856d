"""Secrets that are known by their own form: keys and tokens of vendors, headers, addresses."""

from __future__ import annotations

import re

from bot.adapters.redactor.rule import Rule, Span, whole
from bot.adapters.redactor.values import is_placeholder, looks_like_noise

_KEYS = {  # by what they begin with: the rest of the form
    "sk-": r"[\w-]{20,}+",  # Anthropic, OpenAI and whoever does as they do
    "sk_live_": r"\w{16,}+",
    "sk_test_": r"\w{16,}+",
    "rk_live_": r"\w{16,}+",
    "rk_test_": r"\w{16,}+",
    "whsec_": r"[\w+/=]{24,}+",
    "AIza": r"[\w-]{30,}+",
    "GOCSPX-": r"[\w-]{20,}+",
    "AKIA": r"[A-Z0-9]{16}",
    "ASIA": r"[A-Z0-9]{16}",
    "LTAI": r"[A-Za-z0-9]{12,}+",
    "AKID": r"[A-Za-z0-9]{13,}+",
    "AccountKey=": r"[\w+/=]{40,}+",
    "SharedAccessKey=": r"[\w+/=]{40,}+",
    "AGE-SECRET-KEY-1": r"[A-Z0-9]{50,}+",
    "ATATT3": r"[\w=-]{50,}+",
    "PMAK-": r"[\w-]{40,}+",
    "SG.": r"[\w-]{16,}+\.[\w-]{16,}+",
    "dapi": r"[a-f0-9]{32}",
    "dop_v1_": r"\w{40,}+",
    "dp.pt.": r"\w{30,}+",
    "figd_": r"[\w-]{30,}+",
    "glsa_": r"\w{30,}+",
    "gsk_": r"\w{30,}+",
    "hf_": r"\w{20,}+",
    "hvs.": r"[\w-]{20,}+",
    "key-": r"[a-f0-9]{32}",
    "lin_api_": r"\w{30,}+",
    "npm_": r"\w{30,}+",
    "ntn_": r"\w{30,}+",
    "nvapi-": r"[\w-]{40,}+",
    "pplx-": r"\w{30,}+",
    "pypi-": r"[\w-]{40,}+",
    "r8_": r"\w{30,}+",
    "rubygems_": r"\w{40,}+",
    "sbp_": r"\w{30,}+",
    "secret_": r"[A-Za-z0-9]{40,}+",
    "shpat_": r"\w{30,}+",
    "shpss_": r"\w{30,}+",
    "sq0atp-": r"[\w-]{20,}+",
    "sq0csp-": r"[\w-]{40,}+",
    "tvly-": r"[\w-]{20,}+",
    "xai-": r"\w{40,}+",
}

_TOKENS = {
    "ghp_": r"\w{30,}+",
    "gho_": r"\w{30,}+",
    "ghu_": r"\w{30,}+",
    "ghs_": r"\w{30,}+",
    "ghr_": r"\w{30,}+",
    "dckr_pat_": r"[\w-]{20,}+",
    "github_pat_": r"\w{30,}+",
    "glpat-": r"[\w-]{16,}+",
    "gldt-": r"[\w-]{16,}+",
    "glrt-": r"[\w-]{16,}+",
    "glptt-": r"[\w-]{16,}+",
    "glsoat-": r"[\w-]{16,}+",
    "glcbt-": r"[\w-]{16,}+",
    "glagent-": r"[\w-]{40,}+",
    "xoxa-": r"[\w-]{10,}+",
    "xoxb-": r"[\w-]{10,}+",
    "xoxc-": r"[\w-]{10,}+",
    "xoxd-": r"[\w%/+-]{10,}+",
    "xoxe-": r"[\w-]{10,}+",
    "xoxe.xox": r"[\w.-]{10,}+",
    "xoxo-": r"[\w-]{10,}+",
    "xoxp-": r"[\w-]{10,}+",
    "xoxr-": r"[\w-]{10,}+",
    "xoxs-": r"[\w-]{10,}+",
    "xapp-": r"[\w-]{10,}+",
    "ya29.": r"[\w-]{20,}+",
    "hooks.slack.com/services/": r"T\w{5,}+/B\w{5,}+/\w{10,}+",
    "hooks.slack.com/workflows/": r"T\w{5,}+/A\w{5,}+/[\w/]{10,}+",
    "discord.com/api/webhooks/": r"\d{10,}+/[\w-]{30,}+",
    "discordapp.com/api/webhooks/": r"\d{10,}+/[\w-]{30,}+",
}


def _of_vendors(forms: dict[str, str], kind: str) -> Rule:
    """Make one rule of many prefixes; without a digit or noise it is a "your-key-here"."""
    # What stands before is looked at behind the prefix: a search for letters alone is the fastest.
    alternatives = (
        rf"{re.escape(start)}(?<![\w-]{re.escape(start)}){rest}" for start, rest in forms.items()
    )

    def judge(match: re.Match[str], text: str) -> Span | None:
        is_one = any(each.isdigit() for each in match[0][4:])
        is_one = is_one or looks_like_noise(match[0])
        return Span(match.start(), match.end(), kind) if is_one else None

    return Rule(
        pattern=re.compile("|".join(alternatives), re.ASCII),
        judge=judge,
        hints=tuple(start.lower() for start in forms),
    )


def _judge_header(match: re.Match[str], text: str) -> Span | None:
    looks_random = any(each.isdigit() or each == "=" for each in match[1])
    return Span(match.start(1), match.end(1), "token") if looks_random else None


def _judge_password(match: re.Match[str], text: str) -> Span | None:
    return None if is_placeholder(match[1]) else Span(match.start(1), match.end(1), "password")


MARKED: tuple[Rule, ...] = (
    Rule(
        pattern=re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            # To its end; where that is missing, what looks like the lines of a key.
            r"(?:(?:[^-]|-(?!----)){0,20000}+-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:[\s\\nr>|]{0,12}[A-Za-z0-9+/=]{16,}+)*+)"
        ),
        judge=whole("key"),
        hints=("private key",),
    ),
    Rule(
        pattern=re.compile(r"Private-Lines: \d{1,3}\s{1,3}((?:[A-Za-z0-9+/=]{16,}+\s{0,4}+)++)"),
        judge=whole("key"),
        hints=("private-lines",),  # PuTTY's
    ),
    Rule(
        pattern=re.compile(r"://[^\s:/@]{0,128}+:([^\s/]{3,256})@(?=[\w\[{$])"),
        judge=_judge_password,
        hints=("://",),
    ),
    Rule(
        pattern=re.compile(
            r"(?:bearer|basic|authorization[\"']?:|x-api-key[\"']?:|apikey)[ \t]{1,4}[\"']?"
            r"(?:(?:bearer|basic|token|apikey)[ \t]{1,4})?([\w+/.=~-]{16,2000}+)",
            re.ASCII,
        ),
        judge=_judge_header,
        hints=("bearer", "basic", "authorization", "x-api-key", "apikey"),
        is_lowered=True,
    ),
)
"""What something around it marks as secret: a header, an address, the lines of a key file."""

RANDOM: tuple[Rule, ...] = (
    _of_vendors(_KEYS, "key"),
    _of_vendors(_TOKENS, "token"),
    Rule(
        pattern=re.compile(r"eyJ(?<![\w-]eyJ)[\w-]{8,}+(?:\.[\w-]*+){2,4}", re.ASCII),
        judge=whole("token"),
        hints=("eyj",),  # a JWT
    ),
    Rule(
        pattern=re.compile(r":AA(?<=\d{8}:AA)[\w-]{30,}+", re.ASCII),
        judge=lambda match, text: Span(_start_of_digits(text, match.start()), match.end(), "token"),
        hints=(":aa",),  # Telegram's
    ),
)
"""Long words with digits or capitals in them; where there are none, none of these is there."""


def _start_of_digits(text: str, stop: int) -> int:
    start = stop
    while start and stop - start < 12 and text[start - 1].isdigit():
        start -= 1
    return start
