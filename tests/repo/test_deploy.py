"""What the bot is deployed with: image, compose file, unit, and what says whether it is well."""

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]  # ships none

from bot.config import Config, load
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.patience import PATIENCE_S
from bot.testing.processes import BotProcess
from bot.testing.telegram_server import PretendedTelegram
from scripts.container.context import files_of_context, send
from scripts.container.dockerfile import Copy, Image, Run, read_dockerfile
from tests.repo.tree import ROOT

SHUTDOWN_S = Config().shutdown_deadline_s
UNIT = ROOT / "deploy" / "daybook.service"
HEALTHY = ROOT / "deploy" / "healthy.py"
STATES = ("daybook", "daybook-backups")
SECRETS = ("TOKEN", "KEY", "SECRET", "PASSWORD")


@pytest.fixture(scope="module")
def image() -> Image:
    return read_dockerfile((ROOT / "Dockerfile").read_text(encoding="utf-8"))


@pytest.fixture
def service() -> dict[str, object]:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    services = yaml.safe_load(text)["services"]
    return dict(services["daybook"])


def unit() -> dict[str, str]:
    lines = UNIT.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_the_image_is_nobodys_and_takes_signals_itself(image: Image) -> None:
    user, _, group = image.user.partition(":")

    assert int(user) > 0
    assert int(group) > 0
    assert image.program == ("python", "run.py")
    assert image.health == ("python", "deploy/healthy.py", image.environ["DAYBOOK_DATA_DIR"])
    assert image.volumes == (image.environ["DAYBOOK_DATA_DIR"],)


def test_the_image_holds_no_secret_and_only_packages_with_known_hashes(image: Image) -> None:
    commands = [step.line for step in image.steps if isinstance(step, Run)]
    (install,) = [command for command in commands if "pip install" in command]

    assert [name for name in image.environ if name.endswith(SECRETS)] == []
    assert "--require-hashes -r requirements.txt" in install
    assert "--only-binary :all:" in install


def test_packages_are_installed_before_the_program_is_copied(image: Image) -> None:
    first, second, *rest = image.steps

    assert isinstance(first, Copy)
    assert first.sources == ("requirements.txt",)
    assert isinstance(second, Run)
    assert {name for step in rest if isinstance(step, Copy) for name in step.sources} >= {"bot"}


def test_everything_that_is_sent_is_copied(image: Image) -> None:
    copied = [name for step in image.steps if isinstance(step, Copy) for name in step.sources]
    sent = files_of_context(ROOT)

    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert [name for name in sent if not name.startswith(tuple(copied))] == []


def test_nothing_of_the_operators_is_sent(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".dockerignore", tmp_path)
    kept = ("run.py", "bot/cli.py", "channels/slack/text.py", "deploy/healthy.py")
    own = (
        *(".env", "config.local.json", "data/daybook.db", ".git/config", ".venv/bin/python"),
        *("bot/__pycache__/cli.pyc", "channels/slack/__pycache__/text.pyc", "knowledge/us.md"),
        *("tests/test_it.py", "backup.tar", "deploy/daybook.service", "bot.db"),
    )
    for name in (*kept, *own):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert files_of_context(tmp_path) == tuple(sorted(kept))


def test_what_is_sent_is_enough_to_answer(tmp_path: Path) -> None:
    send(ROOT, tmp_path)

    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "chat"],
        cwd=tmp_path,
        env={"PATH": ""},
        input="hello\n/help\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )

    assert done.returncode == 0, done.stderr
    assert "/help" in done.stdout
    assert "plugin.broken" not in done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "ADD https://example.org/x /x",
        "FROM a\nFROM b",
        "COPY --chown=1:1 bot bot/",
        'RUN ["true"]',
        "ENTRYPOINT python run.py",
        "HEALTHCHECK NONE",
        "ENV NAME value",
        "run x",
    ],
)
def test_what_nobody_knows_how_to_do_by_hand_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"wanted|knows how|no instruction"):
        read_dockerfile(line)


def test_the_container_has_time_to_end_and_rights_to_nothing(service: dict[str, object]) -> None:
    volumes = service["volumes"]
    assert isinstance(volumes, list)

    assert float(str(service["stop_grace_period"]).removesuffix("s")) > SHUTDOWN_S
    assert service["restart"] == "unless-stopped"
    assert service["env_file"] == ".env"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert ["data:/data", "backups:/backups"] == volumes[:2]
    assert "environment" not in service


