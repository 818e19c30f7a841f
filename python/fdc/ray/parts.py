"""The parts that are there, in a folder beside the result: `OUT.parts`."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Optional

from fdc.errors import FileError, InputError

ABOUT = "about.json"


class Parts:
    """Parts of one run, each whole or not there."""

    def __init__(self, out: Path, about: dict[str, Any], is_case: bool) -> None:
        """about: all that decides what the parts are, but for their number."""
        self.folder = folder_beside(out)
        self.about = about
        self.is_case = is_case
        self.number: Optional[int] = None
        path = self.folder / ABOUT
        if not path.exists():
            if out.is_dir() and any(out.iterdir()) or out.is_file():
                hint = f"remove it, or name another; {self.folder} has no parts of it to continue from"
                raise InputError(f"{out}: there is something already", hint)
            return
        try:
            found = json.loads(path.read_text("utf-8"))
            number = int(found.pop("parts"))
        except (OSError, ValueError, KeyError, AttributeError) as error:
            raise FileError(f"{path}: expected what the parts are of, found something else", f"remove {self.folder}") from error
        for key in sorted({*found, *about}):
            if found.get(key) != about.get(key):
                message = f"{self.folder}: holds parts of other options: {key} is {found.get(key)} there, {about.get(key)} here"
                raise InputError(message, "remove the folder, or name another result")
        self.number = number

    def begin(self, number: int) -> None:
        """So many parts are going to be made. Noted with the first one: without any there is nothing to continue."""
        self.number = number

    def place(self, part: int) -> Path:
        """Where a part is; parts count from 1."""
        digits = len(str(self.number))
        return self.folder / f"part-{part:0{digits}}{'.fdc' if self.is_case else ''}"

    def all(self) -> list[int]:
        return list(range(1, (self.number or 0) + 1))

    def missing(self) -> list[int]:
        return [part for part in self.all() if not self.place(part).exists()]

    def said(self) -> list[str]:
        """What the program said of all parts, each line once."""
        files = [file for file in map(self._said, self.all()) if file.exists()]
        return list(dict.fromkeys(line for file in files for line in file.read_text("utf-8").splitlines()))

    def keep(self, part: int, files: dict[str, bytes], said: str) -> None:
        if not (self.folder / ABOUT).exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps({**self.about, "parts": self.number}, indent=1) + "\n"
            self._put({"": text.encode()}, self.folder / ABOUT)
        if said:
            self._put({"": said.encode("utf-8")}, self._said(part))
        self._put(files, self.place(part))

    def _said(self, part: int) -> Path:
        return self.folder / f"said-{part}.txt"

    def _put(self, files: dict[str, bytes], place: Path) -> None:
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=self.folder))
        try:
            for name, content in files.items():
                path = draft / "part" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with open(path if name else draft / "file", "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            os.rename(draft / ("file" if "" in files else "part"), place)
        except OSError as error:
            if not place.exists():
                raise FileError(f"{place}: cannot write it: {error.strerror}") from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def folder_beside(out: Path) -> Path:
    """Where the parts of a result are."""
    named = out if out.name.strip(".") else out.resolve()
    return named.with_name(named.name + ".parts")
