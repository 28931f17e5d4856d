"""Texts with secrets in them: what every redactor is measured by.

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
    """Give more than a hundred texts with one secret each."""
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
    return (*found, *_said_briefly())


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


_FIELDS = (
    "<password>{}</password>",
    '<db:Password type="plain">{}</db:Password>',
    '<add key="DbPassword" value="{}"/>',
    "<property name='connection.password' value='{}'/>",
    "- name: DB_PASSWORD\n  value: {}\n",
    "machine example.com login bob password {}",
    "user bob password {} please",
    "username: bob, password {}.",
    "sshpass -p '{}' ssh bob@db1",
    "mysql -u root -p{} shop",
    "curl -u bob:{} https://example.com",
)

_SIGNED = (
    "My password is {}",
    "password: {}",
    "password is {}",
    "passwort: {}",
    "password={}",
    "postgres://app:{}@localhost/app",
    "密码是 {}",
    '"password": "{}"',
)
"""Passwords that begin with a sign, as what stands for a value often does."""


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
    for number, text in enumerate(_FIELDS):
        secret = ("hunt", "Hunt")[number % 2] + "er22x"
        yield text.format(secret), secret
    for sign, text in zip("@$%&?:#*", _SIGNED, strict=True):
        secret = sign + "Home" + "2024"
        yield text.format(secret), secret
    words = "correct horse " + "battery staple"
    yield f"Password: {words}", words
    yield f"The new one is here.\npasswort: {words}.\nBye", words
    words = " ".join(["apple", "river", "stone", "cloud", "maple", "ember"] * 2)
    yield f"seed phrase: {words}", words
    words = "crisp lantern orbit " + "velvet tractor"
    yield f"my passphrase is {words} and please keep it", words
    yield f"the passphrase is {words} So much for that.", words
    words = "correct horse " + "battery staple"
    yield f"Here: Password: {words}. Thanks!", words
    spaced = "open " + "sesame 12"
    yield f'password = "{spaced}"', spaced


_LINKED = (
    "my password is:{}",
    "mein Passwort ist:{}",
    "my password is still: {}",
    "my new password will be {}",
    "password is - {}",
    "passwords: {}",
    "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff1a{}",
    "pass\u200bword: {}",
    "my pasword is {}",
    "WIFI:T:WPA;S:home;P:{};;",
    'CREATE USER bob IDENTIFIED BY "{}"',
    "mysql -p{}",
)
_BARE = ("password {}", "PASSWORD\t{}", "mot de passe {}")


def _said_briefly() -> Iterator[SecretText]:
    """Give what stands right behind the word for it, or is written so that it hides."""
    chosen, bare, pin = "hunter" + "22", "abc123" + "XYZ", "48" + "39"
    said = [(text, chosen) for text in _LINKED] + [(text, bare) for text in _BARE]
    said += ((text, pin) for text in ("My PIN is:{}", "pin {}", "passcode {}."))
    said.append(("passwords: {}", f"{chosen}, tiger77"))
    for text, secret in said:
        yield SecretText(text=text.format(secret), secret=secret, kind="password")
    opaque = made_up(32)
    for text, kind in (
        ("my token is:{}", "token"),
        ("my token {}", "token"),
        ("the api token {}", "token"),
        ("client secret {}", "token"),
        ("my api key is:{}", "key"),
        ("API_KEY {}", "key"),
    ):
        yield SecretText(text=text.format(opaque), secret=opaque, kind=kind)
    cookie = "session=" + made_up(12)
    yield SecretText(text=f"Cookie: {cookie}", secret=cookie, kind="token")
    docker = "dckr" + "_pat_" + made_up(27)
    yield SecretText(text=f"login with {docker}", secret=docker, kind="token")
    hidden = "gh" + "p_" + made_up(10) + "\u200b" + made_up(26, seed=2)
    yield SecretText(text=f"it is {hidden}", secret=hidden, kind="token")
    for start, length, kind in (("sk_" + "live_", 24, "key"), ("wh" + "sec_", 32, "key")):
        letters = start + made_up(length + 1, string.ascii_letters)[:-1]  # without its digit
        yield SecretText(text=f"take {letters}", secret=letters, kind=kind)
    gitlab = "gl" + "pat-" + made_up(21, string.ascii_letters)[:-1]
    yield SecretText(text=f"take {gitlab}", secret=gitlab, kind="token")


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
    yield from _tokens_in_fields()
    twilio = "A" + "C" + made_up(32, string.digits + "abcdef")
    yield f"twilio {twilio} ok", twilio


def _tokens_in_fields() -> Iterator[tuple[str, str]]:
    cookie = f"session={made_up(24)}; lang=en-GB-2024"
    yield f"> Cookie: {cookie}", cookie
    machine_made = made_up(32, string.digits + "abcdef")
    yield f"the token {machine_made} works", machine_made
    yield f"<api-token>{machine_made}</api-token>", machine_made


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
    begun = "$k" + made_up(14)
    yield f"api_key: {begun}", begun
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
    for between in (".", "_", "–", "\u00a0"):
        written = in_fours(card_number("4111"), between)
        yield f"it is {written}, thanks", written
    lines = in_fours(card_number("5200"))
    lines = lines[:9] + "\n" + lines[10:]
    yield f"my credit card {lines}", lines
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
