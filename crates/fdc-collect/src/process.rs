//! Child processes: in a group of their own, ended as a whole, within a time.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::error::CollectError;
use crate::system::{kill_group, own_group, room_left, signal_of};

/// A process and everything it starts.
#[derive(Debug)]
pub struct Group {
    child: Child,
}

impl Group {
    /// Starts it in a group of its own, so that a Ctrl-C reaches us alone and a kill all of it.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        own_group(command);
        let child = command.stdin(Stdio::null()).spawn()?;
        Ok(Group { child })
    }

    /// The number of the group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Ends all of it at once, and waits.
    pub fn kill(&mut self) {
        kill_group(self.id());
        // Best effort: it may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until it ends, at most so long and as long as nobody asks to stop.
    pub fn wait(&mut self, limit: Option<Duration>, stop: &dyn Fn() -> bool) -> io::Result<Ending> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.ended()? {
                return Ok(Ending::By(status));
            }
            if limit.is_some_and(|limit| start.elapsed() > limit) {
                self.kill();
                return Ok(Ending::TimedOut);
            }
            if stop() {
                self.kill();
                return Ok(Ending::Stopped);
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            self.kill();
        }
    }
}

/// How waiting for a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself.
    By(ExitStatus),
    /// It took too long and was killed.
    TimedOut,
    /// Somebody asked to stop, and it was killed.
    Stopped,
}

/// How a process ended, in words.
pub fn status_text(status: ExitStatus) -> String {
    match (status.code(), signal_of(status)) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit code".to_owned(),
    }
}

/// Sends both outputs to a file, at its end.
pub fn log_to(command: &mut Command, path: &Path) -> Result<(), CollectError> {
    let file = File::options().create(true).append(true).open(path);
    let file = file.map_err(CollectError::io(path, "write it"))?;
    let copy = file.try_clone();
    command.stdout(copy.map_err(CollectError::io(path, "write it"))?);
    command.stderr(file);
    Ok(())
}

/// What a quick command prints, if it runs and succeeds.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Whether the disk that holds `path` has next to no room left.
pub fn disk_is_full(path: &Path) -> bool {
    const NEXT_TO_NOTHING: u64 = 1 << 20;
    room_left(path).is_some_and(|bytes| bytes <= NEXT_TO_NOTHING)
}

/// Ends a group that a collector which was killed left running. That the number still means that
/// group is told by its environment, where a variable of ours has to name a path in `folder`; where the system does not show
/// environments nothing is done.
pub fn end_orphan(id: u32, folder: &Path) {
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    let folder = folder.as_os_str().as_encoded_bytes();
    let ours = environment
        .split(|&byte| byte == 0)
        .filter_map(|variable| {
            let ours: [&[u8]; 3] = [b"FDC_SPOOL=", b"FDC_GUIDE=", b"LLVM_PROFILE_FILE="];
            ours.iter().find_map(|name| variable.strip_prefix(*name))
        })
        .any(|path| path.starts_with(folder));
    if ours {
        kill_group(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_orphan_of_this_folder_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sleep");
        command
            .arg("60")
            .env("FDC_SPOOL", folder.path().join("spool-0"));
        let mut group = Group::spawn(&mut command).unwrap();
        // Until the new program is in place the environment is still ours.
        while !std::fs::read(format!("/proc/{}/cmdline", group.id()))
            .unwrap()
            .starts_with(b"sleep")
        {
            std::thread::yield_now();
        }
        end_orphan(group.id(), Path::new("/elsewhere"));
        assert!(group.ended().unwrap().is_none());
        end_orphan(group.id(), folder.path());
        let ending = group.wait(None, &|| false).unwrap();
        let Ending::By(status) = ending else {
            panic!("{ending:?}");
        };
        assert_eq!(status_text(status), "signal SIGKILL");
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended_with_its_children() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & sleep 60"]);
        let mut group = Group::spawn(&mut command).unwrap();
        let ending = group.wait(Some(Duration::from_millis(50)), &|| false);
        assert_eq!(ending.unwrap(), Ending::TimedOut);
    }
}