def test_the_unit_gives_time_to_end_and_writes_to_its_own_folders_only() -> None:
    said = unit()

    assert float(said["TimeoutStopSec"]) > SHUTDOWN_S
    assert said["Restart"] == "on-failure"
    assert said["KillMode"] == "mixed"
    assert (said["ProtectSystem"], said["NoNewPrivileges"]) == ("strict", "yes")
    assert (said["StateDirectory"], said["StateDirectoryMode"]) == (" ".join(STATES), "0700")
    assert "ReadWritePaths" not in said
    assert "Environment=DAYBOOK_DATA_DIR" not in UNIT.read_text(encoding="utf-8")  # no verb sees it
    assert said["User"] not in ("", "root")


NOTHING_SET_UP = "true"
TOKEN_SET_UP = "umask 077; echo TELEGRAM_BOT_TOKEN=x > .env"
MODEL_SET_UP = f"{TOKEN_SET_UP}; rm -f config.local.json; echo '{{}}' > config.local.json"


def commands_below(heading: str, prompt: str) -> list[str]:
    """Give what the first block below a heading tells to enter."""
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    block = text.partition(f"\n## {heading}\n")[2].split("```\n")[1]
    return [line.removeprefix(prompt) for line in block.splitlines() if line.startswith(prompt)]


def enter(commands: list[str], folder: Path, programs: Mapping[str, str]) -> None:
    """Enter commands into a shell, with programs that stand in for those of the machine.

    Whatever its user makes there is for themselves alone, unless they say otherwise.
    """
    stand_ins = folder.parent / "bin"
    stand_ins.mkdir()
    for name, script in programs.items():
        (stand_ins / name).write_text(f"#!/bin/sh -e\n{script}\n", encoding="utf-8")
        (stand_ins / name).chmod(0o755)
    subprocess.run(
        ["sh", "-ec", "\n".join(("umask 077", *commands))],
        check=True,
        cwd=folder,
        env={"PATH": f"{stand_ins}:/usr/bin:/bin"},
    )


def is_for_all(path: Path) -> bool:
    wanted = 0o005 if path.is_dir() else 0o004
    return path.stat().st_mode & wanted == wanted


