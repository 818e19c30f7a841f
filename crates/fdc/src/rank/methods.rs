//! Methods ranked while outcomes become known one by one, and the next test to ask for.

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Ranker, Ranking};
use fdc_core::selection::Pick;
use fdc_core::{Metric, Selection, Spectrum, Tally, Verdict};
use fdc_learn::sharp::{self, Localisation, Prospect};

/// Ranks methods by counts, or by the learned distribution.
pub(crate) struct MethodRanking<'a> {
    ranker: &'a Ranker,
    spectrum: &'a Spectrum,
    located: Option<Localisation<'a>>,
}

impl<'a> MethodRanking<'a> {
    /// By the distribution, if there is one.
    pub(crate) fn new(
        ranker: &'a Ranker,
        spectrum: &'a Spectrum,
        located: Option<Localisation<'a>>,
    ) -> Self {
        MethodRanking {
            ranker,
            spectrum,
            located,
        }
    }

    pub(crate) fn located(&self) -> Option<&Localisation<'a>> {
        self.located.as_ref()
    }

    /// The ranking with these counts.
    pub(crate) fn now(&self, tally: &Tally) -> Ranking {
        self.ranker.by_score(&self.scores(tally))
    }

    /// The score of each unit of the ranker, in its order.
    pub(crate) fn scores(&self, tally: &Tally) -> Vec<f64> {
        match &self.located {
            Some(located) => self.of_units(located.likely()),
            None => self.ranker.scores(tally, &self.spectrum.coverage),
        }
    }

    fn of_units(&self, likely: &[f64]) -> Vec<f64> {
        let units = self.ranker.units().iter();
        units.map(|&unit| likely[unit as usize]).collect()
    }

    /// The ranking with one more outcome.
    pub(crate) fn answered(&self, tally: &Tally, test: TestId, verdict: Verdict) -> Ranking {
        let coverage = &self.spectrum.coverage;
        match &self.located {
            Some(located) => {
                let likely = located.likely_if(test, verdict);
                self.ranker.by_score(&self.of_units(&likely))
            }
            None => {
                let mut tally = tally.clone();
                tally.add(coverage, test, verdict);
                self.ranker.ranking(&tally, coverage)
            }
        }
    }

    /// Takes in one more outcome.
    pub(crate) fn answer(&mut self, test: TestId, verdict: Verdict) {
        if let Some(located) = &mut self.located {
            located.answer(test, verdict);
        }
    }

    /// The candidate to ask for. By the distribution it is the one whose outcome is expected to tell
    /// most, if the metric is the distribution's own; else the metric chooses.
    pub(crate) fn next(
        &self,
        selection: &Selection<'_>,
        metric: &Metric,
    ) -> Option<(Pick, Option<Prospect>)> {
        let own = metric.label == sharp::ENTRY.name;
        let located = self.located.as_ref().filter(|_| own);
        let question = located.and_then(|own| own.best_question(selection.candidates()));
        match question {
            Some((test, prospect)) => {
                let score = prospect.bits;
                Some((Pick { test, score }, Some(prospect)))
            }
            None => Some((selection.best(metric)?, None)),
        }
    }
}
