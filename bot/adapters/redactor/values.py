"""What stands where a secret may stand: is it one, or a word, a variable, a piece of code?"""

from __future__ import annotations

import re

_WORDS = """
    required optional wrong correct incorrect invalid valid expired missing empty changed unchanged
    stored hashed encrypted secure insecure weak strong safe unsafe needed hidden shown visible
    reset protected enabled disabled unknown unset set given wanted exposed leaked compromised
    broken working ready available forgotten lost saved sent generated shared same different still
    also just only always never now here there with that this the what which when where your yours
    mine ours their something anything nothing everything case-sensitive too not being about null
    none true false undefined string str text bytes int integer number bool boolean object any void
    varchar secretstr value values input raw result default example placeholder changeme field form
    type name username user email login e-mail password passwort passwd pass contraseña senha пароль
    minimum maximum at must should expected enough token secret key keys redacted masked n/a tbd todo
    falsch richtig leer sicher unsicher abgelaufen vergessen geändert erforderlich nicht sehr
    zurückgesetzt
    requis obligatoire oublié expiré faux invalide
    incorrecta correcta obligatoria obligatorio segura válida inválida caducada
    errata sbagliata corretta scaduta obbligatoria
    incorreta correta obrigatória expirada
    неверный верный обязателен истёк истек устарел забыт нужен"""
_SAID_OF_SECRETS = frozenset(_WORDS.split())

