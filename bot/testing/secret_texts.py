"""Texts with secrets in them, and texts that only look so: what every redactor is measured by.

None is a secret of anybody. All are put together when they are asked for, so that no scanner finds
one in this file.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass

_LETTERS = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretText:
    """A text, what of it must not stay, and as what: ``[redacted:kind]``."""

    text: str
    secret: str
    kind: str


def made_up(length: int, alphabet: str = _LETTERS, *, seed: int = 1) -> str:
    """Make characters that look random, the same each time, one of them a digit."""
    source = random.Random(f"{length} {alphabet} {seed}")  # noqa: S311 - nothing is kept secret
    return "".join(source.choice(alphabet) for _ in range(length - 1)) + "7"


def with_luhn_digit(digits: str) -> str:
    """Add the check digit of card numbers."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 if place % 2 else 2)
        total += doubled - 9 if doubled > 9 else doubled
    return digits + str(-total % 10)


def card_number(start: str = "4000", length: int = 16) -> str:
    """Make a card number that nobody has."""
    return with_luhn_digit((start + made_up(length, string.digits))[: length - 1])


def iban(country: str, account: str) -> str:
    """Add the check digits of ISO 13616 to an account number, such as ``DE`` and 18 digits."""
    moved = "".join(str(int(each, 36)) for each in account + country + "00")
    return f"{country}{98 - int(moved) % 97:02d}{account}"


def chinese_id(area_and_birthday: str = "11010119900307", order: str = "123") -> str:
    """Make an identity number by GB 11643."""
    digits = area_and_birthday + order
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return digits + "10X98765432"[total % 11]


def in_fours(text: str, separator: str = " ") -> str:
    """Write a number as people do."""
    return separator.join(text[start : start + 4] for start in range(0, len(text), 4))


def secret_texts() -> tuple[SecretText, ...]:
    """Give about a hundred texts with one secret each."""
    found: list[SecretText] = []
    for kind, make in (
        ("password", _passwords),
        ("token", _tokens),
        ("key", _keys),
        ("card", _cards),
        ("account", _accounts),
        ("id", _ids),
    ):
        found += (SecretText(text=text, secret=secret, kind=kind) for text, secret in make())
    return tuple(found)


_PASSWORDS = (
    "My password is {}, please log in for me.",
    "my wifi password is {}",
    "The password for the router is: {}",
    "Password: {}",
    "login bob / pwd: {}",
    "PASS={}",
    "user=bob passwd={} host=db1",
    '{{"user": "bob", "password": "{}"}}',
    "config['password'] = '{}'",
    "**Password:** {}",
    "password is now `{}`",
    "I changed the password to {} yesterday",
    "{} is my password",
    "DB_PASSWORD={}",
    "mysql://root:{}@db.example.com:3306/shop",
    "postgres://app:{}@localhost/app",
    "https://bob:{}@example.com/path",
    "mysqldump --password={} shop",
    "curl -u bob:{} https://example.com/v1",
    "Mein Passwort ist {}.",
    "Das Kennwort lautet: {}",
    "Passwort für das WLAN: {}",
    "Mon mot de passe est {}",
    "mot de passe : {}",
    "Mi contraseña es {}",
    "la clave del wifi es {}",
    "La mia password è {}",
    "Minha senha é {}",
    "a senha do wi-fi é: {}",
    "Мой пароль {}",
    "мой пароль: {}",
    "Пароль от почты — {}",
    "我的密码是{}",
    "密码：{}",
    "登录密码{}，别告诉别人",
    "微信密碼改成{}了",
    "パスワードは{}です",
    "パスワード：{}",
    "비밀번호는 {} 입니다",
    "비밀번호: {}",
)


def _passwords() -> Iterator[tuple[str, str]]:
    for number, text in enumerate(_PASSWORDS):
        secret = "Tr0ub" + ("4dor&3" if number % 2 else "4dor-x9!")
        yield text.format(secret), secret
    word = "sun" + "shine"
    yield f"hey, my password is {word}.", word
    yield f"Password: {word}", word
    pin = "48" + "21"
    yield f"my PIN is {pin}", pin
    yield f"PIN码是{pin}", pin
    words = "crisp lantern orbit " + "velvet tractor"
    yield f"the passphrase is {words}", words
    words = " ".join(["apple", "river", "stone", "cloud", "maple", "ember"] * 2)
    yield f"seed phrase: {words}", words
    spaced = "open " + "sesame 12"
    yield f'password = "{spaced}"', spaced


