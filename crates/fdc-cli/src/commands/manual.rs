//! `fdc completions` and `fdc man`: generated from the command line's own definition.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, CommandFactory as _, ValueHint};
use fdc_case::FileError;

use crate::args::Arguments;
use crate::exit::{Exit, Result};
use crate::output::{put, write};

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut hinted(Arguments::command()), "fdc", &mut script);
    put(&String::from_utf8_lossy(&script), None)?;
    Ok(Exit::Done)
}

/// Without a hint, a shell offers files for everything that is not chosen out of a table.
fn hinted(command: clap::Command) -> clap::Command {
    let hinted_argument = |argument: Arg| {
        let kind = argument.get_value_parser().type_id();
        let paths = kind == TypeId::of::<PathBuf>() || kind == TypeId::of::<OsString>();
        match argument.get_action().takes_values() && !paths {
            true => argument.value_hint(ValueHint::Other),
            false => argument,
        }
    };
    command.mut_args(hinted_argument).mut_subcommands(hinted)
}

/// Prints the manual page, or writes one page per command into a folder.
pub(crate) fn man(folder: Option<&Path>) -> Result<Exit> {
    let mut command = Arguments::command();
    command.build();
    let Some(folder) = folder else {
        let page = render(&command).map_err(FileError::io(Path::new("fdc.1"), "render it"))?;
        put(&String::from_utf8_lossy(&page), None)?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let path = folder.join(format!("{name}.1"));
        let page = render(command).map_err(FileError::io(&path, "render it"))?;
        write(&path, page)?;
    }
    Ok(Exit::Done)
}

fn render(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
