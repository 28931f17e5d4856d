"""Files of strangers: what is read of good ones, and that bad ones harm nobody."""

from __future__ import annotations

import asyncio
import base64
import random
import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image as Picture
from PIL.PngImagePlugin import PngInfo
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from bot.adapters.attachments import pdf, pictures
from bot.adapters.attachments.reader import MOST_CHARS, TOO_SLOW, FileReader
from bot.adapters.attachments.texts import decode_text
from bot.adapters.attachments.worker import (
    DAMAGED,
    LOCKED,
    NO_TEXT,
    TOO_MANY_PIXELS,
    UNKNOWN_KIND,
)
from bot.core.brought import Excerpt, Reading, Unreadable
from bot.core.files import Attachment, AttachmentKind
from bot.core.messages import Image
from bot.testing.clock import settle

SECRET_PLACE = "Somewhere Street 7"


def attached(kind: AttachmentKind = "document", media_type: str = "") -> Attachment:
    return Attachment(kind=kind, name="file", media_type=media_type, handle="h")


async def read(content: bytes, attachment: Attachment | None = None) -> Reading:
    return await FileReader().read(attachment or attached(), content)


def saved(picture: Picture.Image, form: str, **options: object) -> bytes:
    file = BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def opened(reading: Reading) -> Picture.Image:
    assert isinstance(reading, Image), reading
    return Picture.open(BytesIO(base64.b64decode(reading.data)))


def noise(width: int, height: int, mode: str = "RGB") -> Picture.Image:
    channels = len(Picture.new(mode, (1, 1)).getbands())
    return Picture.frombytes(
        mode, (width, height), random.Random(1).randbytes(width * height * channels)
    )


def pages(*texts: str, password: str = "") -> bytes:
    writer = PdfWriter()
    for text in texts:
        page = writer.add_blank_page(width=300, height=300)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


# --- pictures -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF"])
async def test_a_picture_of_any_common_kind_is_seen(form: str) -> None:
    picture = Picture.new("RGB", (80, 40), "red")

    shown = opened(await read(saved(picture, form), attached("picture", f"image/{form.lower()}")))

    assert (80, 40) == shown.size
    red, green, blue = shown.convert("RGB").getpixel((40, 20))  # type: ignore[misc] # of this mode
    assert red > 240
    assert green < 15 > blue


@pytest.mark.parametrize(
    ("size", "expected"),
    [((4000, 3000), (1238, 928)), ((3000, 200), (1568, 104)), ((9000, 2), (1568, 1))],
)
async def test_a_large_picture_is_made_as_small_as_the_model_sees_it(
    size: tuple[int, int], expected: tuple[int, int]
) -> None:
    shown = opened(await read(saved(Picture.new("L", size, 90), "JPEG")))

    assert all(abs(is_ - should) <= 1 for is_, should in zip(shown.size, expected, strict=True))
    assert max(shown.size) <= pictures.LONGEST_SIDE
    assert shown.width * shown.height <= pictures.MOST_PIXELS


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
async def test_no_picture_is_longer_than_it_may_be(mode: str) -> None:
    reading = await read(saved(noise(1500, 760, mode), "PNG"))

    assert isinstance(reading, Image)
    assert len(base64.b64decode(reading.data)) <= pictures.MOST_BYTES
    assert reading.media_type == "image/jpeg"


async def test_a_picture_is_turned_upright_and_tells_nothing_of_its_maker() -> None:
    exif = Picture.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    exif[0x010E] = SECRET_PLACE
    photo = saved(Picture.new("RGB", (60, 30)), "JPEG", exif=exif, comment=SECRET_PLACE.encode())
    notes = PngInfo()
    notes.add_text("Comment", SECRET_PLACE)
    drawing = saved(Picture.new("RGBA", (60, 30)), "PNG", pnginfo=notes, icc_profile=b"profile")

    turned = opened(await read(photo))
    plain = await read(drawing)

    assert (30, 60) == turned.size
    assert not turned.getexif()
    assert SECRET_PLACE.encode() in photo
    for shown in (turned, opened(plain)):
        assert not {"comment", "Comment", "icc_profile", "exif"} & set(shown.info)
    assert isinstance(plain, Image)
    assert SECRET_PLACE.encode() not in base64.b64decode(plain.data)


