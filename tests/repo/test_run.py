"""``run.py`` as a person starts it: a bare Python, a fresh folder, a path with a space in it."""

import ast
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

import run
from bot.testing.patience import PATIENCE_S

ROOT = Path(run.ROOT)
BARE_PYTHON = str(Path(sys.executable).resolve())
COMMAND_LINE = """
import sys

def run():
    print("prefix", sys.prefix)
    print("arguments", *sys.argv[1:])
    sys.exit(7)
"""
SLOW_UV = """#!{python} -S
import os, pathlib, sys, venv
with open({told!r}, "w") as told:
    told.write("building")
with open({go!r}) as go:
    go.read()
venv.create(sys.argv[-1], symlinks=True)
"""

TALKATIVE_UV = """#!{python} -S
import sys, venv
if sys.argv[1] == "venv":
    venv.create(sys.argv[-1], symlinks=True)
else:
    with open({told!r}, "a") as told:
        told.write(" ".join(sys.argv[1:]) + "\\n")
"""


class Checkout:
    """A copy of what starts the product, with a command line of its own and no requirements."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder.parent / "the home"
        self.environment = folder / ".venv"
        self.environ = {"PATH": "", "DAYBOOK_HOME": str(self.home)}
        for name in ("run.py", "scripts/__init__.py", "scripts/environment.py"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        (folder / "bot").mkdir()
        (folder / "bot" / "cli.py").write_text(COMMAND_LINE, encoding="utf-8")
        self.require("# nothing\n")

    def require(self, text: str) -> None:
        (self.folder / "requirements.txt").write_text(text, encoding="utf-8")

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        # -S: whatever else this machine's Python has installed must not be found.
        return subprocess.Popen(
            [BARE_PYTHON, "-S", str(self.folder / "run.py"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder.parent,
            env=self.environ,
        )

    def start(self, *arguments: str) -> tuple[int, str, str]:
        """Start and wait; gives the exit code, what was said on stdout and on stderr."""
        with self.begin(*arguments) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
            return process.returncode, out, err

    def answer(self, *arguments: str, place: Path | None = None) -> tuple[int, str]:
        """What a good start gives, from the environment at ``place``."""
        words = " ".join(("arguments", *arguments))
        return 7, f"prefix {place or self.environment}\n{words}\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    return Checkout(folder)


def test_the_first_start_builds_and_the_second_does_not(checkout: Checkout) -> None:
    code, out, err = checkout.start("chat", "--config", "my file.json")

    assert (code, out) == checkout.answer("chat", "--config", "my file.json")
    assert err.startswith(f"Setting Daybook up in {checkout.environment}\n")
    assert " done, " in err

    assert checkout.start("again") == (*checkout.answer("again"), "")


def test_the_environments_own_python_goes_on_at_once(checkout: Checkout) -> None:
    checkout.start()
    python = checkout.environment.joinpath(*run.PYTHON)

    done = subprocess.run([python, checkout.folder / "run.py"], capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (*checkout.answer(), "")


def test_changed_requirements_build_anew(checkout: Checkout) -> None:
    checkout.start()
    (checkout.environment / "of the first").touch()
    checkout.require("# something else\n")

    code, out, err = checkout.start()

    assert (code, out) == checkout.answer()
    assert err.startswith("Setting Daybook up")
    assert not (checkout.environment / "of the first").exists()
    assert {path.name for path in checkout.folder.glob(".venv*")} == {
        ".venv",
        ".venv.lock",
        ".venv.log",
    }


def test_what_was_built_by_half_is_built_whole(checkout: Checkout) -> None:
    half = checkout.folder / ".venv.new" / "bin"
    half.mkdir(parents=True)
    (half / "python").write_text("not yet", encoding="utf-8")

    assert checkout.start()[:2] == checkout.answer()
    assert not half.exists()


def test_an_environment_whose_python_is_gone_is_built_anew(checkout: Checkout) -> None:
    checkout.start()
    checkout.environment.joinpath(*run.PYTHON).unlink()

    assert checkout.start()[:2] == checkout.answer()


def test_what_is_not_ours_is_put_aside(checkout: Checkout) -> None:
    checkout.environment.mkdir()
    (checkout.environment / "mine").touch()

    assert checkout.start()[:2] == checkout.answer()
    assert (checkout.folder / ".venv.old" / "mine").exists()


def test_where_nothing_can_be_written_the_home_is_used(checkout: Checkout) -> None:
    (checkout.folder / ".venv.lock").mkdir()

    code, out, err = checkout.start()
    (place,) = checkout.home.glob("*a checkout.venv")

    assert (code, out) == checkout.answer(place=place)
    assert str(place) in err
    assert checkout.start()[2] == ""


def test_where_the_home_cannot_be_written_either(checkout: Checkout) -> None:
    (checkout.folder / ".venv.lock").mkdir()
    checkout.home.write_text("in the way", encoding="utf-8")

    code, out, err = checkout.start()

    assert (code, out) == (1, "")
    assert err == (
        f"Daybook could not set itself up: neither {checkout.folder} nor {checkout.home} "
        "can be written to; name a folder in DAYBOOK_HOME\n"
    )


def test_without_a_list_of_requirements(checkout: Checkout) -> None:
    (checkout.folder / "requirements.txt").unlink()

    code, _, err = checkout.start()

    assert code == 1
    assert err.startswith("Daybook could not set itself up: [Errno 2] No such file")
    assert len(err.splitlines()) == 1


class Builder:
    """A pretended uv that says when it began and goes on only when it is told to."""

    def __init__(self, checkout: Checkout) -> None:
        folder = checkout.folder.parent / "bin"
        folder.mkdir()
        self.told, self.go = folder / "told", folder / "go"
        os.mkfifo(self.told)
        os.mkfifo(self.go)
        uv = folder / "uv"
        uv.write_text(
            SLOW_UV.format(python=BARE_PYTHON, told=str(self.told), go=str(self.go)),
            encoding="utf-8",
        )
        uv.chmod(0o755)
        checkout.environ["PATH"] = str(folder)

    def wait_until_it_builds(self) -> None:
        self.told.read_text(encoding="utf-8")

    def let_it_go_on(self) -> None:
        self.go.write_text("go", encoding="utf-8")


@pytest.fixture
def builder(checkout: Checkout) -> Builder:
    return Builder(checkout)


def _first_line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


def test_two_starts_at_once_build_once(checkout: Checkout, builder: Builder) -> None:
    with checkout.begin("one") as one:
        builder.wait_until_it_builds()
        with checkout.begin("two") as two:
            waits = _first_line(two.stderr)
            builder.let_it_go_on()
            answers = [one.communicate()[0], two.communicate()[0]]

    assert waits == "Another start is setting Daybook up; waiting for it.\n"
    assert answers == [checkout.answer("one")[1], checkout.answer("two")[1]]


def test_a_start_after_a_killed_one_waits_for_its_installer(
    checkout: Checkout, builder: Builder
) -> None:
    with checkout.begin() as one:
        builder.wait_until_it_builds()
        one.kill()
        one.communicate()
    with checkout.begin() as two:
        waits = _first_line(two.stderr)
        builder.let_it_go_on()
        builder.wait_until_it_builds()
        builder.let_it_go_on()
        answer = two.communicate()[0]

    assert waits == "Another start is setting Daybook up; waiting for it.\n"
    assert answer == checkout.answer()[1]


def test_ctrl_c_is_one_sentence(checkout: Checkout, builder: Builder) -> None:
    with checkout.begin() as one:
        builder.wait_until_it_builds()
        one.send_signal(signal.SIGINT)
        out, err = one.communicate()

    assert (one.returncode, out) == (1, "")
    assert err.endswith("\nStopped. The next start sets Daybook up from the beginning.\n")
    assert "Traceback" not in err


def test_an_installer_that_fails_is_one_sentence_with_its_log(checkout: Checkout) -> None:
    (checkout.home / "venv.py").parent.mkdir()
    (checkout.home / "venv.py").write_text("raise SystemExit('no room left')", encoding="utf-8")
    checkout.environ["PYTHONPATH"] = str(checkout.home)

    code, out, err = checkout.start()
    log = checkout.folder / ".venv.log"

    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == (
        "Daybook could not set itself up: making the environment failed. "
        f"Is the package index reachable? More is in {log}"
    )
    assert log.read_text(encoding="utf-8") == "no room left\n"
    assert not checkout.environment.exists()


def test_where_uv_fails_pip_is_asked(checkout: Checkout) -> None:
    folder = checkout.folder.parent / "bin"
    folder.mkdir()
    (folder / "uv").write_text(f"#!{BARE_PYTHON}\nraise SystemExit(1)\n", encoding="utf-8")
    (folder / "uv").chmod(0o755)
    checkout.environ["PATH"] = str(folder)

    code, out, err = checkout.start()

    assert (code, out) == checkout.answer()
    assert "making the environment with uv  failed" in err


def test_what_refuses_this_python_is_installed_last_and_alone(checkout: Checkout) -> None:
    folder = checkout.folder.parent / "bin"
    folder.mkdir()
    uv = TALKATIVE_UV.format(python=BARE_PYTHON, told=str(folder / "told"))
    (folder / "uv").write_text(uv, encoding="utf-8")
    (folder / "uv").chmod(0o755)
    checkout.environ["PATH"] = str(folder)
    checkout.require("one==1\n")
    (checkout.folder / "requirements-forced.txt").write_text("two==2\n", encoding="utf-8")

    code, out, _ = checkout.start()
    first, last = (folder / "told").read_text(encoding="utf-8").splitlines()

    assert (code, out) == checkout.answer()
    assert first.endswith(f"-r {checkout.folder / 'requirements.txt'}")
    assert " --no-deps " in last
    assert last.endswith(f"-r {checkout.folder / 'requirements-forced.txt'}")


def test_scripts_name_the_place_where_they_end_up(checkout: Checkout) -> None:
    checkout.start()
    activate = checkout.environment / "bin" / "activate"

    assert f"{checkout.environment}" in activate.read_text(encoding="utf-8")
    assert ".venv.new" not in activate.read_text(encoding="utf-8")


def test_an_old_python_gets_a_sentence_instead_of_a_syntax_error() -> None:
    for name in ("run.py", "scripts/check.py"):
        ast.parse((ROOT / name).read_text(encoding="utf-8"), feature_version=(3, 8))


def test_an_old_python_is_told_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))

    with pytest.raises(SystemExit, match=r"^Daybook needs Python 3\.11 or newer; this is "):
        run.enter(".venv", "requirements.txt", run.NEEDED)


def test_where_everything_is_installed_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))

    run.enter(".venv", "no such list", ("json",))
