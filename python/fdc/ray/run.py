"""From the request to the result: inputs are sent, Ray makes the parts, the program merges them."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Union

from fdc.errors import BugError, FdcError, FileError, InputError
from fdc.ray import node
from fdc.ray.division import FINER, MOST, number_of_parts
from fdc.ray.inputs import Input, pack
from fdc.ray.parts import Parts, folder_beside

# Exit codes of the program, and what Python calls such a thing.
ERRORS: dict[int, type[FdcError]] = {2: InputError, 3: FileError, 70: BugError}
BAD_INPUT = 3
# How the program says that it did without an input.
LEFT_OUT = "left out:"
# Options of the program that would be of one part, or are given otherwise.
OTHERWISE = {
    "--shard": "the work is divided by `parts`",
    "--threads": "the threads of a part are its `cpus`",
    "--resume": "the same call continues",
    "--log": "parts write none",
    "--plot": "parts draw none",
}
# Parts that are measured to choose how many there shall be.
MOST_SAMPLES = 8


@dataclass(frozen=True)
class Work:
    """A command of the program that is divided."""

    words: list[Union[str, Input]]
    out: Path
    is_case: bool = False
    after: list[str] = field(default_factory=list)
    """What comes after all options."""

    def inputs(self) -> list[Input]:
        return [word for word in self.words if isinstance(word, Input)]

    def check(self) -> None:
        for word in self.words:
            name = word.partition("=")[0] if isinstance(word, str) else ""
            if name in OTHERWISE:
                raise InputError(f"{name} is no option here", OTHERWISE[name])

    def as_typed(self) -> str:
        return shlex.join(word if isinstance(word, str) else str(word.path) for word in [*self.words, *self.after])

    def root(self) -> Optional[str]:
        return next((str(word.path.resolve()) for word in self.inputs() if word.project), None)


@dataclass(frozen=True)
class Settings:
    """How it is done; the result does not depend on it."""

    address: Optional[str] = None
    parts: Optional[int] = None
    cpus: Optional[int] = None
    retries: int = 3
    shared: bool = False
    progress: Optional[Callable[[int, int], None]] = None

    def check(self) -> None:
        for name, value, least in [("parts", self.parts, 2), ("cpus", self.cpus, 1), ("retries", self.retries, 0)]:
            if value is not None and value < least:
                raise InputError(f"{name}: expected at least {least}, found {value}")
        if self.parts is not None and self.parts > MOST:
            raise InputError(f"parts: expected at most {MOST}, found {self.parts}")


@dataclass(frozen=True)
class Done:
    """What was made."""

    out: Path
    parts: int
    resumed: int
    """Parts that were there before."""
    seconds: float
    notes: list[str]
    """What the program said: inputs that it left out, and warnings."""
    complete: bool
    """Whether no input was left out."""


def run(work: Work, settings: Settings) -> Done:
    """Does what is left of the work."""
    begun = time.monotonic()
    work.check()
    settings.check()
    program = node.find_program()
    if program is None:
        raise FdcError("the program fdc is not on PATH", "install the wheel of fdc, or set FDC_PROGRAM")
    version = node.version_of(program)
    packed = {} if settings.shared else packed_inputs(work)
    words = [as_sent(word, packed) for word in work.words]
    about = {"fdc": version, "command": work.as_typed(), "inputs": {str(path): digest for path, (digest, _) in packed.items()}}
    parts = Parts(work.out, about, work.is_case)
    if None not in (settings.parts, parts.number) and settings.parts != parts.number:
        raise InputError(f"{parts.folder}: holds parts of a division into {parts.number}, not {settings.parts}", "leave out the number")
    resumed = len(parts.all()) - len(parts.missing())
    if parts.number is None or parts.missing():
        order = {
            "words": words, "after": work.after, "program": program, "version": version,
            "is_case": work.is_case, "root": work.root(),
        }
        with connected(settings.address) as ray:
            cluster = Cluster(ray, settings, order, packed)
            del packed
            if parts.number is None:
                parts.begin(settings.parts or cluster.choose_number())
            cluster.make(parts)
    merge(program, parts, work.out)
    notes = parts.said()
    complete = not any(note.startswith(LEFT_OUT) for note in notes)
    return Done(work.out, len(parts.all()), resumed, time.monotonic() - begun, notes, complete)


class Cluster:
    """The nodes, and what is asked of them."""

    def __init__(self, ray: Any, settings: Settings, order: dict[str, Any], packed: dict[Path, tuple[str, list[Any]]]) -> None:
        self.ray = ray
        nodes = [int(own["Resources"].get("CPU", 0)) for own in ray.nodes() if own["Alive"]]
        cpus = settings.cpus or (1 if order["is_case"] else min((count for count in nodes if count), default=1))
        # None now: nodes may be on their way.
        self.places = max(1, sum(count // cpus for count in nodes))
        self.order = {**order, "threads": cpus}
        if order["is_case"] and not any(str(word).startswith("--jobs") for word in order["words"]):
            self.order["words"] = [*order["words"], "--jobs", str(cpus)]
        # Each node gets them once, when a part needs them.
        self.parcels = {digest: ray.put(entries) for digest, entries in packed.values()}
        ray.cloudpickle.register_pickle_by_value(node)
        self.task = ray.remote(num_cpus=cpus, max_retries=settings.retries)(node.make_part)
        self.progress = settings.progress or on_terminal()

    def begin(self, part: int, of: int) -> Any:
        shard = f"{part}/{of}"
        task = self.task.options(name=f"fdc {self.order['words'][0]} {shard}")
        return task.remote({**self.order, "shard": shard}, self.parcels)

    def choose_number(self) -> int:
        """From what a few parts of a finer division take, and how much of it is for beginning them."""
        finer = min(MOST, FINER * self.places)
        samples = max(1, min(MOST_SAMPLES, self.places // 2))
        references = [self.begin(part, finer) for part in range(1, samples + 1)]
        if self.order["is_case"]:
            # Only a part with next to nothing in it shows what beginning takes.
            references.append(self.begin(MOST, MOST))
        with self.cancelled(references):
            made = [self.answer(reference) for reference in references]
        last = made[-1]["seconds"]
        fixed = [last if own["fixed"] is None else own["fixed"] for own in made[:samples]]
        work = finer * sum(max(0.0, own["seconds"] - begin) for own, begin in zip(made, fixed)) / samples
        return number_of_parts(self.places, sum(fixed) / samples, work)

    def make(self, parts: Parts) -> None:
        """Keeps each part as it comes. Ray decides what runs where and when."""
        left = parts.missing()
        under_way = {self.begin(part, len(parts.all())): part for part in left}
        self.progress(len(parts.all()) - len(left), len(parts.all()))
        with self.cancelled(under_way):
            while under_way:
                [reference], _ = self.ray.wait(list(under_way), num_returns=1)
                made = self.answer(reference)
                parts.keep(under_way.pop(reference), made["files"], made["said"])
                # Nothing refers to it any more, and Ray forgets it.
                del reference
                self.progress(len(parts.all()) - len(under_way), len(parts.all()))

    def answer(self, reference: Any) -> dict[str, Any]:
        """A part; the program's error if it has failed."""
        try:
            made: dict[str, Any] = self.ray.get(reference)
        except self.ray.exceptions.RayError as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            hint = "parts that are done are kept: the same call continues"
            raise FdcError(f"Ray could not make a part: {lines[-1].strip()}", hint) from error
        lines = made["said"].splitlines()
        # Inputs that cannot be read are left out, and the part is complete.
        is_complete = made["code"] == 0 or made["code"] == BAD_INPUT and not any(line.startswith("error:") for line in lines)
        if is_complete and made["files"]:
            return made
        raise failure(made["code"], made["said"])

    @contextlib.contextmanager
    def cancelled(self, references: Any) -> Iterator[None]:
        """Whatever ends this early ends what is under way."""
        try:
            yield
        except BaseException:
            for reference in list(references):
                with contextlib.suppress(Exception):
                    self.ray.cancel(reference, force=True)
            raise


