"""One fitness evaluation as a process of its own: imports PyTorch, reads the model, values one candidate.

    torch_fitness.py MODEL ELEMENTS FAILING CANDIDATE

Rows are words in hexadecimal with commas between, as in fdc. Prints the value of the candidate beside the failing test.
"""
import json
import struct
import sys

import torch


def main():
    model, elements, failing, candidate = sys.argv[1:]
    elements = int(elements)
    failing, candidate = bits(failing, elements), bits(candidate, elements)
    suspects, shared = int(failing.sum()), int((failing & candidate).sum())
    # One group of suspects, for nothing is kept yet.
    split = suspects * min(shared, suspects - shared) / elements
    cover = shared / int((failing | candidate).sum())
    embed, head = network(model)
    with torch.no_grad():
        embedding = embed(torch.tensor([0.0, 1.0]))
        print(head(torch.cat([torch.tensor([split, cover]), embedding])).item())


def bits(words, elements):
    words = [int(word, 16) for word in words.split(",")]
    return torch.tensor([words[e // 64] >> (e % 64) & 1 for e in range(elements)], dtype=torch.bool)


def network(path):
    linear, relu = torch.nn.Linear, torch.nn.ReLU
    embed = torch.nn.Sequential(linear(2, 16), relu(), linear(16, 16), relu())
    head = torch.nn.Sequential(linear(18, 16), relu(), linear(16, 32), relu(), linear(32, 1))
    tensors = safetensors(path)
    for name, part in (("embed", embed), ("head", head)):
        part.load_state_dict({key[len(name) + 1 :]: value for key, value in tensors.items() if key.startswith(name)})
    return embed, head


def safetensors(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    values = bytearray(data[8 + length :])
    return {
        name: torch.frombuffer(values[slice(*entry["data_offsets"])], dtype=torch.float32).reshape(entry["shape"])
        for name, entry in header.items()
    }


if __name__ == "__main__":
    main()
