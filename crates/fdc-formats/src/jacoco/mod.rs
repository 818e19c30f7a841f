//! JaCoCo: its execution data, its XML report, and the probes that it puts into class files.

mod archive;
pub(crate) mod class_file;
pub(crate) mod classes;
pub(crate) mod descriptor;
pub mod exec;
mod filters;
mod probes;
pub mod report;

/// What is wrong with any bytes as a class file; `None` if they are one whose probes are understood.
pub fn problem_of_class(bytes: &[u8]) -> Option<String> {
    class_file::ClassFile::parse(bytes)
        .and_then(|class| probes::ClassProbes::of(&class))
        .err()
}

/// The names of the class files in a jar, as in `org/x/A$B.class`. The error says what is wrong.
pub fn classes_in_archive(archive: &[u8]) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let note = |name: &str| {
        names.push(name.to_owned());
        false
    };
    archive::for_each_wanted(archive, note, |_, _| Ok(()))?;
    Ok(names)
}

/// The bytes of one class file in a jar.
pub fn class_in_archive(archive: &[u8], name: &str) -> Result<Option<Vec<u8>>, String> {
    let mut found = None;
    let keep = |_: &str, bytes: &[u8]| {
        found = Some(bytes.to_owned());
        Ok(())
    };
    archive::for_each_wanted(archive, |entry| entry == name, keep)?;
    Ok(found)
}
