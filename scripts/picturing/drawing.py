"""A screen as an SVG: text that can be searched, in whatever monospaced letters there are."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from scripts.picturing.screen import Colour, Span

CELL_WIDTH, LINE_HEIGHT, FONT_SIZE = 8.4, 20, 14
MARGIN, TITLE_HEIGHT = 20, 36

GROUND, INK, BORDER = "#16181d", "#d7dae0", "#2b2f38"
INKS: dict[Colour, str] = {
    "black": "#23262e",
    "red": "#ef7a85",
    "green": "#9ccb7c",
    "yellow": "#e5c07b",
    "blue": "#6fb4f2",
    "magenta": "#cf8ae5",
    "cyan": "#62c4cf",
    "white": "#eceef2",
}
LIGHTS = ("#ef7a85", "#e5c07b", "#9ccb7c")


def draw(rows: Sequence[Sequence[Span]], *, columns: int, title: str, told: str) -> str:
    """Draw rows of a screen.

    Args:
        rows: What stands in each.
        columns: How wide the screen is.
        title: What the window's bar says.
        told: What somebody who does not see it is told.
    """
    width = 2 * MARGIN + round(columns * CELL_WIDTH)
    height = TITLE_HEIGHT + 2 * MARGIN + len(rows) * LINE_HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label={quoteattr(told)}>',
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10" fill="{GROUND}" '
        f'stroke="{BORDER}"/>',
    ]
    middle = TITLE_HEIGHT / 2
    lines += [
        f'<circle cx="{MARGIN + 4 + 18 * number}" cy="{middle:g}" r="5.5" fill="{light}"/>'
        for number, light in enumerate(LIGHTS)
    ]
    lines.append(
        f"<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', "
        f'monospace" font-size="{FONT_SIZE}" fill="{INK}" xml:space="preserve">'
    )
    lines.append(
        f'<text x="{width / 2:g}" y="{middle + 5:g}" text-anchor="middle" '
        f'fill-opacity=".6">{escape(title)}</text>'
    )
    for number, row in enumerate(rows):
        top = TITLE_HEIGHT + MARGIN + number * LINE_HEIGHT
        lines += [drawn for span in row for drawn in _drawn(span, top)]
    return "\n".join((*lines, "</g>", "</svg>", ""))


def _drawn(span: Span, top: float) -> list[str]:
    if not span.text.strip() and span.style.ground is None:
        return []
    left, width = MARGIN + span.column * CELL_WIDTH, span.width * CELL_WIDTH
    style, drawn = span.style, []
    if style.ground is not None:
        drawn.append(
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{LINE_HEIGHT}" rx="3" '
            f'fill="{INKS[style.ground]}"/>'
        )
    looks = {
        'font-weight="bold"': style.is_bold,
        'font-style="italic"': style.is_italic,
        'text-decoration="underline"': style.is_underlined,
        'fill-opacity=".6"': style.is_dim,
        f'fill="{INKS[style.colour or "white"]}"': style.colour is not None,
    }
    look = "".join(f" {attribute}" for attribute, holds in looks.items() if holds)
    drawn.append(
        f'<text x="{left:.1f}" y="{top + 15}" textLength="{width:.1f}"{look}>'
        f"{escape(span.text)}</text>"
    )
    return drawn
