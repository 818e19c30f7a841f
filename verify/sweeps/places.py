#!/usr/bin/env python3
"""Every command with outputs and streams that are not plain files, or not its own.

    verify/sweeps/places.py FDC PYTHON [--calls N] [--seed N]

For each command line of `commands.py`: its input as its output; a device, a FIFO, links, a folder and
a folder that is not there as its output; a disk that is full from the n-th call on (strace, N calls
drawn per command) and a small file system (where one can be mounted); standard output and error closed
or full; the same line twice at once; a clock in the past, and inputs from the future. What must hold:
the exit code is a documented one, outputs are whole or as before, inputs are never changed.
"""
import argparse
import os
import random
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
from collections import Counter
from pathlib import Path

import commands
from answers import FAKETIME
from commands import CODES, COMMANDS, WRITERS, Fault, check_complete, content, done, listing, prepare, run
from kills import strace

FULL = "write,writev,pwrite64,fsync,fdatasync,ftruncate,mkdir"


def sweep(arguments):
    fdc = str(Path(arguments.fdc).resolve())
    commands.PYTHON = arguments.python
    counts = Counter()
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        counts["commands"] = check_complete(fdc)
        template = prepare(fdc, place / "template")
        for number, command in enumerate(COMMANDS):
            subject = Subject(fdc, command, template, place, random.Random(arguments.seed + number))
            try:
                subject.own_output(counts)
                subject.streams(counts)
                if command.outs:
                    subject.places(counts)
                    subject.clocks(counts)
                    subject.twice(counts)
                    subject.full_disk(counts, arguments.calls)
            except Fault as fault:
                raise Fault(f"fdc {command.line}: {fault}") from None
        small_disk(fdc, template, place, counts)
    return {"seed": arguments.seed, "strace": strace() is not None, "faketime": FAKETIME is not None, **dict(sorted(counts.items()))}


