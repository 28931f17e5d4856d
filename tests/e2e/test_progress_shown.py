"""Progress: a bar on a terminal, a line a phase where nobody watches."""

import io

import pytest

from bot.app.progress_shown import ShowProgress

TOLD: tuple[dict[str, object], ...] = (
    {"phase": "copying", "done": 0, "total": 100},
    {"phase": "copying", "done": 50, "total": 100},
    {"phase": "copying", "done": 50, "total": 100},
    {"phase": "checking", "done": 130, "total": 100},
    {"phase": "checking", "done": 0, "total": 0},
    {"size": 17},
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "shown"),
    [
        (io.StringIO(), ["copying the database …\n", "reading it again …\n"]),
        (
            Terminal(),
            [
                "\r\x1b[K[------------------------]   0%  copying the database",
                "\r\x1b[K[############------------]  50%  copying the database",
                "\r\x1b[K[########################] 100%  reading it again",
                "\r\x1b[K",
            ],
        ),
    ],
    ids=["pipe", "terminal"],
)
def test_progress_is_shown_as_it_can_be_read(stream: io.StringIO, shown: list[str]) -> None:
    show = ShowProgress(stream)
    for told in TOLD:
        show.see(told)
    show.end()

    assert "".join(shown) == stream.getvalue()
