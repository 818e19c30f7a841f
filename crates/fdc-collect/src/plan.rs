//! The plan: what a process that runs many tests is told, in a file of lines `key value`.
//!
//! ```text
//! root /project          the project's root
//! measure yes            no: outcomes only, to find flaky tests
//! timeout 30             seconds a test may take
//! only *upper*           keep tests that match any of these
//! exclude slow           leave out tests that match any of these
//! skip tests/a.py::b     measured already
//! shard 0 2              only files or classes whose FNV-1a hash (32 bits) modulo 2 is 0
//! include-tests no       whether test code counts as code
//! classes /project/target/classes
//! ```
//! In values `\\` stands for a backslash and `\n` for a line end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::RunError;
use crate::options::CollectOptions;

#[derive(Debug)]
pub(crate) struct Plan<'p> {
    path: &'p Path,
    file: BufWriter<File>,
}

impl<'p> Plan<'p> {
    pub(crate) fn create(
        path: &'p Path,
        options: &CollectOptions,
        measure: bool,
    ) -> Result<Self, RunError> {
        let file = File::create(path).map_err(RunError::io(path, "write it"))?;
        let mut plan = Plan {
            path,
            file: BufWriter::new(file),
        };
        plan.line("root", &options.root.to_string_lossy())?;
        plan.line("measure", yes_no(measure))?;
        plan.line("include-tests", yes_no(options.include_tests))?;
        if let Some(timeout) = options.timeout {
            plan.line("timeout", &timeout.as_secs_f64().to_string())?;
        }
        for pattern in &options.filter.only {
            plan.line("only", pattern)?;
        }
        for pattern in &options.filter.exclude {
            plan.line("exclude", pattern)?;
        }
        Ok(plan)
    }

    pub(crate) fn line(&mut self, key: &str, value: &str) -> Result<(), RunError> {
        let value = value.replace('\\', "\\\\").replace('\n', "\\n");
        writeln!(self.file, "{key} {value}").map_err(RunError::io(self.path, "write it"))
    }

    pub(crate) fn finish(mut self) -> Result<(), RunError> {
        self.file
            .flush()
            .map_err(RunError::io(self.path, "write it"))
    }
}

fn yes_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
