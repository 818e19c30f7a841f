/// Looks on while work takes long, and may ask for it to stop. Several threads may report steps.
pub trait Watch: Sync {
    /// A stage begins with none of its steps done; 0 where their number is not known.
    fn stage(&self, _title: &str, _steps: u64) {}
    /// The stage turns out to have so many steps.
    fn planned(&self, _steps: u64) {}
    /// One more step is done.
    fn finished(&self, _step: &str) {}
    /// So many steps are done, and this is under way.
    fn at(&self, _done: u64, _what: &str) {}
    /// Something a person should know.
    fn note(&self, text: &str);
    /// Something a person must know, however quiet they want it.
    fn warn(&self, text: &str) {
        self.note(text);
    }
    /// Whether somebody asked to stop, where nothing is lost.
    fn asked_to_stop(&self) -> bool;
}
