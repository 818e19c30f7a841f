//! Everything a person looks at, as data: drawn in the terminal and on the page, written as JSON in
//! the line protocol. Names are as the case has them; whoever draws them escapes them.

use std::collections::BTreeMap;

use fdc_case::answers::AnswerId;
use fdc_core::Outcome;
use fdc_core::coverage::TestId;
use fdc_core::ranking::Place;
use fdc_core::spectrum::MethodId;
use fdc_learn::sharp::Localisation;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::failed_test::FailedTest;
use crate::label::doubts::doubts;
use crate::label::outlook::Answered;
use crate::label::reason::Reason;
use crate::label::runs::RunsView;
use crate::label::session::Session;
use crate::label::state::SessionState;
use crate::label::statement::Statement;
use crate::rank::Suspect;

/// Failing tests of which every state tells how they failed.
const TOLD_FAILURES: usize = 20;

/// The state of a session.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct View {
    /// Of this document.
    pub schema: u32,
    /// The failing test.
    pub failing: String,
    /// The other failing tests that everything starts from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_failing: Vec<String>,
    /// How the first of them failed, as far as it is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedTest>,
    /// What tests are chosen by.
    pub metric: String,
    /// How far answers are believed.
    pub trust: f64,
    /// Ranked methods in all.
    pub methods: usize,
    /// Methods that share the highest score.
    pub tied: usize,
    /// Groups of suspects that no answer tells apart.
    pub groups: usize,
    /// The probability that a fault is in one of the first five methods, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_first_five: Option<f64>,
    /// The first places; their lines are those that a failing test runs.
    pub suspects: Vec<Suspect>,
    /// What to look at next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Question>,
    /// Tests that may be asked for.
    pub left: usize,
    /// Every answer, in order.
    pub answers: Vec<AnswerView>,
    /// Answers that do not fit together.
    pub doubts: Vec<String>,
    /// What is run instead of asked for, if anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<RunsView>,
}

/// A test to look at, and what its answers would do.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Question {
    /// The test.
    pub test: String,
    /// Its value under the metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Why it.
    pub reason: Reason,
    /// What it runs of the first suspects.
    pub covers: Vec<Covered>,
    /// If it passes.
    pub if_passes: Answered,
    /// If it fails.
    pub if_fails: Answered,
    /// By its number.
    #[serde(skip)]
    pub id: TestId,
}

/// What a test runs of a suspect.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Covered {
    /// The method.
    pub method: String,
    /// Its place.
    pub rank: f64,
    /// Lines of it that the test runs.
    pub lines: Vec<u32>,
    /// Lines of it.
    pub of: usize,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct AnswerView {
    /// To undo it with: `label 3`.
    pub id: String,
    /// The test, or the statement.
    pub subject: String,
    /// `pass`, `fail` or `skip`.
    pub verdict: &'static str,
    /// How far it is believed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<f64>,
    /// Who said it.
    pub who: String,
    /// When.
    pub at: String,
    /// Whether it was taken back.
    pub undone: bool,
}

impl View {
    /// The session as it stands, with so many suspects.
    pub fn new(session: &Session, suspects: usize) -> Self {
        let spectrum = session.spectrum();
        let state = SessionState::new(session);
        let SessionState {
            selection, ranking, ..
        } = &state;
        let lines = lines_by_method(session, session.all_failing());
        let first = ranking.places.iter().take(suspects);
        let name = |&test: &TestId| spectrum.test(test).name.clone();
        let next = Question::next(session, &state, suspects);
        session.ask_about(next.as_ref().map(|next| &*next.test));
        let mut failures = session.failures();
        failures.truncate(TOLD_FAILURES);
        failures.retain(FailedTest::is_known);
        View {
            schema: 2,
            failing: name(&session.failing()),
            also_failing: session.all_failing()[1..].iter().map(name).collect(),
            failures,
            metric: session.metric().label.clone(),
            trust: session.options().trust,
            methods: ranking.places.len(),
            tied: ranking.tied_at_top(),
            groups: selection.suite().suspicious_groups(),
            within_first_five: state.located().map(Localisation::within_first_five),
            suspects: first
                .map(|place| suspect(session, &state, place, &lines))
                .collect(),
            next,
            left: selection.candidates().len(),
            answers: answers(session),
            doubts: doubts(session),
            runs: session.runs(),
        }
    }
}

/// A method of the ranking, by its name; none if there is none.
pub fn suspect_named(session: &Session, method: &str) -> Option<Suspect> {
    let spectrum = session.spectrum();
    let state = SessionState::new(session);
    let named = |place: &&Place| spectrum.method_name(MethodId(place.unit)) == method;
    let place = state.ranking.places.iter().find(named)?;
    let lines = lines_by_method(session, session.all_failing());
    Some(suspect(session, &state, place, &lines))
}

