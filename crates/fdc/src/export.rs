//! export: coverage in any format that can be written, for other tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fdc_formats::{FORMATS, Format};

use crate::error::{Failure, Result};
use crate::input::Input;

/// Where to write, and how.
#[derive(Debug)]
pub struct ExportRequest {
    /// The format.
    pub format: &'static Format,
    /// The file or folder; named after the input, if left out.
    pub out: Option<PathBuf>,
    /// Whether files are named by their paths below the root even where it is there.
    pub relative: bool,
}

/// Writes what was read, and tells where. `first` is the input that the output is named after.
pub fn export(input: &mut Input, first: &Path, request: &ExportRequest) -> Result<PathBuf> {
    let format = request.format;
    let Some(write) = format.write else {
        let written = FORMATS.iter().filter(|format| format.write.is_some());
        let written: Vec<&str> = written.map(|format| format.name).collect();
        let message = format!("format {} can be read, not written", format.name);
        return Err(Failure::usage(message).hint(format!("write one of {}", written.join(", "))));
    };
    let out = request
        .out
        .clone()
        .unwrap_or_else(|| named_after(first, format));
    if out == first {
        let message = format!("{}: it is read, and would be written over", out.display());
        return Err(Failure::usage(message).hint("name another file to write to with -o"));
    }
    if format.has_paths() && !request.relative {
        // As tools that measure write them, so that tools that report find the sources.
        if let Some(sources) = input.sources()? {
            for file in &mut Arc::make_mut(&mut input.spectrum.program).files {
                let path = sources.root().join(&*file);
                if path.is_file()
                    && let Some(path) = path.to_str()
                {
                    *file = path.to_owned();
                }
            }
        }
    }
    write(&input.spectrum, &out)?;
    Ok(out)
}

fn named_after(input: &Path, format: &Format) -> PathBuf {
    let stem = input.file_stem().unwrap_or(input.as_os_str());
    Path::new(stem).with_extension(format.ending())
}