@pytest.mark.parametrize("setup", [NOTHING_SET_UP, TOKEN_SET_UP, MODEL_SET_UP])
def test_a_container_finds_and_may_read_what_it_mounts(
    tmp_path: Path, service: dict[str, object], setup: str
) -> None:
    """Whatever set-up wrote, and for a user who is none of the machine's."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    shutil.copy(ROOT / "persona.md", checkout)
    (checkout / "persona.md").chmod(0o600)
    setup = f'case "$*" in "run.py setup") {setup};; esac'
    enter(commands_below("In a container", "$ "), checkout, {"python3": setup, "docker": "true"})
    volumes = service["volumes"]
    assert isinstance(volumes, list)
    mounted = [each["source"] if isinstance(each, dict) else each.split(":")[0] for each in volumes]
    paths = [checkout / each for each in mounted if each.startswith("./")]

    assert {"config.local.json", "knowledge", "persona.md"} == {path.name for path in paths}
    assert [path for path in paths if not is_for_all(path)] == []
    assert (checkout / ".env").exists()
    assert not is_for_all(checkout / ".env")


@pytest.mark.parametrize("setup", [NOTHING_SET_UP, TOKEN_SET_UP])
def test_a_service_finds_its_data_folder_before_it_starts(tmp_path: Path, setup: str) -> None:
    """Each step has what it needs from those before it, whatever set-up wrote."""
    opt, etc = tmp_path / "opt" / "daybook", tmp_path / "etc"
    etc.mkdir()
    commands = [
        line.replace("<this repository>", str(ROOT))
        .replace("/opt/daybook", str(opt))
        .replace("/etc/systemd/system", str(etc))
        for line in commands_below("As a service of systemd", "# ")
    ]
    programs = {
        "git": 'mkdir -p "$3/deploy"; cp "$2/config.json" "$3"; cp "$2"/deploy/* "$3/deploy"',
        "useradd": f'echo "$*" > {tmp_path}/user',
        "chown": f'echo "$*" > {tmp_path}/owned; shift; ls "$@"',
        "python3": f'case "$*" in "run.py setup") {setup};; esac',
        "systemctl": f'echo "$*" > {tmp_path}/started; cp config.local.json {tmp_path}/config.json',
        "journalctl": "true",
    }
    (tmp_path / "here").mkdir()
    enter(commands, tmp_path / "here", programs)

    assert load(tmp_path / "config.json", {}).data_dir == Path("/var/lib", STATES[0])
    assert (etc / UNIT.name).read_bytes() == UNIT.read_bytes()
    assert (tmp_path / "owned").read_text() == "daybook: .env config.local.json\n"
    assert (tmp_path / "started").read_text() == "enable --now daybook\n"
    assert is_for_all(opt / "config.json")
    assert unit()["User"] in (tmp_path / "user").read_text().split()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not at hand")
def test_systemd_has_nothing_to_say_about_the_unit() -> None:
    done = subprocess.run(["systemd-analyze", "verify", UNIT], capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


VIEW = """
import os, sys
os.execvp("unshare", [
    *("unshare", "--mount", "--map-root-user", "sh", "-ec", sys.argv[1], "sh"),
    *(sys.executable, "-m", "bot.cli", *sys.argv[2:]),
])
"""
"""Becomes the command line, once a script has changed the disk as it alone sees it."""


def can_have_its_own_view() -> bool:
    """Say whether this machine lets a process have one."""
    asked = ("unshare", "--mount", "--map-root-user", "true")
    return bool(shutil.which(asked[0])) and not subprocess.run(asked, check=False).returncode


@pytest.mark.skipif(not can_have_its_own_view(), reason="no process may have its own view of disks")
async def test_a_service_is_backed_up_where_the_documents_say_and_nowhere_else(
    tmp_path: Path,
) -> None:
    """With the unit's view of the disk: read-only but for its own folders, and its own /tmp."""
    own = [tmp_path / name for name in unit()["StateDirectory"].split()]
    for folder in (*own, tmp_path / "tmp"):
        folder.mkdir()
    script = "\n".join(
        (
            *(f"mount --bind {folder} {folder}" for folder in (tmp_path, *own)),
            f"mount -t tmpfs tmpfs {tmp_path}/tmp",
            f"mount -o remount,bind,ro {tmp_path}",
            'exec "$@"',
        )
    )
    text = (ROOT / "docs" / "backup.md").read_text(encoding="utf-8")
    told = re.findall(r" daybook python3 /opt/daybook/run\.py backup /var/lib/(\S+)\$", text)
    async with (
        PretendedTelegram() as telegram,
        PretendedAnthropic() as vendor,
        BotProcess(tmp_path, telegram, vendor, launcher=("-c", VIEW, script)) as service,
    ):
        service.data_dir = own[0]
        verbs = BotProcess(tmp_path, telegram, vendor)
        for each in (service, verbs):
            each.settings["data_dir"] = str(own[0])
        await service.start(until="http.listening")
        (tmp_path / "tmp" / "old.tar").write_text("of yesterday")
        places = (told[0], "tmp/b.tar", "tmp/old.tar", "b.tar")
        done, lost, other, refused = [
            await verbs.run("backup", str(tmp_path / each)) for each in places
        ]

    assert [0, 1, 1, 1] == [each[0] for each in (done, lost, other, refused)]
    assert "read again and sound" in done[1]
    assert (tmp_path / told[0]).exists()
    assert "here it is not (No such file or directory)" in lost[2]
    assert "here it is not (another file has that name)" in other[2]
    assert "Read-only file system" in refused[2]
    assert not (tmp_path / "b.tar").exists()


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[BotProcess]:
    async with (
        PretendedTelegram() as telegram,
        PretendedAnthropic() as vendor,
        BotProcess(tmp_path, telegram, vendor) as process,
    ):
        yield process


async def test_a_bot_is_healthy_from_its_start_to_its_end(bot: BotProcess) -> None:
    await bot.start(until="http.listening")
    running = _is_healthy(bot.data_dir)
    await bot.kill()
    killed = _is_healthy(bot.data_dir)

    assert running == (0, "")
    assert killed[0] == 1
    assert killed[1].startswith("not healthy: URLError: ")
    assert len(killed[1].splitlines()) == 1


def test_where_no_bot_works_nothing_is_healthy(tmp_path: Path) -> None:
    code, said = _is_healthy(tmp_path)

    assert code == 1
    assert said.startswith("not healthy: FileNotFoundError: ")


def _is_healthy(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, HEALTHY, folder],
        env={"http_proxy": "http://127.0.0.1:9"},  # of no use for this machine's own address
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr
