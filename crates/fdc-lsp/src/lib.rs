//! A case in an editor: a language server over standard input and output, in the Language Server
//! Protocol 3.17.
//!
//! What is computed comes from [`fdc::editor`]; here it is put into the protocol's words. The protocol
//! itself is written by hand: frames of bytes that may be anything, and the dozen messages that are
//! used of hundreds.
//!
//! # Beside the protocol
//! | request or notification | parameters | answer |
//! |---|---|---|
//! | command `fdc.showTests` | `{"method"}`, `{"uri", "line"}` or `{"tests"}` | `{"title", "tests"}` |
//! | command `fdc.nextTest` | | `{"test", "why"}`, or null |
//! | command `fdc.showSuspects` | | a list of suspects with their places |
//! | `fdc/tests` | | all tests of the case |
//! | `fdc/coverage` | | its files, with how many lines are covered and the tests that run them |
//! | `fdc/lines` | `{"uri", "test"?}` | measured lines of a file, as they stand now |
//! | `fdc/caseChanged` (from the server) | | |
//!
//! Lines of these start at 0, as everywhere in the protocol.
#![forbid(unsafe_code)]

mod commands;
mod frames;
mod open;
mod server;
mod uri;
mod watch;
mod words;

pub use server::{ConversationEnd, ServerOptions, answer, serve};
