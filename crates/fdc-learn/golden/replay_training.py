"""Repeats a traced training in PyTorch and writes training.json, for a Rust test to compare with.

    cargo run --release -p fdc-learn --example trace_training TRACE.json
    python replay_training.py TRACE.json > training.json

The trace gives the initial weights and, per learning step, the batch: state, action, reward, whether
the episode ended, the next state and the remaining candidates' actions there. Goals, errors, gradients
and Adam's steps are PyTorch's own. The target copies the head before steps 0, 20, 40, ...; the next
state goes through the online embedding; no gradient goes through the goal. training.json keeps the
errors of the first 50 steps for every target rule, and the final weights for the default one.
How far fdc's own numbers in the trace are away goes to standard error.
"""
import copy
import json
import sys

import numpy as np
import torch
from torch import nn

from make_golden import Network, short, tensors

LOSSES_KEPT = 50


def load(tensors):
    return {t["name"]: torch.tensor(t["data"]).reshape(t["shape"]) for t in tensors}


def next_value(rule, network, target, state, actions):
    """What the best remaining candidate is worth."""
    embedding = network.embed(torch.tensor(state)[None]).expand(len(actions), -1)
    inputs = torch.cat([torch.tensor(actions), embedding], 1)
    online, frozen = network.head(inputs)[:, 0], target(inputs)[:, 0]
    if rule == "target":
        return frozen.max()
    if rule == "double":
        return frozen[online.argmax()]
    return online.max()


def replay(run):
    options = run["hyperparameters"]
    network = Network("full")
    network.load_state_dict(load(run["initial"]), strict=True)
    optimizer = torch.optim.Adam(network.parameters(), lr=options["learning_rate"])
    losses = []
    for number, batch in enumerate(run["steps"]):
        if number % options["copy_every"] == 0:
            target = copy.deepcopy(network.head)
        states, actions, goals = [], [], []
        with torch.no_grad():
            for origin, split, cover, reward, last, to in batch:
                states.append(run["situations"][origin][0])
                actions.append([split, cover])
                goal = torch.tensor(reward)
                if not last:
                    goal = goal + options["discount"] * next_value(run["rule"], network, target, *run["situations"][to])
                goals.append(goal)
        loss = nn.functional.mse_loss(network(torch.tensor(states), torch.tensor(actions)), torch.stack(goals))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(short(loss))
    report(run, losses, network)
    kept = {"rule": run["rule"], "steps": len(losses), "losses": losses[:LOSSES_KEPT]}
    return {**kept, "final": tensors(network)} if run["rule"] == "target" else kept


def report(run, losses, network):
    ours, theirs = np.array(run["losses"]), np.array(losses)
    apart = np.abs(ours - theirs) / theirs
    final = load(run["final"])
    weights = max(float((final[name] - t).abs().max()) for name, t in network.state_dict().items())
    moved = max(float((t - network.state_dict()[name]).abs().max()) for name, t in load(run["initial"]).items())
    print(
        f"{run['rule']}: {len(losses)} steps; errors apart by {apart[:LOSSES_KEPT].max():.1e} (relative, first {LOSSES_KEPT}) "
        f"and {apart.max():.1e} (all); final weights by {weights:.1e}, having moved by up to {moved:.2f}",
        file=sys.stderr,
    )


def main():
    torch.set_num_threads(1)
    with open(sys.argv[1]) as trace:
        runs = json.load(trace)["runs"]
    golden = {"made_by": "golden/replay_training.py", "torch": torch.__version__, "runs": [replay(run) for run in runs]}
    json.dump(golden, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
