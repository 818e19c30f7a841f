"""Which tests are run, workers, and sessions that end badly."""
import re

import pytest

FOUR = "def test_a(): pass\ndef test_b(): pass\nclass TestC:\n    def test_ca(self): pass\n    def test_cb(self): pass\n"


@pytest.mark.parametrize(
    "plan, run",
    [
        (["only *::test_a"], ["test_a"]),
        (["only test_a"], ["test_a"]),
        (["only TestC"], ["test_ca", "test_cb"]),
        (["only *C::test_?a"], ["test_ca"]),
        (["only test_?"], []),
        (["only test_a", "only test_cb"], ["test_a", "test_cb"]),
        (["exclude TestC"], ["test_a", "test_b"]),
        (["only *c?", "exclude *a"], ["test_cb"]),
        (["skip test_four.py::test_a", "skip test_four.py::TestC::test_ca"], ["test_b", "test_cb"]),
        (["skip test_a"], ["test_a", "test_b", "test_ca", "test_cb"]),
    ],
)
def test_the_plan_says_which_tests_are_run(project, plan, run):
    project.file("test_four.py", FOUR)
    report = project.collect(plan=["measure no", *plan])
    assert list(report.outcomes()) == run
    assert report.plans == [len(run)] and report.byes == 1 and not report.troubles


def test_shards_split_by_file_and_miss_nothing(project):
    for number in range(12):
        project.file("unit/test_%d.py" % number, "def test_a(): pass\ndef test_b(): pass\n")
    shards = [set(project.collect(plan=["measure no", "shard %d 3" % number]).tests) for number in range(3)]
    assert all(shards) and sum(map(len, shards)) == 24 and len(set.union(*shards)) == 24
    for shard in shards:
        files = {name.partition("::")[0] for name in shard}
        assert len(shard) == 2 * len(files)


def test_shards_are_told_by_the_fnv_hash_of_the_file():
    from fdc_pytest import fnv1a

    # The published test values of FNV-1a, 32 bits.
    assert [fnv1a(name) for name in ("", "a", "foobar")] == [0x811C9DC5, 0xE40C292C, 0xBF9CF968]


def test_xdist_workers_report_themselves(shop):
    pytest.importorskip("xdist")
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.fixture(scope="session")
        def door(): return shop.opened("x")

        @pytest.mark.parametrize("i", range(20))
        def test_a(i, door): assert shop.price(i) == 3 * i
        def test_bad(): shop.price(-1)
        """,
    )
    report = shop.collect("-n", "2")
    assert len(report.tests) == 21 and report.plans == [21] and report.byes == 3, report.output
    assert len(report.files) == 3
    lines = report.lines("shop.py")
    assert lines.pop("test_bad") == [5, 6]
    assert set(map(tuple, lines.values())) == {(5, 7, 11)}


def test_a_worker_that_dies_loses_only_its_test(shop):
    pytest.importorskip("xdist")
    shop.file(
        "test_shop.py",
        """
        import os, signal, pytest, shop
        @pytest.mark.parametrize("i", range(6))
        def test_a(i): shop.price(1)
        def test_kill(): os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    report = shop.collect("-n", "2")
    assert len(report.tests) == 7 and report.byes == len(report.files) - 1, report.output
    assert report.test("test_kill")["note"] == "the worker process died in it"
    assert [test["outcome"] for test in report.tests.values()].count("fail") == 1


def test_a_killed_process_leaves_a_test_begun_and_no_bye(project):
    project.file("test_a.py", "import os, signal\ndef test_a(): pass\ndef test_kill(): os.kill(os.getpid(), signal.SIGKILL)\ndef test_c(): pass\n")
    report = project.collect()
    assert list(report.tests) == ["test_a.py::test_a"] and report.byes == 0
    assert report.begun[-1] == "test_a.py::test_kill"
    rest = project.collect(plan=["skip test_a.py::test_a", "skip test_a.py::test_kill"])
    assert list(rest.tests) == ["test_a.py::test_c"] and rest.byes == 1


