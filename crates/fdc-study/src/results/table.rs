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

use super::Record;
use super::columns::{Column, Columns, REAL, TEXT, Value, WHOLE, damaged};
use crate::run::{Standing, StudyRun};

const COLUMNS: [Column; 6] = [
    ("tests", WHOLE),
    ("added", TEXT),
    ("method", TEXT),
    ("rank", REAL),
    ("wasted", REAL),
    ("methods", WHOLE),
];

const WHOLE_POOL: i32 = -1;

impl Record for StudyRun {
    fn bug(&self) -> Bug {
        self.unit.bug()
    }

    fn write(path: &Path, runs: &[Self]) -> Result<(), FileError> {
        let mut columns = Columns::new("runs", &COLUMNS);
        for run in runs {
            for (tests, standing) in run.steps.iter().enumerate() {
                let added = tests.checked_sub(1).and_then(|last| run.added.get(last));
                let added = added.map_or("", |name| name);
                push(&mut columns, run, tests as i32, added, standing);
            }
            push(&mut columns, run, WHOLE_POOL, "", &run.full);
        }
        columns.write(path)
    }

    fn read(path: &Path) -> Result<Vec<Self>, FileError> {
        let columns = Columns::new("runs", &COLUMNS).read(path)?;
        runs(&columns).ok_or_else(|| damaged(path, "rows out of order"))
    }
}

/// A row per faulty method.
fn push(columns: &mut Columns, run: &StudyRun, tests: i32, added: &str, standing: &Standing) {
    for (rank, method) in standing.ranks.iter().zip(&run.faulty) {
        let row = [
            Value::Whole(tests),
            Value::Text(added),
            Value::Text(method),
            Value::Real(*rank),
            Value::Real(standing.wasted),
            Value::Whole(run.methods as i32),
        ];
        columns.push(&run.unit, &run.failing, row);
    }
}

/// Rows of one run stand together: from 0 added tests to the whole pool.
fn runs(columns: &Columns) -> Option<Vec<StudyRun>> {
    let mut runs: Vec<StudyRun> = Vec::new();
    let mut before = WHOLE_POOL;
    for row in 0..columns.rows() {
        let tests = columns.whole(0, row)?;
        if tests == 0 && before != 0 {
            let (unit, failing) = columns.unit(row)?;
            runs.push(StudyRun {
                unit,
                failing,
                methods: u32::try_from(columns.whole(5, row)?).ok()?,
                faulty: Vec::new(),
                added: Vec::new(),
                steps: Vec::new(),
                full: Standing::default(),
            });
        }
        let run = runs.last_mut()?;
        if tests == 0 {
            run.faulty.push(columns.text(2, row)?);
        }
        let standing = if tests == WHOLE_POOL {
            &mut run.full
        } else {
            if tests as usize == run.steps.len() {
                run.steps.push(Standing::default());
                let added = columns.text(1, row)?;
                run.added.extend((!added.is_empty()).then_some(added));
            }
            run.steps.get_mut(tests as usize)?
        };
        standing.ranks.push(columns.real(3, row)?);
        standing.wasted = columns.real(4, row)?;
        before = tests;
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::StudyUnit;

    #[test]
    fn what_is_written_is_read_and_the_bytes_repeat() {
        let standing = |ranks: &[f64]| Standing {
            ranks: ranks.to_vec(),
            wasted: 0.5,
        };
        let run = |metric: &str, added: &[&str]| StudyRun {
            unit: StudyUnit {
                subject: "Lang".into(),
                version: 3,
                metric: metric.into(),
                division: "Lang-fold1".into(),
                seed: 7,
            },
            failing: "t".into(),
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
        StudyRun::write(&path, &runs).unwrap();
        assert_eq!(StudyRun::read(&path).unwrap(), runs);
        let bytes = std::fs::read(&path).unwrap();
        StudyRun::write(&path, &runs).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);

        for length in (0..bytes.len()).step_by(101) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(StudyRun::read(&path).is_err(), "cut to {length}");
        }
    }
}
