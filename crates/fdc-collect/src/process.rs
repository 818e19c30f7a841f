//! Child processes: in a group of their own, ended as a whole, within a time; and what they print.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Result, RunError};
use crate::orphans::Groups;
use crate::system::{has_ended, kill_group, kill_one, limit, room_left, signal_of};

/// Refuses systems on which a process and everything it starts cannot be ended.
pub fn check_system(doing: &str) -> Result<()> {
    if cfg!(unix) {
        return Ok(());
    }
    let message = format!("{doing} is not possible on Windows yet");
    let hint = "use a Linux container, or WSL; coverage of other tools can be imported anywhere";
    Err(RunError::tool(message, hint))
}

/// A process and everything it starts. It ends with us, whatever ends us.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    program: PathBuf,
    /// Known once its number may belong to another process.
    status: Option<ExitStatus>,
}

impl ProcessGroup {
    /// Starts it in a group of its own, so that a Ctrl-C reaches us alone and a kill all of it.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = Groups::lock().spawn(command.stdin(Stdio::null()))?;
        let program = command.get_program().into();
        Ok(ProcessGroup {
            child,
            program,
            status: None,
        })
    }

    /// The same, with pipes to its input and from its output.
    pub(crate) fn with_pipes(command: &mut Command) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Groups::lock().spawn(command)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let group = ProcessGroup {
            child,
            program: command.get_program().into(),
            status: None,
        };
        Ok((group, input, output))
    }

    /// The number of the group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sets how much memory each of its processes may use, and how large files may get, in bytes.
    pub(crate) fn limit(&self, memory: Option<u64>, file: u64) {
        limit(&self.child, memory, file);
    }

    /// How the process ended, if it did. What it left running is then ended, too.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        let failed = |error| RunError::io(&self.program, "wait for it")(error);
        if self.status.is_none() && has_ended(&self.child).map_err(failed)? {
            self.kill();
        }
        Ok(self.status)
    }

    /// Ends all of it at once, and waits.
    pub(crate) fn kill(&mut self) {
        if self.status.is_some() {
            return;
        }
        kill_group(self.id());
        // Best effort: it may have ended by itself.
        let _ = self.child.kill();
        Groups::lock().forget(self.id());
        self.status = self.child.wait().ok();
    }

    /// Waits until it ends; none if it took too long and was killed. Each time that something is
    /// heard of it, the time begins anew. When somebody asks to stop, it is killed, too.
    pub fn wait(
        &mut self,
        limit: Option<Duration>,
        stop: &dyn Fn() -> bool,
        heard: &mut dyn FnMut() -> bool,
    ) -> Result<Option<ExitStatus>> {
        let mut since = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.ended()? {
                return Ok(Some(status));
            }
            if heard() {
                since = Instant::now();
            } else if limit.is_some_and(|limit| since.elapsed() > limit) {
                self.kill();
                return Ok(None);
            }
            if stop() {
                self.kill();
                return Err(RunError::Interrupted);
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs a command until it ends; none if it took too long.
pub fn run(
    command: &mut Command,
    limit: Option<Duration>,
    stop: &dyn Fn() -> bool,
    cannot_start: impl FnOnce(io::Error) -> RunError,
) -> Result<Option<ExitStatus>> {
    let mut group = ProcessGroup::spawn(command).map_err(cannot_start)?;
    group.wait(limit, stop, &mut || false)
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
pub fn log_to(command: &mut Command, path: &Path) -> Result<()> {
    let file = File::options().create(true).append(true).open(path);
    let both = file.and_then(|file| Ok((file.try_clone()?, file)));
    let (output, errors) = both.map_err(RunError::io(path, "write it"))?;
    command.stdout(output).stderr(errors);
    Ok(())
}

/// Sends each output to a new file.
pub(crate) fn output_to(command: &mut Command, output: &Path, errors: &Path) -> Result<()> {
    let create = |path: &Path| File::create(path).map_err(RunError::io(path, "write it"));
    command.stdout(create(output)?).stderr(create(errors)?);
    Ok(())
}

/// Runs a command until it ends, with its output in the files `base.out` and `base.log`: how it ended
/// (none: it took too long), what it printed, and its complaints.
pub(crate) fn capture(
    command: &mut Command,
    base: &Path,
    limit: Option<Duration>,
    stop: &dyn Fn() -> bool,
    cannot_start: impl FnOnce(io::Error) -> RunError,
) -> Result<(Option<ExitStatus>, String, ToolLog)> {
    let output = base.with_extension("out");
    let path = base.with_extension("log");
    output_to(command, &output, &path)?;
    let status = run(command, limit, stop, cannot_start)?;
    let text = String::from_utf8_lossy(&read_file(&output)?).into_owned();
    Ok((status, text, ToolLog(path)))
}

/// Starts a program, again for a moment if its file is still open for writing: a process that another
/// thread starts right then inherits the file that this one has just written.
pub fn when_written<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    const PAUSE: Duration = Duration::from_millis(10);
    const TRIES: usize = 200;
    for _ in 1..TRIES {
        match start() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(PAUSE);
            }
            started => return started,
        }
    }
    start()
}