async def test_what_is_transparent_stays_so_and_deep_grey_stays_grey() -> None:
    glass = Picture.new("RGBA", (50, 50), (10, 20, 30, 0))
    deep = Picture.new("I;16", (50, 50), 128 * 256)

    assert "RGBA" == opened(await read(saved(glass, "PNG"))).mode
    assert 128 == opened(await read(saved(deep, "PNG"))).convert("L").getpixel((9, 9))


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "LA"])
async def test_every_mode_is_seen(mode: str) -> None:
    form = "JPEG" if mode == "CMYK" else "PNG"

    assert (40, 40) == opened(await read(saved(Picture.new(mode, (40, 40)), form))).size


def chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def vast_png(side: int, bytes_of_rows: int) -> bytes:
    """Make a few bytes that claim to be a picture of ``side`` by ``side``."""
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * bytes_of_rows, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


async def test_a_picture_of_50_000_by_50_000_is_not_unpacked() -> None:
    assert await read(vast_png(50_000, 1_000_000)) == Unreadable(why=TOO_MANY_PIXELS)


async def test_a_bomb_within_the_limit_of_pixels_has_little_memory_and_time() -> None:
    assert await read(vast_png(7_000, 147_000_000)) == Unreadable(why=DAMAGED)


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF"])
async def test_half_a_picture_is_damaged(form: str, cut: float) -> None:
    whole = saved(noise(300, 300), form)

    reading = await read(whole[: int(len(whole) * cut)])

    assert reading in (Unreadable(why=DAMAGED), Unreadable(why=UNKNOWN_KIND))


async def test_bytes_changed_anywhere_harm_nobody() -> None:
    dice = random.Random(7)
    wholes = [saved(noise(64, 64), form) for form in ("JPEG", "PNG", "GIF", "WEBP", "TIFF")]
    wholes.append(pages("one", "two"))
    for whole in wholes * 2:
        broken = bytearray(whole)
        for _ in range(12):
            broken[dice.randrange(20, len(broken))] = dice.randrange(256)

        assert isinstance(await read(bytes(broken)), Image | Excerpt | Unreadable)


# --- PDFs -----------------------------------------------------------------------------------


async def test_a_pdf_is_read_page_by_page() -> None:
    expected = Excerpt(text="[page 1]\nFirst words\n\n[page 2]\nSecond words")

    assert await read(pages("First words", "Second words")) == expected


async def test_a_long_pdf_says_what_was_not_read() -> None:
    several = await read(pages(*(f"page number {number}" for number in range(pdf.MOST_PAGES + 5))))
    full = await read(pages(*("words " * 3_000 for _ in range(5))))

    assert isinstance(several, Excerpt)
    assert several.note == f"pages 1 to {pdf.MOST_PAGES} of {pdf.MOST_PAGES + 5}"
    assert f"page number {pdf.MOST_PAGES - 1}" in several.text
    assert isinstance(full, Excerpt)
    assert full.note == "pages 1 to 3 of 5"
    assert full.left_out_chars > 0
    assert len(full.text) < MOST_CHARS + 100


async def test_a_pdf_that_was_scanned_or_locked_says_so() -> None:
    assert await read(pages("", "")) == Unreadable(why=NO_TEXT)
    assert await read(pages("words", password="open" + "sesame")) == Unreadable(why=LOCKED)


async def test_a_pdf_that_anybody_may_open_is_read() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pages("words"))))
    writer.encrypt("", owner_password="of the" + " owner", algorithm="RC4-128")
    file = BytesIO()
    writer.write(file)

    assert await read(file.getvalue()) == Excerpt(text="[page 1]\nwords")


def raw_pdf(*objects: bytes) -> bytes:
    body = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return body + b"trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        start,
    )


