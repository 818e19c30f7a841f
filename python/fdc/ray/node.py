"""What happens on a node: inputs are unpacked, the program makes a part, its files are handed back.

Nothing here needs the package: Ray sends this code along.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional

# Inputs that no part has used for so long are removed.
KEPT_SECONDS = 7 * 24 * 3600

# Ends with whoever started it, however that ended, and becomes the program. In a process of its own,
# since nothing may be called between fork and exec where threads run.
LAUNCH = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the worker is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""


def make_part(order: dict[str, Any], parcels: dict[str, Any]) -> dict[str, Any]:
    """Makes one part; what the program said, and the files that it left.

    order: `words` of the command, texts or inputs as (digest or None, path, project); `program` and
    `version` of whoever asks; `threads`, `shard`; `root`, the project's own place, for a case.
    parcels: by digest, references to what was packed.
    """
    begun = time.time()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fdc-part-")))
        words, places = [], {}
        for word in order["words"]:
            words.append(word if isinstance(word, str) else str(place_of(word, parcels, stack)))
            if not isinstance(word, str):
                places[words[-1]] = word[1]
        program = find_program(order["program"])
        if program is None:
            return failed(f"there is no program fdc on {socket.gethostname()}", "install the wheel of fdc on every node")
        version = version_of(program)
        if version != order["version"]:
            found = f"expected {order['version']}, found {version} on {socket.gethostname()} ({program})"
            return failed(found, "install the same version on every node")
        out = folder / ("part.fdc" if order["is_case"] else "part")
        command = [program, "--quiet", "--threads", str(order["threads"]), *words, "--shard", order["shard"], "-o", str(out), *order["after"]]
        code, said = call(command, folder)
        for place, path in places.items():
            # As whoever asks knows it.
            said = said.replace(place, path)
        if order["root"] is not None and out.is_file():
            set_root(out, order["root"])
        return {"code": code, "said": said, "files": files_of(out), "seconds": time.time() - begun, "fixed": begins(out, begun)}


def failed(message: str, hint: str) -> dict[str, Any]:
    return {"code": 4, "said": f"error: {message}\n  {hint}\n", "files": {}, "seconds": 0.0, "fixed": None}


def begins(out: Path, begun: float) -> Optional[float]:
    """Seconds until the program had read all inputs, and noted in its folder what it is going to do. A case tells nothing."""
    noted = [path for path in (out / "options.json", out / "part.json") if path.exists()]
    return max(0.0, noted[0].stat().st_mtime - begun) if noted else None


def find_program(known: Optional[str] = None) -> Optional[str]:
    """FDC_PROGRAM; else the known one, if it is here; else fdc on PATH, or beside this Python."""
    installed = os.path.join(sysconfig.get_path("scripts"), "fdc")
    named = os.environ.get("FDC_PROGRAM")
    for path in [named] if named else [known, shutil.which("fdc"), installed]:
        if path and os.access(path, os.X_OK):
            return os.path.abspath(path)
    return None


def version_of(program: str) -> str:
    told = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return told.stdout.strip() or told.stderr.strip()


def place_of(word: tuple[Optional[str], str, bool], parcels: dict[str, Any], stack: contextlib.ExitStack) -> Path:
    """Where an input is on this node."""
    digest, path, project = word
    if digest is None:
        return Path(path)

    def fetch() -> Any:
        import ray

        return ray.get(parcels[digest])

    place = unpacked(digest, fetch)
    if project:
        place = stack.enter_context(own_copy(place))
    return place / os.path.basename(path)


def store() -> Path:
    """The node's folder for inputs, of this user alone."""
    named = os.environ.get("FDC_RAY_STORE")
    folder = Path(named) if named else Path(tempfile.gettempdir()) / f"fdc-ray-{os.getuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to somebody else: set FDC_RAY_STORE to another folder")
    return folder


def unpacked(digest: str, fetch: Callable[[], Any]) -> Path:
    """The folder of an input; unpacked by the first part that needs it, whole or not at all."""
    place = store() / digest
    if not place.exists():
        forget_old()
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=store()))
        for name, kind, mode, changed, content in fetch():
            path = draft / name
            if kind == "folder":
                # Written into now; what it may be later is no matter here.
                path.mkdir(mode=mode | 0o700, parents=True, exist_ok=True)
            elif kind == "link":
                path.symlink_to(os.fsdecode(content))
            else:
                path.write_bytes(content)
                path.chmod(mode)
                if changed:
                    os.utime(path, ns=(changed, changed))
        put_in_place(draft, place)
    os.utime(place)
    return place


@contextlib.contextmanager
def own_copy(place: Path) -> Iterator[Path]:
    """A copy that no other part uses at the same time. It stays, with what was built in it."""
    import fcntl

    number = 0
    while True:
        copy = place.with_name(f"{place.name}-{number}")
        with open(f"{copy}.lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                number += 1
                continue
            if not copy.exists():
                draft = Path(tempfile.mkdtemp(prefix="draft-", dir=store()))
                shutil.copytree(place, draft, symlinks=True, dirs_exist_ok=True)
                put_in_place(draft, copy)
            os.utime(copy)
            yield copy
            return


def put_in_place(draft: Path, place: Path) -> None:
    try:
        os.rename(draft, place)
    except OSError:
        # Another part was first.
        shutil.rmtree(draft, ignore_errors=True)
        if not place.exists():
            raise


def forget_old() -> None:
    oldest = time.time() - KEPT_SECONDS
    for path in store().iterdir():
        with contextlib.suppress(OSError):
            if path.lstat().st_mtime < oldest:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def call(command: list[str], folder: Path) -> tuple[int, str]:
    """Runs the program; its exit code, and what it said."""
    if sys.platform == "linux":
        command = [sys.executable, "-I", "-S", "-c", LAUNCH, str(os.getpid()), *command]
    # What Ray sets for its workers is not for tests of a project.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    with open(folder / "said", "wb+") as said:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, env=environment
        )
        try:
            code = process.wait()
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        return code, said.read().decode("utf-8", "replace")


def set_root(case: Path, root: str) -> None:
    """The project is where it was asked for, not where the copy is."""
    import sqlite3

    connection = sqlite3.connect(case)
    with contextlib.closing(connection), connection:
        connection.execute("UPDATE about SET value = ? WHERE key = 'root'", (root,))


def files_of(out: Path) -> dict[str, bytes]:
    """By path below the part; a part that is a file itself has the path ''."""
    if out.is_file():
        return {"": out.read_bytes()}
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
