//! `fdc select`: the tests to run, label or look at next, and why.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use fdc::Input;
use fdc::label::reason::Reason;
use fdc_core::coverage::TestId;
use fdc_core::failing::failing_test;
use fdc_core::metric::Metric;
use fdc_core::ranking::{Level, Ranker};
use fdc_core::spectrum::MethodId;
use fdc_core::{Outcome, Pick, Selection, Spectrum, Tally, Verdict};
use fdc_draw::text::counted;
use fdc_learn::catalogue;
use serde::Serialize;

use crate::args::select::{Count, SelectArguments, SelectFormat};
use crate::exit::{Exit, Problem};
use crate::output::{
    Columns, note, notes, printable_name, put, put_json, rank_json, rank_text, score_json,
};

/// Runs the command.
pub fn run(arguments: &SelectArguments, quiet: bool) -> Result<Exit, Problem> {
    let choice = &arguments.choice;
    let metric = catalogue::asked_for(choice.metric.as_deref(), choice.model.as_deref())?;
    let input = Input::read(arguments.input.request())?;
    notes(quiet, &input.notes);
    let spectrum = input.spectrum;
    let failing = failing_test(&spectrum, choice.failing.as_deref())?;
    check_origins(&spectrum, &choice.origin)?;
    let start = if arguments.reveal {
        fdc_core::Start::Revealing
    } else {
        arguments.start
    };
    let mut selection = Selection::begin(&spectrum, failing, start, &choice.origin);
    if selection.candidates().is_empty() {
        let why = if spectrum.tests.len() == 1 {
            "the failing test is the only one"
        } else if !choice.origin.is_empty() {
            "every test of that origin is known"
        } else {
            "the outcome of every other test is known"
        };
        note(quiet, &format!("note: there is no test to choose: {why}"));
    }
    let limit = Limit {
        tests: arguments.number,
        until_stable: arguments.until_stable,
        time: arguments
            .max_seconds
            .map(|seconds| Duration::from_secs(seconds.into())),
    };
    let ranker = Ranker::new(&spectrum, Level::Method, arguments.scoring.options());
    let chooser = Chooser {
        spectrum: &spectrum,
        ranker: &ranker,
        metric: &metric,
        reveal: arguments.reveal,
    };
    let steps = chooser.choose(&mut selection, limit);
    let out = arguments.out.as_deref();
    let view = View {
        spectrum: &spectrum,
        arguments,
        metric: metric.label(),
        failing,
        steps: &steps,
    };
    match arguments.format {
        SelectFormat::Json => put_json(&view.document(), out)?,
        SelectFormat::Table => put(&view.text(&selection), out)?,
    }
    Ok(Exit::Done)
}

/// An origin that no test has is a slip.
pub fn check_origins(spectrum: &Spectrum, wanted: &[String]) -> Result<(), Problem> {
    let tests = spectrum.tests.iter();
    let known: BTreeSet<&str> = tests.filter_map(|test| test.origin.as_deref()).collect();
    let Some(unknown) = wanted.iter().find(|origin| !known.contains(&***origin)) else {
        return Ok(());
    };
    let problem = Problem::usage(format!("no test is of origin {unknown:?}"));
    Err(if known.is_empty() {
        problem.hint("this input tells no test's origin; `fdc generate` makes pools that do")
    } else {
        let known: Vec<&str> = known.into_iter().collect();
        problem.hint(format!("there are: {}", known.join(", ")))
    })
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// After so many tests.
    pub tests: Count,
    /// Once three tests in a row change nothing.
    pub until_stable: bool,
    /// After so long.
    pub time: Option<Duration>,
}

/// Chooses tests one after the other and notes what each does.
pub struct Chooser<'a> {
    /// What is chosen from.
    pub spectrum: &'a Spectrum,
    /// Ranks methods.
    pub ranker: &'a Ranker,
    /// What is chosen by.
    pub metric: &'a Metric,
    /// Whether a chosen test joins with its true outcome.
    pub reveal: bool,
}

/// The state after one test was added (at first, after none).
#[derive(Debug)]
pub struct Step {
    /// The chosen test; none at the start.
    pub pick: Option<Pick>,
    /// Its outcome, if it was revealed and is known.
    pub outcome: Option<Outcome>,
    /// Why it was chosen.
    pub why: Option<Why>,
    /// Places of the faulty methods, if the input knows them.
    pub faulty: Option<Vec<(MethodId, f64)>>,
    /// The first places.
    pub top: Vec<(MethodId, f64)>,
    /// Methods that share the highest score.
    pub tied: usize,
}

