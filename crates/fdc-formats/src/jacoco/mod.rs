//! JaCoCo: its execution data, its XML report, and the probes that it puts into class files.

mod archive;
mod bytes;
pub(crate) mod class_file;
pub(crate) mod classes;
pub(crate) mod descriptor;
pub mod exec;
mod filters;
mod probes;
pub mod report;

pub use archive::{class_in_archive, classes_in_archive};

/// What is wrong with any bytes as a class file; `None` if they are one whose probes are understood.
pub fn problem_of_class(bytes: &[u8]) -> Option<String> {
    let class = class_file::ClassFile::parse(bytes);
    let probes = class.and_then(|class| probes::ClassProbes::of(&class));
    probes.err()
}
