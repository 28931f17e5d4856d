import pytest

import plugins.save_as_file
from bot.core.files import MOST_FILES_A_TURN, OutgoingFile
from bot.core.messages import ToolResult
from bot.testing.plugins import TOOL_CONTEXT, PluginBench, PluginContract
from bot.testing.stores.given import begin, message


class TestSaveAsFileContract(PluginContract):
    plugin = plugins.save_as_file


class Bench(PluginBench):
    """A chat in which a turn is open."""

    def __init__(self) -> None:
        super().__init__(plugins.save_as_file)

    async def save(self, name: str, text: str) -> ToolResult:
        if not self.store.turns:
            assert TOOL_CONTEXT.turn_id == (await begin(self.store, message(1))).id
        return await self.call("save_as_file", {"name": name, "text": text})

    async def files(self) -> tuple[OutgoingFile, ...]:
        return await self.store.files_of(TOOL_CONTEXT.turn_id)


@pytest.mark.parametrize(
    ("name", "kept", "media_type"),
    [
        ("report.md", "report.md", "text/markdown"),
        ("Data.JSON", "Data.JSON", "application/json"),
        ("notes", "notes", "text/plain"),
        ("../../etc/cron.d/x.py", "x.py", "text/plain"),
        ("", "file", "text/plain"),
    ],
)
async def test_a_text_becomes_a_file_of_the_turn(name: str, kept: str, media_type: str) -> None:
    bench = Bench()
    result = await bench.save(name, "Ä 🙂\n")

    assert ToolResult(
        call_id="call-1", content="The file will be sent with your answer (8 bytes)."
    ) == (result)
    assert await bench.files() == (
        OutgoingFile(name=kept, media_type=media_type, content="Ä 🙂\n".encode()),
    )


async def test_a_table_says_that_it_is_utf_8() -> None:
    bench = Bench()
    await bench.save("numbers.csv", "ä,1\n")

    (file,) = await bench.files()
    assert (file.media_type, file.content) == ("text/csv", "\ufeffä,1\n".encode())


async def test_the_same_call_made_again_is_one_file() -> None:
    bench = Bench()
    await bench.save("a.txt", "first")
    await bench.save("a.txt", "second")

    assert [file.content for file in await bench.files()] == [b"second"]


@pytest.mark.parametrize("text", ["", " \n", "x" * 200_001])
async def test_what_makes_no_file_is_refused(text: str) -> None:
    bench = Bench()

    assert (await bench.save("a.txt", text)).is_error
    assert await bench.files() == ()


async def test_there_are_only_so_many() -> None:
    bench = Bench()
    results = [await bench.save(f"{number}.txt", "x") for number in range(MOST_FILES_A_TURN + 1)]

    assert [result.is_error for result in results] == [False] * MOST_FILES_A_TURN + [True]
    assert "10 files an answer are the most" in results[-1].content


async def test_an_ended_turn_sends_nothing_more() -> None:
    bench = Bench()
    turn = await begin(bench.store, message(1))
    await bench.store.finish_turn(turn.id, "answered", (), at=turn.started_at)

    assert (await bench.save("a.txt", "too late")).is_error
