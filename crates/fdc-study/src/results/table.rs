//! The table of runs as Parquet: a row per run, number of added tests and faulty method.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | metric | string | the metric with parameters |
//! | seed | int64 | of its training or choices |
//! | division | string | the bugs it was trained on; empty if not trained |
//! | subject | string | the project |
//! | version | int32 | the bug's number in it |
//! | failing_test | string | the test the run starts from |
//! | tests | int32 | added tests, 0..; -1: the whole pool |
//! | added | string | the test added last; empty at 0, at -1, and where the pool was exhausted |
//! | method | string | a faulty method |
//! | rank | double | its place |
//! | wasted | double | expected non-faulty methods seen before the first faulty one |
//! | methods | int32 | ranked methods |

use std::path::Path;

use fdc_case::FileError;
use fdc_core::spectrum::Bug;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};

use super::Record;
use super::columns::{self, damaged, put, take};
use crate::run::{Run, Standing};

const SCHEMA: &str = "message runs {
    REQUIRED BYTE_ARRAY metric (UTF8);
    REQUIRED INT64 seed;
    REQUIRED BYTE_ARRAY division (UTF8);
    REQUIRED BYTE_ARRAY subject (UTF8);
    REQUIRED INT32 version;
    REQUIRED BYTE_ARRAY failing_test (UTF8);
    REQUIRED INT32 tests;
    REQUIRED BYTE_ARRAY added (UTF8);
    REQUIRED BYTE_ARRAY method (UTF8);
    REQUIRED DOUBLE rank;
    REQUIRED DOUBLE wasted;
    REQUIRED INT32 methods;
}";

const WHOLE_POOL: i32 = -1;

/// The rows, column by column.
#[derive(Default)]
struct Columns {
    metric: Vec<ByteArray>,
    seed: Vec<i64>,
    division: Vec<ByteArray>,
    subject: Vec<ByteArray>,
    version: Vec<i32>,
    failing_test: Vec<ByteArray>,
    tests: Vec<i32>,
    added: Vec<ByteArray>,
    method: Vec<ByteArray>,
    rank: Vec<f64>,
    wasted: Vec<f64>,
    methods: Vec<i32>,
}

impl Record for Run {
    fn bug(&self) -> Bug {
        Run::bug(self)
    }

    fn write(path: &Path, runs: &[Self]) -> Result<(), FileError> {
        Columns::of(runs).write(path)
    }

    fn read(path: &Path) -> Result<Vec<Self>, FileError> {
        let columns = Columns::read(path)?;
        columns
            .runs()
            .ok_or_else(|| damaged(path, "rows out of order"))
    }
}

impl Columns {
    fn of(runs: &[Run]) -> Self {
        let mut columns = Columns::default();
        for run in runs {
            for (tests, standing) in run.steps.iter().enumerate() {
                let added = tests.checked_sub(1).and_then(|last| run.added.get(last));
                columns.push(run, tests as i32, added.map_or("", |name| name), standing);
            }
            columns.push(run, WHOLE_POOL, "", &run.full);
        }
        columns
    }

    fn push(&mut self, run: &Run, tests: i32, added: &str, standing: &Standing) {
        for (rank, method) in standing.ranks.iter().zip(&run.faulty) {
            self.metric.push(run.metric.as_str().into());
            self.seed.push(run.seed as i64);
            self.division.push(run.division.as_str().into());
            self.subject.push(run.subject.as_str().into());
            self.version.push(run.version as i32);
            self.failing_test.push(run.failing.as_str().into());
            self.tests.push(tests);
            self.added.push(added.into());
            self.method.push(method.as_str().into());
            self.rank.push(*rank);
            self.wasted.push(standing.wasted);
            self.methods.push(run.methods as i32);
        }
    }

    fn write(&self, path: &Path) -> Result<(), FileError> {
        columns::write(path, SCHEMA, |group| {
            put::<ByteArrayType>(group, &self.metric)?;
            put::<Int64Type>(group, &self.seed)?;
            put::<ByteArrayType>(group, &self.division)?;
            put::<ByteArrayType>(group, &self.subject)?;
            put::<Int32Type>(group, &self.version)?;
            put::<ByteArrayType>(group, &self.failing_test)?;
            put::<Int32Type>(group, &self.tests)?;
            put::<ByteArrayType>(group, &self.added)?;
            put::<ByteArrayType>(group, &self.method)?;
            put::<DoubleType>(group, &self.rank)?;
            put::<DoubleType>(group, &self.wasted)?;
            put::<Int32Type>(group, &self.methods)
        })
    }

