"""Text as Telegram counts it: UTF-16 code units, no half characters."""


def well_formed(text: str) -> str:
    """Join surrogate pairs and replace lone halves, which neither JSON nor a database takes."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def utf16_length(text: str) -> int:
    """Count code units; offsets, lengths and limits of Telegram are in these."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_utf16(text: str, offset: int, length: int) -> tuple[str, str, str]:
    """Cut into what stands before, in and behind a range of code units."""
    units = text.encode("utf-16-le", "surrogatepass")
    start, end = 2 * offset, 2 * (offset + length)
    before, inside, behind = (
        part.decode("utf-16-le", "replace")
        for part in (units[:start], units[start:end], units[end:])
    )
    return before, inside, behind
