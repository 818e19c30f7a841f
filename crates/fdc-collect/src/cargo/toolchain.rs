//! The compiler in use, and the LLVM tools that fit it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Result, RunError};
use crate::process::{answer, path_in};

pub(crate) fn cargo(root: &Path) -> Command {
    named_or("CARGO", "cargo", root)
}

fn rustc(root: &Path) -> Command {
    named_or("RUSTC", "rustc", root)
}

/// The program that a variable names, or the one on the PATH, in a folder.
fn named_or(variable: &str, name: &str, root: &Path) -> Command {
    let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiler {
    pub(crate) release: String,
    /// The machine it compiles for by default.
    pub(crate) host: String,
    pub(crate) llvm: String,
}

impl Compiler {
    pub(crate) fn of(root: &Path) -> Result<Self> {
        let text = answer(rustc(root).arg("-vV")).ok_or_else(|| {
            let message = format!("rustc cannot be started in {}", root.display());
            RunError::tool(message, "install Rust; `rustc -vV` must work there")
        })?;
        Ok(Compiler::from_text(&text))
    }

    fn from_text(text: &str) -> Self {
        let field = |key: &str| {
            let mut lines = text.lines();
            let line = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            line.unwrap_or("unknown").to_owned()
        };
        Compiler {
            release: field("release"),
            host: field("host"),
            llvm: field("LLVM version"),
        }
    }

    fn llvm_major(&self) -> &str {
        major(&self.llvm)
    }
}

/// The two tools that read profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LlvmTools {
    /// `llvm-profdata`, which merges profiles.
    pub(crate) profdata: PathBuf,
    /// `llvm-cov`, which lays them over the source.
    pub(crate) cov: PathBuf,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ToolPlaces {
    /// LLVM_PROFDATA, a file that somebody chose.
    pub(crate) profdata: Option<PathBuf>,
    pub(crate) cov: Option<PathBuf>,
    /// The toolchain's own folder for tools.
    pub(crate) toolchain: Option<PathBuf>,
    pub(crate) path: OsString,
}

impl ToolPlaces {
    pub(crate) fn of(root: &Path, compiler: &Compiler) -> Self {
        let sysroot = answer(rustc(root).args(["--print", "sysroot"]));
        let tools = |root: String| {
            let rustlib = Path::new(&root).join("lib/rustlib");
            rustlib.join(&compiler.host).join("bin")
        };
        ToolPlaces {
            profdata: path_in("LLVM_PROFDATA"),
            cov: path_in("LLVM_COV"),
            toolchain: sysroot.map(tools),
            path: std::env::var_os("PATH").unwrap_or_default(),
        }
    }

    pub(crate) fn are_chosen(&self) -> bool {
        self.profdata.is_some() || self.cov.is_some()
    }

    pub(crate) fn tools(&self, compiler: &Compiler) -> Result<LlvmTools> {
        Ok(LlvmTools {
            profdata: self.tool("llvm-profdata", self.profdata.as_deref(), compiler)?,
            cov: self.tool("llvm-cov", self.cov.as_deref(), compiler)?,
        })
    }

    fn tool(&self, name: &str, chosen: Option<&Path>, compiler: &Compiler) -> Result<PathBuf> {
        let fits = |version: &str| major(version) == compiler.llvm_major();
        if let Some(chosen) = chosen {
            return match version(chosen) {
                Some(version) if fits(&version) => Ok(chosen.to_owned()),
                Some(version) => Err(mismatch(chosen, &version, compiler)),
                None => {
                    let message = format!("{} does not run as {name}", chosen.display());
                    let variable = name.to_uppercase().replace('-', "_");
                    let hint = format!("{variable} names it: correct it, or unset it");
                    Err(RunError::tool(message, hint))
                }
            };
        }
        let numbered = format!("{name}-{}", compiler.llvm_major());
        let folders = || std::env::split_paths(&self.path);
        let candidates = (self.toolchain.iter().map(|folder| folder.join(name)))
            .chain(folders().map(|folder| folder.join(name)))
            .chain(folders().map(|folder| folder.join(&numbered)));
        let mut other = None;
        for candidate in candidates.filter(|candidate| candidate.is_file()) {
            match version(&candidate) {
                Some(version) if fits(&version) => return Ok(candidate),
                Some(version) => other = other.or(Some(mismatch(&candidate, &version, compiler))),
                None => {}
            }
        }
        Err(other.unwrap_or_else(|| {
            let Compiler { release, llvm, .. } = compiler;
            let message = format!("no {name} for rustc {release} (LLVM {llvm}) was found");
            RunError::tool(message, how_to_install(compiler))
        }))
    }
}

fn mismatch(tool: &Path, version: &str, compiler: &Compiler) -> RunError {
    let Compiler { release, llvm, .. } = compiler;
    let of = format!("{} is of LLVM {version}", tool.display());
    let message =
        format!("{of}, but rustc {release} is of LLVM {llvm}: it cannot read the profiles");
    RunError::tool(message, how_to_install(compiler))
}

fn how_to_install(compiler: &Compiler) -> String {
    let major = compiler.llvm_major();
    format!(
        "rustup component add llvm-tools, or install your distribution's llvm-{major}, \
         or set LLVM_PROFDATA and LLVM_COV"
    )
}

/// The version of LLVM that a tool is of. Old ones of `llvm-profdata` tell it behind a command only.
fn version(tool: &Path) -> Option<String> {
    let ask = |words: &[&str]| answer(Command::new(tool).args(words));
    let text = ask(&["--version"]).or_else(|| ask(&["merge", "--version"]))?;
    let (_, after) = text.split_once("LLVM version ")?;
    after.split_whitespace().next().map(str::to_owned)
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const TEXT: &str = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\n\
                        host: x86_64-unknown-linux-gnu\nrelease: 1.95.0\nLLVM version: 22.1.2";

    fn fake(folder: &Path, name: &str, version: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::create_dir_all(folder).unwrap();
        let script = format!("#!/bin/sh\necho 'Some LLVM version {version}'\n");
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn the_compiler_tells_its_llvm() {
        let compiler = Compiler::from_text(TEXT);
        assert_eq!(compiler.llvm_major(), "22");
        assert_eq!(compiler.host, "x86_64-unknown-linux-gnu");
    }

    #[test]
    fn tools_of_another_llvm_are_passed_over_for_those_that_fit() {
        let folder = tempfile::tempdir().unwrap();
        let (usr, own) = (folder.path().join("usr"), folder.path().join("own"));
        for name in ["llvm-profdata", "llvm-cov"] {
            fake(&usr, name, "14.0.6");
            fake(&usr, &format!("{name}-22"), "22.1.8");
        }
        let compiler = Compiler::from_text(TEXT);
        let mut places = ToolPlaces {
            path: usr.clone().into(),
            ..ToolPlaces::default()
        };
        assert_eq!(
            places.tools(&compiler).unwrap().cov,
            usr.join("llvm-cov-22")
        );
        let cov = fake(&own, "llvm-cov", "22.1.2");
        fake(&own, "llvm-profdata", "22.1.2");
        places.toolchain = Some(own);
        assert_eq!(places.tools(&compiler).unwrap().cov, cov);
    }

    #[test]
    fn a_version_that_does_not_fit_is_said_with_both() {
        let folder = tempfile::tempdir().unwrap();
        let old = fake(folder.path(), "llvm-profdata", "14.0.6");
        let compiler = Compiler::from_text(TEXT);
        let on_path = ToolPlaces {
            path: folder.path().into(),
            ..ToolPlaces::default()
        };
        let chosen = ToolPlaces {
            profdata: Some(old.clone()),
            ..ToolPlaces::default()
        };
        for places in [on_path, chosen] {
            let error = places.tools(&compiler).unwrap_err();
            let expected = format!(
                "{} is of LLVM 14.0.6, but rustc 1.95.0 is of LLVM 22.1.2: it cannot read the profiles",
                old.display()
            );
            assert_eq!(error.to_string(), expected);
            assert_eq!(
                error.advice(),
                Some(
                    "rustup component add llvm-tools, or install your distribution's llvm-22, \
                     or set LLVM_PROFDATA and LLVM_COV"
                )
            );
        }
    }

    #[test]
    fn missing_tools_come_with_a_hint() {
        let compiler = Compiler::from_text(TEXT);
        let error = ToolPlaces::default().tools(&compiler).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no llvm-profdata for rustc 1.95.0 (LLVM 22.1.2) was found"
        );
        let places = ToolPlaces {
            profdata: Some("/nowhere/llvm-profdata".into()),
            ..ToolPlaces::default()
        };
        let error = places.tools(&compiler).unwrap_err();
        assert_eq!(
            error.advice(),
            Some("LLVM_PROFDATA names it: correct it, or unset it")
        );
    }
}
