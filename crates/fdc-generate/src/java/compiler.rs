//! javac, and what it finds wrong.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fdc_collect::process::{ToolLog, answer, write_file};
use fdc_collect::{Java, Result, RunError};

use super::sources::SourcePlace;

pub(crate) fn find(java: &Java) -> Result<PathBuf> {
    let program = java.tool("javac");
    if answer(Command::new(&program).arg("-version")).is_some() {
        return Ok(program);
    }
    let program = program.display();
    let message = format!("cannot run {program}: the tests need a compiler");
    let hint = "install a JDK (not only a runtime), or name one with --java or JAVA_HOME";
    Err(RunError::tool(message, hint))
}

/// Compiles sources that lie below `folder` into `classes`; where it found something wrong.
pub(crate) fn compile(
    javac: &Path,
    folder: &Path,
    sources: &[PathBuf],
    class_path: &OsStr,
    classes: &Path,
    log: &Path,
) -> Result<Vec<SourcePlace>> {
    let list = folder.with_extension("list");
    let quoted = sources.iter().map(|path| {
        let path = path.to_string_lossy();
        format!("\"{}\"\n", path.replace('\\', "\\\\").replace('"', "\\\""))
    });
    write_file(&list, quoted.collect::<String>())?;
    let mut argument = std::ffi::OsString::from("@");
    argument.push(&list);
    let mut command = Command::new(javac);
    command.args(["-J-Duser.language=en", "-J-Duser.country=US"]);
    command.args(["-g", "-nowarn", "-proc:none", "-implicit:none"]);
    command.args(["-encoding", "UTF-8", "-Xmaxerrs", "1000000"]);
    command.arg("-sourcepath").arg(folder);
    command.arg("-cp").arg(class_path);
    command.arg("-d").arg(classes).arg(argument);
    command.env_remove("JAVA_TOOL_OPTIONS").stdin(Stdio::null());
    let output = command.output().map_err(|error| {
        let message = format!("cannot run {}: {error}", javac.display());
        RunError::tool(message, "install a JDK, or name one with --java")
    })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    write_file(log, &said)?;
    let places = places(&said, folder);
    match output.status.success() {
        true => Ok(Vec::new()),
        false if places.is_empty() => {
            let message = "the compiler failed, and not because of a test";
            Err(RunError::failed(message, &ToolLog(log.to_owned())))
        }
        false => Ok(places),
    }
}

/// The places of javac's errors: `FILE:LINE: error: ...`, the line, a caret below the column.
fn places(said: &str, folder: &Path) -> Vec<SourcePlace> {
    let mut places: Vec<SourcePlace> = Vec::new();
    let mut open = false;
    for line in said.lines() {
        let head = line.strip_prefix(&*folder.to_string_lossy());
        let head = head.and_then(|rest| rest.strip_prefix(std::path::MAIN_SEPARATOR));
        let error = head.and_then(|rest| {
            let (place, message) = rest.split_once(": ")?;
            let (file, number) = place.rsplit_once(':')?;
            Some((file, number.parse().ok()?, message.starts_with("error:")))
        });
        if let Some((file, line, is_error)) = error {
            open = is_error;
            if is_error {
                places.push(SourcePlace {
                    file: file.to_owned(),
                    line,
                    column: None,
                });
            }
        } else if open && line.trim() == "^" {
            open = false;
            if let Some(place) = places.last_mut() {
                place.column = line.find('^');
            }
        }
    }
    places.sort();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_with_their_columns_and_warnings_are_not() {
        let said = "\
/w/src/p/A.java:3: warning: [x] y
    int a;
        ^
/w/src/p/A.java:7: error: cannot find symbol
    foo();
    ^
  symbol:   method foo()
/w/src/p/A.java:12: error: reached end of file while parsing
2 errors
";
        let place = |line, column| SourcePlace {
            file: "p/A.java".into(),
            line,
            column,
        };
        assert_eq!(
            places(said, Path::new("/w/src")),
            [place(7, Some(4)), place(12, None)]
        );
        assert_eq!(places("error: invalid flag: -x", Path::new("/w/src")), []);
    }
}
