"""What the bot is deployed with: image, compose file, unit, and what says whether it is well."""

import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]  # ships none

from bot.config import Config
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.processes import BotProcess
from bot.testing.telegram_server import PretendedTelegram
from scripts.container.context import files_of_context, send
from scripts.container.dockerfile import Copy, Image, Run, read_dockerfile
from tests.repo.tree import ROOT

SHUTDOWN_S = Config().shutdown_deadline_s
UNIT = ROOT / "deploy" / "daybook.service"
HEALTHY = ROOT / "deploy" / "healthy.py"
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
        timeout=60,
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
    assert {"data:/data", "backups:/backups"} <= set(volumes)
    assert "environment" not in service


def test_the_unit_gives_time_to_end_and_writes_to_its_own_folders_only() -> None:
    said = unit()

    assert float(said["TimeoutStopSec"]) > SHUTDOWN_S
    assert said["Restart"] == "on-failure"
    assert said["KillMode"] == "mixed"
    assert (said["ProtectSystem"], said["NoNewPrivileges"]) == ("strict", "yes")
    assert (said["StateDirectory"], said["StateDirectoryMode"]) == ("daybook", "0700")
    assert "ReadWritePaths" not in said
    assert said["User"] not in ("", "root")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not at hand")
def test_systemd_has_nothing_to_say_about_the_unit() -> None:
    done = subprocess.run(["systemd-analyze", "verify", UNIT], capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
