//! A ranking as data for pages and code scanning.

pub mod findings;
pub mod sarif;
pub mod suspects;

pub use findings::Findings;
pub use suspects::Suspects;
