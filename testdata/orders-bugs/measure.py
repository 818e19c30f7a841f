"""Puts one other bug after the other into the program of ../orders, and measures it with each.

Each bug gets a copy of the program without the bug that it has, and a process of its own, since
modules are imported once. Writes 2.json, 3.json, ... beside this file.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ORDERS = ROOT.parent / "orders"
MENDED = (
    "discount.py",
    "if line.quantity > minimum:",
    "if line.quantity >= minimum:",
)

# File, method, the line as it should be, the faulty line.
BUGS = [
    ("shipping.py", "weight_surcharge", "kilos = -(-extra // 1000)", "kilos = extra // 1000"),
    ("shipping.py", "is_free", "and goods >= FREE_FROM", "and goods > FREE_FROM"),
    ("tax.py", "is_reverse_charge", "return order.country != HOME and", "return order.country == HOME and"),
    ("parsing.py", "parse_quantity", "quantity *= 12", "quantity *= 10"),
    ("cart.py", "Cart.add", "line.quantity += quantity", "line.quantity = quantity"),
    ("discount.py", "cap_discount", "if discount > ceiling:", "if discount < ceiling:"),
    ("invoice.py", "Invoice.due_date", "timedelta(days=DAYS", "timedelta(weeks=DAYS"),
    ("money.py", "format_amount", 'sign = "-" if amount < 0', 'sign = "-" if amount > 0'),
]

# In the copy: its own measure.py, told of another fault.
MEASURE = """
import sys
import measure
measure.FAULTY_METHOD, measure.FAULTY_LINE = sys.argv[1:]
measure.main()
"""


def change(path, right, wrong):
    text = path.read_text(encoding="utf-8")
    if text.count(right) != 1:
        sys.exit(f"{path.name}: expected {right!r} once, found it {text.count(right)} times")
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    return next(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if wrong in line)


def main():
    for version, (file, method, right, wrong) in enumerate(BUGS, start=2):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "orders"
            shutil.copytree(ORDERS, copy, ignore=shutil.ignore_patterns("__pycache__"))
            source = copy / "src" / "orders"
            change(source / MENDED[0], *MENDED[1:])
            line = change(source / file, right, wrong)
            fault = [f"orders/{file}::{method}", line]
            subprocess.run([sys.executable, "-c", MEASURE, *fault], cwd=copy, check=True)
            bug = json.loads((copy / "orders.json").read_text(encoding="utf-8"))
        bug["version"] = version
        text = json.dumps(bug, ensure_ascii=False, separators=(",", ":"))
        (ROOT / f"{version}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
