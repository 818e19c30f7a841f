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
use super::columns::{self, Column, damaged, string};
use crate::run::{Standing, StudyRun};

const COLUMNS: [&str; 6] = ["tests", "added", "method", "rank", "wasted", "methods"];

const WHOLE_POOL: i32 = -1;

impl Record for StudyRun {
    fn bug(&self) -> Bug {
        self.unit.bug()
    }

    fn write(path: &Path, runs: &[Self]) -> Result<(), FileError> {
        let mut units = Vec::new();
        let (mut tests, mut added, mut methods) = (Vec::new(), Vec::new(), Vec::new());
        let (mut faulty, mut ranks, mut wasted) = (Vec::new(), Vec::new(), Vec::new());
        for run in runs {
            let last = |step: usize| run.added.get(step.wrapping_sub(1));
            let steps = run.steps.iter().enumerate();
            let steps = steps.map(|(step, standing)| (step as i32, last(step), standing));
            for (step, last, standing) in steps.chain([(WHOLE_POOL, None, &run.full)]) {
                for (rank, method) in standing.ranks.iter().zip(&run.faulty) {
                    units.push((&run.unit, &*run.failing));
                    tests.push(step);
                    added.push(last.map_or("", |name| name));
                    faulty.push(&**method);
                    ranks.push(*rank);
                    wasted.push(standing.wasted);
                    methods.push(run.methods as i32);
                }
            }
        }
        let columns = [
            Column::Whole(tests),
            Column::text(added),
            Column::text(faulty),
            Column::Real(ranks),
            Column::Real(wasted),
            Column::Whole(methods),
        ];
        columns::write(path, "runs", &units, COLUMNS.into_iter().zip(columns))
    }

    fn read(path: &Path) -> Result<Vec<Self>, FileError> {
        let columns = columns::read(path, &COLUMNS)?;
        runs(&columns).ok_or_else(|| damaged(path, "rows out of order"))
    }
}

/// Rows of one run stand together: from 0 added tests to the whole pool.
fn runs(columns: &[Column]) -> Option<Vec<StudyRun>> {
    use Column::{Real, Text, Whole};
    let [
        ..,
        Whole(tests),
        Text(added),
        Text(faulty),
        Real(ranks),
        Real(wasted),
        Whole(methods),
    ] = columns
    else {
        return None;
    };
    let mut runs: Vec<StudyRun> = Vec::new();
    let mut before = WHOLE_POOL;
    for (row, &tests) in tests.iter().enumerate() {
        if tests == 0 && before != 0 {
            let (unit, failing) = columns::unit(columns, row)?;
            runs.push(StudyRun {
                unit,
                failing,
                methods: u32::try_from(methods[row]).ok()?,
                faulty: Vec::new(),
                added: Vec::new(),
                steps: Vec::new(),
                full: Standing::default(),
            });
        }
        let run = runs.last_mut()?;
        if tests == 0 {
            run.faulty.push(string(&faulty[row])?);
        }
        let standing = if tests == WHOLE_POOL {
            &mut run.full
        } else {
            if tests as usize == run.steps.len() {
                run.steps.push(Standing::default());
                let added = string(&added[row])?;
                run.added.extend((!added.is_empty()).then_some(added));
            }
            run.steps.get_mut(tests as usize)?
        };
        standing.ranks.push(ranks[row]);
        standing.wasted = wasted[row];
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
        for place in 0..bytes.len() {
            for flip in [0x01, 0x10, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] ^= flip;
                std::fs::write(&path, &damaged).unwrap();
                if let Ok(found) = StudyRun::read(&path) {
                    assert_eq!(found, runs, "byte {place}");
                }
            }
        }
    }
}
