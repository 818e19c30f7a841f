//! The modules that a failing test covers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fdc_collect::{Result, RunError};
use fdc_core::naming::nearest;

use crate::summary::LeftOutUnit;
use crate::target::Target;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// As it is imported.
    pub(crate) name: String,
    /// The folder it is imported from, relative to the project's.
    pub(crate) folder: PathBuf,
    /// Methods of it that the failing test covers.
    pub(crate) methods: u64,
}

/// The modules asked for, or those the failing test covers, in the case's order; and other files.
pub(crate) fn modules(
    project: &Path,
    target: &Target,
    asked: &[String],
) -> Result<(Vec<Module>, Vec<LeftOutUnit>)> {
    let mut found = Vec::new();
    let mut left_out = Vec::new();
    for (file, methods) in covered_files(target) {
        match module(project, &file) {
            Ok((name, folder)) => found.push(Module {
                name,
                folder,
                methods,
            }),
            Err(why) => left_out.push(LeftOutUnit { name: file, why }),
        }
    }
    if asked.is_empty() && found.is_empty() {
        let case = target.case.display();
        let message = format!("{case}: the failing test covers no module that can be imported");
        let hint = match left_out.first() {
            Some(left) => format!("{}: {}", left.name, left.why),
            None => "make the case with `fdc collect pytest`".to_owned(),
        };
        return Err(RunError::input(message, hint));
    }
    if asked.is_empty() {
        return Ok((found, left_out));
    }
    let mut wanted = Vec::new();
    for name in asked {
        let Some(known) = found.iter().find(|module| module.name == *name) else {
            let names = found.iter().map(|module| &*module.name);
            let hint = match nearest(name, names.clone()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("it covers {}", names.collect::<Vec<_>>().join(", ")),
            };
            let message = format!("the failing test covers no module {name:?}");
            return Err(RunError::usage(message, hint));
        };
        if !wanted.contains(known) {
            wanted.push(known.clone());
        }
    }
    Ok((wanted, Vec::new()))
}

/// The files that the failing test covers, with the number of their methods that it covers.
fn covered_files(target: &Target) -> Vec<(String, u64)> {
    let program = &target.spectrum.program;
    let names = target.suspects();
    let mut methods: BTreeMap<u32, u64> = BTreeMap::new();
    let mut suspects = names.iter().peekable();
    for method in &program.methods {
        if suspects.next_if(|name| **name == method.name).is_some() {
            *methods.entry(method.file).or_default() += 1;
        }
    }
    let file = |(file, count)| (program.files[file as usize].clone(), count);
    methods.into_iter().map(file).collect()
}

/// A file's name as a module, and whence it is imported: the first folder up that is no package.
fn module(project: &Path, file: &str) -> Result<(String, PathBuf), String> {
    let Some(path) = file.strip_suffix(".py") else {
        return Err("is no Python source".to_owned());
    };
    if !project.join(file).is_file() {
        return Err(format!("is not in {}", project.display()));
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts.last() == Some(&"__main__") {
        return Err("runs as a program when it is imported".to_owned());
    }
    let mut package = parts.len() - 1;
    let is_package = |length: usize| {
        let folder = project.join(parts[..length].join("/"));
        folder.join("__init__.py").is_file()
    };
    while package > 0 && is_package(package) {
        package -= 1;
    }
    let folder = PathBuf::from(parts[..package].join("/"));
    if parts.last() == Some(&"__init__") && parts.len() - package > 1 {
        parts.pop();
    }
    let name = parts[package..].join(".");
    let is_name = |part: &str| !part.is_empty() && !part.contains(['-', ' ', '.']);
    if !parts[package..].iter().all(|part| is_name(part)) {
        return Err("has a name that cannot be imported".to_owned());
    }
    Ok((name, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_from_the_first_folder_that_is_no_package() {
        let root = tempfile::tempdir().unwrap();
        for file in [
            "src/shop/__init__.py",
            "src/shop/tax/__init__.py",
            "src/shop/tax/rate.py",
            "src/shop/__main__.py",
            "tool.py",
            "odd-name.py",
        ] {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let of = |file| module(root.path(), file);
        let is = |name: &str, folder: &str| Ok((name.to_owned(), PathBuf::from(folder)));
        assert_eq!(of("src/shop/tax/rate.py"), is("shop.tax.rate", "src"));
        assert_eq!(of("src/shop/__init__.py"), is("shop", "src"));
        assert_eq!(of("tool.py"), is("tool", ""));
        assert!(of("src/shop/__main__.py").is_err());
        assert!(of("odd-name.py").is_err());
        assert!(of("gone.py").is_err());
        assert!(of("a.js").is_err());
    }
}
