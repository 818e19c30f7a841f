//! What mutants showed before a failure: which tests notice it if a method is changed.

use std::collections::HashMap;
use std::sync::Arc;

use crate::coverage::TestId;
use crate::evidence::FailureRecord;
use crate::spectrum::{Bug, Element, Fault, MethodId, Outcome, Spectrum};

/// A mutant whose tests were all run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantRecord {
    /// The method that was changed.
    pub method: MethodId,
    /// On which line.
    pub line: u32,
    /// The tests that failed with it, ascending, and how; empty if none noticed.
    pub kills: Vec<(TestId, FailureRecord)>,
}

impl Spectrum {
    /// The program with the mutant of that number as its fault: the tests that noticed it fail, and
    /// the others pass. Coverage is the original's; what tests run otherwise because of the change was
    /// not measured.
    pub fn with_mutant(&self, number: usize, subject: &str) -> Spectrum {
        let mutant = &self.mutants[number];
        let mut tests = self.tests.clone();
        for test in &mut tests {
            test.label = None;
            test.failure = None;
            // One that fails anyway says nothing.
            test.outcome = test.outcome.filter(|own| *own == Outcome::Pass);
        }
        for (test, failure) in &mutant.kills {
            tests[test.index()].outcome = Some(Outcome::Fail);
            tests[test.index()].failure = Some(failure.clone());
        }
        let place = Element {
            method: mutant.method,
            line: mutant.line,
        };
        let elements = self.program.elements.iter();
        let element = elements.zip(0..).find(|(element, _)| **element == place);
        Spectrum {
            bug: Some(Bug {
                subject: subject.to_owned(),
                version: number as u32 + 1,
            }),
            program: Arc::clone(&self.program),
            tests,
            coverage: Arc::clone(&self.coverage),
            fault: Some(Fault {
                methods: vec![mutant.method],
                elements: element.map(|(_, number)| number).into_iter().collect(),
                is_mutant: true,
            }),
            history: self.history.clone(),
            changed: None,
            mutants: Arc::clone(&self.mutants),
        }
    }

    /// The mutants that tell something of this version, by number: if it is a mutant itself, those on its own
    /// line are left out, since no real fault has its like among the mutants.
    pub fn telling_mutants(&self) -> impl Iterator<Item = (usize, &MutantRecord)> {
        let fault = self.fault.as_ref().filter(|fault| fault.is_mutant);
        let lines = fault.iter().flat_map(|fault| &fault.elements);
        let lines = lines.map(|&element| self.program.elements[element as usize]);
        let own: Vec<Element> = lines.collect();
        self.mutants.iter().enumerate().filter(move |(_, mutant)| {
            let place = Element {
                method: mutant.method,
                line: mutant.line,
            };
            !own.contains(&place)
        })
    }

    /// Methods and tests by name, to join what is told by names.
    pub fn by_names(&self) -> (HashMap<&str, MethodId>, HashMap<&str, TestId>) {
        let methods = self.program.methods.iter().zip(0..);
        let tests = self.tests.iter().zip(0..);
        (
            methods
                .map(|(own, number)| (&*own.name, MethodId(number)))
                .collect(),
            tests
                .map(|(own, number)| (&*own.name, TestId(number)))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;
    use crate::spectrum::{ProgramBuilder, Test};

    /// Two methods of two lines; both tests run all of them, and a third fails anyway.
    fn spectrum() -> Spectrum {
        let mut program = ProgramBuilder::default();
        for name in ["f", "g"] {
            let method = program.method(name, || "file".into());
            program.element(method, 1, None);
            program.element(method, 2, None);
        }
        let mut rows = Rows::new(4);
        for _ in 0..3 {
            rows.push_columns(0..4).unwrap();
        }
        let outcomes = [Outcome::Pass, Outcome::Pass, Outcome::Fail];
        let tests = outcomes.iter().enumerate().map(|(number, outcome)| Test {
            name: format!("t{number}"),
            outcome: Some(*outcome),
            ..Test::default()
        });
        let mutant = |method, line, kills: &[u32]| MutantRecord {
            method: MethodId(method),
            line,
            kills: kills
                .iter()
                .map(|&test| (TestId(test), FailureRecord::default()))
                .collect(),
        };
        let spectrum = Spectrum::new(None, program.finish(), tests.collect(), rows, None);
        Spectrum {
            mutants: [mutant(0, 1, &[1]), mutant(0, 2, &[]), mutant(1, 2, &[0, 1])].into(),
            ..spectrum.unwrap()
        }
    }

    #[test]
    fn a_mutant_is_a_fault_that_its_killers_show() {
        let bug = spectrum().with_mutant(2, "own");
        let outcomes: Vec<_> = bug.tests.iter().map(|test| test.outcome).collect();
        assert_eq!(outcomes, [Some(Outcome::Fail), Some(Outcome::Fail), None]);
        let fault = bug.fault.unwrap();
        assert_eq!(
            (fault.methods, fault.elements),
            (vec![MethodId(1)], vec![3])
        );
        assert_eq!(bug.bug.unwrap().version, 3);
    }

    #[test]
    fn mutants_of_its_own_line_say_nothing_of_a_mutant() {
        let all = spectrum();
        assert_eq!(all.telling_mutants().count(), 3);
        let lines = |number| -> Vec<(u32, u32)> {
            let bug = all.with_mutant(number, "own");
            let telling = bug.telling_mutants();
            telling.map(|(_, own)| (own.method.0, own.line)).collect()
        };
        assert_eq!(lines(0), [(0, 2), (1, 2)]);
        assert_eq!(lines(2), [(0, 1), (0, 2)]);
    }
}
