"""The command line as an operator uses it: exit codes and the one line that names the place."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bot.adapters.store.folder import lock_data_folder
from bot.cli import main
from bot.testing.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]


def write_config(folder: Path, **keys: object) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({"data_dir": str(folder / "data"), **keys}))
    return path


def run_piped(
    config: Path, lines: str, *, locale: str = "C.UTF-8"
) -> subprocess.CompletedProcess[str]:
    """Run the real program with lines on its standard input."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return subprocess.run(
        [sys.executable, "-m", "bot.cli", "--config", str(config)],
        input=lines,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=kept | {"LANG": locale},
        timeout=PATIENCE_S,
        check=False,
    )


def test_each_line_of_a_pipe_is_answered_and_remembered_by_the_next_process(
    tmp_path: Path,
) -> None:
    config = write_config(tmp_path, plugins=["clock"])

    first = run_piped(config, "hello\nwhat time is it?\n")
    second = run_piped(config, "what did I just say?\n")

    assert (0, 0) == (first.returncode, second.returncode)
    assert "Hello!" in first.stdout
    assert "in UTC" in first.stdout
    assert "You said: what time is it?" in second.stdout
    assert "ready: console" in first.stderr


def test_the_terminals_language_is_spoken_in_the_chat_alone(tmp_path: Path) -> None:
    lines = "/help\n/config language zh\n/help\n"
    run = run_piped(write_config(tmp_path, plugins=[]), lines, locale="ja_JP.UTF-8")

    assert run.returncode == 0
    assert run.stdout.index("コマンドの一覧を表示する") < run.stdout.index("显示命令列表")
    assert "ready: console" in run.stderr


BAD_SETTINGS: dict[str, tuple[dict[str, object] | str, str]] = {
    "unknown key": ({"modle": "x"}, "model"),
    "wrong type": ({"agent_max_steps": "many"}, "agent_max_steps"),
    "out of range": ({"agent_max_context_turns": 0}, "agent_max_context_turns"),
    "no such channel": ({"channels": {"telegraph": {"token": "x"}}}, "channels.telegraph"),
    "key missing for a channel": (
        {"channels": {"slack": {"bot_token": "xoxb-pretended", "app_token": "${NOT_SET}"}}},
        "NOT_SET",
    ),
    "no such time zone": ({"timezone": "Mars/Olympus"}, "timezone"),
    "no such person": ({"admins": ["ada"]}, "admins"),
    "broken JSON": ('{"model": ', "line 1"),
    "no object": ("[]", "object"),
}


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_bad_settings_are_named_in_one_line(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, named = BAD_SETTINGS[case]
    path = tmp_path / "config.json"
    path.write_text(settings if isinstance(settings, str) else json.dumps(settings))

    code = main(["--config", str(path)])

    lines = capsys.readouterr().err.strip().splitlines()
    assert 2 == code
    assert 1 == len(lines)
    assert named in lines[0]


def test_a_settings_file_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nowhere.json"

    assert 2 == main(["--config", str(missing)])
    assert str(missing) in capsys.readouterr().err


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_a_file_in_place_of_the_data_folder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path)
    (tmp_path / "data").write_text("not a folder")

    assert 2 == main(["--config", str(config), "chat"])
    assert str(tmp_path / "data") in last_line(capsys)


def test_a_second_process_on_the_same_data_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path)

    with lock_data_folder(tmp_path / "data"):
        assert 2 == main(["--config", str(config), "chat"])

    assert f"process {os.getpid()}" in last_line(capsys)


def test_what_is_no_database_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path)
    database = tmp_path / "data" / "daybook.db"
    database.parent.mkdir(mode=0o700)
    database.write_bytes(b"something else entirely, and long enough to be looked at" * 100)
    before = database.read_bytes()

    assert 2 == main(["--config", str(config), "chat"])
    assert "daybook.db" in last_line(capsys)
    assert before == database.read_bytes()


def test_a_database_of_something_else_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path)
    database = tmp_path / "data" / "daybook.db"
    database.parent.mkdir(mode=0o700)
    with sqlite3.connect(database) as foreign:
        foreign.execute("CREATE TABLE session (something TEXT)")
    foreign.close()

    assert 2 == main(["--config", str(config), "chat"])
    assert "daybook.db" in last_line(capsys)


def test_status_without_a_running_bot_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path)

    assert 1 == main(["--config", str(config), "status"])
    assert 1 == len(capsys.readouterr().err.strip().splitlines())


def test_a_verb_that_does_not_exist_is_bad_usage() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["dance"])

    assert 2 == ended.value.code


def test_settings_without_their_variables_are_told_in_one_line(tmp_path: Path) -> None:
    wanted = {"proxy": "${NO_SUCH_PROXY}", "ca_file": "${NO_SUCH_FILE}"}
    ended = run_piped(write_config(tmp_path, plugins=["clock"], **wanted), "hello\n")

    told = [line for line in ended.stderr.splitlines() if "settings.variable_unset" in line]
    assert 0 == ended.returncode
    assert ["proxy: NO_SUCH_PROXY, ca_file: NO_SUCH_FILE"] == [
        json.loads(line)["settings"] for line in told
    ]
