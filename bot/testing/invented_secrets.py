"""Two hundred invented secrets: of 25 sorts, as people tell them in nine languages.

None is a secret of anybody. All are put together when they are asked for, so that no scanner finds
one in this file. Those that other people's rules know by their form are made of these rules.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass

from bot.testing.secret_texts import card_number, chinese_id, iban, in_fours, made_up

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "ru", "zh", "ja")
EACH = 8
"""So many of a sort, each in another language than the one before."""

_UPPER = string.ascii_uppercase + string.digits
_HEX = string.digits + "abcdef"


@dataclass(frozen=True, slots=True, kw_only=True)
class InventedSecret:
    """A text as somebody would write it, and what of it must be found nowhere."""

    sort: str
    language: str
    text: str
    secret: str


_TOLD: dict[str, str] = {
    "en": "Here it is: {}, please keep it safe.",
    "de": "Hier ist es: {}, bitte gut aufheben.",
    "fr": "Le voici : {} merci de le garder.",
    "es": "Aquí está: {} guárdalo bien.",
    "it": "Eccolo: {} tienilo al sicuro.",
    "pt": "Aqui está: {} guarda bem.",
    "ru": "Вот он: {} сохрани, пожалуйста.",
    "zh": "给你 {} 请保管好。",
    "ja": "これです {} 保管してください。",
}
"""For what is known by its form."""

_PASSWORD: dict[str, str] = {
    "en": "My password is {}, please log in.",
    "de": "Mein Passwort ist {}.",
    "fr": "Mon mot de passe est {}",
    "es": "Mi contraseña es {}",
    "it": "La mia password è {}",
    "pt": "A minha senha é {}",
    "ru": "Мой пароль: {}",
    "zh": "我的密码是{}",
    "ja": "パスワードは{}です",
}
_KEY: dict[str, str] = {
    "en": "my api key is {}",
    "de": "Der API-Schlüssel: {}",
    "fr": "la clé d'API : {}",
    "es": "la clave api: {}",
    "it": "la chiave api: {}",
    "pt": "a chave api: {}",
    "ru": "ключ api: {}",
    "zh": "密钥：{}",
    "ja": "APIキー：{}",
}
_TOKEN: dict[str, str] = {
    "en": "the token is {}",
    "de": "das Token: {}",
    "fr": "le jeton : {}",
    "es": "el token: {}",
    "it": "il token: {}",
    "pt": "o token: {}",
    "ru": "токен: {}",
    "zh": "令牌：{}",
    "ja": "トークン：{}",
}

_SORTS: dict[str, tuple[dict[str, str], Callable[[int], str]]] = {
    "password": (_PASSWORD, lambda n: f"Kest{n}" + f"rel!{made_up(4, seed=n)}"),
    "PIN-like password": (_PASSWORD, lambda n: made_up(9, string.digits, seed=n)),
    "opaque key": (_KEY, lambda n: made_up(32, seed=n)),
    "opaque token": (_TOKEN, lambda n: made_up(40, _HEX, seed=n)),
    "password in a URL": (_TOLD, lambda n: f"mysql://root:Wr{n}" + f"en{made_up(6, seed=n)}@db1/a"),
    "bearer": (_TOLD, lambda n: "Authorization: Bear" + f"er {made_up(36, seed=n)}"),
    "GitHub": (_TOLD, lambda n: "gh" + "p_" + made_up(36, seed=n)),
    "GitHub, fine-grained": (
        _TOLD,
        lambda n: "github" + "_pat_" + made_up(22, seed=n) + "_" + made_up(59, seed=n),
    ),
    "GitLab": (_TOLD, lambda n: "gl" + "pat-" + made_up(20, seed=n)),
    "Slack bot": (
        _TOLD,
        lambda n: "xox" + "b-" + made_up(12, string.digits, seed=n) + "-" + made_up(24, seed=n),
    ),
    "Slack app": (
        _TOLD,
        lambda n: "xa" + "pp-1-A" + made_up(10, _UPPER, seed=n) + "-" + made_up(40, seed=n),
    ),
    "Telegram bot": (
        _TOLD,
        lambda n: made_up(10, "123456789", seed=n) + ":A" + "A" + made_up(33, seed=n),
    ),
    "Discord bot": (
        _TOLD,
        lambda n: ".".join(("M" + made_up(23, seed=n), made_up(6, seed=n), made_up(27, seed=n))),
    ),
    "JWT": (
        _TOLD,
        lambda n: (
            "ey"
            + "J"
            + made_up(20, seed=n)
            + ".ey"
            + "J"
            + made_up(60, seed=n)
            + "."
            + made_up(43, seed=n)
        ),
    ),
    "Anthropic": (_TOLD, lambda n: "sk" + "-ant-api03-" + made_up(93, seed=n)),
    "OpenAI": (_TOLD, lambda n: "sk" + "-proj-" + made_up(80, seed=n)),
    "Stripe": (_TOLD, lambda n: "sk" + "_live_" + made_up(24, seed=n)),
    "Google": (_TOLD, lambda n: "AI" + "za" + made_up(35, seed=n)),
    "AWS access": (_TOLD, lambda n: "AK" + "IA" + made_up(16, _UPPER, seed=n)),
    "Hugging Face": (_TOLD, lambda n: "hf" + "_" + made_up(34, seed=n)),
    "SendGrid": (_TOLD, lambda n: "S" + "G." + made_up(22, seed=n) + "." + made_up(43, seed=n)),
    "private key": (
        _TOLD,
        lambda n: (
            f"-----BEGIN PRIV{''}ATE KEY-----\n{made_up(64, seed=n)}\n{made_up(64, seed=-n)}"
            f"\n-----END PRIV{''}ATE KEY-----"
        ),
    ),
    "card": (_TOLD, lambda n: in_fours(card_number(f"4{n:03}"))),
    "IBAN": (_TOLD, lambda n: iban("DE", made_up(18, string.digits, seed=n))),
    "identity number": (_TOLD, lambda n: chinese_id(order=f"{n:03}")),
}
"""By its name: how it is told, and how the ``n``-th one is made."""


def invented_secrets() -> tuple[InventedSecret, ...]:
    """Give all two hundred."""
    return tuple(
        InventedSecret(
            sort=sort, language=language, text=told[language].format(secret), secret=secret
        )
        for place, (sort, (told, make)) in enumerate(_SORTS.items())
        for number in range(EACH)
        for language in (LANGUAGES[(place + number) % len(LANGUAGES)],)
        for secret in (make(place * EACH + number + 1),)
    )
