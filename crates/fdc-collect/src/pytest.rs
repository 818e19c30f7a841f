//! pytest — Python projects whose tests are run by pytest
//!
//! Runs `python -m pytest` in the project's folder, with the project's own configuration; arguments
//! after `--` go to pytest. A plug-in of ours reports each test as it ends, with its exact node id,
//! and coverage.py (C tracer, lines) measures. Parametrised tests, fixtures, unittest classes,
//! subtests, doctests, asynchronous tests and xdist workers (`-- -n 4`) work as they are.
//!
//! Needs Python 3.8, pytest 6.2 and coverage.py 6.0 or newer, installed where the project's own
//! tests run: `--python`, else the active virtual environment, else `.venv` or `venv` in the
//! project, else `python3`.
//!
//! What counts for a test: lines run in its setup, call and teardown. The setup of a fixture wider
//! than a function (module, session, `setUpClass`, ...) counts for every test that uses it; its
//! teardown for none, unless it fails. The first import of a module inside a test counts for none,
//! unless it fails. Of a test that a plug-in runs again only the last attempt counts. Lines outside
//! functions run at import and are no elements. What only puts a failure into words counts for none:
//! `__repr__` called by a failed assert of pytest or unittest, what pytest's report asks for, and the
//! teardown after a failure, unless it fails as well. Words that the test itself makes count (the
//! message of an assert), and so do unittest's `tearDown` and other libraries' assertions.
//!
//! Outcomes: an error in setup or teardown is a failure, and so are a failed subtest and a strict
//! xpass. Skipped, xfail and other xpass tests are left out.
//!
//! Test code: modules with tests, files named like them, `conftest.py`, and all of a folder `test`
//! or `tests` that holds tests. It is left out unless `--include-tests` is given.
//!
//! For the run pytest-cov, -x, --maxfail, --stepwise, --lf and --pdb are switched off, and modules
//! that cannot be imported are reported and left out. `--jobs N` runs N pytests side by side, each
//! with a share of the test files.
//!
//! Not measured: child processes of tests (pytest-forked included), compiled extensions, and lines
//! that a test runs under a trace function of its own.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::batch::Batch;
use crate::changes::TestsOf;
use crate::error::{Result, RunError};
use crate::isolated::{LARGEST_FILE, MEMORY};
use crate::options::CollectOptions;
use crate::plan::Plan;
use crate::process::{TemporaryFolder, ToolLog, answer, make_folder, write_file};
use crate::settings::{Setting, SettingKind};
use crate::{Ecosystem, Tests};

pub(crate) const ECOSYSTEM: Ecosystem = Ecosystem {
    name: "pytest",
    summary: "Python: pytest with coverage.py",
    detect,
    settings: &[Setting::new(SettingKind::Tool, "python", "PROGRAM").help(
        "The Python to use [default: that of the active or the project's virtual environment]",
    )],
    open,
    tests_of,
    warm: Some(open_batch),
    served: None,
    woven: None,
    source: include_str!("pytest.rs"),
};

const PLUGIN_MODULE: &str = "fdc_pytest";
const FAILING_MODULE: &str = "fdc_failing";
const MODULES: [(&str, &str); 4] = [
    (PLUGIN_MODULE, include_str!("../../../python/fdc_pytest.py")),
    (
        FAILING_MODULE,
        include_str!("../../../python/fdc_failing.py"),
    ),
    (
        "fdc_failing_tests",
        include_str!("../../../python/fdc_failing_tests.py"),
    ),
    (
        "fdc_mutants",
        include_str!("../../../python/fdc_mutants.py"),
    ),
];
const OLDEST: [(&str, (u32, u32)); 3] =
    [("Python", (3, 8)), ("pytest", (6, 2)), ("coverage", (6, 0))];
/// A wrong option, a `conftest.py` that cannot be imported.
const EXIT_USAGE: i32 = 4;
/// Our plug-in cannot write to the spool.
const EXIT_SPOOL: i32 = 74;

fn detect(root: &Path) -> bool {
    const SIGNS: [&str; 6] = [
        "pytest.ini",
        "conftest.py",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "tox.ini",
    ];
    SIGNS.iter().any(|sign| root.join(sign).is_file())
}

