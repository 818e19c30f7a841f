#!/usr/bin/env python3
"""Neovim, headless, as a client of `fdc lsp` on a copy of testdata/orders with its case.

    verify/editor/neovim.py FDC

Prints what was seen as JSON; exit 1 and the reason where something is not as it should be. Neovim is Debian's package,
unless NVIM names one.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDERS = HERE.parent.parent / "testdata" / "orders"
FAILING = "tests/test_end_to_end.py::test_school_restocks_its_office"


def main():
    fdc = Path(sys.argv[1]).resolve()
    nvim = os.environ.get("NVIM") or shutil.which("nvim") or install()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "orders"
        shutil.copytree(ORDERS, root)
        text = (root / "orders.json").read_text()
        (root / "mended.json").write_text(text.replace('"fail"', '"pass"'))
        subprocess.run([fdc, "--quiet", "import", root / "orders.json", "-o", root / "case.fdc", "--source", root], check=True)
        out = Path(folder) / "seen.json"
        environment = {**os.environ, "FDC_EDITOR_ROOT": str(root), "FDC_EDITOR_PROGRAM": str(fdc), "FDC_EDITOR_OUT": str(out),
                       "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder}
        done = subprocess.run([nvim, "--headless", "-u", "NONE", "-n", "-c", f"luafile {HERE / 'drive.lua'}"],
                              env=environment, timeout=180, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if not out.exists():
            sys.exit(f"Neovim ended with {done.returncode} and saw nothing: {done.stderr[-2000:]}")
        seen = json.loads(out.read_text())
    version = subprocess.run([nvim, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    print(json.dumps({"neovim": version, **checked(seen)}))


def install():
    subprocess.run(["apt-get", "install", "-y", "-q", "neovim"], check=True, stdout=subprocess.DEVNULL)
    return shutil.which("nvim")


def checked(seen):
    def check(what, holds):
        if not holds:
            sys.exit(f"{what}: {json.dumps(seen, indent=1)}")

    check("it went through", seen["failure"] is None)
    first = seen["diagnostics"][0]
    check("a suspect is marked with why", first["message"].startswith("suspect ") and "\n- " in first["message"])
    titles = [lens["title"] for lens in seen["lenses"]]
    check("functions say who runs them", any(title.endswith(" tests, 1 failing") for title in titles))
    check("a line says which tests run it", f"fails: `{FAILING}`" in seen["hover"])
    check("marks move with the text", seen["moved"]["after"] == [line + 3 for line in seen["moved"]["before"]])
    check("so does what a line says", seen["hover_moved"] == seen["hover"])
    check("an edited line says nothing", seen.get("hover_mended") is None)
    check("the next test is named", seen["next"] in seen["messages"][0])
    check("a case without failures marks nothing", seen["after_mending"] == [])
    check("damage is said", "case.fdc: expected a case file" in seen["messages"][-1])
    return {"diagnostics": len(seen["diagnostics"]), "lenses": len(titles), "next": seen["next"],
            "hover": seen["hover"].splitlines()[0], "damage": seen["messages"][-1].split("/")[-1]}


if __name__ == "__main__":
    main()
