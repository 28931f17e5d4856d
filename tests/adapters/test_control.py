"""A running bot is found by the file that it leaves; who has not read that learns nothing."""

import asyncio
import json
import socket
import stat
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot.adapters.control_client import FILE_NAME, TIMEOUT_S, Contact, ask, left_in
from bot.adapters.control_server import ControlServer, Pages
from bot.errors import BotError, NoAnswer, NotRunning, StoreError
from bot.runtime.checkup import LIMIT_S
from bot.testing.patience import PATIENCE_S

TOKEN = "t" * 43


class Bot:
    """A bot that can be well or not."""

    def __init__(self) -> None:
        self.is_up = True
        self.clean_ups = 0
        self.store_error: StoreError | None = None
        self.reading_token: str | None = None
        self.is_stuck = asyncio.Event()

    def server(self, port: int = 0, host: str = "127.0.0.1") -> ControlServer:
        async def readiness() -> tuple[bool, dict[str, object]]:
            return self.is_up, {"status": "ok" if self.is_up else "down", "parts": {}}

        async def metrics() -> tuple[bytes, str]:
            return b"up 1\n", "text/plain; version=1.0.0; charset=utf-8"

        async def status(_: str) -> dict[str, object]:
            return {"channels": {"telegram": "receiving"}}

        async def clean_up(_: str) -> dict[str, object]:
            if self.store_error is not None:
                raise self.store_error
            self.clean_ups += 1
            return {"chats": []}

        async def pair(code: str) -> dict[str, object]:
            return {"code": code}

        async def break_down(_: str) -> dict[str, object]:
            raise RuntimeError("nobody foresaw it")

        async def hang(_: str) -> dict[str, object]:
            await self.is_stuck.wait()
            return {}

        return ControlServer(
            host,
            port,
            token=TOKEN,
            pages=Pages(readiness=readiness, metrics=metrics, token=self.reading_token),
            answers={
                ("GET", "/status"): status,
                ("POST", "/cleanup"): clean_up,
                ("POST", "/pair"): pair,
                ("POST", "/export"): break_down,
                ("GET", "/examine"): hang,
            },
        )


def fetch(url: str, token: str = "", method: str = "GET") -> tuple[int, object]:
    request = urllib.request.Request(url, method=method)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or "null") if error.code != 404 else None


async def fetched(url: str, token: str = "", method: str = "GET") -> tuple[int, object]:
    return await asyncio.to_thread(fetch, url, token, method)


async def test_that_it_lives_is_for_everybody_however_it_is() -> None:
    bot = Bot()
    bot.is_up, bot.reading_token = False, "r" * 20
    async with bot.server() as server:
        answer = await fetched(f"{server.address}/healthz")

    assert (200, {"status": "ok"}) == answer


async def test_how_it_is_is_a_code_and_its_parts() -> None:
    bot = Bot()
    async with bot.server() as server:
        well = await fetched(f"{server.address}/readyz")
        bot.is_up = False
        ill = await fetched(f"{server.address}/readyz")

    assert (200, {"status": "ok", "parts": {}}) == well
    assert (503, {"status": "down", "parts": {}}) == ill


async def test_metrics_are_text_of_the_kind_that_they_say() -> None:
    async with Bot().server() as server:
        page = await asyncio.to_thread(urllib.request.urlopen, f"{server.address}/metrics")
        with page:
            text, kind = page.read(), page.headers["Content-Type"]

    assert (b"up 1\n", "text/plain; version=1.0.0; charset=utf-8") == (text, kind)


@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
async def test_with_a_token_for_monitors_nobody_else_may_read(path: str) -> None:
    bot = Bot()
    bot.reading_token = "r" * 20
    async with bot.server() as server:
        codes = [
            (await fetched(f"{server.address}{path}", token))[0] for token in ("", "wrong", TOKEN)
        ]
        readiness = await fetched(f"{server.address}/readyz", "r" * 20)
        control, _ = await fetched(f"{server.address}/status", "r" * 20)

    assert [401, 401, 401] == codes
    assert 200 == readiness[0]
    assert 401 == control, "who may read may not steer"


@pytest.mark.parametrize("token", ["", "wrong", "t" * 42])
async def test_all_else_needs_the_token(token: str) -> None:
    async with Bot().server() as server:
        code, answer = await fetched(f"{server.address}/status", token)

    assert (401, {"error": "the token is missing or wrong"}) == (code, answer)


async def test_who_reads_the_file_may_ask(tmp_path: Path) -> None:
    async with Bot().server() as server:
        with left_in(tmp_path, Contact(address=server.address, token=TOKEN, pid=1)):
            mode = stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode)
            answer = await asyncio.to_thread(ask, tmp_path, "/status")

    assert 0o600 == mode
    assert {"channels": {"telegram": "receiving"}} == answer
    assert not (tmp_path / FILE_NAME).exists()


async def test_what_is_to_be_done_is_done_when_told_and_not_when_asked(tmp_path: Path) -> None:
    bot = Bot()
    async with bot.server() as server:
        with left_in(tmp_path, Contact(address=server.address, token=TOKEN, pid=1)):
            with pytest.raises(NotRunning):
                await asyncio.to_thread(ask, tmp_path, "/cleanup")
            before = bot.clean_ups
            answer = await asyncio.to_thread(ask, tmp_path, "/cleanup", method="POST")
            code, _ = await fetched(f"{server.address}/cleanup", "wrong", "POST")

    assert (0, {"chats": []}, 401, 1) == (before, answer, code, bot.clean_ups)