fn tests_of(file: &str) -> TestsOf {
    let name = file.rsplit('/').next().unwrap_or(file);
    if name == "conftest.py" {
        return TestsOf::Below(file[..file.len() - name.len()].to_owned());
    }
    let named_like_tests = name.starts_with("test_") || name.ends_with("_test.py");
    if named_like_tests && name.ends_with(".py") {
        TestsOf::Beginning(format!("{file}::"))
    } else {
        TestsOf::All
    }
}

fn open(options: &CollectOptions) -> Result<Tests> {
    open_batch(options).map(Tests::Batch)
}

fn open_batch(options: &CollectOptions) -> Result<Box<dyn Batch>> {
    let python = interpreter(options.settings.path("python"), options.home());
    check(&python, &options.root)?;
    let options = options.clone();
    Ok(Box::new(Pytest { python, options }))
}

/// For what a pytest has reported that somebody else started.
pub(crate) fn of_report(options: &CollectOptions) -> Box<dyn Batch> {
    let python = interpreter(options.settings.path("python"), options.home());
    let options = options.clone();
    Box::new(Pytest { python, options })
}

struct Pytest {
    python: PathBuf,
    options: CollectOptions,
}

impl Batch for Pytest {
    fn command(&self, work: &Path) -> Result<Command> {
        let folder = work.join("python");
        put_modules(&folder)?;
        let plugins = before("PYTEST_PLUGINS", OsStr::new(PLUGIN_MODULE), ",");
        let mut command = Command::new(&self.python);
        command.current_dir(&self.options.root);
        command.args(["-m", "pytest", "-q", "--tb=short"]);
        command.args(&self.options.arguments);
        let mut paths = folder.into_os_string();
        let sources = self.options.root.join("src");
        if self.options.copied_from.is_some() && sources.is_dir() {
            // An installed package would lead to the project that this is a copy of.
            paths.push(":");
            paths.push(sources);
        }
        command.env("PYTHONPATH", before("PYTHONPATH", &paths, ":"));
        // Not `-p`: xdist's workers heed that too late.
        command.env("PYTEST_PLUGINS", plugins);
        Ok(command)
    }

    fn plan(&self, plan: &mut Plan) {
        if self.options.copied_from.is_some() {
            plan.line("memory", &MEMORY.to_string());
            plan.line("file", &LARGEST_FILE.to_string());
        }
    }

    fn knows_test_code(&self) -> bool {
        true
    }

    fn failure(&self, status: ExitStatus, log: &ToolLog) -> Option<RunError> {
        let message = match status.code()? {
            EXIT_USAGE => "pytest cannot run the tests",
            EXIT_SPOOL => "the tests' process cannot report",
            _ => return None,
        };
        Some(RunError::failed(message, log))
    }
}

fn put_modules(folder: &Path) -> Result<()> {
    make_folder(folder)?;
    for (module, text) in MODULES {
        let path = folder.join(format!("{module}.py"));
        if !path.exists() {
            write_file(&path, text)?;
        }
    }
    Ok(())
}

/// Gives a command that runs pytest, wherever in what it starts, the plug-in that says where to look
/// when tests fail: as if pytest were told `--fdc`. The plug-in is gone when the result is dropped.
pub fn leave_plugin(command: &mut Command, case: &Path, program: &Path) -> Result<TemporaryFolder> {
    let plugin = TemporaryFolder::new("fdc-plugin")?;
    put_modules(plugin.path())?;
    command.env(
        "PYTHONPATH",
        before("PYTHONPATH", plugin.path().as_os_str(), ":"),
    );
    let plugins = before("PYTEST_PLUGINS", OsStr::new(FAILING_MODULE), ",");
    command.env("PYTEST_PLUGINS", plugins);
    command.env("FDC_CASE", case).env("FDC_PROGRAM", program);
    Ok(plugin)
}

/// A variable's value with an entry put before it.
fn before(variable: &str, entry: &OsStr, separator: &str) -> OsString {
    let mut value = entry.to_owned();
    if let Some(old) = std::env::var_os(variable).filter(|old| !old.is_empty()) {
        value.push(separator);
        value.push(old);
    }
    value
}

