//! Random spectra with the structure that real ones have, and the odd corners that they may have.

use fdc_core::coverage::TestId;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Element, Fault, Method, MethodId, Outcome, Program, Spectrum, Test};
use fdc_core::tally::Verdict;
use proptest::prelude::*;

/// A spectrum as plain tables.
#[derive(Clone)]
pub(crate) struct Case {
    /// `covers[test][element]`.
    pub covers: Vec<Vec<bool>>,
    pub outcomes: Vec<Option<Outcome>>,
    /// How far each test's outcome is believed when it is not taken as certain.
    pub trust: Vec<f64>,
    pub method_of: Vec<u32>,
    pub file_of: Vec<u32>,
    pub faulty_methods: Vec<u32>,
    pub faulty_elements: Vec<u32>,
}

/// How far outcomes are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belief {
    Certain,
    /// Every outcome of the case with its own trust.
    Doubtful,
}

impl Case {
    pub(crate) fn elements(&self) -> usize {
        self.method_of.len()
    }

    pub(crate) fn verdict(&self, test: usize, belief: Belief) -> Option<Verdict> {
        let trust = match belief {
            Belief::Certain => 1.0,
            Belief::Doubtful => self.trust[test],
        };
        self.outcomes[test].map(|outcome| Verdict { outcome, trust })
    }

    pub(crate) fn failing(&self) -> Vec<usize> {
        let fails = |&test: &usize| self.outcomes[test] == Some(Outcome::Fail);
        (0..self.covers.len()).filter(fails).collect()
    }

    pub(crate) fn spectrum(&self) -> Spectrum {
        let mut rows = Rows::new(self.elements() as u32);
        for row in &self.covers {
            let covered = (0..self.elements() as u32).filter(|&e| row[e as usize]);
            rows.push_columns(covered).expect("columns ascend");
        }
        let file = |number: u32| format!("file{number}");
        let method = |(number, &file): (usize, &u32)| Method {
            name: format!("m{number}"),
            file,
        };
        let program = Program {
            files: (0..=self.file_of.iter().copied().max().unwrap_or(0))
                .map(file)
                .collect(),
            methods: self.file_of.iter().enumerate().map(method).collect(),
            elements: (self.method_of.iter().zip(1..))
                .map(|(&method, line)| Element {
                    method: MethodId(method),
                    line,
                })
                .collect(),
            labels: vec![],
        };
        let test = |(number, &outcome): (usize, &Option<Outcome>)| Test {
            name: format!("t{number}"),
            outcome,
            ..Test::default()
        };
        let tests = self.outcomes.iter().enumerate().map(test).collect();
        let fault = Fault {
            methods: self.faulty_methods.iter().copied().map(MethodId).collect(),
            elements: self.faulty_elements.clone(),
            is_mutant: false,
        };
        Spectrum::new(None, program, tests, rows, Some(fault)).expect("a consistent spectrum")
    }
}

/// A line a test, so that a failure can be read.
impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for ((row, outcome), trust) in self.covers.iter().zip(&self.outcomes).zip(&self.trust) {
            let bits: String = row.iter().map(|&bit| if bit { '1' } else { '0' }).collect();
            writeln!(f, "{bits} {outcome:?} {trust}")?;
        }
        writeln!(f, "methods {:?} files {:?}", self.method_of, self.file_of)?;
        writeln!(
            f,
            "faulty {:?} {:?}",
            self.faulty_methods, self.faulty_elements
        )
    }
}

pub(crate) fn id(test: usize) -> TestId {
    TestId(test as u32)
}

#[derive(Clone, Debug)]
enum RowKind {
    AsDrawn,
    Empty,
    Full,
    CopyOf(prop::sample::Index),
}

/// Up to 40 tests x 60 elements, at least one test failing.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let tests = prop_oneof![1 => Just(1usize), 12 => 2..=40usize];
    let elements = prop_oneof![1 => Just(1usize), 12 => 2..=60usize];
    (tests, elements, 0.05..0.95f64).prop_flat_map(|(m, n, density)| {
        use prop::collection::vec;
        let column = prop_oneof![
            1 => Just(vec![false; m]),
            12 => vec(prop::bool::weighted(density), m),
        ];
        let kind = prop_oneof![
            8 => Just(RowKind::AsDrawn),
            1 => Just(RowKind::Empty),
            1 => Just(RowKind::Full),
            2 => any::<prop::sample::Index>().prop_map(RowKind::CopyOf),
        ];
        let outcome = prop_oneof![
            4 => Just(Some(Outcome::Pass)),
            1 => Just(Some(Outcome::Fail)),
            1 => Just(None),
        ];
        let trust = prop_oneof![1 => Just(1.0), 3 => Just(0.9), 1 => Just(0.75)];
        // Elements draw from a pool of columns: many share one.
        let drawn = (
            vec(column, 1..=n.max(1)),
            vec(any::<prop::sample::Index>(), n),
            vec(kind, m),
        );
        let judged = (vec(outcome, m), any::<prop::sample::Index>(), vec(trust, m));
        let named = (
            vec(0..8u32, n),
            vec(0..4u32, 8),
            prop::sample::subsequence((0..8u32).collect::<Vec<_>>(), 0..4),
            prop::sample::subsequence((0..n as u32).collect::<Vec<_>>(), 0..=n.min(3)),
        );
        (drawn, judged, named).prop_map(move |(drawn, (mut outcomes, fails, trust), named)| {
            let (method_of, file_of, faulty_methods, faulty_elements) = named;
            outcomes[fails.index(m)] = Some(Outcome::Fail);
            let covers = matrix(drawn, m);
            Case {
                covers,
                outcomes,
                trust,
                method_of,
                file_of,
                faulty_methods,
                faulty_elements,
            }
        })
    })
}

type Drawn = (Vec<Vec<bool>>, Vec<prop::sample::Index>, Vec<RowKind>);

fn matrix((pool, picks, kinds): Drawn, m: usize) -> Vec<Vec<bool>> {
    let columns: Vec<&Vec<bool>> = picks.iter().map(|pick| pick.get(&pool)).collect();
    let mut covers: Vec<Vec<bool>> = (0..m)
        .map(|test| columns.iter().map(|column| column[test]).collect())
        .collect();
    for (test, kind) in kinds.iter().enumerate() {
        match kind {
            RowKind::AsDrawn => {}
            RowKind::Empty => covers[test].fill(false),
            RowKind::Full => covers[test].fill(true),
            RowKind::CopyOf(other) => covers[test] = covers[other.index(m)].clone(),
        }
    }
    covers
}
