"""What of a turn a wish means, and what is left of the turn when that is gone.

The law of this file: words go with whoever said them. Of a turn of several people only what one of
them said is blanked, and the reply to it; blocks keep their places, by which others are known.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.core.addresses import sender_of
from bot.core.chat import ChatKind, PersonKey
from bot.core.looking_back import LEAD
from bot.core.memory.forgetting import TurnPart, Wish, mentions
from bot.core.memory.said import Said, own_words
from bot.core.messages import Message, Text, ToolCall
from bot.core.names import speaker, without_numbers
from bot.core.quoting import one_line
from bot.core.reminders.wording import without_lead
from bot.core.turns import Turn

FORGOTTEN = "[forgotten at the wish of who said it]"
"""What stands in the place of words that are gone."""

_HEAD_CHARS = 80
_LINES_OF_QUOTATION = re.compile(r"(?:> [^\n]*\n)+\n")


def part_meant(
    turn: Turn, said: tuple[Said, ...] | None, wish: Wish, person: PersonKey, kind: ChatKind
) -> TurnPart | None:
    """Say what of a turn a wish for a turn, a day, words or all means; None for nothing.

    Args:
        turn: The turn, with whole results of tools in the place of parts of them.
        said: Who said what of its request; None where that was not noted.
        wish: The wish, of which the turn was found to be one by its number or day.
        person: Whose wish it is.
        kind: Of the turn's chat. In a private one all is theirs.
    """
    if is_blank(turn.request) and not turn.steps:
        return None
    if kind == "private" or wish.of_everyone:
        if wish.kind == "words" and not mentions(wish, *texts_of(turn)):
            return None
        return TurnPart(turn_id=turn.id, head=_head(turn.request, said, kind))
    if said is None:
        said = said_by_label(turn.request, person)
    own = tuple(each.block for each in said if each.person_key == person)
    if wish.kind == "words":
        words = (_section_text(turn.request, said, block) for block in own)
        is_answered = mentions(
            wish, *texts_of(replace(turn, request=Message(role="user", blocks=())))
        )
        own = (
            own
            if is_answered
            else tuple(
                block for block, text in zip(own, words, strict=True) if mentions(wish, text)
            )
        )
    if not own:
        is_quoted = wish.kind in ("words", "all") and without_talk_of(turn.request, person, wish)
        return TurnPart(turn_id=turn.id, blocks=()) if is_quoted else None
    is_whole = len(own) == len(said) and all(each.person_key for each in said)
    head = _own_head(turn.request, own)
    return TurnPart(turn_id=turn.id, blocks=None if is_whole else own, head=head)


def blanked(
    request: Message, said: tuple[Said, ...] | None, blocks: tuple[int, ...] | None
) -> tuple[Message, tuple[Said, ...]]:
    """Give a request without the words at some places, or with None without any.

    What a message's files brought goes with its text.
    """
    if blocks is None:
        return Message(role=request.role, blocks=(Text(text=FORGOTTEN),)), ()
    gone = {
        place
        for block in blocks
        for place in range(block, _end_of(block, said or (), len(request.blocks)))
    }
    kept = tuple(
        Text(text=FORGOTTEN) if place in gone else block
        for place, block in enumerate(request.blocks)
    )
    left = tuple(each for each in said or () if each.block not in gone)
    return replace(request, blocks=kept), left


def gone_texts(before: Message, after: Message) -> tuple[str, ...]:
    """Give the texts of a request that it has no more."""
    left = {block.text for block in after.blocks if isinstance(block, Text)}
    texts = (block.text for block in before.blocks if isinstance(block, Text))
    return tuple(text for text in texts if text not in left)


def is_blank(request: Message) -> bool:
    """Say whether all of a request is gone already."""
    return all(isinstance(each, Text) and each.text == FORGOTTEN for each in request.blocks)


def without_talk_of(request: Message, person: PersonKey, wish: Wish) -> Message | None:
    """Take what somebody said out of what is quoted from before others' messages.

    Of a wish for words, what has them; None where nothing of theirs is quoted.
    """
    number = re.escape(_number(person))
    # Whose it is says the first number: nobody has one in their name, but anybody in their words.
    quotation = re.compile(rf"^> [^\n#:]*#{number}: [^\n]*(?:\n>   [^\n]*)*", re.MULTILINE)

    def replaced(found: re.Match[str]) -> str:
        is_meant = wish.kind != "words" or mentions(wish, found[0])
        return f"> {FORGOTTEN}" if is_meant else found[0]

    blocks = tuple(
        Text(text=quotation.sub(replaced, block.text))
        if isinstance(block, Text) and block.text.startswith(LEAD)
        else block
        for block in request.blocks
    )
    return None if blocks == request.blocks else replace(request, blocks=blocks)


def texts_of(turn: Turn) -> tuple[str, ...]:
    """Give all words of a turn: of the request, of answers, calls and results."""
    texts = [block.text for block in turn.request.blocks if isinstance(block, Text)]
    for step in turn.steps:
        for block in step.answer.blocks:
            if isinstance(block, Text):
                texts.append(block.text)
            elif isinstance(block, ToolCall):
                texts.append(block.arguments)
        texts += (result.content for result in step.results)
    return tuple(texts)


def said_by_label(request: Message, person: PersonKey) -> tuple[Said, ...]:
    """Tell by the labels in a group's turn of before it was noted which blocks are a person's."""
    own = label_of_speaker(person)
    found: list[Said] = []
    for place, block in enumerate(request.blocks):
        if not isinstance(block, Text) or block.text.startswith(LEAD) or is_of_file(block.text):
            continue
        first = _LINES_OF_QUOTATION.sub("", block.text, count=1).partition("\n")[0]
        is_own = own in first and first.index(own) == first.find("#")
        found.append(Said(block=place, person_key=person if is_own else PersonKey(""), name=""))
    return tuple(found)


def is_of_file(text: str) -> bool:
    """Say whether a block is what a file brought, which belongs to the message above it."""
    first, _, rest = text.partition("\n")
    return first.startswith("[") and ": its text follows" in first and rest.startswith("```")


def label_of_speaker(person: PersonKey) -> str:
    """Give what stands behind a person's name in what the model reads of a group."""
    return f"#{_number(person)}: "