/// The Python asked for, else the active virtual environment's or the project's, else `python3`.
pub fn interpreter(asked: Option<&Path>, root: &Path) -> PathBuf {
    if let Some(python) = asked {
        return python.to_owned();
    }
    let active = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let own = [root.join(".venv"), root.join("venv")];
    let environments = active.into_iter().chain(own);
    let mut pythons = environments.map(|folder| folder.join("bin/python"));
    let found = pythons.find(|python| python.is_file());
    found.unwrap_or_else(|| "python3".into())
}

/// Prints a version a line; of what is not there, why.
const VERSIONS: &str = "
import sys
print('Python', '%d.%d' % sys.version_info[:2])
for name in ('pytest', 'coverage'):
    try:
        print(name, __import__(name).__version__)
    except Exception as error:
        print(name, '-', repr(error))
";

/// What a few lines of Python print when they are run in a folder.
pub fn python_answer(python: &Path, folder: &Path, lines: &str) -> Result<String> {
    let mut command = Command::new(python);
    answer(command.current_dir(folder).args(["-c", lines])).ok_or_else(|| {
        let message = format!("cannot run the Python interpreter {}", python.display());
        let hint = "name the one that runs the project's tests with --python";
        RunError::tool(message, hint)
    })
}

fn check(python: &Path, root: &Path) -> Result<()> {
    let answer = python_answer(python, root, VERSIONS)?;
    let name = python.display();
    for ((tool, oldest), line) in OLDEST.iter().zip(answer.lines()) {
        let found = line.strip_prefix(tool).unwrap_or(line).trim();
        if let Some(reason) = found.strip_prefix('-') {
            let message = format!("{name} has no {tool} ({})", reason.trim());
            let install = format!("{name} -m pip install pytest coverage");
            let hint = format!("{install}; or name another interpreter with --python");
            return Err(RunError::tool(message, hint));
        }
        if version(found).is_none_or(|version| version < *oldest) {
            let message = format!("{tool} {found} of {name} is too old");
            let hint = format!("{tool} {}.{} or newer is needed", oldest.0, oldest.1);
            return Err(RunError::tool(message, hint));
        }
    }
    Ok(())
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.').map(|part| {
        let end = part.find(|c: char| !c.is_ascii_digit());
        part[..end.unwrap_or(part.len())].parse().ok()
    });
    Some((parts.next()??, parts.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(version("7.17.2"), Some((7, 17)));
        assert_eq!(version("9.0rc1"), Some((9, 0)));
        assert_eq!(version("10"), Some((10, 0)));
        assert_eq!(version("dev"), None);
    }

    #[test]
    fn a_changed_test_module_concerns_its_own_tests() {
        let own = TestsOf::Beginning("tests/test_a.py::".to_owned());
        assert_eq!(tests_of("tests/test_a.py"), own);
        let own = TestsOf::Beginning("a_test.py::".to_owned());
        assert_eq!(tests_of("a_test.py"), own);
        let below = |folder: &str| TestsOf::Below(folder.to_owned());
        assert_eq!(tests_of("tests/conftest.py"), below("tests/"));
        assert_eq!(tests_of("conftest.py"), below(""));
        assert_eq!(tests_of("test_data.json"), TestsOf::All);
    }

    #[test]
    fn the_projects_own_environment_comes_before_the_systems() {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join(".venv/bin/python");
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        std::fs::write(&own, "").unwrap();
        if std::env::var_os("VIRTUAL_ENV").is_none() {
            assert_eq!(interpreter(None, root.path()), own);
        }
        let asked = Path::new("python9");
        assert_eq!(interpreter(Some(asked), root.path()), asked);
    }

    #[test]
    fn an_interpreter_that_is_not_there_is_named() {
        let root = tempfile::tempdir().unwrap();
        let error = check(Path::new("/nowhere/python"), root.path()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot run the Python interpreter /nowhere/python"
        );
        assert!(error.advice().unwrap().contains("--python"));
    }
}
