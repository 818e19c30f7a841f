//! What a person can say beside the outcome of a test. Each statement is a virtual test (Li, Zhu,
//! Orso 2018, Enlightened debugging): a row over the elements it is about, that passes or fails.
//!
//! | statement | covers | outcome |
//! |---|---|---|
//! | the call of a method in a test behaved rightly, wrongly | the method's lines that the test runs | pass, fail |
//! | a method is fine | the method's lines | pass |
//! | the fault is near here: in a file | the lines of the file's methods | fail |

use fdc_core::coverage::TestId;
use fdc_core::spectrum::MethodId;
use fdc_core::{Outcome, Spectrum};

/// A statement about a part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// How a method behaved when a test called it.
    Call {
        /// In which test.
        test: TestId,
        /// Which method.
        method: MethodId,
        /// Whether it did what it should.
        right: bool,
    },
    /// A method has no fault.
    Fine(MethodId),
    /// The fault is in this file, by its number.
    Near(u32),
}

impl Statement {
    /// Its kind, as it is stored.
    pub fn kind(self) -> &'static str {
        match self {
            Statement::Call { .. } => "call",
            Statement::Fine(_) => "method",
            Statement::Near(_) => "near",
        }
    }

    /// How the virtual test ends.
    pub fn outcome(self) -> Outcome {
        match self {
            Statement::Call { right: true, .. } | Statement::Fine(_) => Outcome::Pass,
            Statement::Call { right: false, .. } | Statement::Near(_) => Outcome::Fail,
        }
    }

    /// In words.
    pub fn words(self, spectrum: &Spectrum) -> String {
        match self {
            Statement::Call {
                test,
                method,
                right,
            } => {
                let (method, test) = (spectrum.method_name(method), &spectrum.test(test).name);
                let how = if right { "rightly" } else { "wrongly" };
                format!("{method} behaved {how} in {test}")
            }
            Statement::Fine(method) => format!("{} is fine", spectrum.method_name(method)),
            Statement::Near(file) => {
                format!("the fault is in {}", spectrum.program.files[file as usize])
            }
        }
    }

    /// What it is about, whatever it says of it.
    pub fn topic(self, spectrum: &Spectrum) -> String {
        match self {
            Statement::Call { test, method, .. } => {
                let (method, test) = (spectrum.method_name(method), &spectrum.test(test).name);
                format!("{method} in {test}")
            }
            Statement::Fine(_) | Statement::Near(_) => self.words(spectrum),
        }
    }

    /// The elements it is about, ascending.
    pub fn elements(self, spectrum: &Spectrum) -> Vec<u32> {
        let program = &spectrum.program;
        let of_method = |wanted: MethodId| {
            move |&element: &u32| program.elements[element as usize].method == wanted
        };
        let all = 0..program.elements.len() as u32;
        match self {
            Statement::Call { test, method, .. } => {
                let run = spectrum.coverage.elements(test).into_iter();
                run.filter(of_method(method)).collect()
            }
            Statement::Fine(method) => all.filter(of_method(method)).collect(),
            Statement::Near(file) => all
                .filter(|&element| {
                    let method = program.elements[element as usize].method;
                    program.methods[method.index()].file == file
                })
                .collect(),
        }
    }
}
