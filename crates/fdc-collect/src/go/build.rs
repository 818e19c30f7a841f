//! Finds the packages of a module or workspace and builds their test programs.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::arguments::Arguments;
use super::blocks::Packages;
use super::counters::{Counters, joined_file, names_joined_file};
use crate::error::{Result, RunError};
use crate::process::{ToolLog, capture, log_to, make_folder, run, write_file};
use crate::watch::Watch;

/// What `go list` says of a package.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Package {
    import_path: String,
    dir: PathBuf,
    name: String,
    module: Option<Module>,
    test_go_files: Vec<String>,
    #[serde(rename = "XTestGoFiles")]
    external_test_files: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Module {
    path: String,
    main: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct GoProgram {
    /// The package, as it starts the identities of its tests.
    pub(crate) package: String,
    pub(crate) binary: PathBuf,
    /// Where it runs: the package's folder.
    pub(crate) folder: PathBuf,
    /// Where it keeps its counters, if that is known.
    pub(crate) counters: Option<Counters>,
}

impl GoProgram {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.current_dir(&self.folder).env("PWD", &self.folder);
        command
    }
}

#[derive(Debug, Default)]
pub(crate) struct Built {
    /// The test programs, by package.
    pub(crate) programs: Vec<GoProgram>,
    pub(crate) packages: Packages,
    /// The packages that could not be built, and the compiler's words.
    pub(crate) failures: Vec<(String, String)>,
}

pub(crate) struct Toolchain<'t> {
    pub(crate) root: &'t Path,
    pub(crate) work: &'t Path,
    pub(crate) arguments: &'t Arguments,
    /// Whether programs are built with coverage.
    pub(crate) measures: bool,
    /// Whether go vet may refuse.
    pub(crate) lints: bool,
    pub(crate) watch: &'t dyn Watch,
}

