import sys

import pytest
from project import PLUGIN, Project

sys.path.insert(0, str(PLUGIN.parent))


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture
def shop(project):
    """A module with three functions; the comments tell the lines of the bodies."""
    project.file(
        "shop.py",
        """
        RATE = 3  # 1


        def price(count):  # 4
            if count < 0:  # 5
                raise ValueError("count")  # 6
            return count * RATE  # 7


        def opened(name):  # 10
            return name.upper()  # 11


        def closed(name):  # 14
            return name.lower()  # 15
        """,
    )
    return project
