import asyncio

import pytest
from aiohttp import web

from bot.adapters.local_models import LocalModel, find_local_model
from bot.testing.anthropic_server import PretendedAnthropic


async def closed_port() -> int:
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


def port_of(server: PretendedAnthropic) -> int:
    return int(server.base_url.rpartition(":")[2])


async def answer_with(*chunks: bytes) -> tuple[asyncio.Server, int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.writelines(chunks)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


async def test_a_server_that_speaks_the_api_is_found_by_its_first_chat_model() -> None:
    models = ("nomic-embed-text", "qwen3:8b", "gemma")
    async with PretendedAnthropic(models=models) as server:
        found = await find_local_model(ports=(await closed_port(), port_of(server)))

    assert found == LocalModel(base_url=server.base_url, model="qwen3:8b")
    assert server.requests[0].body == {}  # too little to start any work


async def test_the_first_port_in_order_wins() -> None:
    async with PretendedAnthropic(models=("a",)) as a, PretendedAnthropic(models=("b",)) as b:
        found = await find_local_model(ports=(port_of(b), port_of(a)))

    assert found == LocalModel(base_url=b.base_url, model="b")


async def test_a_server_without_models_that_can_chat_is_passed_over() -> None:
    async with PretendedAnthropic(models=("text-embedding-3",)) as server:
        assert await find_local_model(ports=(port_of(server),)) is None


async def test_a_server_that_only_lists_models_is_passed_over() -> None:
    async def models(request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "other"}]})

    app = web.Application()
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found = await find_local_model(ports=(runner.addresses[0][1],))
    await runner.cleanup()

    assert found is None


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.0 200 OK\r\n\r\n<html>",
        b"HTTP/1.0 200 OK\r\n\r\n[1]",
        b'HTTP/1.0 200 OK\r\n\r\n{"data": 7}',
        b'HTTP/1.0 200 OK\r\n\r\n{"data": [7, {}, {"id": 7}]}',
        b"HTTP/1.0 200 OK\r\n\r\n\xff",
        b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 1_100_000,
    ],
)
async def test_anything_else_that_listens_there_is_passed_over(answer: bytes) -> None:
    server, port = await answer_with(answer)
    async with server:
        assert await find_local_model(ports=(port,)) is None


async def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    left = asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        left.set()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as deaf:
        port = deaf.sockets[0].getsockname()[1]
        assert await find_local_model(ports=(port,), timeout_s=0.02) is None
        await left.wait()


async def test_where_nobody_listens_the_search_is_over_at_once() -> None:
    ports = (await closed_port(), await closed_port(), await closed_port())

    assert await find_local_model(ports=ports, timeout_s=1e9) is None
