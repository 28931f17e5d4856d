"""Messages and what is counted of them."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.llm import Usage
from bot.core.messages import Message, Text, ToolCall, assistant_text, user_text
from bot.testing.strategies import messages

TOKENS = st.integers(0, 1_000_000)
USAGES = st.builds(
    Usage,
    input_tokens=TOKENS,
    output_tokens=TOKENS,
    cache_read_tokens=TOKENS,
    cache_write_tokens=TOKENS,
)


def test_the_text_of_a_message_is_that_of_its_text_blocks() -> None:
    call = ToolCall(id="call_1", name="clock", arguments="{}")
    message = Message(role="assistant", blocks=(Text(text="One."), call, Text(text="Two.")))

    assert "One.\n\nTwo." == message.text
    assert (call,) == message.tool_calls


def test_a_text_is_wrapped_for_either_side() -> None:
    assert Message(role="user", blocks=(Text(text="Hi"),)) == user_text("Hi")
    assert Message(role="assistant", blocks=(Text(text="Hi"),)) == assistant_text("Hi")


@given(messages())
def test_messages_are_values(message: Message) -> None:
    assert {message} == {Message(role=message.role, blocks=message.blocks)}


@given(USAGES, USAGES)
def test_usage_adds_up(first: Usage, second: Usage) -> None:
    total = first + second

    assert total == second + first
    assert first == first + Usage()
    assert total.prompt_tokens == first.prompt_tokens + second.prompt_tokens
    assert total.output_tokens == first.output_tokens + second.output_tokens
