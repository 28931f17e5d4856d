"""How what ``doctor`` finds is laid out."""

from bot.app.findings_shown import TerminalPage
from bot.core.findings import Finding


def test_on_a_terminal_long_lines_are_wrapped_below_their_mark() -> None:
    page = TerminalPage(44, has_colours=False)
    findings = (
        Finding(area="bot", check="python", seen="Python 3.11"),
        Finding(
            area="telegram", check="menu", grade="warning", seen="no menu " * 6, mend="start " * 9
        ),
    )

    lines = [*page.lines(findings[:1]), *page.lines(findings[1:]), *page.verdict(findings)]

    assert [
        "",
        "bot",
        "  ✓ Python 3.11",
        "",
        "telegram",
        "  ! no menu no menu no menu no menu no menu",
        "    no menu",
        "      → start start start start start start",
        "        start start start",
        "",
        "1 to look at, 1 well.",
    ] == lines


def test_colours_are_for_a_terminal_that_has_them() -> None:
    findings = (Finding(area="bot", check="x", grade="broken", seen="s", mend="m"),)

    coloured = "".join(TerminalPage(80, has_colours=True).lines(findings))
    plain = "".join(TerminalPage(80, has_colours=False).lines(findings))

    assert "\x1b[31;1m✗\x1b[0m" in coloured
    assert "\x1b" not in plain
