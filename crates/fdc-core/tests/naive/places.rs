//! Rankings: scores of lines, methods and files, and the places of ties.

use std::collections::BTreeMap;

use fdc_core::ranking::{Aggregate, Level, TiePolicy};

use super::cases::Case;

/// A unit with its score, and whether it is faulty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub number: u32,
    pub score: f64,
    pub faulty: bool,
}

/// The elements of the units of a level, by the units' numbers.
pub(crate) fn lines(case: &Case, level: Level) -> BTreeMap<u32, Vec<usize>> {
    let mut lines: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for element in 0..case.elements() {
        let unit = match level {
            Level::Line => element as u32,
            Level::Method => case.method_of[element],
            Level::File => case.file_of[case.method_of[element] as usize],
        };
        lines.entry(unit).or_default().push(element);
    }
    lines
}

/// The units of a level that have elements, by number, from the scores of lines.
pub(crate) fn units(
    case: &Case,
    of_lines: &[f64],
    level: Level,
    aggregate: Aggregate,
) -> Vec<Unit> {
    let unit = |(number, lines): (u32, Vec<usize>)| {
        let scores = || lines.iter().map(|&element| of_lines[element]);
        let sum: f64 = scores().sum();
        Unit {
            number,
            score: match aggregate {
                Aggregate::Max => scores().fold(f64::NEG_INFINITY, f64::max),
                Aggregate::Mean => sum / lines.len() as f64,
                Aggregate::Sum => sum,
            },
            faulty: lines.iter().any(|&element| match level {
                Level::Line => case.faulty_elements.contains(&(element as u32)),
                _ => case.faulty_methods.contains(&case.method_of[element]),
            }),
        }
    };
    lines(case, level).into_iter().map(unit).collect()
}

/// The place of one unit.
pub(crate) fn place(units: &[Unit], of: Unit, tie: TiePolicy) -> f64 {
    let level = |unit: &&Unit| unit.score == of.score;
    let above = units.iter().filter(|unit| unit.score > of.score).count();
    let size = units.iter().filter(level).count();
    let faulty = units
        .iter()
        .filter(level)
        .filter(|unit| unit.faulty)
        .count();
    let places: Vec<f64> = (above + 1..=above + size)
        .map(|place| place as f64)
        .collect();
    match tie {
        TiePolicy::Max => places[size - 1],
        TiePolicy::Min => places[0],
        TiePolicy::Average => places.iter().sum::<f64>() / size as f64,
        TiePolicy::Expected => {
            let faulty = faulty.max(1);
            // The first of `faulty` is at place k with all others behind it.
            let ways: Vec<f64> = (1..=size).map(|k| choose(size - k, faulty - 1)).collect();
            let expected = places.iter().zip(&ways).map(|(place, ways)| place * ways);
            expected.sum::<f64>() / ways.iter().sum::<f64>()
        }
    }
}

/// n over k, by Pascal's rule.
fn choose(n: usize, k: usize) -> f64 {
    let mut row = vec![1.0];
    for _ in 0..n {
        let inner: Vec<f64> = row.windows(2).map(|pair| pair[0] + pair[1]).collect();
        row = [vec![1.0], inner, vec![1.0]].concat();
    }
    row.get(k).copied().unwrap_or(0.0)
}
