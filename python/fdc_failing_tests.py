"""How the tests of `pytest --fdc` are looked at: their outcomes, and the lines of those that are wanted."""
import os
import sys
import types

import fdc_pytest
import pytest


class Outcomes(fdc_pytest.Recorder):
    """How tests end, and nothing else. Told is what the case does not know."""

    # This is not our run: which tests run, and what is said of it, is pytest's own business.
    pytest_collection_modifyitems = pytest_collection_finish = pytest_collectreport = None
    pytest_configure_node = pytest_xdist_node_collection_finished = pytest_handlecrashitem = None
    pytest_runtestloop = pytest_sessionfinish = None
    pytest_fixture_setup = pytest_fixture_post_finalizer = pytest_runtest_teardown = None
    measures = False

    def __init__(self, run):
        plan = fdc_pytest.Plan(["root " + run.root, "measure " + ("yes" if self.measures else "no")])
        super().__init__(run.config, plan, QuietSpool(run.folder), is_worker=run.is_worker)
        self.run = run
        self.still_skipped = []

    def begin(self):
        pass

    def stop(self):
        self.meter.stop()
        if self.spool.file is not None:
            # A change that is put into the case makes it forget them.
            for event in self.still_skipped:
                self.spool.write(event)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.test = test = fdc_pytest.Test(fdc_pytest.test_id(item), item)
        outcome = yield
        self.test = None
        if outcome.excinfo is None:
            self.judge(test)

    def judge(self, test):
        known = self.run.known
        outcome = test.outcome()
        if outcome == "pass" and known.names.get(test.name) == "pass":
            return
        event = {"event": "judged", "test": test.name, "outcome": outcome, "note": test.note}
        if test.failed and test.failure:
            event["failure"] = test.failure
        if known.is_news(test.name, outcome):
            self.spool.write(event)
        elif outcome == "skip":
            self.still_skipped.append(dict(event, event="end"))


class Measured(Outcomes):
    """How tests end, and the lines of those that are wanted."""

    pytest_fixture_post_finalizer = fdc_pytest.Recorder.pytest_fixture_post_finalizer
    pytest_runtest_teardown = fdc_pytest.Recorder.pytest_runtest_teardown
    measures = True

    def __init__(self, run, items):
        # Says what is missing without a word to the spool.
        fdc_pytest.import_coverage(types.SimpleNamespace(trouble=lambda message: None))
        super().__init__(run)
        self.test_code.learn(items)

    def begin(self):
        self.meter = QuietMeter(self.coverage, self.plan, self.test_code, self.spool)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        name = fdc_pytest.test_id(item)
        wanted = self.run.wants(name)
        if wanted:
            self.meter.wake()
        else:
            self.meter.sleep()
        self.test = test = fdc_pytest.Test(name, item)
        self.meter.begin()
        outcome = yield
        self.test = None
        if outcome.excinfo is not None:
            return
        if wanted:
            self.end(test)
        else:
            self.judge(test)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        # Its lines count for every test that uses it, also for those that are measured.
        slept = fixturedef.scope != "function" and self.test is not None and self.meter.wake()
        yield from fdc_pytest.Recorder.pytest_fixture_setup(self, fixturedef, request)
        if slept:
            self.meter.sleep()


class QuietMeter(fdc_pytest.CoverageMeter):
    """Traces only while tests run that are measured."""

    awake = True

    def sleep(self):
        if self.awake:
            self.awake = False
            self.cov.stop()

    def wake(self):
        """Whether it slept."""
        slept = not self.awake
        if slept:
            self.awake = True
            self.cov.start()
            self.tracer = sys.gettrace()
        return slept

    def look(self):
        if self.awake:
            super().look()

    def stop(self):
        self.wake()
        super().stop()


class QuietSpool(fdc_pytest.Spool):
    """Makes its folder when there is something to tell, and never ends the process."""

    broken = None

    def open(self):
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        super().open()

    def write(self, event):
        if self.broken is None:
            try:
                super().write(event)
            except OSError as error:
                self.broken = error

    def end(self, *told):
        if self.broken is None:
            try:
                super().end(*told)
            except OSError as error:
                self.broken = error

    def give_up(self, error):
        raise OSError("cannot report to %s: %s" % (self.folder, error))
