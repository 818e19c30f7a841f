"""Which lines count for which test."""
import pytest


def test_each_test_has_its_own_lines(shop):
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.mark.parametrize("count", [-1, 2])
        def test_price(count):
            if count < 0:
                with pytest.raises(ValueError):
                    shop.price(count)
            else:
                assert shop.price(count) == 6

        def test_nothing():
            pass

        def test_wrong():
            assert shop.price(1) == 4
        """,
    )
    report = shop.collect()
    assert report.lines("shop.py") == {
        "test_price[-1]": [5, 6],
        "test_price[2]": [5, 7],
        "test_nothing": [],
        "test_wrong": [5, 7],
    }
    assert report.begun == list(report.tests)
    assert report.plans == [4] and report.byes == 1 and not report.troubles
    assert all(set(test["lines"]) <= {"shop.py"} for test in report.tests.values())


@pytest.mark.parametrize("scope", ["function", "class", "module", "package", "session"])
def test_setup_of_a_fixture_counts_for_every_test_that_uses_it(shop, scope):
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.fixture(scope="%s")
        def door():
            name = shop.opened("x")
            yield name
            shop.closed(name)

        @pytest.fixture
        def handle(door):
            return door

        class TestDoor:
            def test_first(self, door): shop.price(1)
            def test_through_another(self, handle): pass
            def test_by_name(self, request): request.getfixturevalue("door")
            def test_without(self): pass
            def test_last(self, door): pass
        """
        % scope,
    )
    lines = shop.collect().lines("shop.py")
    teardown = [15] if scope == "function" else []
    assert lines == {
        "test_first": [5, 7, 11] + teardown,
        "test_through_another": [11] + teardown,
        "test_by_name": [11] + teardown,
        "test_without": [],
        "test_last": [11] + teardown,
    }


def test_each_parameter_of_a_wide_fixture_has_its_own_setup(shop):
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.fixture(scope="module", params=["open", "close"])
        def door(request):
            yield shop.opened("x") if request.param == "open" else shop.closed("x")
            shop.price(1)

        def test_a(door): pass
        def test_b(door): pass
        """,
    )
    assert shop.collect().lines("shop.py") == {"test_a[open]": [11], "test_b[open]": [11], "test_a[close]": [15], "test_b[close]": [15]}


def test_a_fixture_asked_for_inside_a_wide_fixture_counts_too(shop):
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.fixture(scope="session")
        def lock(): shop.closed("x")

        @pytest.fixture(scope="module")
        def door(request):
            request.getfixturevalue("lock")
            shop.opened("x")

        def test_a(door): pass
        def test_b(door): pass
        def test_c(lock): pass
        """,
    )
    assert shop.collect().lines("shop.py") == {"test_a": [11, 15], "test_b": [11, 15], "test_c": [15]}


def test_an_overridden_fixture_counts_only_where_it_is_asked_for(shop):
    shop.file("conftest.py", "import pytest, shop\n@pytest.fixture(scope='session')\ndef door(): shop.opened('x')\n")
    shop.file("test_a.py", "def test_a(door): pass\n")
    shop.file("test_b.py", "import pytest, shop\n@pytest.fixture(scope='module')\ndef door(): shop.price(1)\ndef test_b(door): pass\n")
    shop.file("test_c.py", "import pytest, shop\n@pytest.fixture(scope='module')\ndef door(door): shop.price(1)\ndef test_c(door): pass\n")
    assert shop.collect().lines("shop.py") == {"test_a": [11], "test_b": [5, 7], "test_c": [5, 7, 11]}


def test_a_failing_wide_teardown_counts_for_the_test_that_it_fails(shop):
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.fixture(scope="module")
        def door():
            yield
            shop.price(-1)

        def test_a(door): pass
        def test_b(door): pass
        """,
    )
    report = shop.collect()
    assert report.outcomes() == {"test_a": "pass", "test_b": "fail"}
    assert report.lines("shop.py") == {"test_a": [], "test_b": [5, 6]}
    assert report.test("test_b")["note"] == "in teardown: ValueError: count"


def test_a_failing_wide_setup_fails_every_test_with_its_lines(shop):
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.fixture(scope="module")
        def door(): shop.price(-1)

        def test_a(door): pass
        def test_b(door): pass
        """,
    )
    report = shop.collect()
    assert report.outcomes() == {"test_a": "fail", "test_b": "fail"}
    assert report.lines("shop.py") == {"test_a": [5, 6], "test_b": [5, 6]}


