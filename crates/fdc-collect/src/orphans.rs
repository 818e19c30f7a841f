//! Ends groups of processes when this process is gone, whatever ended it, kill -9 included.
//!
//! A shell in a group of its own holds one end of a pipe and this process the other. It is told
//! which groups there are; when the pipe closes it ends them. That needs nothing of the tests'
//! processes, reaches what they have started, and works on every Unix.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::process::when_written;
use crate::system::own_group;

static GROUPS: Mutex<Groups> = Mutex::new(Groups {
    running: BTreeSet::new(),
    shell: None,
});

/// The groups that run, and the shell that knows of them.
pub(crate) struct Groups {
    running: BTreeSet<u32>,
    shell: Option<Child>,
}

/// A line lists all groups; a line that was cut off by our end does not count.
const SHELL: &str = "
trap '' HUP INT TERM
groups=
while read -r line; do groups=$line; done
kill -s KILL -- $groups
";

impl Groups {
    pub(crate) fn lock() -> MutexGuard<'static, Self> {
        GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the leader of a group so that the group ends with us.
    pub(crate) fn spawn(&mut self, command: &mut Command) -> io::Result<Child> {
        // First the shell: a kill in between must leave nothing behind.
        self.tell()?;
        own_group(command);
        let mut child = when_written(|| command.spawn())?;
        self.running.insert(child.id());
        self.tell().inspect_err(|_| {
            self.running.remove(&child.id());
            // Best effort: it may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        })?;
        Ok(child)
    }

    /// The group has ended. To be called while its number cannot belong to another one yet.
    pub(crate) fn forget(&mut self, group: u32) {
        self.running.remove(&group);
        // Best effort: without its shell nothing would be ended by mistake.
        let _ = self.tell();
    }

    fn tell(&mut self) -> io::Result<()> {
        let groups: Vec<String> = self.running.iter().map(|id| format!("-{id}")).collect();
        let line = format!("{}\n", groups.join(" "));
        if let Some(mut gone) = self.shell.take_if(|shell| write(shell, &line).is_err()) {
            // Best effort: whoever ended it, another one takes its place.
            let _ = gone.wait();
        }
        if self.shell.is_none() {
            write(self.shell.insert(start()?), &line)?;
        }
        Ok(())
    }
}

fn start() -> io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    own_group(&mut command);
    let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
    silent.args(["-c", SHELL]).env_clear().current_dir("/");
    silent.stdin(Stdio::piped()).spawn().map_err(|error| {
        let why = "cannot run /bin/sh, which ends the tests' processes if fdc is killed";
        io::Error::other(format!("{why}: {error}"))
    })
}

fn write(shell: &mut Child, line: &str) -> io::Result<()> {
    let pipe = shell.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    pipe.write_all(line.as_bytes())
}
