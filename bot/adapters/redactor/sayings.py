"""Secrets that are known by the words before them: "my password is …", in many languages."""

from __future__ import annotations

import re

from bot.adapters.redactor.rule import Rule, Span, whole
from bot.adapters.redactor.values import (
    FUNCTION_WORDS,
    looks_chosen,
    looks_machine_made,
    looks_random,
    may_be_password,
    may_be_token,
)

# Words are matched in lower case. One that may end another word has its own look back.
_PASSWORD = (
    r"pas{1,3}wor[dt]|passwrod|passwd|pass[ -]?code|pass[ -]?phrase"
    r"|pass(?<![a-z]pass)|pwd|pw(?<![a-z]pw)|kennwort|geheimzahl|wlan-schlüssel"
    r"|mot de passe|mdp(?<![a-z]mdp)|contrase[ñn]a|clave(?<![a-z]clave)|parola d'ordine"
    r"|senha|palavra-passe|парол[ьяюе]|has[łl]o|wachtwoord|lösenord|şifre"
)
_KEY = (
    r"api[ _-]?key|secret[ _-]?(?:access[ _-]?)?key|access[ _-]?key|priv(?:ate)?[ _-]?key"
    r"|(?:auth|service|client|db|database)[ _-]?key|account[ _-]key"
    r"|(?:encryption|signing|license|ssh)[ _-]key|(?:api[ -]?|geheimer )schlüssel"
    r"|clé (?:d'api|api|secrète)|(?:clave|llave) (?:de )?(?:api|secreta)|chave (?:de )?(?:api|secreta)"
    r"|chiave (?:api|segreta)|ключ(?: api| доступа)?|klucz api"
)
_TOKEN = r"token|client[ _-]?secret|secret|jeton|токен"
_WORDS = rf"(?P<word>{_KEY}|{_PASSWORD}|{_TOKEN})"  # "clave api" before "clave"

_ABOUT = (
    r"(?:\s?\([^()\n]{1,30}\))?"
    r"(?:\s(?:for|to|of|on|at|in|für|zum|zur|von|vom|pour|de|du|del|della|para|do|da|per|от|для|к"
    r"|dla|voor)(?:\s[^\s:=]{1,40}){1,4}?)?"
)
_LINK = (
    r"(?:\\{0,3}[\"'`])?\]?[*_]{0,2}(?:"
    r"(?P<sign>\s{0,3}(?::=|=>|->|→|=(?![=~])|:(?![:/])|：|＝)[*_]{0,2}\s{0,3})"
    r"|(?P<verb>(?:'s|’s|\s{1,2}(?:is(?: now| still)?|will be|was|ist|lautet|est|es|è|e'|é|era|är"
    r"|jest|brzmi))(?:\s?[:=]\s{0,3}|\s-\s|\s{1,3})|\s[—–]\s))"
)
_DASH = r"(?P<dash>\s-\s|\s?\|\s?|\s)"
_VALUE = (
    r"(?:(?P<mark>\\{0,3}[\"'`])(?P<quoted>(?:(?!(?P=mark))(?:\\.|[^\n])){1,300})(?P=mark)"
    r"|[“„«「『](?P<fancy>[^\n”“»」』]{1,200})[”“»」』]"
    r"|(?:\\{0,3}[\"'`])?(?P<bare>[^\s\"'`“”„«»「」『』<>，。、；！？|]{1,2000}+))"
)

_FAR_EAST_WORDS = (
    r"(?:(?P<password>密码|密碼|口令|暗号|パスワード|パスコード|暗証番号|비밀번호|패스워드|비번|암호)"
    r"|密钥|秘钥|密鑰|令牌|私钥|apiキー|アクセスキー|秘密鍵|トークン|api ?키|토큰"
    r"|(?:api ?key|token)(?=\s{0,2}[是为為は을를은는이가]))"
)
_FAR_EAST_LINK = (
    r"(?P<link>\s{0,2}(?:就?是|改?[为為]|改成|设置?[为成]|設定?[為成]|[换換]成|は|が|を"
    r"|은|는|이|가|을|를|:|：|=)\s{0,2})?\s?"
)
_FAR_EAST_VALUE = (
    r"(?:[“\"'「『](?P<quoted>[^\n”\"'」』]{1,200})[”\"'」』]|(?P<bare>[!-~]{4,300}+))"
)

