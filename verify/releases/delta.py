"""Which changed methods a failing test needs: delta debugging over mixtures of two releases."""
import subprocess

from fetch import FRUGAL, OPENS

# Where a test cannot be put down to one set of methods.
ALONE = "does not fail and pass when run alone"
ADDED = "what was added is enough"
OTHERWISE = "fails in another way with what was added"
NOT_METHODS = "fails even with all changed methods"
TOO_MANY = "needs too many methods"
ANOTHER_WAY = "passes without one of them as well"
UNSTABLE = "not the same twice"
IN_CLASS = "the change is in an anonymous or local class"
LIMIT = 5
MOST_RUNS = 400


class Isolated(Exception):
    """Why a test is left out."""


class Experiments:
    """The Java program of that name: started when needed, again after it hung or died."""

    def __init__(self, checkout):
        self.checkout, self.process, self.known = checkout, None, {}

    def ask(self, *words):
        """The lines of the answer; None if the JVM died of it."""
        if self.process is None:
            tools, folder = self.checkout.tools, self.checkout
            self.process = subprocess.Popen(
                ["java", "-Xmx1500m", "-Xss4m", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote", *FRUGAL, *OPENS, "-Djava.awt.headless=true",
                 "-cp", tools.path(tools.junit, tools.asm, jars=folder.needed), "Experiments", folder.earlier, folder.later, folder.tests],
                cwd=folder.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=(folder.folder / "experiments.log").open("w"), text=True, encoding="utf-8")
        try:
            self.process.stdin.write("\t".join(words) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.close()
            return None
        lines = []
        for line in self.process.stdout:
            if line == "done\n":
                if any("\tslow\t" in line for line in lines):
                    # Its thread may still be running.
                    self.close()
                return lines
            lines.append(line.rstrip("\n"))
        self.close()
        return None

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def changes(self):
        """The methods that both releases have and that differ."""
        found = []
        for line in self.ask("changes"):
            _, owner, method, *flags = line.split("\t")
            found.append({"owner": owner, "method": method, **{name: flag == "true" for name, flag in zip(("in_class", "initialises", "retyped"), flags)}})
        return found

    def suite(self, classes):
        """Unique id, outcome and note of every test, by name."""
        answer = self.ask("suite", classes)
        if answer is None:
            return None
        tests = {}
        for line in answer:
            _, name, unique, outcome, note = line.split("\t")
            if "#" in name and name not in tests:
                tests[name] = {"id": unique, "outcome": outcome, "note": note}
        return tests

    def run(self, test, classes):
        """Outcome and note of one test."""
        answer = self.ask("run", classes, test["id"])
        told = [line.split("\t") for line in answer or []]
        outcomes = [words[3] for words in told]
        if outcomes == ["pass"]:
            return "pass", ""
        failed = [words for words in told if words[3] in ("fail", "slow")]
        return ("fail", failed[0][4] or failed[0][3]) if failed else ("fail", "died") if answer is None else ("none", "")


class Search:
    """The search for one test; raises `Isolated` where there is no single answer."""

    def __init__(self, experiments, changes, test):
        self.experiments, self.changes, self.test = experiments, changes, test
        self.tried, self.runs = {}, 0

    def outcome(self, classes):
        self.runs += 1
        return self.experiments.run(self.test, classes)

    def passes(self, chosen):
        key = ",".join(map(str, sorted(chosen))) or "none"
        if key not in self.tried:
            if self.runs > MOST_RUNS:
                raise Isolated(TOO_MANY)
            self.tried[key] = self.outcome(key)[0] == "pass"
        return self.tried[key]

    def methods(self, known):
        """The numbers of the changes that are needed, and enough. `known`: answers for other tests, tried first."""
        before = self.outcome("earlier")
        if before[0] != "fail" or self.outcome("later")[0] != "pass":
            raise Isolated(ALONE)
        if self.outcome("earlier") != before or self.outcome("later")[0] != "pass":
            raise Isolated(UNSTABLE)
        added = self.outcome("none")
        if added[0] == "pass":
            raise Isolated(ADDED)
        if added != before:
            raise Isolated(OTHERWISE)
        if self.outcome("all")[0] != "pass":
            raise Isolated(NOT_METHODS)
        needed = next((answer for answer in known if self.passes(answer) and not any(self.passes(without(answer, each)) for each in answer)), None)
        if needed is None:
            classes = {}
            for number, change in enumerate(self.changes):
                classes.setdefault(change["owner"].split("$")[0], []).append(number)
            groups = minimal(list(classes.values()), self.passes)
            needed = [number for (number,) in minimal([[number] for group in groups for number in group], self.passes)]
        if len(needed) > LIMIT:
            raise Isolated(TOO_MANY)
        if any(self.changes[number]["in_class"] for number in needed):
            raise Isolated(IN_CLASS)
        for number in needed:
            if self.outcome(f"~{number}")[0] == "pass":
                raise Isolated(ANOTHER_WAY)
        if self.outcome(",".join(map(str, needed)))[0] != "pass" or self.outcome("none")[0] != "fail":
            raise Isolated(UNSTABLE)
        return needed


def without(numbers, left_out):
    return [number for number in numbers if number != left_out]


def minimal(groups, passes):
    """Zeller's ddmin: of these groups, a part that passes and does not without any one of its groups."""
    flat = lambda chosen: [number for group in chosen for number in group]
    parts = 2
    while len(groups) > 1:
        size = -(-len(groups) // parts)
        chunks = [groups[start:start + size] for start in range(0, len(groups), size)]
        rests = [[group for chunk in chunks if chunk is not left_out for group in chunk] for left_out in chunks]
        if (smaller := next((chunk for chunk in chunks if passes(flat(chunk))), None)) is not None:
            groups, parts = smaller, 2
        elif len(chunks) > 2 and (smaller := next((rest for rest in rests if passes(flat(rest))), None)) is not None:
            groups, parts = smaller, max(parts - 1, 2)
        elif parts < len(groups):
            parts = min(2 * parts, len(groups))
        else:
            break
    return groups
