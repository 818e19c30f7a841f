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
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};

use super::Record;
use super::columns::{self, damaged, put, take};
use crate::labeller::{Labeller, Labelling};

const SCHEMA: &str = "message labellings {
    REQUIRED BYTE_ARRAY metric (UTF8);
    REQUIRED INT64 seed;
    REQUIRED BYTE_ARRAY division (UTF8);
    REQUIRED BYTE_ARRAY subject (UTF8);
    REQUIRED INT32 version;
    REQUIRED BYTE_ARRAY failing_test (UTF8);
    REQUIRED DOUBLE wrong;
    REQUIRED DOUBLE trust;
    REQUIRED INT64 draw;
    REQUIRED INT32 answers;
    REQUIRED INT32 first;
    REQUIRED INT32 settled;
}";

const NEVER: i32 = -1;

impl Record for Labelling {
    fn bug(&self) -> Bug {
        Labelling::bug(self)
    }

    fn write(path: &Path, records: &[Self]) -> Result<(), FileError> {
        let texts = |of: fn(&Labelling) -> &str| -> Vec<ByteArray> {
            records.iter().map(|record| of(record).into()).collect()
        };
        let wide = |of: fn(&Labelling) -> u64| -> Vec<i64> {
            records.iter().map(|record| of(record) as i64).collect()
        };
        let whole = |of: fn(&Labelling) -> Option<u32>| -> Vec<i32> {
            let number = |record| of(record).map_or(NEVER, |number| number as i32);
            records.iter().map(number).collect()
        };
        let real = |of: fn(&Labelling) -> f64| -> Vec<f64> { records.iter().map(of).collect() };
        columns::write(path, SCHEMA, |group| {
            put::<ByteArrayType>(group, &texts(|own| &own.metric))?;
            put::<Int64Type>(group, &wide(|own| own.seed))?;
            put::<ByteArrayType>(group, &texts(|own| &own.division))?;
            put::<ByteArrayType>(group, &texts(|own| &own.subject))?;
            put::<Int32Type>(group, &whole(|own| Some(own.version)))?;
            put::<ByteArrayType>(group, &texts(|own| &own.failing))?;
            put::<DoubleType>(group, &real(|own| own.labeller.wrong))?;
            put::<DoubleType>(group, &real(|own| own.labeller.trust))?;
            put::<Int64Type>(group, &wide(|own| own.draw))?;
            put::<Int32Type>(group, &whole(|own| Some(own.answers)))?;
            put::<Int32Type>(group, &whole(|own| own.first))?;
            put::<Int32Type>(group, &whole(|own| own.settled))
        })
    }

    fn read(path: &Path) -> Result<Vec<Self>, FileError> {
        let [mut metric, mut division, mut subject, mut failing] = [const { Vec::new() }; 4];
        let [mut seed, mut draw] = [const { Vec::new() }; 2];
        let [mut version, mut answers, mut first, mut settled] = [const { Vec::new() }; 4];
        let [mut wrong, mut trust] = [const { Vec::new() }; 2];
        columns::read(path, SCHEMA, |group| {
            take::<ByteArrayType>(group, 0, &mut metric)?;
            take::<Int64Type>(group, 1, &mut seed)?;
            take::<ByteArrayType>(group, 2, &mut division)?;
            take::<ByteArrayType>(group, 3, &mut subject)?;
            take::<Int32Type>(group, 4, &mut version)?;
            take::<ByteArrayType>(group, 5, &mut failing)?;
            take::<DoubleType>(group, 6, &mut wrong)?;
            take::<DoubleType>(group, 7, &mut trust)?;
            take::<Int64Type>(group, 8, &mut draw)?;
            take::<Int32Type>(group, 9, &mut answers)?;
            take::<Int32Type>(group, 10, &mut first)?;
            take::<Int32Type>(group, 11, &mut settled)
        })?;
        let text = |array: &ByteArray| array.as_utf8().ok().map(str::to_owned);
        let record = |row: usize| {
            Some(Labelling {
                subject: text(&subject[row])?,
                version: u32::try_from(version[row]).ok()?,
                failing: text(&failing[row])?,
                metric: text(&metric[row])?,
                division: text(&division[row])?,
                seed: seed[row] as u64,
                labeller: Labeller {
                    wrong: wrong[row],
                    trust: trust[row],
                },
                draw: draw[row] as u64,
                answers: u32::try_from(answers[row]).ok()?,
                first: u32::try_from(first[row]).ok(),
                settled: u32::try_from(settled[row]).ok(),
            })
        };
        let records: Option<Vec<Self>> = (0..metric.len()).map(record).collect();
        records.ok_or_else(|| damaged(path, "values that no labelling has"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_cut_file_is_not() {
        let record = |first, settled| Labelling {
            subject: "Lang".into(),
            version: 3,
            failing: "t".into(),
            metric: "fdg".into(),
            division: String::new(),
            seed: 2,
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
        Labelling::write(&path, &records).unwrap();
        assert_eq!(Labelling::read(&path).unwrap(), records);
        let bytes = std::fs::read(&path).unwrap();
        for length in (0..bytes.len()).step_by(101) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(Labelling::read(&path).is_err(), "cut to {length}");
        }
    }
}
