//! A case being labelled. Every answer is in the case file before anything here shows it.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use fdc_case::answers::{Answer, AnswerId, VirtualTest};
use fdc_case::{Case, FileError};
use fdc_collect::Rerun;
use fdc_core::coverage::{Coverage, TestId};
use fdc_core::failing::{FailingError, failing_tests, test_named};
use fdc_core::ranking::{Level, Ranker};
use fdc_core::selection::Start;
use fdc_core::spectrum::VIRTUAL;
use fdc_core::{Metric, Outcome, Selection, Spectrum, Verdict};
use fdc_learn::sharp::{Hearing, Localisation};
use fdc_source::{Roots, Sources};

use crate::error::Failure;
use crate::failed_test::FailedTest;
use crate::input;
use crate::label::clock;
use crate::label::runs::{RUNNER, Runs, RunsView};
use crate::label::statement::Statement;
use crate::rank::Scoring;
use crate::select::check_origins;
use crate::since::mark_changed;

/// How a session is held.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// What counts at the start.
    pub start: Start,
    /// Only tests of these origins are asked for; all, if there are none.
    pub origins: Vec<String>,
    /// How far answers are believed, 0.5..=1.
    pub trust: f64,
    /// Who answers.
    pub who: String,
    /// How methods are ranked.
    pub scoring: Scoring,
}

/// Who is logged in, as far as the environment tells.
pub fn logged_in() -> String {
    let mut names = ["USER", "LOGNAME", "USERNAME"].iter();
    let user = names.find_map(|name| std::env::var(name).ok());
    user.unwrap_or_else(|| "somebody".to_owned())
}