class Subject:
    """A command line, and what it gives when nothing is in its way."""

    def __init__(self, fdc, command, template, place, generator):
        self.fdc, self.command, self.template, self.generator = fdc, command, template, generator
        self.folder = place / "round"
        self.result = {}
        if command.outs:
            with self:
                done(fdc, command.words, self.folder)
                self.result = self.found()
                self.files = listing(self.folder)

    def __enter__(self):
        shutil.copytree(self.template, self.folder, symlinks=True)
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def found(self):
        return {out: content(self.fdc, self.folder / out) for out in self.command.outs}

    def with_out(self, place, number=0):
        """The command line with its n-th output elsewhere."""
        return [place if word == self.command.outs[number] else word for word in self.command.words]

    def ended(self, words, **more):
        ended = run(self.fdc, words, self.folder, **more)
        if ended.returncode not in CODES:
            raise Fault(f"{' '.join(words)}: code {ended.returncode}: {(ended.stderr or '')[-400:]}")
        return ended

    def own_output(self, counts):
        """What is read is never written over, by whatever name."""
        outs = self.command.outs or (["out.folder"] if "-o out.folder" in self.command.line else [])
        for read in self.command.reads:
            for out in outs:
                for kind in ["same", "dotted", "link", "hard link", "trailing"]:
                    with self as folder:
                        target = {"same": read, "dotted": f"./bugs/../{read}", "link": "link", "hard link": "hard",
                                  "trailing": f"{read}/"}[kind]
                        if kind == "link":
                            (folder / "link").symlink_to(read)
                        if kind == "hard link" and (folder / read).is_dir() or kind == "trailing" and not (folder / read).is_dir():
                            continue
                        if kind == "hard link":
                            os.link(folder / read, folder / "hard")
                        before = raw(folder / read)
                        words = [target if word == out else word for word in self.command.words]
                        if "hard link" != kind and "generate" not in self.command.name and self.ended(words).returncode != 2:
                            raise Fault(f"its {kind} input is taken for its output")
                        if kind == "hard link" or "generate" in self.command.name:
                            self.ended(words)
                        if raw(folder / read) != before:
                            raise Fault(f"{read} is written over by its {kind} name")
                        counts["input as output"] += 1

    def streams(self, counts):
        """Standard output and error closed or full: the files are the same, and nothing panics."""
        if self.command.name == "serve":
            return
        for broken in ["stdout", "stderr"]:
            for how in ["closed", "full", "gone"]:
                with self as folder:
                    words = [commands.PYTHON if word == "PYTHON" else word for word in self.command.words]
                    number = 1 if broken == "stdout" else 2
                    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
                    if how == "full":
                        streams[broken] = open("/dev/full", "wb")
                    closing = (lambda: os.close(number)) if how == "closed" else None
                    child = subprocess.Popen([self.fdc, *words], cwd=folder, text=True, preexec_fn=closing, **streams)
                    if how == "gone":
                        getattr(child, broken).close()
                        setattr(child, broken, None)
                    out, said = child.communicate(timeout=commands.PATIENCE)
                    commands.no_bug(subprocess.CompletedProcess(words, child.returncode, out, said), words)
                    if child.returncode not in CODES | {-signal.SIGPIPE}:
                        raise Fault(f"{broken} {how}: code {child.returncode}: {said}")
                    if broken == "stderr" and self.command.outs and (child.returncode or self.found() != self.result):
                        raise Fault(f"{broken} {how}: code {child.returncode}, or other files")
                    if broken == "stdout" and self.command.outs and not child.returncode and self.found() != self.result:
                        raise Fault(f"{broken} {how}: other files")
                    counts["streams"] += 1

    def places(self, counts):
        """An output that is a device, a FIFO, a link, a folder, or in a folder that is not there."""
        for number, out in enumerate(self.command.outs):
            folder_out = not isinstance(self.result[out], (bytes, tuple))
            for kind in ["device", "fifo", "link", "dangling", "loop", "folder", "absent", "long"]:
                with self as folder:
                    target = folder / ("there/place" + "".join(Path(out).suffixes))
                    target.parent.mkdir()
                    name = str(target)
                    before = None
                    if kind == "device":
                        target.symlink_to("/dev/null")
                    elif kind == "fifo":
                        os.mkfifo(target)
                        piped = []
                        reader = threading.Thread(target=lambda: piped.append(target.read_bytes()), daemon=True)
                        reader.start()
                    elif kind == "link":
                        done(self.fdc, self.command.words, folder)
                        before = folder / "there" / ("real" + "".join(Path(out).suffixes))
                        shutil.move(folder / out, before)
                        target.symlink_to(before.name)
                    elif kind == "dangling":
                        target.symlink_to("real" + "".join(Path(out).suffixes))
                    elif kind == "loop":
                        target.symlink_to(target.name)
                    elif kind == "folder":
                        target.mkdir()
                        (target / "mine.txt").write_text("mine")
                    elif kind == "absent":
                        name = str(folder / "not" / "there" / target.name)
                    elif kind == "long":
                        endings = "".join(target.suffixes)
                        name = str(target.with_name("n" * (255 - len(endings)) + endings))
                    ended = self.ended(self.with_out(name, number), timeout=60)
                    if kind == "fifo" and reader.is_alive():
                        # Whoever wrote is gone; a reader that nobody wrote to waits for somebody.
                        os.close(os.open(target, os.O_WRONLY | os.O_NONBLOCK))
                        reader.join()
                    self.check_place(kind, name, out, ended, folder_out, piped[0] if kind == "fifo" else None)
                    counts[f"output: {kind}"] += 1

    def check_place(self, kind, name, out, ended, folder_out, piped):
        path, code, expected = Path(name), ended.returncode, self.result[out]
        if not stat.S_ISCHR(os.stat("/dev/null").st_mode):
            raise Fault(f"{kind}: /dev/null is no device any more")
        if code not in (0, 2, 3, 4):
            raise Fault(f"{kind}: code {code}")
        if kind in ("device", "fifo"):
            if self.command.streams and not folder_out and code:
                raise Fault(f"{kind}: refused: {ended.stderr[-300:]}")
            if kind == "fifo" and not code and piped != expected and not out.endswith(".log"):
                raise Fault("fifo: something else was written")
            if kind == "fifo" and not path.is_fifo():
                raise Fault("fifo: it is none any more")
        elif kind in ("link", "dangling", "long"):
            if not folder_out or kind == "long":
                if code and not (kind == "long" and code == 3):
                    raise Fault(f"{kind}: refused: {ended.stderr[-300:]}")
                if not code and content(self.fdc, path) != expected:
                    raise Fault(f"{kind}: other content")
            if kind != "long" and not path.is_symlink():
                raise Fault(f"{kind}: it is none any more")
        elif kind == "folder":
            if (path / "mine.txt").read_text() != "mine":
                raise Fault("folder: what was in it is gone")
            if not folder_out and not code:
                raise Fault("folder: taken for a file")
        elif kind == "loop" and not code:
            raise Fault("loop: written")

    def clocks(self, counts):
        """The same with a clock of long ago and with inputs from the future."""
        for kind in ["past", "future"]:
            with self as folder:
                more = {}
                if kind == "past":
                    if not FAKETIME or self.command.name == "collect":
                        continue
                    more["env"] = {**os.environ, "LD_PRELOAD": FAKETIME, "FAKETIME": "@1971-01-01 00:00:00"}
                for path in folder.rglob("*"):
                    if kind == "future" and path.is_file():
                        os.utime(path, (4e9, 4e9))
                ended = self.ended(self.command.words, **more)
                if ended.returncode or self.found() != self.result:
                    raise Fault(f"{kind}: code {ended.returncode}, or other files: {ended.stderr[-300:]}")
                counts["clocks"] += 1

    def twice(self, counts):
        """Two at once: each is done or refused, and what is there is whole."""
        with self as folder:
            words = [commands.PYTHON if word == "PYTHON" else word for word in self.command.words]
            children = [subprocess.Popen([self.fdc, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True) for _ in range(3)]
            codes = []
            for child in children:
                out, said = child.communicate(timeout=commands.PATIENCE)
                commands.no_bug(subprocess.CompletedProcess(words, child.returncode, out, said), words)
                codes.append(child.returncode)
            if 0 not in codes or not set(codes) <= CODES:
                raise Fault(f"three at once: codes {codes}: {said[-400:]}")
            if self.found() != self.result:
                raise Fault(f"three at once, codes {codes}: other files than of one")
            if listing(folder) != self.files:
                raise Fault(f"three at once: {set(listing(folder)) ^ set(self.files)} differ")
            counts["three at once"] += 1
            counts["three at once: refused"] += sum(code != 0 for code in codes)

    def full_disk(self, counts, calls):
        """From the n-th call on there is no room."""
        if not strace() or self.command.name == "collect":
            return
        with self as folder:
            log = folder / "calls"
            run(self.fdc, self.command.words, folder, before=[strace(), "-qq", "-o", str(log), "-e", f"trace={FULL}"])
            most = len(log.read_text().splitlines())
        for at in sorted(self.generator.sample(range(1, most + 1), min(calls, most))):
            with self as folder:
                inject = ["-e", f"trace={FULL}", "-e", f"inject={FULL}:error=ENOSPC:when={at}+"]
                ended = self.ended(self.command.words, before=[strace(), "-qq", "-o", "/dev/null", *inject])
                if not ended.returncode and self.found() != self.result:
                    raise Fault(f"full from call {at} of {most}: done, with other files")
                if not self.command.resumes:
                    for out, inside in self.found().items():
                        parts = inside.items() if isinstance(inside, dict) else [(None, inside)]
                        whole = self.result[out]
                        for name, part in parts:
                            if part is not None and part != (whole[name] if name else whole):
                                raise Fault(f"full from call {at} of {most}: {out} is half written")
                done(self.fdc, self.command.words, folder)
                if self.found() != self.result or listing(folder) != self.files:
                    raise Fault(f"full from call {at} of {most}: the same command gives something else afterwards")
                counts["full disk"] += 1


def small_disk(fdc, template, place, counts):
    """A file system that has no room for the output; where one can be mounted."""
    for command in WRITERS:
        disk = place / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", str(disk)], capture_output=True).returncode:
            disk.rmdir()
            return
        try:
            # One page is left; most outputs need more.
            (disk / "filler").write_bytes(b"x" * 4096)
            folder = place / "small"
            shutil.copytree(template, folder)
            words = [str(disk / word) if word in command.outs else word for word in command.words]
            ended = run(fdc, words, folder)
            if ended.returncode not in CODES:
                raise Fault(f"fdc {command.line} on a full disk: code {ended.returncode}: {ended.stderr[-300:]}")
            counts["small disk"] += 1
            counts["small disk: refused"] += ended.returncode != 0
            if not command.resumes and ended.returncode and any((disk / out).is_file() for out in command.outs):
                raise Fault(f"fdc {command.line} on a full disk: refused, and something is there")
            shutil.rmtree(folder)
        finally:
            subprocess.run(["umount", str(disk)], check=True)
            disk.rmdir()


def raw(path):
    """Every byte of a file or folder."""
    if path.is_dir():
        return {str(inner): inner.read_bytes() for inner in sorted(path.rglob("*")) if inner.is_file()}
    return path.read_bytes()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fdc")
    parser.add_argument("python")
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    commands.main(sweep, parser.parse_args())
