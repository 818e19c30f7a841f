"""Runs the steps of a composite action in their order, as far as this repository's action needs it.

What the real runner does and this does too: inputs with defaults, `if`, `env` and `with` with expressions, `shell:
bash` with its options, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, commands in what is printed, `stop-commands`, outputs of the
action. Steps that use another action are recorded, not run.
"""
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import yaml

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(==|!=|&&|\|\||[()])|([\w.-]+))")


@dataclass
class Ran:
    """What a run of the action left."""

    summary: str = ""
    log: str = ""
    annotations: list = field(default_factory=list)
    outputs: dict = field(default_factory=dict)
    # Names of the steps that ran, and what was passed to other actions.
    steps: list = field(default_factory=list)
    used: dict = field(default_factory=dict)


def run(action, workspace, context, inputs, environment):
    """Runs the action in a workspace; `context` holds github and job, `inputs` what the workflow says."""
    metadata = yaml.safe_load((action / "action.yml").read_text())
    unknown = set(inputs) - set(metadata["inputs"])
    if unknown:
        raise ValueError(f"the action has no input {unknown}")
    given = {name: text(fill(own.get("default", ""), context)) for name, own in metadata["inputs"].items()}
    context = {**context, "inputs": given | inputs, "steps": {}}
    ran = Ran()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for number, step in enumerate(metadata["runs"]["steps"]):
            name, outputs = step["name"], folder / f"output-{number}"
            if "if" in step and not truth(evaluate(step["if"].removeprefix("${{").removesuffix("}}"), context)):
                continue
            ran.steps.append(name)
            if "uses" in step:
                ran.used[step["uses"]] = {key: text(fill(value, context)) for key, value in step["with"].items()}
                continue
            if step["shell"] != "bash":
                raise ValueError(f"{name}: shell {step['shell']}")
            script, summary = folder / "script.sh", folder / f"summary-{number}"
            script.write_text(step["run"])
            outputs.touch()
            summary.touch()
            own = {key: text(fill(value, context)) for key, value in step.get("env", {}).items()}
            files = {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_ACTION_PATH": str(action)}
            done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script], cwd=workspace, text=True,
                                  env={**environment, **own, **files}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            ran.log += done.stdout
            ran.annotations += annotations(done.stdout)
            ran.summary += summary.read_text()
            if done.returncode:
                raise AssertionError(f"step {name!r} ends with {done.returncode}, and would fail the job:\n{done.stdout}")
            written = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
            if "id" in step:
                context["steps"][step["id"]] = {"outputs": written}
    ran.outputs = {name: text(fill(own["value"], context)) for name, own in metadata["outputs"].items()}
    return ran


def annotations(printed):
    """The commands in what a step printed: (command, properties, message). Other commands are refused."""
    found, silence = [], None
    for line in printed.splitlines():
        if silence:
            silence = None if line == f"::{silence}::" else silence
            continue
        command = re.fullmatch(r"::([\w-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)", line)
        if not command:
            continue
        name, properties, message = command.groups()
        if name == "stop-commands":
            silence = message
            continue
        if name not in ("warning", "notice", "error"):
            raise AssertionError(f"a command that the action has no use for: {line}")
        pairs = (pair.split("=", 1) for pair in (properties or "").split(",") if pair)
        found.append((name, {key: unescaped(value, "%3A:", "%2C,") for key, value in pairs}, unescaped(message)))
    if silence:
        raise AssertionError("commands stay stopped")
    return found


def unescaped(value, *more):
    for code in (*more, "%0D\r", "%0A\n", "%25%"):
        value = value.replace(code[:3], code[3:])
    return value


def fill(value, context):
    """A value with its expressions in place; one that is an expression and nothing else keeps its type."""
    value = text(value)
    whole = re.fullmatch(r"\$\{\{((?:(?!\}\}).)*)\}\}", value)
    if whole:
        return evaluate(whole[1], context)
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: text(evaluate(found[1], context)), value)


def text(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def truth(value):
    return value not in (None, "", 0, False)


def evaluate(expression, context):
    """Names with dots, strings, == and !=, && and ||, parentheses."""
    tokens, at = [], 0
    expression = expression.strip()
    while at < len(expression):
        found = TOKEN.match(expression, at)
        if not found:
            raise ValueError(f"not understood: {expression[at:]}")
        tokens.append(found)
        at = found.end()

    def peek(*signs):
        return bool(tokens) and tokens[0][2] in signs

    def either():
        value = both()
        while peek("||"):
            tokens.pop(0)
            other = both()
            value = value if truth(value) else other
        return value

    def both():
        value = equal()
        while peek("&&"):
            tokens.pop(0)
            other = equal()
            value = other if truth(value) else value
        return value

    def equal():
        value = operand()
        while peek("==", "!="):
            same = tokens.pop(0)[2] == "=="
            value = (text(value).lower() == text(operand()).lower()) == same
        return value

    def operand():
        token = tokens.pop(0)
        if token[2] == "(":
            value = either()
            tokens.pop(0)
            return value
        if token[1]:
            return token[1][1:-1].replace("''", "'")
        value = context
        for part in token[3].split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    value = either()
    if tokens:
        raise ValueError(f"not understood: {expression}")
    return value


def environment(folder, github, fork):
    """The variables that a job has, and no others of ours but PATH and HOME."""
    (folder / "temp").mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "CI": "true", "GITHUB_ACTIONS": "true",
        "RUNNER_TEMP": str(folder / "temp"), "GITHUB_API_URL": github, "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "ann/shop", "GITHUB_SHA": "0" * 40, "GITHUB_WORKFLOW": "tests & more -->", "GITHUB_JOB": "test",
        "GITHUB_EVENT_NAME": "pull_request", "GITHUB_HEAD_REF": "change", "GITHUB_ACTOR": "stranger" if fork else "ann",
    }