def packed_inputs(work: Work) -> dict[Path, tuple[str, list[Any]]]:
    """By path. The result itself may be inside a project, and is no input."""
    return {own.path: pack(own, [work.out, folder_beside(work.out)]) for own in work.inputs()}


def as_sent(word: Union[str, Input], packed: dict[Path, tuple[str, list[Any]]]) -> Any:
    if isinstance(word, str):
        return word
    path = word.path.resolve()
    if not packed and not path.exists():
        raise FileError(f"{word.path}: there is no such file or folder")
    return (packed[word.path][0] if packed else None, str(path), word.project)


@contextlib.contextmanager
def connected(address: Optional[str]) -> Iterator[Any]:
    """Ray, connected as it was, or for as long as this takes."""
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise FdcError("Ray is not installed", f"install it: {sys.executable} -m pip install 'ray>=2.40'") from error
    if ray.is_initialized():
        yield ray
        return
    # A cluster that is started here tells nobody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise FdcError(f"cannot connect to Ray: {error}", "is the cluster running? `ray status` tells") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def merge(program: str, parts: Parts, out: Path) -> None:
    places = [str(parts.place(part)) for part in parts.all()]
    done = subprocess.run(
        [program, "--quiet", "merge", *places, "-o", str(out)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise failure(done.returncode, done.stderr)


def failure(code: int, said: str) -> FdcError:
    """What the program said, as an exception."""
    lines = [line for line in said.splitlines() if line.strip()]
    at = next((at for at, line in enumerate(lines) if line.startswith("error:")), 0)
    message = lines[at][len("error:") :].strip() if lines and lines[at].startswith("error:") else f"fdc ended with {code}: {' '.join(lines)}"
    hint = "\n  ".join(line.strip() for line in lines[at + 1 :])
    return ERRORS.get(code, FdcError)(message, hint or None)


def on_terminal() -> Callable[[int, int], None]:
    """A line that is written over; nothing in a pipe."""
    begun, before = time.monotonic(), None

    def tell(done: int, of: int) -> None:
        nonlocal before
        if not sys.stderr.isatty():
            return
        before = done if before is None else before
        passed = time.monotonic() - begun
        left = passed / (done - before) * (of - done) if done > before else None
        text = f"{done} of {of} parts" + (f", about {left:.0f} s left" if left and done < of else "")
        print(f"\r\x1b[K{text}", end="\n" if done == of else "", file=sys.stderr, flush=True)

    return tell
