//! A ranking as data for pages and code scanning.

pub mod findings;
pub mod sarif;
pub mod suspects;
mod suspects_map;

pub use findings::Findings;
pub use suspects::Suspects;
pub use suspects_map::suspects_map;
