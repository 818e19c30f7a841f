//! Running a project's tests, and measuring each of them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use fdc::Failure;
use fdc::collect::CollectRequest;
use fdc_collect::filter::Filter;
use fdc_collect::settings::{Setting, Settings};
use fdc_collect::{CollectOptions, ECOSYSTEMS, ecosystem_named};
use fdc_core::naming::nearest;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{exception, parsed, unknown, wrong};
use crate::progress::watched;
use crate::spectrum::OneOrMany;

/// A case that was collected. It can be passed on wherever the path of a case is taken.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// The case file.
    pub case: PathBuf,
    /// Tests that were measured.
    pub tests: u64,
    /// Of these, failing ones.
    pub failing: u64,
    /// Of these, tests whose outcome changed from run to run.
    pub flaky: u64,
    /// Tests that were skipped.
    pub skipped: u64,
    /// Measured lines.
    pub lines: u64,
    /// What a person should know, a sentence each.
    pub notes: Vec<String>,
}

#[pymethods]
impl Collected {
    fn __fspath__(&self) -> &OsStr {
        self.case.as_os_str()
    }

    fn __repr__(&self) -> String {
        format!(
            "Collected({}: {} tests, {} failing, {} lines)",
            self.case.display(),
            self.tests,
            self.failing,
            self.lines
        )
    }
}

/// Runs a project's own tests and measures which lines each of them covers, into a case file.
///
/// It runs the project's code. An interrupted collection (Ctrl-C) keeps what was measured, and the
/// same call goes on with it.
///
/// ecosystem: "pytest", "junit", "cargo" or "go"; what the folder looks like, if it is left out.
/// folder: the project's. out: the case file to write. only, exclude: patterns of tests, a part of the
/// name or all of it with * and ?. jobs: so many tests at the same time. timeout: seconds that a test
/// may take. rerun: run each test so often, to find flaky ones. changed_since: measure again only what
/// changed since this Git revision. shard: part "K/N" of the tests; `fdc.merge` makes one case of all
/// parts. include_tests: test code counts as code under test. arguments: for the project's own test
/// command. progress: is called with a `Progress` now and then. Options of one ecosystem are given by
/// their names, such as python= (which Python runs pytest); `fdc explain ECOSYSTEM` lists them.
#[pyfunction]
#[pyo3(signature = (ecosystem=None, folder=PathBuf::from("."), out=PathBuf::from("case.fdc"), *, only=None, exclude=None, jobs=None, timeout=None, rerun=1, changed_since=None, shard=None, include_tests=false, arguments=Vec::new(), progress=None, **options), text_signature = "(ecosystem=None, folder='.', out='case.fdc', *, only=(), exclude=(), jobs=None, timeout=None, rerun=1, changed_since=None, shard=None, include_tests=False, arguments=(), progress=None, **options)")]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn collect(
    py: Python<'_>,
    ecosystem: Option<&str>,
    folder: PathBuf,
    out: PathBuf,
    only: Option<OneOrMany<String>>,
    exclude: Option<OneOrMany<String>>,
    jobs: Option<u16>,
    timeout: Option<f64>,
    rerun: u32,
    changed_since: Option<String>,
    shard: Option<&str>,
    include_tests: bool,
    arguments: Vec<OsString>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Collected> {
    let ecosystem = ecosystem.map(|name| {
        ecosystem_named(name).map_err(|nearest| {
            let names: Vec<&str> = ECOSYSTEMS.iter().map(|own| own.name).collect();
            let list = format!("there are: {}", names.join(", "));
            exception(unknown("ecosystem", name, nearest, &list))
        })
    });
    for (what, value) in [("jobs", jobs.map(u32::from)), ("rerun", Some(rerun))] {
        if value == Some(0) {
            return Err(wrong(format!("{what}: expected a number from 1, found 0")));
        }
    }
    let request = CollectRequest {
        ecosystem: ecosystem.transpose()?,
        options: CollectOptions {
            root: folder,
            case: out.clone(),
            filter: Filter {
                only: only.map_or_else(Vec::new, OneOrMany::into_vec),
                exclude: exclude.map_or_else(Vec::new, OneOrMany::into_vec),
            },
            shard: parsed("shard", shard)?,
            timeout: timeout.map(seconds).transpose()?,
            jobs: jobs.map(usize::from),
            runs: rerun,
            changed_since,
            include_tests,
            arguments,
            settings: settings(options)?,
            ..CollectOptions::default()
        },
    };
    let work = |watch: &dyn fdc::Watch| fdc::collect::collect(request, watch);
    let (counts, notes) = watched(py, progress, work)?;
    Ok(Collected {
        case: out,
        tests: counts.tests,
        failing: counts.failing,
        flaky: counts.flaky,
        skipped: counts.skipped,
        lines: counts.elements,
        notes,
    })
}

fn seconds(seconds: f64) -> PyResult<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok();
    let time = time.filter(|time| !time.is_zero());
    time.ok_or_else(|| {
        wrong(format!(
            "timeout: expected a number of seconds above 0, found {seconds}"
        ))
    })
}

/// Options of ecosystems, with `_` for the `-` in their names.
fn settings(options: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
    let mut settings = Settings::default();
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        let dashed = name.replace('_', "-");
        let setting = declared().find(|setting| setting.name == dashed);
        let setting = setting.ok_or_else(|| {
            let near = nearest(&dashed, declared().map(|setting| setting.name));
            let failure: Failure = unknown(
                "option of collect",
                &name,
                near,
                "`fdc collect --help` lists the options of each ecosystem",
            );
            exception(failure)
        })?;
        let values: OneOrMany<PathBuf> = value.extract()?;
        settings.set(setting.name, values.into_vec().into_iter().map(Into::into));
    }
    Ok(settings)
}

fn declared() -> impl Iterator<Item = &'static Setting> {
    ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.settings)
}
