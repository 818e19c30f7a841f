"""A case is labelled and reported on as the program does."""
import copy
import json
import os
import shutil
import subprocess
import sys

import pytest

import fdc


@pytest.fixture
def labelled(case, tmp_path):
    """A copy of the case, to answer in."""
    return shutil.copy(case, tmp_path / "case.fdc")


def open_session(case, **options):
    return fdc.Session(case, start="labelled", who="anna", **options)


def test_a_session_asks_hears_and_takes_back(labelled, project):
    with open_session(labelled, source=project, formula="ochiai") as session:
        before = session.suspects
        first = session.next
        assert first.test.startswith("tests/") and first.why.startswith("covers ")
        assert first.covers and first.if_passes and session.left == 116
        second = session.answer("pass")
        assert second == session.next and second.test != first.test and session.left == 115
        assert session.suspects != before
        assert [(answer.subject, answer.verdict, answer.who) for answer in session.answers] == [
            (first.test, "pass", "anna")
        ]
        session.skip()
        session.fine(session.suspects[0].name)
        assert [answer.verdict for answer in session.answers] == ["pass", "skip", "pass"]
        for _ in range(3):
            session.undo()
        assert all(answer.undone for answer in session.answers)
        assert session.next == first and session.suspects == before
    with pytest.raises(fdc.InputError, match="the session is closed"):
        session.next


def test_answers_are_kept(labelled):
    with open_session(labelled) as session:
        asked = session.next.test
        session.answer("fail", asked)
    with open_session(labelled) as session:
        assert [(answer.subject, answer.verdict) for answer in session.answers] == [(asked, "fail")]
        assert any("measured to pass" in doubt for doubt in session.doubts)
        session.undo(session.answers[0].id)
        assert session.doubts == []


def test_a_session_is_that_of_the_program(labelled):
    requests = [{"do": "show"}, {"do": "answer", "verdict": "pass"}, {"do": "advice"}]
    command = [os.environ["FDC"], "label", labelled, "--json-lines", "--start", "labelled", "--who", "anna"]
    done = subprocess.run(
        command, input="\n".join(map(json.dumps, requests)), capture_output=True, text=True, check=True
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    after, advice = replies[2], replies[3]
    # What the program has answered is there already.
    with open_session(labelled) as session:
        assert {**session.state, "event": "state"} == after
        assert session.next.test == after["next"]["test"]
        assert [suspect.name for suspect in session.suspects] == [own["method"] for own in after["suspects"]]
        assert (session.advice.words, session.advice.stop) == (advice["words"], advice.get("stop"))
        assert session.failing == [after["failing"]]


def test_tests_are_run_as_long_as_they_tell_much(labelled, project):
    with open_session(labelled, source=project, run=True) as session:
        session.run()
        assert session.state["runs"]["words"].startswith("fdc ran 0 tests: no further outcome")


# Ctrl-C while tests are run, after the first.
INTERRUPTED = """
import os, signal, sys, threading, time
import fdc

session = fdc.Session(sys.argv[1], start="labelled", source=sys.argv[2], formula="ochiai", run=True)
while not session.answers:
    time.sleep(0.05)
    session.refresh()
print(session.answers[0].who, session.answers[0].verdict)
threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    session.run()
except KeyboardInterrupt:
    session.close()
    print("closed")
"""


def test_ctrl_c_ends_runs(labelled, project):
    command = [sys.executable, "-c", INTERRUPTED, labelled, str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "fdc pass\nclosed\n"), done.stderr


def test_what_others_answer_is_taken_over(labelled):
    with open_session(labelled) as ours, open_session(labelled) as theirs:
        theirs.answer("pass")
        assert ours.answers == []
        ours.refresh()
        assert ours.answers == theirs.answers and ours.next == theirs.next


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda session: session.answer("ok"), 'verdict: expected one of pass, fail, skip, found "ok"'),
        (lambda session: session.undo(), "there is nothing to undo"),
        (lambda session: session.undo("label 7 of"), 'no answer is "label 7 of"'),
        (lambda session: session.near("orders/cart"), 'no file is named "orders/cart"'),
        (lambda session: session.run(), "this session runs no tests"),
        (lambda session: session.answer("pass", session.failing[0]), "need no verdict"),
    ],
)
def test_what_cannot_be_answered_is_refused(labelled, call, message):
    with open_session(labelled) as session:
        with pytest.raises(fdc.InputError) as caught:
            call(session)
        assert message in caught.value.message and session.answers == []


def test_options_of_a_session_are_checked(labelled):
    with pytest.raises(fdc.InputError, match="trust: expected a number from 0.5 to 1, found 2"):
        fdc.Session(labelled, trust=2)
    with pytest.raises(fdc.UnknownError, match='unknown metric "ochai"'):
        fdc.Session(labelled, metric="ochai")
    with pytest.raises(fdc.FileError, match="no-such-case.fdc"):
        fdc.Session("no-such-case.fdc")


def test_a_report_is_that_of_the_program(labelled, project, tmp_path):
    report = fdc.report(labelled, source=project)
    for name in ["report.html", "report.md", "report.sarif"]:
        ours, theirs = tmp_path / name, tmp_path / f"program-{name}"
        report.write(ours)
        command = [os.environ["FDC"], "report", labelled, "--source", project, "-o", theirs, "--quiet"]
        subprocess.run(list(map(str, command)), check=True)
        made = [path.read_text(encoding="utf-8") for path in (ours, theirs)]
        # How it was made is the one difference.
        if name == "report.html":
            made = [text.split("<pre tabindex=\"0\">\nf")[0] for text in made]
        if name == "report.md":
            made = [text.rsplit("\n\n`fdc", 1)[0] for text in made]
        assert made[0] == made[1], name
    assert report.markdown == (tmp_path / "report.md").read_text(encoding="utf-8")
    with pytest.raises(fdc.InputError, match="expected a name that ends in .html, .sarif or .md"):
        report.write(tmp_path / "report.txt")
    report.write(tmp_path / "report.txt", format="gitlab")
    assert json.loads((tmp_path / "report.txt").read_text())


def test_a_notebook_shows_a_report_in_a_frame_of_its_own(labelled, project):
    report = fdc.report(labelled, source=project)
    shown = report._repr_html_()
    assert shown.startswith("<iframe sandbox=\"allow-scripts\"") and shown.count("<") == report.html.count("<") + 3
    assert report.map.svg.startswith("<svg") and "under suspicion" in report.map.svg
    assert "orders/discount.py" in report.html


def test_a_notebook_shows_a_session_as_it_stands(labelled):
    with open_session(labelled) as session:
        shown = session._repr_html_()
        assert session.next.test in shown and session.suspects[0].name in shown
        assert session.map._repr_svg_() == session.map.svg
        session.answer("pass")
        assert session._repr_html_() != shown


def test_a_notebook_shows_a_ranking_with_the_heat_of_its_lines(case):
    ranking = fdc.rank(fdc.Spectrum.read(case), top=3)
    assert isinstance(ranking, list) and ranking == list(ranking) and len(ranking) == 3
    shown = ranking._repr_html_()
    assert all(suspect.name in shown for suspect in ranking) and "█" in shown
    for foreign in ["<style", "<script", " id=", " class="]:
        assert foreign not in shown
    assert copy.copy(ranking)._repr_html_() == shown and type(ranking[:2]) is list
    ranking.reverse()
    assert ranking._repr_html_() is None, "a list that was changed is shown as a list"
    assert fdc.Ranking()._repr_html_() is None
