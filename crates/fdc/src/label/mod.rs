//! The logic of labelling: a person is shown a test, says how it should end, and the ranking gets
//! sharper. Terminal, web page and line protocol are drawn from the same [`View`].
//!
//! | concept | home |
//! |---|---|
//! | a case being labelled: asking, answering, undoing | [`session`] |
//! | statements about parts of the program | [`statement`] |
//! | why a test is asked for | [`reason`] |
//! | what each answer would do to the ranking | [`outlook`] |
//! | answers that do not fit together | [`doubts`] |
//! | whether to stop, and what more answers would bring | [`advice`] |
//! | everything a person looks at, as data | [`view`] |
//! | sources to read beside it | [`source`] |
//! | the suspicious methods and their groups, for a picture | [`picture`] |
//! | the same for programs: requests and replies | [`protocol`] |

pub mod advice;
mod clock;
pub mod doubts;
pub mod outlook;
pub mod picture;
pub mod protocol;
pub mod reason;
pub mod session;
pub mod source;
pub mod statement;
#[cfg(test)]
mod tests;
pub mod view;

pub use picture::Picture;
pub use session::{Session, SessionOptions};
pub use source::{FileView, TestView};
pub use statement::Statement;
pub use view::View;
