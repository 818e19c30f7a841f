"""The pairs of releases, by their names on PyPI: each release of a package with the next one in its list, so that pairs do not
overlap and no bug counts twice."""

PYTEST = "pytest>=8,<9"


class Package:
    """`modules`: what is imported; `tests`: where the sdist has its tests; `needs`: what the tests need besides the package's
    own requirements."""

    def __init__(self, releases, modules, tests=("tests",), needs=()):
        self.releases, self.modules, self.tests = releases.split(), modules.split(), list(tests)
        self.needs = [PYTEST, *needs]


PACKAGES = {
    "boltons": Package("20.0.0 21.0.0", "boltons"),
    "click": Package("8.0.0 8.0.4", "click"),
    "humanize": Package("4.4.0 4.9.0", "humanize", needs=["freezegun"]),
    # 3.1.1 imports pkg_resources, which newer versions of setuptools no longer have.
    "markdown": Package("3.1.1 3.2.2", "markdown", needs=["pyyaml", "setuptools<80"]),
    "marshmallow": Package("3.5.0 3.10.0", "marshmallow", needs=["pytz", "simplejson"]),
    "mistune": Package("3.1.0 3.2.1", "mistune"),
    "pyflakes": Package("2.2.0 2.4.0", "pyflakes", tests=["pyflakes/test"]),
    "sqlparse": Package("0.3.0 0.3.1 0.4.0 0.4.2", "sqlparse"),
    "tomlkit": Package("0.7.0 0.8.0 0.10.0", "tomlkit", needs=["pyyaml"]),
}


class Pair:
    def __init__(self, package, earlier, later):
        about = PACKAGES[package]
        self.package, self.earlier, self.later = package, earlier, later
        self.modules, self.tests, self.needs = about.modules, about.tests, about.needs
        self.name = f"{package}-{earlier}-{later}"


PAIRS = [Pair(name, *pair) for name, package in PACKAGES.items() for pair in zip(package.releases, package.releases[1:])]