def test_setup_of_classes_and_modules_counts_for_all_their_tests(shop):
    shop.file(
        "test_shop.py",
        """
        import unittest, shop

        def setup_module(): shop.price(1)

        class TestDoor(unittest.TestCase):
            @classmethod
            def setUpClass(cls): shop.opened("x")
            @classmethod
            def tearDownClass(cls): shop.closed("x")
            def test_a(self): pass
            def test_b(self): pass

        class TestPlain:
            def setup_method(self): shop.closed("x")
            def test_c(self): pass
        """,
    )
    assert shop.collect().lines("shop.py") == {"test_a": [5, 7, 11], "test_b": [5, 7, 11], "test_c": [5, 7, 15]}


def test_what_only_words_a_failure_counts_for_no_test(project):
    project.file(
        "coin.py",
        """
        class Coin:  # 1
            def __init__(self, value):  # 2
                self.value = value  # 3

            def __eq__(self, other):  # 5
                return self.value == other.value  # 6

            def __repr__(self):  # 8
                return self.shown()  # 9

            def shown(self):  # 11
                return "Coin(%d)" % self.value  # 12

            def spend(self):  # 14
                raise ValueError(self.value)  # 15
        """,
    )
    project.file(
        "test_coin.py",
        """
        import unittest
        from coin import Coin

        def test_equal():
            assert Coin(1) == Coin(2)

        def test_true():
            coin = Coin(1)
            assert not coin

        def test_with_words():
            assert Coin(1) == Coin(2), Coin(3)

        def test_raised_with_locals():
            coin = Coin(1)
            coin.spend()

        def test_shown_by_the_test_itself():
            coin = Coin(1)
            assert coin.shown() == "Coin(2)"

        class TestCoin(unittest.TestCase):
            def test_unittest(self):
                self.assertEqual(Coin(1), Coin(2))

            def test_unittest_lists(self):
                self.assertEqual([Coin(1)], [Coin(2)])

        def test_after_it_a_test_counts_as_ever():
            assert repr(Coin(1)) == "Coin(1)"
        """,
    )
    report = project.collect("--showlocals")
    assert report.output.count("Coin(1)") > 6, "all is shown as ever"
    assert report.lines("coin.py") == {
        "test_equal": [3, 6],
        "test_true": [3],
        "test_with_words": [3, 6],
        "test_raised_with_locals": [3, 15],
        "test_shown_by_the_test_itself": [3, 12],
        "test_unittest": [3, 6],
        "test_unittest_lists": [3, 6],
        "test_after_it_a_test_counts_as_ever": [3, 9, 12],
    }


def test_teardown_after_a_failure_counts_only_if_it_fails(shop):
    shop.file(
        "test_shop.py",
        """
        import pytest, shop

        @pytest.fixture
        def door():
            yield shop.opened("x")
            shop.closed("x")

        @pytest.fixture
        def stuck(door):
            yield
            shop.price(-1)

        def test_passes(door): pass
        def test_fails(door): assert door == "y"
        def test_fails_twice(stuck): assert not shop
        """,
    )
    lines = shop.collect().lines("shop.py")
    assert lines == {"test_passes": [11, 15], "test_fails": [11], "test_fails_twice": [5, 6, 11, 15]}


def test_imports_inside_a_test_count_for_no_test(shop):
    shop.file("late.py", "import shop\nX = shop.opened('x')\n\n\ndef f():\n    return X\n")
    shop.file("broken.py", "import shop\nX = shop.price(-1)\n")
    shop.file(
        "test_shop.py",
        """
        import importlib, pytest, shop

        def test_first():
            import late
            late.f()

        def test_second():
            import late
            late.f()

        def test_again():
            import late
            importlib.reload(late)

        def test_broken():
            import broken
        """,
    )
    report = shop.collect()
    assert report.lines("late.py")["test_first"] == report.lines("late.py")["test_second"] == [6]
    assert report.lines("shop.py") == {"test_first": [], "test_second": [], "test_again": [11], "test_broken": [5, 6]}


def test_test_code_is_left_out_unless_asked_for(shop):
    shop.file("tests/__init__.py", "")
    shop.file("tests/doors.py", "import shop\ndef door():\n    return shop.opened('x')\n")
    shop.file("tests/conftest.py", "import pytest\n@pytest.fixture\ndef key():\n    return 1\n")
    shop.file("test/kept.py", "def kept():\n    return 1\n")
    shop.file("tests/test_shop.py", "from tests.doors import door\nfrom test_kept import kept\ndef test_a(key):\n    door(), kept()\n")
    shop.file("test_kept.py", "import importlib.util\nspec = importlib.util.spec_from_file_location('kept', 'test/kept.py')\n"
              "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\nkept = module.kept\n")
    assert shop.collect("tests").test("test_a")["lines"] == {"shop.py": [11], "test/kept.py": [2]}
    everything = shop.collect("tests", plan=["include-tests yes"]).test("test_a")["lines"]
    assert everything == {"shop.py": [11], "test/kept.py": [2], "tests/doors.py": [3], "tests/conftest.py": [4], "tests/test_shop.py": [4]}


