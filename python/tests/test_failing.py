"""`pytest --fdc`: what it measures, what it tells fdc, and that the run stays what it is."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest
from project import PLUGIN

SHOP_TESTS = """
    import pytest, shop

    @pytest.fixture(scope="module")
    def name(): return shop.opened("x")

    def test_price(): assert shop.price(2) == 6
    def test_opened(name): assert name == "X"
    def test_again(name): assert name
    @pytest.mark.skip
    def test_skipped(): pass
    def test_bad(): assert shop.price(1) == 4
"""
# Stands for the program: keeps what it is told, and says one line.
PROGRAM = """#!%s
import json, pathlib, shutil, sys
told = pathlib.Path(%r)
if (told / "broken").exists():
    sys.exit("error: it is broken\\n  mend it")
elif "--stale" in sys.argv:
    print((told / "stale.json").read_text())
else:
    shutil.copytree(sys.argv[sys.argv.index("--reported") + 1], str(told / "spool"))
    print("fdc: 1. shop.py:5 price (90 %%)")
"""


class Watched:
    """A project that is tested with `--fdc`."""

    def __init__(self, project):
        self.project = project
        self.told = project.root.parent / "told"
        self.told.mkdir()
        self.program = project.root.parent / "fdc"
        self.program.write_text(PROGRAM % (sys.executable, str(self.told)))
        self.program.chmod(0o755)

    def run(self, *arguments, env=()):
        """Exit code, what is said, and the events of the run by test."""
        shutil.rmtree(str(self.told / "spool"), ignore_errors=True)
        surroundings = {key: value for key, value in os.environ.items() if not key.startswith(("FDC_", "PYTEST_", "COV"))}
        surroundings.update({"FDC_PROGRAM": str(self.program), "PYTHONPATH": str(PLUGIN.parent)}, **dict(env))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "fdc_failing", "--fdc", *arguments],
            cwd=str(self.project.root),
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            timeout=120,
        )
        said = [line for line in done.stdout.splitlines() if line.startswith("fdc: ")]
        assert "Traceback" not in "\n".join(said), done.stdout
        lines = [line for path in sorted(self.told.glob("spool/*.jsonl")) for line in path.read_text().splitlines()]
        events = [json.loads(line) for line in lines]
        whole = any(event["event"] == "bye" for event in events)
        tests = {event["test"].rpartition("::")[2]: event for event in events if event["event"] in ("end", "judged")}
        return done.returncode, said, tests, whole

    def case(self, outcomes, skipped=(), stamps=""):
        """A case as far as the plug-in reads it."""
        path = self.project.root / "case.fdc"
        if path.exists():
            path.unlink()
        connection = sqlite3.connect(str(path))
        connection.execute("CREATE TABLE test (name, outcome, runs)")
        connection.execute("CREATE TABLE skipped (name)")
        connection.execute("CREATE TABLE about (key, value)")
        tests = [("test_shop.py::" + name, outcome, 1) for name, outcome in outcomes.items()]
        connection.executemany("INSERT INTO test VALUES (?, ?, ?)", tests)
        connection.executemany("INSERT INTO skipped VALUES (?)", [("test_shop.py::" + name,) for name in skipped])
        connection.execute("INSERT INTO about VALUES ('stamps', ?)", [stamps])
        connection.commit()
        connection.close()

    def stale(self, names):
        names = names and ["test_shop.py::" + name for name in names]
        (self.told / "stale.json").write_text(json.dumps(names))


ALL_PASS = {"test_price": "pass", "test_opened": "pass", "test_again": "pass", "test_bad": "pass"}


@pytest.fixture
def watched(shop):
    shop.file("test_shop.py", SHOP_TESTS)
    return Watched(shop)


def test_without_a_case_all_tests_are_measured(watched):
    code, said, tests, whole = watched.run()
    assert (code, said, whole) == (1, ["fdc: 1. shop.py:5 price (90 %)"], True)
    assert {name: (test["event"], test["outcome"]) for name, test in tests.items()} == {
        "test_price": ("end", "pass"),
        "test_opened": ("end", "pass"),
        "test_again": ("end", "pass"),
        "test_skipped": ("end", "skip"),
        "test_bad": ("end", "fail"),
    }
    assert tests["test_price"]["cover"] and tests["test_bad"]["failure"]["exception"] == "AssertionError"
    # What the module's fixture ran counts for both.
    assert tests["test_again"]["cover"] == tests["test_opened"]["cover"] != {}


def test_with_a_case_only_stale_and_new_tests_are_measured(watched):
    known = dict(ALL_PASS)
    del known["test_price"]
    watched.case(known, ["test_skipped"], "- 1 1 shop.py\n")
    watched.stale(["test_again"])
    _, _, tests, _ = watched.run()
    measured = {name for name, test in tests.items() if "cover" in test}
    assert measured == {"test_again", "test_price"}
    assert tests["test_again"]["cover"], "the fixture ran in another test"
    assert (tests["test_bad"]["event"], tests["test_bad"]["outcome"]) == ("judged", "fail")
    assert "test_opened" not in tests, "nothing new"


def test_a_change_that_may_concern_any_test_measures_all(watched):
    watched.case(ALL_PASS, stamps="- 1 1 shop.py\n")
    watched.stale(None)
    _, _, tests, _ = watched.run()
    assert all("cover" in test for test in tests.values()) and len(tests) == 5


def test_where_nothing_is_new_nothing_is_started(watched):
    watched.case(dict(ALL_PASS, test_bad="fail"), ["test_skipped"])
    code, said, tests, _ = watched.run("--deselect", "test_shop.py::test_bad")
    assert (code, said, tests) == (0, [], {})
    # A test that failed before and passes now is told.
    watched.project.file("test_shop.py", SHOP_TESTS.replace("== 4", "== 3"))
    code, said, tests, whole = watched.run()
    assert code == 0 and whole
    assert {name: test["outcome"] for name, test in tests.items()} == {"test_bad": "pass", "test_skipped": "skip"}


@pytest.mark.parametrize("arguments", [["-k", "price or bad"], ["test_shop.py::test_bad"], ["-x"]])
def test_a_part_of_the_tests_is_told_as_a_part(watched, arguments):
    watched.case(ALL_PASS, ["test_skipped"])
    _, _, tests, whole = watched.run(*arguments)
    assert tests["test_bad"]["outcome"] == "fail" and not whole


def test_xdist_workers_measure(watched):
    pytest.importorskip("xdist")
    code, said, tests, whole = watched.run("-n", "2")
    assert (code, len(said), whole) == (1, 1, True)
    assert len(tests) == 5 and tests["test_price"]["cover"]
    watched.case(dict(ALL_PASS, test_bad="fail"), ["test_skipped"])
    _, _, tests, _ = watched.run("-n", "2")
    assert tests["test_bad"]["event"] == "judged" and "test_price" not in tests


def test_a_worker_that_dies_is_told_and_the_others_count(watched):
    pytest.importorskip("xdist")
    watched.project.file("test_dies.py", "import os\ndef test_dies(): os._exit(3)\n")
    code, said, tests, _ = watched.run("-n", "2")
    assert code == 1 and said
    assert tests["test_dies"]["outcome"] == "fail" and len(tests) == 6


def test_beside_pytest_cov_nothing_is_measured_and_that_is_said(watched):
    pytest.importorskip("pytest_cov")
    code, said, tests, _ = watched.run("--cov", "--cov-report=")
    assert (code, tests) == (1, {})
    assert said == ["fdc: not measured, since pytest-cov measures this run"]


def test_whatever_goes_wrong_is_one_line_and_the_run_is_as_it_was(watched):
    (watched.told / "broken").touch()
    code, said, _, _ = watched.run()
    assert (code, said) == (1, ["fdc: it is broken"])
    code, said, _, _ = watched.run(env={"FDC_PROGRAM": "/nowhere/fdc"})
    assert code == 1 and len(said) == 1 and "/nowhere/fdc" in said[0]
    watched.case(ALL_PASS, stamps="- 1 1 shop.py\n")
    code, said, _, _ = watched.run()
    assert code == 1 and said == ["fdc: not measured: it is broken", "fdc: it is broken"]
    (watched.project.root / "case.fdc").write_text("no case")
    code, said, _, _ = watched.run()
    assert code == 1 and len(said) == 1 and "cannot be used" in said[0]


def test_an_interrupted_run_tells_what_was_finished(watched):
    watched.project.file("test_stop.py", "def test_stop(): raise KeyboardInterrupt\ndef test_never(): pass\n")
    code, said, tests, whole = watched.run()
    assert code == 2 and not whole
    assert "test_bad" in tests and "test_stop" not in tests and len(said) == 1


def test_no_traces_are_left(watched):
    code, _, _, _ = watched.run("--collect-only")
    assert code == 0 and not (watched.told / "spool").exists()
    # A pytest that a test starts is no part of the run.
    watched.project.file(
        "test_inner.py",
        """
        import subprocess, sys

        def test_inner():
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_shop.py"], stdout=subprocess.PIPE)
            assert done.returncode == 1 and b"fdc: " not in done.stdout
        """,
    )
    case = str(watched.project.root / "case.fdc")
    code, said, tests, _ = watched.run("test_inner.py", env={"FDC_CASE": case, "PYTEST_PLUGINS": "fdc_failing"})
    assert code == 0 and list(tests) == ["test_inner"]
