//! How a run ends: the documented exit codes, and what a failure is called on the command line.

use std::borrow::Cow;

pub(crate) use fdc::{Failure, Result};
use fdc::{FailureKind, Remedy};

/// The exit codes of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
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
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    a finding (only with `rank --exit-code`)
  2    usage: unknown options, metrics, formulas, test names
  3    bad input: missing or damaged files
  4    an outside tool is missing or failed
  70   a bug in fdc: please report it
  130  interrupted";

impl From<FailureKind> for Exit {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::UnknownName | FailureKind::Usage => Exit::Usage,
            FailureKind::NoAccess | FailureKind::BadInput => Exit::BadInput,
            FailureKind::OutsideTool => Exit::OutsideTool,
            FailureKind::Interrupted => Exit::Interrupted,
            FailureKind::Bug => Exit::Bug,
        }
    }
}

/// What is wrong and what to do, in the words of the command line; `has` tells which options the
/// command has.
pub(crate) fn words(
    failure: &Failure,
    mut has: impl FnMut(&str) -> bool,
) -> (Cow<'_, str>, Option<Cow<'_, str>>) {
    let (mut message, mut advice) = (Cow::from(&failure.message), None);
    if let Some(remedy) = &failure.remedy {
        advice = Some(match remedy {
            Remedy::Words(words) => Cow::from(words),
            Remedy::NameFailing { count, listed } => {
                message = format!("{count} tests fail: name one with --failing").into();
                listed.into()
            }
            Remedy::GiveOutcomes => {
                let given = if has("failed") {
                    "--failed"
                } else {
                    "`fdc import --failed`"
                };
                format!("name the failing one with --failing, or set outcomes with {given}").into()
            }
            Remedy::NameSources(path) => {
                message = format!("{}: --source names no folder", path.display()).into();
                "give the folder of the sources that were measured".into()
            }
            Remedy::NameRoot => "--source takes the project's root folder".into(),
            Remedy::ListMetrics => "`fdc list metrics` shows all metrics".into(),
            Remedy::ListSeeing => "`fdc list metrics` says which metrics see outcomes".into(),
            Remedy::ExplainMetric(metric) => {
                format!("`fdc explain {metric}` shows its parameters").into()
            }
            Remedy::LeaveModelOut => "leave --model out, or choose by sharp or rlfdc".into(),
        });
    }
    (message, advice)
}
