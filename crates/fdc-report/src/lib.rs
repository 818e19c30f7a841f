//! Pictures and pages.
#![forbid(unsafe_code)]
