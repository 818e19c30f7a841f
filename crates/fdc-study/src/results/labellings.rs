//! The table of labellings as Parquet: a row each.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | metric | string | the metric with parameters |
//! | seed | int64 | of its training or choices |
//! | division | string | the bugs it was trained on; empty if not trained |
//! | subject | string | the project |
//! | version | int32 | the bug's number in it |
//! | failing_test | string | the test it starts from |
//! | wrong | double | probability of a wrong answer |
//! | trust | double | how far answers are believed |
//! | draw | int64 | which draw of wrong answers |
//! | answers | int32 | answers given |
//! | first | int32 | answers until a faulty method was in the top; -1: never |
//! | settled | int32 | answers until it was there to the last answer; -1: never |

use std::path::Path;

use fdc_case::FileError;
use fdc_core::spectrum::Bug;

use super::Record;
use super::columns::{self, Column, damaged};
use crate::labeller::{Labeller, LabellerRun};

const COLUMNS: [&str; 6] = ["wrong", "trust", "draw", "answers", "first", "settled"];

impl Record for LabellerRun {
    fn bug(&self) -> Bug {
        self.unit.bug()
    }

    fn write(path: &Path, records: &[Self]) -> Result<(), FileError> {
        let units = records.iter().map(|own| (&own.unit, &*own.failing));
        let units: Vec<_> = units.collect();
        let real = |of: fn(&Self) -> f64| Column::Real(records.iter().map(of).collect());
        let entry = |of: fn(&Self) -> Option<u32>| {
            let answers = |own| of(own).map_or(-1, |answers| answers as i32);
            Column::Whole(records.iter().map(answers).collect())
        };
        let columns = [
            real(|own| own.labeller.wrong),
            real(|own| own.labeller.trust),
            Column::Wide(records.iter().map(|own| own.draw as i64).collect()),
            entry(|own| Some(own.answers)),
            entry(|own| own.first),
            entry(|own| own.settled),
        ];
        columns::write(path, "labellings", &units, COLUMNS.into_iter().zip(columns))
    }

    fn read(path: &Path) -> Result<Vec<Self>, FileError> {
        use Column::{Real, Whole, Wide};
        let columns = columns::read(path, &COLUMNS)?;
        let [
            ..,
            Real(wrong),
            Real(trust),
            Wide(draw),
            Whole(answers),
            Whole(first),
            Whole(settled),
        ] = &columns[..]
        else {
            return Err(damaged(path, "a table of other columns"));
        };
        let record = |row: usize| {
            let (unit, failing) = columns::unit(&columns, row)?;
            let (wrong, trust) = (wrong[row], trust[row]);
            Some(LabellerRun {
                unit,
                failing,
                labeller: Labeller { wrong, trust },
                draw: draw[row] as u64,
                answers: u32::try_from(answers[row]).ok()?,
                first: u32::try_from(first[row]).ok(),
                settled: u32::try_from(settled[row]).ok(),
            })
        };
        let records: Option<Vec<Self>> = (0..wrong.len()).map(record).collect();
        records.ok_or_else(|| damaged(path, "values that no labelling has"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::StudyUnit;

    #[test]
    fn what_is_written_is_read_and_a_cut_file_is_not() {
        let record = |first, settled| LabellerRun {
            unit: StudyUnit {
                subject: "Lang".into(),
                version: 3,
                metric: "fdg".into(),
                division: String::new(),
                seed: 2,
            },
            failing: "t".into(),
            labeller: Labeller {
                wrong: 0.1,
                trust: 0.9,
            },
            draw: 7,
            answers: 50,
            first,
            settled,
        };
        let records = vec![record(Some(0), None), record(Some(4), Some(50))];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.parquet");
        LabellerRun::write(&path, &records).unwrap();
        assert_eq!(LabellerRun::read(&path).unwrap(), records);
        let bytes = std::fs::read(&path).unwrap();
        for length in (0..bytes.len()).step_by(101) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(LabellerRun::read(&path).is_err(), "cut to {length}");
        }
    }
}
