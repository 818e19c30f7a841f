//! How verbs that take long tell of their progress, and learn that somebody wants them to stop.

pub use fdc_collect::Watch;