/// What a quick command prints, if it runs and succeeds.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = when_written(|| command.stdin(Stdio::null()).output()).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Whether the disk that holds `path` has next to no room left.
pub(crate) fn disk_is_full(path: &Path) -> bool {
    const NEXT_TO_NOTHING: u64 = 1 << 20;
    room_left(path).is_some_and(|bytes| bytes <= NEXT_TO_NOTHING)
}

/// The path in a variable of the environment, unless it is empty.
pub fn path_in(variable: &str) -> Option<PathBuf> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty())?;
    Some(value.into())
}

/// Notes down which group runs, for [`end_orphan`] should this process be killed.
pub fn note_down(group: &ProcessGroup, path: &Path) -> Result<()> {
    write_file(path, group.id().to_string())
}

/// Ends a group that was noted down in a file and left running. That the number still means that
/// group is told by its environment, where a variable of ours has to name a path in `folder`; where
/// the system does not show environments nothing is done.
pub fn end_orphan(noted: &Path, folder: &Path) {
    let Ok(id) = std::fs::read_to_string(noted).unwrap_or_default().parse() else {
        return;
    };
    if works_in(id, folder) {
        kill_group(id);
    }
}

/// Whether a variable of ours in a process's environment names a path in a folder.
fn works_in(process: u32, folder: &Path) -> bool {
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let folder = folder.as_os_str().as_encoded_bytes();
    let ours = |variable: &[u8]| {
        let names: [&[u8]; 4] = [
            b"FDC_SPOOL=",
            b"FDC_GUIDE=",
            b"LLVM_PROFILE_FILE=",
            b"TMPDIR=",
        ];
        let path = names.iter().find_map(|name| variable.strip_prefix(*name));
        path.and_then(|path| path.strip_prefix(folder))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    environment.split(|&byte| byte == 0).any(ours)
}

/// Ends what tests in a folder have left running outside of their group; whether there was anything.
/// Where the system does not show environments nothing is found.
pub(crate) fn end_strays(folder: &Path) -> bool {
    // Each may have started another one meanwhile.
    const ROUNDS: usize = 20;
    let mut any = false;
    for _ in 0..ROUNDS {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = processes.filter_map(|one| one.file_name().to_str()?.parse::<u32>().ok());
        let ids = ids.filter(|&id| id != std::process::id() && works_in(id, folder));
        let strays: Vec<u32> = ids.collect();
        if strays.is_empty() {
            break;
        }
        any = true;
        strays.into_iter().for_each(kill_one);
        std::thread::sleep(Duration::from_millis(5));
    }
    any
}

/// A folder of this process for what is thrown away; removed when it is dropped.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// An empty one.
    pub(crate) fn new(name: &str) -> Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{name}-{}-{number}", std::process::id());
        let folder = TemporaryFolder(std::env::temp_dir().join(name));
        empty_folder(&folder.0)?;
        Ok(folder)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Best effort: whoever cleans up there finds it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes a folder, or empties it.
pub fn empty_folder(path: &Path) -> Result<()> {
    if path.exists() {
        let removed = std::fs::remove_dir_all(path).or_else(|_| {
            // Tests leave folders that nobody may write to.
            open_folders(path);
            std::fs::remove_dir_all(path)
        });
        removed.map_err(RunError::io(path, "empty it"))?;
    }
    make_folder(path)
}

/// Lets us into a folder and all below. Best effort: what stays closed cannot be removed, which is told.
fn open_folders(path: &Path) {
    let mut left = vec![path.to_owned()];
    while let Some(folder) = left.pop() {
        let _ = crate::system::make_executable(&folder);
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        left.extend(folders.map(|entry| entry.path()));
    }
}

/// Makes a folder and those around it, unless they are there.
pub fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(RunError::io(path, "make it"))
}

