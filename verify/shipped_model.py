"""The shipped model in other hands: python shipped_model.py MODEL.safetensors EXPORT.onnx

PyTorch takes the weights (`load_state_dict`, strict) and onnxruntime runs the export; their values
must agree over a grid of states and actions. Prints what was found as JSON.
"""
import itertools
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

try:
    from safetensors.torch import load_file
except ImportError:  # optional: the format is simple enough to read by hand
    load_file = None

TOLERANCE = 1e-5


def layers(*sizes, last):
    made = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        made += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*(made if last else made[:-1]))


class Rlfdc(nn.Module):
    """As models/README.md describes it."""

    def __init__(self):
        super().__init__()
        self.embed = layers(2, 16, 16, last=True)
        self.head = layers(18, 16, 32, 1, last=False)

    def forward(self, state, action):
        return self.head(torch.cat([action, self.embed(state)], 1))[:, 0]


def read(path):
    if load_file:
        return load_file(path)
    data = pathlib.Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = {k: v for k, v in json.loads(data[8 : 8 + length]).items() if k != "__metadata__"}
    numbers = np.frombuffer(data[8 + length :], "<f4")
    slices = {k: slice(v["data_offsets"][0] // 4, v["data_offsets"][1] // 4) for k, v in header.items()}
    return {k: torch.tensor(numbers[slices[k]].reshape(v["shape"])) for k, v in header.items()}


def main():
    model, exported = sys.argv[1:]
    network = Rlfdc()
    network.load_state_dict(read(model), strict=True)
    onnx.checker.check_model(onnx.load(exported), full_check=True)
    session = onnxruntime.InferenceSession(exported, providers=["CPUExecutionProvider"])
    actions = np.array(list(itertools.product([0, 0.5, 1, 2, 5, 20], [0, 0.25, 0.5, 0.75, 1])), np.float32)
    apart = 0.0
    for state in itertools.product(range(10), [1, 2, 5, 20, 100, 500]):
        state = np.array(state, np.float32)
        (values,) = session.run(["value"], {"state": state, "actions": actions})
        with torch.no_grad():
            states = torch.tensor(state).expand(len(actions), 2)
            expected = network(states, torch.tensor(actions)).numpy()
        apart = max(apart, float((np.abs(values - expected) / np.maximum(np.abs(expected), 1)).max()))
    if not apart <= TOLERANCE:
        sys.exit(f"onnxruntime and PyTorch differ by {apart:g}")
    reader = "safetensors" if load_file else "by hand"
    print(json.dumps({"torch": torch.__version__, "onnxruntime": onnxruntime.__version__, "read_with": reader, "largest_difference": apart}))


if __name__ == "__main__":
    main()
