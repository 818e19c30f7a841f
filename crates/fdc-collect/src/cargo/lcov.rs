//! Coverage by LLVM's own tools: `llvm-profdata merge`, then `llvm-cov export` as LCOV.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::sources::ProjectFiles;
use super::toolchain::LlvmTools;
use crate::error::{Result, RunError};
use crate::isolated::{LinesOfFiles, RanLines};

/// Lines of the project that the profiles say have run, and those that could have.
pub(crate) fn lines(
    tools: &LlvmTools,
    profiles: &[PathBuf],
    programs: &[PathBuf],
    folder: &Path,
    sources: &ProjectFiles,
) -> Result<Vec<RanLines>> {
    let merged = folder.join("merged.profdata");
    let mut merge = Command::new(&tools.profdata);
    merge.args(["merge", "-sparse", "--failure-mode=all"]);
    output(merge.args(profiles).arg("-o").arg(&merged), "llvm-profdata")?;
    let mut export = Command::new(&tools.cov);
    export.args(["export", "-format=lcov", "-instr-profile"]);
    export.arg(&merged);
    for (number, program) in programs.iter().enumerate() {
        export.args((number > 0).then_some("-object")).arg(program);
    }
    Ok(parse(&output(&mut export, "llvm-cov")?, sources))
}

fn output(command: &mut Command, tool: &str) -> Result<String> {
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|e| RunError::tool(format!("{tool} cannot be started: {e}"), ""))?;
    if !done.status.success() {
        let words = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(RunError::tool(format!("{tool} failed"), words));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

fn parse(text: &str, sources: &ProjectFiles) -> Vec<RanLines> {
    let mut files = LinesOfFiles::default();
    let mut file = None;
    for record in text.lines() {
        if let Some(path) = record.strip_prefix("SF:") {
            file = sources.relative(Path::new(path));
        } else if let (Some(file), Some(data)) = (&file, record.strip_prefix("DA:")) {
            let mut numbers = data.split(',');
            let line = numbers.next().and_then(|number| number.parse().ok());
            let covered = numbers.next().is_some_and(|count| count != "0");
            files.add(file, line.map(|line| (line, covered)));
        }
    }
    files.sorted()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_places_are_left_out() {
        let sources = ProjectFiles {
            root: "/p".into(),
            workspace: "/p".into(),
            target: "/p/target".into(),
        };
        let text = "SF:/p/src/lib.rs\nFN:3,f\nDA:3,2\nDA:4,0\nend_of_record\n\
                    SF:/p/target/out/made.rs\nDA:1,1\nend_of_record\n\
                    SF:/registry/x/src/lib.rs\nDA:1,1\nend_of_record\n";
        let expected = RanLines {
            file: "src/lib.rs".into(),
            lines: vec![(3, true), (4, false)],
        };
        assert_eq!(parse(text, &sources), [expected]);
    }
}
