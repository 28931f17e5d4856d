"""Whatever Slack's channel asks for by HTTP goes through the proxy of the environment."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.api import Attachment, ChatAddress, DeliveryError, OutgoingFile, Reply
from bot.testing.clock import FakeClock
from bot.testing.company_proxy import CompanyProxy
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings
from channels.slack.examine import Examination
from channels.slack.uploads import upload
from channels.slack.views import ViewCalls
from channels.slack.web import WebApi

SLACK = "http://slack.example"


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels |= {"D1ADA": "im"}
        server.sending.upload_url = f"{SLACK}/upload"
        yield server


@pytest.fixture
async def proxy(
    slack: PretendedSlack, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[CompanyProxy]:
    async with CompanyProxy({"slack.example": slack.port}, user="bot", password="p" * 9) as proxy:
        monkeypatch.setenv("http_proxy", proxy.address)
        monkeypatch.setenv("https_proxy", proxy.address)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield proxy


@pytest.fixture
async def web(slack: PretendedSlack, proxy: CompanyProxy) -> AsyncIterator[WebApi]:
    web = WebApi(Settings.model_validate({**slack.settings, "base_url": f"{SLACK}/api/"}))
    yield web
    await web.close()


async def test_every_kind_of_request(
    slack: PretendedSlack, proxy: CompanyProxy, web: WebApi
) -> None:
    file = OutgoingFile(name="a.txt", media_type="text/plain", content=b"salad")
    place = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")
    slack.stored.content["s1"] = ("text/plain", b"soup")
    attached = Attachment(
        kind="document", name="s1", handle=f"{SLACK}/files/s1", media_type="text/plain"
    )

    await web.identify()
    await upload(web, place, Reply(address=place, text="here", file=file))
    assert await web.fetch(attached) == b"soup"
    await ViewCalls(web).take_away(f"{SLACK}/respond/1")

    assert b"salad" in slack.sending.uploaded.values()
    assert proxy.refused == 0
    assert set(proxy.carried) == {"slack.example:80"}


async def test_this_machine_is_reached_directly(slack: PretendedSlack, proxy: CompanyProxy) -> None:
    web = WebApi(Settings.model_validate(slack.settings))
    await web.identify()
    socket = await web.session.ws_connect(await web.open_socket())
    await socket.close()
    await web.close()

    assert proxy.asked == []


async def test_doctor_asks_the_bot_itself_directly(
    slack: PretendedSlack, proxy: CompanyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "none.example")
    place = {"mode": "http", "http_port": 9, "signing_secret": "0a" * 16}
    settings = Settings.model_validate(
        {**slack.settings, **place, "base_url": f"{SLACK}/api/", "app_token": None}
    )
    web = WebApi(settings)
    examination = Examination(web=web, settings=settings, clock=FakeClock(), is_running=True)
    found = {each.check: each for each in await examination.findings()}
    await web.close()

    assert found["bot_token"].grade == "ok"
    assert found["requests"].seen.startswith("nobody answers at http://127.0.0.1:9/")
    assert set(proxy.asked) == {"slack.example:80"}


async def test_a_proxy_that_leads_nowhere_is_told_and_nothing_was_sent(
    slack: PretendedSlack, proxy: CompanyProxy
) -> None:
    settings = {**slack.settings, "base_url": "https://elsewhere.example/api/"}
    web = WebApi(Settings.model_validate(settings))
    with pytest.raises(DeliveryError, match='the proxy answers 403: look at "proxy"') as raised:
        await web.identify()
    await web.close()

    assert raised.value.can_retry


async def test_a_proxy_that_is_not_there_is_told(
    slack: PretendedSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    settings = {**slack.settings, "base_url": "https://elsewhere.example/api/"}
    web = WebApi(Settings.model_validate(settings))
    with pytest.raises(DeliveryError, match='the proxy cannot be reached: look at "proxy"'):
        await web.identify()
    await web.close()
