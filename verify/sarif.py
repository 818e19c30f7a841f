"""Validates SARIF logs against a schema, formats such as URIs included.

    python sarif.py SCHEMA LOG...

Prints what was checked as JSON; ends with 1 and the first problem of each bad log. A log that was
made wrong on purpose has to be refused, so that a schema that accepts everything does not pass.
"""
import json
import sys
from importlib.metadata import version
from pathlib import Path

from jsonschema import FormatChecker
from jsonschema.validators import validator_for


def main():
    schema = json.loads(Path(sys.argv[1]).read_text())
    checker = validator_for(schema)(schema, format_checker=FormatChecker())
    bad, results = [], 0
    for path in sys.argv[2:]:
        log = json.loads(Path(path).read_text())
        bad += [f"{path}: {error.json_path}: {error.message}" for error in list(checker.iter_errors(log))[:1]]
        results += len(log["runs"][0]["results"])
    for change in [lambda run: run.pop("tool"),
                   lambda run: run["results"][0].update(level="fatal"),
                   lambda run: run["results"][0].update(rank=101),
                   lambda run: run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b")]:
        wrong = json.loads(Path(sys.argv[2]).read_text())
        change(wrong["runs"][0])
        if checker.is_valid(wrong):
            bad.append(f"a wrong log was accepted: {sys.argv[2]}")
    if bad or not results:
        sys.exit("\n".join(bad) or "no results at all")
    print(json.dumps({"jsonschema": version("jsonschema"), "schema": schema.get("$id", schema.get("id")),
                      "logs": len(sys.argv) - 2, "results": results}))


main()
