#!/usr/bin/env python3
"""Answers of several people while `fdc collect pytest` measures the same case.

    verify/sweeps/answers.py FDC PYTHON [--rounds N] [--seed N]

In each round a case has some tests of a small project, the project gets more, and a collector measures
them and numbers all tests anew, or is killed on the way and resumed. Meanwhile two sessions of `fdc label`
(one with a clock that is a day slow, where libfaketime is installed) and a page of `fdc serve` answer
tests by name, and take some answers back. Afterwards every answer that was acknowledged is in the case:
on its test, with its verdict, by its person, in the order in which it was given; nothing else is there;
and what was measured is what a collector measures that nobody disturbs.
"""
import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.error
from collections import Counter
from pathlib import Path

import commands
from commands import Fault, check_complete, done, project
from kills import Server

FIRST, ALL = range(0, 12, 2), range(12)
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)


def sweep(arguments):
    fdc = str(Path(arguments.fdc).resolve())
    commands.PYTHON = arguments.python
    generator = random.Random(arguments.seed)
    counts = Counter()
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        check_complete(fdc)
        undisturbed = place / "undisturbed"
        undisturbed.mkdir()
        project(undisturbed / "project", ALL)
        collect(fdc, undisturbed)
        expected = coverage(fdc, undisturbed / "case.fdc")
        for number in range(arguments.rounds):
            folder = place / "round"
            folder.mkdir()
            try:
                counts += Round(fdc, folder, generator).run(expected)
            except Fault as fault:
                raise Fault(f"round {number}, seed {arguments.seed}: {fault}") from None
            shutil.rmtree(folder)
    return {"rounds": arguments.rounds, "seed": arguments.seed, "slow_clock": FAKETIME is not None, **dict(sorted(counts.items()))}


class Round:
    def __init__(self, fdc, folder, generator):
        self.fdc, self.folder, self.generator = fdc, folder, generator
        self.case = folder / "case.fdc"
        self.over = threading.Event()
        # What each person was told is stored, in order.
        self.acknowledged = {}
        self.problems = []

    def run(self, expected):
        """One round; counts of what happened."""
        counts = Counter()
        project(self.folder / "project", FIRST)
        collect(self.fdc, self.folder)
        project(self.folder / "project", ALL, pause=0.01)
        people = [Session(self.fdc, self.case, "ann"), Session(self.fdc, self.case, "bob", slow=True),
                  Page(self.fdc, self.case, "eve")]
        seeds = [self.generator.random() for _ in people]
        threads = [threading.Thread(target=self.answer, args=(person, random.Random(seed))) for person, seed in zip(people, seeds)]
        for thread in threads:
            thread.start()
        if self.generator.random() < 0.3:
            child = start(self.fdc, self.folder)
            time.sleep(self.generator.uniform(0.2, 1.2))
            child.kill()
            child.communicate()
            counts["collections killed"] += 1
        collect(self.fdc, self.folder)
        # Sessions that were open while tests were numbered anew.
        time.sleep(0.05)
        self.over.set()
        for thread in threads:
            thread.join()
        if self.problems:
            raise Fault(self.problems[0])
        for person in people:
            person.stop()
        counts["answers"] = sum(len(given) for given in self.acknowledged.values())
        counts["taken back"] = sum(answer["undone"] for given in self.acknowledged.values() for answer in given)
        self.check(expected)
        return counts

    def answer(self, person, generator):
        """Answers one test after the other until the collection is over, and a few more."""
        given = self.acknowledged[person.who] = []
        more = 4
        try:
            while more:
                more -= self.over.is_set()
                standing = [answer for answer in given if not answer["undone"]]
                if standing and generator.random() < 0.15:
                    back = generator.choice(standing)
                    if person.ask({"do": "undo", "id": back["id"]}):
                        back["undone"] = True
                    continue
                test, verdict = generator.choice(ALL), generator.choice(["pass", "fail", "skip"])
                name = f"test_shop.py::test_{test}"
                state = person.ask({"do": "answer", "verdict": verdict, "test": name})
                if state:
                    own = [answer for answer in state["answers"] if answer["who"] == person.who]
                    if len(own) != len(given) + 1:
                        self.problems.append(f"{person.who} gave {len(given) + 1} answers, the session shows {len(own)}")
                        return
                    if (own[-1]["subject"], own[-1]["verdict"]) != (name, verdict):
                        self.problems.append(f"{person.who} said {verdict} of {name}, the session shows {own[-1]}")
                        return
                    given.append(own[-1])
                time.sleep(generator.uniform(0, 0.02))
        except (Fault, OSError, ValueError, urllib.error.URLError) as problem:
            self.problems.append(f"{person.who}: {problem!r}")

    def check(self, expected):
        stored = commands.answers(self.fdc, self.case)
        for who, given in self.acknowledged.items():
            own = [answer for answer in stored.values() if answer["who"] == who]
            if own != given:
                raise Fault(f"{who} was told {given}, the case has {own}")
        others = [answer for answer in stored.values() if answer["who"] not in self.acknowledged]
        if others:
            raise Fault(f"nobody gave {others}")
        if coverage(self.fdc, self.case) != expected:
            raise Fault("the case holds other coverage than without answers")


class Session:
    """A person at `fdc label`, a request a line."""

    def __init__(self, fdc, case, who, slow=False):
        self.who = who
        environment = dict(os.environ)
        if slow and FAKETIME:
            environment |= {"LD_PRELOAD": FAKETIME, "FAKETIME": "-1d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.child = subprocess.Popen([fdc, "label", str(case), "--json-lines", "--who", who], env=environment, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.read()

    def ask(self, request):
        """The state after a request; none if it was refused."""
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        return self.read()

    def read(self):
        line = self.child.stdout.readline()
        if not line:
            raise Fault(f"fdc label ended: {self.child.stderr.read()[-2000:]}")
        reply = json.loads(line)
        return reply if reply["event"] == "state" else None

    def stop(self):
        _, said = self.child.communicate()
        if self.child.returncode:
            raise Fault(f"fdc label: code {self.child.returncode}: {said[-1000:]}")


class Page(Server):
    """A person at the page."""

    def __init__(self, fdc, case, who):
        self.who = who
        super().__init__(fdc, case, "--who", who)

    def ask(self, request):
        try:
            return self.post(request)
        except urllib.error.HTTPError as error:
            if error.code == 422:
                return None
            raise Fault(f"{error}: {error.read().decode()}") from None


def start(fdc, folder):
    words = [fdc, "collect", "pytest", "--root", "project", "--python", commands.PYTHON, "-o", "case.fdc"]
    return subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def collect(fdc, folder):
    child = start(fdc, folder)
    said = child.communicate(timeout=commands.PATIENCE)[1]
    if child.returncode:
        raise Fault(f"fdc collect: code {child.returncode}: {said[-600:]}")


def coverage(fdc, case):
    """What was measured, without verdicts."""
    copy = case.with_name("copy.json")
    done(fdc, ["import", str(case), "-o", str(copy)], None)
    bug = json.loads(copy.read_text())
    copy.unlink()
    names = [test["name"] for test in bug["tests"]]
    return names, bug["methods"], bug["elements"], bug["coverage"][:len(names)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fdc")
    parser.add_argument("python")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    commands.main(sweep, parser.parse_args())