_TRAILING = ".,;:?)]}\\*_"
_OF_A_LIST = re.compile(r"(?:page|continuation|sync|cursor|max|num)[ _-]?token$")
"""Tokens that only say how a list goes on, or are counted."""

_OF_A_URL = re.compile(r"[?&][\w.-]{0,30}$")
_END_OF_CLAUSE = re.compile(r"[.!,;)]|\s*$|\s*\n")
_COUNTED = re.compile(r"\s?[位字个個文桁자]")
_IS_KEY = re.compile(_KEY)
_IS_TOKEN = re.compile(_TOKEN)
_ENDS_OF_PHRASES = frozenset(
    re.findall(r"\w+", "the in to a is are for and by with of not at on from was be")
)
"""None of them is among the words of which wallets make phrases, unlike "can" and "use"."""

_WORDS_OF_PHRASE = re.compile(r"[^\W\d_]+")
_LEAST_WORDS = 4
_WORDS_OF_SEED = 12


def _judge(match: re.Match[str], text: str) -> Span | None:
    kind = _kind_of(match["word"])
    start, stop = _value_of(match, text)
    value = text[start:stop]
    is_bare = match.start("bare") >= 0
    sign = match["sign"]
    starts_a_line = sign is not None and "\n" in sign
    if starts_a_line and is_bare and text[stop : stop + 1] == ":":
        return None  # the next name of a list of settings
    if match["dash"] is not None:
        is_one = looks_random(value) or (kind == "password" and looks_chosen(value))
        is_one = is_one or (kind != "password" and looks_machine_made(value))
        is_one = is_bare and is_one
    elif kind == "password":
        is_one = may_be_password(
            value,
            # "Let it pass: nobody …", and a form whose next line begins with another name.
            is_assigned=sign is not None and not starts_a_line and match["word"] != "pass",
            is_clause=not is_bare or _END_OF_CLAUSE.match(text, stop) is not None,
        )
    else:
        before = text[max(0, match.start() - 14) : match.end("word")]
        is_one = may_be_token(value) and not _OF_A_LIST.search(before.lower())
    return Span(start, stop, kind) if is_one else None


def _judge_far_east(match: re.Match[str], text: str) -> Span | None:
    start, stop = _value_of(match, text)
    value = text[start:stop]
    if _COUNTED.match(text, stop):
        return None  # how long one has to be
    is_one = may_be_token(value)
    if match["password"] is None:
        return Span(start, stop, "token") if is_one else None
    if match["link"] is not None or match.start("bare") < 0:
        is_one = may_be_password(value, is_assigned=True, is_clause=True)
    return Span(start, stop, "password") if is_one else None


def _judge_option(match: re.Match[str], text: str) -> Span | None:
    value = text[match.start(2) : match.end(2)]
    is_one = may_be_password(value, is_assigned=True, is_clause=True)
    if match[1] == " ":  # "give --token and --user"
        is_one = is_one and not value.isalpha()
    return Span(match.start(2), match.end(2), "password") if is_one else None


def _judge_phrase(match: re.Match[str], text: str) -> Span | None:
    """Judge words behind "the passphrase is": they end where a sentence begins or goes on."""
    start = match.start(1)
    words: list[str] = []
    stop = start
    for word in _WORDS_OF_PHRASE.finditer(text, start, match.end(1)):
        is_capital = word[0][0].isupper() and words and words[-1][0].islower()
        if is_capital or word[0].lower() in _ENDS_OF_PHRASES:
            break
        words.append(word[0])
        stop = word.end()
    is_said = FUNCTION_WORDS.intersection(map(str.lower, words)) and len(words) < _WORDS_OF_SEED
    return Span(start, stop, "password") if len(words) >= _LEAST_WORDS and not is_said else None


