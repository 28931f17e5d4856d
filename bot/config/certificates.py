"""Files of certificates that an operator wants to be trusted."""

from __future__ import annotations

import base64
import re
import ssl
from pathlib import Path

_BLOCK = re.compile(
    rb"-----BEGIN (?:X509 )?CERTIFICATE-----(.+?)-----END (?:X509 )?CERTIFICATE-----", re.DOTALL
)
"""Source: RFC 7468, section 5."""

_AS_PEM = "openssl x509 -inform der -in {file} -out {file}.pem makes one of a binary file"


def require_certificates(path: Path) -> None:
    """See to it that a file holds certificates, all of them whole.

    Raises:
        ValueError: It does not, or cannot be read; the text says what to do.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "cannot be opened"
        raise ValueError(
            f"{path} cannot be read ({reason}); mend that, or remove ca_file"
        ) from None
    if not read_certificates(text):
        hint = _AS_PEM.format(file=path.name)
        raise ValueError(f"{path} holds no certificate between PEM's BEGIN and END lines; {hint}")


def read_certificates(pem: bytes) -> tuple[bytes, ...]:
    """Give the certificates of a PEM file, each as DER; what stands around them is passed over.

    None where one of them is garbled: half a file is worse than none.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    found = []
    try:
        for block in _BLOCK.findall(pem):
            certificate = base64.b64decode(block)
            context.load_verify_locations(cadata=certificate)
            found.append(certificate)
    except (ssl.SSLError, ValueError):
        return ()
    return tuple(found)
