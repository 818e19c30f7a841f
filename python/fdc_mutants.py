"""Tries tests on mutants, small changes of functions, in copies of a pytest that has collected them.

`fdc mutate` starts pytest with the plug-in fdc_pytest, whose plan then names a file:

    {"original": "/project", "tests": ["tests/test_a.py::test_b", ...], "limits": [5.1, ...], "memory": 2147483648,
     "file": 268435456, "mutants": [{"id": 0, "path": "src/a.py", "bytes": [120, 122], "replacement": "-", "tests": [0, 4]}, ...]}

Modules and tests are imported and collected once, without a change. For each mutant the process is copied (fork), the
changed function gets its new code in the copy, and the tests that run it are run there: nothing is started, imported
or collected again. A function that runs at import only is not noticed then; a module that no collection has imported
is changed in its file. pytest runs in a copy of the project, which is mended after every mutant that damaged it.
"""
import ctypes
import gc
import json
import os
import resource
import select
import shutil
import signal
import stat
import sys
import time
import types

import fdc_pytest

# What tests leave behind everywhere.
NOT_SOURCE = {"__pycache__", ".pytest_cache", ".hypothesis"}
# Seconds that a copy may take before its first test, and between two.
BETWEEN_TESTS = 60
# Seconds between two looks at whether a silent copy still lives.
AT_A_TIME = 0.2
# Not all systems let us look at how a process ended without forgetting it.
CAN_WAIT = hasattr(os, "waitid")
# One in so many mutants has its tests run without it as well (`Overhead::EVERY`).
COMPARED = 20
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Mutants:
    """Everything that the file asks for, with the collected tests."""

    def __init__(self, path, recorder, items):
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        self.recorder = recorder
        self.spool = recorder.spool
        self.memory, self.file = told["memory"], told["file"]
        self.mutants = told["mutants"]
        self.names = told["tests"]
        self.limits = dict(zip(self.names, told["limits"]))
        self.items = {fdc_pytest.test_id(item): item for item in items}
        self.order = {name: place for place, name in enumerate(self.items)}
        self.root = recorder.plan.root
        self.copy = Copy(told["original"], self.root)

    def run(self):
        sys.dont_write_bytecode = True
        # Nobody reads pytest's own report, whose sources take longer than most tests.
        self.recorder.config.option.tbstyle = "line"
        control(PR_SET_CHILD_SUBREAPER)
        self.own_children = children()
        asked = {self.names[test] for mutant in self.mutants for test in mutant["tests"]}
        missing = asked - self.items.keys()
        fate, failed = self.tried(asked)
        unfit = {kill["test"] for kill in failed}
        self.spool.write({"event": "baseline", "fate": fate, "failing": sorted(unfit), "missing": sorted(missing)})
        self.end_strays()
        self.copy.mend()
        self.copy.let_be()
        unfit |= missing
        self.functions = functions_by_file()
        # What is there now is shared with all copies, and not looked through again.
        gc.freeze()
        for place, mutant in enumerate(self.mutants):
            self.spool.write({"event": "mutating", "id": mutant["id"]})
            tests = [self.names[test] for test in mutant["tests"] if self.names[test] not in unfit]
            begun, self.left_running = time.monotonic(), False
            fate, kills = self.one(mutant, tests) if tests else ("unjudged", [])
            event = {"event": "mutant", "id": mutant["id"], "fate": fate, "seconds": round(time.monotonic() - begun, 6)}
            self.end_strays()
            event.update(kills=kills, damaged=self.copy.mend(mutant["path"]), left_running=self.left_running)
            if place % COMPARED == 0 and fate in ("killed", "survived"):
                event["without"] = self.without(tests)
            self.spool.write(event)

    def without(self, tests):
        """The seconds that they take without a mutant."""
        begun = time.monotonic()
        self.tried(tests)
        seconds = round(time.monotonic() - begun, 6)
        self.end_strays()
        self.copy.mend()
        return seconds

    def one(self, mutant, tests):
        path = os.path.join(self.root, mutant["path"])
        with open(path, "rb") as file:
            source = file.read()
        first, last = mutant["bytes"]
        changed = source[:first] + mutant["replacement"].encode("utf-8") + source[last:]
        # An installed package may lead to the original, not to its copy.
        original = os.path.join(self.copy.original, mutant["path"])
        live = self.functions.get(os.path.realpath(path)) or self.functions.get(os.path.realpath(original))
        try:
            swaps = swapped(changed, live or [], path)
        except (SyntaxError, ValueError):
            return "broken", []
        if swaps:
            return self.tried(tests, swaps)
        if live or swaps is None:
            return "unapplied", []
        with open(path, "wb") as file:
            file.write(changed)
        return self.tried(tests, imports=os.path.realpath(path))

    def tried(self, tests, swaps=(), imports=None):
        """What becomes of a copy of this process in which functions have other code, and the tests that fail in it. It
        counts only if it has imported the file `imports`."""
        tests = sorted((test for test in tests if test in self.items), key=self.order.__getitem__)
        out, back = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(out)
            self.be_a_copy(tests, swaps, imports, back)
        os.close(back)
        try:
            return self.followed(child, out)
        finally:
            os.close(out)

    def followed(self, child, out):
        """Listens to a copy until it is done, or a test of it takes too long."""
        fate, kills, under_way, rest, deadline = "crashed", [], None, b"", time.monotonic() + BETWEEN_TESTS
        while fate == "crashed":
            ended = has_ended(child)
            if not select.select([out], [], [], 0 if ended else min(max(deadline - time.monotonic(), 0), AT_A_TIME))[0]:
                # What it has started may hold the pipe open for longer than it lives.
                if ended:
                    break
                if time.monotonic() < deadline:
                    continue
                fate = "hung"
                if under_way is not None:
                    kills.append({"test": under_way, "note": "timed out after %g s" % self.limits[under_way]})
                break
            piece = os.read(out, 1 << 16)
            if not piece:
                break
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["event"] == "begin":
                    under_way = event["test"]
                    deadline = time.monotonic() + self.limits[under_way]
                elif event["event"] == "end":
                    under_way, deadline = None, time.monotonic() + BETWEEN_TESTS
                    if event["outcome"] == "fail":
                        kills.append({key: event[key] for key in ("test", "note", "failure") if key in event})
                elif event["event"] == "bye":
                    fate = "unapplied" if not event["applied"] else "killed" if kills else "survived"
        while fate != "hung" and CAN_WAIT and not has_ended(child):
            time.sleep(0.001)
            if time.monotonic() > deadline:
                fate = "hung"
        if fate != "hung":
            orphans = children() - self.own_children - {child}
            self.left_running = any(not is_dead(orphan) for orphan in orphans)
        try:
            os.killpg(child, signal.SIGKILL)
        except OSError:
            pass  # It has ended, or has not got as far as a group of its own.
        _, how = os.waitpid(child, 0)
        if fate == "crashed" and under_way is not None:
            kills.append({"test": under_way, "note": "the process ended in it (%s)" % ending(how)})
        return fate, kills

    def end_strays(self):
        """Ends what a copy has left running in groups of their own. The system gives such processes to us when those that
        started them are gone."""
        while True:
            strays = children() - self.own_children
            if not strays:
                return
            for stray in strays:
                try:
                    os.kill(stray, signal.SIGKILL)
                    os.waitpid(stray, 0)
                except OSError:
                    pass  # It has ended meanwhile.

    def be_a_copy(self, tests, swaps, imports, back):
        """Runs the tests and ends; nothing returns from here."""
        try:
            os.setpgid(0, 0)
            # A copy must not outlive fdc, whatever ends it.
            control(PR_SET_PDEATHSIG, signal.SIGKILL)
            contain(self.memory, self.file)
            recorder = self.recorder
            recorder.spool = Pipe(back)
            hush(recorder.config)
            for function, code in swaps:
                function.__code__ = code
            items = [self.items[test] for test in tests]
            for item, following in zip(items, items[1:] + [None]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
            applied = imports is None or any(file and os.path.realpath(file) == imports for file in files)
            recorder.spool.write({"event": "bye", "applied": applied})
        finally:
            os._exit(0)


class Pipe(fdc_pytest.Spool):
    """A spool that the process it was copied from listens to."""

    def __init__(self, back):
        super().__init__(None)
        self.back = back

    def open(self):
        self.file = open(self.back, "wb", buffering=0, closefd=False)
        self.size = 0
        self.units = {}


class Copy:
    """The copy of the project that tests run in."""

    def __init__(self, original, root):
        self.original, self.root = original, root
        self.here = os.getcwd()
        self.common = set()
        self.files = self.look()

    def look(self):
        """Kind, rights, size and time of every file; of a folder without the last two."""
        found, folders = {}, [""]
        while folders:
            folder = folders.pop()
            try:
                entries = list(os.scandir(os.path.join(self.root, folder)))
            except OSError:
                continue  # It is gone, or may not be read: what was in it counts as gone.
            for entry in entries:
                name = os.path.join(folder, entry.name)
                if entry.name in NOT_SOURCE:
                    continue
                about = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                    found[name] = (about.st_mode,)
                else:
                    found[name] = about.st_mode, about.st_size, about.st_mtime_ns
        return found

    def mend(self, ours=None):
        """Puts back what tests, or we, have changed, and takes away what is new; whether tests did more than they do
        without a mutant, the file that is `ours` left out."""
        gone = not os.path.isdir(self.root)
        if gone:
            os.makedirs(self.root)
        os.chdir(self.root)
        now = self.look()
        wrong = {name for name in self.files if now.get(name) != self.files[name]}
        new = now.keys() - self.files.keys()
        for name in sorted(wrong & now.keys()):
            if len(self.files[name]) == 1 and len(now[name]) == 1:
                os.chmod(os.path.join(self.root, name), stat.S_IMODE(self.files[name][0]))
        for name in sorted(new, reverse=True):
            remove(os.path.join(self.root, name))
        for name in sorted(wrong):
            self.put_back(name)
        os.chdir(self.here)
        self.found = wrong | new
        return gone or bool(self.found - self.common - {ours})

    def let_be(self):
        """What was found just now is found without any mutant, too."""
        self.common = self.found

    def put_back(self, name):
        here, there = os.path.join(self.root, name), os.path.join(self.original, name)
        mode, *rest = self.files[name]
        if not rest:
            if os.path.islink(here) or not os.path.isdir(here):
                remove(here)
                os.makedirs(here)
            os.chmod(here, stat.S_IMODE(mode))
        elif os.path.lexists(there):
            remove(here)
            shutil.copy2(there, here, follow_symlinks=False)
            about = os.lstat(here)
            self.files[name] = about.st_mode, about.st_size, about.st_mtime_ns


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.remove(path)


def functions_by_file():
    """All functions there are, by the file of their code."""
    found, known = {}, {}
    for one in gc.get_objects():
        if type(one) is types.FunctionType:
            name = one.__code__.co_filename
            path = known.get(name)
            if path is None:
                path = known[name] = os.path.realpath(name)
            found.setdefault(path, []).append(one)
    return found


def swapped(source, functions, file):
    """The functions whose code is another one in a changed file, with that code. None if one of them cannot take it, because
    it uses other variables of the function around it."""
    file = functions[0].__code__.co_filename if functions else file
    codes, left = {}, [compile(source, file, "exec", dont_inherit=True)]
    while left:
        code = left.pop()
        codes[identity(code)] = code
        left.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    new = [(function, codes.get(identity(function.__code__))) for function in functions]
    swaps = [(function, code) for function, code in new if code is not None and code != function.__code__]
    fit = all(code.co_freevars == function.__code__.co_freevars for function, code in swaps)
    return swaps if fit else None


def identity(code):
    return getattr(code, "co_qualname", code.co_name), code.co_firstlineno


def hush(config):
    """What a copy prints would be the same thousands of times."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    writer = getattr(reporter, "_tw", None)
    if writer is not None:
        writer._file = open(os.devnull, "w")


def contain(memory, file):
    """From here on this process, and each that it starts, can have so many bytes more, and files of so many."""
    limit(resource.RLIMIT_AS, memory + memory_now())
    limit(resource.RLIMIT_FSIZE, file)
    limit(resource.RLIMIT_CORE, 0)


def limit(what, most):
    try:
        resource.setrlimit(what, (most, most))
    except (ValueError, OSError):
        pass  # A lower one is set already.


def memory_now():
    """Bytes of addresses in use, where the system tells."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 32


def control(what, value=1):
    """Of Linux; elsewhere there is no such thing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def has_ended(child):
    """Whether a process of ours has, where the system tells. Its number stays its own."""
    return CAN_WAIT and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def children():
    """The processes that this one has started or was given, where the system tells."""
    if not CAN_WAIT:
        return set()
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return set()
    try:
        tasks = ["/proc/self/task/%s/children" % name for name in os.listdir("/proc/self/task")]
        return {int(name) for task in tasks for name in words(task)}
    except OSError:
        pass  # Not all kernels keep these lists.
    own = str(os.getpid())
    ids = [name for name in os.listdir("/proc") if name.isdigit()] if sys.platform == "linux" else []
    return {int(name) for name in ids if status(name)[1:2] == [own]}


def is_dead(process):
    return status(process)[:1] in (["Z"], ["X"], [])


def status(process):
    """State, parent and what follows them in Linux' table; nothing of a process that has gone."""
    try:
        return words("/proc/%s/stat" % process)
    except OSError:
        return []


def words(path):
    """All behind the last bracket, which ends the name of a process."""
    with open(path, errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def ending(status):
    if os.WIFSIGNALED(status):
        return "signal %d" % os.WTERMSIG(status)
    return "exit code %d" % os.WEXITSTATUS(status)
