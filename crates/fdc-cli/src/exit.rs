//! How a run ends: the documented exit codes, and problems with a message and advice.

use fdc::label::session::SessionError;
use fdc_case::FileError;
use fdc_collect::CollectError;
use fdc_core::failing::FailingError;
use fdc_core::metric::MetricError;
use fdc_generate::GenerateError;
use fdc_learn::catalogue::CatalogueError;
use fdc_learn::model_file::ModelFileError;
use fdc_tui::TuiError;
use fdc_web::ServerError;

/// The exit codes of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Done, and there is a finding (only with `rank --exit-code`).
    Finding = 1,
    /// Unknown option values, metrics, test names.
    Usage = 2,
    /// Missing or damaged files.
    BadInput = 3,
    /// An outside tool is missing or failed.
    OutsideTool = 4,
    /// A bug in fdc.
    Bug = 70,
    /// Stopped by the user; what was done is kept.
    Interrupted = 130,
}

/// The table in the help and the manual.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    a finding (only with `rank --exit-code`)
  2    usage: unknown options, metrics, formulas, test names
  3    bad input: missing or damaged files
  4    an outside tool is missing or failed
  70   a bug in fdc: please report it
  130  interrupted";

/// Why a command cannot go on.
#[derive(Debug)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// How the program ends.
    pub exit: Exit,
}

impl Problem {
    /// The command was called wrongly.
    pub fn usage(message: impl Into<String>) -> Self {
        Problem {
            message: message.into(),
            hint: None,
            exit: Exit::Usage,
        }
    }

    /// The input is not usable.
    pub fn input(message: impl Into<String>) -> Self {
        Problem {
            exit: Exit::BadInput,
            ..Problem::usage(message)
        }
    }

    /// Adds what to do.
    pub fn hint(mut self, advice: impl Into<String>) -> Self {
        self.hint = Some(advice.into());
        self
    }
}

impl From<FileError> for Problem {
    fn from(error: FileError) -> Self {
        Problem {
            message: error.to_string(),
            hint: error.advice().map(str::to_owned),
            exit: Exit::BadInput,
        }
    }
}

impl From<FailingError> for Problem {
    fn from(error: FailingError) -> Self {
        let exit = if error.is_usage() {
            Exit::Usage
        } else {
            Exit::BadInput
        };
        Problem {
            message: error.to_string(),
            hint: Some(error.advice()),
            exit,
        }
    }
}

impl From<ModelFileError> for Problem {
    fn from(error: ModelFileError) -> Self {
        Problem::input(error.to_string()).hint(error.problem.hint())
    }
}

impl From<MetricError> for Problem {
    fn from(error: MetricError) -> Self {
        let hint = match &error {
            MetricError::UnknownParameter { metric, .. } | MetricError::BadValue { metric, .. } => {
                format!("`fdc explain {metric}` shows its parameters")
            }
            _ => "`fdc list metrics` shows all metrics".to_owned(),
        };
        Problem::usage(error.to_string()).hint(hint)
    }
}

impl From<CatalogueError> for Problem {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::Metric(error) => error.into(),
            CatalogueError::Model(error) => error.into(),
            CatalogueError::NotLearned { .. } => Problem::usage(error.to_string())
                .hint("leave --model out, or choose by sharp or rlfdc"),
        }
    }
}

impl From<SessionError> for Problem {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Case(error) => error.into(),
            SessionError::Failing(error) => error.into(),
            SessionError::Refused(message) => Problem::usage(message),
        }
    }
}

impl From<TuiError> for Problem {
    fn from(error: TuiError) -> Self {
        match error {
            TuiError::Session(error) => error.into(),
            TuiError::Terminal(_) => Problem {
                exit: Exit::OutsideTool,
                ..Problem::usage(error.to_string())
                    .hint("--json-lines needs none; answers given so far are stored")
            },
        }
    }
}

impl From<ServerError> for Problem {
    fn from(error: ServerError) -> Self {
        let problem = Problem::usage(error.to_string());
        match error {
            ServerError::Port { port, .. } if port != 0 => {
                problem.hint("leave --port out: any free port is taken then")
            }
            _ => problem,
        }
    }
}

impl From<CollectError> for Problem {
    fn from(error: CollectError) -> Self {
        let exit = match &error {
            CollectError::File(_) | CollectError::NoTests { .. } => Exit::BadInput,
            CollectError::Usage { .. } => Exit::Usage,
            CollectError::Tool { .. } => Exit::OutsideTool,
            CollectError::Interrupted => Exit::Interrupted,
        };
        Problem {
            message: error.to_string(),
            hint: error.advice().map(str::to_owned),
            exit,
        }
    }
}

impl From<GenerateError> for Problem {
    fn from(error: GenerateError) -> Self {
        let exit = match error {
            GenerateError::Collect(error) => return (*error).into(),
            GenerateError::File(_) | GenerateError::Input { .. } => Exit::BadInput,
            GenerateError::Usage { .. } => Exit::Usage,
            GenerateError::Tool { .. } => Exit::OutsideTool,
            GenerateError::Interrupted => Exit::Interrupted,
        };
        Problem {
            message: error.to_string(),
            hint: error.advice().map(str::to_owned),
            exit,
        }
    }
}