def _tokens() -> Iterator[tuple[str, str]]:
    github = "gh" + "p_" + made_up(36)
    yield f"use {github} for the clone", github
    yield f"https://{github}@github.com/acme/shop.git", github
    fine = "github" + "_pat_" + made_up(22) + "_" + made_up(59)
    yield f"token {fine}", fine
    slack = "xox" + "b-" + made_up(12, string.digits) + "-" + made_up(24)
    yield f"SLACK_BOT_TOKEN={slack}", slack
    yield f"我的机器人{slack}", slack
    app = "xa" + "pp-1-A" + made_up(10, string.ascii_uppercase) + "-" + made_up(40)
    yield f"and the app one {app}.", app
    telegram = made_up(10, "123456789") + ":A" + "A" + made_up(33)
    yield f"BotFather gave me {telegram}", telegram
    yield f"https://api.telegram.org/bot{telegram}/getMe", telegram
    gitlab = "gl" + "pat-" + made_up(20)
    yield f"{gitlab} works", gitlab
    jwt = "ey" + "J" + made_up(20) + ".ey" + "J" + made_up(60) + "." + made_up(43)
    yield f"Authorization: Bearer {jwt}", jwt
    yield f"the cookie was {jwt}; path=/", jwt
    long_jwt = "ey" + "J" + made_up(40) + ".ey" + "J" + made_up(3_000) + "." + made_up(300)
    yield f"see {long_jwt} there", long_jwt
    opaque = made_up(40)
    yield f"curl -H 'Authorization: Bearer {opaque}'", opaque
    yield f"https://example.com/cb?state=1&access_token={opaque}&page=2", opaque
    yield f'{{"refresh_token": "{opaque}", "expires_in": 3600}}', opaque
    yield f"client_secret={opaque}", opaque
    yield f"访问令牌：{opaque}", opaque
    yield f"トークンは{opaque}です", opaque
    yield f"мой токен: {opaque}", opaque
    basic = made_up(30) + "="
    yield f"Authorization: Basic {basic}", basic
    hook = "T" + made_up(8, string.ascii_uppercase) + "/B" + made_up(8) + "/" + made_up(24)
    address = f"https://hooks.slack.com/services/{hook}"
    yield f"post to {address}", address
    discord = "M" + made_up(23) + "." + made_up(6) + "." + made_up(27)
    yield f"the discord bot: {discord}", discord
    twilio = "A" + "C" + made_up(32, string.digits + "abcdef")
    yield f"twilio {twilio} ok", twilio


def _keys() -> Iterator[tuple[str, str]]:
    anthropic = "sk" + "-ant-api03-" + made_up(93)
    yield f"ANTHROPIC_API_KEY={anthropic}", anthropic
    yield f"密钥{anthropic}", anthropic
    openai = "sk" + "-proj-" + made_up(80)
    yield f"here: {openai}", openai
    stripe = "sk" + "_live_" + made_up(24)
    yield f"stripe.api_key = '{stripe}'", stripe
    google = "AI" + "za" + made_up(35)
    yield f"maps key {google}", google
    aws = "AK" + "IA" + made_up(16, string.ascii_uppercase + string.digits)
    yield f"aws_access_key_id = {aws}", aws
    secret = made_up(40, _LETTERS + "/+")
    yield f"aws_secret_access_key = {secret}", secret
    yield f"my api key is {secret}", secret
    hugging = "hf" + "_" + made_up(34)
    yield f"login with {hugging}", hugging
    mail = "S" + "G." + made_up(22) + "." + made_up(43)
    yield f"sendgrid: {mail}", mail
    azure = "Account" + "Key=" + made_up(86) + "=="
    yield f"DefaultEndpointsProtocol=https;AccountName=a;{azure};x=y", azure
    lines = "\n".join(made_up(64, seed=seed) for seed in range(1, 26))
    for name in ("RSA ", "OPENSSH ", ""):
        block = (
            f"-----BEGIN {name}PRIV"
            + f"ATE KEY-----\n{lines}\n-----END {name}PRIV"
            + "ATE KEY-----"
        )
        yield f"here is it\n{block}\nkeep it", block
    yield "cut off: " + block[:400], block[:400]


def _cards() -> Iterator[tuple[str, str]]:
    for start, length in (("4000", 16), ("5200", 16), ("2221", 16), ("6011", 16), ("62", 19)):
        number = card_number(start, length)
        yield f"my card {number}", number
        yield f"card: {in_fours(number)}, 12/29", in_fours(number)
    visa = in_fours(card_number("4111"), "-")
    yield f"{visa} is the number", visa
    amex = card_number("3782", 15)
    spaced = f"{amex[:4]} {amex[4:10]} {amex[10:]}"
    yield f"Amex {spaced} 12/27 1234", spaced
    yield f"我的信用卡号{card_number('6222', 19)}。", card_number("6222", 19)
    wrong = in_fours("1234" * 4)
    yield f"my credit card number is {wrong}", wrong
    yield "CVV: " + "7" + "42", "742"


def _accounts() -> Iterator[tuple[str, str]]:
    german = iban("DE", made_up(18, string.digits))
    yield f"IBAN {german}", german
    yield f"überweise an {in_fours(german)} bitte", in_fours(german)
    british = iban("GB", "WEST" + made_up(14, string.digits))
    yield f"{in_fours(british)} Barclays", in_fours(british)
    french = iban("FR", made_up(20, string.digits) + "A12")
    yield f"mon iban: {french}.", french
    number = made_up(10, string.digits)
    yield f"my bank account number is {number}", number
    yield f"Kontonummer: {number}", number
    yield f"银行账号：{number}", number


