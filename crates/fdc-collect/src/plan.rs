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
//! memory 2147483648      bytes that tests of changed code may use beyond what they begin with
//! file 268435456         bytes that a file of theirs may have
//! classes /project/target/classes
//! ```
//! In values `\\` stands for a backslash and `\n` for a line end.

use crate::options::CollectOptions;

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) text: String,
}

impl Plan {
    pub(crate) fn of(options: &CollectOptions, measure: bool) -> Self {
        let yes_no = |yes| if yes { "yes" } else { "no" };
        let mut plan = Plan::default();
        plan.line("root", &options.root.to_string_lossy());
        plan.line("measure", yes_no(measure));
        plan.line("include-tests", yes_no(options.include_tests));
        if let Some(timeout) = options.timeout {
            plan.line("timeout", &timeout.as_secs_f64().to_string());
        }
        let filter = &options.filter;
        for (key, patterns) in [("only", &filter.only), ("exclude", &filter.exclude)] {
            patterns.iter().for_each(|pattern| plan.line(key, pattern));
        }
        plan
    }

    pub(crate) fn line(&mut self, key: &str, value: &str) {
        let value = value.replace('\\', "\\\\").replace('\n', "\\n");
        self.text += &format!("{key} {value}\n");
    }
}
