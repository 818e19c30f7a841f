"""pytest plug-in of `fdc collect pytest`: outcome and covered lines of each test, as it ends.

fdc puts this file on PYTHONPATH, names it in PYTEST_PLUGINS (so that xdist workers load it too) and
sets FDC_PLAN (what to run) and FDC_SPOOL (a folder to report to). Without FDC_SPOOL it does nothing.

What is measured. coverage.py traces the files under the plan's root. After each test the lines run
since its beginning (setup, call and teardown together) are written and forgotten. Nothing is kept in
memory or in a data file, so contexts are not needed.

What counts for a test:
- A fixture wider than a function runs in the first test that asks for it. Its lines count for every
  test that uses it. The lines of its teardown count for none, unless it fails: they would go to
  whichever test is last.
- Lines run by the first import of a module inside a test count for no test, unless the import fails:
  they would go to whichever test is first. A reload, or a file loaded by hand, counts.
- Of a test that is run again (pytest-rerunfailures) only the last attempt counts.
- What only words a failure counts for no test: `__repr__` called by a failed assert of pytest or
  unittest, everything that pytest's report asks for, and the teardown after a failure, unless it
  fails as well. unittest's own tearDown runs within the call, and counts.

Outcomes. Fail: an error in setup, call or teardown, a failed subtest, a strict xpass. Skip, so left
out: skipped, xfail, and a non-strict xpass, because a test that is expected to fail says nothing
when it passes. Everything else passes.

Not measured: child processes, pytest-forked's included. pytest-cov is switched off for the run, as
two tracers cannot share a process. Options that end a run early (-x, --maxfail, --stepwise, --lf,
--pdb) are switched off, and modules that cannot be imported are reported and left out.

Needs Python 3.8, pytest 6.2, coverage.py 6.0 or newer.
"""
import functools
import importlib.machinery
import inspect
import json
import linecache
import os
import re
import sys
import threading
import time
import types
import unittest.case
import uuid
import warnings

import _pytest.assertion.rewrite
import pytest

SPOOL_FILE_BYTES = 16 << 20
NOTE_CHARACTERS = 300
MESSAGE_CHARACTERS = 2000
# Of a terminal.
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FRAMES = 200
EXIT_SPOOL = 74
EXIT_TIMEOUT = 75
# What words a failed assert: it asks the project's objects for their `__repr__`. Not all versions have all.
WORDING = [
    (_pytest.assertion.rewrite, ["_saferepr", "_call_reprcompare", "_format_assertmsg", "_should_repr_global_name"]),
    (unittest.case, ["safe_repr", "_common_shorten_repr"]),
]
# Set for child processes: a pytest that a test starts must not report as if it were ours.
OWNER = "FDC_PYTEST_OWNER"

active = None
# While pytest captures, the real stderr is out of reach.
real_stderr = os.dup(2) if "FDC_SPOOL" in os.environ else None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    # pytest-cov starts its own tracer in this hook.
    owner = os.environ.get(OWNER)
    ours = owner is None or owner == "session" and "PYTEST_XDIST_WORKER" in os.environ
    if "FDC_SPOOL" in os.environ and ours and active is None:
        early_config.known_args_namespace.cov_source = []
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    global active
    if "FDC_SPOOL" not in os.environ or active is not None:
        return
    worker = getattr(config, "workerinput", None)
    if worker is None and OWNER in os.environ or worker is not None and "fdc" not in worker:
        return
    os.environ[OWNER] = "session" if worker is None else "worker"
    plan = Plan.read(os.environ.get("FDC_PLAN"))
    # Workers are sent these options, so they hold there too.
    calm = {"maxfail": 0, "usepdb": False, "stepwise": False, "lf": False, "cov_source": []}
    for option, value in calm.items():
        if hasattr(config.option, option):
            setattr(config.option, option, value)
    config.option.continue_on_collection_errors = True
    active = Recorder(config, plan, Spool(os.environ["FDC_SPOOL"]), is_worker=worker is not None)
    config.pluginmanager.register(active, "fdc_recorder")
    if plan.tries_mutants():
        # Nobody reads how pytest words thousands of failures, and it takes longer than the tests.
        config.option.tbstyle = "no"
    if plan.mutants is not None:
        config.pluginmanager.register(MutantLoop(active), "fdc_mutant_loop")


