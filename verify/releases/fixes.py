"""A bug's fixed version as class files: the earlier release with nothing put right but the bug."""
import json
import shutil
from pathlib import Path

from delta import Experiments

# Why there are none.
NOT_ENOUGH = "a failing test needs more than the smallest fix"
# Bodies of both releases stand side by side in these classes, which the JVM would refuse to run.
JAVA_OPTIONS = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"


def write_fix(checkout, bug, folder):
    """Writes the earlier release with the bug's methods as the later one has them, and of what that added only what they
    use: other changes of behaviour would make generated tests fail. Says why not if the bug's failing tests do not pass on it."""
    isolated = map(json.loads, (checkout.folder / "isolated.jsonl").read_text().splitlines())
    needed = next(entry["needed"] for entry in isolated if entry["test"] == bug["failing_tests"][0])
    classes = "=" + ",".join(map(str, needed))
    baseline = json.loads((checkout.folder / "baseline.json").read_text())
    experiments = Experiments(checkout)
    try:
        if any(experiments.run(baseline[test][0], classes)[0] != "pass" for test in bug["failing_tests"]):
            return NOT_ENOUGH
        part = Path(f"{folder}.part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(checkout.folder / "classes", part)
        experiments.ask("write", classes, str(part))
        part.rename(folder)
    finally:
        experiments.close()
    return None
