"""`python -m fdc.ray`: evaluate, collect and train on a Ray cluster.

    python -m fdc.ray evaluate DATA... --metrics METRICS -o OUT [OPTION...]
    python -m fdc.ray train [DATA...] --protocol PROTOCOL -o OUT [OPTION...]
    python -m fdc.ray collect [ECOSYSTEM] [--root FOLDER] [-o FILE] [OPTION...] [-- ARGUMENTS]

The inputs come first. Then options of the program, as `fdc COMMAND --help` has them, and these:

    --address ADDRESS   an existing cluster (default: what Ray finds, else a new one on this machine)
    --parts N           how many parts (default: found by measuring a few)
    --cpus N            CPUs, and threads, of a part (default: those of the smallest node; to collect: 1)
    --retries N         how often a part is begun again that was lost with its node (default: 3)
    --shared            the inputs have the same path on every node (default: they are sent there)
    --quiet             no progress, no notes

Exit codes are those of fdc. The same command continues after an interruption.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn, Optional, Union

from fdc.errors import BugError, FdcError, FileError, InputError
from fdc.ray.inputs import Input
from fdc.ray.run import BAD_INPUT, Settings, Work, run

USAGE, OUTSIDE_TOOL, BUG, INTERRUPTED = 2, 4, 70, 130
VERBS = ["evaluate", "train", "collect"]


class Parser(argparse.ArgumentParser):
    """One whose errors are ours."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message, "`python -m fdc.ray --help` shows how it is called")


def main(arguments: list[str]) -> int:
    """Runs; returns the exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else USAGE
    try:
        work, settings, quiet = parsed(arguments)
        done = run(work, settings)
    except FdcError as error:
        print(f"error: {error}", file=sys.stderr)
        codes = [(InputError, USAGE), (FileError, BAD_INPUT), (BugError, BUG)]
        return next((code for kind, code in codes if isinstance(error, kind)), OUTSIDE_TOOL)
    except KeyboardInterrupt:
        print("interrupted: run the same command again to resume", file=sys.stderr)
        return INTERRUPTED
    for note in done.notes:
        print(note, file=sys.stderr)
    if not quiet:
        resumed = f", {done.resumed} of them from before" if done.resumed else ""
        print(f"{done.out}: {done.parts} parts{resumed}, {done.seconds:.0f} s", file=sys.stderr)
    return 0 if done.complete else BAD_INPUT


def parsed(arguments: list[str]) -> tuple[Work, Settings, bool]:
    """What is asked for. Options that are not ours are the program's, and stay as they are."""
    verb, rest = arguments[0], arguments[1:]
    if verb not in VERBS:
        raise InputError(f"expected {', '.join(VERBS[:-1])} or {VERBS[-1]}, found {verb!r}")
    after: list[str] = []
    if "--" in rest:
        at = rest.index("--")
        rest, after = rest[:at], rest[at:]
    first = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    inputs, rest = rest[:first], rest[first:]
    is_case = verb == "collect"
    parser = Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("-o", "--out", type=Path, required=not is_case, default=Path("case.fdc"))
    parser.add_argument("--address")
    for name in ("--parts", "--cpus"):
        parser.add_argument(name, type=int)
    parser.add_argument("--retries", type=int, default=3)
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("-q", "--quiet", action="store_true")
    if is_case:
        parser.add_argument("--root", type=Path, default=Path())
    if verb == "train":
        parser.add_argument("--mutants", type=Path, nargs="+", action="extend", default=[])
        parser.add_argument("--base")
    own, options = parser.parse_known_args(rest)
    settings = Settings(own.address, own.parts, own.cpus, own.retries, own.shared, silent if own.quiet else None)
    words: list[Union[str, Input]] = [verb]
    if is_case:
        words += [*inputs, "--root", Input(own.root, project=True), *options]
        return Work(words, own.out, is_case=True, after=after), settings, own.quiet
    words += [*(Input(Path(path)) for path in inputs), *options]
    if verb == "train":
        words += ["--mutants", *(Input(path) for path in own.mutants)] if own.mutants else []
        words += ["--base", base_of(own.base)] if own.base else []
    return Work(words, own.out), settings, own.quiet


def base_of(named: str) -> Union[str, Input]:
    """A file, or the name of a built-in model."""
    return Input(Path(named)) if Path(named).exists() else named


def silent(_done: int, _of: int) -> Optional[None]:
    """No progress."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
