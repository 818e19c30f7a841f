//! Python code under test, and pytest tests that can be run and cut.

pub(crate) mod modules;
mod suite;

use std::path::{Path, PathBuf};

use fdc_collect::settings::{Setting, SettingKind};
use fdc_collect::{Result, RunError, python_answer};

pub(crate) use suite::PytestSuite;

use crate::options::GenerateOptions;

pub(crate) const PROJECT: Setting = Setting::new(SettingKind::Project, "project", "FOLDER")
    .help("The project's folder [default: where the case was collected, else the current folder]");

pub(crate) const PYTHON: Setting = Setting::new(SettingKind::Tool, "python", "PATH")
    .help("The Python that runs the project's tests; needs pynguin 0.48 and the Python module fdc");

pub(crate) const FIXED_PROJECT: Setting =
    Setting::new(SettingKind::Path, "fixed-project", "FOLDER")
        .help("Folder of the fixed project, for --oracle regression");

/// What runs Python code; found before anything is written.
#[derive(Clone, Debug)]
pub(crate) struct Interpreter {
    pub(crate) python: PathBuf,
    pub(crate) project: PathBuf,
    /// The one without.
    pub(crate) fixed: Option<PathBuf>,
}

/// Whether the module fdc is there, and what it says about Pynguin.
const FITS: &str = "
try:
    import fdc
    from fdc.pynguin import unfit
except ImportError as error:
    print('- %s' % error)
else:
    print(fdc.__version__)
    print(unfit() or '')
";

impl Interpreter {
    /// The interpreter asked for, or the one that the project's tests run with.
    pub(crate) fn open(options: &GenerateOptions) -> Result<Self> {
        let settings = &options.settings;
        let folder = |option: &Setting| folder(settings.path(option.name), option.name);
        let project = folder(&PROJECT)?;
        let fixed = options.has_oracle().then(|| folder(&FIXED_PROJECT));
        Ok(Interpreter {
            python: fdc_collect::interpreter(settings.path(PYTHON.name), &project),
            project,
            fixed: fixed.transpose()?,
        })
    }

    /// Checks that the module fdc of this version and a fitting Pynguin are installed.
    pub(crate) fn check_pynguin(&self) -> Result<()> {
        let name = self.python.display();
        // Not in the project: a folder there may be called fdc, too.
        let answer = python_answer(&self.python, "/".as_ref(), FITS)?;
        let install = format!(
            "install it there: build the wheel with python/wheel, then {name} -m pip install WHEEL"
        );
        let (version, problem) = answer.split_once('\n').unwrap_or((&answer, ""));
        if let Some(reason) = version.strip_prefix('-') {
            let message = format!("{name} has no Python module fdc ({})", reason.trim());
            return Err(RunError::tool(message, install));
        }
        let expected = env!("CARGO_PKG_VERSION");
        if version != expected {
            let message =
                format!("expected the Python module fdc {expected} for {name}, found {version}");
            return Err(RunError::tool(message, install));
        }
        match problem.split_once('\n') {
            None if problem.is_empty() => Ok(()),
            None => Err(RunError::tool(problem, "")),
            Some((message, hint)) => Err(RunError::tool(message, hint.trim())),
        }
    }
}

fn folder(path: Option<&Path>, option: &str) -> Result<PathBuf> {
    let path = path.unwrap_or(Path::new("."));
    if !path.is_dir() {
        let message = format!("{}: --{option} names no folder", path.display());
        return Err(RunError::input(message, "give the project's folder"));
    }
    path.canonicalize().map_err(RunError::io(path, "open it"))
}
