"""Projects are measured, and long work can be followed and ended."""
import os
import signal
import subprocess
import sys
import threading

import pytest

import fdc


def test_a_project_is_measured(case):
    assert (case.tests, case.failing, case.flaky, case.skipped) == (117, 1, 0, 0)
    assert os.fspath(case) == str(case.case) and repr(case).endswith("117 tests, 1 failing, 285 lines)")
    spectrum = fdc.Spectrum.read(case)
    assert spectrum.failing == ["tests/test_end_to_end.py::test_school_restocks_its_office"]
    assert "tiered_discount" in [suspect.name.split("::")[-1] for suspect in fdc.rank(spectrum)[:10]]


def test_parts_are_merged_to_the_whole(case, project, tmp_path):
    names = ["test_money.py", "test_tax.py"]
    parts = [tmp_path / "1.fdc", tmp_path / "2.fdc"]
    for number, part in enumerate(parts, start=1):
        options = {"only": names, "python": sys.executable, "shard": f"{number}/2"}
        fdc.collect("pytest", project, part, **options)
    merged = fdc.merge(parts, tmp_path / "whole.fdc")
    assert merged.kind == "case" and os.fspath(merged) == str(tmp_path / "whole.fdc")
    whole, all_tests = fdc.Spectrum.read(merged), fdc.Spectrum.read(case)
    wanted = {test.name for test in all_tests.tests if any(name in test.name for name in names)}
    assert {test.name for test in whole.tests} == wanted and merged.count == len(wanted)


class Enough(Exception):
    """What a caller may raise."""


def test_an_exception_of_progress_ends_the_work_and_keeps_what_is_done(project, tmp_path):
    told = []

    def progress(state):
        told.append(state)
        if state.done >= 20:
            raise Enough

    options = {"python": sys.executable, "exclude": "test_end_to_end"}
    with pytest.raises(Enough):
        fdc.collect("pytest", project, tmp_path / "case.fdc", progress=progress, **options)
    assert told[-1].done >= 20 and {type(state) for state in told} == {fdc.Progress}
    kept = len(fdc.Spectrum.read(tmp_path / "case.fdc").tests)
    assert 20 <= kept < 107
    last = []
    fdc.collect("pytest", project, tmp_path / "case.fdc", progress=last.append, **options)
    assert len(fdc.Spectrum.read(tmp_path / "case.fdc").tests) == 107
    assert (last[-1].done, last[-1].total) == (107 - kept, 107), "the last state is told"
    assert str(last[-1]).startswith(f"{last[-1].done}/{last[-1].total} ")


def test_messages_have_no_colours(project, tmp_path, monkeypatch):
    # As notebooks set it.
    monkeypatch.setenv("FORCE_COLOR", "1")
    options = {"python": sys.executable, "only": "test_school_restocks_its_office"}
    case = fdc.collect("pytest", project, tmp_path / "case.fdc", **options)
    told = fdc.report(case).markdown
    assert "assert '-€37.74' == '-€40.56'" in told and "\n  + -€37.74\n" in told


# The signal comes while the main thread waits for the work.
INTERRUPTED = """
import os, signal, sys, threading
import fdc

begun = threading.Event()
def interrupt():
    begun.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    fdc.collect("pytest", sys.argv[1], sys.argv[2], python=sys.executable,
                progress=lambda state: state.done >= 10 and begun.set())
except KeyboardInterrupt:
    print(len(fdc.Spectrum.read(sys.argv[2]).tests))
"""


def test_ctrl_c_ends_the_work_and_keeps_what_is_done(project, tmp_path):
    arguments = [str(project), str(tmp_path / "case.fdc")]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert 10 <= int(done.stdout) < 117


def test_work_in_another_thread_leaves_this_one_free(project, tmp_path):
    results = []
    options = {"python": sys.executable, "only": "test_money"}
    work = lambda: results.append(fdc.collect("pytest", project, tmp_path / "case.fdc", **options))
    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while thread.is_alive():
        thread.join(0.01)
        turns += 1
    assert results[0].tests > 5 and turns > 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, "signals are left alone"


@pytest.mark.parametrize(
    "options, kind, message, hint",
    [
        ({"ecosystem": "pytst"}, KeyError, 'unknown ecosystem "pytst"; did you mean "pytest"?', "junit"),
        ({"pythn": "x"}, KeyError, 'unknown option of collect "pythn"; did you mean "python"?', "fdc collect --help"),
        ({"java": "/usr"}, ValueError, "java= belongs to junit, not to pytest", "`fdc collect --help`"),
        ({"timeout": 0}, ValueError, "timeout: expected a number of seconds above 0, found 0", None),
        ({"jobs": 0}, ValueError, "jobs: expected a number from 1, found 0", None),
        ({"shard": "3/2"}, ValueError, 'shard: there is no part 3 of 2, found "3/2"', None),
        ({"folder": "no-such-folder"}, OSError, "no-such-folder", None),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_before_anything_is_written(tmp_path, options, kind, message, hint):
    (tmp_path / "pytest.ini").touch()
    arguments = {"ecosystem": "pytest", "folder": tmp_path, "out": tmp_path / "case.fdc", **options}
    with pytest.raises(kind) as caught:
        fdc.collect(**arguments)
    assert isinstance(caught.value, fdc.FdcError) and message in caught.value.message
    assert hint is None or hint in caught.value.hint
    assert not (tmp_path / "case.fdc").exists()
