//! Everything a person looks at, as data: drawn in the terminal and on the page, written as JSON in
//! the line protocol. Names are as the case has them; whoever draws them escapes them.

use std::collections::BTreeMap;

use fdc_case::answers::AnswerId;
use fdc_core::coverage::TestId;
use fdc_core::ranking::{Place, Ranking};
use fdc_core::spectrum::MethodId;
use fdc_core::{Outcome, Selection, Spectrum, Verdict};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::label::doubts::doubts;
use crate::label::outlook::Answered;
use crate::label::reason::Reason;
use crate::label::session::Session;
use crate::rank::Suspect;

/// The state of a session.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct View {
    /// Of this document.
    pub schema: u32,
    /// The failing test.
    pub failing: String,
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
    /// The first places; their lines are those that the failing test runs.
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
        let selection = session.selection();
        let ranking = session.ranking(selection.tally());
        let lines = lines_by_method(session, session.failing());
        let first = ranking.places.iter().take(suspects);
        View {
            schema: 1,
            failing: spectrum.test(session.failing()).name.clone(),
            metric: session.metric().label.clone(),
            trust: session.options().trust,
            methods: ranking.places.len(),
            tied: ranking.tied_at_top(),
            groups: selection.suite().suspicious_groups(),
            suspects: first
                .map(|place| suspect(spectrum, place, &lines))
                .collect(),
            next: Question::next(session, &selection, &ranking, suspects),
            left: selection.candidates().len(),
            answers: answers(session),
            doubts: doubts(session),
        }
    }
}

/// A method of the ranking, by its name; none if there is none.
pub fn suspect_named(session: &Session, method: &str) -> Option<Suspect> {
    let spectrum = session.spectrum();
    let ranking = session.ranking(session.selection().tally());
    let named = |place: &&Place| spectrum.method_name(MethodId(place.unit)) == method;
    let place = ranking.places.iter().find(named)?;
    let lines = lines_by_method(session, session.failing());
    Some(suspect(spectrum, place, &lines))
}

type LinesByMethod = BTreeMap<MethodId, Vec<u32>>;

fn suspect(spectrum: &Spectrum, place: &Place, lines: &LinesByMethod) -> Suspect {
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
        map.serialize_entry("lines", &self.lines)?;
        map.end()
    }
}

impl Question {
    fn next(
        session: &Session,
        selection: &Selection<'_>,
        ranking: &Ranking,
        suspects: usize,
    ) -> Option<Self> {
        let pick = selection.best(session.metric())?;
        let test = pick.test;
        let lines = lines_by_method(session, test);
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
        let answered = |outcome: Outcome| {
            let mut tally = selection.tally().clone();
            let trust = session.options().trust;
            tally.add(&spectrum.coverage, test, Verdict { outcome, trust });
            Answered::new(spectrum, ranking, &session.ranking(&tally))
        };
        Some(Question {
            test: spectrum.test(test).name.clone(),
            score: finite(pick.score),
            reason: Reason::new(session.metric(), selection.suite(), test),
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

fn lines_by_method(session: &Session, test: TestId) -> LinesByMethod {
    let spectrum = session.spectrum();
    let mut lines = LinesByMethod::new();
    for element in spectrum.coverage.elements(test) {
        let element = spectrum.program.elements[element as usize];
        lines.entry(element.method).or_default().push(element.line);
    }
    lines
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
