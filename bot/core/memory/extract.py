"""Facts without a language model: a few plain sentences that people say of themselves.

The offline demo model and the pretended models of tests answer with it, so that everything around
an extraction runs without a vendor.
"""

from __future__ import annotations

import json
import re

from bot.core.memory.extraction import EXTRACTOR
from bot.core.quoting import sections_in

_MESSAGE = re.compile(r"message (\d+), .*")
_END = r"(?=\s*(?:[.,!;\n]|\band\b|$))"
_RULES = (
    ("name", "name", "Is called {}.", rf"\b(?:my name is|call me) ([^\W\d_][\w' -]*?){_END}"),
    ("environment", "home city", "Lives in {}.", rf"\bi live in ([^\W\d_][\w' -]*?){_END}"),
    ("preference", "", "{} is {}.", rf"\bmy (favou?rite [a-z]+) is ([\w' -]+?){_END}"),
)
_ASKED_FOR = re.compile(r"\bremember\b", re.IGNORECASE)
"""Whoever asks for it has it remembered by a tool."""


def is_extraction_request(system: str) -> bool:
    """Say whether these are the instructions of the extractor."""
    return system == EXTRACTOR


def extracted_answer(request_text: str) -> str:
    """Answer an extraction's request with JSON of what its messages say plainly."""
    facts: list[dict[str, object]] = []
    for label, text in sections_in(request_text):
        found = _MESSAGE.fullmatch(label)
        if found is None or _ASKED_FOR.search(text):
            continue
        for topic, key, statement, pattern in _RULES:
            for said in re.finditer(pattern, text, re.IGNORECASE):
                values = [said[1][0].upper() + said[1][1:], *said.groups()[1:]]
                facts.append(
                    {
                        "message": int(found[1]),
                        "topic": topic,
                        "key": key or said[1],
                        "fact": statement.format(*values),
                        "quote": said[0],
                        "about": "speaker",
                        "confidence": 0.9,
                    }
                )
    return json.dumps({"facts": facts}, ensure_ascii=False)
