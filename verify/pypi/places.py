"""Where `fdc rank` puts the faulty functions of the bugs: with the built-in model, with others, and with Ochiai over all outcomes."""
import csv
import random
import subprocess

BUILT_IN = "built-in model"
CUTS = (1, 3, 5, 10)
RESAMPLES = 10_000


def rankings(models):
    """What `fdc rank` is told for each, by name; `models` are files by name."""
    others = {name: ["--model", path] for name, path in models.items()}
    return {BUILT_IN: [], **others, "ochiai": ["--formula", "ochiai"]}


def figures(fdc, cases, bugs, models):
    """Places of every bug, also noted in the bug; mean average precision and acc@n, and how far the built-in model is above the
    others, with intervals."""
    if not bugs:
        return {}
    measured = {}
    for ranking, words in rankings(models).items():
        measured[ranking] = [measures(places(fdc, cases, bug, words)) for bug in bugs]
        for bug, each in zip(bugs, measured[ranking]):
            bug.setdefault("places", {})[ranking] = each.pop("places")
    told = {}
    for name in measured[BUILT_IN][0]:
        values = {ranking: [each[name] for each in all_bugs] for ranking, all_bugs in measured.items()}
        told[name] = {ranking: {"mean": round(mean(own), 4), **above(values[BUILT_IN], own)} for ranking, own in values.items()}
    return told


def above(model, other):
    """How far the model is above another ranking, bug by bug."""
    if model is other:
        return {}
    differences = [one - value for one, value in zip(model, other)]
    return {"model_above": round(mean(differences), 4), "interval": [round(end, 4) for end in interval(differences)]}


def places(fdc, cases, bug, words):
    """Places of the faulty functions, the first one first."""
    package = bug["bug"].rsplit("-", 1)[0]
    command = [fdc, "--quiet", "rank", cases / package / f"{bug['bug']}.fdc", "--format", "csv", *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    ranks = {row["name"]: int(row["rank"]) for row in csv.DictReader(done.stdout.splitlines())}
    return sorted(ranks[name] for name in bug["faulty_functions"])


def measures(places):
    precision = mean([number / place for number, place in enumerate(places, 1)])
    return {"places": places, "mAP": precision, **{f"acc@{cut}": float(places[0] <= cut) for cut in CUTS}}


def mean(values):
    return sum(values) / len(values)


def interval(differences):
    """95 % of the means over bugs drawn with replacement."""
    generator = random.Random(0)
    means = sorted(mean(generator.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def print_figures(figures):
    names = list(next(iter(figures.values())))
    print(f"\n| measure | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for name, told in figures.items():
        print(f"| {name} | {' | '.join(cell(each) for each in told.values())} |")


def cell(told):
    """The mean, and how far the built-in model is above it."""
    if "interval" not in told:
        return f"{told['mean']:.3f}"
    low, high = told["interval"]
    return f"{told['mean']:.3f}; {told['model_above']:+.3f} ({low:+.3f} to {high:+.3f})"