def _number(person: PersonKey) -> str:
    """Give what tells a speaker from a namesake in what the model reads."""
    return speaker("x", sender_of(person).user_id).partition("#")[2]


def _end_of(block: int, said: tuple[Said, ...], count: int) -> int:
    """Say where what belongs to a message ends: where the next one begins."""
    return min((each.block for each in said if each.block > block), default=count)


def _section_text(request: Message, said: tuple[Said, ...], block: int) -> str:
    section = request.blocks[block : _end_of(block, said, len(request.blocks))]
    return "\n".join(each.text for each in section if isinstance(each, Text))


def _head(request: Message, said: tuple[Said, ...] | None, kind: ChatKind) -> str:
    """Give how the words of people begin, in a group with who said them."""
    heard = {each.block for each in said or ()}
    texts = [
        each.text
        for place, each in enumerate(request.blocks)
        if isinstance(each, Text) and (place in heard or not heard)
    ]
    own = (own_words(text, "private")[1] if kind == "private" else _shown(text) for text in texts)
    return one_line(next(filter(None, (*own, *texts)), ""), _HEAD_CHARS)


def _shown(text: str) -> str:
    return without_numbers(without_lead(text))


def _own_head(request: Message, blocks: tuple[int, ...]) -> str:
    """Give how somebody's own words in a group begin, without what they quote of others."""
    texts = (
        own_words(each.text, "group")[1]
        for place, each in enumerate(request.blocks)
        if isinstance(each, Text) and place in blocks
    )
    return one_line(next(filter(None, texts), ""), _HEAD_CHARS)
