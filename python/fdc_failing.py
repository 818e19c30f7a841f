"""pytest plug-in of `pytest --fdc`: where to look, in three lines at the end of a failing run.

What is measured. If there is no case yet, every test that runs. If there is one (`--fdc-case`, default:
`case.fdc` in the root folder), the tests that it does not know, and those that a changed file has made
stale; the others run without a tracer. How tests are measured is told in fdc_pytest.py.

What is kept. When something was measured or failed, or ended otherwise than the case tells, the program
`fdc` puts it into the case as the run ends, and ranks the suspects. Else it is not started. It is
`FDC_PROGRAM`, or `fdc` on PATH; the Python module `fdc` does the same where there is no program.

The run stays what it is: which tests run, how it ends and its exit code. What this plug-in cannot do
is told in one line.

Installed with the Python module `fdc`; `fdc watch` brings its own (FDC_CASE names the case then).
"""
import hashlib
import os
import sys
import tempfile
import time
import uuid

import pytest

NAME = "fdc_failing_run"
PATIENCE = 300


def pytest_addoption(parser):
    group = parser.getgroup("fdc", "suspects of failing tests")
    group.addoption("--fdc", action="store_true", help="end a failing run with the places to look at first")
    group.addoption("--fdc-case", metavar="FILE", help="case file to use and bring up to date (default: case.fdc in the root folder)")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    wanted = getattr(config.option, "fdc", False) or "FDC_CASE" in os.environ
    worker = getattr(config, "workerinput", None)
    if not wanted or "FDC_SPOOL" in os.environ or config.pluginmanager.hasplugin(NAME):
        return
    if getattr(config.option, "collectonly", False) or worker is not None and NAME not in worker:
        return
    try:
        run = FailingRun(config) if worker is None else FailingRun(config, worker[NAME])
        config.pluginmanager.register(run, NAME)
    except Exception as error:
        say(config, "cannot measure: %s" % in_words(error))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    run = config.pluginmanager.get_plugin(NAME)
    if run is None or run.config is not config:
        return
    try:
        run.finish()
    except KeyboardInterrupt:
        say(config, "stopped: the case is as it was")
    except Exception as error:
        say(config, in_words(error))


class FailingRun:
    """What this session needs to know, in a worker of xdist as well."""

    def __init__(self, config, told=None):
        self.config = config
        self.is_worker = told is not None
        self.is_controller = False
        self.root = os.path.realpath(str(config.rootpath))
        self.failing = False
        self.recorder = None
        self.exitstatus, self.stopped = None, True
        if told is None:
            case = getattr(config.option, "fdc_case", None) or os.environ.get("FDC_CASE")
            here = str(config.invocation_params.dir)
            self.case = os.path.join(here, case) if case else os.path.join(self.root, "case.fdc")
            self.began = time.time_ns()
            self.folder = os.path.join(tempfile.gettempdir(), "fdc-%s" % uuid.uuid4().hex)
            self.stale = None
        else:
            self.case, self.folder, self.stale = told
        self.known = Known(self.case)
        self.refused = self.why_not()

    def why_not(self):
        """What keeps this session from measuring, if anything does."""
        if getattr(self.config.option, "cov_source", None):
            return "not measured, since pytest-cov measures this run"
        if sys.gettrace() is not None:
            return "not measured, since something else traces this run"
        return None

    def find_stale(self):
        """The measured tests that have to be measured again; `True` for all."""
        if self.stale is None:
            changed = self.known.names and not self.refused and self.known.has_changed(self.root, self.config)
            self.stale = self.ask_for_stale() if changed else []
        return self.stale

    def ask_for_stale(self):
        stale = Program.find().stale(self.case, self.root)
        return True if stale is None else stale

    def wants(self, name):
        if self.refused or name in self.known.skipped:
            return False
        return self.stale is True or name in self.stale or name not in self.known.names

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        self.is_controller = True
        try:
            self.find_stale()
        except Exception as error:
            self.give_up(error)
        node.workerinput[NAME] = [self.case, self.folder, self.stale if self.stale is True else list(self.stale)]

    def give_up(self, error):
        self.refused, self.stale = "not measured: %s" % in_words(error), set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        try:
            self.stale = self.find_stale()
            if self.stale is not True:
                self.stale = set(self.stale)
        except Exception as error:
            self.give_up(error)
        if self.is_controller:
            return
        # Imported only now: sessions without `--fdc` do not pay for it.
        import fdc_failing_tests

        if any(self.wants(item.nodeid) for item in items):
            try:
                self.recorder = fdc_failing_tests.Measured(self, items)
                return
            except Exception as error:
                self.give_up(error)
        self.recorder = fdc_failing_tests.Outcomes(self)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtestloop(self):
        if not self.is_controller:
            withdraw()
        if self.recorder is not None:
            self.recorder.begin()
            self.config.pluginmanager.register(self.recorder, "fdc_failing_tests")
        yield
        if self.recorder is not None:
            self.recorder.stop()

    def pytest_runtest_logreport(self, report):
        self.failing = self.failing or report.failed

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, crashitem, report):
        self.failing = True
        self.write({"event": "judged", "test": crashitem, "outcome": "fail", "note": "the worker process died in it"})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        self.exitstatus = int(exitstatus)
        self.stopped = bool(session.shouldstop or session.shouldfail)

    def finish(self):
        """Everything after the run."""
        if self.is_worker:
            return
        if self.refused and self.failing:
            say(self.config, self.refused)
        try:
            broken = self.recorder and self.recorder.spool.broken
            if broken:
                raise Trouble(broken)
            if os.path.isdir(self.folder):
                if self.was_whole():
                    self.write({"event": "bye"})
                for line in Program.find().report(self):
                    say(self.config, line)
        finally:
            if os.path.isdir(self.folder):
                import shutil

                shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, event):
        import fdc_failing_tests

        fdc_failing_tests.QuietSpool(self.folder).write(event)

    def was_whole(self):
        """Whether a test of the case that was not seen is gone."""
        option = self.config.option
        chosen = any(getattr(option, name, None) for name in ("keyword", "markexpr", "deselect", "lf", "stepwise", "ignore", "ignore_glob"))
        if self.stopped or self.exitstatus not in (0, 1) or chosen or any("::" in argument for argument in self.config.args):
            return False
        here = str(self.config.invocation_params.dir)
        asked = [os.path.realpath(os.path.join(here, argument)) for argument in self.config.args]
        files = {os.path.join(self.root, name.partition("::")[0]) for name in self.known.names}
        return all(any(file == path or file.startswith(path.rstrip(os.sep) + os.sep) for path in asked) for file in files)


