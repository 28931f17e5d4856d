"""An empty root in which a Dockerfile's steps are carried out, and its program runs.

Every process gets namespaces of its own (mounts, processes) by ``unshare``, so that nothing is left
mounted when it ends; it sees the network of this machine. The base image is stood in for by this
machine's ``/usr`` and ``/etc``, read-only, and its Python, without any package, in ``/usr/local``.
Linux, and root's rights.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from scripts.container.context import send
from scripts.container.dockerfile import Copy, Image, Run

_PYTHON_IMAGE = "python:{}.{}-slim"
_PATH = {
    "PATH": "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin",
    "LD_LIBRARY_PATH": "/usr/local/lib",
}
_NOT_OF_PYTHON = shutil.ignore_patterns("site-packages", "test", "tests", "__pycache__", "share")
_NO_RIGHTS = ("--no-new-privs", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all")


class EmptyRoot:
    """A folder that becomes the root of an image."""

    def __init__(self, place: Path, *, also: Iterable[Path], lent: Mapping[str, str]) -> None:
        """Prepare.

        Args:
            place: An empty folder.
            also: What of this machine the steps see besides: where packages are, for instance.
            lent: Variables of this machine that the steps see: how the package index is reached.
        """
        self._place, self._also, self._lent = place, tuple(also), dict(lent)
        self._root, self._local = place / "root", place / "local"
        self._context, self._volumes = place / "context", place / "volumes"
        for folder in (self._root, self._context, self._volumes):
            folder.mkdir(mode=0o755)

    def begin(self, image: Image, checkout: Path) -> None:
        """Lay the base image out, and send the context.

        Raises:
            ValueError: The image begins with something else than this Python.
        """
        if image.base != (base := _PYTHON_IMAGE.format(*sys.version_info)):
            raise ValueError(f"this Python stands in for {base}, not for {image.base}")
        shutil.copytree(sys.base_prefix, self._local, ignore=_NOT_OF_PYTHON, symlinks=True)
        for name in ("usr", "etc", "dev", "proc", "tmp"):
            (self._root / name).mkdir()
        for name in ("bin", "sbin", "lib", "lib64"):
            if (here := Path("/") / name).is_symlink():
                (self._root / name).symlink_to(here.readlink())
        send(checkout, self._context)
        ensure = ("python3", "-m", "ensurepip", "--default-pip")
        self._carry_out(ensure, folder="/", environ=_PATH)

    def copy(self, step: Copy) -> None:
        """Copy files of the context, as the engine does: of a folder all that is in it.

        Raises:
            FileNotFoundError: The context does not have them.
        """
        target = self._inside(step.folder, step.target)
        for name in step.sources:
            source = self._context / name
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
                continue
            place = target / source.name if step.target.endswith("/") else target
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)

    def run(self, step: Run) -> None:
        """Carry a line out.

        Raises:
            subprocess.CalledProcessError: It failed.
            ValueError: Somebody else than root is to do it.
        """
        if step.user:
            raise ValueError(f"RUN {step.line}: only root carries steps out here")
        self._inside(step.folder, "").mkdir(parents=True, exist_ok=True)
        environ = {**_PATH, **self._lent, **dict(step.environ)}
        self._carry_out(("/bin/sh", "-c", step.line), folder=step.folder, environ=environ)

    async def start(self, image: Image, environ: Mapping[str, str]) -> Container:
        """Run the program of the image, as somebody without rights in a root that is read-only."""
        unshare = await asyncio.create_subprocess_exec(
            *self._contained(image, environ, ()), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        return Container(unshare, image)

    def verb(self, image: Image, *words: str, stdin: Path) -> str:
        """Run the program likewise to its end, with words behind it; give what it says.

        Raises:
            subprocess.CalledProcessError: It failed.
        """
        command = self._contained(image, {}, words)
        with stdin.open("rb") as file:
            done = subprocess.run(command, check=True, stdin=file, capture_output=True, text=True)
        return done.stdout

    def lay(self, path: str, text: str) -> None:
        """Lay a file into the root, as one of the operator's is mounted: for reading only."""
        place = self._inside(path, "")
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def take(self, volume: str, name: str) -> Path:
        """Take a file out of a volume, as an engine does: it is root's, with the mode it had."""
        return Path(shutil.copy2(self._volume(volume) / name, self._place))

    def _contained(
        self, image: Image, environ: Mapping[str, str], words: tuple[str, ...]
    ) -> list[str]:
        for name in image.volumes:
            self._fill_volume(name)
        everything = {**_PATH, **image.environ, **environ}
        inside = _as_nobody(image.user, everything, (*image.program, *words))
        return self._entered(("env", "-C", image.folder, *inside), volumes=image.volumes)

    def _carry_out(
        self, command: tuple[str, ...], *, folder: str, environ: Mapping[str, str]
    ) -> None:
        inside = ("env", "-i", "-C", folder, *_assigned(environ), *command)
        subprocess.run(self._entered(inside), check=True, capture_output=True, text=True)

    def _entered(self, command: tuple[str, ...], *, volumes: tuple[str, ...] = ()) -> list[str]:
        """Give the command that runs another one in the root, with volumes else read-only."""
        root, local = self._root, self._root / "usr" / "local"
        mounts: list[tuple[object, ...]] = [("--bind", root, root)]
        mounts.append(("--rbind", "/dev", root / "dev"))
        mounts += [("-t", "tmpfs", "tmpfs", root / "tmp"), ("-t", "proc", "proc", root / "proc")]
        shown = [Path("/usr"), Path("/etc"), *self._also]
        for path in shown:
            inside = root / path.relative_to("/")
            inside.mkdir(parents=True, exist_ok=True)
            mounts += [("--bind", path, inside), ("-o", "remount,bind,ro", inside)]
        mounts.append(("--bind", self._local, local))
        if volumes:
            mounts += [("-o", "remount,bind,ro", each) for each in (root, local)]
            mounts += [("--bind", self._volume(each), self._inside(each, "")) for each in volumes]
        lines = [shlex.join(("mount", *map(str, each))) for each in mounts]
        lines.append(shlex.join(("exec", "chroot", str(root), *command)))
        unshare = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
        return [*unshare, "/bin/sh", "-ec", "\n".join(lines)]

    def _fill_volume(self, name: str) -> None:
        """Make an empty volume as an engine does: like the folder of the image that it covers."""
        volume, covered = self._volume(name), self._inside(name, "")
        if not volume.exists():
            volume.mkdir()
            shutil.copystat(covered, volume)
            os.chown(volume, covered.stat().st_uid, covered.stat().st_gid)

    def _volume(self, name: str) -> Path:
        return self._volumes / name.strip("/").replace("/", "_")

    def _inside(self, folder: str, path: str) -> Path:
        return self._root / os.path.join(folder, path).lstrip("/")  # noqa: PTH118 - not of this root


