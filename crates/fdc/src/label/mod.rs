//! The logic of labelling: a person is shown a test, says how it should end, and the ranking gets
//! sharper. Terminal, web page and line protocol are drawn from the same [`View`].

pub mod advice;
mod clock;
pub mod doubts;
pub mod outlook;
pub mod picture;
pub mod protocol;
pub mod reason;
pub mod runs;
pub mod session;
pub mod source;
pub mod state;
pub mod statement;
#[cfg(test)]
mod tests;
pub mod view;

pub use picture::Picture;
pub use runs::RunsView;
pub use session::{Session, SessionOptions, logged_in};
pub use source::{FileView, TestView};
pub use state::SessionState;
pub use statement::Statement;
pub use view::View;