type LinesByMethod = BTreeMap<MethodId, Vec<u32>>;

fn suspect(
    session: &Session,
    state: &SessionState<'_>,
    place: &Place,
    lines: &LinesByMethod,
) -> Suspect {
    let (spectrum, located) = (state.spectrum(), state.located());
    let method = &spectrum.program.methods[place.unit as usize];
    let lines = lines.get(&MethodId(place.unit));
    Suspect {
        unit: place.unit,
        name: method.name.clone(),
        rank: place.rank,
        score: place.score,
        file: spectrum.program.files[method.file as usize].clone(),
        method: Some(method.name.clone()),
        lines: lines.cloned().unwrap_or_default(),
        probability: located.map(|located| located.probability(place.score)),
        reasons: located.map_or_else(Vec::new, |located| located.reasons(place.unit)),
        fine: session.says(Statement::Fine(MethodId(place.unit))),
        ..Suspect::default()
    }
}

/// As the view's document has it; no score where it is infinite, for which JSON has no number.
impl Serialize for Suspect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", &self.name)?;
        map.serialize_entry("file", &self.file)?;
        map.serialize_entry("rank", &self.rank)?;
        if let Some(score) = finite(self.score) {
            map.serialize_entry("score", &score)?;
        }
        if let Some(probability) = self.probability {
            map.serialize_entry("probability", &probability)?;
            map.serialize_entry("why", &self.reasons)?;
        }
        map.serialize_entry("lines", &self.lines)?;
        if self.fine {
            map.serialize_entry("fine", &true)?;
        }
        map.end()
    }
}

impl Question {
    fn next(session: &Session, state: &SessionState<'_>, suspects: usize) -> Option<Self> {
        let (pick, prospect) = state.next()?;
        let test = pick.test;
        let ranking = &state.ranking;
        let lines = lines_by_method(session, &[test]);
        let shown = ranking.places.iter().take(suspects);
        let spectrum = session.spectrum();
        let covers = shown.filter_map(|place| {
            let lines = lines.get(&MethodId(place.unit))?.clone();
            let elements = &spectrum.program.elements;
            Some(Covered {
                method: spectrum.method_name(MethodId(place.unit)).to_owned(),
                rank: place.rank,
                of: elements.iter().filter(|e| e.method.0 == place.unit).count(),
                lines,
            })
        });
        let answered =
            |outcome: Outcome| Answered::new(spectrum, ranking, &state.ranking_if(test, outcome));
        let suite = state.selection.suite();
        Some(Question {
            test: spectrum.test(test).name.clone(),
            score: finite(pick.score),
            reason: Reason::new(session.metric(), suite, test, prospect),
            covers: covers.collect(),
            if_passes: answered(Outcome::Pass),
            if_fails: answered(Outcome::Fail),
            id: test,
        })
    }
}

fn answers(session: &Session) -> Vec<AnswerView> {
    let view = |answer: &fdc_case::answers::Answer| AnswerView {
        id: spell(answer.id),
        subject: answer.subject.clone(),
        verdict: answer.verdict.map_or("skip", |v| v.outcome.name()),
        trust: answer.verdict.map(|verdict| verdict.trust),
        who: answer.who.clone(),
        at: answer.at.clone(),
        undone: answer.undone,
    };
    session.answers().iter().map(view).collect()
}

/// An answer's number as text.
pub fn spell(id: AnswerId) -> String {
    match id {
        AnswerId::Label(id) => format!("label {id}"),
        AnswerId::Virtual(id) => format!("virtual {id}"),
        AnswerId::Skip(id) => format!("skip {id}"),
    }
}

/// The number that [`spell`] wrote.
pub fn parse_answer(text: &str) -> Option<AnswerId> {
    let (kind, id) = text.split_once(' ')?;
    let id = id.parse().ok()?;
    match kind {
        "label" => Some(AnswerId::Label(id)),
        "virtual" => Some(AnswerId::Virtual(id)),
        "skip" => Some(AnswerId::Skip(id)),
        _ => None,
    }
}

/// Lines that any of the tests runs.
fn lines_by_method(session: &Session, tests: &[TestId]) -> LinesByMethod {
    let spectrum = session.spectrum();
    let coverage = &spectrum.coverage;
    let mut run: Vec<u32> = tests
        .iter()
        .flat_map(|&test| coverage.elements(test))
        .collect();
    run.sort_unstable();
    run.dedup();
    let mut lines = LinesByMethod::new();
    for element in run {
        let element = spectrum.program.elements[element as usize];
        lines.entry(element.method).or_default().push(element.line);
    }
    lines
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
