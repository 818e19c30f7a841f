"""Compares exported models with onnxruntime and PyTorch.

    cargo run --release --example export_models DIRECTORY
    python check_onnx.py DIRECTORY [--record onnx.json]

For every shape of network: the ONNX file passes onnx's checker, onnxruntime gives the values that
fdc gave, and PyTorch gives them from the model file's weights (`load_state_dict`, strict).
Tolerance 1e-5 of the value or of 1, whichever is larger. --record writes the digests of the ONNX
files and onnxruntime's values, which a Rust test compares with. Needs numpy, onnx, onnxruntime, torch.
"""
import argparse
import json
import pathlib
import struct
import sys

import numpy as np
import onnx
import onnxruntime
import torch

from make_golden import COLUMNS, Network

TOLERANCE = 1e-5


def fnv1a(data):
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"{digest:016x}"


def state_dict(path):
    """Reads a model file by hand: eight bytes of length, a JSON header, the numbers."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__")
    tensors = {}
    for name, info in header.items():
        start, end = info["data_offsets"]
        numbers = np.frombuffer(data[8 + length + start : 8 + length + end], "<f4")
        tensors[name] = torch.tensor(numbers.reshape(info["shape"]))
    return tensors


def worst(name, values, expected):
    assert values.shape == expected.shape, (name, values.shape, expected.shape)
    off = np.abs(values - expected) / np.maximum(np.abs(expected), 1)
    largest = float(off.max(initial=0))
    if not largest <= TOLERANCE:
        sys.exit(f"{name}: off by {largest:g}\n{values}\n{expected}")
    return largest


def check(directory, shape):
    model = (directory / f"{shape}.onnx").read_bytes()
    onnx.checker.check_model(onnx.load_model_from_string(model), full_check=True)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    network = Network(shape)
    network.load_state_dict(state_dict(directory / f"{shape}.safetensors"), strict=True)
    recorded, off_onnx, off_torch = [], 0, 0
    for probe in json.loads((directory / f"{shape}.json").read_text())["probes"]:
        expected = np.array(probe["values"], np.float32)
        state = np.array(probe["state"], np.float32)
        actions = np.array(probe["actions"], np.float32).reshape(-1, 2)
        (values,) = session.run(["value"], {"state": state, "actions": actions[:, COLUMNS[shape]]})
        off_onnx = max(off_onnx, worst(f"{shape} onnxruntime", values, expected))
        with torch.no_grad():
            states = torch.tensor(state).expand(len(actions), 2)
            values_torch = network(states, torch.tensor(actions)).numpy()
        off_torch = max(off_torch, worst(f"{shape} torch", values_torch, expected))
        recorded.append([float(str(value)) for value in values])
    print(f"{shape}: ok, largest difference onnxruntime {off_onnx:.1e}, torch {off_torch:.1e}")
    return {"shape": shape, "digest": fnv1a(model), "values": recorded}


def main():
    args = argparse.ArgumentParser()
    args.add_argument("directory", type=pathlib.Path)
    args.add_argument("--record", type=pathlib.Path)
    args = args.parse_args()
    runs = [check(args.directory, shape) for shape in COLUMNS]
    if args.record:
        golden = {"made_by": "golden/check_onnx.py --record", "onnxruntime": onnxruntime.__version__, "runs": runs}
        args.record.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
