//! How suspicious a line is, for whoever shows it beside the source.

use fdc_draw::source::LineMark;
use fdc_draw::text::quantity;

/// The heat of a measured line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heat {
    /// Its suspiciousness.
    pub score: f64,
    /// Its step on the scale, 1 to [`fdc_draw::source::STEPS`]; 0 if no failing test runs it.
    pub step: usize,
    /// Failing tests that run it (a verdict believed in part counts as a part).
    pub failing: f64,
    /// Passing tests that run it.
    pub passing: f64,
}

impl Heat {
    /// For a listing of the source.
    pub fn mark(&self) -> LineMark {
        let Heat { score, step, .. } = *self;
        let [failing, passing] = [self.failing, self.passing].map(quantity);
        let words =
            format!("score {score:.3}: run by {failing} failing and {passing} passing tests");
        LineMark { score, step, words }
    }
}
