//! Builds the tests with coverage, in a target folder of our own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use fdc_case::FileError;
use serde::Deserialize;

use super::sources::ProjectFiles;
use super::toolchain::cargo;
use crate::error::{Result, RunError};
use crate::options::CollectOptions;
use crate::process::{ToolLog, capture, make_folder, status_text};
use crate::system::make_executable;
use crate::watch::Watch;

/// The project as cargo sees it.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    packages: Vec<Package>,
    pub(crate) workspace_root: PathBuf,
    target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    #[serde(default)]
    targets: Vec<CrateTarget>,
}

#[derive(Debug, Deserialize)]
struct CrateTarget {
    src_path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestProgram {
    pub(crate) package: String,
    /// Where it runs: the package's folder, unless cargo says otherwise.
    pub(crate) folder: PathBuf,
    /// All variables; nothing is inherited beside them. None: as we are.
    pub(crate) variables: Option<Vec<(OsString, OsString)>>,
    pub(crate) kind: TargetKind,
    pub(crate) target: String,
    pub(crate) executable: PathBuf,
}

impl TestProgram {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.folder);
        if let Some(variables) = &self.variables {
            command.env_clear().envs(variables.iter().cloned());
        }
        command
    }

    pub(crate) fn cannot_start(&self) -> impl Fn(std::io::Error) -> RunError {
        move |error| {
            let program = self.executable.display();
            RunError::tool(format!("{program} cannot be started: {error}"), "")
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    Library,
    Binary,
    Example,
    /// A file in `tests/`.
    Integration,
    Bench,
}

pub(crate) struct Build {
    /// In a fixed order.
    pub(crate) tests: Vec<TestProgram>,
    /// The workspace's own programs and examples, which tests may start.
    pub(crate) programs: Vec<PathBuf>,
    pub(crate) folder: PathBuf,
}

pub(crate) fn workspace(root: &Path) -> Result<Workspace> {
    let mut command = cargo(root);
    command.args(["metadata", "--format-version", "1", "--no-deps"]);
    let output = command.output().map_err(no_cargo)?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let message = format!("cargo metadata failed in {}", root.display());
        return Err(RunError::tool(message, words));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let message = format!("cargo metadata printed something unexpected: {error}");
        RunError::tool(message, "run it by hand to see what it prints")
    })
}

impl Workspace {
    /// The target folder that fdc has for itself, so that the project's own builds stay as they are.
    pub(crate) fn target_folder(&self) -> PathBuf {
        self.target_directory.join("fdc")
    }

    /// The first file of each crate.
    pub(crate) fn crate_roots(&self) -> impl Iterator<Item = &Path> {
        let targets = self.packages.iter().flat_map(|package| &package.targets);
        targets.map(|target| &*target.src_path)
    }

    pub(crate) fn sources(&self, root: &Path) -> ProjectFiles {
        ProjectFiles {
            root: root.to_owned(),
            workspace: self.workspace_root.clone(),
            target: self.target_directory.clone(),
        }
    }
}

/// How the tests are compiled, for every cargo command of one collection.
pub(crate) struct Compilation<'w> {
    pub(crate) options: &'w CollectOptions,
    folder: PathBuf,
    wrapper: PathBuf,
    pub(crate) watch: &'w dyn Watch,
}

/// Only the workspace's own crates go through this. Build scripts and macros run while others are
/// compiled, so they have nothing to tell about a test. Relocated counters live in the profile
/// itself: what a test ran is known even if it is killed.
const WRAPPER: &str = r#"#!/bin/sh
# Written by fdc: compiles the crates of the workspace with coverage.
case " $* " in
*" --crate-name build_script_"* | *" --crate-type proc-macro "*)
    exec ${FDC_INNER_WRAPPER:+"$FDC_INNER_WRAPPER"} "$@" ;;
esac
exec ${FDC_INNER_WRAPPER:+"$FDC_INNER_WRAPPER"} "$@" \
    -C instrument-coverage -C llvm-args=--runtime-counter-relocation
