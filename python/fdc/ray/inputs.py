"""What a part needs: files and folders, sent to each node once and told apart by their digests."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from fdc.errors import FileError, InputError

# Written by the runs themselves.
CACHES = {"__pycache__", ".pytest_cache"}

# Path, what it is, permissions, time of change in nanoseconds (0: no matter), content or target.
Entry = tuple[str, str, int, int, bytes]


@dataclass(frozen=True)
class Input:
    """A file or folder that the program reads."""

    path: Path
    project: bool = False
    """A project's folder: its tests run in it, and when its files changed is part of what is measured."""


def pack(given: Input, leave_out: list[Path]) -> tuple[str, list[Entry]]:
    """The digest of all there is, and its files; some paths are left out."""
    root = given.path.resolve()
    if not root.exists():
        raise FileError(f"{given.path}: there is no such file or folder")
    if given.project and not root.is_dir():
        raise InputError(f"{given.path}: expected a project's folder, found a file")
    entries = []
    for path in [root] if root.is_file() else _below(root, [own.resolve() for own in leave_out]):
        name = str(path.relative_to(root.parent))
        try:
            entry = _entry(path, name, given.project)
        except OSError as error:
            raise FileError(f"{path}: cannot read it: {error.strerror}") from error
        if entry is not None:
            entries.append(entry)
    hashed = hashlib.sha256(repr(given.project).encode())
    for name, kind, mode, changed, content in entries:
        hashed.update(f"{name!r} {kind} {mode} {changed} {len(content)}\n".encode("utf-8", "surrogateescape"))
        hashed.update(content)
    return hashed.hexdigest()[:32], entries


def _below(root: Path, leave_out: list[Path]) -> list[Path]:
    found = [root]
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if name not in CACHES and here / name not in leave_out)
        # Links to folders are among the folders, and are not entered.
        found += [here / name for name in folders]
        found += [here / name for name in sorted(files) if here / name not in leave_out]
    return found


def _entry(path: Path, name: str, with_times: bool) -> Optional[Entry]:
    about = path.lstat()
    mode = stat.S_IMODE(about.st_mode)
    changed = about.st_mtime_ns if with_times else 0
    if stat.S_ISLNK(about.st_mode):
        # Data may be links to files elsewhere, a project's own links stay what they are.
        if not with_times and path.is_file():
            return name, "file", 0o644, 0, path.read_bytes()
        if not with_times and path.is_dir():
            raise InputError(f"{path}: a link to a folder is not sent", "name that folder itself")
        return name, "link", 0, 0, os.fsencode(os.readlink(path))
    if stat.S_ISDIR(about.st_mode):
        return name, "folder", mode, 0, b""
    if stat.S_ISREG(about.st_mode):
        return name, "file", mode, changed, path.read_bytes()
    return None
