"""Makes the wheel of fdc: maturin builds the module, this puts the program and the Java agent's jars beside it.

`pip install ./python` and `pip wheel ./python` come here (PEP 517). Run as a script it only prepares what
maturin is to take along, for `python/wheel`. These variables change what is built:

    FDC            the program to take along (default: it is built)
    FDC_PROFILE    cargo's profile (default: release)
    FDC_JAVA       the folder of the jars (default: target/java, where `make java` puts them; else Maven makes them)
    FDC_JARS       required: without the jars there is no wheel. Else one is made, with a warning
"""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Mapping, NoReturn, Optional

import maturin

ROOT = Path(__file__).resolve().parents[2]
# What pyproject.toml gives to maturin as `data`: installed as it is, `scripts` into the environment's `bin`,
# `data` into the environment itself.
STAGE = ROOT / "target" / "wheel"
PROGRAM = "fdc.exe" if os.name == "nt" else "fdc"
# The program looks for its jars in `java` there (crates/fdc-collect/src/junit/agent.rs).
SHARED = STAGE / "data" / "share" / "fdc"
JARS = ("fdc-agent.jar", "fdc-junit.jar")

Settings = Optional[Mapping[str, Any]]

get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    stage()
    return maturin.build_wheel(wheel_directory, by_profile(config_settings), metadata_directory)


def build_editable(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    stage()
    return maturin.build_editable(wheel_directory, by_profile(config_settings), metadata_directory)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    # maturin wants the folder to be there, and does not look into it yet.
    STAGE.mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, by_profile(config_settings))


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    give_up("there is no source distribution: the program is built from the whole repository", "make a wheel: pip wheel ./python")


def stage() -> None:
    """Lays out program and jars as maturin takes them."""
    os.environ.setdefault("MATURIN_NO_MISSING_BUILD_BACKEND_WARNING", "1")
    program = os.environ.get("FDC")
    program = Path(program).absolute() if program else built_program()
    if not program.is_file():
        give_up(f"{program}: expected the program fdc, found no file", "build it, or leave FDC out")
    shared = [(jar, SHARED / "java") for jar in found_jars()]
    # pyproject.toml can name none above it.
    shared += [(ROOT / name, SHARED) for name in ("LICENSE-APACHE", "LICENSE-MIT")]
    shutil.rmtree(STAGE, ignore_errors=True)
    scripts = STAGE / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(program, scripts / PROGRAM)
    (scripts / PROGRAM).chmod(0o755)
    for file, folder in shared:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder)


def by_profile(config_settings: Settings) -> Settings:
    """maturin's own choice is cargo's release profile."""
    profile = os.environ.get("FDC_PROFILE", "release")
    if profile == "release" or "MATURIN_PEP517_ARGS" in os.environ:
        return config_settings
    return {"build-args": ["--profile", profile], **(config_settings or {})}


def built_program() -> Path:
    cargo = [os.environ.get("CARGO", "cargo"), "build", "--profile", os.environ.get("FDC_PROFILE", "release"), "--locked"]
    try:
        done = subprocess.run(
            [*cargo, "--package", "fdc-cli", "--message-format", "json-render-diagnostics"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=False,
        )
    except OSError as error:
        give_up(f"cargo cannot be started: {error}", "install Rust (https://rustup.rs)")
    if done.returncode:
        give_up(f"cargo build ended with {done.returncode}", "what it said is above")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return next(Path(told["executable"]) for told in reversed(messages) if told.get("executable"))


def found_jars() -> list[Path]:
    """The jars, or none where they are not and cannot be made."""
    named = os.environ.get("FDC_JAVA")
    folder = Path(named) if named else ROOT / "target" / "java"
    jars = [folder / jar for jar in JARS]
    if all(jar.is_file() for jar in jars):
        return jars
    if named:
        give_up(f"FDC_JAVA: {folder} has not both {' and '.join(JARS)}", "make them with `make java`")
    maven = shutil.which(os.environ.get("MVN", "mvn"))
    if maven and subprocess.run([ROOT / "scripts" / "agent"], stdout=sys.stderr, check=False).returncode == 0:
        return jars
    problem = "Maven could not make the Java agent" if maven else "there is no Maven to make the Java agent"
    advice = "install a JDK from 17 on and Maven, or run `make java` elsewhere and name the folder in FDC_JAVA"
    if os.environ.get("FDC_JARS") == "required":
        give_up(problem, advice)
    say(f"{problem}: `fdc collect junit` of this wheel will not work", advice)
    return []


def give_up(problem: str, advice: str) -> NoReturn:
    say(problem, advice)
    sys.exit(1)


def say(problem: str, advice: str) -> None:
    print(f"!!! {problem}\n    {advice}", file=sys.stderr)


if __name__ == "__main__":
    stage()
