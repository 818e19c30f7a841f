//! The compiler of a JDK, loaded once: asked again and again.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::launch::Launch;
use super::trials::Talk;
use crate::error::{Result, RunError};
use crate::plan::Plan;
use crate::process::{empty_folder, write_file};
use crate::settings::join_paths;

const PROGRAM: &str = "fdc.junit.Compile";

pub(super) struct Javac {
    talk: Talk,
    /// Where requests are written down.
    request: PathBuf,
}

/// An error's file and place, in characters as Java counts them.
pub(super) type Complaint = (PathBuf, Range<usize>);

impl Javac {
    /// Starts that of a JVM's own JDK.
    pub(super) fn start(java: &Path, jars: &[PathBuf; 2], work: &Path) -> Result<Self> {
        let mut command = Command::new(java);
        command.env_remove("JAVA_TOOL_OPTIONS");
        command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]);
        command.arg(join_paths(jars)?).arg(PROGRAM);
        Ok(Javac {
            talk: Talk::start(&mut command, &work.join("javac.log"))?,
            request: work.join("javac.request"),
        })
    }

    /// Compiles into an empty folder; the errors if it does not, none if there is no compiler.
    pub(super) fn compile(
        &mut self,
        launch: &Launch,
        like: &str,
        sources: &[PathBuf],
        out: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Complaint>>> {
        empty_folder(out)?;
        let mut plan = Plan::default();
        plan.line("like", like);
        plan.line("out", &out.to_string_lossy());
        for (key, paths) in [("path", &launch.paths[..]), ("source", sources)] {
            for path in paths {
                plan.line(key, &path.to_string_lossy());
            }
        }
        write_file(&self.request, plan.text)?;
        self.talk.say(&self.request.to_string_lossy());
        let mut complaints = Vec::new();
        loop {
            let Some(line) = self.talk.hear(stop)? else {
                return Ok(None);
            };
            if line == "done" {
                return Ok(Some(Vec::new()));
            }
            if line == "failed" {
                let message = "the compiler ended without saying where";
                return match complaints.is_empty() {
                    true => Err(RunError::tool(message, "see javac.log")),
                    false => Ok(Some(complaints)),
                };
            }
            complaints.extend(complaint(&line));
        }
    }
}

/// `error 12 15 /project/A.java`.
fn complaint(line: &str) -> Option<Complaint> {
    let mut parts = line.strip_prefix("error ")?.splitn(3, ' ');
    let (start, end) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((parts.next()?.into(), start..end))
}
