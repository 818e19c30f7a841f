//! A session as it stands: what is known, how methods rank by it, and what to ask next.

use fdc_core::coverage::TestId;
use fdc_core::ranking::Ranking;
use fdc_core::selection::Pick;
use fdc_core::{Outcome, Selection, Spectrum, Verdict};
use fdc_learn::sharp::{Localisation, Prospect};

use crate::label::session::Session;
use crate::rank::MethodRanking;

/// A session between two answers.
pub struct SessionState<'s> {
    session: &'s Session,
    /// The tests that count, and those that may be asked for.
    pub selection: Selection<'s>,
    /// What ranks.
    methods: MethodRanking<'s>,
    /// Methods, the most suspicious first.
    pub ranking: Ranking,
}

impl<'s> SessionState<'s> {
    /// Of a session now.
    pub fn new(session: &'s Session) -> Self {
        let selection = session.selection();
        let spectrum = session.spectrum();
        let located = session.locate(selection.judged().failing);
        let methods = MethodRanking::new(session.ranker(), spectrum, located);
        SessionState {
            ranking: methods.now(selection.tally()),
            session,
            selection,
            methods,
        }
    }

    /// The program and its tests.
    pub fn spectrum(&self) -> &'s Spectrum {
        self.session.spectrum()
    }

    /// What the learned distribution says, if it ranks.
    pub fn located(&self) -> Option<&Localisation<'s>> {
        self.methods.located()
    }

    /// The ranking if a test were answered so.
    pub fn ranking_if(&self, test: TestId, outcome: Outcome) -> Ranking {
        let trust = self.session.options().trust;
        let verdict = Verdict { outcome, trust };
        self.methods.answered(self.selection.tally(), test, verdict)
    }

    /// The test to ask for, and what its outcome is expected to tell if that is why.
    pub fn next(&self) -> Option<(Pick, Option<Prospect>)> {
        let metric = self.session.metric();
        self.methods.next(&self.selection, metric)
    }
}
