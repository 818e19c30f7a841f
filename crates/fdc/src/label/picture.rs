//! The suspicious part of the program as data for a picture: every method that the failing test
//! runs, and which of them the answers so far cannot tell apart.

use std::collections::BTreeMap;

use fdc_core::Selection;
use fdc_core::ranking::Ranking;
use serde::Serialize;

use crate::label::session::Session;
use crate::label::state::SessionState;

/// Every method that the failing test runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Picture {
    /// The most suspicious first.
    pub methods: Vec<MethodPart>,
    /// Groups of suspicious lines that no answer tells apart.
    pub groups: usize,
    /// From the suite's own labels of groups to the numbers used here.
    #[serde(skip)]
    pub numbers: BTreeMap<u32, u32>,
}

/// A method, as far as the failing test runs it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodPart {
    /// Its name.
    pub method: String,
    /// Its file.
    pub file: String,
    /// Its place.
    pub rank: f64,
    /// Its suspiciousness; left out of the document where it is infinite, for which JSON has no
    /// number.
    #[serde(skip_serializing_if = "is_infinite")]
    pub score: f64,
    /// How many of its lines the failing test runs.
    pub lines: usize,
    /// The groups these lines are in, ascending. Groups are numbered from 1 in the order of the
    /// ranking: the first method's first.
    pub groups: Vec<u32>,
    /// By its number.
    #[serde(skip)]
    pub unit: u32,
}

impl Picture {
    /// The session as it stands.
    pub fn new(session: &Session) -> Self {
        let state = SessionState::new(session);
        Self::of(session, &state.selection, &state.ranking)
    }

    /// The same, where the selection and the ranking of its counts are at hand.
    pub fn of(session: &Session, selection: &Selection<'_>, ranking: &Ranking) -> Self {
        let spectrum = session.spectrum();
        let (program, coverage) = (&spectrum.program, &spectrum.coverage);
        let labels = selection.suite().groups().labels();
        // Per method, the group of each line that the failing test runs, in order of the lines.
        let mut run: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for element in coverage.elements(session.failing()) {
            let method = program.elements[element as usize].method.0;
            let column = coverage.column_of(element as usize);
            run.entry(method).or_default().push(labels[column as usize]);
        }
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut methods = Vec::with_capacity(run.len());
        for place in &ranking.places {
            let Some(of_lines) = run.get(&place.unit) else {
                continue;
            };
            let mut groups = Vec::new();
            for &label in of_lines {
                let next = numbers.len() as u32 + 1;
                groups.push(*numbers.entry(label).or_insert(next));
            }
            groups.sort_unstable();
            groups.dedup();
            let method = &program.methods[place.unit as usize];
            methods.push(MethodPart {
                method: method.name.clone(),
                file: program.files[method.file as usize].clone(),
                rank: place.rank,
                score: place.score,
                lines: of_lines.len(),
                groups,
                unit: place.unit,
            });
        }
        Picture {
            methods,
            groups: numbers.len(),
            numbers,
        }
    }
}

fn is_infinite(score: &f64) -> bool {
    !score.is_finite()
}