def pytest_unconfigure(config):
    global active
    if active is not None and active.config is config:
        active = None


class Recorder:
    """The hooks of the session that is measured. Sessions that tests start inside do not get them."""

    def __init__(self, config, plan, spool, is_worker):
        self.config = config
        self.plan = plan
        self.spool = spool
        self.is_worker = is_worker
        self.is_controller = False
        self.coverage = import_coverage(spool) if plan.measure else None
        self.meter = Meter()
        self.test = None
        self.lock = threading.RLock()
        self.setups = {}
        self.finished = set()
        self.test_code = TestCode(config)
        self.planned = None
        self.ended = 0
        if plan.timeout is not None:
            self.deadline = None
            threading.Thread(target=self.watch, name="fdc-watchdog", daemon=True).start()

    # Which tests

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        self.test_code.learn(items)
        self.collected = len(items)
        seen, kept, dropped = set(), [], []
        for item in items:
            name = test_id(item)
            keep = name not in seen and self.plan.wants(name)
            seen.add(name)
            (kept if keep else dropped).append(item)
        if len(seen) < self.collected and not self.is_worker:
            self.spool.trouble(
                "%d tests share their node id with another test; of each id the first was run" % (self.collected - len(seen))
            )
        if dropped:
            items[:] = kept
            config.hook.pytest_deselected(items=dropped)

    def pytest_collection_finish(self, session):
        if self.is_worker:
            return
        self.planned = len(session.items)
        self.spool.write({"event": "plan", "tests": self.planned})
        if not getattr(self, "collected", 0):
            self.no_tests()

    def pytest_collectreport(self, report):
        if report.failed and not self.is_worker:
            self.spool.trouble("%s could not be collected: %s" % (text(report.nodeid) or "the tests", failure(report.longrepr)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        self.is_controller = True
        node.workerinput["fdc"] = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        if self.planned is None:
            self.planned = len(ids)
            self.spool.write({"event": "plan", "tests": self.planned})

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, crashitem, report):
        name = text(crashitem)
        if report.outcome != "rerun" and not self.spool.is_marked(name):
            self.spool.write({"event": "end", "test": name, "outcome": "fail", "note": "the worker process died in it"})

    def no_tests(self):
        self.spool.trouble(
            "pytest found no tests in %s (looking for files named %s)"
            % (self.config.invocation_params.dir, ", ".join(self.config.getini("python_files")))
        )

    # One test

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtestloop(self):
        measuring = self.coverage is not None and not self.is_controller and not self.config.option.collectonly
        if self.plan.memory is not None and self.plan.mutants is None:
            import fdc_mutants

            fdc_mutants.contain(self.plan.memory, self.plan.file)
        if not self.is_controller:
            withdraw()
        if measuring:
            if getattr(self.config.option, "forked", False):
                self.spool.trouble("pytest-forked runs each test in a child process: its lines are not measured; leave out --forked")
            self.meter = CoverageMeter(self.coverage, self.plan, self.test_code, self.spool)
        yield
        if measuring:
            self.meter.stop()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        name = test_id(item)
        self.spool.write({"event": "begin", "test": name})
        self.test = test = Test(name, item)
        self.meter.begin()
        if self.plan.timeout is not None:
            self.deadline = test.begun + self.plan.timeout
        outcome = yield
        self.deadline = None
        with self.lock:
            self.test = None
        stopped = outcome.excinfo
        if stopped is None:
            self.end(test)
        elif not issubclass(stopped[0], KeyboardInterrupt):
            test.failed, test.note = True, "ended the session: %s" % stopped[1]
            self.end(test)

    def end(self, test):
        lines = self.meter.end(test.cleanup_failed)
        for fixture in test.fixtures:
            merge(lines, self.setups.get(fixture, {}))
        for fixture in self.finished:
            self.setups.pop(fixture, None)
        self.finished.clear()
        self.ended += 1
        self.spool.end(test.name, test.outcome(), time.monotonic() - test.begun, self.meter.relative(lines), test.note, test.failure if test.failed else None)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function" or self.test is None:
            yield
            return
        self.meter.enter(fixturedef)
        yield
        # Runs before the fixture's own finalizers, which were added first.
        fixturedef.addfinalizer(lambda: self.meter.enter(fixturedef))
        self.finished.discard(fixturedef)
        lines = self.setups[fixturedef] = self.meter.leave(fixturedef)
        # For a wider fixture that this one was asked for in, and for the test.
        self.meter.keep(lines)

    def pytest_fixture_post_finalizer(self, fixturedef):
        if fixturedef.scope != "function":
            self.meter.set_aside(self.meter.leave(fixturedef))
            self.finished.add(fixturedef)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        test = self.test
        if test is None:
            yield
            return
        # Later pytest forgets which fixtures the item used.
        test.fixtures = fixtures_of(item)
        if test.raised is None:
            yield
            return
        # What runs after a failure cannot be its cause.
        self.meter.enter(test)
        outcome = yield
        lines = self.meter.leave(test)
        if outcome.excinfo is not None:
            self.meter.keep(lines)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        # pytest's plug-in for unittest moves what it has kept to the call, behind us.
        if self.test is None or call.excinfo is None and not getattr(item, "_excinfo", None):
            yield
            return
        self.meter.enter(call)
        yield
        self.meter.leave(call)
        if call.excinfo is not None:
            self.test.raised = (call.excinfo.type, call.excinfo.tb)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if self.test is None or text(report.nodeid) != self.test.name:
            return
        if report.outcome == "rerun":
            self.meter.begin()
        self.test.learn(report, self.plan)

    # The end

    def watch(self):
        """Ends the process when a test takes too long. Deadlines only move later, so sleeping is safe."""
        timeout = self.plan.timeout
        while True:
            deadline = self.deadline
            now = time.monotonic()
            if deadline is None or deadline > now:
                time.sleep(timeout if deadline is None else deadline - now)
                continue
            with self.lock:
                test = self.test
                if test is None or test.begun + timeout > now:
                    continue
                test.failed, test.note = True, "timed out after %g s" % timeout + self.whereabouts()
                test.fixtures = test.fixtures or fixtures_of(test.item)
                try:
                    self.end(test)
                    if self.is_worker:
                        self.spool.mark(test.name)
                finally:
                    os._exit(EXIT_TIMEOUT)

    def whereabouts(self):
        """The innermost line of the project that the main thread is in."""
        frame = sys._current_frames().get(threading.main_thread().ident)
        while frame is not None:
            path = self.plan.inside(frame.f_code.co_filename)
            if path is not None:
                return " at %s:%d" % (path, frame.f_lineno)
            frame = frame.f_back
        return ""

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        whole = exitstatus in (0, 1, 5) and not session.shouldstop and not session.shouldfail
        if self.is_controller:
            if self.planned == 0 and exitstatus == 5 and self.plan.asks_for_all():
                self.no_tests()
        elif not self.is_worker:
            whole = whole and self.ended == self.planned
        if whole:
            self.spool.write({"event": "bye"})


class MutantLoop:
    """Stands where the tests would be run."""

    def __init__(self, recorder):
        self.recorder = recorder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        import fdc_mutants

        fdc_mutants.Mutants(self.recorder.plan.mutants, self.recorder, session.items).run()
        self.recorder.ended = self.recorder.planned
        return True


class Test:
    """The test under way."""

    def __init__(self, name, item):
        self.name = name
        self.item = item
        self.begun = time.monotonic()
        self.fixtures = []
        self.attempts = 0
        self.failed = self.skipped = self.cleanup_failed = False
        self.note = self.raised = self.failure = None

    def learn(self, report, plan):
        if report.outcome == "rerun":
            self.attempts += 1
            self.failed = self.skipped = self.cleanup_failed = False
            self.raised = None
            self.note = "run %d times" % (self.attempts + 1)
        elif report.failed:
            self.cleanup_failed = self.cleanup_failed or report.when != "call"
            if not self.failed:
                where = "" if report.when == "call" else "in %s: " % report.when
                self.note = where + failure(report.longrepr)
                self.failure = trace(report.longrepr, self.raised, plan)
                if self.failure is not None and plan.mutants is None:
                    self.failure["place"] = place(report, self.item, plan)
            self.failed = True
        elif hasattr(report, "context"):
            pass  # a subtest; when it is skipped the test goes on
        elif report.skipped:
            self.skipped = True
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self.note = "xfail: %s" % report.wasxfail if hasattr(report, "wasxfail") else reason
        elif hasattr(report, "wasxfail"):
            self.skipped = True
            self.note = "xpass: %s" % report.wasxfail

    def outcome(self):
        return "fail" if self.failed else "skip" if self.skipped else "pass"


class Meter:
    """Measures nothing: for runs that only want outcomes."""

    def begin(self):
        pass

    def end(self, keep_aside):
        return {}

    def enter(self, key):
        pass

    def leave(self, key):
        return {}

    def keep(self, lines):
        pass

    def set_aside(self, lines):
        pass

    def relative(self, lines):
        return None

    def stop(self):
        pass


class CoverageMeter:
    """coverage.py, emptied after each test.

    Lines since the last look go to the innermost part entered and not left: at first the test, in it
    the setup or teardown of a wide fixture, or an import. The lines come by way of
    `CoverageData.add_lines`, which coverage.py calls when the context is switched: taking them there
    saves writing them to SQLite and reading them back, a hundred times the cost.
    """

    def __init__(self, coverage, plan, test_code, spool):
        self.plan = plan
        self.spool = spool
        self.test_code = test_code
        self.parts = [(None, {})]
        self.aside = {}
        self.known = {}
        self.any_line = False
        self.thread = threading.get_ident()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            threads = coverage.Coverage(data_file=None).get_option("run:concurrency") or []
            self.cov = coverage.Coverage(
                data_file=None,
                config_file=False,
                branch=False,
                timid=False,
                source=[plan.root],
                omit=patterns(plan.libraries) + ([] if plan.include_tests else test_code.patterns()),
                concurrency=[name for name in threads if name != "multiprocessing"] or None,
            )
            self.cov.get_data().add_lines = self.add_lines
            self.start()
        self.import_module = importlib.machinery.SourceFileLoader.exec_module
        importlib.machinery.SourceFileLoader.exec_module = self.importing()
        self.worded = []
        for module, names in WORDING:
            for name in names:
                self.replace(module, name, self.apart)
        # Asserts of unittest show differences by it; tests may call it themselves.
        self.replace(unittest.case, "pprint", lambda own: types.SimpleNamespace(pformat=self.apart(own.pformat)))

    def replace(self, module, name, change):
        own = getattr(module, name, None)
        if own is not None:
            self.worded.append((module, name, own))
            setattr(module, name, change(own))

    def start(self):
        # The core on sys.monitoring reports a line once, not once a test.
        before = os.environ.get("COVERAGE_CORE")
        os.environ["COVERAGE_CORE"] = "ctrace"
        try:
            try:
                self.cov.set_option("run:core", "ctrace")
            except Exception:
                pass  # before 7.9 there is only the variable
            self.cov.start()
        finally:
            if before is None:
                del os.environ["COVERAGE_CORE"]
            else:
                os.environ["COVERAGE_CORE"] = before
        self.tracer = sys.gettrace()

    def stop(self):
        del importlib.machinery.SourceFileLoader.exec_module
        for module, name, own in self.worded:
            setattr(module, name, own)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.cov.stop()
        if not self.any_line:
            self.suspect_a_copy()

    def suspect_a_copy(self):
        for name, module in sorted(sys.modules.items()):
            path = getattr(module, "__file__", None) or ""
            for folder in (self.plan.root, os.path.join(self.plan.root, "src")):
                own = os.path.join(folder, name)
                if "site-packages" in path and (os.path.isdir(own) or os.path.isfile(own + ".py")):
                    self.spool.trouble(
                        "the tests import %s from %s, not from %s, so no line of the project is measured; "
                        "install the project in place: pip install -e ." % (name, path, self.plan.root)
                    )
                    return

    def add_lines(self, line_data):
        merge(self.parts[-1][1], line_data)

    def look(self):
        for _ in range(3):
            try:
                self.cov.switch_context("")
                return
            except RuntimeError:  # another thread ran a line in a new file meanwhile
                pass

    def begin(self):
        self.look()
        self.parts = [(None, {})]
        self.aside = {}

    def end(self, keep_aside):
        self.look()
        lines = {}
        for _, part in self.parts:
            merge(lines, part)
        if keep_aside:
            merge(lines, self.aside)
        self.parts = [(None, {})]
        self.aside = {}
        if sys.gettrace() is not self.tracer and threading.get_ident() == self.thread:
            self.regain()
        return lines

    def regain(self):
        self.spool.trouble("a test set a trace function of its own (sys.settrace): its lines from there on are not known")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.cov.stop()
            self.start()

    def enter(self, key):
        self.look()
        self.parts.append((key, {}))

    def leave(self, key):
        """The lines since `key` was entered; none if it was not."""
        if all(part[0] is not key for part in self.parts):
            return {}
        self.look()
        lines = {}
        while True:
            entered, part = self.parts.pop()
            merge(lines, part)
            if entered is key:
                return lines

    def keep(self, lines):
        merge(self.parts[-1][1], lines)

    def set_aside(self, lines):
        merge(self.aside, lines)

    def importing(self):
        meter, import_module = self, self.import_module

        def exec_module(loader, module):
            ours = threading.get_ident() == meter.thread and meter.plan.inside(getattr(module, "__file__", None) or "")
            listed = sys.modules.get(module.__name__) is module
            if not ours or not listed or any(not name.startswith("__") for name in vars(module)):
                return import_module(loader, module)
            key = object()
            meter.enter(key)
            try:
                import_module(loader, module)
            except BaseException:
                meter.keep(meter.leave(key))
                raise
            meter.leave(key)

        # Like the frames around it, this one is left out of tracebacks and of warnings' stack levels.
        exec_module.__code__ = exec_module.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
        return exec_module

    def apart(self, function):
        """`function`, but the lines that it runs count for no test."""

        @functools.wraps(function)
        def call(*arguments, **named):
            if threading.get_ident() != self.thread:
                return function(*arguments, **named)
            key = object()
            self.enter(key)
            try:
                return function(*arguments, **named)
            finally:
                self.leave(key)

        return call

    def relative(self, lines):
        named = {}
        for path, numbers in lines.items():
            name = self.known.get(path, "")
            if name == "":
                name = self.plan.inside(path)
                if name is not None and not self.plan.include_tests and self.test_code.holds(path):
                    name = None
                self.known[path] = name
            if name is not None and numbers:
                named[name] = numbers
        self.any_line = self.any_line or bool(named)
        return named


class TestCode:
    """Which files are test code: modules with tests, conftest.py, files named like test modules, and
    everything in a folder named test or tests that holds a module with tests."""

    def __init__(self, config):
        self.modules = set()
        self.folders = set()
        names = [name for name in config.getini("python_files") if "/" not in name]
        self.named = re.compile("|".join([glob(name) for name in names] + [r"conftest\.py\Z"]))

    def learn(self, items):
        for item in items:
            # A doctest is in the module that it tests.
            if type(item).__name__ == "DoctestItem" or item.getparent(pytest.Module) is None:
                continue
            path = os.path.realpath(str(item.fspath))
            if path in self.modules:
                continue
            self.modules.add(path)
            folder = os.path.dirname(path)
            while os.path.dirname(folder) != folder:
                if os.path.basename(folder) in ("test", "tests"):
                    self.folders.add(folder + os.sep)
                folder = os.path.dirname(folder)

    def holds(self, path):
        if path in self.modules or self.named.match(os.path.basename(path)):
            return True
        return any(path.startswith(folder) for folder in self.folders)

    def patterns(self):
        """For coverage.py: what need not be traced. Files that slip through are dropped by `holds`."""
        return patterns(sorted(self.modules) + sorted(self.folders)) + ["*/conftest.py"]


class Plan:
    """What fdc asks for."""

    def __init__(self, lines):
        one, many = {}, {"only": [], "exclude": [], "skip": []}
        for line in lines:
            key, _, value = line.partition(" ")
            value = re.sub(r"\\(.)", lambda found: "\n" if found.group(1) == "n" else found.group(1), value)
            if key in many:
                many[key].append(value)
            else:
                one[key] = value
        self.root = os.path.realpath(one["root"])
        self.measure = one.get("measure", "yes") == "yes"
        self.timeout = float(one["timeout"]) if "timeout" in one else None
        self.include_tests = one.get("include-tests") == "yes"
        # A file that says which changes the tests shall be tried on, instead of being run.
        self.mutants = one.get("mutants")
        # What a process may use whose code is not the project's own.
        self.memory = int(one["memory"]) if "memory" in one else None
        self.file = int(one.get("file", 0))
        number, count = one.get("shard", "0 1").split()
        self.shard = int(number), max(int(count), 1)
        self.skip = set(many["skip"])
        self.only = [re.compile(pattern(wanted), re.DOTALL) for wanted in many["only"]]
        self.exclude = [re.compile(pattern(unwanted), re.DOTALL) for unwanted in many["exclude"]]
        # The project's virtual environment, and the folder that fdc put this file into.
        own = os.path.dirname(os.path.realpath(__file__))
        self.libraries = [folder + os.sep for folder in (sys.prefix, own) if self.below(folder)]
        self.places = {}

    @classmethod
    def read(cls, path):
        try:
            with open(path or "", encoding="utf-8", newline="\n") as file:
                return cls(file.read().split("\n")[:-1])
        except (OSError, KeyError, ValueError) as error:
            raise pytest.UsageError("fdc: the plan %r cannot be used: %r; FDC_PLAN names it, run `fdc collect pytest`" % (path, error))

    def tries_mutants(self):
        """Here, or by the program that has put one into the project's copy."""
        return self.mutants is not None or self.memory is not None

    def wants(self, name):
        number, count = self.shard
        return (
            name not in self.skip
            and (not self.only or any(wanted.match(name) for wanted in self.only))
            and not any(unwanted.match(name) for unwanted in self.exclude)
            and fnv1a(name.partition("::")[0]) % count == number
        )

    def asks_for_all(self):
        return not self.skip and not self.only and not self.exclude and self.shard[1] == 1

    def below(self, path):
        return path.startswith(self.root.rstrip(os.sep) + os.sep)

    def inside(self, path):
        """`path` relative to the root; None for other people's code."""
        # The files of a stack are nearly the same for every test that fails.
        if path not in self.places:
            place = self.looked_up(os.path.realpath(path))
            if not os.path.isabs(path):
                return place
            self.places[path] = place
        return self.places[path]

    def looked_up(self, path):
        if not self.below(path) or any(path.startswith(library) for library in self.libraries):
            return None
        name = path[len(self.root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
        return None if "site-packages/" in name or "dist-packages/" in name else text(name)


class Spool:
    """What this process tells fdc: JSON objects, one a line, each written whole."""

    def __init__(self, folder):
        self.folder = folder
        self.pid = os.getpid()
        self.lock = threading.RLock()
        self.said = set()
        self.number = 0
        self.file = None

    def open(self):
        if self.file is not None:
            self.file.close()
        self.number += 1
        # fdc takes the files of a process in the order of their names.
        name = "%d-%06d-%s.jsonl" % (self.pid, self.number, uuid.uuid4().hex)
        try:
            self.file = open(os.path.join(self.folder, name), "ab", buffering=0)
        except OSError as error:
            self.give_up(error)
        self.size = 0
        self.units = {}

    def write(self, event):
        if os.getpid() != self.pid:
            return  # a child that a test forked
        line = (json.dumps(event, separators=(",", ":")) + "\n").encode("ascii")
        with self.lock:
            if self.file is None:
                self.open()
            try:
                rest = line
                while rest:
                    rest = rest[self.file.write(rest) :]
            except OSError as error:
                self.give_up(error)
            self.size += len(line)

    def give_up(self, error):
        """Going on would lose tests, or put a line behind half a line."""
        message = "fdc: cannot report to %s: %s\n" % (self.folder, error)
        os.write(real_stderr, message.encode("utf-8", "backslashreplace"))
        os._exit(EXIT_SPOOL)

    def end(self, name, outcome, seconds, lines, note, trace=None):
        event = {"event": "end", "test": name, "outcome": outcome, "seconds": round(seconds, 6)}
        with self.lock:
            if self.file is None or self.size > SPOOL_FILE_BYTES:
                self.open()
            if lines is not None:
                event["cover"] = {self.unit(path): runs(lines[path]) for path in sorted(lines)}
            if note:
                event["note"] = text(str(note))[:NOTE_CHARACTERS]
            if trace:
                event["failure"] = trace
            self.write(event)

    def unit(self, path):
        number = self.units.get(path)
        if number is None:
            number = self.units[path] = len(self.units)
            self.write({"event": "unit", "id": number, "file": path})
        return str(number)

    def mark(self, name):
        """For the controller of this worker, which only sees that it is gone."""
        with open(self.marker(name), "wb"):
            pass

    def is_marked(self, name):
        return os.path.exists(self.marker(name))

    def marker(self, name):
        return os.path.join(self.folder, "ended-%08x" % fnv1a(name))

    def trouble(self, message):
        if message not in self.said:
            self.said.add(message)
            self.write({"event": "trouble", "message": text(message)})


def withdraw():
    """Sessions that tests start need not load this plug-in at all."""
    others = [name for name in os.environ.get("PYTEST_PLUGINS", "").split(",") if name not in ("", __name__)]
    os.environ.pop("PYTEST_PLUGINS", None)
    if others:
        os.environ["PYTEST_PLUGINS"] = ",".join(others)


def import_coverage(spool):
    try:
        import coverage

        if coverage.version_info >= (6, 0):
            return coverage
        found = "coverage.py %s is too old" % coverage.__version__
    except ImportError as error:
        found = "coverage.py cannot be imported (%s)" % error
    message = "%s; %s needs 6.0 or newer: %s -m pip install -U coverage" % (found, "fdc collect pytest", sys.executable)
    spool.trouble(message)
    raise pytest.UsageError("fdc: " + message)


def fixtures_of(item):
    """The definitions of the fixtures that the item used, asked for by name or while it ran."""
    found = list(getattr(getattr(item, "_request", None), "_fixture_defs", {}).values())
    for name, definitions in getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).items():
        # The last overrides the others, but may ask for the one before by the same name.
        for definition in reversed(definitions):
            found.append(definition)
            if name not in definition.argnames:
                break
    return list(dict.fromkeys(found))


def failure(longrepr):
    """The first line of a failure's message."""
    crash = getattr(longrepr, "reprcrash", None)
    if crash is not None and crash.message:
        return crash.message.splitlines()[0]
    lines = [line for line in str(longrepr).splitlines() if line.strip()]
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (errors or lines or ["no message"])[-1]


def trace(longrepr, raised, plan):
    """How it failed: exception, message and the calls inside the project, innermost first. Nothing of
    the project runs for it: the message is the one that pytest has made already."""
    if raised is None:
        return None
    kind, calls = raised
    frames = []
    while calls is not None:
        code = calls.tb_frame.f_code
        path = plan.inside(code.co_filename)
        if path is not None:
            frames.append([text(path), text(code.co_name), calls.tb_lineno or 0])
        calls = calls.tb_next
    crash = getattr(longrepr, "reprcrash", None)
    # pytest may colour what an assert compared; an escape in the values themselves is spelled out.
    message = COLOURS.sub("", text(crash.message))[:MESSAGE_CHARACTERS] if crash is not None and crash.message else None
    return {"exception": kind.__name__, "message": message, "frames": frames[: -FRAMES - 1 : -1]}


def place(report, item, plan):
    """The test's own file, first and last line, also where it is inherited; as pytest has found it."""
    file, line, _ = report.location
    path = os.path.join(str(item.config.rootdir), file)
    inside = plan.inside(path)
    if inside is None or line is None:
        return None
    try:
        block = inspect.getblock(linecache.getlines(path)[line:])
    except (SyntaxError, ValueError):
        return None
    return [inside, line + 1, line + max(len(block), 1)]


def test_id(item):
    return text(item.nodeid)


def text(value):
    """Without lone surrogates, which are no UTF-8."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def merge(lines, more):
    for path, numbers in more.items():
        known = lines.get(path)
        if known is None:
            lines[path] = set(numbers)
        else:
            known.update(numbers)


def patterns(paths):
    """For coverage.py: files, and folders with all that is in them."""
    return [re.sub(r"[\[\]]", "?", path) + ("*" if path.endswith(os.sep) else "") for path in paths]


def runs(numbers):
    """Ascending runs: first, count, first, count, ..."""
    found, following = [], None
    for number in sorted(numbers):
        if number == following:
            found[-1] += 1
        else:
            found += [number, 1]
        following = number + 1
    return found


def glob(wanted):
    """A regular expression for the whole of a name; `*` is any characters, `?` one."""
    return "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in wanted) + r"\Z"


def pattern(wanted):
    return glob(wanted) if "*" in wanted or "?" in wanted else ".*" + re.escape(wanted)


def fnv1a(name):
    value = 0x811C9DC5
    for byte in name.encode("utf-8"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value
