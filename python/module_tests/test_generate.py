"""`fdc generate pynguin`, from a project with a failing test to a pool to choose from."""
import json
import os
import shutil
import subprocess
import sys

import pytest

import fdc

FAILING = "tests/test_end_to_end.py::test_school_restocks_its_office"


def run(*arguments, code=0):
    """Runs the program; returns what it prints."""
    done = subprocess.run(
        [os.environ["FDC"], *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout


@pytest.fixture(scope="module")
def project(testdata, tmp_path_factory):
    """The demo's project; the fault is in `tiered_discount`."""
    return shutil.copytree(testdata / "orders", tmp_path_factory.mktemp("project") / "faulty")


@pytest.fixture(scope="module")
def case(project):
    case = project.parent / "case.fdc"
    run("collect", "pytest", "--root", project, "--python", sys.executable, "-o", case)
    return case


def generated(case, out, *options):
    return [
        "generate", "pynguin", "--case", case, "--python", sys.executable, "-o", out,
        "--module", "orders.discount", "--generations", "8", "--seed", "3", *options,
    ]


def test_a_pool_has_the_cases_tests_and_the_new_ones(case, tmp_path):
    out = tmp_path / "more"
    text = run(*generated(case, out))
    summary = json.loads((out / "summary.json").read_text())
    assert summary["tool"] == "pynguin" and summary["failing"] == FAILING
    assert summary["kept"] > 0 and summary["groups"] > summary["groups_before"]
    assert f"{summary['made']} tests made, {summary['kept']} kept" in text
    before, pool = fdc.Spectrum.read(case), fdc.Spectrum.read(out / "pool.fdc")
    assert pool.elements == before.elements
    new = [test for test in pool.tests if test.origin == "pynguin"]
    assert len(new) == summary["kept"] and len(pool.tests) == len(before.tests) + len(new)
    assert all(test.outcome is None for test in new)
    assert {test.name.split("::")[0] for test in new} == {"pynguin/test_orders_discount.py"}
    # The collector sees what the search saw, and what ran in other modules.
    in_module = {n for n, e in enumerate(pool.elements) if e.file == "src/orders/discount.py"}
    kept = [[int(e) for e in line.split()] for line in (out / "kept.rows").read_text().splitlines()]
    assert {e for test in new for e in pool.coverage(test.name)} & in_module >= set(kept[0])
    sources = (out / "tests" / "pynguin" / "test_orders_discount.py").read_text()
    assert all(f"def {test.name.split('::')[1]}()" in sources for test in new)
    picks = fdc.select(pool, FAILING, origin="pynguin")
    assert {pick.test for pick in picks} <= {test.name for test in new}
    # What is done is not done again.
    assert run(*generated(case, out)) == text


def test_the_same_seed_makes_the_same_pool(case, tmp_path):
    for out in ("one", "two"):
        run(*generated(case, tmp_path / out, "--level", "suite", "--criterion", "ddu"))
    file = "tests/pynguin/test_orders_discount.py"
    assert (tmp_path / "one" / file).read_text() == (tmp_path / "two" / file).read_text()
    one, two = (fdc.Spectrum.read(tmp_path / out / "pool.fdc") for out in ("one", "two"))
    assert one.tests == two.tests
    assert all(one.row(test.name) == two.row(test.name) for test in one.tests)


def test_the_fixed_version_judges(case, project, tmp_path):
    shutil.copytree(project, tmp_path / "fixed")
    source = tmp_path / "fixed" / "src" / "orders" / "discount.py"
    text = source.read_text()
    # Every coupon is worth something else there, so that tests of coupons fail.
    changed = text.replace("def coupon_discount(", "def coupon_discount(*_, **__):\n    return 'x'\n\n\ndef unused(")
    assert changed != text
    source.write_text(changed)
    oracle = ["--oracle", "regression", "--fixed-project", tmp_path / "fixed"]
    budget = ["--criterion", "line"]
    run(*generated(case, tmp_path / "more", *oracle, *budget))
    pool = fdc.Spectrum.read(tmp_path / "more" / "pool.fdc")
    new = [test for test in pool.tests if test.origin == "pynguin"]
    assert {test.outcome for test in new} == {"pass", "fail"}
    coupon = {n for n, e in enumerate(pool.elements) if e.method.endswith("::coupon_discount")}
    for test in new:
        if test.outcome == "fail":
            assert coupon & set(pool.coverage(test.name))


@pytest.mark.parametrize(
    "options, code, message",
    [
        (["--criterion", "fdg"], 2, "metric fdg looks at outcomes"),
        (["--criterion", "rlfd"], 2, 'unknown metric "rlfd"'),
        (["--criterion", "line", "--level", "test"], 2, "criterion line has no value for a single test"),
        (["--module", "orders.discoun"], 2, 'the failing test covers no module "orders.discoun"'),
        (["--oracle", "regression"], 2, "--oracle regression needs the fixed version"),
        (["--fixed-project", "."], 2, "--fixed-project is for --oracle regression"),
        (["--project", "nowhere"], 3, "--project names no folder"),
        (["--python", "/no/such/python"], 4, "cannot run the Python interpreter /no/such/python"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_missing_is_said_before_anything_is_written(
    case, tmp_path, options, code, message
):
    base = ["generate", "pynguin", "--case", case, "-o", tmp_path / "out"]
    if "--python" not in options:
        base += ["--python", sys.executable]
    assert message in run(*base, *options, code=code)
    assert not (tmp_path / "out").exists()


def test_a_python_without_the_module_is_told_how_to_get_it(case, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    bare = tmp_path / "bare" / "bin" / "python"
    said = run(*generated(case, tmp_path / "out")[:4], "--python", bare, "-o", tmp_path / "out", code=4)
    assert f"{bare} has no Python module fdc" in said and "-m pip install" in said
