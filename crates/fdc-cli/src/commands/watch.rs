//! `fdc watch`: a test command as it is, and where to look if it fails.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, SystemTime};

use clap::Args;
use fdc::rank::Brief;
use fdc::watch::{ReportedRequest, WatchRequest, reported, stale, watch};
use fdc_case::FileError;

use crate::exit::{Exit, Result};
use crate::output::{printable, put, put_json, say};
use crate::progress::Bar;

#[derive(Args, Debug)]
pub(crate) struct WatchArguments {
    /// The project's folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub root: PathBuf,
    /// The case file to write or to bring up to date
    #[arg(long, value_name = "FILE", default_value = "case.fdc")]
    pub case: PathBuf,
    /// Seconds that measuring may take when the command has failed, beside the failing tests
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub budget: u64,
    /// For the pytest plug-in: put what it reported to this folder into the case
    #[arg(long, value_name = "FOLDER", hide = true, requires = "began")]
    pub reported: Option<PathBuf>,
    /// For the pytest plug-in: when its tests began, in nanoseconds since 1970
    #[arg(long, value_name = "N", hide = true)]
    pub began: Option<u64>,
    /// For the pytest plug-in: print the tests that changes have made stale, null if all may be
    #[arg(long, hide = true, conflicts_with = "reported")]
    pub stale: bool,
    /// The test command
    #[arg(last = true, value_name = "COMMAND", required_unless_present_any = ["reported", "stale"])]
    pub command: Vec<OsString>,
}

pub(crate) fn run(arguments: WatchArguments, quiet: bool) -> Result<Exit> {
    if arguments.stale {
        put_json(&stale(&arguments.case, &arguments.root)?, None)?;
        return Ok(Exit::Done);
    }
    if let Some(folder) = arguments.reported {
        let request = ReportedRequest {
            folder,
            root: arguments.root,
            case: arguments.case,
            began: SystemTime::UNIX_EPOCH + Duration::from_nanos(arguments.began.unwrap_or(0)),
        };
        let brief = reported(&request, &Bar::new(quiet)?)?;
        let lines = brief.iter().flat_map(Brief::lines);
        put(
            &lines
                .map(|line| printable(&line).into_owned() + "\n")
                .collect::<String>(),
            None,
        )?;
        return Ok(Exit::Done);
    }
    let program = std::env::current_exe();
    let request = WatchRequest {
        command: arguments.command,
        root: arguments.root,
        case: arguments.case,
        budget: Duration::from_secs(arguments.budget),
        program: program.map_err(FileError::io(Path::new("fdc"), "find it"))?,
    };
    let bar = Bar::new(quiet)?;
    let reply = watch(&request, &bar)?;
    drop(bar);
    for line in reply.brief.iter().flat_map(Brief::lines) {
        say(&printable(&line));
    }
    match code(reply.status) {
        0 => Ok(Exit::Done),
        // The command's own, whatever it means.
        code => std::process::exit(code),
    }
}

/// As a shell tells it.
fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
