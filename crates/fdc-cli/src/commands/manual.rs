//! `fdc completions` and `fdc man`: generated from the command line's own definition.

use std::path::Path;

use clap::CommandFactory as _;
use fdc_case::FileError;

use crate::args::Arguments;
use crate::exit::{Exit, Result};
use crate::output::{put, write};

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "fdc", &mut script);
    put(&String::from_utf8_lossy(&script), None)?;
    Ok(Exit::Done)
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