class Known:
    """What the case tells of tests and files."""

    def __init__(self, case):
        self.names, self.skipped, self.stamps = {}, set(), None
        if not os.path.exists(case) or not os.path.getsize(case):
            return
        import sqlite3
        from urllib.request import pathname2url

        connection = sqlite3.connect("file:%s?mode=ro" % pathname2url(os.path.abspath(case)), uri=True)
        try:
            self.names = dict(connection.execute("SELECT name, outcome FROM test WHERE runs > 0"))
            self.skipped = {name for name, in connection.execute("SELECT name FROM skipped")}
            told = connection.execute("SELECT value FROM about WHERE key = 'stamps'").fetchone()
            self.stamps = told and told[0]
        except sqlite3.Error as error:
            raise Trouble("%s cannot be used: %s" % (case, error))
        finally:
            connection.close()

    def has_changed(self, root, config):
        """Whether any file is not what was measured; fdc tells what follows."""
        if self.stamps is None:
            return True
        paths = set()
        for line in self.stamps.splitlines():
            digest, size, modified, path = line.split(" ", 3)
            paths.add(path)
            path = os.path.join(root, path)
            try:
                found = os.stat(path)
                if found.st_size != int(size) or digest == "-":
                    return True
                if found.st_mtime_ns != int(modified) and digest_of(path) != digest:
                    return True
            except OSError:
                return True
        loaded = [getattr(plugin, "__file__", None) or "" for plugin in config.pluginmanager.get_plugins()]
        own = [os.path.relpath(path, root) for path in loaded if os.path.basename(path) == "conftest.py"]
        return any(path not in paths and not path.startswith(os.pardir) for path in own)

    def is_news(self, name, outcome):
        if name not in self.names:
            # Skipped before, it is to be measured; of one that was never seen there is nothing to tell.
            return outcome != "skip" and name in self.skipped
        if outcome == "skip":
            return self.names[name] is not None
        return outcome == "fail" or self.names[name] != outcome


class Program:
    """Whatever of fdc there is to put a run into a case."""

    @staticmethod
    def find():
        import shutil

        path = os.environ.get("FDC_PROGRAM") or shutil.which("fdc")
        if path:
            return Program([path])
        try:
            import fdc._fdc
        except ImportError:
            raise Trouble("the program fdc is not on PATH")
        return Module(fdc._fdc)

    def __init__(self, command):
        self.command = command

    def stale(self, case, root):
        import json

        return json.loads(self.answer(["--stale", "--root", root, "--case", case]))

    def report(self, run):
        told = ["--reported", run.folder, "--began", str(run.began), "--root", run.root, "--case", as_typed(run)]
        return [line[len("fdc: ") :] for line in self.answer(told).splitlines()]

    def answer(self, arguments):
        import subprocess

        done = subprocess.run(
            [*self.command, "watch", "--quiet", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
        )
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["exit code %d" % done.returncode]
            raise Trouble(said[0][len("error: ") :] if said[0].startswith("error: ") else said[0])
        return done.stdout.decode("utf-8")


class Module:
    """The same inside this process."""

    def __init__(self, module):
        self.module = module

    def stale(self, case, root):
        return self.module.stale_tests(case, root)

    def report(self, run):
        lines = self.module.take_in_run(run.folder, run.root, as_typed(run), run.began)
        return [line[len("fdc: ") :] for line in lines]


class Trouble(Exception):
    """Something to say in one line."""


def withdraw():
    """Sessions that tests start are not this run."""
    os.environ.pop("FDC_CASE", None)
    others = [name for name in os.environ.get("PYTEST_PLUGINS", "").split(",") if name not in ("", __name__)]
    os.environ.pop("PYTEST_PLUGINS", None)
    if others:
        os.environ["PYTEST_PLUGINS"] = ",".join(others)


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:32]


def as_typed(run):
    """The case as a person would name it from where they are."""
    path = os.path.relpath(run.case)
    return run.case if path.startswith(os.pardir) else path


def in_words(error):
    words = str(error).splitlines()
    return words[0] if isinstance(error, Trouble) and words else "%s: %s" % (type(error).__name__, words[0] if words else "")


def say(config, line):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line("fdc: %s" % line)
