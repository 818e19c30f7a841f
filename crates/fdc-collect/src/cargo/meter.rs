//! What a run has covered: its profiles, read by us or by LLVM's tools.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::build::Build;
use super::bytes::Unreadable;
use super::coverage::ProgramLines;
use super::lcov;
use super::sources::ProjectFiles;
use super::toolchain::{Compiler, LlvmTools, ToolPlaces};
use crate::error::{Result, RunError};
use crate::isolated::{LinesOfFiles, RanLines};

pub(crate) struct CoverageReader {
    /// The test programs, then those that tests may start.
    programs: Vec<(PathBuf, OnceLock<Result<ProgramLines, Unreadable>>)>,
    tests: usize,
    sources: ProjectFiles,
    compiler: Compiler,
    places: ToolPlaces,
    tools: OnceLock<LlvmTools>,
}

/// What ran, or why that is not known.
pub(crate) type Measured = Result<Vec<RanLines>, String>;

impl CoverageReader {
    /// For the programs of a build. Tools that somebody chose are used, and must fit.
    pub(crate) fn new(
        build: &Build,
        sources: ProjectFiles,
        compiler: Compiler,
        places: ToolPlaces,
    ) -> Result<Self> {
        let tests = build.tests.iter().map(|program| &program.executable);
        let programs = tests.chain(&build.programs);
        let programs = programs.map(|path| (path.clone(), OnceLock::new()));
        let meter = CoverageReader {
            programs: programs.collect(),
            tests: build.tests.len(),
            sources,
            compiler,
            places,
            tools: OnceLock::new(),
        };
        if meter.places.are_chosen() {
            meter.tools()?;
        }
        Ok(meter)
    }

    /// The lines that the processes of a run have covered: process `main`, which ran test program
    /// `program`, and what it started.
    pub(crate) fn lines(&self, program: usize, main: u32, folder: &Path) -> Result<Measured> {
        let profiles = profiles(folder)?;
        if profiles.is_empty() {
            return Ok(Err("no coverage was written".to_owned()));
        }
        if !self.places.are_chosen() {
            match self.read(program, &folder.join(format!("{main}.profraw")), &profiles) {
                Ok(files) => return Ok(Ok(files)),
                Err(Unreadable::Damaged(what)) => {
                    return Ok(Err(format!("its coverage cannot be read: {what}")));
                }
                Err(Unreadable::Unknown(_)) => {}
            }
        }
        let started = &self.programs[self.tests..];
        let started = started.iter().map(|(path, _)| path.clone());
        let mut programs = vec![self.programs[program].0.clone()];
        if profiles.len() > 1 {
            programs.extend(started);
        }
        lcov::lines(self.tools()?, &profiles, &programs, folder, &self.sources).map(Ok)
    }

    fn read(
        &self,
        program: usize,
        main: &Path,
        profiles: &[PathBuf],
    ) -> Result<Vec<RanLines>, Unreadable> {
        let own = self.program_lines(program)?;
        let mut ran = own.start();
        // Rarely any: a copy per test would take time.
        let mut started: Option<LinesOfFiles> = None;
        for path in profiles {
            let bytes = std::fs::read(path).map_err(|_| Unreadable::Damaged("it is gone"))?;
            own.add(&bytes, &mut ran)?;
            if path == main {
                continue;
            }
            for other in self.tests..self.programs.len() {
                let program = self.program_lines(other)?;
                let mut ran = program.start();
                if program.add(&bytes, &mut ran)? {
                    let started = started.get_or_insert_default();
                    for RanLines { file, lines } in program.lines(&ran) {
                        started.add(&file, lines);
                    }
                }
            }
        }
        let own = own.lines(&ran);
        let Some(mut all) = started else {
            return Ok(own);
        };
        for RanLines { file, lines } in own {
            all.add(&file, lines);
        }
        Ok(all.sorted())
    }

    fn program_lines(&self, program: usize) -> Result<&ProgramLines, Unreadable> {
        let (path, lines) = &self.programs[program];
        let lines = lines.get_or_init(|| {
            let bytes = std::fs::read(path);
            let bytes = bytes.map_err(|_| Unreadable::Damaged("its program is gone"))?;
            ProgramLines::new(&bytes, &self.sources)
        });
        lines.as_ref().map_err(|&unreadable| unreadable)
    }

    fn tools(&self) -> Result<&LlvmTools> {
        if let Some(tools) = self.tools.get() {
            return Ok(tools);
        }
        let tools = self.places.tools(&self.compiler)?;
        Ok(self.tools.get_or_init(|| tools))
    }
}

fn profiles(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(RunError::io(folder, "read it"))?;
    let filled = |path: &PathBuf| path.metadata().is_ok_and(|data| data.len() > 0);
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut profiles: Vec<PathBuf> = paths.filter(filled).collect();
    profiles.retain(|path| path.extension().is_some_and(|ending| ending == "profraw"));
    profiles.sort();
    Ok(profiles)
}
