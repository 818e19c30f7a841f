"""The PyTorch yardstick for chosen metrics only: torch_metrics.py's own code, timed as it times itself.

    python torch_picks.py BENCH_FOLDER PICKS METRIC,METRIC FILE...
"""
import json
import sys

bench, picks, metrics, *files = sys.argv[1:]
sys.path.insert(0, bench)
import torch_metrics

torch_metrics.METRICS = {name: torch_metrics.METRICS[name] for name in metrics.split(",")}
sys.argv = ["torch_metrics.py", "--picks", picks, *files]
torch_metrics.main()
