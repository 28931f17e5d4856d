"""Five hundred texts that only look as if a secret stood in them, most of them machine-made.

They are what people really send: numbers of orders, checksums, addresses, code, talk of passwords.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from uuid import UUID

from bot.testing.harmless_texts import harmless_texts
from bot.testing.secret_texts import made_up

_HEX = string.digits + "abcdef"
_UPPER = string.ascii_uppercase + string.digits
_WORDS = ("amber", "boat", "cedar", "delta", "ember", "fjord", "grove", "haven", "kayak", "lemon")

EACH = 17
"""So many of a form."""


def _digits(n: int, length: int) -> str:
    return made_up(length, string.digits, seed=n)


def _uuid(n: int) -> str:
    return str(UUID(made_up(32, _HEX, seed=n)))


_FORMS: tuple[Callable[[int], str], ...] = (
    lambda n: f"The order 4{_digits(n, 7)} was shipped.",
    lambda n: f"request id {_uuid(n)} failed with 502",
    lambda n: f"commit {made_up(40, _HEX, seed=n)} fixed it",
    lambda n: f"sha256:{made_up(64, _HEX, seed=n)}",
    lambda n: f"md5 of the file is {made_up(32, _HEX, seed=n)}",
    lambda n: f'"integrity": "sha512-{made_up(86, seed=n)}=="',
    lambda n: f"call me at +49 30 {_digits(n, 7)}",
    lambda n: f"ISBN 978-3-16-{_digits(n, 6)}-0",
    lambda n: f"Sendungsnummer 00340{_digits(n, 15)}",
    lambda n: f"https://example.com/p/{made_up(11, seed=n)}?page={n}&sort=asc",
    lambda n: f"2026-11-{n % 28 + 1:02}T10:{n:02}:00.{_digits(n, 6)}Z",
    lambda n: f"version {n}.{n + 2}.{n * 3} of {_WORDS[n % 10]}-kit",
    lambda n: f"10.0.{n}.{n * 7} answers on port {8000 + n}",
    lambda n: f"MAC {':'.join(made_up(12, _HEX, seed=n)[i : i + 2] for i in range(0, 12, 2))}",
    lambda n: (
        f"the message {1_600_000_000 + n * 7919}.{_digits(n, 6)} in C0{made_up(9, _UPPER, seed=n)}"
    ),
    lambda n: f"Rechnung RE-2026-{_digits(n, 6)} über {n * 13},90 €",
    lambda n: f"user_{n} likes #{made_up(6, _HEX, seed=n)} on the wall",
    lambda n: (
        f"flight LH{400 + n}, seat {n}A, booking {made_up(6, string.ascii_uppercase, seed=n)}"
    ),
    lambda n: f"max_tokens={n * 1000}, next_token_index={n}, tokens: {n * 250}",
    lambda n: f"password = os.environ['{_WORDS[n % 10].upper()}_PASSWORD']",
    lambda n: f"if token != self.{_WORDS[n % 10]}_token: raise ValueError({n})",
    lambda n: f"忘记密码请打开 https://example.cn/reset/{n}，第{n}页",
    lambda n: f"パスワードは{n + 8}文字以上にしてください",
    lambda n: (
        f"The key {_WORDS[n % 10]}_{n} is pressed twice, the secret of {_WORDS[-n % 10]} stays"
    ),
)
"""Each makes the ``n``-th text of its form."""


def look_alikes() -> tuple[str, ...]:
    """Give all of them, those of :mod:`bot.testing.harmless_texts` among them."""
    return (*harmless_texts(), *(form(n) for form in _FORMS for n in range(1, EACH + 1)))
