#!/usr/bin/env python3
"""What docs/ci.md describes, tried as the services would: the composite action's steps against a GitHub on loopback, the
GitLab job, the pre-commit hook in a repository made on the spot, actionlint on the workflows of the page.

    check.py FDC PYTEST_PYTHON      with a Python that has PyYAML, jsonschema and pre-commit

Prints what it found as JSON. Not the services themselves: those were not tried.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
import yaml

import project
import runner
from github import GitHub
from project import git

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "ci.md"
NUMBER = 7


def main():
    fdc, python = (Path(path).absolute() for path in sys.argv[1:3])
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, check in {"action": action, "forks": forks, "trouble": trouble, "gitlab": gitlab, "pre-commit": pre_commit,
                            "workflows": workflows}.items():
            (folder / name).mkdir()
            found[name] = check(folder / name, fdc, python)
    print(json.dumps(found))


def expect(fact, *shown):
    if not fact:
        raise AssertionError("\n".join(map(str, shown)))


class Job:
    """A repository with a pull request, cloned as shallow as actions/checkout does."""

    def __init__(self, folder, fdc, python, others=()):
        self.folder, self.fdc, self.python = folder, fdc, python
        self.origin = project.repository(folder / "origin")
        self.base = project.commit(self.origin, "right")
        self.github = GitHub(NUMBER, list(others))

    def run(self, state, outcome, token="of-the-workflow", **inputs):
        """The job of a push to the pull request; what the action did, and the commit."""
        head = project.commit(self.origin, state)
        clone = self.folder / "clone"
        shutil.rmtree(clone, ignore_errors=True)
        git(self.folder, "clone", "--quiet", "--depth", "1", f"file://{self.origin}", clone)
        event = {"pull_request": {"number": NUMBER, "base": {"sha": self.base}}}
        github = {"event": event, "token": token, "workflow": "tests & more -->", "job": "test"}
        given = {"root": project.FOLDER, "ecosystem": "pytest", "arguments": f"--python '{self.python}'", "fdc": str(self.fdc)}
        environment = runner.environment(self.folder, self.github.address, token == "of-a-fork")
        ran = runner.run(ROOT, clone, {"github": github, "job": {"status": outcome}}, {**given, **inputs}, environment)
        return ran, head


def action(folder, fdc, python):
    """Fails, fails differently, passes: a summary and annotations each time, one comment that is kept up to date."""
    copied = "<!-- fdc: tests___more____/test -->\nnot ours"
    job = Job(folder, fdc, python, ["+1"] * 119 + [copied])
    comments = job.github.written

    ran, head = job.run("cart", "failure", sarif="true")
    expect(ran.steps == ["Measure and rank", "Comment on the pull request", "Upload to code scanning"], ran.steps)
    suspected(ran, project.CART, "total", head)
    expect(len(comments()) == 1 and comments()[0]["body"] == "<!-- fdc: tests___more____/test -->\n" + ran.summary, comments())
    expect(("GET", f"/repos/ann/shop/issues/{NUMBER}/comments?per_page=100&page=2") in job.github.calls, job.github.calls)
    log = json.loads(Path(ran.used["github/codeql-action/upload-sarif@v3"]["sarif_file"]).read_text())
    results = log["runs"][0]["results"]
    expect(len(results) >= len(ran.annotations), len(results))
    expect(Path(ran.outputs["page"]).read_text().startswith("<!DOCTYPE html>"))
    counts = {"annotations": len(ran.annotations), "characters": len(comments()[0]["body"])}

    ran, head = job.run("tax", "failure")
    suspected(ran, project.TAX, "tax", head)
    expect(ran.used == {}, ran.used)
    expect(len(comments()) == 1 and head in comments()[0]["body"] and "cart.py::total" not in first(comments()[0]["body"]), comments())

    ran, head = job.run("right", "success")
    expect(ran.steps == ["Comment on the pull request"] and not ran.summary and not ran.annotations, ran)
    expect(len(comments()) == 1 and "The tests pass again" in comments()[0]["body"] and head in comments()[0]["body"], comments())
    expect(job.github.comments[119]["body"] == copied, "a comment of somebody else was edited")

    job.run("cart", "failure", key="another job")
    expect(len(comments()) == 2, comments())
    job.run("cart", "failure", token="of-ann")
    expect([own["user"]["login"] for own in comments()][2:] == ["ann"], "a person edits no comment of the bot", comments())
    return {"runs": 5, "comments": len(comments()), "calls": len(job.github.calls), **counts}


def suspected(ran, path, name, head):
    """The first suspect of a run is the function, everywhere."""
    kind, properties, message = ran.annotations[0]
    expect(kind == "warning" and properties["file"] == path, ran.annotations, ran.log)
    expect(properties["title"].endswith(f"::{name}") and "place 1 of" in message, properties, message)
    expect(1 < int(properties["line"]) <= int(properties["endLine"]) < 12, properties)
    item = first(ran.summary)
    link = path.replace("%", "%25").replace(" ", "%20").replace(",", "%2C")
    expect(f"::{name}`" in item and f"(https://github.com/ann/shop/blob/{head}/{link}#L" in item, item)
    expect("```python\n" in item, item)
    expect("printed by a test" not in str(ran.annotations), ran.annotations)


def first(markdown):
    """The first suspect of a comment."""
    return re.search(r"^1\. .*?(?=^2\. |\Z)", markdown, re.M | re.S)[0]


def forks(folder, fdc, python):
    """A token that may not write: the summary and the annotations, a notice, and no failure."""
    job = Job(folder, fdc, python)
    ran, head = job.run("cart", "failure", token="of-a-fork")
    suspected(ran, project.CART, "total", head)
    expect(not job.github.written() and ran.annotations[-1][0] == "notice" and "HTTP 403" in ran.annotations[-1][2], ran.annotations)
    ran, _ = job.run("right", "success", token="of-a-fork")
    expect(not ran.annotations and {method for method, _ in job.github.calls} == {"GET", "POST"}, job.github.calls)
    return {"notice": "HTTP 403"}


def trouble(folder, fdc, python):
    """What goes wrong is a warning or a notice that says so, and never fails the job."""
    job = Job(folder, fdc, python)
    found = {}
    for name, state, inputs, said in [
        ("no program", "cart", {"fdc": "no-such-program"}, "cannot be run"),
        ("another version", "cart", {"version": "99.0.0"}, "not the version"),
        ("no such ecosystem", "cart", {"ecosystem": "cobol"}, "could not be measured"),
        ("a quote that is open", "cart", {"arguments": "--only 'x"}, "a quote that is not closed"),
        ("no test fails", "right", {}, "could not be ranked"),
        ("no such file", "cart", {"case": "missing.fdc"}, "could not be ranked"),
    ]:
        ran, _ = job.run(state, "failure", **inputs)
        expect(ran.annotations == [("warning", {"title": "fdc"}, ran.annotations[0][2])] and said in ran.annotations[0][2], name, ran)
        expect(ran.summary.startswith("### No suspects\n") and ran.steps == ["Measure and rank"], name, ran)
        found[name] = said
    job.github.down = True
    ran, _ = job.run("cart", "failure", since="no-such-revision")
    expect("HTTP 503" in ran.annotations[-1][2] and "knows no revision no-such-revision" in ran.log, ran)
    job.github.down = False
    expect(not job.github.written(), job.github.comments)

    ran, _ = job.run("cart", "failure", comment="false", suspects="2", arguments=f"--python '{job.python}' --only '*pay*'")
    expect(ran.steps == ["Measure and rank"] and len(ran.annotations) <= 2, ran)
    kept = shutil.copy(ran.outputs["case"], folder / "kept.fdc")
    subprocess.run([fdc, "--quiet", "import", kept, "-o", folder / "kept.json"], check=True)
    for case in [kept, folder / "kept.json"]:
        ran, _ = job.run("cart", "failure", case=str(case), arguments="", since="")
        expect(ran.annotations[0][1]["file"] == project.CART, case, ran)
    return found


def gitlab(folder, fdc, python):
    """The job of the page, run by hand: its artefact is what GitLab's documentation asks for."""
    shop = project.repository(folder / "shop")
    base = project.commit(shop, "right")
    project.commit(shop, "cart")
    (job,) = (own for own in map(yaml.safe_load, blocks("yaml")) if "test" in own and "script" in own["test"])
    job = job["test"]
    programs = folder / "programs"
    programs.mkdir()
    (programs / "fdc").symlink_to(fdc)
    path = f"{programs}:{python.parent}:{os.environ['PATH']}"
    variables = {"PATH": path, "VIRTUAL_ENV": str(python.parent.parent), "HOME": os.environ["HOME"], "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_JOB_STATUS": "failed",
                 "CI_PROJECT_URL": "https://gitlab.com/ann/shop", "CI_COMMIT_SHA": git(shop, "rev-parse", "HEAD").strip()}
    lines = [line for line in job["script"] if "pip install" not in line]
    shell = lambda script: subprocess.run(["bash", "-c", "set -eo pipefail\n" + "\n".join(script)], cwd=shop / project.FOLDER, text=True,
                                          capture_output=True, env=variables)
    expect(shell(lines).returncode == 1, "the tests fail")
    after = shell(job["after_script"])
    expect(after.returncode == 0, after.stderr)
    report = shop / project.FOLDER / job["artifacts"]["reports"]["codequality"]
    findings = json.loads(report.read_text())
    jsonschema.validate(findings, json.loads((ROOT / "schemas" / "gitlab.schema.json").read_text()))
    for finding in findings:
        lines = (shop / finding["location"]["path"]).read_text().splitlines()
        expect(1 <= finding["location"]["lines"]["begin"] <= len(lines), finding)
    expect(findings[0]["location"]["path"] == project.CART and findings[0]["severity"] == "major", findings)
    prints = {finding["fingerprint"] for finding in findings}
    expect(len(prints) == len(findings), findings)
    # Three more lines above: the same suspects.
    text = (shop / project.CART).read_text()
    (shop / project.CART).write_text("# one\n# two\n# three\n" + text)
    (shop / project.FOLDER / "case.fdc").unlink()
    expect(shell(job["after_script"]).returncode == 0)
    moved = json.loads(report.read_text())
    expect({finding["fingerprint"] for finding in moved} == prints, moved)
    expect(moved[0]["location"]["lines"]["begin"] == findings[0]["location"]["lines"]["begin"] + 3, moved[0], findings[0])
    variables["CI_JOB_STATUS"] = "success"
    expect(shell(job["after_script"]).returncode == 0 and report.read_text() == "[]\n", "tests that pass have no suspects")
    return {"findings": len(findings)}


