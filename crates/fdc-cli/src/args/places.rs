//! An input is never its own output, and no two outputs are one file.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};

use crate::exit::{Failure, Result};

/// Arguments that name what is written; every other path is read.
pub(super) const WRITTEN: [&str; 5] = ["out", "report", "plots", "log", "plot"];

/// Refuses a command line that would write over what it reads.
pub(crate) fn check(command: &Command, matches: &ArgMatches) -> Result<()> {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let (mut command, mut matches) = (command, matches);
    loop {
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            if argument.get_value_parser().type_id() != TypeId::of::<PathBuf>() {
                continue;
            }
            let values = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
            let paths = values.map(|value| Path::new(value).to_owned());
            match WRITTEN.contains(&id) {
                true => written.extend(paths),
                false => read.extend(paths),
            }
        }
        let Some((name, own)) = matches.subcommand() else {
            break;
        };
        let Some(inner) = command.find_subcommand(name) else {
            break;
        };
        (command, matches) = (inner, own);
    }
    for (number, output) in written.iter().enumerate() {
        let Some(place) = place(output) else {
            continue;
        };
        let same = |other: &&PathBuf| self::place(other).as_ref() == Some(&place);
        let refused = |why: &str| {
            Err(Failure::usage(format!("{}: {why}", output.display()))
                .hint("name another file to write to"))
        };
        if read.iter().any(|path| same(&path)) {
            return refused("it is read, and would be written over");
        }
        if written[..number].iter().any(|path| same(&path)) {
            return refused("two outputs would go there");
        }
    }
    Ok(())
}

/// Where a path leads; none for devices and pipes, which can be read and written.
fn place(path: &Path) -> Option<PathBuf> {
    let special = std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
    let place = path.canonicalize().or_else(|_| std::path::absolute(path));
    place.ok().filter(|_| !special)
}