def test_doctests_are_tests_of_the_module_they_stand_in(shop):
    shop.file("sums.py", 'def double(x):\n    """\n    >>> double(2)\n    4\n    """\n    return x + x\n')
    report = shop.collect("--doctest-modules", "sums.py")
    assert list(report.tests) == ["sums.py::sums.double"]
    assert 6 in report.lines("sums.py")["sums.double"]


def test_threads_of_a_test_count(shop):
    shop.file("test_shop.py", "import threading, shop\ndef test_a():\n    t = threading.Thread(target=shop.price, args=(1,))\n    t.start()\n    t.join()\n")
    assert shop.collect().lines("shop.py") == {"test_a": [5, 7]}


def test_a_generator_that_outlives_a_test_counts_where_it_runs(shop):
    shop.file("parts.py", "def parts():\n    yield 1\n    yield 2\n    yield 3\n")
    shop.file("test_shop.py", "import parts\nrest = parts.parts()\ndef test_a(): next(rest)\ndef test_b(): next(rest)\ndef test_c(): next(rest)\n")
    assert shop.collect().lines("parts.py") == {"test_a": [2], "test_b": [3], "test_c": [4]}


def test_a_trace_function_set_by_a_test_spoils_that_test_only(shop):
    shop.file("test_shop.py", "import sys, shop\ndef test_a():\n    sys.settrace(None)\n    shop.price(1)\ndef test_b():\n    shop.price(1)\n")
    report = shop.collect()
    assert report.lines("shop.py")["test_b"] == [5, 7]
    assert any("sys.settrace" in trouble for trouble in report.troubles)


def test_nothing_is_measured_when_only_outcomes_are_wanted(shop):
    shop.file("test_shop.py", "import sys, shop\ndef test_a():\n    shop.price(1)\n    assert 'coverage' not in sys.modules\n")
    report = shop.collect("-p", "no:cov", plan=["measure no"])
    assert report.outcomes() == {"test_a": "pass"} and "cover" not in report.test("test_a")


def test_a_project_installed_as_a_copy_is_reported(shop, tmp_path):
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "shop.py").write_text((shop.root / "shop.py").read_text())
    (shop.root / "src").mkdir()
    (shop.root / "shop.py").rename(shop.root / "src" / "shop.py")
    shop.file("test_shop.py", "import sys\nsys.path.insert(0, %r)\nimport shop\ndef test_a(): shop.price(1)\n" % str(packages))
    report = shop.collect()
    assert len(report.troubles) == 1 and "pip install -e ." in report.troubles[0] and "shop" in report.troubles[0]


def test_pytest_cov_in_the_options_is_switched_off(shop):
    pytest.importorskip("pytest_cov")
    shop.file("setup.cfg", "[tool:pytest]\naddopts = --cov=shop --cov-report=term --cov-fail-under=100\n")
    shop.file("test_shop.py", "import shop\ndef test_a(): shop.price(1)\ndef test_b(cov): assert cov is None\n")
    for arguments in [(), ("-n", "2")]:
        report = shop.collect(*arguments)
        assert report.code == 0, report.output
        assert report.lines("shop.py") == {"test_a": [5, 7], "test_b": []}
        assert not (shop.root / ".coverage").exists()


def test_a_pytest_that_a_test_starts_does_not_report(shop):
    shop.file("inner/test_inner.py", "def test_inner(): pass\n")
    shop.file(
        "test_shop.py",
        """
        import os, subprocess, sys, pytest, shop

        def test_child(): assert subprocess.run([sys.executable, "-m", "pytest", "inner"]).returncode == 0
        def test_inside(): assert pytest.main(["inner", "-W", "error"]) == 0
        def test_told_again():
            environment = dict(os.environ, PYTEST_PLUGINS="fdc_pytest")
            assert subprocess.run([sys.executable, "-m", "pytest", "inner"], env=environment).returncode == 0
        def test_after(): shop.price(1)
        """,
    )
    report = shop.collect("test_shop.py")
    assert report.outcomes() == {"test_child": "pass", "test_inside": "pass", "test_told_again": "pass", "test_after": "pass"}, report.output
    assert report.lines("shop.py")["test_after"] == [5, 7] and len(report.files) == 1
