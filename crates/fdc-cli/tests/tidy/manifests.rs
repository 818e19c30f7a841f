//! Manifests: every crate takes lints and versions from the workspace.

use crate::{crates, none, read};

#[test]
fn every_crate_uses_the_lints_of_the_workspace() {
    let missing: Vec<_> = manifests()
        .into_iter()
        .filter(|path| !read(path).contains("[lints]\nworkspace = true"))
        .collect();
    none(
        &missing,
        "add to these manifests:\n[lints]\nworkspace = true",
    );
}

#[test]
fn versions_of_dependencies_are_in_the_table_of_the_workspace() {
    let mut own = Vec::new();
    for path in manifests() {
        let mut in_dependencies = false;
        for line in read(&path).lines() {
            if line.starts_with('[') {
                in_dependencies = line.contains("dependencies");
            } else if in_dependencies && line.contains(" = ") && !line.contains("workspace = true")
            {
                own.push(format!("{path}: {line}"));
            }
        }
    }
    none(
        &own,
        "put the version into [workspace.dependencies] of Cargo.toml, \
         and NAME.workspace = true into the crate",
    );
}

fn manifests() -> Vec<String> {
    let mut paths: Vec<_> = crates()
        .iter()
        .map(|name| format!("crates/{name}/Cargo.toml"))
        .collect();
    paths.push("benches/Cargo.toml".to_owned());
    paths
}
