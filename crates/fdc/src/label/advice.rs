//! Whether to stop: has the ranking settled, what was spent, what would more answers bring.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use fdc_core::coverage::TestId;
use fdc_core::ranking::Ranking;
use fdc_core::{Outcome, Selection, Tally, Verdict};
use fdc_draw::text::counted;
use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::Serialize;

use crate::label::outlook::TOP;
use crate::label::session::Session;
use crate::label::state::SessionState;
use crate::rank::percent;

/// Answers looked ahead.
const AHEAD: usize = 10;
/// Draws of the answers with replacement.
const DRAWS: usize = 200;
/// Fewer answers say nothing about how settled they are.
const FEW: usize = 5;
/// Share of the draws that must agree.
const AGREEMENT: f64 = 0.95;
/// Answers that are expected to tell less than this, in bits, are not worth asking for: of sessions
/// on past bugs that end there, hardly any would have gained from ten more answers (docs/ranking.md).
pub const TELLING: f64 = 0.05;
/// Different candidates looked at in full; where there are more, only the draws decide.
const CANDIDATES: usize = 512;

/// What a person should know before answering more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Why to stop, if there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Verdicts and statements so far.
    pub answers: usize,
    /// Tests that nobody could judge.
    pub skipped: usize,
    /// Share of the draws of the answers whose first five methods are those of all answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// What more would bring, where a formula ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Ahead>,
    /// What is expected, where the learned distribution ranks.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
}

/// What the learned distribution expects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// What the most telling outcome is expected to tell of where the fault is, in bits.
    pub bits: f64,
    /// The probability that a fault is in one of the first five methods.
    pub within_first_five: f64,
}

/// Why it is time to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// There is no test to ask for.
    NothingLeft,
    /// No single further answer, whatever it is, changes the first five methods or their places.
    TopCannotChange,
    /// The first five methods do not depend on a few of the answers.
    Settled,
    /// No further answer is expected to tell much of where the fault is.
    LittleToLearn,
}

/// The state after further answers, if all of those tests pass: most do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ahead {
    /// How many were looked ahead.
    pub answers: usize,
    /// Methods that share the highest score now.
    pub tied: usize,
    /// The same then.
    pub tied_then: usize,
    /// Groups among the suspects now.
    pub groups: usize,
    /// The same then.
    pub groups_then: usize,
}