def pre_commit(folder, fdc, python):
    """The real pre-commit, in a new repository: all tests at first, then those affected; a failure stops the commit."""
    hooks = project.repository(folder / "hooks")
    (hooks / "action").mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    shutil.copy(ROOT / "action" / "staged", hooks / "action")
    git(hooks, "add", ".")
    git(hooks, "commit", "--quiet", "--message", "hooks")
    shop = project.repository(folder / "shop")
    programs = folder / "programs"
    programs.mkdir()
    (programs / "fdc").symlink_to(fdc)
    own = Path(sys.executable).parent
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment = {**clean, "PATH": f"{programs}:{own}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(folder / "cache")}

    def call(*words):
        return subprocess.run(words, cwd=shop, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)

    arguments = ["pytest", "--root", project.FOLDER, "--python", str(python)]
    hook = {"id": "fdc", "args": arguments, "verbose": True}
    config = {"repos": [{"repo": str(hooks), "rev": git(hooks, "rev-parse", "HEAD").strip(), "hooks": [hook]}]}
    (shop / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    version = call("pre-commit", "--version").stdout.split()[-1]
    expect(call("pre-commit", "install").returncode == 0)

    def commit(state):
        project.write(shop, state)
        git(shop, "add", ".")
        return call("git", "commit", "--message", state)

    def head():
        return git(shop, "log", "--format=%s").split()

    made = commit("right")
    expect(made.returncode == 0 and head() == ["right"] and "6 tests (0 failing)" in made.stdout, made.stdout)
    stopped = commit("cart")
    expect(stopped.returncode == 1 and head() == ["right"], stopped.stdout)
    expect("2 tests to measure again" in stopped.stdout or "3 tests to measure again" in stopped.stdout, stopped.stdout)
    expect("::total" in stopped.stdout and "6 tests (1 failing)" in stopped.stdout, stopped.stdout)
    # What is not staged is not tested.
    project.write(shop, "right")
    git(shop, "add", ".")
    (shop / project.TAX).write_text(project.TAX_TEXT.format(rate=6))
    (shop / project.FOLDER / "shop" / "more.py").write_text("X = 1\n")
    git(shop, "add", f"{project.FOLDER}/shop/more.py")
    made = call("git", "commit", "--message", "more")
    expect(made.returncode == 0 and head() == ["more", "right"], made.stdout)
    stopped = call("git", "commit", "--all", "--message", "tax")
    expect(stopped.returncode == 1 and "tax, 7%.py::tax" in stopped.stdout, stopped.stdout)
    expect(git(shop, "status", "--porcelain").strip() == f'M "{project.TAX}"', git(shop, "status", "--porcelain"))
    return {"pre-commit": version, "commits": len(head())}


def workflows(folder, *_):
    """actionlint takes the workflows of the page, and knows the action's inputs."""
    tool = shutil.which("actionlint") or folder / "bin" / "actionlint"
    if not Path(tool).exists():
        subprocess.run(["go", "install", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"], check=True, capture_output=True,
                       env={**os.environ, "GOBIN": str(folder / "bin")})
    repository = project.repository(folder / "repository")
    shutil.copy(ROOT / "action.yml", repository)
    (repository / ".github" / "workflows").mkdir(parents=True)
    steps = [own for own in map(yaml.safe_load, blocks("yaml")) if isinstance(own, dict) and "steps" in own]
    for number, own in enumerate(steps):
        own["runs-on"] = "ubuntu-latest"
        text = yaml.safe_dump({"name": f"page {number}", "on": {"pull_request": {}, "push": {}}, "jobs": {"test": own}}, sort_keys=False)
        expect("OWNER/fdc@v1" in text or "codeql" in text, text)
        (repository / ".github" / "workflows" / f"{number}.yml").write_text(text.replace("OWNER/fdc@v1", "./"))
    linted = subprocess.run([tool, "-no-color"], cwd=repository, text=True, capture_output=True)
    expect(linted.returncode == 0, linted.stdout, linted.stderr)
    wrong = repository / ".github" / "workflows" / "0.yml"
    wrong.write_text(wrong.read_text().replace("uses: ./", "uses: ./\n      with:\n        no-such-input: x", 1))
    linted = subprocess.run([tool, "-no-color"], cwd=repository, text=True, capture_output=True)
    expect("no-such-input" in linted.stdout, "actionlint does not look at the action", linted.stdout)
    version = subprocess.run([tool, "--version"], text=True, capture_output=True).stdout.split()[0]
    return {"actionlint": version, "workflows": len(steps)}


def blocks(language):
    """The blocks of code of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.M | re.S)


if __name__ == "__main__":
    main()