def _ids() -> Iterator[tuple[str, str]]:
    person = chinese_id()
    yield f"身份证{person}", person
    yield f"ID {chinese_id(order='456')} ok", chinese_id(order="456")
    social = "123" + "-45-" + "6789"
    yield f"my SSN is {social}", social
    yield f"social security number: {social}", social


_HARMLESS = (
    "What is a good password manager?",
    "I forgot my password, what can I do?",
    "The password is required.",
    "The password is wrong, is it not?",
    "Your password is too weak",
    "the password is case-sensitive",
    "My password is expired.",
    "The password must be at least 12 characters long",
    "password is 8 to 20 characters",
    "Passwords are hashed with bcrypt before they are stored.",
    "Forgot password: https://example.com/reset?user=17",
    "Das Passwort ist falsch.",
    "Le mot de passe est incorrect",
    "La contraseña es obligatoria.",
    "la clave es la paciencia",
    "Пароль неверный",
    "密码是什么？",
    "密码为6-20位字符",
    "我忘了密码 怎么办",
    "パスワードを忘れました",
    "비밀번호는 8자 이상",
    "password: str",
    "password: string;",
    "def login(user: str, password: str) -> bool:",
    "password = get_password()",
    "password = os.environ['DB_PASSWORD']",
    "password=password, token=token",
    "const password = req.body.password;",
    "if password == expected_password:",
    "self.password = hash_password(password)",
    "api_key = settings.api_key",
    "token = request.headers.get('Authorization')",
    "const token = await getToken();",
    '<input type="password" name="password">',
    "password: ${DB_PASSWORD}",
    "password: {{ vault.password }}",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "ANTHROPIC_API_KEY=your-key-here",
    "export API_KEY=...",
    "password: ********",
    "the token is invalid",
    "max_tokens: 4096, input_tokens=12000",
    '"usage": {"input_tokens": 51234, "output_tokens": 877}',
    '"next_page_token": "CAUQAA8f1kZ2"',
    "50000 tokens is the budget",
    "the secret is to let the dough rest",
    "Victoria's Secret opened in 1977",
    "the key is to listen first",
    "press any key: F12 or Enter",
    "key: value1234, cache key: user_17_profile_2024",
    "a basic understanding of statistics",
    "basic authentication is fine",
    "order 4712 0815 2024 1130 was shipped",
    "order number 1234567890123456",
    "my order is 100-2003-4005",
    "call me at +49 170 1234567",
    "Tel. 0049 30 1234 5678 90",
    "+1 (555) 010-9999 or 555-010-9998",
    "1732960000",
    "1732960000000",
    "at 1732960000.123456 in the channel",
    "2024-11-30T10:15:00.123Z",
    "20241130101500123",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "d41d8cd98f00b204e9800998ecf8427e  empty.txt",
    "550e8400-e29b-41d4-a716-446655440000",
    "version 3.11.4, build 20241130.4",
    "10.0.0.1:8080 and 192.168.178.255",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "/claim ABCD-EFGH",
    "/config agent_max_context_tokens 50000",
    "https://example.com/orders/1234567890123?page=2&id=998877",
    "https://docs.google.com/document/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWx/edit",
    "https://youtu.be/dQw4w9WgXcQ?t=43",
    "message id 1187234567890123456 in guild 987654321098765432",
    "ISBN 978-3-16-148410-0",
    "EAN 4006381333931",
    "flight LH4711 on 12 March, seat 14C, booking X4YZ7Q",
    "pi is 3.14159265358979323846",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
    "12 345 678 901 234 567",
    "the ethereum token 0x52908400098527886E0F7030069857D2E4169EE7",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 bob@host",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYI\n-----END PUBLIC KEY-----",
    "task-runner-for-everything-in-2024 is the name",
    "scikit-learn sk-learn-contrib-imbalanced-ensembles",
    "pin the message, then pin 2 of the GPIO header",
    "my account is locked, account of 12 March",
    "our bank account is empty",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "passport, passenger, compass: north",
    "bypass: enabled",
    "Die Parole war: nie aufgeben",
    "secretary: Ms. Smith",
    "The password policy: minimum 12, one digit",
    "tokenizer: cl100k_base",
    "the API key is stored in the vault",
    "Ich habe 123456789 Gründe",
    "CVV is the number on the back",
    "http://localhost:8080/a@b",
    "mailto:bob@example.com",
    "git@github.com:acme/shop.git",
    "12.03.2024 14:00-15:30, room 2.117",
    "€ 1.234.567,89 or $1,234,567.89",
)


def harmless_texts() -> tuple[str, ...]:
    """Give more than a hundred texts of which nothing may be replaced."""
    return _HARMLESS