/// Why a test was chosen, and what its answer can do.
#[derive(Clone, Debug, Serialize)]
pub struct Why {
    /// What it does among the suspects.
    #[serde(flatten)]
    pub reason: Reason,
    /// Methods that share the highest score.
    pub tied_before: usize,
    /// The same if it passes.
    pub tied_if_it_passes: usize,
    /// The same if it fails.
    pub tied_if_it_fails: usize,
}

impl Chooser<'_> {
    /// Chooses until the limit; the first step is the start.
    pub fn choose(&self, selection: &mut Selection<'_>, limit: Limit) -> Vec<Step> {
        let begun = Instant::now();
        let mut steps = vec![self.step(selection, None)];
        let mut quiet_steps = 0;
        // Where no outcome is revealed, the outlook takes the chosen tests to pass: most do.
        let mut outlook = selection.tally().clone();
        loop {
            let enough = match limit.tests {
                Count::All => false,
                Count::AtMost(number) => steps.len() > number,
            };
            let late = limit.time.is_some_and(|time| begun.elapsed() >= time);
            if enough || late || (limit.until_stable && quiet_steps == 3) {
                return steps;
            }
            let Some(pick) = selection.best(self.metric) else {
                return steps;
            };
            let why = self.why(selection, &outlook, pick.test);
            let verdict = self
                .spectrum
                .test(pick.test)
                .verdict()
                .filter(|_| self.reveal);
            let groups_before = selection.suite().suspicious_groups();
            selection.add(pick.test, verdict);
            let outcome = verdict.unwrap_or(Verdict::certain(Outcome::Pass));
            outlook.add(&self.spectrum.coverage, pick.test, outcome);
            let step = Step {
                outcome: verdict.map(|verdict| verdict.outcome),
                why: Some(why),
                ..self.step(selection, Some(pick))
            };
            let unchanged = if self.reveal {
                steps.last().is_some_and(|last| last.top == step.top)
            } else {
                groups_before == selection.suite().suspicious_groups()
            };
            quiet_steps = if unchanged { quiet_steps + 1 } else { 0 };
            steps.push(step);
        }
    }

    fn why(&self, selection: &Selection<'_>, tally: &Tally, test: TestId) -> Why {
        let coverage = &self.spectrum.coverage;
        let tied = |tally: &Tally| {
            let scores = self.ranker.scores(tally, coverage);
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            scores.iter().filter(|&&score| score == top).count()
        };
        let tied_if = |outcome| {
            let mut tally = tally.clone();
            tally.add(coverage, test, Verdict::certain(outcome));
            tied(&tally)
        };
        Why {
            reason: Reason::new(self.metric, selection.suite(), test),
            tied_before: tied(tally),
            tied_if_it_passes: tied_if(Outcome::Pass),
            tied_if_it_fails: tied_if(Outcome::Fail),
        }
    }

    fn step(&self, selection: &Selection<'_>, pick: Option<Pick>) -> Step {
        let (tally, coverage) = (selection.tally(), &self.spectrum.coverage);
        let scores = self.ranker.scores(tally, coverage);
        let ranking = self.ranker.ranking(tally, coverage);
        let faulty = self.spectrum.fault.as_ref().map(|_| {
            let methods = self.spectrum.rankable_faults().into_iter();
            methods
                .filter_map(|method| Some((method, self.ranker.place(&scores, method.0)?)))
                .collect()
        });
        Step {
            pick,
            outcome: None,
            why: None,
            faulty,
            tied: ranking.tied_at_top(),
            top: ranking
                .places
                .iter()
                .take(5)
                .map(|place| (MethodId(place.unit), place.rank))
                .collect(),
        }
    }
}

struct View<'a> {
    spectrum: &'a Spectrum,
    arguments: &'a SelectArguments,
    metric: &'a str,
    failing: TestId,
    steps: &'a [Step],
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    metric: String,
    failing: String,
    formula: &'static str,
    reveal: bool,
    steps: Vec<StepEntry>,
}