FUNCTION_WORDS = frozenset(
    """
    the a an in to is are was be been for and or nor by with of not no at on from if when then than
    that this these it its my your our their his her you we they i he she as but so do does did has
    have had must should shall can cannot could may might will would need needs contain contains use
    using used enter enters type choose pick ask see please again least most more less only same new
    old change changed reset try tried wrong required optional characters letters digits symbols
    numbers words uppercase lowercase minimum maximum length long short here there
    der die das den dem ein eine einen und oder nicht kein keine mit von vom zu zum zur im ist sind
    bitte muss soll kann neu noch nur sie wir ihr ich er es auf bei nach zeichen
    le la les un une et ou pas avec de du des pour par sur est sont dans que qui vous nous il elle
    el los las una y o no con del por para en es son que se su lo al como
    """.split()
)
"""Words of which sentences are made, and phrases that people choose as a secret hardly are."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LIKE_AN_ADJECTIVE = re.compile(r".+(?:ed|ing|able|ible|ful|less|ive|ous|ary|ally|ently)")
_VARIABLE = re.compile(r"(?i)[a-z_][\w.]*(?:pass|pwd|secret|token|key|credential)[a-z_]*")
_SNAKE = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")
_CALL = re.compile(r"(?:new |await )?[A-Za-z_][A-Za-z_.]*[(\[].*")
_ATTRIBUTE = re.compile(
    r"(?i)(?:self|this|cls|os|sys|config|settings?|process|env|args?|req(?:uest)?|res|ctx|props"
    r"|state|opts|options|params|body|data|user|form|event|app|import|secrets?)\.[\w.\[\]'\"]+"
)
_PLACEHOLDER = re.compile(
    r"(?i)(?:your|my|insert|enter|put|add)[-_].*|[*•.x_#-]+|\.{3}.*|.*\.{3}|.*…"
    r"|https?:.*|[~.]{0,2}/[\w./-]+"
)
_UNIT = (
    r"(?>\$\{[^{}]*+\}?|\$\d|\$[A-Z_][A-Z0-9_]*+(?![a-z])"
    r"|[$:@&][A-Za-z_]++(?>(?>->|::|\.)[A-Za-z_]++|\[[^\[\]]*+\]?)*+"
    r"|%(?:\d\$)?[A-Za-z@](?![A-Za-z0-9])|%\([A-Za-z_]++\)[a-z]?|%[A-Za-z_]++%?"
    r"|\{++[^{}]*+\}*+|\[++[^\[\]]*+\]*+|<[^<>]*+>?)"
)
_FORM = re.compile(
    rf"(?>{_UNIT}[/@.,:_-]{{0,3}}+)++(?:\\+[nrt])*+"
    r"|\$\(.*|&[\w.-]+=.*|&#?\w+;.*|[$%:@&?]+"
)
"""What stands for a value in settings, code and templates, as a whole: ``${X}``, ``$NAME``, ``%s``,
``{x}``, ``<x>``, or several of them. A closing sign may be missing: it was taken for the end of a
sentence."""

_LONGEST_FORM_CHARS = 200
"""What is longer is no template; and a text made of their beginnings would be read over and over."""

_MACHINE_MADE = re.compile(
    r"[0-9a-fA-F]{16,}|(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9](?:[\w+/=-]{18,})[A-Za-z0-9=]"
)
_MEASURE = re.compile(
    r"(?i)v?\d+(?:\.\d+)+|\d{1,2}[-–~]\d{1,3}|\d{4}-\d\d-\d\d.*|\d+(?:k|m|ms|s|gb|mb)?"
)
_TWO_CAPITALS = re.compile(r"[A-Z]{2}")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_PUBLIC_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def may_be_password(value: str, *, is_assigned: bool, is_clause: bool) -> bool:
    """Say whether what is called a password is one.

    Args:
        value: What stands there, without quotation marks.
        is_assigned: A sign (``:``, ``=``) stands before it, not a verb.
        is_clause: Nothing of the sentence comes behind it.
    """
    if len(value) < 4 or _is_no_secret(value):
        return False
    if is_assigned:
        return not (_VARIABLE.fullmatch(value) or _SNAKE.fullmatch(value))
    if _WORD.fullmatch(value):
        # "My password is sunshine", but not "the password is sunshine yellow" or "is required".
        return is_clause and len(value) >= 5 and not _LIKE_AN_ADJECTIVE.fullmatch(value.lower())
    return True


def may_be_token(value: str) -> bool:
    """Say whether what is called a token or a key is one: it is long, and no word or measure."""
    if len(value) < 8 or _is_no_secret(value) or _PUBLIC_ADDRESS.fullmatch(value):
        return False
    has_both = _DIGIT.search(value) and _LETTER.search(value)
    return bool(has_both) and _MEASURE.fullmatch(value) is None


def looks_random(value: str) -> bool:
    """Say whether a value is a secret by its look alone: letters, digits and signs mixed."""
    return (
        may_be_token(value)
        and any(not each.isalnum() for each in value)
        and not re.fullmatch(r"[\w.:/-]+", value)
    )


def looks_machine_made(value: str) -> bool:
    """Say whether a token is one by its look alone: long, of mixed letters or hexadecimal."""
    return may_be_token(value) and _MACHINE_MADE.fullmatch(value) is not None


def looks_chosen(value: str) -> bool:
    """Say whether a value is a password by its look alone: one word of both cases and digits."""
    has_all = any(map(str.islower, value)) and any(map(str.isupper, value))
    return has_all and value.isalnum() and may_be_token(value)


def looks_like_noise(value: str) -> bool:
    """Say whether letters are of mixed case as chance mixes them, unlike ``YourKeyHere``."""
    upper = sum(map(str.isupper, value))
    lower = sum(map(str.islower, value))
    is_mixed = min(upper, lower) * 4 >= upper + lower
    return len(value) >= 16 and is_mixed and _TWO_CAPITALS.search(value) is not None


def is_placeholder(value: str) -> bool:
    """Say whether a value is a variable, or stands for one that somebody is to put in."""
    is_form = len(value) <= _LONGEST_FORM_CHARS and _FORM.fullmatch(value) is not None
    return is_form or _PLACEHOLDER.fullmatch(value) is not None


def _is_no_secret(value: str) -> bool:
    return (
        is_placeholder(value)
        or (len(value) < 24 and value.lower().rstrip("!?.") in _SAID_OF_SECRETS)
        or _CALL.fullmatch(value) is not None
        or _ATTRIBUTE.fullmatch(value) is not None
    )
