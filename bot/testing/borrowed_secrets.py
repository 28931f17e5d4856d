"""Secrets as detect-secrets has them in its tests: a text for every form that it knows.

They are put together when they are asked for; whether each is one, the installed package says.
"""

from __future__ import annotations

import json
import string
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass

from bot.testing.secret_texts import made_up

_LOWER = string.ascii_lowercase + string.digits
_HEX = string.digits + "abcdef"
_UPPER = string.ascii_uppercase + string.digits
_WORDY = string.ascii_letters + string.digits + "_-"

KEYWORDS = (
    "api_key",
    "auth_key",
    "service_key",
    "account_key",
    "db_key",
    "private_key",
    "client_key",
    "db_pass",
    "database_pass",
    "key_pass",
    "password",
    "passwd",
    "pwd",
    "secret",
    "contraseña",
)
"""Names that its detector by keyword goes by."""

_ASSIGNED = ('{} = "{}"', "my_{}: '{}'", '"{}": "{}"')


@dataclass(frozen=True, slots=True, kw_only=True)
class BorrowedSecret:
    """A text with a secret that detect-secrets finds; ``detector`` is the class that does."""

    detector: str
    text: str
    secret: str


def borrowed_secrets() -> tuple[BorrowedSecret, ...]:
    """Give the texts of all detectors."""
    forms = (
        BorrowedSecret(detector=detector, text=form.format(secret), secret=secret)
        for detector, form, secret in (*_clouds(), *_code_hosts(), *_chats(), *_services())
    )
    keywords = (
        BorrowedSecret(detector="KeywordDetector", text=form.format(word, value), secret=value)
        for place, word in enumerate(KEYWORDS)
        for form in _ASSIGNED
        for value in (f"m{made_up(9, seed=place)}" + f"-{made_up(9, seed=-place)}",)
    )
    return (*forms, *keywords)


def _clouds() -> Iterator[tuple[str, str, str]]:
    for start in ("AK" + "IA", "AS" + "IA", "A3" + "TX", "AB" + "IA", "AC" + "CA"):
        yield "AWSKeyDetector", "{}", start + made_up(16, _UPPER)
    for form in ("aws_access_key = '{}'", 'aws_secret_key = "{}"', "AWS_SECRET_ACCESS_TOKEN='{}'"):
        yield "AWSKeyDetector", form, made_up(40, string.ascii_letters + string.digits + "/+")
    yield "ArtifactoryDetector", "artif-key:{}", "AK" + "C" + made_up(12)
    yield "ArtifactoryDetector", "key={}", "AK" + "C" + made_up(24)
    yield "ArtifactoryDetector", "artifactory:_password={}", "AP" + "B" + made_up(24)
    yield "AzureStorageKeyDetector", "AccountKey={}", made_up(86) + "=="
    for form in ("cloudant_password='{}'", "cl_apikey = {}", 'clou_pw = "{}"'):
        yield "CloudantDetector", form, made_up(64, _HEX)
    address = "https://cat:{}@jason.clou" + "dant.com"
    yield "CloudantDetector", address, made_up(64, _HEX)
    for form in ("ibm_cloud_iam_api_key={}", 'cloud-iam-key: "{}"', "ibm_token => '{}'"):
        yield "IbmCloudIamDetector", form, made_up(44, _WORDY)
    for form in ('"cos_hmac_secret_access_key": "{}"', "ibm_cos_secret_key={}", "secret_key: {}"):
        yield "IbmCosHmacDetector", form, made_up(48, _HEX)
    for form in ("softlayer_api_key = {}", 'sl_password: "{}"', "softlayer_token='{}'"):
        yield "SoftlayerDetector", form, made_up(64, _LOWER)
    yield "SoftlayerDetector", "http://api.softlayer.com/soap/v3/{}", made_up(64, _LOWER)