/// Why a session cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The case file.
    #[error(transparent)]
    Case(#[from] FileError),
    /// The failing test.
    #[error(transparent)]
    Failing(#[from] FailingError),
    /// An answer that cannot be taken.
    #[error("{0}")]
    Refused(String),
}

/// A case being labelled.
pub struct Session {
    case: Case,
    spectrum: Spectrum,
    /// The coverage without statements, if there are any.
    measured: Option<Arc<Coverage>>,
    failing: Vec<TestId>,
    metric: Metric,
    options: SessionOptions,
    ranker: Ranker,
    answers: Vec<Answer>,
    /// What the case said of changes by others when it was last read.
    changes: i64,
    /// What the failing tests say, once they were heard with this coverage.
    hearing: RefCell<Option<Hearing>>,
    /// The test that was asked about last.
    asked: RefCell<Option<String>>,
    /// Where calls of failing tests are looked up.
    sources: Option<Sources>,
    /// How the failing tests failed, once somebody asked.
    failures: RefCell<Option<Vec<FailedTest>>>,
    /// Tests that are run instead of asked for.
    runs: Option<Runs>,
}

/// What a case holds, as of one moment.
struct Contents {
    spectrum: Spectrum,
    measured: Option<Arc<Coverage>>,
    answers: Vec<Answer>,
    changes: i64,
}

impl Contents {
    fn read(case: &Case, scoring: &Scoring) -> Result<Self, FileError> {
        let _moment = case.moment()?;
        let changes = case.changes_elsewhere()?;
        let mut spectrum = case.measured()?;
        if scoring.hears_kills() {
            case.add_kills(&mut spectrum)?;
        }
        Ok(Contents {
            measured: case.add_virtual_tests(&mut spectrum)?,
            answers: case.answers()?,
            spectrum,
            changes,
        })
    }
}

impl Session {
    /// Opens a case to label tests beside the failing one named, or all that fail.
    pub fn open(
        path: &Path,
        failing: Option<&str>,
        metric: Metric,
        options: SessionOptions,
    ) -> Result<Self, Failure> {
        let mut case = Case::open(path)?;
        case.take_answers()?;
        Session::begin(case, failing, metric, options)
    }

    /// The same to look at it: the file may be one that cannot be written.
    pub fn look(
        path: &Path,
        failing: Option<&str>,
        metric: Metric,
        options: SessionOptions,
    ) -> Result<Self, Failure> {
        let mut case = Case::open(path)?;
        case.show_answers()?;
        Session::begin(case, failing, metric, options)
    }

    fn begin(
        case: Case,
        failing: Option<&str>,
        metric: Metric,
        options: SessionOptions,
    ) -> Result<Self, Failure> {
        let Contents {
            spectrum,
            measured,
            answers,
            changes,
        } = Contents::read(&case, &options.scoring)?;
        let failing = starting_points(&spectrum, failing.as_slice())?;
        check_origins(&spectrum, &options.origins)?;
        Ok(Session {
            measured,
            ranker: Ranker::new(&spectrum, Level::Method, options.scoring.options()),
            answers,
            case,
            spectrum,
            failing,
            metric,
            options,
            changes,
            hearing: RefCell::default(),
            asked: RefCell::default(),
            sources: None,
            failures: RefCell::default(),
            runs: None,
        })
    }

    /// Runs what is proposed from now on, where the collector that made the case can: whenever the
    /// session is [refreshed](Self::refresh) it takes over how a run ended. `source` is the project's
    /// root, if it was named.
    pub fn run_proposed(&mut self, source: Option<&Path>) -> Result<(), Failure> {
        self.runs = Some(Runs::new(Rerun::of(&self.case, source)?));
        Ok(())
    }

    /// What is run by itself, if anything is.
    pub fn runs(&self) -> Option<RunsView> {
        self.runs.as_ref().map(Runs::view)
    }

    /// What to know of a case that a collector has not finished, in a sentence.
    pub fn interruption(&self) -> Result<Option<String>, Failure> {
        Ok(self.case.interruption()?)
    }

    /// Where the sources of the program and its tests are; `source` is the project's root, if it
    /// was named.
    pub fn roots(&self, source: Option<&Path>) -> Result<Roots, Failure> {
        input::roots(&self.case, source)
    }

    /// Looks the calls of failing tests up below the project's root.
    pub fn look_up_calls(&mut self, source: Option<&Path>) -> Result<(), Failure> {
        self.sources = self.roots(source)?.project;
        self.failures.take();
        Ok(())
    }

    /// How the failing tests failed that everything starts from, in their order.
    pub fn failures(&self) -> Vec<FailedTest> {
        let mut kept = self.failures.borrow_mut();
        let failures = kept.get_or_insert_with(|| {
            let mut failures = FailedTest::of(&self.spectrum, &self.failing);
            if let Some(sources) = &self.sources {
                FailedTest::look_up(&mut failures, sources);
            }
            failures
        });
        failures.clone()
    }

    /// Marks the methods that changed since a Git revision that was good; a note, if there are none.
    pub fn mark_changed(
        &mut self,
        source: Option<&Path>,
        revision: &str,
    ) -> Result<Option<String>, Failure> {
        let roots = self.roots(source)?;
        let root = roots.project.as_ref().map_or(Path::new("."), Sources::root);
        mark_changed(&mut self.spectrum, root, revision)
    }

    /// The program and its tests, with all answers that count.
    pub fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    /// The first failing test.
    pub fn failing(&self) -> TestId {
        self.failing[0]
    }

    /// All failing tests that everything starts from.
    pub fn all_failing(&self) -> &[TestId] {
        &self.failing
    }

    /// What tests are chosen by.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// How the session is held.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Every answer ever given, in order.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The answers that count.
    pub fn standing_answers(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| !answer.undone)
    }

    /// Whether a statement stands as the last word on what it is about.
    pub(crate) fn says(&self, statement: Statement) -> bool {
        let last = self.last_word(&statement.topic(&self.spectrum));
        last.is_some_and(|last| last.subject == statement.words(&self.spectrum))
    }

    fn last_word(&self, topic: &str) -> Option<&Answer> {
        let about = |answer: &&Answer| answer.topic.as_deref() == Some(topic);
        self.standing_answers().filter(about).last()
    }

    /// `T` with every answer, and the tests that may be asked for.
    pub fn selection(&self) -> Selection<'_> {
        let SessionOptions { start, origins, .. } = &self.options;
        let mut selection = Selection::begin(&self.spectrum, &self.failing, *start, origins);
        let skips = self
            .standing_answers()
            .filter(|answer| matches!(answer.id, AnswerId::Skip(_)));
        let skipped: Vec<TestId> = skips.filter_map(|answer| answer.test).collect();
        selection.retain_candidates(|test| {
            let test_itself = self.spectrum.test(test);
            test_itself.label.is_none() && !skipped.contains(&test)
        });
        selection
    }

    /// What the learned distribution says, if it ranks.
    pub(crate) fn locate(&self, failing: &[TestId]) -> Option<Localisation<'_>> {
        let mut kept = self.hearing.borrow_mut();
        let scoring = &self.options.scoring;
        let located = scoring.locate_after(kept.as_ref(), &self.spectrum, failing);
        *kept = located.as_ref().map(|located| located.hearing().clone());
        located
    }

    /// Ranks methods.
    pub fn ranker(&self) -> &Ranker {
        &self.ranker
    }

    /// Notes which test a person is asked about, by name.
    pub(crate) fn ask_about(&self, test: Option<&str>) {
        *self.asked.borrow_mut() = test.map(str::to_owned);
    }

    /// The test that was asked about last, if it still waits for an answer.
    pub(crate) fn asked_about(&self) -> Result<TestId, SessionError> {
        let refused = |why: String| Err(SessionError::Refused(why));
        let asked = self.asked.borrow();
        let Some(name) = &*asked else {
            return refused("no test is left to ask about: name one".into());
        };
        let test = test_named(&self.spectrum, name)?;
        if self.selection().candidates().binary_search(&test).is_err() {
            return refused(format!(
                "{name}: another session has answered it meanwhile; look at what is asked now"
            ));
        }
        Ok(test)
    }

    /// Takes a verdict on a test.
    pub fn judge(&mut self, test: TestId, outcome: Outcome) -> Result<AnswerId, SessionError> {
        let who = self.options.who.clone();
        self.store(test, self.verdict(outcome), &who)
    }

    /// Takes over how a test ended that was run; one without an outcome is not asked for again.
    pub(crate) fn take_run(
        &mut self,
        test: &str,
        outcome: Option<Outcome>,
    ) -> Result<(), SessionError> {
        self.take_over()?;
        let test = test_named(&self.spectrum, test)?;
        // Somebody may have answered meanwhile.
        if self.selection().candidates().binary_search(&test).is_err() {
            return Ok(());
        }
        match outcome {
            Some(outcome) => self
                .store(test, Verdict::certain(outcome), RUNNER)
                .map(drop),
            None => self.store_skip(test, RUNNER).map(drop),
        }
    }

    fn store(
        &mut self,
        test: TestId,
        verdict: Verdict,
        who: &str,
    ) -> Result<AnswerId, SessionError> {
        self.check_test(test)?;
        let name = &self.spectrum.test(test).name;
        let stored = self.case.add_label(name, verdict, who, &clock::now())?;
        let id = stored.ok_or_else(|| gone(name))?;
        self.spectrum.tests[test.index()].label = Some(verdict);
        self.read_answers()?;
        Ok(id)
    }

    /// Notes that a person cannot judge a test; it is not asked for again.
    pub fn skip(&mut self, test: TestId) -> Result<AnswerId, SessionError> {
        let who = self.options.who.clone();
        self.store_skip(test, &who)
    }

    fn store_skip(&mut self, test: TestId, who: &str) -> Result<AnswerId, SessionError> {
        self.check_test(test)?;
        let name = &self.spectrum.test(test).name;
        let stored = self.case.add_skip(name, who, &clock::now())?;
        let id = stored.ok_or_else(|| gone(name))?;
        self.read_answers()?;
        Ok(id)
    }

    /// Takes a statement about a part of the program.
    pub fn state(&mut self, statement: Statement) -> Result<AnswerId, SessionError> {
        let elements = statement.elements(&self.spectrum);
        let subject = statement.words(&self.spectrum);
        if elements.is_empty() {
            let why = format!("it covers no line and would change nothing: {subject}");
            return Err(SessionError::Refused(why));
        }
        let topic = statement.topic(&self.spectrum);
        let last = self.last_word(&topic);
        let last = last.filter(|last| last.subject == subject);
        if let Some(last) = last {
            let why = format!(
                "{} has said so before, and it counts once: {subject}",
                last.who
            );
            return Err(SessionError::Refused(why));
        }
        let test = VirtualTest {
            kind: statement.kind(),
            subject: &subject,
            topic: &topic,
            elements: &elements,
            verdict: self.verdict(statement.outcome()),
        };
        let who = &self.options.who;
        let stored = self
            .case
            .add_virtual_test(&test, self.changes, who, &clock::now())?;
        let id = stored.ok_or_else(|| {
            let why =
                format!("not stored, since the case has just changed; say it again: {subject}");
            SessionError::Refused(why)
        })?;
        self.restate()?;
        Ok(id)
    }

    /// Takes back the last answer that counts, whoever gave it.
    pub fn undo_last(&mut self) -> Result<Option<Answer>, SessionError> {
        match self.standing_answers().last() {
            None => Ok(None),
            Some(last) => self.undo(last.id),
        }
    }

    /// Takes an answer back; the answer, if it still counted.
    pub fn undo(&mut self, id: AnswerId) -> Result<Option<Answer>, SessionError> {
        let undone = self.case.undo(id)?;
        match id {
            AnswerId::Virtual(_) => self.restate()?,
            AnswerId::Label(_) | AnswerId::Skip(_) => {
                self.read_answers()?;
                self.settle_label(id);
            }
        }
        let answer = self.answers.iter().find(|answer| answer.id == id);
        Ok(answer.filter(|_| undone).cloned())
    }

    /// Takes over what others have answered since, and what was run; whether there was anything.
    pub fn refresh(&mut self) -> Result<bool, SessionError> {
        let news = self.take_over()?;
        Ok(self.go_on_running(false)? || news)
    }

    /// Runs tests until none is left that can be run and tells much.
    pub(crate) fn wait_for_runs(&mut self) -> Result<(), SessionError> {
        while self.runs().is_some_and(|runs| runs.running.is_some()) {
            self.go_on_running(true)?;
        }
        Ok(())
    }

    fn go_on_running(&mut self, wait: bool) -> Result<bool, SessionError> {
        let Some(mut runs) = self.runs.take() else {
            return Ok(false);
        };
        let news = runs.go_on(self, wait);
        self.runs = Some(runs);
        news
    }

    /// Takes over what others have answered since; whether there was anything.
    fn take_over(&mut self) -> Result<bool, SessionError> {
        let changes = self.case.changes_elsewhere()?;
        let news = changes != self.changes;
        if news {
            self.reload()?;
        }
        Ok(news)
    }

    /// Of the labels of an answer's test, the last that stands counts.
    fn settle_label(&mut self, id: AnswerId) {
        let test = |answer: &Answer| match answer.id {
            AnswerId::Label(number) => answer.test.map(|test| (number, test)),
            _ => None,
        };
        let of_answer = self.answers.iter().find(|answer| answer.id == id);
        let Some((_, subject)) = of_answer.and_then(test) else {
            return;
        };
        let labels = self.standing_answers().filter_map(|answer| {
            let (number, of) = test(answer)?;
            (of == subject).then_some((number, answer.verdict))
        });
        let last = labels.max_by_key(|&(number, _)| number);
        self.spectrum.tests[subject.index()].label = last.and_then(|(_, verdict)| verdict);
    }

    fn reload(&mut self) -> Result<(), SessionError> {
        let name = |&test: &TestId| self.spectrum.test(test).name.clone();
        let names: Vec<String> = self.failing.iter().map(name).collect();
        let read = Contents::read(&self.case, &self.options.scoring)?;
        let failing = failing_tests(&read.spectrum, &names)?;
        (self.spectrum, self.measured) = (read.spectrum, read.measured);
        (self.answers, self.changes) = (read.answers, read.changes);
        self.failing = failing;
        self.begin_anew();
        Ok(())
    }

    /// Takes over the statements that stand. The measured tests stay, unless others have written: to
    /// read them again would take a while.
    fn restate(&mut self) -> Result<(), SessionError> {
        let moment = self.case.moment()?;
        if self.case.changes_elsewhere()? != self.changes {
            drop(moment);
            return self.reload();
        }
        if let Some(measured) = self.measured.take() {
            self.spectrum.shrink(measured);
        }
        self.measured = self.case.add_virtual_tests(&mut self.spectrum)?;
        self.answers = self.case.answers()?;
        drop(moment);
        self.begin_anew();
        Ok(())
    }

    /// Takes over the answers; everything, if others have written, since tests may have other numbers.
    fn read_answers(&mut self) -> Result<(), SessionError> {
        let moment = self.case.moment()?;
        if self.case.changes_elsewhere()? != self.changes {
            drop(moment);
            return self.reload();
        }
        self.answers = self.case.answers()?;
        Ok(())
    }

    /// The tests or their coverage are others now.
    fn begin_anew(&mut self) {
        self.hearing.take();
        self.failures.take();
        let options = self.options.scoring.options();
        self.ranker = Ranker::new(&self.spectrum, Level::Method, options);
    }

    fn verdict(&self, outcome: Outcome) -> Verdict {
        Verdict {
            outcome,
            trust: self.options.trust,
        }
    }

    fn check_test(&self, test: TestId) -> Result<(), SessionError> {
        let test_itself = self.spectrum.test(test);
        let refused = |why: &str| {
            let text = format!("{}: {why}", test_itself.name);
            Err(SessionError::Refused(text))
        };
        if self.failing.contains(&test) {
            refused("the failing tests that everything starts from need no verdict")
        } else if test_itself.origin.as_deref() == Some(VIRTUAL) {
            refused("a statement about the program is no test to judge; undo it instead")
        } else {
            Ok(())
        }
    }
}

fn gone(test: &str) -> SessionError {
    let why = format!("{test}: not stored, since the case no longer has this test");
    SessionError::Refused(why)
}

/// The failing tests to start from: the one named, or all. Tests that a person has said to fail are
/// answers and no starting points, so that a case opens again as it did before them; unless nothing
/// else fails.
fn starting_points(spectrum: &Spectrum, named: &[&str]) -> Result<Vec<TestId>, FailingError> {
    let mut failing = failing_tests(spectrum, named)?;
    let measured = |test: &TestId| {
        let test = spectrum.test(*test);
        test.outcome == Some(Outcome::Fail) && test.origin.as_deref() != Some(VIRTUAL)
    };
    if named.is_empty() && failing.iter().any(measured) {
        failing.retain(measured);
    }
    // Suspects are what the first covers.
    failing.sort_by_key(|&test| spectrum.coverage.total(test) == 0);
    Ok(failing)
}
