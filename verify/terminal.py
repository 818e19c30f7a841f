#!/usr/bin/env python3
"""Labels tests in a real terminal, as a person would: tmux presses the keys and reads the screen.

    verify/terminal.py FDC FOLDER     the program, and a folder to work in; screens are left there

Prints what it found as JSON; the first thing that is not as it should be ends it with exit code 1.
Times are measured and printed, never judged. Installs tmux with apt-get if it is missing.
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORDERS = ROOT / "testdata" / "orders"
PATIENCE = 30
# What the program itself may send: styles, places, clearing, modes. Anything else came from outside.
OWN = re.compile(rb"\x1b\[[0-9;]*[mHJK]|\x1b\[\?(?:25|1049|2004)[hl]")
HOSTILE = ["\x1b]0;EVIL\x07", "\x1b[31mEVIL", "\x9b31mEVIL", "EVIL\u202etxt", "EVIL\r\nEVIL", "a\u0301\u0301\u0301\u0301\u0301",
           "漢字" * 40, "\x1bP+q\x1b\\", "\x1b[2J\x1b[H", "e\u200bf", "\tEVIL"]


def main():
    fdc, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    install_tmux()
    found = {"tmux": output("tmux", "-V")}
    found["labelled"] = label_ten(fdc, folder)
    found["ended_by"] = ends_well(fdc, folder)
    found["killed"] = killed(fdc, folder)
    found["shared"] = shared(fdc, folder)
    found["hostile"] = hostile(fdc, folder)
    found["milliseconds"] = timed(fdc, folder)
    print(json.dumps(found))


def label_ten(fdc, folder):
    """Ten tests labelled, one taken back, every panel, three sizes, and a terminal that is sane afterwards."""
    case = import_case(fdc, ORDERS / "orders.json", folder / "ten.fdc")
    with Tmux(folder) as tmux:
        tmux.type(f"{fdc} label {case} --start labelled --source {ORDERS}")
        first = tmux.wait("0 answers,", "def test_", "after 0 answers")
        tmux.keep("80x24", first)
        tied = [int(re.search(r"Suspects: (\d+) of", first)[1])]
        for number in range(1, 11):
            tmux.answer("p")
            screen = tmux.wait(f" {number} answer", "def test_")
            tied.append(int(re.search(r"Suspects: (\d+) of", screen)[1]))
        check(set(tied) == {1}, f"methods tied at the top: {tied}", screen)
        check("tiered_discount" in screen.splitlines()[2], "the faulty method comes first", screen)
        tmux.keep("80x24-ten", tmux.wait("after 10 answers", "Stored."))
        tmux.press("u")
        tmux.wait(" 9 answers,", "Taken back")
        tmux.press("w")
        tmux.keep("80x24-why", tmux.wait("Why this test", "Metric: sharp"))
        tmux.press("Escape")
        tmux.press("a")
        tmux.keep("80x24-advice", tmux.wait("Effort so far", "9 answers standing", "learned distribution"))
        tmux.press("?")
        tmux.keep("80x24-help", tmux.wait("Keys", "take the last answer back"))
        tmux.press("q")
        tmux.press("Tab", "Down")
        tmux.keep("80x24-suspects", tmux.wait("o fine", "Next test", "after 9 answers"))
        tmux.press("Enter")
        tmux.keep("80x24-suspect", tmux.wait("▌"))
        tmux.press("Enter", "Tab")
        for size, words in [("120x40", ["Last answers", "Next test"]), ("60x20", ["Suspects", "Next test"]),
                            ("40x10", ["Tab: suspects"]), ("25x6", ["needs 30x8"]), ("80x24", ["Suspects", "Next test"])]:
            tmux.resize(size)
            tmux.keep(size + "-later", tmux.wait(*words))
        # There and back before anything is drawn: no row of the small one stays.
        before = tmux.screen()
        tmux.resize("50x12")
        tmux.resize("80x24")
        time.sleep(1)
        check(tmux.screen() == before, "rows stay after a change of size", tmux.screen())
        tmux.press(*"pppppppp")
        tmux.wait(" 10 answers,", "Ignored: the key was held down")
        tmux.press("Tab", "o", "o")
        tmux.wait(" 11 answers,", "Ignored: the key was held down")
        tmux.press("Tab")
        tmux.press("q")
        tmux.check_sane("0")
    return {"tied_at_the_top": tied, "stored": stored(fdc, case)}


def ends_well(fdc, folder):
    """However it ends, but by kill -9, the terminal is given back and the exit code is as documented."""
    case = import_case(fdc, ORDERS / "orders.json", folder / "ends.fdc")
    ways = {"Ctrl-C": lambda tmux: tmux.press("C-c"), **{
        name: (lambda tmux, number=number: os.kill(tmux.program(), number))
        for name, number in [("SIGTERM", signal.SIGTERM), ("SIGHUP", signal.SIGHUP), ("SIGINT", signal.SIGINT)]}}
    for way, end in ways.items():
        with Tmux(folder) as tmux:
            tmux.type(f"{fdc} label {case} --start labelled")
            tmux.wait("Next test")
            end(tmux)
            tmux.check_sane("130")
    with Tmux(folder) as tmux:
        tmux.type(f"{fdc} label {case} --start labelled")
        tmux.wait("Next test")
        # It looks for answers of others all the time, so it notices by itself.
        case.write_bytes(b"not a case" * 1000)
        tmux.wait("Cannot read the case now")
        tmux.press("p")
        tmux.wait("0 answers,", "Not stored, try again")
        tmux.press("q")
        tmux.check_sane("0")
    case = import_case(fdc, ORDERS / "orders.json", folder / "closed.fdc")
    for round in range(5):
        terminal = Terminal([fdc, "label", case, "--start", "labelled"], True)
        terminal.read_until(b"Next test")
        terminal.read_for(round * 0.15)
        os.close(terminal.fd)
        code = terminal.end()
        check(code == 130, f"exit code {code} after the terminal was closed", "")
    return [*ways, "a damaged file", "a closed terminal"]


def killed(fdc, folder):
    """kill -9 after an answer was shown: it is in the file, and the next session has it."""
    case = import_case(fdc, ORDERS / "orders.json", folder / "killed.fdc")
    for round in range(1, 6):
        with Tmux(folder) as tmux:
            tmux.type(f"{fdc} label {case} --start labelled")
            tmux.wait(f" {round - 1} answer", "Next test")
            tmux.press("p")
            tmux.wait(f" {round} answer")
            os.kill(tmux.program(), signal.SIGKILL)
            check(stored(fdc, case) == round, f"after {round} answers and kill -9 there are {stored(fdc, case)}", "")
    return {"answers_before_and_after": [5, stored(fdc, case)]}


def shared(fdc, folder):
    """An answer from another process appears without a key."""
    case = import_case(fdc, ORDERS / "orders.json", folder / "shared.fdc")
    with Tmux(folder) as tmux:
        tmux.type(f"{fdc} label {case} --start labelled")
        tmux.wait("0 answers,")
        begun = time.time()
        lines(fdc, case, {"do": "answer", "verdict": "pass"})
        screen = tmux.wait("1 answer,", "Another session has answered.")
        seconds = time.time() - begun
        before = re.search(r"Next test.*", screen)
        tmux.press("f")
        screen = tmux.wait("press again")
        check("1 answer," in screen, "an answer to a test that changed under the finger is not taken", screen)
        tmux.press("q")
    return {"seen_after_seconds": round(seconds, 1), "asked_again": bool(before)}


def hostile(fdc, folder):
    """Names with escapes, controls and marks of direction: not one of them gets to the terminal."""
    tests = [{"name": f"tests/{name}.py::{name}"} for name in HOSTILE]
    document = {"methods": [f"src/{name}.py::{name}" for name in HOSTILE],
                "elements": [[index, index + 1] for index in range(len(HOSTILE))],
                "tests": [{"name": "fails", "outcome": "fail"}, *tests],
                "coverage": [[0] + [1] * (len(HOSTILE) - 1), *[[index] for index in range(len(HOSTILE))]]}
    source = folder / "hostile.json"
    source.write_text(json.dumps(document))
    case = import_case(fdc, source, folder / "hostile.fdc")
    sent = {}
    for colours in [True, False]:
        terminal = Terminal([fdc, "label", case], colours)
        terminal.read_until(b"Next test")
        for key in "ww\tjjo\tpfspfsua?q\tn\x1b":
            terminal.press(key)
            terminal.read_for(0.15)
        terminal.press("q")
        terminal.press("q")
        terminal.wait()
        rest = OWN.sub(b"", terminal.seen)
        text = rest.decode("utf-8")
        bad = sorted({c for c in text if (ord(c) < 32 and c not in "\r\n") or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u200b"})
        check(not bad, f"characters {bad} reached the terminal", text)
        check("EVIL" in text, "the names are shown", text)
        has_colour = re.search(rb"\x1b\[(?:[0-9]+;)*3[0-9](?:;[0-9]+)*m", terminal.seen) is not None
        check(has_colour == colours, f"colours: {has_colour}, wanted: {colours}", "")
        sent["with colours" if colours else "NO_COLOR"] = len(terminal.seen)
    return {"bytes_sent": sent}


def timed(fdc, folder):
    """From a key press to the new ranking, on the largest spectrum of the shared data (FDC_DATA)."""
    data = os.environ.get("FDC_DATA")
    source = Path(data or "/nowhere") / "defects4j" / "human-all" / "Time" / "Time-2.json.zst"
    if not source.exists():
        return "FDC_DATA is not set: nothing measured"
    case = import_case(fdc, source, folder / "largest.fdc")
    terminal = Terminal([fdc, "label", case, "--start", "labelled"], True)
    terminal.read_until(b"Next test")
    times = {"answer": [], "undo": []}
    for key, kind, word in [("p", "answer", b"Stored")] * 21 + [("u", "undo", b"Taken")] * 11:
        # A person looks before they answer: source and advice are there by then. The key in between
        # is refused, so that the whole message is sent and not what is new in it.
        terminal.press("o")
        terminal.read_for(1.0)
        begun = time.perf_counter()
        terminal.press(key)
        terminal.read_until(word)
        times[kind].append(1000 * (time.perf_counter() - begun))
    terminal.press("q")
    terminal.wait()
    load = os.getloadavg()[0]
    return {kind: {"median": round(statistics.median(all), 1), "largest": round(max(all), 1), "runs": len(all)}
            for kind, all in times.items()} | {"load": round(load, 1), "tests": 4011, "methods": 3493}


class Tmux:
    """A shell in a terminal of 80x24, on a server of its own."""

    servers = 0

    def __init__(self, folder):
        self.folder = folder
        Tmux.servers += 1
        self.socket = f"fdc-verify-{os.getpid()}-{Tmux.servers}"

    def __enter__(self):
        self.call("-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", "80", "-y", "24", "env", "PS1=ready$ ", "ENV=", "sh")
        self.wait("ready$")
        return self

    def __exit__(self, *_):
        self.call("kill-server")

    def call(self, *words):
        return output("tmux", "-L", self.socket, *words)

    def type(self, line):
        self.call("send-keys", "-t", "s", "-l", line + "; echo code=$?")
        self.call("send-keys", "-t", "s", "Enter")

    def press(self, *keys):
        self.call("send-keys", "-t", "s", *keys)

    def answer(self, key):
        """A key that is hit twice within 0.75 seconds counts once."""
        time.sleep(0.8)
        self.press(key)

    def resize(self, size):
        width, height = size.split("x")
        self.call("resize-window", "-t", "s", "-x", width, "-y", height)

    def screen(self):
        return self.call("capture-pane", "-p", "-t", "s")

    def wait(self, *words):
        """The screen, once every word is on it."""
        until = time.time() + PATIENCE
        while time.time() < until:
            screen = self.screen()
            if all(word in screen for word in words):
                return screen
            time.sleep(0.02)
        missing = [word for word in words if word not in screen]
        fail(f"{missing} never came", screen)

    def keep(self, name, screen):
        (self.folder / f"{name}.txt").write_text(screen + "\n")

    def program(self):
        shell = self.call("display-message", "-p", "-t", "s", "#{pane_pid}").strip()
        return int(output("pgrep", "-P", shell).split()[0])

    def check_sane(self, code):
        """The shell is back, with cursor, echo and the screen that was there."""
        screen = self.wait(f"code={code}")
        state = self.call("display-message", "-p", "-t", "s", "#{alternate_on} #{cursor_flag}").strip()
        check(state == "0 1", f"alternate screen and cursor: {state}", screen)
        self.call("send-keys", "-t", "s", "-l", "clear; stty -a")
        self.press("Enter")
        modes = self.wait("iexten", "ready$")
        for mode in ["icanon", "echo", "isig", "opost", "icrnl"]:
            check(re.search(rf"(?<!-)\b{mode}\b", modes), f"{mode} is off", modes)
        return screen


class Terminal:
    """A program on a pseudo terminal of 80x24; every byte that it sends is kept."""

    def __init__(self, words, colours):
        pid, self.fd = pty.fork()
        if pid == 0:
            environment = {**os.environ, "TERM": "xterm-256color"}
            environment.pop("NO_COLOR", None)
            if not colours:
                environment["NO_COLOR"] = "1"
            os.execvpe(str(words[0]), [str(word) for word in words], environment)
        self.pid = pid
        self.seen, self.mark = b"", 0
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def press(self, key):
        self.mark = len(self.seen)
        os.write(self.fd, key.encode())

    def read_until(self, word):
        until = time.time() + PATIENCE
        while word not in self.seen[self.mark:]:
            self.read(0.1)
            if time.time() > until:
                fail(f"{word} never came", self.seen[-2000:].decode("utf-8", "replace"))

    def read_for(self, seconds):
        until = time.time() + seconds
        while (left := until - time.time()) > 0:
            self.read(left)

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += got
        return bool(got)

    def wait(self):
        """Reads until the program has ended; its exit code."""
        code = self.end(lambda: self.read(0.05))
        os.close(self.fd)
        return code

    def end(self, meanwhile=lambda: time.sleep(0.05)):
        until = time.time() + PATIENCE
        while time.time() < until:
            meanwhile()
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        fail("it did not end", self.seen[-2000:].decode("utf-8", "replace"))


def import_case(fdc, source, case):
    output(fdc, "--quiet", "import", source, "-o", case)
    return case


def stored(fdc, case):
    """Answers in the file that stand."""
    state = lines(fdc, case, {"do": "show"})
    return sum(not answer["undone"] for answer in state["answers"])


def lines(fdc, case, request):
    """The reply to a request in the line protocol."""
    asked = json.dumps(request) + "\n"
    done = subprocess.run([fdc, "label", case, "--start", "labelled"], input=asked, text=True, capture_output=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def output(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout.rstrip("\n")


def install_tmux():
    if shutil.which("tmux") is None:
        root = [] if os.geteuid() == 0 else ["sudo"]
        subprocess.run([*root, "apt-get", "install", "-y", "-q", "tmux"], check=True, stdout=subprocess.DEVNULL)


def check(holds, words, screen):
    if not holds:
        fail(words, screen)


def fail(words, screen):
    sys.exit(f"{words}\n{screen}")


if __name__ == "__main__":
    main()
