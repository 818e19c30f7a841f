//! Python code under test, and pytest tests that can be run and cut.

pub mod modules;
mod suite;

use std::path::{Path, PathBuf};
use std::process::Command;

use fdc_collect::process::answer;

pub use suite::PytestSuite;

use crate::error::GenerateError;
use crate::options::{Options, Oracle};

/// What runs Python code; found before anything is written.
#[derive(Clone, Debug)]
pub struct Interpreter {
    /// The program.
    pub python: PathBuf,
    /// The project with the fault.
    pub project: PathBuf,
    /// The one without.
    pub fixed: Option<PathBuf>,
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
    pub fn open(options: &Options) -> Result<Self, GenerateError> {
        let project = folder(&options.python.project, "--project")?;
        let fixed = match &options.oracle {
            Oracle::None => None,
            Oracle::Regression { fixed } => Some(folder(Path::new(fixed), "--fixed-project")?),
        };
        let asked = options.python.python.as_deref();
        Ok(Interpreter {
            python: fdc_collect::interpreter(asked, &project),
            project,
            fixed,
        })
    }

    /// Checks that the module fdc of this version and a fitting Pynguin are installed.
    pub fn check_pynguin(&self) -> Result<(), GenerateError> {
        let name = self.python.display();
        // Not in the project: a folder there may be called fdc, too.
        let mut command = Command::new(&self.python);
        let Some(answer) = answer(command.current_dir("/").args(["-c", FITS])) else {
            let message = format!("cannot run the Python interpreter {name}");
            let hint = "name the one that runs the project's tests with --python";
            return Err(GenerateError::tool(message, hint));
        };
        let install = format!(
            "install it there: build the wheel with python/wheel, then {name} -m pip install WHEEL"
        );
        let (version, problem) = answer.split_once('\n').unwrap_or((&answer, ""));
        if let Some(reason) = version.strip_prefix('-') {
            let message = format!("{name} has no Python module fdc ({})", reason.trim());
            return Err(GenerateError::tool(message, install));
        }
        let expected = env!("CARGO_PKG_VERSION");
        if version != expected {
            let message =
                format!("expected the Python module fdc {expected} for {name}, found {version}");
            return Err(GenerateError::tool(message, install));
        }
        match problem.split_once('\n') {
            None if problem.is_empty() => Ok(()),
            None => Err(GenerateError::tool(problem, "")),
            Some((message, hint)) => Err(GenerateError::tool(message, hint.trim())),
        }
    }
}

fn folder(path: &Path, option: &str) -> Result<PathBuf, GenerateError> {
    if !path.is_dir() {
        let message = format!("{}: {option} names no folder", path.display());
        return Err(GenerateError::input(message, "give the project's folder"));
    }
    path.canonicalize()
        .map_err(GenerateError::io(path, "open it"))
}