def _code_hosts() -> Iterator[tuple[str, str, str]]:
    for start in ("ghp", "gho", "ghu", "ghs", "ghr"):
        yield "GitHubTokenDetector", "{}", f"{start}_" + made_up(36)
    for start, length in (
        ("glpat", 20),
        ("gldt", 20),
        ("glft", 20),
        ("glsoat", 20),
        ("glrt", 20),
        ("glcbt", 24),
        ("glimt", 25),
        ("glptt", 40),
        ("glagent", 50),
        ("gloas", 64),
    ):
        yield "GitLabTokenDetector", "{}", f"{start}-" + made_up(length, _WORDY)
    yield "GitLabTokenDetector", "{}", "GR134" + "8941" + made_up(20, _WORDY)
    for secret in (
        "npm" + "_" + made_up(36),
        made_up(8, _HEX) + "-743f-4a1c-9e0b-" + made_up(12, _HEX),
    ):
        yield "NpmDetector", "//registry." + "npmjs.org/:_authToken={}", secret
    for start in ("pypi-Ag" + "EIcHlwaS5vcmc", "pypi-Ag" + "ENdGVzdC5weXBpLm9yZw"):
        yield "PypiTokenDetector", "{}", start + made_up(80, _WORDY)
    for name in ("DSA ", "EC ", "OPENSSH ", "RSA ", ""):
        block = (
            f"-----BEGIN {name}PRIV"
            + f"ATE KEY-----\n{made_up(64)}\n-----END {name}PRIV"
            + "ATE KEY-----"
        )
        yield "PrivateKeyDetector", "{}", block


def _chats() -> Iterator[tuple[str, str, str]]:
    for start, length in (("M", 23), ("N", 23), ("O", 25)):
        secret = f"{start}{made_up(length, _WORDY)}.{made_up(6, _WORDY)}.{made_up(27, _WORDY)}"
        yield "DiscordBotTokenDetector", "{}", secret
    for start in "abposr":
        secret = "xox" + f"{start}-{made_up(12, string.digits)}-{made_up(12, string.digits)}-"
        yield "SlackDetector", "{}", secret + made_up(24, _LOWER)
    hook = f"/services/T{made_up(8, _UPPER)}/B{made_up(8, _UPPER)}/{made_up(24)}"
    yield "SlackDetector", "{}", "https://hooks.sl" + "ack.com" + hook
    for length in (8, 10):
        secret = made_up(length, "123456789") + ":" + made_up(35, _WORDY)
        yield "TelegramBotTokenDetector", "{}", secret
    for start in ("A" + "C", "S" + "K"):
        yield "TwilioKeyDetector", "{}", start + made_up(32, _LOWER)


def _services() -> Iterator[tuple[str, str, str]]:
    for form in ("https://username:{}@yelp.com", "http://a:{}@localhost:80/x?y#z"):
        yield "BasicAuthDetector", form, "who" + "zyour" + "daddy7"
    for claims in ({"sub": "1234567890", "name": "Ann"}, {"iss": "a.example", "aud": "shop"}):
        parts = (_encoded({"alg": "HS256", "typ": "JWT"}), _encoded(claims), made_up(43))
        yield "JwtTokenDetector", "{}", ".".join(parts)
    yield "MailchimpDetector", "{}", made_up(32, _HEX) + "-us" + "20"
    middle = "T3Blbk" + "FJ"
    for start in ("sk-", "sk-proj-"):
        yield "OpenAIDetector", "{}", f"{start}{made_up(20)}{middle}{made_up(20, seed=2)}"
    yield "SendGridDetector", "{}", "S" + f"G.{made_up(22, _WORDY)}.{made_up(43, _WORDY)}"
    yield "SquareOAuthDetector", "{}", "sq0" + "csp-" + made_up(43)
    for start in "rs":
        yield "StripeDetector", "{}", start + "k_li" + "ve_" + made_up(24)


def _encoded(claims: dict[str, str]) -> str:
    return urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
