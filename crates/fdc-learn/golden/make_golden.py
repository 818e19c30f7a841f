"""Writes torch.json: learning steps of RLFDC's network in PyTorch, for the Rust test to repeat.

    python make_golden.py > torch.json

Needs torch and numpy. The full network does the first 50 learning steps, the ablations' shapes 10 each.
Numbers have the fewest digits that give the f32 back.
"""
import json
import sys

import numpy as np
import torch
from torch import nn

STEPS = {"full": 50, "split": 10, "cover": 10, "simple": 10}
BATCH = {"full": 32, "split": 11, "cover": 11, "simple": 11}
COLUMNS = {"full": [0, 1], "split": [0], "cover": [1], "simple": [0, 1]}


def mlp(*sizes, last):
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        linear = nn.Linear(inputs, outputs)
        nn.init.normal_(linear.weight, 0, 0.1)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*(layers if last else layers[:-1]))


class Network(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.columns = COLUMNS[shape]
        self.embed = nn.Identity() if shape == "simple" else mlp(2, 16, 16, last=True)
        context = 2 if shape == "simple" else 16
        self.head = mlp(len(self.columns) + context, 16, 32, 1, last=False)

    def forward(self, state, action):
        return self.head(torch.cat([action[:, self.columns], self.embed(state)], 1))[:, 0]


def draw(count):
    state = torch.stack([torch.randint(0, 10, (count,)), torch.randint(1, 41, (count,))], 1).float()
    action = torch.round(torch.rand(count, 2) * torch.tensor([2.0, 1.0]), decimals=3)
    goal = torch.round(torch.rand(count) * 2 - 1, decimals=3)
    return state, action, goal


def short(x):
    return float(str(np.float32(x.item())))


def tensors(network):
    return [
        {"name": name, "shape": list(t.shape), "data": [short(x) for x in t.detach().flatten()]}
        for name, t in network.state_dict().items()
    ]


def run(shape):
    network = Network(shape)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    initial = tensors(network)
    probe_state, probe_action, _ = draw(20)
    with torch.no_grad():
        before = network(probe_state, probe_action)
    steps = []
    for _ in range(STEPS[shape]):
        state, action, goal = draw(BATCH[shape])
        loss = nn.functional.mse_loss(network(state, action), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rows = torch.cat([state, action, goal[:, None]], 1)
        steps.append({"samples": [[short(x) for x in row] for row in rows], "loss": short(loss)})
    with torch.no_grad():
        after = network(probe_state, probe_action)
    values = torch.cat([probe_state, probe_action, before[:, None], after[:, None]], 1)
    values = [[short(x) for x in row] for row in values]
    return {"shape": shape, "initial": initial, "values": values, "steps": steps, "final": tensors(network)}


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    golden = {"made_by": "golden/make_golden.py", "torch": torch.__version__, "runs": [run(shape) for shape in STEPS]}
    json.dump(golden, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
