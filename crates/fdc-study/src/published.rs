//! Ranks published by others: the CSV of the RLFDC authors' per-bug results.
//!
//! `metric,subject,version,run,failing_test,ranks_after_0_to_10,ranks_full`, with `;` between steps
//! and blanks between methods. Runs that stand twice are kept, as published. Neither the number of
//! methods nor ties are known, so EXAM and wasted effort do not come out of it.

use std::path::Path;

use fdc_case::FileError;

use crate::evaluate::StudyUnit;
use crate::run::{Standing, StudyRun};

/// The header such a file starts with.
pub const HEADER: &str = "metric,subject,version,run,failing_test,ranks_after_0_to_10,ranks_full";

/// A line that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found:?}")]
pub struct PublishedError {
    /// Which line, from 1.
    pub line: usize,
    /// What should be there.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
}

/// Reads a file of published ranks, plain or compressed with zstd.
pub fn read(path: &Path) -> Result<Vec<StudyRun>, FileError> {
    let bytes = fdc_formats::read_bytes(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let found = format!(
            "byte {:#04x} at {}",
            bytes[error.valid_up_to()],
            error.valid_up_to()
        );
        FileError::bad(path, "UTF-8 text", found)
    })?;
    parse(text).map_err(|error| {
        FileError::bad(path, error.expected, format!("{:?}", error.found))
            .at(format_args!("line {}", error.line))
            .hint("published ranks are the CSV that `fdc_study::published` describes")
    })
}

/// Reads published ranks.
pub fn parse(text: &str) -> Result<Vec<StudyRun>, PublishedError> {
    let mut lines = text.lines().zip(1..);
    let header = lines.next().map_or("", |(header, _)| header);
    if header != HEADER {
        return Err(PublishedError {
            line: 1,
            expected: "the header of published ranks",
            found: header.to_owned(),
        });
    }
    lines
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| run(line, number))
        .collect()
}

fn run(line: &str, number: usize) -> Result<StudyRun, PublishedError> {
    let bad = |expected: &'static str, found: &str| PublishedError {
        line: number,
        expected,
        found: found.to_owned(),
    };
    let fields: Vec<&str> = line.split(',').collect();
    let [metric, subject, version, seed, failing, steps, full] = fields[..] else {
        return Err(bad("seven fields", line));
    };
    let standing = |text: &str| -> Result<Standing, PublishedError> {
        let rank = |word: &str| match word.parse::<f64>() {
            Ok(rank) if rank >= 1.0 && rank.is_finite() => Ok(rank),
            _ => Err(bad("ranks from 1", word)),
        };
        let ranks = text.split(' ').map(rank).collect::<Result<Vec<f64>, _>>()?;
        let first = ranks.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(Standing {
            ranks,
            wasted: first - 1.0,
        })
    };
    Ok(StudyRun {
        unit: StudyUnit {
            subject: subject.to_owned(),
            version: version
                .parse()
                .map_err(|_| bad("a version number", version))?,
            metric: metric.to_owned(),
            division: String::new(),
            seed: seed.parse().map_err(|_| bad("a run number", seed))?,
        },
        failing: failing.to_owned(),
        methods: 0,
        faulty: Vec::new(),
        added: Vec::new(),
        steps: steps.split(';').map(standing).collect::<Result<_, _>>()?,
        full: standing(full)?,
    })
}
