"""Seconds of `fdc lsp`, on the clock and of the processor, in a file of 10,000 lines: 1,000 functions of ten lines, 2,000 tests, ten of them failing.

    python3 benches/editor.py PROGRAM
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FUNCTIONS, LINES, TESTS, FAILING, RUNS = 1000, 10, 2000, 10, 21


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        text = make(root)
        case = ["import", root / "bug.json", "-o", root / "case.fdc", "--source", root]
        subprocess.run([sys.argv[1], "--quiet", *case], check=True)
        editor = Editor(sys.argv[1], root)
        seconds, processor = measure(editor, root / "big.py", text)
    found = {name: {"median": statistics.median(all), "largest": max(all), "processor": processor[name] / len(all), "runs": len(all)}
             for name, all in seconds.items()}
    print(json.dumps({"lines": FUNCTIONS * LINES, "functions": FUNCTIONS, "tests": TESTS, "seconds": found}))


def make(root):
    """A program and its coverage, by seed."""
    draw = random.Random(7)
    lines = []
    for number in range(FUNCTIONS):
        lines.append(f"def function_{number}(value):")
        lines += [f"    value = value * {draw.randrange(2, 99)} + {line}" for line in range(LINES - 3)]
        lines += ["    return value", ""]
    text = "\n".join(lines) + "\n"
    (root / "big.py").write_text(text)
    body = LINES - 2
    names = [f"test_big.py::test_{number}" for number in range(TESTS)]
    (root / "test_big.py").write_text("".join(f"def test_{number}():\n    pass\n\n\n" for number in range(TESTS)))
    coverage = []
    for number in range(TESTS):
        run = sorted({0 if number < FAILING else number % FUNCTIONS, *(draw.randrange(FUNCTIONS) for _ in range(20))})
        elements = [function * body + line for function in run for line in range(body)]
        coverage.append([elements[0]] + [after - before for before, after in zip(elements, elements[1:])])
    (root / "bug.json").write_text(json.dumps({
        "methods": [f"big.py::function_{number}" for number in range(FUNCTIONS)],
        "elements": [[number, number * LINES + 2 + line] for number in range(FUNCTIONS) for line in range(body)],
        "tests": [{"name": name, "outcome": "fail" if number < FAILING else "pass"} for number, name in enumerate(names)],
        "coverage": coverage,
        "files": ["big.py"],
        "method_files": [0] * FUNCTIONS,
    }))
    return text


class Editor:
    def __init__(self, program, root):
        self.child = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask("initialize", {"rootUri": root.as_uri(), "capabilities": {}, "initializationOptions": {"draws": True}})
        self.tell("initialized", {})
        self.wait(lambda message: message.get("method") == "fdc/caseChanged")

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.child.stdin.flush()

    def tell(self, method, parameters):
        self.send({"method": method, "params": parameters})

    def ask(self, method, parameters):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        return self.wait(lambda message: message.get("id") == self.number)["result"]

    def processor_seconds(self):
        words = Path(f"/proc/{self.child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def wait(self, wanted):
        while True:
            length = int(self.child.stdout.readline().split(b":")[1])
            self.child.stdout.readline()
            message = json.loads(self.child.stdout.read(length))
            if wanted(message):
                return message


def measure(editor, path, text):
    seconds, processor = {}, {}
    uri = path.as_uri()
    document = {"textDocument": {"uri": uri}}

    def timed(name, act):
        used, begun = editor.processor_seconds(), time.perf_counter()
        answer = act()
        seconds.setdefault(name, []).append(time.perf_counter() - begun)
        processor[name] = processor.get(name, 0) + editor.processor_seconds() - used
        assert answer, name

    def diagnostics():
        return editor.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri)

    def opened():
        editor.tell("textDocument/didOpen", {"textDocument": {**document["textDocument"], "languageId": "python", "version": 1, "text": text}})
        return diagnostics()["params"]["diagnostics"]

    def edited(new):
        editor.tell("textDocument/didChange", {"textDocument": document["textDocument"], "contentChanges": [{"text": new}]})
        return diagnostics()

    draw = random.Random(1)
    timed("open", opened)
    lines = text.split("\n")
    for _ in range(RUNS):
        at = draw.randrange(len(lines))
        timed("edit: a line put in", lambda: edited("\n".join(lines[:at] + ["# new"] + lines[at:])))
        mixed = lines[:]
        draw.shuffle(mixed)
        timed("edit: all lines shuffled", lambda: edited("\n".join(mixed)))
        edited(text)
        timed("code lenses", lambda: editor.ask("textDocument/codeLens", document))
        position = {"line": LINES * draw.randrange(FUNCTIONS) + 3, "character": 0}
        timed("hover", lambda: editor.ask("textDocument/hover", {**document, "position": position}))
        show = lambda argument: editor.ask("workspace/executeCommand", {"command": "fdc.showTests", "arguments": [argument]})
        timed("tests of a line", lambda: show({"uri": uri, "line": position["line"]}))
        timed("tests of a function", lambda: show({"method": f"big.py::function_{draw.randrange(FUNCTIONS)}"}))
        timed("next test", lambda: editor.ask("workspace/executeCommand", {"command": "fdc.nextTest"}))
        timed("suspects", lambda: editor.ask("workspace/executeCommand", {"command": "fdc.showSuspects"}))
        timed("all tests", lambda: editor.ask("fdc/tests", {}))
        timed("coverage of files", lambda: editor.ask("fdc/coverage", {}))
        timed("lines, all tests", lambda: editor.ask("fdc/lines", document))
        timed("lines, one test", lambda: editor.ask("fdc/lines", {**document, "test": "test_big.py::test_17"}))
    editor.ask("shutdown", None)
    editor.tell("exit", None)
    assert editor.child.wait(10) == 0
    return seconds, processor


if __name__ == "__main__":
    main()