"#;

/// Changed code is what lints complain about, and a project may take no warnings.
const LINTLESS_WRAPPER: &str = r#"#!/bin/sh
# Written by fdc: compiles the crates of the workspace without lints.
exec ${FDC_INNER_WRAPPER:+"$FDC_INNER_WRAPPER"} "$@" --cap-lints allow
"#;

/// Variables that are ours and no business of a test.
pub(crate) const VARIABLES: [&str; 3] = [
    "RUSTC_WORKSPACE_WRAPPER",
    "FDC_INNER_WRAPPER",
    "LLVM_PROFILE_FILE",
];

impl<'w> Compilation<'w> {
    /// Of a workspace, with the user's own arguments for cargo.
    pub(crate) fn new(
        options: &'w CollectOptions,
        workspace: &Workspace,
        watch: &'w dyn Watch,
    ) -> Result<Self> {
        let folder = match options.copied_from {
            // Whatever the user's settings say, it goes with the copy.
            // Tests may do what they like in the copy itself.
            Some(_) => options.root.with_file_name("target"),
            None => workspace.target_folder(),
        };
        let (name, script) = match options.outcomes_only {
            false => ("rustc-with-coverage", WRAPPER),
            true => ("rustc-without-lints", LINTLESS_WRAPPER),
        };
        make_folder(&folder)?;
        let wrapper = write_script(&folder.join(name), script)?;
        Ok(Compilation {
            options,
            folder,
            wrapper,
            watch,
        })
    }

    /// A cargo command that compiles as this does; `words` come before the user's arguments.
    pub(crate) fn cargo(&self, words: &[&str]) -> Command {
        let mut command = cargo(&self.options.root);
        command.args(words).arg("--target-dir").arg(&self.folder);
        let arguments = self.options.arguments.iter();
        command.args(arguments.take_while(|word| *word != "--"));
        if let Some(inner) = std::env::var_os("RUSTC_WORKSPACE_WRAPPER") {
            command.env("FDC_INNER_WRAPPER", inner);
        }
        command.env("RUSTC_WORKSPACE_WRAPPER", &self.wrapper);
        command.env("LLVM_PROFILE_FILE", "/dev/null");
        command
    }

    /// A file of ours for this collection alone.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.options.work().join(name)
    }

    pub(crate) fn build(&self, workspace: &Workspace) -> Result<Build> {
        let words = [
            "test",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ];
        let (status, text, log) = self.run(self.cargo(&words), "build")?;
        if !status.success() {
            let message = format!("the tests do not build (cargo: {})", status_text(status));
            return Err(RunError::build(message, error_words(&log)));
        }
        Ok(self.artifacts(workspace, &text))
    }

    /// Runs a command until it ends or somebody asks to stop: its end, its output, its complaints.
    pub(crate) fn run(
        &self,
        mut command: Command,
        name: &str,
    ) -> Result<(ExitStatus, String, ToolLog)> {
        let (base, stop) = (self.file(name), || self.watch.asked_to_stop());
        let (status, text, log) = capture(&mut command, &base, None, &stop, no_cargo)?;
        Ok((status.expect("there is no limit of time"), text, log))
    }

    pub(crate) fn artifacts(&self, workspace: &Workspace, messages: &str) -> Build {
        let mut build = Build {
            tests: Vec::new(),
            programs: Vec::new(),
            folder: self.folder.clone(),
        };
        for line in messages.lines() {
            // Lines of other kinds lack some of these fields.
            let Ok(artifact) = serde_json::from_str::<Artifact>(line) else {
                continue;
            };
            let mut packages = workspace.packages.iter();
            let package = packages.find(|own| own.manifest_path == artifact.manifest_path);
            let (Some(package), Some(executable)) = (package, artifact.executable) else {
                continue;
            };
            if !artifact.profile.test {
                build.programs.push(executable);
                continue;
            }
            let folder = package.manifest_path.parent();
            let folder = folder.unwrap_or(&self.options.root);
            build.tests.push(TestProgram {
                package: package.name.clone(),
                folder: folder.to_owned(),
                variables: None,
                kind: kind_of(&artifact.target.kind),
                target: artifact.target.name,
                executable,
            });
        }
        let order = |program: &TestProgram| {
            let library = program.kind == TargetKind::Library;
            (program.package.clone(), !library, program.target.clone())
        };
        build.tests.sort_by_key(order);
        build.programs.sort();
        build
    }
}

