//! What a labelling session is opened with, the same in the terminal, on the page and in a report.

use std::path::{Path, PathBuf};

use clap::Args;
use fdc::label::{Session, SessionOptions, logged_in};
use fdc::rank::Scoring;
use fdc_core::{Metric, Start};
use fdc_learn::catalogue;

use super::choice;
use super::scoring::ScoringArguments;
use crate::exit::Result;
use crate::output::notes;

/// The case and how it is asked and ranked.
#[derive(Args, Debug)]
pub(crate) struct SessionArguments {
    /// The case file, as `fdc collect` and `fdc import` write it
    #[arg(value_name = "CASE")]
    pub case: PathBuf,
    /// What is asked for.
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// What is known at the start
    #[arg(long, default_value = "known", value_parser = choice::choice::<Start>())]
    pub start: Start,
    /// How far answers are believed, 0.5 to 1: each adds this much to the count of its outcome, and
    /// the rest to the other
    #[arg(long, value_name = "P", default_value = "1", value_parser = trust)]
    pub trust: f64,
    /// Root folder of the project that was measured, for its sources (default: where the case was
    /// collected, else the current folder)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
    /// How many suspects to show
    #[arg(long, value_name = "N", default_value = "20")]
    pub suspects: usize,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
}

/// A session that takes answers.
#[derive(Args, Debug)]
pub(crate) struct AnsweringArguments {
    /// The session.
    #[command(flatten)]
    pub session: SessionArguments,
    /// Who gives the answers [default: the user who is logged in]
    #[arg(long, value_name = "NAME")]
    pub who: Option<String>,
    /// Run the proposed tests instead of asking, as the collector of the case did
    #[arg(long)]
    pub run: bool,
}

/// How the next test is chosen.
#[derive(Args, Debug)]
pub(crate) struct ChoiceArguments {
    /// Start from this failing test alone (default: all that fail)
    #[arg(long, value_name = "TEST")]
    pub failing: Option<String>,
    /// The metric to choose by, with parameters as in weight:alpha=0.3 (`fdc list metrics`)
    /// [default: that of --model, else sharp]
    #[arg(long, value_parser = choice::metric(), hide_possible_values = true)]
    pub metric: Option<String>,
    /// The model of a learned metric; a model of sharp ranks, too (default: the built-in one)
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Choose only from tests of this origin, such as evosuite (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Vec<String>,
}

impl ChoiceArguments {
    pub(crate) fn metric(&self) -> Result<Metric> {
        let asked = catalogue::asked_for(self.metric.as_deref(), self.model.as_deref());
        Ok(asked?)
    }

    /// How places are computed beside that choice.
    pub(crate) fn scoring(&self, arguments: &ScoringArguments) -> Result<Scoring> {
        arguments.scoring()?.beside_model(self.model.as_deref())
    }
}

impl AnsweringArguments {
    /// Opens the case to take answers.
    pub(crate) fn open(&self, quiet: bool) -> Result<Session> {
        let who = self.who.clone().unwrap_or_else(logged_in);
        let mut session = self.session.opened(Session::open, who, quiet)?;
        if self.run {
            session.run_proposed(self.session.source.as_deref())?;
        }
        Ok(session)
    }
}

impl SessionArguments {
    /// Opens the case to be looked at.
    pub(crate) fn look(&self, quiet: bool) -> Result<Session> {
        self.opened(Session::look, logged_in(), quiet)
    }

    /// Everything that was asked for is checked, and said what to know of the case.
    fn opened(&self, open: Open, who: String, quiet: bool) -> Result<Session> {
        let ChoiceArguments {
            failing, origin, ..
        } = &self.choice;
        let metric = self.choice.metric()?;
        let options = SessionOptions {
            start: self.start,
            origins: origin.clone(),
            trust: self.trust,
            who,
            scoring: self.choice.scoring(&self.scoring)?,
        };
        let mut session = open(&self.case, failing.as_deref(), metric, options)?;
        session.look_up_calls(self.source.as_deref())?;
        notes(quiet, session.interruption()?.as_slice());
        Ok(session)
    }
}

type Open = fn(&Path, Option<&str>, Metric, SessionOptions) -> Result<Session>;

fn trust(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(trust) if (0.5..=1.0).contains(&trust) => Ok(trust),
        _ => Err("expected a number from 0.5 to 1".to_owned()),
    }
}