def _judge_random(match: re.Match[str], text: str) -> Span | None:
    return Span(match.start(1), match.end(1), "password") if may_be_token(match[1]) else None


def _judge_digits(match: re.Match[str], text: str) -> Span:
    return Span(*match.span(match.lastindex or 0), "password")


def _value_of(match: re.Match[str], text: str) -> tuple[int, int]:
    """Say where the value stands: without marks, and bare without what ends a sentence."""
    groups = match.re.groupindex
    for group in ("quoted", "fancy"):
        if group in groups and match.start(group) >= 0:
            return match.span(group)
    start, stop = match.span("bare")
    ampersand = text.find("&", start, stop)
    if ampersand >= 0 and _OF_A_URL.search(text[max(0, match.start() - 40) : match.start()]):
        stop = ampersand
    while stop > start and text[stop - 1] in _TRAILING:
        stop -= 1
    return start, stop


def _kind_of(word: str) -> str:
    if _IS_KEY.fullmatch(word):
        return "key"
    return "token" if _IS_TOKEN.fullmatch(word) else "password"


_HINTS = """
    pass pasw pwd pw kennwort geheimzahl schlüssel mdp contrase clave parola senha парол hasło haslo
    wachtwoord lösenord şifre key secret token clé llave chave chiave ключ klucz jeton токен"""
_FAR_EAST_HINTS = "密 口令 暗 パス 비 패스 암호 秘 令牌 私钥 キー トーク 키 토큰 key token"

SAYINGS: tuple[Rule, ...] = (
    Rule(
        pattern=re.compile(rf"{_WORDS}(?:{_ABOUT}{_LINK}|{_DASH}){_VALUE}"),
        judge=_judge,
        hints=tuple(_HINTS.split()),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(_FAR_EAST_WORDS + _FAR_EAST_LINK + _FAR_EAST_VALUE),
        judge=_judge_far_east,
        hints=tuple(_FAR_EAST_HINTS.split()),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"(?:pass[ -]?phrase|(?:seed|recovery|mnemonic) (?:phrase|words)|助记词)"
            r"(?:\s(?:is|ist|est|es))?\s{0,2}[:=：]?\s{0,2}[\"'“`]?"
            r"((?:[^\W\d_]{2,12}[ -]){3,23}[^\W\d_]{2,12})"
        ),
        judge=_judge_phrase,
        hints=("phrase", "words", "助记词"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"(?<!\S)(\S{6,64}) (?:as|is|was) (?:the|my|your|our) (?:\w{1,12} ){0,2}"
            r"pass(?:word|code)"
        ),
        judge=_judge_random,
        hints=("password", "passcode"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(r"pass(?:word|code) (?:to|as|with) [\"'“`]?([^\s\"'”`]{6,64})"),
        judge=_judge_random,
        hints=("password", "passcode"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"--(?:password|passwd|pass|token|secret|api-?key)([= ])[\"']?([^\s\"'-][^\s\"']{3,300})"
        ),
        judge=_judge_option,
        hints=("--pass", "--token", "--secret", "--api"),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"(?<![a-z])pin(?:[ -]?(?:code|number|nummer)|码|碼|コード)?"
            r"[\"']?\s{0,2}(?:(?:is|ist|est|es|è|é)(?:\s?[:=])?|[:=是は：])\s{0,2}[\"'*]{0,2}"
            r"(\d{4,8})(?![\w.,]?\d)"
        ),
        judge=whole("password"),
        hints=("pin",),
        is_lowered=True,
    ),
    Rule(
        pattern=re.compile(
            r"(?<![\w-])(?:pin\s(\d{4})|pass[ -]?code\s(\d{4,8}))(?=[.!?]?\s{0,3}(?:\n|$))"
        ),
        judge=_judge_digits,
        hints=("pin", "code"),
        is_lowered=True,
    ),
)
