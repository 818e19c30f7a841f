//! The environment that cargo gives to a test program: its folder and its variables.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::build::{Build, Compilation, TestProgram, VARIABLES, write_script};
use crate::error::Result;
use crate::process::{make_folder, status_text};
use crate::system::text_of;

/// Where a test program runs, and all its variables.
type Environment = (PathBuf, Vec<(OsString, OsString)>);

/// Cargo starts this in place of a test program, so we learn the environment from cargo itself:
/// configuration, build scripts and paths of libraries all have their say in it.
const RUNNER: &str = r#"#!/bin/sh
# Written by fdc: notes down where and how cargo would run a test program.
{ printf 'FDC_FOLDER=%s\0' "$(pwd -P)"; env -0; } > "$FDC_ENVIRONMENTS/${1##*/}"
"#;

pub(crate) fn learn(compilation: &Compilation, build: &mut Build, host: &str) -> Result<()> {
    let folder = compilation.file("environments");
    make_folder(&folder)?;
    let runner = write_script(&compilation.file("note-environment"), RUNNER)?;
    let platform = platform(build, host).to_uppercase();
    let runner_variable = format!("CARGO_TARGET_{}_RUNNER", platform.replace(['-', '.'], "_"));
    let mut command = compilation.cargo(&["test", "--no-fail-fast", "--quiet"]);
    command.env(&runner_variable, runner);
    command.env("FDC_ENVIRONMENTS", &folder);
    // Examples in documentation are not measured; cargo would compile and run them here.
    command.env("RUSTDOC", "true");
    let (status, _, log) = compilation.run(command, "environments")?;
    let mut ours: Vec<&str> = VARIABLES.to_vec();
    ours.extend([&*runner_variable, "FDC_ENVIRONMENTS", "RUSTDOC", "_"]);
    for program in &mut build.tests {
        if let Some((folder, variables)) = read(&folder, program, &ours) {
            (program.folder, program.variables) = (folder, Some(variables));
        }
    }
    if build.tests.iter().any(|own| own.variables.is_none()) {
        let (how, words) = (status_text(status), log.last_lines(3).join(" / "));
        compilation.watch.note(&format!(
            "cargo did not show the environment of every test program ({how}: {words}); \
             these run in their package's folder with the variables of fdc"
        ));
    }
    Ok(())
}

/// The machine that was compiled for: cargo puts programs for another one in a folder of its name.
fn platform<'b>(build: &'b Build, host: &'b str) -> &'b str {
    let first = build.tests.first();
    let inside = first.and_then(|program| program.executable.strip_prefix(&build.folder).ok());
    let parts: Vec<_> = inside.into_iter().flat_map(Path::iter).collect();
    match parts[..] {
        // TRIPLE/PROFILE/deps, not PROFILE/deps/PROGRAM
        [triple, _, deps, ..] if deps == "deps" => triple.to_str().unwrap_or(host),
        _ => host,
    }
}

fn read(folder: &Path, program: &TestProgram, ours: &[&str]) -> Option<Environment> {
    let bytes = std::fs::read(folder.join(program.executable.file_name()?)).ok()?;
    parse(&bytes, ours, |name| std::env::var_os(name))
}

/// Takes what the runner wrote; our own variables become what they are outside.
fn parse(
    bytes: &[u8],
    ours: &[&str],
    outside: impl Fn(&str) -> Option<OsString>,
) -> Option<Environment> {
    let mut variables = HashMap::new();
    let entries = bytes.split(|&byte| byte == 0);
    for entry in entries.filter(|entry| !entry.is_empty()) {
        let equals = entry.iter().position(|&byte| byte == b'=')?;
        variables.insert(text_of(&entry[..equals]), text_of(&entry[equals + 1..]));
    }
    let folder = variables.remove(std::ffi::OsStr::new("FDC_FOLDER"))?;
    for &name in ours {
        variables.remove(std::ffi::OsStr::new(name));
        if let Some(value) = outside(name) {
            variables.insert(name.into(), value);
        }
    }
    let mut variables: Vec<_> = variables.into_iter().collect();
    variables.sort();
    Some((folder.into(), variables))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::build::TargetKind;

    #[test]
    fn our_own_variables_do_not_reach_a_test() {
        let bytes = b"FDC_FOLDER=/p/a b\0A=1=2\0RUSTDOC=true\0WRAPPER=ours\0E=\0";
        let outside = |name: &str| (name == "WRAPPER").then(|| OsString::from("theirs"));
        let (folder, variables) = parse(bytes, &["RUSTDOC", "WRAPPER"], outside).unwrap();
        assert_eq!(folder, Path::new("/p/a b"));
        let expected = [("A", "1=2"), ("E", ""), ("WRAPPER", "theirs")];
        let expected = expected.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(variables, expected);
        assert_eq!(parse(b"A=1\0", &[], |_| None), None, "cut short");
    }

    #[test]
    fn a_platform_that_was_asked_for_shows_in_the_path() {
        let build = |executable: &str| Build {
            tests: vec![TestProgram {
                package: "p".into(),
                folder: "/p".into(),
                variables: None,
                kind: TargetKind::Library,
                target: "p".into(),
                executable: executable.into(),
            }],
            programs: Vec::new(),
            folder: "/p/target/fdc".into(),
        };
        let own = build("/p/target/fdc/debug/deps/p-1");
        assert_eq!(platform(&own, "x86_64-linux"), "x86_64-linux");
        let other = build("/p/target/fdc/aarch64-linux/debug/deps/p-1");
        assert_eq!(platform(&other, "x86_64-linux"), "aarch64-linux");
    }
}
