"""Pass, fail or skip, and the note that says why."""
import pytest


def test_the_outcome_is_the_worst_of_setup_call_and_teardown(project):
    project.file(
        "test_a.py",
        """
        import os, sys, pytest

        @pytest.fixture
        def bad_setup(): raise OSError("no disk")

        @pytest.fixture
        def bad_teardown():
            yield
            assert 1 == 2, "left over"

        def test_pass(): pass
        def test_fail(): assert 1 == 2, "first line"
        def test_setup(bad_setup): pass
        def test_teardown(bad_teardown): pass
        def test_exit(): sys.exit(3)
        def test_skip(): pytest.skip("no network")
        @pytest.mark.skip(reason="slow")
        def test_marked(): pass
        @pytest.mark.xfail(reason="known")
        def test_xfail(): assert False
        @pytest.mark.xfail(reason="known")
        def test_xpass(): pass
        @pytest.mark.xfail(reason="known", strict=True)
        def test_strict(): pass
        @pytest.mark.xfail(raises=KeyError)
        def test_other_error(): raise ValueError("else")
        """,
    )
    report = project.collect()
    assert report.outcomes() == {
        "test_pass": "pass",
        "test_fail": "fail",
        "test_setup": "fail",
        "test_teardown": "fail",
        "test_exit": "fail",
        "test_skip": "skip",
        "test_marked": "skip",
        "test_xfail": "skip",
        "test_xpass": "skip",
        "test_strict": "fail",
        "test_other_error": "fail",
    }
    assert report.byes == 1
    notes = {name.rpartition("::")[2]: test.get("note") for name, test in report.tests.items()}
    assert notes["test_pass"] is None
    assert notes["test_fail"] == "AssertionError: first line"
    assert notes["test_setup"] == "in setup: OSError: no disk"
    assert notes["test_teardown"] == "in teardown: AssertionError: left over"
    assert notes["test_exit"] == "SystemExit: 3"
    assert notes["test_skip"] == "Skipped: no network" and notes["test_marked"] == "Skipped: slow"
    assert notes["test_xfail"] == "xfail: known" and notes["test_xpass"] == "xpass: known"


def test_unittest_classes(project):
    project.file(
        "test_a.py",
        """
        import unittest

        class TestCase(unittest.TestCase):
            def test_pass(self): pass
            def test_fail(self): self.fail("wrong")
            def test_error(self): raise KeyError("x")
            @unittest.skip("later")
            def test_skip(self): pass
            @unittest.expectedFailure
            def test_expected(self): self.fail()
            @unittest.expectedFailure
            def test_unexpected(self): pass
            def tearDown(self):
                if self._testMethodName == "test_pass_until": raise OSError("x")
            def test_pass_until(self): pass
        """,
    )
    report = project.collect()
    assert report.outcomes() == {
        "test_pass": "pass",
        "test_fail": "fail",
        "test_error": "fail",
        "test_skip": "skip",
        "test_expected": "skip",
        "test_unexpected": "fail",
        "test_pass_until": "fail",
    }
    assert "test_a.py::TestCase::test_pass" in report.tests


def test_a_failing_subtest_fails_the_test(project):
    if not hasattr(pytest, "Subtests"):
        pytest.importorskip("pytest_subtests")
    project.file(
        "test_a.py",
        """
        import unittest, pytest

        class TestCase(unittest.TestCase):
            def test_fail(self):
                for i in range(3):
                    with self.subTest(i=i): self.assertNotEqual(i, 1)
            def test_pass(self):
                with self.subTest(): pass

        def test_plain_fail(subtests):
            for i in range(3):
                with subtests.test(i=i): assert i != 1
        def test_plain_skip(subtests):
            with subtests.test(): pytest.skip("one of them")
        """,
    )
    assert project.collect().outcomes() == {
        "test_fail": "fail",
        "test_pass": "pass",
        "test_plain_fail": "fail",
        "test_plain_skip": "pass",
    }


def test_of_a_test_that_is_run_again_the_last_attempt_counts(shop):
    pytest.importorskip("pytest_rerunfailures")
    shop.file(
        "test_a.py",
        """
        import shop
        tries = []
        def test_second_time():
            tries.append(1)
            shop.price(-1 if len(tries) == 1 else 1)
        def test_never(): shop.price(-1)
        """,
    )
    report = shop.collect("--reruns", "2")
    assert report.outcomes() == {"test_second_time": "pass", "test_never": "fail"}
    assert report.lines("shop.py") == {"test_second_time": [5, 7], "test_never": [5, 6]}
    assert report.test("test_second_time")["note"] == "run 2 times"


