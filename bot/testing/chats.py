"""Random conversations of all sizes and kinds, broken ones among them, for tests of windows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from bot.core.chat import SessionKey
from bot.core.messages import ContentBlock, Image, Message, Text, Thinking, ToolCall, ToolResult
from bot.core.turns import Outcome, Step, Turn, TurnId

BEGINNING = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)

_PROSE = "the quick brown fox jumps over a lazy dog and then asks where the invoice went"
_CODE = "def return class import self value result None True for in range"
_WORDS = (
    *_PROSE.split(),
    *_CODE.split(),
    "https://example.org/a/b?c=1",
    "/var/log/app-2.log",
    "ORDER-4711",
    "12.50",
    "2026-03-14",
)
_HAN = "我想知道明天北京的天气怎么样请总是用中文回答谢谢你的帮助"
_KANA = "明日の会議は木曜日に変更されました。コーヒーが好きです。天気を教えてください。"
_EMOJI = ("👩\u200d🚀", "🎉", "🇯🇵", "é", "ß")
_OUTCOMES: tuple[Outcome, ...] = ("answered", "cut", "refused", "empty", "failed", "stopped")


@dataclass(frozen=True, slots=True)
class RandomChats:
    """Makes turns from dice; the same dice make the same turns.

    ``scale`` is the length in characters of what is usual; giants are fifty times as long.
    ``is_broken`` adds what no turn should hold but some stored one might.
    """

    dice: Random
    scale: int = 120
    is_broken: bool = False

    def past(self, count: int, *, first_id: int = 1) -> tuple[Turn, ...]:
        """Make ended turns with growing ids."""
        return tuple(self.turn(first_id + number) for number in range(count))

    def turn(self, number: int, *, is_open: bool = False) -> Turn:
        """Make a turn; an open one ends with answered calls, or has no step yet."""
        steps = tuple(
            self.step(number, index) for index in range(self._few(4 if not is_open else 9))
        )
        if not is_open and self.dice.random() < 0.9:
            answer = Message(role="assistant", blocks=(Text(text=self.text()),))
            steps = (*steps, Step(answer=answer, stop="end_turn"))
        return Turn(
            id=TurnId(number),
            session_key=SessionKey("loopback:bot:1:"),
            request=self.request(),
            started_at=BEGINNING + timedelta(minutes=number),
            steps=steps,
            outcome=None if is_open else self.dice.choices(_OUTCOMES, (80, 4, 4, 4, 4, 4))[0],
        )

    def request(self) -> Message:
        """Make what people wrote, now and then several messages or a picture."""
        blocks: list[ContentBlock] = [Text(text=self.text()) for _ in range(1 + self._few(2))]
        if self.dice.random() < 0.08:
            blocks.append(Image(media_type="image/png", data="QUJD" * 30))
        if self.is_broken and self.dice.random() < 0.1:
            blocks = []
        return Message(role="user", blocks=tuple(blocks))

    def step(self, turn: int, index: int) -> Step:
        """Make a round of tools, each call with its result but for the broken."""
        blocks: list[ContentBlock] = []
        if self.dice.random() < 0.4:
            blocks.append(Thinking(text=self.text(), signature="s" * 40))
        if self.dice.random() < 0.5:
            blocks.append(Text(text=self.text()))
        calls = [self._call(turn, index, number) for number in range(1 + self._few(3))]
        blocks.extend(calls)
        results = [self._result(call.id) for call in calls]
        if self.is_broken:
            results = self._spoiled(results)
        return Step(
            answer=Message(role="assistant", blocks=tuple(blocks)),
            stop="tool_use",
            results=tuple(results),
        )

    def text(self) -> str:
        """Make a text of some kind, seldom a giant."""
        length = max(1, int(self.dice.expovariate(1 / self.scale)))
        if self.dice.random() < 0.015:
            length = self.scale * 50
        kind = self.dice.randrange(7)
        if kind < 3:
            return self._joined(_WORDS, length, " ")
        if kind == 3:
            return self._joined((_HAN,), length // 2, "")
        if kind == 4:
            return self._joined((_KANA,), length // 2, "")
        if kind == 5:
            return self._joined((*_WORDS, *_EMOJI, "\n", "    "), length, " ")
        return self._joined(tuple("0123456789abcdef"), length, "")

    def _joined(self, pieces: tuple[str, ...], length: int, joint: str) -> str:
        text = joint.join(self.dice.choices(pieces, k=min(400, length // 2 + 1)))
        return (text * (length // max(1, len(text)) + 1))[: max(1, length)]

    def _call(self, turn: int, index: int, number: int) -> ToolCall:
        call_id = f"call_{turn}_{index}_{number}"
        if self.is_broken and self.dice.random() < 0.1:
            call_id = self.dice.choice(("call_1_0_0", "no such id!", ""))
        arguments = '{"q": 1}' if self.dice.random() < 0.9 else '{"q": "' + "x" * self.scale
        return ToolCall(id=call_id, name="search", arguments=arguments)

    def _result(self, call_id: str) -> ToolResult:
        content = self.text()
        if self.dice.random() < 0.1:
            content = self._joined(_WORDS, 25_000, " ")
        return ToolResult(call_id=call_id, content=content, is_error=self.dice.random() < 0.1)

    def _spoiled(self, results: list[ToolResult]) -> list[ToolResult]:
        kept = [result for result in results if self.dice.random() > 0.15]
        if kept and self.dice.random() < 0.2:
            kept.append(kept[0])
        if self.dice.random() < 0.1:
            kept.append(ToolResult(call_id="stranger", content="nobody asked"))
        return kept

    def _few(self, most: int) -> int:
        return min(self.dice.randrange(most + 1), self.dice.randrange(most + 1))
