#!/usr/bin/env python3
"""rq1's evaluation by Ray on three local nodes beside the program with two threads: bytes, times, a killed node.

    verify/ray/compare.py DATA [--rounds 3] [--subjects Lang,Time,Math]     FDC: the program; run by a Python with fdc[ray]

The run is that of studies/rq1.toml: its metrics, ten seeds, ten random orders, five folds within each project. It goes
through `fdc evaluate`, since a study has no parts; the units are the same. Both ways alternate, and each time the
cluster is there already. Beside the clock's seconds stand those of the processors, Ray's own processes included, which others on
the machine change little. Prints one JSON object, which simulation.py starts from.
"""
import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
METRICS = "entbug,ddu,tfd,rlfdc,fdg,no-answers,no-answers:ranking=sharp"
OPTIONS = {"protocol": "cross-version", "seeds": 10, "ties": "random"}
POOLS = {"Lang": "human-all", "Time": "human-all", "Math": "human"}
NODES, THREADS = 3, 2
# Of so many parts nearly all are empty.
EMPTY = "10000/10000"
TESTS = 2000


class Fault(Exception):
    pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--subjects", default="Lang,Time,Math")
    parser.add_argument("--seeds", type=int, default=OPTIONS["seeds"])
    arguments = parser.parse_args()
    program = str(Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc")).resolve())
    OPTIONS["seeds"] = arguments.seeds
    data = [str(arguments.data / "defects4j" / POOLS[subject] / subject) for subject in arguments.subjects.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"FDC_PROGRAM": program, "FDC_RAY_STORE": f"{folder}/store", "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"})
        # Ray has something to say of a killed node.
        with contextlib.redirect_stdout(sys.stderr):
            found = check(Check(program, data, Path(folder)), arguments.rounds)
    print(json.dumps(found, indent=1))


class Check:
    def __init__(self, program, data, work):
        self.program, self.data, self.work = program, data, work
        self.count = 0

    def out(self):
        self.count += 1
        return self.work / f"out-{self.count}"

    def alone(self, *more, threads=THREADS):
        """The program: seconds of the clock, of the processors, results."""
        out = self.out()
        options = [word for name, value in OPTIONS.items() for word in (f"--{name}", str(value))]
        command = [self.program, "--quiet", "--threads", threads, "evaluate", *self.data, "--metrics", METRICS, *options, *more, "-o", out]
        return *timed(command), out

    def on_ray(self, address, **more):
        import fdc.ray

        out = self.out()
        begun, before = time.monotonic(), of_all_processes()
        done = fdc.ray.evaluate(self.data, METRICS, out=out, address=address, **OPTIONS, **more)
        return time.monotonic() - begun, of_all_processes() - before, out, done

    def compare(self, one, other):
        for file in ("options.json", "results.parquet"):
            if (one / file).read_bytes() != (other / file).read_bytes():
                raise Fault(f"{file} of Ray's results differs from the program's")
        if sorted(os.listdir(one)) != sorted(os.listdir(other)):
            raise Fault("Ray's results are other files")


