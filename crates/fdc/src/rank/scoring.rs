//! By which scores a ranking is made.

use std::path::Path;
use std::sync::Arc;

use fdc_core::coverage::TestId;
use fdc_core::naming::nearest;
use fdc_core::ranking::RankingOptions;
use fdc_core::{Aggregate, Formula, Spectrum, TiePolicy, formula::FORMULAS};
use fdc_learn::learner;
use fdc_learn::sharp::model::SharpModel;
use fdc_learn::sharp::{self, Faults, Hearing, Localisation};

use crate::Failure;

/// Where scores come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScoreSource {
    /// The learned distribution: a score is how likely it is faulty.
    Learned,
    /// A formula of the counts of failing and passing tests.
    Formula(&'static Formula),
}

impl ScoreSource {
    /// All of them, with what each is.
    pub fn all() -> impl Iterator<Item = (ScoreSource, &'static str)> {
        let learned = "How likely it is faulty, learned from past bugs";
        let formulas = FORMULAS.iter().map(|own| (Self::Formula(own), own.text));
        std::iter::once((Self::Learned, learned)).chain(formulas)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ScoreSource::Learned => sharp::ENTRY.name,
            ScoreSource::Formula(formula) => formula.name,
        }
    }

    /// The one of that name, or the nearest name.
    pub fn named(name: &str) -> Result<Self, Option<&'static str>> {
        let found = Self::all().find(|(own, _)| own.name() == name);
        let names = || Self::all().map(|(own, _)| own.name());
        found.map_or_else(|| Err(nearest(name, names())), |(own, _)| Ok(own))
    }
}

/// How scores become places.
#[derive(Clone, Debug)]
pub struct Scoring {
    pub(crate) source: ScoreSource,
    /// The learned distribution.
    model: Arc<SharpModel>,
    pub(super) aggregate: Aggregate,
    pub(super) tie: TiePolicy,
    pub(super) faults: Faults,
}

impl Scoring {
    /// Likelihoods add up; how the line scores of a formula are combined can be told.
    pub fn new(
        source: ScoreSource,
        aggregate: Option<Aggregate>,
        tie: TiePolicy,
        faults: Faults,
    ) -> Result<Self, Failure> {
        let aggregate = match (source, aggregate) {
            (ScoreSource::Learned, None | Some(Aggregate::Sum)) => Aggregate::Sum,
            (ScoreSource::Formula(_), given) => given.unwrap_or(Aggregate::Max),
            (ScoreSource::Learned, Some(_)) => {
                let words = "the likelihoods of lines add up to those of methods and files";
                let hint = "choose a formula to combine line scores in another way";
                return Err(Failure::usage(words).hint(hint));
            }
        };
        Ok(Scoring {
            source,
            aggregate,
            tie,
            faults,
            ..Scoring::default()
        })
    }

    /// The same by the distribution in a model file.
    pub fn by_model(&self, path: &Path) -> Result<Self, Failure> {
        let (learner, model) = learner::read(path)?;
        let (name, source) = (learner.name(), self.source.name());
        let words = match (model.localiser(), self.source) {
            (Some(model), ScoreSource::Learned) => {
                return Ok(Scoring {
                    model,
                    ..self.clone()
                });
            }
            (Some(_), _) => format!("a model of {name} goes with {name}, not with {source}"),
            (None, _) => format!("a model of {name} chooses tests and ranks nothing"),
        };
        let hint = format!("a model of {} ranks", ScoreSource::Learned.name());
        Err(Failure::usage(format!("{}: {words}", path.display())).hint(hint))
    }

    /// The same beside a model that tests are chosen by: one that is a distribution ranks as well.
    pub fn beside_model(&self, path: Option<&Path>) -> Result<Self, Failure> {
        let model = path.map(learner::read).transpose()?;
        let own = model.and_then(|(_, model)| model.localiser());
        Ok(Scoring {
            model: own.unwrap_or_else(|| Arc::clone(&self.model)),
            ..self.clone()
        })
    }

    /// By a formula: the highest line score, worst places of ties.
    pub fn by(formula: &'static Formula) -> Self {
        Scoring {
            source: ScoreSource::Formula(formula),
            aggregate: Aggregate::Max,
            ..Scoring::default()
        }
    }

    /// The same where the failing tests show one fault.
    pub(super) fn of_one_fault(&self) -> Self {
        Scoring {
            faults: Faults::One,
            ..self.clone()
        }
    }

    /// Whether the distribution hears what mutants showed before.
    pub fn hears_kills(&self) -> bool {
        self.model.hears_kills()
    }

    /// Places of ties.
    pub fn tie(&self) -> TiePolicy {
        self.tie
    }

    /// What the learned distribution says of the failing tests and a person's answers, if it makes
    /// the scores.
    pub(crate) fn locate<'a>(
        &self,
        spectrum: &'a Spectrum,
        failing: &[TestId],
    ) -> Option<Localisation<'a>> {
        self.locate_after(None, spectrum, failing)
    }

    /// The same, with what was heard before the last answers.
    pub(crate) fn locate_after<'a>(
        &self,
        before: Option<&Hearing>,
        spectrum: &'a Spectrum,
        failing: &[TestId],
    ) -> Option<Localisation<'a>> {
        let (model, faults) = (&self.model, self.faults);
        (self.source == ScoreSource::Learned)
            .then(|| Localisation::of_labelled_after(before, model, spectrum, failing, faults))
    }

    /// The failing tests of each fault that they seem to show.
    pub(crate) fn apart(&self, spectrum: &Spectrum, failing: &[TestId]) -> Vec<Vec<TestId>> {
        sharp::apart(&self.model, spectrum, failing, self.faults)
    }

    /// For the core, which knows formulas alone.
    pub(crate) fn options(&self) -> RankingOptions {
        RankingOptions {
            formula: match self.source {
                ScoreSource::Formula(formula) => formula,
                ScoreSource::Learned => Formula::default_formula(),
            },
            aggregate: self.aggregate,
            tie: self.tie,
        }
    }
}

/// The built-in distribution, worst places of ties.
impl Default for Scoring {
    fn default() -> Self {
        Scoring {
            source: ScoreSource::Learned,
            model: Arc::clone(sharp::built_in()),
            aggregate: Aggregate::Sum,
            tie: TiePolicy::Max,
            faults: Faults::Auto,
        }
    }
}