def test_a_test_that_exits_pytest_fails_and_the_rest_is_left_for_later(project):
    project.file("test_a.py", "import pytest\ndef test_a(): pytest.exit('enough')\ndef test_b(): pass\n")
    report = project.collect()
    assert report.outcomes() == {"test_a": "fail"} and report.byes == 0
    assert "enough" in report.test("test_a")["note"]


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_hanging_test_is_ended_with_its_lines(shop, arguments):
    shop.file("slow.py", "import time\n\n\ndef wait(since=0):\n    while time.time() > since:\n        time.sleep(0.01)\n")
    shop.file(
        "test_a.py",
        """
        import pytest, shop, slow
        @pytest.fixture(scope="module")
        def door(): shop.opened("x")
        def test_before(door): pass
        def test_hang(door):
            shop.price(1)
            slow.wait()
        """,
    )
    report = shop.collect(*arguments, plan=["timeout 0.5"])
    hung = report.test("test_hang")
    assert hung["outcome"] == "fail" and re.match(r"timed out after 0.5 s at slow.py:[56]$", hung["note"])
    assert hung["lines"] == {"shop.py": [5, 7, 11], "slow.py": [5, 6]}
    assert report.outcomes()["test_before"] == "pass"
    if not arguments:
        assert report.code == 75 and report.byes == 0


def test_no_timeout_strikes_a_test_that_is_in_time(project):
    project.file("test_a.py", "import time, pytest\n@pytest.mark.parametrize('i', range(12))\ndef test_a(i): time.sleep(0.1)\n")
    report = project.collect(plan=["timeout 1"])
    assert len(report.tests) == 12 and report.byes == 1 and report.code == 0


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_broken_module_is_named_and_the_others_are_run(project, arguments):
    project.file("test_bad.py", "import nowhere\n")
    project.file("test_good.py", "def test_a(): pass\n")
    report = project.collect(*arguments, plan=["measure no"])
    assert report.troubles == ["test_bad.py could not be collected: ModuleNotFoundError: No module named 'nowhere'"], report.output
    assert report.outcomes() == {"test_a": "pass"} and report.byes == len(report.files)


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_no_tests_at_all_is_said(project, arguments):
    project.file("other.py", "def test_a(): pass\n")
    report = project.collect(*arguments)
    assert len(report.troubles) == 1 and report.troubles[0].startswith("pytest found no tests in "), report.output
    assert report.plans == [0] and report.byes == len(report.files)


def test_without_coverage_the_message_says_how_to_get_it(project, tmp_path):
    (tmp_path / "coverage.py").write_text("raise ImportError('none here')\n")
    project.file("test_a.py", "def test_a(): pass\n")
    report = project.collect("-p", "no:cov", path=[tmp_path])
    assert report.code == 4 and not report.begun
    assert "none here" in report.troubles[0] and "-m pip install -U coverage" in report.troubles[0]
    assert report.troubles[0] in report.output
    assert project.collect("-p", "no:cov", path=[tmp_path], plan=["measure no"]).outcomes() == {"test_a": "pass"}


def test_a_spool_that_cannot_be_written_ends_the_run_with_a_message(project):
    project.file("test_a.py", "import os, shutil\ndef test_a():\n    shutil.rmtree(os.environ['FDC_SPOOL'])\n")
    project.file("conftest.py", "import fdc_pytest\nfdc_pytest.SPOOL_FILE_BYTES = 0\n")
    report = project.collect()
    assert report.code == 74 and "fdc: cannot report to " in report.output


@pytest.mark.parametrize("plan", ["measure yes\n", "root /x\ntimeout soon\n", "root /x\nshard 1\n"])
def test_a_plan_that_cannot_be_used_is_a_usage_error(project, plan):
    project.file("test_a.py", "def test_a(): pass\n")
    report = project.collect(plan_text=plan)
    assert report.code == 4 and "fdc: the plan" in report.output


def test_a_long_spool_goes_on_in_another_file(shop):
    shop.file("test_a.py", "import pytest, shop\n@pytest.mark.parametrize('i', range(30))\ndef test_a(i): shop.price(1)\n")
    shop.file("conftest.py", "import fdc_pytest\nfdc_pytest.SPOOL_FILE_BYTES = 1000\n")
    report = shop.collect()
    assert len(report.files) > 3 and len(report.tests) == 30
    assert set(map(tuple, report.lines("shop.py").values())) == {(5, 7)}


def test_a_child_that_a_test_forks_reports_nothing(project):
    project.file(
        "test_a.py",
        """
        import os, pytest
        def test_a():
            if os.fork() == 0:
                raise RuntimeError("in the child")  # goes on with the session
            os.wait()
        def test_b(): pass
        """,
    )
    report = project.collect()
    assert report.outcomes() == {"test_a": "pass", "test_b": "pass"} and report.byes == 1
