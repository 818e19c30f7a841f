//! What fdc does, a verb a file. Each takes a typed request and gives a typed reply; the command
//! line, the Python module, the page and the terminal build the one and draw the other.
#![forbid(unsafe_code)]

pub mod affected;
pub mod collect;
pub mod compare;
pub mod editor;
pub mod error;
pub mod evaluate;
pub mod export;
pub mod failed_test;
mod figure;
pub mod generate;
mod heat;
pub mod input;
pub mod label;
pub mod merge;
pub mod model;
pub mod mutate;
pub mod progress;
pub mod rank;
pub mod report;
pub mod select;
pub mod since;
pub mod study;
pub mod train;
pub mod watch;
pub mod who;

pub use error::{Failure, FailureKind, Remedy, Result};
pub use failed_test::{FailedCall, FailedTest};
pub use heat::Heat;
pub use input::{Input, InputRequest};
pub use progress::Watch;
pub use rank::{Brief, Counted, Ranked, Suspect, Suspects};
