"""No secret is readable anywhere, by whatever way it came, and nothing else is taken for one."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import BasePlugin

from bot.adapters.redactor import RuleRedactor
from bot.ports import Redactor
from bot.testing.borrowed_secrets import borrowed_secrets
from bot.testing.chat_run import Unchanging
from bot.testing.invented_secrets import EACH, LANGUAGES, invented_secrets
from bot.testing.look_alikes import look_alikes
from bot.testing.secret_paths import Left, SecretPaths, Told, readable_in

MOST_FALSE_ALARMS = 0.02
NO_FORMS = {"IPPublicDetector", "Base64HighEntropyString", "HexHighEntropyString"}
"""An address is no secret; and by entropy every other line of code is one."""

LEAVE_NOTHING = {"thinking", "command"}
"""Ways of which nothing is kept in any case."""


def one_of_each() -> tuple[Told, ...]:
    """Give one secret of every sort, and one for every detector that others have."""
    invented = {each.sort: (each.text, each.secret) for each in invented_secrets()}
    borrowed = {each.detector: (each.text, each.secret) for each in borrowed_secrets()}
    return tuple(
        Told(text=text, secret=secret) for text, secret in (*invented.values(), *borrowed.values())
    )


async def walked(
    folder: Path, told: Mapping[str, tuple[Told, ...]], redactor: Redactor | None = None
) -> list[Left]:
    """Send texts down the ways, and search for their secrets."""
    paths = SecretPaths(folder, redactor)
    async with paths.world:
        for way, texts in told.items():
            await paths.walk(way, [each.text for each in texts])
        await paths.finish()
        assert [] == paths.world.model.refused
    everything = {each for texts in told.values() for each in texts}
    log = "\n".join(paths.world.log).encode()
    return readable_in(folder, everything, (*paths.exports, log))


def ways_of(folder: Path) -> tuple[str, ...]:
    paths = SecretPaths(folder)
    asyncio.run(paths.world.store.close())
    return tuple(paths.ways)


def test_prv_1_no_secret_can_be_read_whatever_way_it_came(tmp_path: Path) -> None:
    told = dict.fromkeys(ways_of(tmp_path / "none"), one_of_each())

    assert [] == asyncio.run(walked(tmp_path / "data", told))


def test_what_is_not_redacted_is_found_by_whatever_way_it_came(tmp_path: Path) -> None:
    """Or else that nothing is found would say nothing."""
    ways = ways_of(tmp_path / "none")
    told = {
        way: (Told(text=f"My password is {secret}", secret=secret),)
        for number, way in enumerate(ways)
        for secret in (f"Zk{number:02}" + "vQ7xLw9mRt3!bN",)
    }

    left = asyncio.run(walked(tmp_path / "data", told, Unchanging()))

    found = {each.secret for each in left}
    assert LEAVE_NOTHING == {way for way, (one,) in told.items() if one.secret not in found}


def test_a_secret_is_found_in_any_form(tmp_path: Path) -> None:
    secret = 'é"' + "Kestrel77xyz"
    wrapped = f"before {secret} behind"
    written = {
        "UTF-8": wrapped.encode(),
        "UTF-16": wrapped.encode("utf-16-le"),
        "UTF-16, big-endian": wrapped.encode("utf-16-be"),
        "JSON": json.dumps(wrapped).encode(),
        "JSON in JSON": json.dumps(json.dumps(wrapped)).encode(),
        **{
            f"base64, offset {offset}": b64encode(
                b"0123456789"[: 3 + offset] + wrapped[7:].encode()
            )
            for offset in range(3)
        },
    }
    for form, content in written.items():
        (tmp_path / "file").write_bytes(content)

        found = readable_in(tmp_path, [Told(text="", secret=secret)])
        assert form in {each.form for each in found}


def test_prv_1_two_hundred_secrets_of_25_sorts_in_nine_languages_are_found() -> None:
    redactor, secrets = RuleRedactor(), invented_secrets()
    sorts = Counter(each.sort for each in secrets)

    assert (25, {EACH}, 200) == (len(sorts), set(sorts.values()), len(secrets))
    assert set(LANGUAGES) == {each.language for each in secrets}
    assert 200 == len({each.secret for each in secrets})
    assert [] == [each for each in secrets if each.secret in redactor.redact(each.text)]


def test_prv_1_what_others_know_as_secrets_is_found() -> None:
    """Each is one by their own judgement."""
    plugins: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    detectors = {plugin.__name__: plugin() for plugin in plugins.values()}
    redactor, secrets = RuleRedactor(), borrowed_secrets()

    assert [] == [
        each for each in secrets if not detectors[each.detector].analyze_string(each.text)
    ]
    assert [] == [each for each in secrets if each.secret in redactor.redact(each.text)]
    assert set(detectors) - NO_FORMS == {each.detector for each in secrets}


def test_prv_1_false_alarms_are_rarer_than_one_in_fifty() -> None:
    redactor, texts = RuleRedactor(), look_alikes()
    alarms = [text for text in texts if redactor.redact(text) is not text]

    assert len(texts) >= 500
    assert len(alarms) / len(texts) < MOST_FALSE_ALARMS, alarms