/// Writes a file for another program, or of a kind that nobody reads before it is complete.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, content).map_err(RunError::io(path, "write it"))
}

/// All of a file.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(RunError::io(path, "read it"))
}

/// What an outside tool printed, in a file.
#[derive(Clone, Debug)]
pub struct ToolLog(pub PathBuf);

impl ToolLog {
    /// The last lines, and where the rest is.
    pub fn ending(&self) -> String {
        const LINES: usize = 15;
        let (path, lines) = (self.0.display(), self.last_lines(LINES));
        match lines.is_empty() {
            true => format!("it printed nothing ({path})"),
            false => {
                let lines = lines.join("\n    ");
                format!("its last output (all of it: {path}):\n    {lines}")
            }
        }
    }

    /// The last lines that are not blank.
    pub(crate) fn last_lines(&self, count: usize) -> Vec<String> {
        let text = self.tail();
        let lines = text.lines().map(str::trim_end);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let first = lines.len().saturating_sub(count);
        lines[first..].iter().map(|&line| line.to_owned()).collect()
    }

    /// The end of the log as text; empty if it cannot be read.
    pub(crate) fn tail(&self) -> String {
        const BYTES: u64 = 16_384;
        let length = self.0.metadata().map_or(0, |data| data.len());
        let bytes = read_from(&self.0, length.saturating_sub(BYTES), u64::MAX);
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }
}

/// What a file that may be growing holds from `offset` on, `most` bytes at the most.
pub fn read_from(path: &Path, offset: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
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
        let mut group = ProcessGroup::spawn(&mut command).unwrap();
        // Until the new program is in place the environment is still ours.
        while !std::fs::read(format!("/proc/{}/cmdline", group.id()))
            .unwrap()
            .starts_with(b"sleep")
        {
            std::thread::yield_now();
        }
        let noted = folder.path().join("process");
        note_down(&group, &noted).unwrap();
        end_orphan(&noted, Path::new("/elsewhere"));
        assert!(group.ended().unwrap().is_none());
        end_orphan(&noted, folder.path());
        let status = group.wait(None, &|| false, &mut || false).unwrap();
        assert_eq!(status_text(status.unwrap()), "signal SIGKILL");
    }

    #[test]
    fn what_left_its_group_is_ended_too() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let noted = folder.path().join("id");
        let mut command = Command::new("sh");
        // `setsid` gives a group of its own, and the shell ends.
        let script = "setsid sh -c 'echo $$ > id; exec sleep 60' & while ! [ -s id ]; do :; done";
        command.args(["-c", script]).current_dir(folder.path());
        command.env("TMPDIR", folder.path());
        run(
            &mut command,
            None,
            &|| false,
            RunError::io(&noted, "start it"),
        )
        .unwrap();
        let id = std::fs::read_to_string(&noted).unwrap();
        let state = format!("/proc/{}/stat", id.trim());
        let runs = || std::fs::read_to_string(&state).is_ok_and(|text| !text.contains(") Z "));
        assert!(!end_strays(other.path()));
        assert!(runs());
        assert!(end_strays(folder.path()));
        assert!(!runs());
        assert!(!end_strays(folder.path()));
    }

    #[test]
    fn a_program_that_is_still_being_written_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, "#!/bin/sh\necho there\n").unwrap();
        crate::system::make_executable(&path).unwrap();
        let writer = File::options().write(true).open(&path).unwrap();
        let busy = Command::new(&path).output().unwrap_err();
        assert_eq!(busy.kind(), io::ErrorKind::ExecutableFileBusy);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                drop(writer);
            });
            assert_eq!(answer(&mut Command::new(&path)).unwrap(), "there");
        });
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended_with_its_children() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & sleep 60"]);
        let mut group = ProcessGroup::spawn(&mut command).unwrap();
        let limit = Some(Duration::from_millis(50));
        let status = group.wait(limit, &|| false, &mut || false);
        assert_eq!(status.unwrap(), None);
    }
}
