//! The tables of a case file, by schema version. A later version adds a migration to
//! [`MIGRATIONS`], with a test on a file of the version before.

use rusqlite::Connection;

use crate::checksum::Part;
use crate::evidence;

/// Marks an SQLite file as ours: `fdc1` as a number.
pub(crate) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"fdc1");

/// Each entry takes a file from the schema version of its index to the next.
pub(crate) const MIGRATIONS: &[&str] = &[
    VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6, VERSION_7, VERSION_8,
    VERSION_9,
];

/// The version this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Makes a new file a case, or brings one of an older schema up to date.
pub(crate) fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version < VERSION {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        for migration in &MIGRATIONS[version.max(0) as usize..] {
            transaction.execute_batch(migration)?;
        }
        // Other columns, other checksums.
        Part::ALL
            .iter()
            .try_for_each(|part| part.forget(&transaction))?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Whether a file has all that this program reads.
pub(crate) fn is_current(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(evidence::version(connection)? >= VERSION)
}

const VERSION_1: &str = "
-- What the case is and how it was measured: subject, version, fault_known, source, format, fdc,
-- and since the first answer when (nanoseconds since 1970).
CREATE TABLE about (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY,              -- from 0
    path TEXT NOT NULL UNIQUE            -- relative to the project's root, or a class
);
CREATE TABLE method (
    id INTEGER PRIMARY KEY,              -- from 0
    file INTEGER NOT NULL REFERENCES file,
    name TEXT NOT NULL UNIQUE,           -- qualified, with parameter types
    faulty INTEGER NOT NULL DEFAULT 0    -- in data sets of past bugs
);
CREATE TABLE element (
    id INTEGER PRIMARY KEY,              -- from 0: the bit in coverage rows
    method INTEGER NOT NULL REFERENCES method,
    line INTEGER NOT NULL,
    label TEXT,                          -- the input's own name, where the line does not say it all
    faulty INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE test (
    id INTEGER PRIMARY KEY,              -- from 0
    name TEXT NOT NULL UNIQUE,
    outcome TEXT CHECK (outcome IN ('pass', 'fail')),    -- NULL: not known
    origin TEXT,
    flaky INTEGER NOT NULL DEFAULT 0
);
-- One row a test: the elements it covers, as a compressed bit set.
CREATE TABLE coverage (
    test INTEGER PRIMARY KEY REFERENCES test,
    elements BLOB NOT NULL
);
-- A person's verdicts, all of them; the last one of a test that is not undone counts.
CREATE TABLE label (
    id INTEGER PRIMARY KEY,
    test INTEGER NOT NULL REFERENCES test,
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail')),
    weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    who TEXT NOT NULL,
    at TEXT NOT NULL,                    -- UTC, ISO 8601
    undone INTEGER NOT NULL DEFAULT 0
);
-- Verdicts on something other than a whole test: a row of its own over the elements.
CREATE TABLE virtual_test (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    elements BLOB NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail')),
    weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0
);
";

/// Cases that are collected test by test: what is known of each run, and which tests were not
/// judged.
const VERSION_2: &str = "
ALTER TABLE test ADD COLUMN runs INTEGER NOT NULL DEFAULT 1;   -- 0: has to be measured again
ALTER TABLE test ADD COLUMN seconds REAL;
ALTER TABLE test ADD COLUMN note TEXT;                         -- why it failed, that it hung, ...
CREATE TABLE skipped (
    name TEXT PRIMARY KEY,
    reason TEXT NOT NULL
) WITHOUT ROWID;
";

/// Tests that a person looked at and could not judge.
const VERSION_3: &str = "
CREATE TABLE skip (
    id INTEGER PRIMARY KEY,
    test INTEGER NOT NULL REFERENCES test,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0
);
";

/// How tests failed.
const VERSION_4: &str = "
CREATE TABLE failure (
    test INTEGER PRIMARY KEY REFERENCES test,
    exception TEXT,                      -- or panic, as its language names it
    message TEXT
);
CREATE TABLE frame (
    test INTEGER NOT NULL REFERENCES test,
    depth INTEGER NOT NULL,              -- from 0, innermost first
    place TEXT NOT NULL,                 -- class or file
    function TEXT NOT NULL,              -- empty: not known
    line INTEGER NOT NULL,               -- 0: not known
    PRIMARY KEY (test, depth)
) WITHOUT ROWID;
";

/// What version control tells of files.
const VERSION_5: &str = "
CREATE TABLE history (
    file INTEGER PRIMARY KEY REFERENCES file,
    commits INTEGER NOT NULL,                -- that changed it, of those that were looked at
    commits_since_change INTEGER NOT NULL,   -- 0: the newest commit changed it
    days_since_change REAL NOT NULL          -- from there to the newest commit
);
";

/// The order in which answers were given, over all three tables, since clocks may be set back; and
/// what statements are about, so that two of them are known to be about the same.
const VERSION_6: &str = "
ALTER TABLE virtual_test ADD COLUMN topic TEXT;   -- NULL: what the subject says
ALTER TABLE label ADD COLUMN number INTEGER;
ALTER TABLE virtual_test ADD COLUMN number INTEGER;
ALTER TABLE skip ADD COLUMN number INTEGER;
CREATE TEMP TABLE given AS
    SELECT kind, id, row_number() OVER (ORDER BY at, id, kind) AS number FROM (
        SELECT 'label' AS kind, id, at FROM label
        UNION ALL SELECT 'virtual_test', id, at FROM virtual_test
        UNION ALL SELECT 'skip', id, at FROM skip
    );
UPDATE label SET number = (SELECT number FROM given WHERE kind = 'label' AND given.id = label.id);
UPDATE virtual_test SET number =
    (SELECT number FROM given WHERE kind = 'virtual_test' AND given.id = virtual_test.id);
UPDATE skip SET number = (SELECT number FROM given WHERE kind = 'skip' AND given.id = skip.id);
DROP TABLE given;
";

/// Where failing tests stand; and programs of before would not keep the checksums up to date.
const VERSION_7: &str = "
ALTER TABLE failure ADD COLUMN file TEXT;         -- below the project's root; NULL: not known
ALTER TABLE failure ADD COLUMN first_line INTEGER;
ALTER TABLE failure ADD COLUMN last_line INTEGER;
";

/// Without a checksum only while there is none yet, and then it is said.
const VERSION_8: &str = "";

/// Mutants. They name what they are about, because they outlast a new collection.
const VERSION_9: &str = "
CREATE TABLE mutant (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,                  -- of the changed file, relative to the project's root
    first INTEGER NOT NULL,              -- bytes of it that are replaced: from this one
    last INTEGER NOT NULL,               -- to before this one
    replacement TEXT NOT NULL,
    digest TEXT NOT NULL,                -- of the file as it was; imported:TOOL if that is not known
    method TEXT NOT NULL,
    line INTEGER NOT NULL,
    mutator TEXT NOT NULL,               -- the kind of change
    original TEXT NOT NULL,              -- what is replaced
    fate TEXT NOT NULL,                  -- killed, survived, hung, crashed, broken
    tests INTEGER NOT NULL,              -- that run the line
    seconds REAL NOT NULL,
    UNIQUE (path, first, last, replacement)
);
CREATE TABLE mutant_test (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
-- The tests that failed with a mutant.
CREATE TABLE kill (
    mutant INTEGER NOT NULL REFERENCES mutant,
    test INTEGER NOT NULL REFERENCES mutant_test,
    exception TEXT,
    message TEXT,
    frames TEXT NOT NULL,                -- a call a line, innermost first: line, function, file
    PRIMARY KEY (mutant, test)
) WITHOUT ROWID;
";
