"""From the case that `fdc collect` measured to bugs: which methods of the case a change is, and a case per bug."""
import shutil
import sqlite3
from contextlib import closing


class Measured:
    """The methods of a case, by file and line."""

    def __init__(self, case):
        with closing(sqlite3.connect(f"file:{case}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT path, line, name FROM element JOIN method ON method = method.id JOIN file ON file = file.id ORDER BY path, line")
            self.lines = {}
            for path, line, name in rows:
                self.lines.setdefault(path, []).append((line, name))

    def methods(self, change, files):
        """What the case calls the functions that a change really differs in: often one, none if no line was measured."""
        found = []
        for (first, last), inside in files[change["file"]].lines(change["key"]):
            found += [name for line, name in self.lines.get(change["file"], ())
                      if first <= line <= last and not any(start <= line <= end for start, end in inside)]
        return list(dict.fromkeys(found))


def by_method(isolated, changes, files, measured):
    """Isolated tests and changes in terms of measured methods, as `spectra.bugs_of` reads them."""
    expanded, numbers = [], {}
    for number in sorted({number for needed in isolated.values() for number in needed}):
        numbers[number] = []
        for method in measured.methods(changes[number], files) or [None]:
            numbers[number].append(len(expanded))
            expanded.append({"method": method, "retyped": False, "initialises": changes[number]["initialises"]})
    return {test: [each for number in needed for each in numbers[number]] for test, needed in isolated.items()}, expanded


def write_case(path, case, subject, version, bug, passing):
    """The bug as a case file: its failing tests, with how they failed, the passing ones, and which methods are faulty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    shutil.copy(case, part)
    with closing(sqlite3.connect(part)) as database:
        database.execute("CREATE TEMP TABLE kept (new INTEGER PRIMARY KEY, old INTEGER)")
        wanted = {*bug["failing_tests"], *passing}
        old = [number for number, name in database.execute("SELECT id, name FROM test ORDER BY id") if name in wanted]
        database.executemany("INSERT INTO kept VALUES (?, ?)", enumerate(old))
        for table, column in (("coverage", "test"), ("failure", "test"), ("frame", "test"), ("test", "id")):
            database.execute(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT old FROM kept)")
            # Tests are numbered without gaps; first out of the way of each other.
            database.execute(f"UPDATE {table} SET {column} = -1 - (SELECT new FROM kept WHERE old = {column})")
            database.execute(f"UPDATE {table} SET {column} = -1 - {column}")
        database.executemany("UPDATE method SET faulty = 1 WHERE name = ?", [(name,) for name in bug["methods"]])
        database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", [("subject", subject), ("version", str(version)), ("fault_known", "1"), ("checksum", "none yet")])
        database.commit()
    part.replace(path)