impl Toolchain<'_> {
    /// Builds the test programs of all packages that have tests.
    pub(crate) fn build(&self) -> Result<Built> {
        make_folder(self.work)?;
        let modules = self.modules()?;
        let patterns: Vec<String> = modules.iter().map(|path| format!("{path}/...")).collect();
        let all = self.list(&patterns)?;
        let folder = |it: &Package| Some((it.import_path.clone(), self.folder_of(it)?));
        let packages: Packages = all.iter().filter_map(folder).collect();
        let tested = match self.arguments.packages.as_slice() {
            [] => all,
            chosen => self.list(chosen)?,
        };
        let mut tested: Vec<(String, Package)> = (tested.into_iter())
            .filter(|it| !(it.test_go_files.is_empty() && it.external_test_files.is_empty()))
            .filter_map(|package| Some((self.folder_of(&package)?, package)))
            .collect();
        tested.sort_by(|a, b| a.0.cmp(&b.0));
        let measured = self.arguments.measured.clone();
        let measured = measured.unwrap_or_else(|| patterns.join(","));
        let built = self.build_tests(&tested, &measured)?;
        Ok(Built { packages, ..built })
    }

    /// The modules that the root belongs to or joins.
    fn modules(&self) -> Result<Vec<String>> {
        let text = self.ask(&["list", "-m", "-json"], &[])?;
        let modules = stream::<Module>(&text)?.into_iter();
        let main = modules.filter(|module| module.main && !module.path.is_empty());
        Ok(main.map(|module| module.path).collect())
    }

    fn list(&self, patterns: &[String]) -> Result<Vec<Package>> {
        const FIELDS: &str = "-json=ImportPath,Dir,Name,Module,TestGoFiles,XTestGoFiles";
        let mut arguments = vec!["list", "-e", FIELDS];
        arguments.extend(self.arguments.build.iter().map(String::as_str));
        arguments.push("--");
        stream(&self.ask(&arguments, patterns)?)
    }

    /// A package's folder relative to the root; none if it is not ours.
    fn folder_of(&self, package: &Package) -> Option<String> {
        let own = package.module.as_ref().is_some_and(|module| module.main);
        let folder = package.dir.strip_prefix(self.root).ok()?;
        own.then(|| folder.to_string_lossy().into_owned())
    }

    fn build_tests(&self, tested: &[(String, Package)], measured: &str) -> Result<Built> {
        let overlay = self.overlay(tested)?;
        let overlay = overlay.as_deref();
        let mut built = Built::default();
        // One go command names programs by the last element of the import path.
        let mut rounds: BTreeMap<usize, Vec<(usize, PathBuf)>> = BTreeMap::new();
        let mut taken: HashMap<String, usize> = HashMap::new();
        for (at, (_, package)) in tested.iter().enumerate() {
            let name = program_name(&package.import_path);
            let round = taken.entry(name.clone()).or_default();
            let binary = self.work.join(format!("round-{round}")).join(name);
            rounds.entry(*round).or_default().push((at, binary));
            *round += 1;
        }
        for (round, programs) in rounds {
            let folder = self.work.join(format!("round-{round}"));
            make_folder(&folder)?;
            let path = |(at, _): &(usize, _)| tested[*at].1.import_path.as_str();
            let paths: Vec<&str> = programs.iter().map(path).collect();
            let out = format!("{}/", folder.display());
            let log = self.log(&format!("build-{round}.log"));
            self.compile(&out, &paths, measured, overlay, &log)?;
            for (at, binary) in programs {
                let (folder, package) = &tested[at];
                if !binary.is_file()
                    && let Err(words) = self.compile_alone(package, &binary, measured, overlay)?
                {
                    built.failures.push((package.import_path.clone(), words));
                    continue;
                }
                built.programs.push(GoProgram {
                    package: if folder.is_empty() { "." } else { folder }.to_owned(),
                    counters: overlay.and_then(|_| Counters::of(&binary)),
                    binary,
                    folder: package.dir.clone(),
                });
            }
        }
        built.programs.sort_by(|a, b| a.package.cmp(&b.package));
        built.failures.sort();
        Ok(built)
    }

    /// One package by itself: it failed among others, and its own words are wanted.
    fn compile_alone(
        &self,
        package: &Package,
        binary: &Path,
        measured: &str,
        overlay: Option<&Path>,
    ) -> Result<Result<(), String>> {
        let out = binary.to_string_lossy();
        let paths = [package.import_path.as_str()];
        let mut words = String::new();
        for overlay in [overlay, None] {
            let log = self.log("build-alone.log");
            // Best effort: an older log only makes the words longer.
            let _ = std::fs::remove_file(&log.0);
            if self.compile(&out, &paths, measured, overlay, &log)? && binary.is_file() {
                return Ok(Ok(()));
            }
            words = log.last_lines(15).join("\n    ");
            if overlay.is_none() || !names_joined_file(&words) {
                break;
            }
        }
        Ok(Err(words))
    }

    fn compile(
        &self,
        out: &str,
        packages: &[&str],
        measured: &str,
        overlay: Option<&Path>,
        log: &ToolLog,
    ) -> Result<bool> {
        let mut command = self.command();
        command.args(["test", "-c", "-o", out]);
        if self.measures {
            command.arg(format!("-coverpkg={measured}"));
        }
        command.args(&self.arguments.build);
        if !self.lints {
            command.arg("-vet=off");
        }
        if let Some(overlay) = overlay {
            command.arg(format!("-overlay={}", overlay.display()));
        }
        command.args(packages);
        log_to(&mut command, &log.0)?;
        let status = run(&mut command, None, &self.stop(), self.cannot_start())?;
        Ok(status.is_some_and(|status| status.success()))
    }

    /// What the compiler says of all packages, tests left out; none if it has nothing to say.
    pub(crate) fn complaints(&self) -> Result<Option<String>> {
        make_folder(self.work)?;
        let mut command = self.command();
        // All errors, not the first ten.
        command.args(["build", "-gcflags=-e", "-o", "/dev/null"]);
        command.args(&self.arguments.build);
        let patterns = self.modules()?.into_iter().map(|path| path + "/...");
        command.args(patterns);
        let (base, cannot) = (self.work.join("complaints"), self.cannot_start());
        let (status, _, log) = capture(&mut command, &base, None, &self.stop(), cannot)?;
        if status.is_some_and(|status| status.success()) {
            return Ok(None);
        }
        let words = crate::process::read_file(&log.0)?;
        Ok(Some(String::from_utf8_lossy(&words).into_owned()))
    }

    /// Lets a file of ours join the test packages.
    fn overlay(&self, tested: &[(String, Package)]) -> Result<Option<PathBuf>> {
        let flags = std::env::var("GOFLAGS").unwrap_or_default();
        if !self.measures || self.arguments.has_overlay() || flags.contains("-overlay") {
            return Ok(None);
        }
        let mut replace = BTreeMap::new();
        for (at, (_, package)) in tested.iter().enumerate() {
            // The outer test package is loaded last.
            let name = match package.external_test_files.is_empty() {
                true => package.name.clone(),
                false => format!("{}_test", package.name),
            };
            let (path, text) = joined_file(&package.dir, &name);
            let source = self.work.join(format!("joined-{at}.go"));
            write_file(&source, &text)?;
            replace.insert(path, source);
        }
        let overlay = self.work.join("overlay.json");
        let replace = serde_json::json!({ "Replace": replace });
        write_file(&overlay, replace.to_string())?;
        Ok(Some(overlay))
    }

    fn ask(&self, arguments: &[&str], patterns: &[String]) -> Result<String> {
        let mut command = self.command();
        command.args(arguments).args(patterns);
        let (base, cannot) = (self.work.join("list"), self.cannot_start());
        let (status, text, log) = capture(&mut command, &base, None, &self.stop(), cannot)?;
        match status.is_some_and(|status| status.success()) {
            true => Ok(text),
            false => {
                let message = format!("go {} failed", arguments[0]);
                Err(RunError::failed(message, &log))
            }
        }
    }

    fn cannot_start(&self) -> impl FnOnce(std::io::Error) -> RunError {
        RunError::io(Path::new("go"), "start it")
    }

    fn stop(&self) -> impl Fn() -> bool {
        || self.watch.asked_to_stop()
    }

    fn command(&self) -> Command {
        let mut command = Command::new("go");
        command.current_dir(self.root).env("PWD", self.root);
        command
    }

    fn log(&self, name: &str) -> ToolLog {
        ToolLog(self.work.join(name))
    }
}

fn stream<'t, T: Deserialize<'t>>(text: &'t str) -> Result<Vec<T>> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.collect::<Result<_, _>>().map_err(|error| {
        let message = format!("go list: expected JSON, found something else: {error}");
        RunError::tool(message, "is `go` on the PATH the go command?")
    })
}

/// What `go test -c` calls the test program of a package.
fn program_name(import_path: &str) -> String {
    let mut elements = import_path.rsplit('/');
    let last = elements.next().unwrap_or_default();
    let is_version = last.strip_prefix('v').is_some_and(|digits| {
        !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0')
            && digits != "1"
    });
    let name = match elements.next() {
        Some(before) if is_version => before,
        _ => last,
    };
    format!("{name}.test")
}

#[cfg(test)]
mod tests {
    use super::program_name;

    #[test]
    fn programs_are_named_as_go_does() {
        for (path, name) in [
            ("example.org/a", "a.test"),
            ("example.org/a/v2", "a.test"),
            ("example.org/a/v1", "v1.test"),
            ("example.org/a/v0", "v0.test"),
            ("example.org/yaml.v3", "yaml.v3.test"),
            ("v2", "v2.test"),
        ] {
            assert_eq!(program_name(path), name, "{path}");
        }
    }
}
