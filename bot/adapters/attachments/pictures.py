"""Pictures in the size that the model looks at, and nothing else that was in the file."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageOps

LONGEST_SIDE = 1_568
MOST_PIXELS = 1_150_000
"""A larger picture is made smaller by the vendor, after it was sent and before it is looked at.
Source: Anthropic, Vision, "Evaluate image size", read 2026-11-30."""

MOST_BYTES = 700_000
"""Of a picture in the size above. A request may have 32 MB, and a window of 50 000 tokens holds
some thirty pictures, each a third longer in base64. Source: Anthropic, API overview, read
2026-11-30."""

MOST_PIXELS_READ = 50_000_000
"""Larger pictures are not even unpacked: this many take 200 MB, and twice that while they are made
smaller."""

MOST_PIXELS_OF_JPEG = 250_000_000
"""A JPEG is unpacked in an eighth of its size where that is enough."""

_FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "AVIF", "JPEG2000", "PPM")
"""What is tried, where Pillow was built with it. It has readers too that call other programs."""

_QUALITIES = (85, 70, 50, 30)
_PHOTOS = frozenset({"JPEG", "MPO"})


class TooManyPixelsError(Exception):
    """The picture is larger than it may be unpacked."""


def shrink(content: bytes) -> tuple[str, bytes]:
    """Give media type and content of the picture as it is sent, JPEG or PNG.

    Turned upright, the first frame of several; no place, no camera, no comment stays in it.

    Raises:
        TooManyPixelsError: It was not unpacked.
        OSError: It is damaged, or no picture.
    """
    Image.MAX_IMAGE_PIXELS = None  # the limits above are stricter
    Image.init()
    known = tuple(name for name in _FORMATS if name in Image.OPEN)
    with Image.open(BytesIO(content), formats=known) as opened:
        size = _size_for(*opened.size)
        is_photo = opened.format in _PHOTOS
        _check(opened.size, MOST_PIXELS_OF_JPEG if is_photo else MOST_PIXELS_READ)
        opened.draft("RGB", size)
        _check(opened.size, MOST_PIXELS_READ)
        image = _plain(opened)
        if image.size != size:
            image = image.resize(size, reducing_gap=2.0)
        ImageOps.exif_transpose(image, in_place=True)
    image.info.clear()
    return _written(image, is_photo=is_photo)


def _size_for(width: int, height: int) -> tuple[int, int]:
    scale = min(1.0, LONGEST_SIDE / max(width, height), (MOST_PIXELS / (width * height)) ** 0.5)
    return max(1, int(width * scale)), max(1, int(height * scale))


def _check(size: tuple[int, int], most: int) -> None:
    if size[0] * size[1] > most:
        raise TooManyPixelsError


def _plain(image: Image.Image) -> Image.Image:
    """Unpack it, in one of the three modes that are written; what it tells of itself stays."""
    if image.mode.startswith("I"):
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    elif image.mode == "F":
        raise OSError("pixels of no known scale")
    has_holes = image.mode in ("RGBA", "RGBa", "LA", "La", "PA") or "transparency" in image.info
    mode = "RGBA" if has_holes else "L" if image.mode in ("1", "L") else "RGB"
    if image.mode != mode:
        return image.convert(mode)
    image.load()
    return image


def _written(image: Image.Image, *, is_photo: bool) -> tuple[str, bytes]:
    if not is_photo:
        written = BytesIO()
        image.save(written, "PNG")
        if written.tell() <= MOST_BYTES:
            return "image/png", written.getvalue()
    if image.mode == "RGBA":
        paper = Image.new("RGB", image.size, "white")
        paper.paste(image, mask=image.getchannel("A"))
        image = paper
    for quality in _QUALITIES:
        written = BytesIO()
        image.save(written, "JPEG", quality=quality)
        if written.tell() <= MOST_BYTES:
            break
    return "image/jpeg", written.getvalue()
