"""The certificates that connections trust: those of the system and of certifi, and an operator's.

OpenSSL takes one file in place of the system's, not beside it, and httpx has certifi's alone: where
something is to be added, all of it is put into one file.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator
from pathlib import Path

import certifi

from bot.config.certificates import read_certificates

FILE_NAME = "trusted.pem"

_HASHED = re.compile(r"[0-9a-f]{8}\.\d+")
"""How OpenSSL finds certificates in a folder. Source: openssl-rehash(1)."""


def write_trusted(ca_file: Path, folder: Path) -> Path:
    """Write all certificates that are to be trusted into a file of a folder, and name it.

    A file that says the same already is left alone. It is open to all: nothing in it is secret.

    Raises:
        OSError: It cannot be written, or ``ca_file`` not be read.
    """
    trusted = set(_of_the_system())
    for each in (ca_file, Path(certifi.where())):
        trusted.update(read_certificates(each.read_bytes()))
    text = "".join(map(ssl.DER_cert_to_PEM_cert, sorted(trusted)))
    file = folder / FILE_NAME
    if not _says(file, text):
        draft = folder / f"{FILE_NAME}.{os.getpid()}"
        draft.write_text(text, encoding="ascii")
        draft.chmod(0o644)  # whoever else runs a verb of the bot writes none that it cannot read
        draft.replace(file)
    return file


def _of_the_system() -> Iterator[bytes]:
    """Give what OpenSSL trusts by itself, as it was compiled and as the environment says.

    What lies in a folder it loads only as it is needed, and so tells nothing of.
    """
    yield from ssl.create_default_context().get_ca_certs(binary_form=True)
    folder = ssl.get_default_verify_paths().capath
    for file in sorted(Path(folder).iterdir()) if folder else ():
        if _HASHED.fullmatch(file.name) and file.is_file():
            yield from read_certificates(file.read_bytes())


def _says(file: Path, text: str) -> bool:
    try:
        return file.read_text(encoding="ascii") == text
    except (OSError, UnicodeDecodeError):
        return False
