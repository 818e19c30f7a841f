"""The pairs of releases, by their names on PyPI: each release of a package with the next one in its list, so that pairs do not
overlap and no bug counts twice."""

PYTEST = "pytest>=8,<9"


class Package:
    """`modules`: what is imported; `tests`: where the sdist has its tests; `needs`: what the tests need besides the package's
    own requirements; `options`: for pytest."""

    def __init__(self, releases, modules, tests=("tests",), needs=(), options=()):
        self.releases, self.modules, self.tests = releases.split(), modules.split(), list(tests)
        self.needs, self.options = [PYTEST, *needs], list(options)


PACKAGES = {
    "arrow": Package("0.15.0 0.15.8 1.0.0 1.2.0", "arrow", needs=["pytest-mock", "pytz", "simplejson", "dateparser"]),
    "boltons": Package("19.0.0 20.0.0 21.0.0 23.0.0 25.0.0", "boltons"),
    "click": Package("8.0.0 8.0.4 8.1.3 8.1.8", "click"),
    "humanize": Package("3.14.0 4.4.0 4.9.0 4.13.0", "humanize", needs=["freezegun"]),
    "jinja2": Package("2.11.3 3.0.3 3.1.2 3.1.6", "jinja2", needs=["trio"]),
    "markdown": Package("3.1.1 3.2.2 3.3.4 3.4.4 3.6 3.8", "markdown", needs=["pyyaml"]),
    "marshmallow": Package("3.5.0 3.10.0 3.15.0 3.21.0", "marshmallow", needs=["pytz", "simplejson"]),
    "mistune": Package("3.0.0 3.1.0 3.2.1 3.4.0", "mistune"),
    "more-itertools": Package("8.4.0 8.10.0 9.1.0 10.3.0 10.8.0", "more_itertools"),
    "pyflakes": Package("2.2.0 2.4.0 3.0.1 3.2.0 3.4.0", "pyflakes", tests=["pyflakes/test"]),
    "python-dateutil": Package("2.6.1 2.7.5 2.8.2", "dateutil", tests=["dateutil/test"], needs=["freezegun", "hypothesis"]),
    "sqlparse": Package("0.3.0 0.3.1 0.4.0 0.4.2 0.4.4 0.5.0 0.5.2", "sqlparse"),
    "tabulate": Package("0.8.7 0.8.10 0.9.0 0.10.0", "tabulate", tests=["test"], needs=["wcwidth"]),
    "tomlkit": Package("0.7.0 0.8.0 0.10.0 0.11.0 0.11.6 0.12.0 0.13.0 0.15.2", "tomlkit", needs=["pyyaml"]),
    "voluptuous": Package("0.11.7 0.12.2 0.13.1 0.15.2", "voluptuous", tests=["voluptuous/tests"]),
    "werkzeug": Package("2.1.2 2.2.3 2.3.8 3.0.6", "werkzeug", needs=["ephemeral-port-reserve", "pytest-timeout", "pytest-xprocess", "cryptography", "watchdog"],
                        options=["--ignore=tests/test_serving.py"]),
}


class Pair:
    def __init__(self, package, earlier, later):
        about = PACKAGES[package]
        self.package, self.earlier, self.later = package, earlier, later
        self.modules, self.tests, self.needs, self.options = about.modules, about.tests, about.needs, about.options
        self.name = f"{package}-{earlier}-{later}"


PAIRS = [Pair(name, *pair) for name, package in PACKAGES.items() for pair in zip(package.releases, package.releases[1:])]
