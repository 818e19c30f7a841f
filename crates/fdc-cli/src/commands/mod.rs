//! One file per command.

pub mod collect;
pub mod compare;
pub mod demo;
pub mod evaluate;
pub mod explain;
pub mod generate;
pub mod import;
pub mod label;
pub mod list;
pub mod manual;
pub mod model;
pub mod rank;
pub mod report;
pub mod select;
pub mod serve;
pub mod study;
pub mod train;
