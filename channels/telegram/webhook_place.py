"""Where Telegram sends updates by itself, and how it proves that it is Telegram."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from pydantic import SecretStr

_PURPOSE = b"daybook: the secret of the Telegram webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookPlace:
    """A webhook as the operator wants it.

    Attributes:
        url: What Telegram calls; https, on a port that it takes.
        host: The address to listen at, behind whatever ends the encryption.
        port: The port there; 0 for a free one.
        path: What is called there.
        secret: What every request must bring in its header.
    """

    url: str
    host: str
    port: int
    path: str
    secret: SecretStr


def secret_for(token: str) -> SecretStr:
    """Make the secret that a bot of this token has unless the operator names another one.

    The same at every start, and it does not give the token away.
    """
    return SecretStr(hmac.new(token.encode(), _PURPOSE, hashlib.sha256).hexdigest())