def test_names_survive_with_odd_characters(project):
    names = ["a b", "[x]", "ü", "a::b", "back\\slash", "new\nline", '"quoted"', "\U0001f600", ""]
    project.file("test_a.py", "import pytest\n@pytest.mark.parametrize('x', %r)\ndef test_a(x): pass\n" % names)
    report = project.collect()
    assert len(report.tests) == len(names) and report.byes == 1
    first = next(iter(report.tests))
    escaped = [name.replace("\\", "\\\\").replace("\n", "\\n") for name in report.tests if name != first]
    again = project.collect(plan=["skip " + name for name in escaped])
    assert list(again.tests) == [first]


def test_options_that_end_a_run_early_are_switched_off(project):
    project.file("pytest.ini", "[pytest]\naddopts = -x --maxfail=1 --pdb\n")
    project.file("test_a.py", "def test_a(): assert 0\ndef test_b(): assert 0\ndef test_c(): pass\n")
    report = project.collect()
    assert report.outcomes() == {"test_a": "fail", "test_b": "fail", "test_c": "pass"} and report.byes == 1


def test_a_note_is_short_and_valid_text(project):
    project.file("test_a.py", "def test_a(): raise ValueError('\\ud800' + 'x' * 1000)\n")
    note = project.collect().test("test_a")["note"]
    assert len(note) == 300 and "\\ud800" in note


def test_a_failure_tells_its_exception_message_and_calls_and_runs_nothing_of_the_project_for_it(project):
    project.file(
        "shop.py",
        """
        class Odd(Exception):
            def __str__(self): return "only once"
        def total(count):
            return price(count)
        def price(count):
            raise Odd()
        """,
    )
    project.file(
        "test_a.py",
        """
        import shop
        def test_total(): shop.total(3)
        def test_pass(): pass
        """,
    )
    report = project.collect()
    tests = {name.rpartition("::")[2]: test for name, test in report.tests.items()}
    assert "failure" not in tests["test_pass"]
    failure = tests["test_total"]["failure"]
    assert failure["exception"] == "Odd"
    assert "only once" in failure["message"]
    assert [frame[:2] for frame in failure["frames"]] == [["shop.py", "price"], ["shop.py", "total"], ["test_a.py", "test_total"]]
    assert all(line > 0 for _, _, line in failure["frames"])
    assert failure["place"] == ["test_a.py", 2, 2]


def test_an_inherited_test_says_where_it_stands(project):
    project.file(
        "base.py",
        """
        class Base:
            def test_sum(self):
                total = 1 + 1
                assert total == 3

        other = 1
        """,
    )
    project.file(
        "test_a.py",
        """
        import base
        class TestOwn(base.Base): pass
        """,
    )
    (test,) = project.collect().tests.values()
    assert test["failure"]["place"] == ["base.py", 2, 4]


def test_a_failure_of_unittest_tells_its_exception_message_and_calls(project):
    project.file("shop.py", "def price(count):\n    raise KeyError(count)\n")
    project.file(
        "test_a.py",
        """
        import shop, unittest
        class Test(unittest.TestCase):
            def test_price(self): shop.price(3)
            def test_equal(self): self.assertEqual(1, 2, "not so")
            def test_skip(self): self.skipTest("slow")
        class TestSetUp(unittest.TestCase):
            def setUp(self): shop.price(4)
            def test_never(self): pass
        """,
    )
    tests = {name.rpartition("::")[2]: test for name, test in project.collect().tests.items()}
    for name, frames in [("test_price", ["price", "test_price"]), ("test_never", ["price", "setUp"])]:
        failure = tests[name]["failure"]
        assert failure["exception"] == "KeyError" and "KeyError: " in failure["message"], name
        assert [frame[1] for frame in failure["frames"]] == frames
    assert tests["test_equal"]["failure"]["exception"] == "AssertionError"
    assert "1 != 2 : not so" in tests["test_equal"]["failure"]["message"]
    assert tests["test_skip"]["outcome"] == "skip" and "failure" not in tests["test_skip"]
