"""Where `fdc rank` puts the faulty functions of the bugs: with the built-in model and with Ochiai over all outcomes."""
import csv
import random
import subprocess

RANKINGS = {"built-in model": [], "ochiai": ["--formula", "ochiai"]}
CUTS = (1, 3, 5, 10)
RESAMPLES = 10_000


def figures(fdc, cases, bugs):
    """Places of every bug, also noted in the bug; mean average precision and acc@n, and the intervals of their differences."""
    if not bugs:
        return {}
    measured = {}
    for ranking, words in RANKINGS.items():
        measured[ranking] = [measures(places(fdc, cases, bug, words)) for bug in bugs]
        for bug, each in zip(bugs, measured[ranking]):
            bug.setdefault("places", {})[ranking] = each.pop("places")
    told = {}
    for name in measured["ochiai"][0]:
        model, formula = ([each[name] for each in measured[ranking]] for ranking in RANKINGS)
        low, high = interval([one - other for one, other in zip(model, formula)])
        told[name] = {"built-in model": round(mean(model), 4), "ochiai": round(mean(formula), 4), "difference": round(mean(model) - mean(formula), 4),
                      "interval": [round(low, 4), round(high, 4)]}
    return told


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
    print("\n| measure | built-in model | ochiai | difference | 95 % interval |\n|---|---|---|---|---|")
    for name, told in figures.items():
        low, high = told["interval"]
        print(f"| {name} | {told['built-in model']:.3f} | {told['ochiai']:.3f} | {told['difference']:+.3f} | {low:+.3f} to {high:+.3f} |")