class Container:
    """A program that runs in a root of its own, as the first process there is.

    A context manager that leaves no process behind, and shows what it said when something failed.
    """

    def __init__(self, unshare: asyncio.subprocess.Process, image: Image) -> None:
        """Watch over it."""
        self._unshare, self._image = unshare, image
        self._said = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self._unshare.returncode is None:
            self._unshare.kill()
            await self.ended()
        if kind is not None:
            print(self._said, file=sys.stderr)

    @property
    def pid(self) -> int:
        """Its process id on this machine."""
        above = self._unshare.pid
        return int(Path(f"/proc/{above}/task/{above}/children").read_text(encoding="ascii"))

    @property
    def ids(self) -> str:
        """As whom it runs, ``user:group``."""
        owner = Path(f"/proc/{self.pid}").stat()
        return f"{owner.st_uid}:{owner.st_gid}"

    @property
    def most_memory_mib(self) -> int:
        """How much memory it took at the most, so far."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        (kibibytes,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
        return int(kibibytes) // 1024

    async def says(self, beginning: str) -> str:
        """Wait for a line that begins so.

        Raises:
            EOFError: It ended without one.
        """
        assert self._unshare.stderr is not None
        while line := (await self._unshare.stderr.readline()).decode():
            self._said += line
            if line.startswith(beginning):
                return line.rstrip("\n")
        raise EOFError(f"it ended before it said {beginning!r}")

    async def is_healthy(self) -> bool:
        """Carry the health check out, beside it and as it."""
        return await self.carry_out(*self._image.health) == 0

    async def carry_out(self, *words: str) -> int:
        """Carry a command out, beside it and as it; give the exit code."""
        beside = ("--target", str(self.pid), "--mount", "--pid", "--root", "--wd")
        environ = {**_PATH, **self._image.environ}
        command = _as_nobody(self._image.user, environ, words)
        return await (await asyncio.create_subprocess_exec("nsenter", *beside, *command)).wait()

    async def ended(self) -> int:
        """Wait for its end; give the exit code."""
        _, rest = await self._unshare.communicate()
        self._said += rest.decode()
        assert self._unshare.returncode is not None
        return self._unshare.returncode


def _as_nobody(user: str, environ: Mapping[str, str], command: tuple[str, ...]) -> tuple[str, ...]:
    uid, _, gid = user.partition(":")
    who = ("setpriv", f"--reuid={uid}", f"--regid={gid}", *_NO_RIGHTS)
    return (*who, "env", "-i", *_assigned(environ), *command)


def _assigned(environ: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in environ.items())