#[derive(Serialize)]
struct StepEntry {
    added: Option<String>,
    score: Option<serde_json::Value>,
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    faulty: Option<Vec<PlaceEntry>>,
    top: Vec<PlaceEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Why>,
}

#[derive(Serialize)]
struct PlaceEntry {
    method: String,
    rank: serde_json::Value,
}

impl View<'_> {
    fn document(&self) -> Document {
        let places = |places: &Vec<(MethodId, f64)>| -> Vec<PlaceEntry> {
            let entry = |&(method, rank): &(MethodId, f64)| PlaceEntry {
                method: self.spectrum.method_name(method).to_owned(),
                rank: rank_json(rank),
            };
            places.iter().map(entry).collect()
        };
        let step = |step: &Step| StepEntry {
            added: step
                .pick
                .map(|pick| self.spectrum.test(pick.test).name.clone()),
            score: step.pick.map(|pick| score_json(pick.score)),
            outcome: step.outcome.map(Outcome::name),
            faulty: step.faulty.as_ref().map(places),
            top: places(&step.top),
            reason: step.why.clone(),
        };
        Document {
            schema: 1,
            metric: self.metric.to_owned(),
            failing: self.spectrum.test(self.failing).name.clone(),
            formula: self.arguments.scoring.formula.name,
            reveal: self.arguments.reveal,
            steps: self.steps.iter().map(step).collect(),
        }
    }

    fn text(&self, selection: &Selection<'_>) -> String {
        let bold = anstyle::Style::new().bold();
        let dim = anstyle::Style::new().dimmed();
        let start = &self.steps[0];
        let mut text = format!(
            "Failing test: {bold}{}{bold:#}\nIt covers {}; {} tied at the top. Metric: {}.\n\n",
            self.test_name(self.failing),
            counted(self.spectrum.coverage.total(self.failing), "line"),
            match start.tied {
                1 => "1 method is".to_owned(),
                tied => format!("{tied} methods are"),
            },
            self.metric,
        );
        if self.arguments.reveal {
            text.push_str(&self.revealed());
        } else {
            for (number, step) in self.steps.iter().enumerate().skip(1) {
                let (Some(pick), Some(why)) = (step.pick, &step.why) else {
                    continue;
                };
                let _ = writeln!(
                    text,
                    "{number:>4}. {bold}{}{bold:#}  {dim}value {:.4}{dim:#}\n      {}",
                    self.test_name(pick.test),
                    pick.score,
                    why.reason.words(),
                );
                if let Some(words) = &why.reason.metric_says {
                    let _ = writeln!(text, "      {words}");
                }
                let _ = writeln!(
                    text,
                    "      suspects tied at the top: {}; {} if it passes, {} if it fails",
                    why.tied_before, why.tied_if_it_passes, why.tied_if_it_fails,
                );
            }
            if self.steps.len() > 2 {
                text.push_str("\nEach outlook takes the tests listed above it to pass.\n");
            }
        }
        let left = selection.candidates().len();
        if left == 0 && self.steps.len() > 1 {
            text.push_str("\nThat was every candidate.\n");
        }
        text
    }

    fn revealed(&self) -> String {
        let knows_fault = self.spectrum.fault.is_some();
        let heading = if knows_fault {
            "faulty method"
        } else {
            "first place"
        };
        let mut columns = Columns::new(&[
            ">tests", "added", "outcome", ">score", ">tied", ">rank", heading,
        ]);
        for (number, step) in self.steps.iter().enumerate() {
            let first = match &step.faulty {
                Some(places) => places.iter().min_by(|a, b| a.1.total_cmp(&b.1)),
                None => step.top.first(),
            };
            columns.line([
                number.to_string(),
                step.pick.map_or("(the failing test alone)".into(), |pick| {
                    self.test_name(pick.test)
                }),
                step.outcome.map_or("", Outcome::name).to_owned(),
                step.pick
                    .map_or(String::new(), |pick| format!("{:.4}", pick.score)),
                step.tied.to_string(),
                first.map_or("-".into(), |&(_, rank)| rank_text(rank)),
                first.map_or("-".into(), |&(method, _)| {
                    printable_name(self.spectrum.method_name(method))
                }),
            ]);
        }
        columns.text()
    }

    fn test_name(&self, test: TestId) -> String {
        printable_name(&self.spectrum.test(test).name)
    }
}
