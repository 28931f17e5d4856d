"""What reading a file takes: time, the memory of the process that does it, what the model gets.

Run: ``python3 benchmarks/attachments.py``. Files are made at run time; the median of five.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image as Picture  # noqa: E402
from pypdf import PdfWriter  # noqa: E402
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject  # noqa: E402

from bot.adapters.attachments.reader import FileReader  # noqa: E402
from bot.core.brought import Excerpt, Reading  # noqa: E402
from bot.core.files import Attachment  # noqa: E402
from bot.core.messages import Image  # noqa: E402

ROUNDS = 5
FILE = Attachment(kind="document", name="file", media_type="", handle="h")


def photo(width: int, height: int) -> bytes:
    """Make a photo: slopes, with some noise on them."""
    slopes = [
        Picture.linear_gradient("L").rotate(turn).resize((width, height)) for turn in (0, 90, 180)
    ]
    grain = Picture.effect_noise((width, height), 20)
    picture = Picture.blend(Picture.merge("RGB", slopes), Picture.merge("RGB", [grain] * 3), 0.15)
    file = BytesIO()
    picture.save(file, "JPEG", quality=90)
    return file.getvalue()


def screenshot(width: int, height: int) -> bytes:
    """Make a picture of flat areas, as PNG."""
    dice = random.Random(1)
    picture = Picture.new("RGB", (width, height), "white")
    for _ in range(4_000):
        x, y = dice.randrange(width), dice.randrange(height)
        picture.paste(tuple(dice.randbytes(3)), (x, y, x + dice.randrange(3, 60), y + 12))
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def document(pages: int) -> bytes:
    """Make a PDF with 400 characters a page."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for number in range(pages):
        page = writer.add_blank_page(width=600, height=800)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        lines = " ".join(f"(page {number} line {line} of words) Tj 0 -14 Td" for line in range(16))
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 780 Td {lines} ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def worded(reading: Reading) -> str:
    """Say what the model gets."""
    if isinstance(reading, Image):
        return f"{reading.media_type}, {len(reading.data) * 3 // 4 // 1000} KB"
    return f"{len(reading.text):,} characters" if isinstance(reading, Excerpt) else reading.why


LAUNCHER = """
import resource, subprocess, sys
command = [sys.executable, "-m", "bot.adapters.attachments.worker", sys.argv[1], "50000"]
subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def peak_mb(content: bytes) -> str:
    """Give the memory of the process for a file; started by a small one, whose own it inherits."""
    if not content.startswith((b"%PDF", b"\x89PNG", b"\xff\xd8")):
        return "-"
    kind = "pdf" if content.startswith(b"%PDF") else "picture"
    command = [sys.executable, "-c", LAUNCHER, kind]
    done = subprocess.run(command, input=content, stdout=subprocess.PIPE, cwd=ROOT, check=True)
    return f"{float(done.stdout):.0f}"


async def main() -> None:
    """Print a row for each file."""
    files = {
        "text, 40 KB": b"some words in a line\n" * 2_000,
        "text, 20 MB": b"some words in a line\n" * 950_000,
        "PDF, 10 pages": document(10),
        "PDF, 100 pages": document(100),
        "PNG, 1920 x 1080": screenshot(1920, 1080),
        "JPEG, 12 megapixels": photo(4000, 3000),
        "JPEG, 48 megapixels": photo(8000, 6000),
    }
    reader = FileReader()
    print(f"{'file':<22}{'size':>9}{'ms':>8}{'peak MB':>9}  read")
    for name, content in files.items():
        took: list[float] = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            reading = await reader.read(FILE, content)
            took.append((time.perf_counter() - start) * 1000)
        size = f"{len(content) / 1e6:.2f} MB"
        peak = peak_mb(content)
        print(f"{name:<22}{size:>9}{median(took):>8.0f}{peak:>9}  {worded(reading)}")


if __name__ == "__main__":
    asyncio.run(main())