CATALOG = b"<</Type /Catalog /Pages 2 0 R>>"
ONE_PAGE = b"<</Type /Pages /Count 1 /Kids [3 0 R]>>"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"%PDF-1.7\n", id="nothing in it"),
        pytest.param(b"%PDF-1.7\n" + b"[" * 300_000, id="brackets"),
        pytest.param(
            raw_pdf(CATALOG, b"<</Type /Pages /Count 9 /Kids [2 0 R]>>"), id="pages of itself"
        ),
        pytest.param(
            raw_pdf(CATALOG, ONE_PAGE, b"<</Type /Page /Parent 2 0 R /Contents " + b"[" * 200_000),
            id="deep",
        ),
        pytest.param(
            raw_pdf(
                CATALOG,
                ONE_PAGE,
                b"<</Type /Page /Parent 2 0 R /Contents 4 0 R>>",
                b"<</Length 4 0 R>>\nstream\n\nendstream",
            ),
            id="a length that is itself",
        ),
    ],
)
async def test_a_pdf_made_to_harm_is_given_up(content: bytes) -> None:
    assert isinstance(await read(content), Unreadable)


def pdf_bomb() -> bytes:
    """Make a page whose description is 200 MB when it is unpacked, twice packed."""
    packed = zlib.compress(zlib.compress(b"BT (a) Tj ET " * 16_000_000, 9), 9)
    stream = b"<</Length %d /Filter [/FlateDecode /FlateDecode]>>\nstream\n%s\nendstream" % (
        len(packed),
        packed,
    )
    return raw_pdf(CATALOG, ONE_PAGE, b"<</Type /Page /Parent 2 0 R /Contents 4 0 R>>", stream)


async def test_a_pdf_that_unpacks_to_200_mb_is_given_up() -> None:
    assert isinstance(await FileReader(longest_s=5).read(attached(), pdf_bomb()), Unreadable)


# --- time -----------------------------------------------------------------------------------


async def test_what_takes_too_long_is_cut_and_so_is_what_nobody_waits_for() -> None:
    large = saved(noise(3000, 3000), "PNG")

    assert await FileReader(longest_s=0.05).read(attached(), large) == Unreadable(why=TOO_SLOW)

    reading = asyncio.ensure_future(FileReader().read(attached(), large))
    await settle()
    reading.cancel()
    await asyncio.wait({reading})
    assert reading.cancelled()


# --- texts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("plain words", "ascii"),
        ("Größe, 12 €, 你好 👋", "utf-8"),
        ("\ufeffwith a mark", "utf-8"),
        ("Größe, 你好 👋", "utf-16"),
        ("wide words without a mark", "utf-16-le"),
        ("wide words without a mark", "utf-16-be"),
        ("with a long mark", "utf-32"),
        ("Größe: 12 €, naïve café, über allem schöne Grüße", "cp1252"),
        ("你好世界。这是一个测试文件。里面有一些中文。", "gb18030"),
        ("これはテストです。日本語の文章を読みます。", "shift_jis"),
        ("Привет, это тестовый документ на русском языке.", "cp1251"),
    ],
)
def test_a_text_is_read_in_whatever_charset(text: str, charset: str) -> None:
    assert text.removeprefix("\ufeff") == decode_text(text.encode(charset))


@pytest.mark.parametrize(
    "line",
    [
        "你好世界。今天天气很好。我们去公园散步吧。\n",
        "Привет, мир! Сегодня хорошая погода.\n",
        "今日は天気がいいので、公園を散歩しましょう。\n",
        "Größe, Übermut und Straße, schön.\n",
    ],
)
def test_a_damaged_byte_spoils_no_more_than_itself(line: str) -> None:
    whole = line * 60
    content = whole.encode()
    damages = content[:-2], content[1:], content[:300] + b"\xff" + content[300:]
    for damaged in damages:
        text = decode_text(damaged)
        assert text is not None
        assert line * 50 in text


@pytest.mark.parametrize("content", [b"\0\1\2\3" * 99, b"PK\3\4\x14\0\0\0words", bytes(range(256))])
async def test_what_is_no_text_is_not_shown_as_one(content: bytes) -> None:
    assert await read(content) == Unreadable(why=UNKNOWN_KIND)


async def test_a_long_text_says_how_much_more_there_is() -> None:
    reading = await read(b"x" * (MOST_CHARS + 7))

    assert reading == Excerpt(text="x" * MOST_CHARS, left_out_chars=7)


async def test_a_drawing_in_xml_is_a_text_and_a_picture_of_no_known_kind_is_not_read() -> None:
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>"

    assert await read(svg, attached("document", "image/svg+xml")) == Excerpt(text=svg.decode())
    assert await read(b"none", attached("picture", "image/heic")) == Unreadable(why=UNKNOWN_KIND)
