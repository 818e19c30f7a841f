use fdc_collect::Watch;

/// Writes down what a collector tells, and never asks it to stop.
#[derive(Default)]
pub struct Notes {
    pub notes: Vec<String>,
    pub finished: Vec<String>,
}

impl Watch for Notes {
    fn planned(&mut self, _tests: u64) {}

    fn finished(&mut self, test: &str) {
        self.finished.push(test.to_owned());
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }

    fn asked_to_stop(&self) -> bool {
        false
    }
}
