"""Counting texts: no network, no error, no kind of text far below what Claude counts."""

import logging
import sys
import threading
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken import Encoding

from bot.adapters import token_counter
from bot.adapters.token_counter import (
    CHUNK_CHARS,
    MOST_REMEMBERED,
    PACKAGE,
    VOCABULARY,
    TiktokenCounter,
    read_vocabulary,
)
from bot.core.tokens import SAFETY
from bot.ports import TokenCounter
from bot.testing.independent_count import count
from bot.testing.text_kinds import KINDS

ABSENT = "no_such_package"
SAFETY_WITHOUT_VOCABULARY = 0.15


def _has_wheel() -> bool:
    try:
        return bool(version("quicktok-v1"))
    except PackageNotFoundError:  # where there is no wheel of it
        return False


needs_vocabulary = pytest.mark.skipif(not _has_wheel(), reason="no vocabulary on this platform")


@pytest.fixture(scope="module")
def counter() -> TiktokenCounter:
    return TiktokenCounter()


@pytest.fixture(scope="module")
def bare() -> TiktokenCounter:
    return TiktokenCounter(ABSENT)


@needs_vocabulary
def test_the_vocabulary_is_that_of_cl100k() -> None:
    ranks = read_vocabulary()
    assert ranks is not None
    encoding = Encoding(
        "it", pat_str=token_counter.DIVIDED, mergeable_ranks=ranks, special_tokens={}
    )

    assert len(ranks) == 100_256
    assert encoding.encode_ordinary("tiktoken is great!") == [83, 1609, 5963, 374, 2294, 0]


@needs_vocabulary
def test_the_vocabulary_is_read_without_the_code_beside_it(counter: TiktokenCounter) -> None:
    counter.load()

    assert PACKAGE not in sys.modules


@needs_vocabulary
@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_text_is_far_underestimated(kind: str, counter: TokenCounter) -> None:
    for seed in range(3):
        text = KINDS[kind](Random(seed))

        assert counter.count(text) >= count(text) * (1 - SAFETY)


@needs_vocabulary
@pytest.mark.parametrize(
    "kind", ["English", "German", "code", "JSON", "HTML", "Markdown", "Chinese", "Japanese"]
)
def test_what_people_write_is_not_far_overestimated(kind: str, counter: TokenCounter) -> None:
    text = KINDS[kind](Random(3))

    assert counter.count(text) <= count(text) * 1.25


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_vocabulary_counts_are_rougher(kind: str, bare: TokenCounter) -> None:
    text = KINDS[kind](Random(3))

    assert bare.count(text) >= count(text) * (1 - SAFETY_WITHOUT_VOCABULARY)


def test_a_missing_vocabulary_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    counter = TiktokenCounter(ABSENT)
    with caplog.at_level(logging.WARNING):
        counter.load()
        counter.count("one")
        counter.count("two")

    assert [record.message for record in caplog.records] == ["tokens.no_vocabulary"]


@pytest.mark.parametrize("content", [None, b"", b"\x01\x00\x00\x00\x05\x00abc"])
def test_a_vocabulary_that_is_not_ours_is_not_used(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "strange_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit", encoding="utf-8")
    if content is not None:
        folder.joinpath(*VOCABULARY).parent.mkdir()
        folder.joinpath(*VOCABULARY).write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)

    assert read_vocabulary("strange_package") is None
    assert TiktokenCounter("strange_package").count("some words") > 0


@pytest.mark.parametrize("text", ["<|endoftext|>", "<|fim_prefix|> x", "\ud83d alone", "\x00\r\n"])
def test_unusual_texts_are_counted(text: str, counter: TokenCounter, bare: TokenCounter) -> None:
    assert counter.count(text) > 0
    assert bare.count(text) > 0
    assert counter.count("") == bare.count("") == 0


@given(text=st.text(st.characters(codec=None), max_size=300))
@settings(max_examples=100)
def test_any_text_is_counted(text: str) -> None:
    for package in (PACKAGE, ABSENT):
        size = COUNTERS[package].count(text)

        assert (size > 0) == bool(text)
        assert size <= 5 * len(text) + 1


COUNTERS = {package: TiktokenCounter(package) for package in (PACKAGE, ABSENT)}


@pytest.mark.parametrize("piece", ["a", " ", "^", "中", "😀", "=-", "x y "])
def test_huge_texts_take_no_longer_than_their_length(piece: str, counter: TokenCounter) -> None:
    small = piece * (CHUNK_CHARS // len(piece))
    huge = small * 20

    assert counter.count(huge) == 20 * counter.count(small)


class PanicException(BaseException):
    """What an encoder in Rust raises where it stumbles: no Exception."""


class Stumbling:
    def __init__(self, over: BaseException) -> None:
        self.over = over

    def encode_ordinary(self, text: str) -> list[int]:
        raise self.over


def test_a_panic_of_the_encoder_is_an_estimate(
    monkeypatch: pytest.MonkeyPatch, bare: TokenCounter
) -> None:
    monkeypatch.setattr(TiktokenCounter, "_encoding", Stumbling(PanicException("no")))

    assert TiktokenCounter().count("some words") == bare.count("some words")


def test_a_stop_is_no_panic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TiktokenCounter, "_encoding", Stumbling(KeyboardInterrupt()))

    with pytest.raises(KeyboardInterrupt):
        TiktokenCounter().count("some words")


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    def encode_ordinary(self, text: str) -> list[int]:
        self.calls += 1
        return [0] * len(text)


def test_counts_are_remembered_and_the_oldest_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Counting()
    monkeypatch.setattr(TiktokenCounter, "_encoding", encoder)
    counter = TiktokenCounter()
    texts = ["short", "a long text " * 100, *(f"text {n}" for n in range(MOST_REMEMBERED - 1))]

    first = [counter.count(text) for text in texts]
    assert encoder.calls == len(texts)
    assert counter.count(texts[-1]) == first[-1]
    assert encoder.calls == len(texts)
    assert counter.count("short") == first[0]
    assert encoder.calls == len(texts) + 1


def test_equal_texts_count_once_wherever_they_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Counting()
    monkeypatch.setattr(TiktokenCounter, "_encoding", encoder)
    counter = TiktokenCounter()

    sizes = {counter.count("".join(["a long", " text"] * 100)) for _ in range(3)}

    assert len(sizes) == encoder.calls == 1


def test_it_can_be_loaded_beside_the_event_loop(counter: TokenCounter) -> None:
    loaded = TiktokenCounter()
    thread = threading.Thread(target=loaded.load)
    thread.start()
    early = loaded.count("while it loads")
    thread.join()

    assert early == loaded.count("while it loads") == counter.count("while it loads")
