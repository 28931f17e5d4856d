"""Secrets that a person wrote into a memory file: the file keeps them, and nothing else does."""

from pathlib import Path

from bot.testing.memory_files import ADA
from tests.adapters.test_lasting_files import COFFEE, TEA, Disk


def _secret() -> str:
    return "Kr4ken" + "Wald99"


async def test_prv_1_a_secret_stands_where_a_person_wrote_it_and_in_no_copy(tmp_path: Path) -> None:
    """Neither among the versions nor in what the bot compares the file with."""
    disk = Disk(tmp_path)
    await disk.files.write_lasting(ADA, TEA)
    disk.saves(f"the wifi password is {_secret()}\n{disk.text}")
    await disk.files.write_lasting(ADA, COFFEE)
    assert _secret() in disk.text
    disk.saves("nothing of mine\n")
    await disk.files.write_lasting(ADA, TEA)

    assert any("[redacted:password]" in each for each in await disk.versions())
    assert _secret().encode() not in disk.all_bytes()


async def test_prv_1_a_secret_that_stays_makes_no_version_of_its_own(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    await disk.files.write_lasting(ADA, TEA)
    disk.saves(f"{disk.text}the wifi password is {_secret()}\n")
    for _ in range(3):
        await disk.files.write_lasting(ADA, TEA)

    assert [] == await disk.versions()
    assert _secret() in disk.text
