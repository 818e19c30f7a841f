"""`python -m fdc`: the program `fdc` that was installed with this package."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def program() -> Path | None:
    """Where pip has put the program: beside this Python, in the user's own folder, or beside the package."""
    user = sysconfig.get_path("scripts", os.name + "_user")
    beside = Path(__file__).resolve().parents[1] / "bin"
    name = "fdc" + (sysconfig.get_config_var("EXE") or "")
    places = [Path(folder) / name for folder in (sysconfig.get_path("scripts"), user, beside)]
    return next((place for place in places if place.is_file()), None)


def main() -> int:
    own = program()
    if own is None:
        print("error: the program fdc is not installed with this package", file=sys.stderr)
        print("  install it from a wheel, or call the program itself", file=sys.stderr)
        return 4
    command = [str(own), *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    # In our place, so that signals and the terminal are the program's own.
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())
