"""`fdc evaluate`, `fdc collect` and `fdc train` on the nodes of a Ray cluster.

    import fdc.ray

    fdc.ray.evaluate(["bugs"], "tfd,rlfdc", protocol="cross-version", seeds=10, out="results")
    fdc.ray.collect("pytest", root="project", out="case.fdc")
    fdc.ray.train(["bugs"], protocol="cross-project", recipe="sharp", out="models")

`python -m fdc.ray evaluate ...` does the same from a shell. The work is divided as `--shard K/N` does it:
each Ray task runs the program `fdc` for one part, and `fdc merge` makes one result of all parts. So the
result is that of the program in one piece, byte for byte, whatever nodes take part or are lost.

Parts are kept in `OUT.parts` as they come; the same call continues there after an interruption. An
option of the program is a keyword: `--max-failing 3` is `max_failing=3`, a switch is `True`, an option
that is given several times is a list.

Keywords that all three have:

- `address`: an existing cluster. Default: the cluster that the process is connected to, or what
  `ray.init()` finds, or else a new one on this machine.
- `parts`: how many parts. Default: found by measuring a few.
- `cpus`: CPUs of a part, which are the threads of the program and, of a collection, its `jobs`. Default:
  those of the smallest node; of a collection 1.
- `retries`: how often a part that was lost with its node is begun again.
- `shared`: the inputs have the same path on every node. Default: they are sent to each node once.
- `progress`: a function of the parts done and all parts. Default: a line on a terminal.

Every node needs Ray and the program `fdc` of the same version: `pip install ray WHEEL` there, or the
wheel in the `pip` of Ray's `runtime_env`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Optional, Union

from fdc.ray.inputs import Input
from fdc.ray.run import Done, Settings, Work, run

__all__ = ["Done", "collect", "evaluate", "train"]

PathLike = Union[str, "os.PathLike[str]"]
Paths = Union[PathLike, Iterable[PathLike]]
Progress = Callable[[int, int], None]


def evaluate(
    data: Paths,
    metrics: Union[str, Iterable[str]],
    *,
    out: PathLike,
    address: Optional[str] = None,
    parts: Optional[int] = None,
    cpus: Optional[int] = None,
    retries: int = 3,
    shared: bool = False,
    progress: Optional[Progress] = None,
    **options: object,
) -> Done:
    """Runs metrics on bugs with known faults, as `fdc evaluate DATA --metrics METRICS -o OUT`."""
    listed = metrics if isinstance(metrics, str) else ",".join(metrics)
    words = ["evaluate", *_inputs(data), "--metrics", listed, *_as_words(options)]
    settings = Settings(address, parts, cpus, retries, shared, progress)
    return run(Work(words, Path(out)), settings)


def train(
    data: Paths = (),
    *,
    out: PathLike,
    protocol: str,
    mutants: Paths = (),
    base: Optional[PathLike] = None,
    address: Optional[str] = None,
    parts: Optional[int] = None,
    cpus: Optional[int] = None,
    retries: int = 3,
    shared: bool = False,
    progress: Optional[Progress] = None,
    **options: object,
) -> Done:
    """Trains the models of a protocol, as `fdc train DATA --protocol PROTOCOL -o OUT`; `out` is a folder."""
    words = ["train", *_inputs(data), "--protocol", protocol, *_as_words(options)]
    cases = _inputs(mutants)
    words += ["--mutants", *cases] if cases else []
    if base is not None:
        # A file, or the name of a built-in model.
        words += ["--base", Input(Path(base)) if Path(base).exists() else str(base)]
    settings = Settings(address, parts, cpus, retries, shared, progress)
    return run(Work(words, Path(out)), settings)


def collect(
    ecosystem: Optional[str] = None,
    *,
    root: PathLike = ".",
    out: PathLike = "case.fdc",
    arguments: Iterable[str] = (),
    address: Optional[str] = None,
    parts: Optional[int] = None,
    cpus: Optional[int] = None,
    retries: int = 3,
    shared: bool = False,
    progress: Optional[Progress] = None,
    **options: object,
) -> Done:
    """Measures a project's tests, as `fdc collect ECOSYSTEM --root ROOT -o OUT -- ARGUMENTS`.

    The tests run in copies of `root`, one for each part that a node makes at a time; with `shared`, in
    `root` itself.
    """
    words: list[Union[str, Input]] = ["collect", *([ecosystem] if ecosystem else [])]
    words += ["--root", Input(Path(root), project=True)]
    words += _as_words(options)
    after = ["--", *arguments] if (arguments := list(arguments)) else []
    settings = Settings(address, parts, cpus, retries, shared, progress)
    return run(Work(words, Path(out), is_case=True, after=after), settings)


def _as_words(options: dict[str, object]) -> list[Union[str, Input]]:
    """Options as the command line has them."""
    words: list[Union[str, Input]] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words += [word for one in value for word in (option, str(one))]
        elif value is not None and value is not False:
            words += [option, str(value)]
    return words


def _inputs(paths: Paths) -> list[Union[str, Input]]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return [Input(Path(path)) for path in several]
