//! One file per command.

pub(crate) mod affected;
pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod label;
pub(crate) mod list;
pub(crate) mod lsp;
pub(crate) mod manual;
pub(crate) mod merge;
pub(crate) mod model;
pub(crate) mod mutate;
pub(crate) mod rank;
pub(crate) mod report;
pub(crate) mod select;
pub(crate) mod serve;
pub(crate) mod study;
pub(crate) mod train;
pub(crate) mod watch;
pub(crate) mod who;
