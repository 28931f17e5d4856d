"""The App Home as Block Kit: within the documented limits, whatever is remembered."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.api import ChatAddress, HomePage, Row, Section, Wish
from bot.testing.slack_blocks import faults_in_view
from channels.slack.home import MOST_BLOCKS, view_of

DIRECT = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")
PAGE = HomePage(
    sections=(
        Section(
            title="Our conversation",
            lines=("I see 3 turns of at most 20.",),
            wishes=(Wish(label="Clear", command="context clear"),),
        ),
        Section(
            title="What I remember about you",
            lines=(),
            rows=(Row(text="Likes tea.", wish=Wish(label="Forget", command="memory forget f1")),),
        ),
        Section(title="What I remember of our talks", lines=("2026-01-05", "09:01 likes herons")),
    ),
    may_configure=True,
)
LINES = st.lists(st.text(min_size=1, max_size=4_000), min_size=1, max_size=8)
SECTIONS = st.builds(
    lambda title, lines, label: Section(
        title=title,
        lines=tuple(lines),
        rows=tuple(Row(text=each, wish=Wish(label=label, command="new")) for each in lines),
        wishes=(Wish(label=label, command="new"),),
    ),
    st.text(min_size=1, max_size=200),
    LINES,
    st.text(min_size=1, max_size=100),
)


def test_the_page_is_one_that_slack_takes() -> None:
    view = view_of(PAGE, DIRECT)

    assert () == faults_in_view(view)
    blocks = view["blocks"]
    assert isinstance(blocks, list)
    assert "actions header section actions header section header section" == " ".join(
        each["type"] for each in blocks
    )
    assert ["memory forget f1"] == [
        each["accessory"]["value"] for each in blocks if "accessory" in each
    ]


@given(st.lists(SECTIONS, min_size=1, max_size=4), st.booleans())
@settings(max_examples=50, deadline=None)
def test_no_page_breaks_a_limit(sections: list[Section], may_configure: bool) -> None:
    view = view_of(HomePage(sections=tuple(sections), may_configure=may_configure), DIRECT)

    assert () == faults_in_view(view)


def test_a_page_without_end_ends() -> None:
    line = "x" * 2_000
    page = HomePage(sections=(Section(title="much", lines=(line,) * 300),))
    view = view_of(page, DIRECT)

    assert () == faults_in_view(view)
    assert MOST_BLOCKS == len(view["blocks"])  # type: ignore[arg-type]  # JSON
    assert "… and more." in str(view["blocks"])


def test_nothing_on_a_page_can_ring_a_phone() -> None:
    page = HomePage(sections=(Section(title="<!here>", lines=("<!channel> *b* <@U1>",)),))
    view = view_of(page, DIRECT)

    assert "mrkdwn" not in str(view)
    assert () == faults_in_view(view)