def check(check, rounds):
    import ray
    from ray.cluster_utils import Cluster

    load = os.getloadavg()[0]
    begun = time.monotonic()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": 200 << 20})

    def add():
        return cluster.add_node(wait=False, num_cpus=THREADS, object_store_memory=200 << 20)

    nodes = [add() for _ in range(NODES)]
    cluster.wait_for_nodes()
    starting = time.monotonic() - begun
    ray.init(address=cluster.address, log_to_driver=False)
    overheads = overheads_of(ray, check)
    alone, by_ray, parts = [], [], []
    for round_ in range(rounds):
        # Who is first changes, and with it who has the load of others.
        for turn in (0, 1) if round_ % 2 else (1, 0):
            if turn:
                *seconds, whole = check.alone()
                alone.append(seconds)
            else:
                *seconds, out, done = check.on_ray(cluster.address)
                by_ray.append(seconds)
                parts.append(done.parts)
        check.compare(whole, out)
        print(f"alone {alone[-1]}, Ray {by_ray[-1]} in {parts[-1]} parts, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    merging = timed([check.program, "--quiet", "merge", *sorted(out.parent.glob(f"{out.name}.parts/part-*")), "-o", check.out()])
    killed = with_a_killed_node(check, cluster, nodes, whole)
    ray.shutdown()
    cluster.shutdown()
    return {
        "run": {"bugs": len(list_bugs(check.data)), "metrics": METRICS, **OPTIONS},
        "nodes": NODES, "cores": os.cpu_count(), "threads": THREADS, "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "same_bytes": True,
        "parts": parts,
        "clock": compared(alone, by_ray, 0),
        "processors": compared(alone, by_ray, 1),
        "killed_node": killed,
        "overheads": {"start_of_cluster": round(starting, 1), "merging": round(merging[1], 3), **overheads},
        "collect": collecting(check),
    }


def with_a_killed_node(check, cluster, nodes, whole):
    killed = []

    def progress(done, of):
        if done >= of // 3 and not killed:
            killed.append(done)
            threading.Thread(target=cluster.remove_node, args=(nodes[0],), kwargs={"allow_graceful": False}).start()

    seconds, _, out, done = check.on_ray(cluster.address, progress=progress, parts=3 * NODES)
    check.compare(whole, out)
    return {"after_parts": killed[0], "of": done.parts, "seconds": round(seconds, 1), "same_bytes": True}


def overheads_of(ray, check):
    """What Ray and beginning a part cost, in seconds."""
    from fdc.ray.inputs import Input, pack

    @ray.remote
    def nothing(_parcels):
        return None

    ray.get([nothing.remote({}) for _ in range(NODES)])
    begun = time.monotonic()
    for _ in range(100):
        ray.get(nothing.remote({}))
    one = (time.monotonic() - begun) / 100
    begun = time.monotonic()
    ray.get([nothing.remote({}) for _ in range(1000)])
    of_many = (time.monotonic() - begun) / 1000
    begun = time.monotonic()
    packed = [pack(Input(Path(path)), []) for path in check.data]
    packing = time.monotonic() - begun
    begun = time.monotonic()
    references = [ray.put(entries) for _, entries in packed]
    sending = time.monotonic() - begun
    del references
    version = [timed([check.program, "--version"]) for _ in range(11)]
    empty = [check.alone("--shard", EMPTY)[:2] for _ in range(3)]
    return {
        "task_alone": round(one, 5), "task_of_many": round(of_many, 5), "start_of_program": round(statistics.median(own[0] for own in version), 4),
        "megabytes_of_data": round(sum(len(entry[-1]) for _, entries in packed for entry in entries) / 1e6, 1),
        "packing": round(packing, 3), "putting": round(sending, 3),
        "empty_part": {"clock": round(statistics.median(own[0] for own in empty), 2), "processors": round(statistics.median(own[1] for own in empty), 2)},
    }


def collecting(check):
    """What a suite of tests that do next to nothing takes, in seconds of processors: all of it, and a part without tests."""
    sys.path.insert(0, str(ROOT / "verify"))
    import scale

    project = check.work / "project"
    scale.make_project(project, TESTS)
    command = [check.program, "--quiet", "collect", "pytest", "--root", project, "--python", sys.executable, "-o"]
    whole, empty = timed([*command, check.out()]), timed([*command, check.out(), "--shard", EMPTY])
    return {"tests": TESTS, "whole": round(whole[1], 2), "empty_part": round(empty[1], 2)}


def timed(command):
    """Seconds of the clock and of the processors."""
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Fault(f"{' '.join(map(str, command))}\nended with {done.returncode}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_all_processes():
    """Seconds of the processors so far: of this process, of those below it, and of those that have ended there."""
    parents, seconds = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # Behind the name, which may hold anything.
            fields = path.read_text().rpartition(")")[2].split()
            own = int(path.parent.name)
            parents[own], seconds[own] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def is_ours(process):
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    return sum(own for process, own in seconds.items() if is_ours(process))


def compared(alone, by_ray, which):
    """Medians, and that of the ratios round by round."""
    alone, by_ray = ([own[which] for own in both] for both in (alone, by_ray))
    ratios = [ours / theirs for ours, theirs in zip(by_ray, alone)]
    return {
        "program": rounded(alone), "ray": rounded(by_ray), "ratios": rounded(ratios, 3), "median_ratio": round(statistics.median(ratios), 3),
    }


def list_bugs(data):
    return [path for folder in data for path in Path(folder).glob("*.json.zst")]


def rounded(values, digits=1):
    return [round(value, digits) for value in values]


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(str(fault))
