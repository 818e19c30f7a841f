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
use super::columns::{Column, Columns, REAL, Value, WHOLE, WIDE, damaged};
use crate::labeller::{Labeller, LabellerRun};

const COLUMNS: [Column; 6] = [
    ("wrong", REAL),
    ("trust", REAL),
    ("draw", WIDE),
    ("answers", WHOLE),
    ("first", WHOLE),
    ("settled", WHOLE),
];

const NEVER: i32 = -1;

impl Record for LabellerRun {
    fn bug(&self) -> Bug {
        self.unit.bug()
    }

    fn write(path: &Path, records: &[Self]) -> Result<(), FileError> {
        let mut columns = Columns::new("labellings", &COLUMNS);
        let entry = |answers: Option<u32>| answers.map_or(NEVER, |answers| answers as i32);
        for record in records {
            let row = [
                Value::Real(record.labeller.wrong),
                Value::Real(record.labeller.trust),
                Value::Wide(record.draw),
                Value::Whole(record.answers as i32),
                Value::Whole(entry(record.first)),
                Value::Whole(entry(record.settled)),
            ];
            columns.push(&record.unit, &record.failing, row);
        }
        columns.write(path)
    }

    fn read(path: &Path) -> Result<Vec<Self>, FileError> {
        let columns = Columns::new("labellings", &COLUMNS).read(path)?;
        let record = |row: usize| {
            let (unit, failing) = columns.unit(row)?;
            let entry = |column| Some(u32::try_from(columns.whole(column, row)?).ok());
            Some(LabellerRun {
                unit,
                failing,
                labeller: Labeller {
                    wrong: columns.real(0, row)?,
                    trust: columns.real(1, row)?,
                },
                draw: columns.wide(2, row)?,
                answers: entry(3)??,
                first: entry(4)?,
                settled: entry(5)?,
            })
        };
        let records: Option<Vec<Self>> = (0..columns.rows()).map(record).collect();
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
