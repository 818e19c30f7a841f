//! Answers that do not fit together. Nobody is right by default: they are shown, and a person may
//! take one back.

use std::collections::HashMap;

use fdc_core::coverage::TestId;
use fdc_core::spectrum::VIRTUAL;
use fdc_core::{Outcome, Spectrum};
use fdc_draw::text::printable_name;

use crate::label::session::Session;

/// One sentence per contradiction, in a fixed order.
pub fn doubts(session: &Session) -> Vec<String> {
    let mut found = changed_minds(session);
    found.extend(twins(session.spectrum()));
    found.extend(nobody_left(session));
    found
}

/// The last verdict on a test or a part of the program contradicts an earlier one, or the measured
/// outcome.
fn changed_minds(session: &Session) -> Vec<String> {
    let mut last: HashMap<(bool, &str), (Outcome, &str)> = HashMap::new();
    let mut found = Vec::new();
    for answer in session.standing_answers() {
        let Some(verdict) = answer.verdict else {
            continue;
        };
        let about = answer.topic.as_ref().unwrap_or(&answer.subject);
        let name = printable_name(about);
        let who = printable_name(&answer.who);
        let about = (answer.test.is_some(), &**about);
        let earlier = last.insert(about, (verdict.outcome, &answer.who));
        if let Some((before, by)) = earlier.filter(|(before, _)| *before != verdict.outcome) {
            let by = printable_name(by);
            let (before, now) = (before.name(), verdict.outcome.name());
            found.push(format!(
                "{name}: {by} said {before}, then {who} said {now}; the last counts"
            ));
        }
        let test = answer.test.map(|test| session.spectrum().test(test));
        let measured = test.and_then(|test| test.outcome);
        if let Some(measured) = measured.filter(|&measured| measured != verdict.outcome) {
            let (said, ran) = (verdict.outcome.name(), measured.name());
            found.push(format!(
                "{name}: {who} said {said}, it was measured to {ran}; the answer counts"
            ));
        }
    }
    found
}

/// Two judged tests run the same lines and end differently: one coverage, two verdicts.
fn twins(spectrum: &Spectrum) -> Vec<String> {
    let mut first: HashMap<u32, TestId> = HashMap::new();
    let mut found = Vec::new();
    for test in spectrum.coverage.tests() {
        let judged = spectrum.test(test);
        let said = judged.label.map(|label| label.outcome);
        if said.is_none() || judged.origin.as_deref() == Some(VIRTUAL) {
            continue;
        }
        let row = spectrum.coverage.row_identity(test);
        let other = spectrum.test(*first.entry(row).or_insert(test));
        if other.label.map(|label| label.outcome) != said {
            let [other, name] = [other, judged].map(|test| printable_name(&test.name));
            found.push(format!(
                "{other} and {name} run the same lines, one is said to pass and the other to fail"
            ));
        }
    }
    found
}

/// Every method that the failing test runs was said to be fine.
fn nobody_left(session: &Session) -> Option<String> {
    let spectrum = session.spectrum();
    let coverage = &spectrum.coverage;
    let is_fine = |test: TestId| {
        let test = spectrum.test(test);
        test.origin.as_deref() == Some(VIRTUAL)
            && test.verdict().is_some_and(|v| v.outcome == Outcome::Pass)
    };
    let mut fine = vec![false; spectrum.program.elements.len()];
    for test in coverage.tests().filter(|&test| is_fine(test)) {
        for element in coverage.elements(test) {
            fine[element as usize] = true;
        }
    }
    let suspects = coverage.elements(session.failing());
    let all = !suspects.is_empty() && suspects.iter().all(|&element| fine[element as usize]);
    all.then(|| {
        format!(
            "everything that {} runs was said to be fine, and it fails",
            printable_name(&spectrum.test(session.failing()).name)
        )
    })
}
