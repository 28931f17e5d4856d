"""Behind a company's proxy that looks into TLS: all connections of the real bot go through it."""

import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.messages import Text, ToolCall
from bot.testing.anthropic_events import Written
from bot.testing.telegram_rules import person
from tests.e2e.proxied import PAGE_HOST, PASSWORD, Company, company

CHAT = 1001
EVERYTHING = {
    "api.anthropic.com:443",
    "api.telegram.org:443",
    "slack.com:443",
    f"{PAGE_HOST}:443",
}


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Company]:
    async with company(tmp_path) as opened:
        yield opened


def using(tool: str, **arguments: str) -> Written:
    call = ToolCall(id="t1", name=tool, arguments=json.dumps(arguments))
    return Written(blocks=(call,))


def saying(text: str) -> Written:
    return Written(blocks=(Text(text=text),))


async def test_all_that_goes_out_goes_through_it(there: Company) -> None:
    there.bot.settings["plugins"] = ["web_fetch", "save_as_file"]
    there.telegram.stored.content["f1"] = b"Menu: soup."
    there.slack.stored.content["s1"] = ("text/plain", b"Menu: salad.")
    there.vendor.then(
        using("web_fetch", url=f"https://{PAGE_HOST}/"),
        saying("At noon."),
        using("save_as_file", name="menu.txt", text="Salad."),
        saying("Here it is."),
    )
    await there.bot.start()

    there.telegram.state.chat(CHAT, "private")
    there.telegram.push(message_with_file())
    await there.bot.says("turn.finished")  # the SDK is imported meanwhile
    await there.telegram.wait_for_sent(1)
    there.slack.state.channels["D1ADA"] = "im"
    event = there.slack.state.write("D1ADA", "What is there?", user="U1ADA")
    file = {"id": "s1", "name": "menu.txt", "mimetype": "text/plain", "size": 12}
    url = {"url_private": there.slack.file_url("s1"), "filetype": "text"}
    await there.slack.tell(event | {"channel_type": "im", "files": [file | url]})
    await there.slack.wait_until(lambda: "Salad." in str(there.slack.sending.uploaded))
    code, out, _ = await there.bot.run("status")
    there.bot.signal(signal.SIGTERM)

    assert await there.bot.ended() == 0
    asked = [str(each.body) for each in there.vendor.requests]
    assert "Menu: soup." in asked[0]
    assert "The canteen opens at noon." in asked[1]
    assert "Menu: salad." in asked[2]
    assert (code, "receiving" in out) == (0, True)
    assert set(there.proxy.asked) == EVERYTHING
    assert there.proxy.refused == 0
    assert PASSWORD not in "\n".join(there.bot.lines)


def message_with_file() -> dict[str, object]:
    file = {"file_id": "f1", "file_unique_id": "f1", "file_name": "a.txt", "file_size": 11}
    return {
        "message": {
            "message_id": 7,
            "date": 1_767_600_000,
            "chat": {"id": CHAT, "type": "private", "first_name": "Ada"},
            "from": person(CHAT),
            "caption": "When does it open?",
            "document": file | {"mime_type": "text/plain"},
        }
    }


async def test_doctor_goes_through_it_and_says_so(there: Company) -> None:
    there.slack.scopes = ()
    code, out, err = await there.bot.run("doctor")

    assert "" == err
    assert f"ok      network.proxy: the proxy {there.proxy.place} leads to api.anthropic.com" in out
    assert "ok      network.ca_file: " in out
    assert "ok      model.model: claude-sonnet-5-5 is there" in out
    assert "ok      telegram.token: " in out
    assert "ok      slack.bot_token: " in out
    assert code == 0
    assert set(there.proxy.asked) == EVERYTHING - {f"{PAGE_HOST}:443"}
    assert there.proxy.refused == 0
    assert PASSWORD not in out
    assert not (there.bot.data_dir / "trusted.pem").exists()


async def test_without_the_ca_nothing_is_trusted_and_doctor_names_the_key(there: Company) -> None:
    del there.bot.settings["ca_file"]
    code, out, _ = await there.bot.run("doctor", "--json")

    found = {each["id"]: each for each in map(json.loads, out.splitlines())}
    assert code == 1
    for name in ("model.model", "telegram.reach", "slack.bot_token"):
        assert found[name]["grade"] == "broken", name
        assert "certificate not trusted: " in found[name]["seen"], name
        assert '"ca_file"' in found[name]["seen"], name
    assert found["network.proxy"]["grade"] == "ok"


async def test_without_the_ca_the_log_names_the_key(there: Company) -> None:
    del there.bot.settings["ca_file"]
    await there.bot.start(until="telegram.unreachable")
    await there.bot.says("channel.disconnected")

    told = [line for line in there.bot.lines if "certificate not trusted" in line]
    assert all("ca_file" in line for line in told)
    events = {json.loads(line)["event"] for line in told}
    assert {"channel.disconnected", "telegram.unreachable"} <= events


async def test_a_wrong_password_is_told(there: Company) -> None:
    there.let_in("w" * 12)
    code, out, _ = await there.bot.run("doctor", "--json")

    found = {each["id"]: each for each in map(json.loads, out.splitlines())}
    assert code == 1
    assert found["network.proxy"]["grade"] == "broken"
    assert "(407)" in found["network.proxy"]["seen"]
    assert '"proxy"' in found["network.proxy"]["mend"]
    assert "407" in found["model.model"]["seen"]
    assert "407" in found["telegram.reach"]["seen"]
    assert "407" in found["slack.bot_token"]["seen"]
    assert "w" * 12 not in out
    assert there.proxy.carried == []


async def test_the_set_up_asks_through_it(there: Company) -> None:
    there.bot.settings["anthropic"] = {"api_key": "${ANTHROPIC_API_KEY}"}
    there.bot.settings["channels"] = {"telegram": {"token": "${TELEGRAM_BOT_TOKEN}"}}
    answers = ["1", "k" * 20, there.telegram.token, ""]

    code, out, _ = await there.bot.run("setup", lines=answers)

    assert code == 0
    assert "ok      model.model: claude-sonnet-5-5 is there" in out
    assert "ok      telegram.token: " in out
    assert {"api.anthropic.com:443", "api.telegram.org:443"} == set(there.proxy.carried)
