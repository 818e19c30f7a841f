//! A command that is run as if we were not there, while what it prints is kept.
//!
//! It has our input, and what it prints goes where ours goes, unchanged and at once. On a terminal it
//! gets a terminal of its own, so that it prints colours and progress as it would; else pipes.

use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::{Result, RunError};
use crate::system::{Terminal, own_terminal};

/// The end is where tests are listed that failed.
const MOST_KEPT: usize = 64 << 20;
/// How long to wait for output of processes that outlive the command.
const PATIENCE: Duration = Duration::from_secs(1);

/// A command that has ended.
#[derive(Debug)]
pub struct PassedThrough {
    /// How.
    pub status: ExitStatus,
    /// What it printed, both outputs together, in the order in which it came.
    pub output: String,
}

/// Runs the command until it ends.
pub fn pass_through(command: &mut Command) -> Result<PassedThrough> {
    let kept = Kept::default();
    let (done, ended) = channel();
    let cannot = |command: &Command, error: io::Error| {
        let program = command.get_program().to_string_lossy();
        let message = format!("cannot run {program}: {error}");
        RunError::tool(message, "check that it is installed and spelled so")
    };
    let mut child = match own_terminal() {
        Some(Terminal {
            ours,
            output,
            errors,
        }) => {
            command.stdout(output).stderr(errors);
            let child = command.spawn().map_err(|error| cannot(command, error))?;
            kept.copy(ours, io::stdout(), done);
            child
        }
        None => {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().map_err(|error| cannot(command, error))?;
            if let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) {
                kept.copy(output, io::stdout(), done.clone());
                kept.copy(errors, io::stderr(), done);
            }
            child
        }
    };
    // Our ends of its outputs; the reader ends when nobody has them any more.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let failed = |error| RunError::io(command.get_program().as_ref(), "wait for it")(error);
    let status = child.wait().map_err(failed)?;
    wait_for_all(&ended);
    let output = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(PassedThrough {
        status,
        output: String::from_utf8_lossy(&output).into_owned(),
    })
}

fn wait_for_all(ended: &Receiver<()>) {
    // Each copier drops its end, so this fails when all are gone.
    while ended.recv_timeout(PATIENCE).is_ok() {}
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    /// Copies all that is printed, in a thread of its own.
    fn copy(
        &self,
        mut from: impl Read + Send + 'static,
        mut to: impl Write + Send + 'static,
        done: Sender<()>,
    ) {
        let kept = self.clone();
        thread::spawn(move || {
            let mut bytes = [0; 1 << 14];
            // A terminal whose other end is closed is an error on some systems.
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                // Who listened may be gone; the command still has to be read.
                let _ = to.write_all(&bytes[..count]).and_then(|()| to.flush());
                kept.add(&bytes[..count]);
            }
            drop(done);
        });
    }

    fn add(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        if kept.len() > MOST_KEPT {
            let half = kept.len() - MOST_KEPT / 2;
            kept.drain(..half);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_kept_and_the_status_is_told() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; exit 3"]);
        let ended = pass_through(&mut command).unwrap();
        assert_eq!(ended.status.code(), Some(3));
        let mut lines: Vec<&str> = ended.output.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn a_command_is_over_although_something_it_started_runs_on() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & echo $!"]);
        let ended = pass_through(&mut command).unwrap();
        let id = ended.output.trim();
        assert!(ended.status.success());
        let killed = Command::new("kill").arg(id).status().unwrap();
        assert!(killed.success(), "it ran on");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = pass_through(&mut Command::new("no-such-program")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cannot run no-such-program: ")
        );
    }
}
