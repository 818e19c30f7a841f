"""A small project in a Git repository, below its top, whose names and texts mean harm to logs and comments."""
import os
import subprocess

FOLDER = "services/shop"
CART = f"{FOLDER}/shop/cart.py"
TAX = f"{FOLDER}/shop/tax, 7%.py"

CART_TEXT = '''"""What is in a cart."""


def total(prices, member):
    """```` ends no block, and <!-- nothing here --> is mark-up. @octocat"""
    value = sum(prices)
    if member:
        value = value {sign} value // 10
    return value


def count(prices):
    return len(prices)
'''
TAX_TEXT = '''def tax(value):
    if value > 100:
        return value * {rate} // 100
    return 0


def label(value):
    return f"tax: {{value}}"
'''
TESTS = '''import importlib.util
from pathlib import Path

from shop import cart

spec = importlib.util.spec_from_file_location("tax", Path(__file__).parent / "shop" / "tax, 7%.py")
tax = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tax)


def test_member_pays_less():
    print("::error::printed by a test")
    print("::set-env name=PATH::nowhere")
    assert cart.total([50, 50], True) == 90


def test_others_pay_all():
    assert cart.total([50, 50], False) == 100


def test_count():
    assert cart.count([1, 2]) == 2


def test_high_value_is_taxed():
    assert tax.tax(200) == 14


def test_low_value_is_not():
    assert tax.tax(50) == 0


def test_label():
    assert tax.label(3) == "tax: 3"
'''
# What is wrong: nothing, the cart or the tax.
STATES = {"right": ("-", 7), "cart": ("+", 7), "tax": ("-", 6)}


def write(folder, state):
    sign, rate = STATES[state]
    shop = folder / FOLDER / "shop"
    shop.mkdir(parents=True, exist_ok=True)
    (shop / "__init__.py").touch()
    (shop / "cart.py").write_text(CART_TEXT.format(sign=sign))
    (folder / TAX).write_text(TAX_TEXT.format(rate=rate))
    (folder / FOLDER / "test_shop.py").write_text(TESTS)
    (folder / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n*.fdc*\n*.json\n")


def commit(folder, state):
    """The project in that state, committed; what the commit is called."""
    write(folder, state)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", state)
    return git(folder, "rev-parse", "HEAD").strip()


def repository(folder):
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    # As on the service: a commit may be asked for by its name.
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    for key, value in {"user.name": "Ann", "user.email": "ann@example.com", "commit.gpgsign": "false"}.items():
        git(folder, "config", key, value)
    return folder


def git(folder, *words, **more):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(["git", *words], cwd=folder, check=True, text=True, stdout=subprocess.PIPE, env=clean, **more).stdout
