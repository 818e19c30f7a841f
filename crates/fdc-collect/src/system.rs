//! What differs between systems. Elsewhere than on Unix nothing is collected: there are no groups of
//! processes there that could be ended as a whole.

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus};

    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
    };

    /// Gives a command a group of processes of its own.
    pub(crate) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Ends a group at once. Best effort: it may have ended by itself.
    pub(crate) fn kill_group(id: u32) {
        if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Ends a process at once. Best effort: it may have ended by itself.
    pub(crate) fn kill_one(id: u32) {
        if let Some(process) = i32::try_from(id).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }

    /// Sets how much memory a process and each that it starts may use, and how large their files may
    /// get, in bytes. Best effort: not all systems can, and a lower limit may be set already.
    #[cfg(target_os = "linux")]
    pub(crate) fn limit(child: &Child, memory: Option<u64>, file: u64) {
        use rustix::process::{Resource, Rlimit, prlimit};

        let limits = [
            // What is only reserved does not count: Go and the JVM reserve much.
            (Resource::Data, memory),
            (Resource::Fsize, Some(file)),
            (Resource::Core, Some(0)),
        ];
        for (resource, most) in limits {
            let most = Rlimit {
                current: most,
                maximum: most,
            };
            if most.current.is_some() {
                let _ = prlimit(Some(Pid::from_child(child)), resource, most);
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn limit(_: &Child, _: Option<u64>, _: u64) {}

    /// Whether a child has ended. Its number stays its own until somebody waits for it.
    pub(crate) fn has_ended(child: &Child) -> std::io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
    }

    /// The signal that ended a process, by its name if it has one.
    pub(crate) fn signal_of(status: ExitStatus) -> Option<String> {
        let number = status.signal()?;
        let name = signal_hook::low_level::signal_name(number);
        Some(name.map_or_else(|| number.to_string(), str::to_owned))
    }

    /// How many bytes the disk that holds `path` has left.
    pub(crate) fn room_left(path: &Path) -> Option<u64> {
        let disk = rustix::fs::statvfs(path).ok()?;
        Some(disk.f_bavail * disk.f_frsize)
    }

    pub(crate) fn make_executable(path: &Path) -> std::io::Result<()> {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
    }

    /// Text as the system has it, which need not be UTF-8.
    pub(crate) fn text_of(bytes: &[u8]) -> OsString {
        OsString::from_vec(bytes.to_vec())
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::ffi::OsString;
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus};

    pub(crate) fn own_group(_: &mut Command) {}

    pub(crate) fn kill_group(_: u32) {}

    pub(crate) fn kill_one(_: u32) {}

    pub(crate) fn limit(_: &Child, _: Option<u64>, _: u64) {}

    pub(crate) fn has_ended(_: &Child) -> std::io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn signal_of(_: ExitStatus) -> Option<String> {
        None
    }

    pub(crate) fn room_left(_: &Path) -> Option<u64> {
        None
    }

    pub(crate) fn make_executable(_: &Path) -> std::io::Result<()> {
        Ok(())
    }

    pub(crate) fn text_of(bytes: &[u8]) -> OsString {
        String::from_utf8_lossy(bytes).into_owned().into()
    }
}

#[cfg(not(unix))]
pub(crate) use elsewhere::*;
#[cfg(unix)]
pub(crate) use unix::*;