async def test_a_text_comes_with_what_is_to_be_done(tmp_path: Path) -> None:
    async with Bot().server() as server:
        contact = Contact(address=server.address, token=TOKEN, pid=1)
        with left_in(tmp_path, contact):
            answer = await asyncio.to_thread(ask, tmp_path, "/pair", method="POST", text="é 7F3K")

    assert {"code": "é 7F3K"} == answer


async def test_what_could_not_be_done_is_told(tmp_path: Path) -> None:
    bot = Bot()
    bot.store_error = StoreError("the disk is full")
    async with bot.server() as server:
        contact = Contact(address=server.address, token=TOKEN, pid=1)
        with left_in(tmp_path, contact), pytest.raises(BotError, match="disk is full") as raised:
            await asyncio.to_thread(ask, tmp_path, "/cleanup", method="POST")

    assert not isinstance(raised.value, NotRunning)


def test_the_file_is_its_owners_also_when_another_lay_there(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("left by a crash")
    (tmp_path / FILE_NAME).chmod(0o644)
    with left_in(tmp_path, Contact(address="http://127.0.0.1:1", token=TOKEN, pid=1)):
        mode = stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode)

    assert 0o600 == mode


def test_the_end_needs_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with left_in(folder, Contact(address="http://127.0.0.1:1", token=TOKEN, pid=1)):
        (folder / FILE_NAME).unlink()
        folder.rmdir()


async def test_a_port_that_is_taken_is_told_and_another_found(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Bot().server() as first:
        port = int(first.address.rpartition(":")[2])
        async with Bot().server(port) as second:
            addresses = {first.address, second.address}
            code, _ = await fetched(f"{second.address}/healthz")

    assert 200 == code
    assert 2 == len(addresses)
    assert ["http.port_taken"] == caplog.messages


async def test_an_address_that_is_not_ours_is_refused() -> None:
    with pytest.raises(OSError):
        async with Bot().server(host="192.0.2.1"):
            pass


async def test_where_every_address_is_listened_on_this_machine_asks_loopback() -> None:
    async with Bot().server(host="0.0.0.0") as server:
        code, _ = await fetched(f"{server.address}/healthz")

    assert 200 == code


def write(text: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        (folder / FILE_NAME).write_text(text)

    return prepare


def gone_bot(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    write(json.dumps({"address": f"http://127.0.0.1:{port}", "token": TOKEN, "pid": 1}))(folder)


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda folder: None, "no running bot can be asked in"),
        (write("{"), "cannot be read"),
        (write("[]"), "holds no address"),
        (
            write('{"address": "http://127.0.0.1:99999", "token": "t", "pid": 1}'),
            "cannot be read",
        ),
        (gone_bot, "no bot answers for"),
    ],
)
def test_where_nobody_can_be_asked_one_line_says_so(
    tmp_path: Path, prepare: Callable[[Path], None], said: str
) -> None:
    prepare(tmp_path)
    with pytest.raises(NotRunning, match=said) as raised:
        ask(tmp_path, "/status")

    assert str(tmp_path) in str(raised.value)
    assert "\n" not in str(raised.value)


async def test_another_program_at_the_address_is_not_believed(tmp_path: Path) -> None:
    async with Bot().server() as server:
        with left_in(tmp_path, Contact(address=server.address, token="another", pid=1)):
            asked: Awaitable[object] = asyncio.to_thread(ask, tmp_path, "/status")
            with pytest.raises(NotRunning, match="another program answers"):
                await asked


async def test_what_nobody_foresaw_is_answered_with_a_number_that_the_log_has(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Bot().server() as server:
        contact = Contact(address=server.address, token=TOKEN, pid=1)
        told = pytest.raises(BotError, match="something went wrong")
        with left_in(tmp_path, contact), told as caught:
            await asyncio.to_thread(ask, tmp_path, "/export", method="POST")
        code, _ = await fetched(f"{server.address}/export", TOKEN, "POST")

    assert type(caught.value) is BotError, "it is there"
    first, second = (vars(each) for each in caplog.records if each.message == "http.failed")
    assert f"(incident {first['incident']})" in str(caught.value)
    assert ("/export", 503) == (second["path"], code)


async def test_a_bot_that_does_not_answer_in_time_is_there_all_the_same(tmp_path: Path) -> None:
    bot = Bot()

    def ask_in_haste() -> None:
        ask(tmp_path, "/examine", timeout_s=0.2)

    async with bot.server() as server:
        contact = Contact(address=server.address, token=TOKEN, pid=4711)
        in_time = r"process 4711 at .* within 0\.2 s"
        with left_in(tmp_path, contact), pytest.raises(NoAnswer, match=in_time):
            await asyncio.to_thread(ask_in_haste)
        bot.is_stuck.set()


def test_who_asks_waits_longer_than_the_bot_does_for_its_disk_and_its_database() -> None:
    assert TIMEOUT_S >= 2 * LIMIT_S
