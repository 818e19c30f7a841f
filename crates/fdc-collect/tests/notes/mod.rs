use std::sync::Mutex;

use fdc_collect::Watch;

/// Writes down what a collector tells, and never asks it to stop.
#[derive(Default)]
pub(crate) struct Notes {
    notes: Mutex<Vec<String>>,
    finished: Mutex<Vec<String>>,
}

impl Notes {
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }

    pub(crate) fn tests(&self) -> Vec<String> {
        self.finished.lock().unwrap().clone()
    }
}

impl Watch for Notes {
    fn finished(&self, test: &str) {
        self.finished.lock().unwrap().push(test.to_owned());
    }

    fn note(&self, text: &str) {
        // Most projects of tests are in no repository.
        if !text.contains("is not in a Git repository") {
            self.notes.lock().unwrap().push(text.to_owned());
        }
    }

    fn asked_to_stop(&self) -> bool {
        false
    }
}
