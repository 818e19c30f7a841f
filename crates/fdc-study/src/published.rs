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

/// Reads a file of published ranks, plain or compressed with zstd.
pub fn read(path: &Path) -> Result<Vec<StudyRun>, FileError> {
    let bytes = fdc_formats::read_bytes(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let at = error.valid_up_to();
        FileError::bad(
            path,
            "UTF-8 text",
            format!("byte {:#04x} at {at}", bytes[at]),
        )
    })?;
    let mut lines = text.lines().zip(1..);
    let header = lines.next().map_or("", |(header, _)| header);
    let bad = |expected: &str, found: &str, line: usize| {
        FileError::bad(path, expected, format!("{found:?}"))
            .at(format_args!("line {line}"))
            .hint("published ranks are the CSV that `fdc_study::published` describes")
    };
    if header != HEADER {
        return Err(bad("the header of published ranks", header, 1));
    }
    let runs = lines.filter(|(line, _)| !line.is_empty());
    runs.map(|(line, number)| run(line).map_err(|(expected, found)| bad(expected, found, number)))
        .collect()
}

/// The run of a line; or what should be there, and what is.
fn run(line: &str) -> Result<StudyRun, (&'static str, &str)> {
    let fields: Vec<&str> = line.split(',').collect();
    let [metric, subject, version, seed, failing, steps, full] = fields[..] else {
        return Err(("seven fields", line));
    };
    Ok(StudyRun {
        unit: StudyUnit {
            subject: subject.to_owned(),
            version: version.parse().map_err(|_| ("a version number", version))?,
            metric: metric.to_owned(),
            division: String::new(),
            seed: seed.parse().map_err(|_| ("a run number", seed))?,
        },
        failing: failing.to_owned(),
        methods: 0,
        faulty: Vec::new(),
        added: Vec::new(),
        steps: steps.split(';').map(standing).collect::<Result<_, _>>()?,
        full: standing(full)?,
    })
}

/// Ranks with blanks between.
fn standing(text: &str) -> Result<Standing, (&'static str, &str)> {
    let rank = |word| match str::parse::<f64>(word) {
        Ok(rank) if rank >= 1.0 && rank.is_finite() => Ok(rank),
        _ => Err(("ranks from 1", word)),
    };
    let ranks = text.split(' ').map(rank).collect::<Result<Vec<f64>, _>>()?;
    let first = ranks.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(Standing {
        ranks,
        wasted: first - 1.0,
    })
}