#[derive(Deserialize)]
struct Artifact {
    manifest_path: PathBuf,
    target: Target,
    profile: Profile,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

fn kind_of(kinds: &[String]) -> TargetKind {
    match kinds.first().map(String::as_str) {
        Some("bin") => TargetKind::Binary,
        Some("example") => TargetKind::Example,
        Some("test") => TargetKind::Integration,
        Some("bench") => TargetKind::Bench,
        _ => TargetKind::Library,
    }
}

/// Writes a script unless it is there already: cargo builds anew what a new wrapper made.
pub(crate) fn write_script(path: &Path, text: &str) -> Result<PathBuf> {
    if std::fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(path.to_owned());
    }
    fdc_case::replace_whole(path, |draft| {
        let written = std::fs::write(draft, text);
        let written = written.and_then(|()| make_executable(draft));
        written.map_err(FileError::io(path, "write it"))
    })?;
    Ok(path.to_owned())
}

const ERROR_LINES: usize = 20;

/// The compiler's words from its first error on.
fn error_words(log: &ToolLog) -> String {
    let text = log.tail();
    let lines = text.lines().map(str::trim_end);
    let lines = lines.filter(|line| !line.is_empty());
    let shown = lines.skip_while(|line| !line.starts_with("error"));
    let shown: Vec<&str> = shown.take(ERROR_LINES).collect();
    if shown.is_empty() {
        return log.ending();
    }
    let (path, shown) = (log.0.display(), shown.join("\n    "));
    format!("its output (all of it: {path}):\n    {shown}")
}

fn no_cargo(error: std::io::Error) -> RunError {
    let message = format!("cargo cannot be started: {error}");
    RunError::tool(message, "install Rust with cargo, or set CARGO to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Deaf;

    impl Watch for Deaf {
        fn note(&self, _: &str) {}

        fn asked_to_stop(&self) -> bool {
            false
        }
    }

    #[test]
    fn only_what_is_built_for_tests_is_a_test_program() {
        let workspace = Workspace {
            packages: vec![Package {
                name: "shop".into(),
                manifest_path: "/p/Cargo.toml".into(),
                targets: Vec::new(),
            }],
            workspace_root: "/p".into(),
            target_directory: "/p/target".into(),
        };
        let options = CollectOptions {
            root: "/p".into(),
            ..CollectOptions::default()
        };
        let compilation = Compilation {
            options: &options,
            folder: workspace.target_folder(),
            wrapper: PathBuf::new(),
            watch: &Deaf,
        };
        let artifact = |manifest: &str, kind: &str, name: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"{manifest}","target":{{"kind":["{kind}"],"name":"{name}"}},"profile":{{"test":{test}}},"executable":"/p/target/fdc/{name}"}}"#
            )
        };
        let messages = [
            artifact("/p/Cargo.toml", "test", "basket", true),
            artifact("/p/Cargo.toml", "bin", "shop", false),
            artifact("/p/Cargo.toml", "lib", "shop", true),
            artifact("/elsewhere/Cargo.toml", "lib", "other", true),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "a line that is no message".to_owned(),
        ];
        let build = compilation.artifacts(&workspace, &messages.join("\n"));
        let found: Vec<_> = build.tests.iter().map(|p| (p.kind, &*p.target)).collect();
        assert_eq!(
            found,
            [
                (TargetKind::Library, "shop"),
                (TargetKind::Integration, "basket")
            ]
        );
        assert_eq!(build.programs, [PathBuf::from("/p/target/fdc/shop")]);
    }
}
