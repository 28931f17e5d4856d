"""What is trusted where an operator has a CA of their own: all there was, and that one."""

import stat
from pathlib import Path

import certifi
import pytest
import trustme

from bot.adapters.trust import write_trusted
from bot.config.certificates import read_certificates


def certificates_in(file: Path) -> set[bytes]:
    return set(read_certificates(file.read_bytes()))


def authority(file: Path) -> set[bytes]:
    """Write the certificate of a new CA."""
    trustme.CA().cert_pem.write_to_path(str(file))
    return certificates_in(file)


def test_it_is_trusted_beside_the_system_s_and_certifi_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    company = authority(tmp_path / "company.pem")
    of_file = authority(tmp_path / "system.pem")
    (tmp_path / "certs").mkdir()
    in_folder = authority(tmp_path / "certs" / "0a1b2c3d.0")
    authority(tmp_path / "certs" / "of-no-use.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "system.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "certs"))

    written = write_trusted(tmp_path / "company.pem", tmp_path)

    everybodys = certificates_in(Path(certifi.where()))
    assert certificates_in(written) == company | of_file | in_folder | everybodys
    assert written.read_bytes().count(b"BEGIN") == len(certificates_in(written))
    assert stat.S_IMODE(written.stat().st_mode) == 0o644


def test_done_again_it_is_the_same_and_a_new_file_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    company = tmp_path / "company.pem"
    authority(company)
    written = write_trusted(company, tmp_path)
    first, at = written.read_bytes(), written.stat().st_ino
    monkeypatch.setenv("SSL_CERT_FILE", str(written))

    again = write_trusted(company, tmp_path)
    assert (again.read_bytes(), again.stat().st_ino) == (first, at)

    renewed = authority(company)
    assert renewed < certificates_in(write_trusted(company, tmp_path))
    assert {each.name for each in tmp_path.iterdir()} == {"company.pem", "trusted.pem"}


def test_a_file_that_cannot_be_read_is_made_anew(tmp_path: Path) -> None:
    company = authority(tmp_path / "company.pem")
    (tmp_path / "trusted.pem").write_bytes(b"\xff\xfe")

    assert company < certificates_in(write_trusted(tmp_path / "company.pem", tmp_path))