    fn read(path: &Path) -> Result<Self, FileError> {
        let mut columns = Columns::default();
        columns::read(path, SCHEMA, |group| {
            take::<ByteArrayType>(group, 0, &mut columns.metric)?;
            take::<Int64Type>(group, 1, &mut columns.seed)?;
            take::<ByteArrayType>(group, 2, &mut columns.division)?;
            take::<ByteArrayType>(group, 3, &mut columns.subject)?;
            take::<Int32Type>(group, 4, &mut columns.version)?;
            take::<ByteArrayType>(group, 5, &mut columns.failing_test)?;
            take::<Int32Type>(group, 6, &mut columns.tests)?;
            take::<ByteArrayType>(group, 7, &mut columns.added)?;
            take::<ByteArrayType>(group, 8, &mut columns.method)?;
            take::<DoubleType>(group, 9, &mut columns.rank)?;
            take::<DoubleType>(group, 10, &mut columns.wasted)?;
            take::<Int32Type>(group, 11, &mut columns.methods)
        })?;
        Ok(columns)
    }

    /// Rows of one run stand together: from 0 added tests to the whole pool.
    fn runs(&self) -> Option<Vec<Run>> {
        let text = |array: &ByteArray| array.as_utf8().ok().map(str::to_owned);
        let mut runs: Vec<Run> = Vec::new();
        let mut before = WHOLE_POOL;
        for row in 0..self.rank.len() {
            let tests = self.tests[row];
            if tests == 0 && before != 0 {
                runs.push(Run {
                    subject: text(&self.subject[row])?,
                    version: u32::try_from(self.version[row]).ok()?,
                    failing: text(&self.failing_test[row])?,
                    metric: text(&self.metric[row])?,
                    division: text(&self.division[row])?,
                    seed: self.seed[row] as u64,
                    methods: u32::try_from(self.methods[row]).ok()?,
                    faulty: Vec::new(),
                    added: Vec::new(),
                    steps: Vec::new(),
                    full: Standing::default(),
                });
            }
            let run = runs.last_mut()?;
            if tests == 0 {
                run.faulty.push(text(&self.method[row])?);
            }
            let standing = if tests == WHOLE_POOL {
                &mut run.full
            } else {
                if tests as usize == run.steps.len() {
                    run.steps.push(Standing::default());
                    let added = text(&self.added[row])?;
                    run.added.extend((!added.is_empty()).then_some(added));
                }
                run.steps.get_mut(tests as usize)?
            };
            standing.ranks.push(self.rank[row]);
            standing.wasted = self.wasted[row];
            before = tests;
        }
        Some(runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_the_bytes_repeat() {
        let standing = |ranks: &[f64]| Standing {
            ranks: ranks.to_vec(),
            wasted: 0.5,
        };
        let run = |metric: &str, added: &[&str]| Run {
            subject: "Lang".into(),
            version: 3,
            failing: "t".into(),
            metric: metric.into(),
            division: "Lang-fold1".into(),
            seed: 7,
            methods: 20,
            faulty: vec!["a".into(), "b".into()],
            added: added.iter().map(|&name| name.into()).collect(),
            steps: vec![
                standing(&[4.0, 5.0]),
                standing(&[2.0, 5.0]),
                standing(&[1.0, 3.0]),
            ],
            full: standing(&[1.0, 2.0]),
        };
        let runs = vec![run("x", &["u", "v"]), run("y", &["u"])];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.parquet");
        Run::write(&path, &runs).unwrap();
        assert_eq!(Run::read(&path).unwrap(), runs);
        let bytes = std::fs::read(&path).unwrap();
        Run::write(&path, &runs).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);

        for length in (0..bytes.len()).step_by(101) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(Run::read(&path).is_err(), "cut to {length}");
        }
    }
}