impl Advice {
    /// For the session as it stands. Takes longer than an answer: up to 200 rankings.
    pub fn new(session: &Session) -> Self {
        let state = SessionState::new(session);
        let standing = session.standing_answers();
        let (given, skips): (Vec<_>, Vec<_>) = standing.partition(|a| a.verdict.is_some());
        let (answers, skipped) = (given.len(), skips.len());
        if let Some(located) = state.located() {
            let candidates = state.selection.candidates();
            let bits = located.best_question(candidates);
            let bits = bits.map_or(0.0, |(_, prospect)| prospect.bits);
            let little = (bits < TELLING).then_some(Stop::LittleToLearn);
            let none = candidates.is_empty().then_some(Stop::NothingLeft);
            return Advice {
                stop: none.or(little),
                answers,
                skipped,
                agreement: None,
                ahead: None,
                expected: Some(Expected {
                    bits,
                    within_first_five: located.within_first_five(),
                }),
            };
        }
        let SessionState {
            selection,
            ranking: now,
            ..
        } = state;
        let agreement = agreement(session, &selection, &now);
        let stop = if selection.candidates().is_empty() {
            Some(Stop::NothingLeft)
        } else if top_cannot_change(session, &selection, &now) {
            Some(Stop::TopCannotChange)
        } else {
            let settled = agreement.is_some_and(|share| share >= AGREEMENT);
            settled.then_some(Stop::Settled)
        };
        Advice {
            stop,
            answers,
            skipped,
            agreement,
            ahead: Some(Ahead::new(session, selection, &now)),
            expected: None,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        let mut given = counted(self.answers as u64, "answer");
        if self.skipped > 0 {
            given += &format!(" and {}", counted(self.skipped as u64, "skipped test"));
        }
        match self.stop {
            Some(Stop::NothingLeft) => format!("No test is left to ask about, after {given}."),
            Some(Stop::TopCannotChange) => format!(
                "You can stop: after {given}, no single further one changes the first {TOP} methods."
            ),
            Some(Stop::Settled) => format!(
                "You can stop: after {given}, the first {TOP} methods stay the same in {:.0} % of the draws.",
                100.0 * self.agreement.unwrap_or_default()
            ),
            Some(Stop::LittleToLearn) => format!(
                "You can stop: after {given}, no further one is expected to tell much of where the fault is.{}",
                self.in_first_five()
            ),
            None => {
                let Some(ahead) = &self.ahead else {
                    let bits = self.expected.map_or(0.0, |expected| expected.bits);
                    let five = self.in_first_five();
                    return format!(
                        "{given} so far. The next is expected to tell {bits:.2} bits of where the fault is.{five}"
                    );
                };
                let Ahead {
                    answers,
                    tied,
                    groups,
                    ..
                } = ahead;
                let methods_then = counted(ahead.tied_then as u64, "method");
                let groups_then = counted(ahead.groups_then as u64, "group");
                format!(
                    "{given} so far. {answers} more that pass: {methods_then} at the top instead of {tied}, {groups_then} instead of {groups}."
                )
            }
        }
    }
}

impl Advice {
    fn in_first_five(&self) -> String {
        let words = |expected: Expected| {
            let probability = percent(expected.within_first_five);
            format!(" It is in the first {TOP} methods with {probability}.")
        };
        self.expected.map_or_else(String::new, words)
    }
}

impl Ahead {
    fn new(session: &Session, mut selection: Selection<'_>, now: &Ranking) -> Self {
        let groups = selection.suite().suspicious_groups();
        let mut answers = 0;
        let passes = |_: &Selection<'_>, _| Some(Verdict::certain(Outcome::Pass));
        selection.pick(session.metric(), AHEAD, passes, |_, _, _| {
            answers += 1;
            ControlFlow::Continue(())
        });
        Ahead {
            answers,
            tied: now.tied_at_top(),
            tied_then: session
                .ranker()
                .ranking(selection.tally(), &session.spectrum().coverage)
                .tied_at_top(),
            groups,
            groups_then: selection.suite().suspicious_groups(),
        }
    }
}

/// The first five methods with their places; where the fifth is tied, all of its tie.
fn top(ranking: &Ranking) -> impl Iterator<Item = (u32, f64)> {
    let last = ranking.places.get(TOP - 1).or(ranking.places.last());
    let least = last.map_or(f64::INFINITY, |place| place.score);
    let first = ranking.places.iter();
    first
        .take_while(move |place| place.score >= least)
        .map(|place| (place.unit, place.rank))
}

/// The first five methods whatever their order.
fn top_methods(ranking: &Ranking) -> BTreeSet<u32> {
    top(ranking).map(|(method, _)| method).collect()
}

fn top_cannot_change(session: &Session, selection: &Selection<'_>, now: &Ranking) -> bool {
    let coverage = &session.spectrum().coverage;
    let mut seen = BTreeSet::new();
    let mut different = selection.candidates().to_vec();
    different.retain(|&test| seen.insert(coverage.row_identity(test)));
    let (ranker, trust) = (session.ranker(), session.options().trust);
    let changes = |&test: &TestId| {
        [Outcome::Pass, Outcome::Fail].into_iter().any(|outcome| {
            let mut tally = selection.tally().clone();
            tally.add(coverage, test, Verdict { outcome, trust });
            !top(&ranker.ranking(&tally, coverage)).eq(top(now))
        })
    };
    different.len() <= CANDIDATES && !different.par_iter().any(changes)
}

/// Draws the answers anew, with replacement (Efron 1979, Bootstrap methods), and counts how often
/// the same methods come first. `None` for too few answers.
fn agreement(session: &Session, selection: &Selection<'_>, now: &Ranking) -> Option<f64> {
    let spectrum = session.spectrum();
    let coverage = &spectrum.coverage;
    let answered = |&&test: &&TestId| spectrum.test(test).label.is_some();
    let tests = selection.suite().tests();
    let answers: Vec<TestId> = tests.iter().filter(answered).copied().collect();
    if answers.len() < FEW {
        return None;
    }
    let mut base = Tally::new(coverage);
    let fails = Verdict::certain(Outcome::Fail);
    let others = tests.iter().filter(|test| !answered(test));
    base.add_all(
        coverage,
        others.filter_map(|&test| {
            let failing = (test == session.failing()).then_some(fails);
            Some((test, spectrum.test(test).verdict().or(failing)?))
        }),
    );
    let (ranker, now) = (session.ranker(), top_methods(now));
    let same = |draw: &usize| {
        let mut random = Pcg64::seed_from_u64(*draw as u64);
        let mut tally = base.clone();
        for _ in 0..answers.len() {
            let place = (u128::from(random.next_u64()) * answers.len() as u128) >> 64;
            let test = answers[place as usize];
            if let Some(label) = spectrum.test(test).label {
                tally.add(coverage, test, label);
            }
        }
        top_methods(&ranker.ranking(&tally, coverage)) == now
    };
    let agreeing = (0..DRAWS).into_par_iter().filter(same).count();
    Some(agreeing as f64 / DRAWS as f64)
}
