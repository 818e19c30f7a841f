"""The stubs say what there is, help() explains it, and types are checked strictly."""
import inspect
import subprocess
import sys
from pathlib import Path

import fdc

USE = """
from pathlib import Path
import fdc

spectrum: fdc.Spectrum = fdc.Spectrum.read(Path("case.fdc"), failed=["a"])
names: list[str] = [suspect.name for suspect in fdc.rank(spectrum, "ochiai", failing=["a"], top=3)]
scores: list[float] = [pick.score for pick in fdc.select(spectrum, number=None)]
fitness = fdc.Fitness(spectrum, metric="tfd")
case = fdc.collect("pytest", only=["a", "b"], progress=lambda state: print(state.done), python="py")
same: fdc.Spectrum = fdc.Spectrum.read(case)
with fdc.Session(case) as session:
    question = session.answer("pass")
    test: str = question.test if question else ""
session.answer("ok")  # type: ignore[arg-type]
rows: list[dict[str, object]] = fdc.compare(fdc.evaluate("bugs", "total", "results")).to_dicts()
model: fdc.TrainedModel = fdc.train("bugs", "model", seed=3)[0]
fdc.report(case, model=model).write(Path("report.html"))
value: float = fitness.loss(fitness.of_suite([[0, 1], b"0", spectrum.row(0)]))
fdc.rank(spectrum, level="class")  # type: ignore[arg-type]
fitness.keep("text")  # type: ignore[arg-type]
"""


def run(*arguments, **options):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_those_of_the_module(tmp_path):
    run("mypy.stubtest", "fdc._fdc", "--concise", cwd=tmp_path)


def test_the_package_and_its_use_pass_mypy_strictly(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    settings = Path(__file__).resolve().parents[1] / "pyproject.toml"
    options = ["--strict", "--config-file", str(settings), "--cache-dir", str(tmp_path / "cache")]
    run("mypy", *options, "use.py", cwd=tmp_path)
    run("mypy", *options, "-p", "fdc", cwd=tmp_path)


def test_everything_public_is_documented():
    assert fdc.__doc__ and (Path(fdc.__file__).parent / "py.typed").exists()
    for name in fdc.__all__:
        thing = getattr(fdc, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(thing), name
        if name.startswith("Fdc") or name.endswith("Error"):
            continue
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_"):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_signatures_name_their_defaults():
    assert str(inspect.signature(fdc.select)).startswith(
        "(spectrum, failing=None, metric=None, model=None, number=10, reveal=False"
    )
    assert "source=None" in str(inspect.signature(fdc.Spectrum.read))
    assert "folder='.', out='case.fdc'" in str(inspect.signature(fdc.collect))


def test_the_example_in_the_module_s_help_is_true():
    import doctest

    assert doctest.testmod(fdc).attempted == 3
    assert doctest.testmod(fdc).failed == 0
