//! The built program, run as users run it.

mod bad_input;
mod damaged_files;
mod demo;
mod determinism;
mod evidence;
mod generate;
mod hostile_names;
mod hostile_outputs;
mod import;
mod label;
mod label_killed;
mod measured;
mod own_output;
mod program;
mod rank;
mod rank_page;
mod rank_sarif;
mod rank_source;
mod reference;
mod report;
mod schemas;
mod select;
mod select_outcomes;
mod serve;
mod snapshots;
mod subjects;
