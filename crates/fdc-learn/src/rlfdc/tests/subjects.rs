//! Spectra made for tests.

use fdc_core::Spectrum;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Bug, Fault, MethodId, Outcome, ProgramBuilder, Test};
use proptest::prelude::*;

/// Tests as (outcome, covered elements).
pub(crate) type Tests = Vec<(Option<Outcome>, Vec<u32>)>;

/// Elements in methods of two lines each; `faults` are faulty methods.
pub(crate) fn spectrum(elements: u32, tests: &Tests, faults: &[u32]) -> Spectrum {
    let mut program = ProgramBuilder::default();
    for element in 0..elements {
        let method = program.method(&format!("m{}", element / 2), || "file".into());
        program.element(method, element, None);
    }
    program.method("without lines", || "file".into());
    let mut rows = Rows::new(elements);
    for (_, row) in tests {
        rows.push_columns(row.iter().copied()).unwrap();
    }
    let test = |(number, (outcome, _)): (usize, &(Option<Outcome>, _))| Test {
        name: format!("t{number}"),
        outcome: *outcome,
        ..Test::default()
    };
    let tests = tests.iter().enumerate().map(test).collect();
    let fault = Fault {
        methods: faults.iter().copied().map(MethodId).collect(),
        elements: vec![],
        is_mutant: false,
    };
    Spectrum::new(None, program.finish(), tests, rows, Some(fault)).unwrap()
}

/// A bug with so many tests, the first of which fails; bugs of different numbers differ.
pub(crate) fn numbered(number: u32, tests: usize) -> Spectrum {
    let elements = 24;
    let row = |test: u32| -> Vec<u32> {
        let covers = |element: &u32| {
            test == 0 && element % 6 != 5
                || (element + 3 * test + number).wrapping_mul(0x9E37_79B9) >> 30 == 0
        };
        (0..elements).filter(covers).collect()
    };
    let outcome = |test| {
        if test == 0 {
            Outcome::Fail
        } else {
            Outcome::Pass
        }
    };
    let tests = (0..tests as u32).map(|test| (Some(outcome(test)), row(test)));
    spectrum(elements, &tests.collect(), &[number % 9])
}

pub(crate) fn bug(version: u32) -> Bug {
    Bug {
        subject: "made".into(),
        version,
    }
}

/// Bugs that can be learned from: the first test fails and covers something, others are anything.
pub(crate) fn any_usable() -> impl Strategy<Value = Spectrum> {
    let outcome = prop_oneof![
        6 => Just(Some(Outcome::Pass)),
        1 => Just(Some(Outcome::Fail)),
        1 => Just(None),
    ];
    let row = |least| prop::collection::btree_set(0u32..20, least..20);
    let others = prop::collection::vec((outcome, row(0)), 1..25);
    let faults = prop::collection::btree_set(0u32..10, 1..4);
    (row(1), others, faults).prop_map(|(first, others, faults)| {
        let first = (Some(Outcome::Fail), first.into_iter().collect());
        let others = others
            .into_iter()
            .map(|(outcome, row)| (outcome, row.into_iter().collect()));
        let tests = std::iter::once(first).chain(others).collect();
        spectrum(20, &tests, &faults.into_iter().collect::<Vec<_>>())
    })
}
